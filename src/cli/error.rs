//! How commands end, and what they say when they cannot go on.

use std::process::ExitCode;

/// The exit codes, the same for every command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Yes, or done.
    Yes,
    /// No, or findings.
    No,
    /// The command line is wrong.
    Usage,
    /// The input cannot be read, or is not what it should be.
    Input,
    /// Something that was named does not exist.
    NotFound,
    /// A limit was reached.
    Limit,
    /// A bug of this program.
    Bug,
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Yes => 0,
            Self::No => 1,
            Self::Usage => 2,
            Self::Input => 3,
            Self::NotFound => 4,
            Self::Limit => 5,
            Self::Bug => 70,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a command cannot go on.
#[derive(Debug)]
pub(crate) struct CommandError {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    /// Nobody reads the output any more; not worth a word.
    pub(crate) is_broken_pipe: bool,
}

impl CommandError {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), help: None, is_broken_pipe: false }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }
}

impl From<std::io::Error> for CommandError {
    /// An error of writing to standard output.
    fn from(error: std::io::Error) -> Self {
        let is_broken_pipe = error.kind() == std::io::ErrorKind::BrokenPipe;
        let exit = if is_broken_pipe { Exit::Yes } else { Exit::Input };
        Self { exit, message: format!("cannot write the output: {error}"), help: None, is_broken_pipe }
    }
}

impl From<crate::source::SourceError> for CommandError {
    fn from(error: crate::source::SourceError) -> Self {
        Self::new(Exit::Input, error.to_string()).help(error.help())
    }
}

impl From<crate::index::IndexError> for CommandError {
    fn from(error: crate::index::IndexError) -> Self {
        use crate::index::IndexError;
        let exit = match &error {
            IndexError::NoSuchCatalog { .. } => Exit::NotFound,
            IndexError::Refused { .. } => Exit::No,
            IndexError::Limit(_) => Exit::Limit,
            IndexError::Sql(_) => Exit::Usage,
            _ => Exit::Input,
        };
        let help = error.help();
        let error = Self::new(exit, error.to_string());
        match help {
            Some(help) => error.help(help),
            None => error,
        }
    }
}

pub(crate) type CommandResult = Result<Exit, CommandError>;
