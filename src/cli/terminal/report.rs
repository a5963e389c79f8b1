//! Reports on standard error: errors, findings, notes.

use std::io::IsTerminal as _;

use clap::ValueEnum;

use crate::cli::terminal::error::CommandError;
use crate::cli::terminal::screen::screen;
use crate::cli::terminal::{pager, stderr};
use crate::diag::repeated::{Representative, shown};
use crate::diag::text::{Color, Elsewhere};
use crate::diag::{Finding, Severity, printable, printable_line, text};

/// When to print colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The form of messages on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people
    Text,
    /// One JSON object a line
    Json,
}

/// Writes to standard error according to the global options.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reporter {
    choice: ColorChoice,
    format: LogFormat,
    is_quiet: bool,
    is_verbose: bool,
}

impl Reporter {
    pub(crate) fn new(choice: ColorChoice, format: LogFormat, is_quiet: bool, is_verbose: bool) -> Self {
        Self { choice, format, is_quiet, is_verbose }
    }

    /// Whether output to a terminal, or to a file or pipe, is coloured.
    pub(crate) fn color(self, is_terminal: bool) -> Color {
        let has_no_color = std::env::var_os("NO_COLOR").is_some_and(|it| !it.is_empty());
        match self.choice {
            ColorChoice::Always => Color::On,
            ColorChoice::Auto if is_terminal && !has_no_color => Color::On,
            _ => Color::Off,
        }
    }

    /// Whether findings on standard output are coloured.
    pub(crate) fn stdout_color(self) -> Color {
        screen().color
    }

    /// Whether only data and errors are wanted.
    pub(crate) fn is_quiet(self) -> bool {
        self.is_quiet
    }

    /// Whether details are wanted.
    pub(crate) fn is_verbose(self) -> bool {
        self.is_verbose
    }

    /// Whether messages are for people.
    pub(crate) fn is_text(self) -> bool {
        self.format == LogFormat::Text
    }

    pub(crate) fn error(self, error: &CommandError) {
        match self.format {
            LogFormat::Json => self.json("error", &error.message(), error.help.as_deref()),
            LogFormat::Text => {
                let color = self.color(std::io::stderr().is_terminal());
                self.line(&format!("{}: {}", paint(color, "1;31", "error"), lines(&error.message())));
                if let Some(help) = &error.help {
                    self.line(&format!("  {} help: {}", paint(color, "1;34", "="), lines(help)));
                }
            }
        }
    }

    /// Reports an interrupt and what it leaves, whatever the options say.
    pub(crate) fn interrupted(self, message: &str) {
        Self { is_quiet: false, ..self }.warning(message);
    }

    pub(crate) fn warning(self, message: &str) {
        if self.is_quiet {
            return;
        }
        match self.format {
            LogFormat::Json => self.json("warning", message, None),
            LogFormat::Text => {
                let color = self.color(std::io::stderr().is_terminal());
                self.line(&format!("{}: {}", paint(color, "1;33", "warning"), lines(message)));
            }
        }
    }

    /// Something worth a line unless the user wants silence.
    pub(crate) fn note(self, message: &str) {
        if self.is_quiet {
            return;
        }
        match self.format {
            LogFormat::Json => self.json("info", message, None),
            LogFormat::Text => self.line(&printable_line(message)),
        }
    }

    /// Something worth a line only if the user wants details.
    pub(crate) fn detail(self, message: &str) {
        if self.is_verbose {
            self.note(message);
        }
    }

    /// Text with its own line breaks and without a prefix, for output that equals another tool's.
    pub(crate) fn plain(self, text: &str) {
        for line in text.split('\n') {
            self.line(&printable_line(line));
        }
    }

    /// A finding that is beside the question. With `--quiet` only errors remain.
    pub(crate) fn finding(self, finding: &Finding) {
        self.finding_of_many(finding, 0, "");
    }

    /// Findings, of many alike the first for people.
    pub(crate) fn findings<'f>(self, findings: impl IntoIterator<Item = &'f Finding>) {
        let findings: Vec<Finding> = findings.into_iter().cloned().collect();
        match self.format {
            LogFormat::Json => findings.iter().for_each(|it| self.finding(it)),
            LogFormat::Text => {
                for Representative { finding, n_more } in shown(&findings) {
                    self.finding_of_many(finding, n_more, "`--log-format json`");
                }
            }
        }
    }

    /// A finding that represents `n_more` others like it; `findings` shows each of them.
    pub(crate) fn finding_of_many(self, finding: &Finding, n_more: usize, findings: &str) {
        // Which documents are left unread when aliases expand too far depends on the threads; the error at the end
        // reports that there are some.
        if CommandError::of_limit().is_some() || (self.is_quiet && finding.rule.severity != Severity::Error) {
            return;
        }
        match self.format {
            LogFormat::Json => {
                let it = crate::diag::json::FindingJson::from(finding);
                self.line(&serde_json::to_string(&it).unwrap_or_default());
            }
            LogFormat::Text => {
                let color = self.color(std::io::stderr().is_terminal());
                let elsewhere = Elsewhere { names: "`--log-format json`", findings };
                let text = text::finding_of_many(finding, n_more, elsewhere, color);
                self.line(text.trim_end());
            }
        }
    }

    fn json(self, level: &str, message: &str, help: Option<&str>) {
        let mut it = serde_json::json!({"level": level, "message": message});
        if let Some(help) = help {
            it["help"] = help.into();
        }
        self.line(&it.to_string());
    }

    fn line(self, line: &str) {
        if let Some(line) = pager::keep(line.to_owned()) {
            stderr::write_line(&line);
        }
    }
}

/// A message made safe to show. The branches of a tree in opm's style keep lines of their own; any other line break may
/// come from a name.
fn lines(message: &str) -> String {
    text::lines(message).map(|it| printable(&it).into_owned()).collect::<Vec<_>>().join("\n")
}

pub(crate) fn paint(color: Color, code: &str, text: &str) -> String {
    match color {
        Color::On => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        Color::Off => text.to_owned(),
    }
}
