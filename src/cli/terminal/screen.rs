//! The terminal that standard output is, if it is one: how wide it is, and whether it has colours.
//!
//! What it deliberately does not do: it looks once, before a pager takes the terminal's place.

use std::io::IsTerminal as _;
use std::sync::OnceLock;

use crate::diag::text::Color;

/// What standard output is shown on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Screen {
    /// Whether it is a terminal.
    pub(crate) is_terminal: bool,
    /// Columns of the terminal; none for a file or a pipe, where nothing is cut.
    pub(crate) width: Option<usize>,
    pub(crate) color: Color,
}

static SCREEN: OnceLock<Screen> = OnceLock::new();

/// Narrower than this, lines wrap: nothing would be left of the cells.
const MIN_WIDTH: usize = 40;

/// Looks at standard output, once.
pub(crate) fn look(color: impl Fn(bool) -> Color) {
    let is_terminal = std::io::stdout().is_terminal();
    let width = if is_terminal { width() } else { None };
    SCREEN.get_or_init(|| Screen { is_terminal, width, color: color(is_terminal) });
}

/// What [`look`] has seen; nothing if nobody has looked.
pub(crate) fn screen() -> Screen {
    SCREEN.get().copied().unwrap_or(Screen { is_terminal: false, width: None, color: Color::Off })
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
