//! The terminal behind standard output, if there is one: its width, and whether it has colours.

use std::io::IsTerminal as _;
use std::sync::OnceLock;

use crate::diag::text::Color;

/// The properties of the screen that standard output is shown on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Screen {
    pub(crate) is_terminal: bool,
    /// Columns of the terminal; `None` for a file or a pipe, in which nothing is cut.
    pub(crate) width: Option<usize>,
    /// Whether people want the places of what they read, on a terminal of any width (`-v`).
    pub(crate) wants_places: bool,
    pub(crate) color: Color,
}

static SCREEN: OnceLock<Screen> = OnceLock::new();

/// The least width for cutting; on a narrower terminal, lines wrap, since nothing would be left of the cells.
const MIN_WIDTH: usize = 40;

/// Looks at standard output; done once at the start.
pub(crate) fn look(color: impl Fn(bool) -> Color, is_verbose: bool) {
    let is_terminal = std::io::stdout().is_terminal();
    let width = if is_terminal { width() } else { None };
    SCREEN.get_or_init(|| Screen { is_terminal, width, wants_places: is_verbose, color: color(is_terminal) });
}

/// The screen that [`look`] has seen; the default before [`look`] has run.
pub(crate) fn screen() -> Screen {
    SCREEN.get().copied().unwrap_or(Screen { is_terminal: false, width: None, wants_places: false, color: Color::Off })
}

/// Help is not wider: long lines are hard to read.
const MAX_HELP_WIDTH: usize = 100;

/// How wide help is printed, also into a file or a pipe.
pub(in crate::cli) fn help_width() -> usize {
    width().unwrap_or(MAX_HELP_WIDTH).min(MAX_HELP_WIDTH)
}

fn width() -> Option<usize> {
    let of_shell = std::env::var("COLUMNS").ok().and_then(|it| it.parse::<usize>().ok());
    let of_terminal = || terminal_size::terminal_size_of(std::io::stdout()).map(|it| usize::from(it.0.0));
    of_shell.or_else(of_terminal).filter(|it| *it > 0).map(|it| it.max(MIN_WIDTH))
}
