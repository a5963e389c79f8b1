//! The ways in which commands end, and their messages.

use std::process::ExitCode;

use crate::file::system_words;

/// The exit codes, the same for every command, in the order in which they count for several answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Yes, or done.
    Yes,
    /// No, or findings.
    No,
    /// The command line is wrong.
    Usage,
    /// The input cannot be read, or is not valid.
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

/// The result of printing, without the error of a closed pipe: a reader that leaves (`| head`) must not change the exit
/// code.
pub(crate) fn unless_reader_left(printed: Result<(), CommandError>) -> Result<(), CommandError> {
    printed.or_else(|error| if error.is_broken_pipe() { Ok(()) } else { Err(error) })
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
    pub(crate) help: Option<String>,
    error: anyhow::Error,
}

impl CommandError {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, help: None, error: anyhow::Error::msg(message.into()) }
    }

    /// The error of a run that left documents unread because their aliases multiply them, or unjudged because they have
    /// too many faults; `None` if it left out nothing.
    pub(crate) fn of_limit() -> Option<Self> {
        let message = if crate::diag::is_finding_limit_reached() {
            crate::diag::TOO_MANY_FINDINGS.to_owned()
        } else if crate::json::is_expansion_limit_reached() {
            format!("olmdex could not read a document: {}", crate::json::EXPANDS_TOO_FAR)
        } else {
            return None;
        };
        Some(Self::new(Exit::Limit, message).help(crate::archive::LIFT_LIMITS))
    }

    /// Turns clap's message about wrong arguments into an error: its first paragraph, with the tips and the usage below
    /// it as help.
    pub(crate) fn of_arguments(error: &clap::Error) -> Self {
        if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            return Self::usage("no command given").help("`olmdex help` lists the commands");
        }
        let text = error.render().to_string();
        let line = |it: &str| it.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut paragraphs = text.split("\n\n").map(line).filter(|it| !it.is_empty());
        let first = paragraphs.next().unwrap_or_default();
        let help: Vec<String> = paragraphs.filter(|it| !it.starts_with("For more information")).collect();
        let error = Self::usage(first.strip_prefix("error: ").unwrap_or(&first));
        if help.is_empty() { error } else { error.help(help.join("; ")) }
    }

    /// The message of the error.
    pub(crate) fn message(&self) -> String {
        self.error.to_string()
    }

    /// Whether the reader of the output has gone, which needs no message.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.error.downcast_ref::<std::io::Error>().is_some_and(|it| it.kind() == std::io::ErrorKind::BrokenPipe)
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        self.with_help(Some(help))
    }

    pub(crate) fn with_help(mut self, help: Option<impl Into<String>>) -> Self {
        self.help = help.map(Into::into);
        self
    }

    /// The same error, with a file called by another name.
    pub(crate) fn renamed(self, file: &str, name: &str) -> Self {
        let help = self.help.as_ref().map(|help| help.replace(file, name));
        let message = self.message().replace(file, name);
        Self { help, error: anyhow::Error::msg(message), ..self }
    }

    /// The same error, with the place of its cause in front.
    pub(crate) fn at(self, place: &str) -> Self {
        let message = format!("{place}: {}", self.message());
        Self { error: anyhow::Error::msg(message), ..self }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// For options that few builds have.
    #[cfg(not(all(feature = "jsonschema", feature = "page", feature = "parquet")))]
    pub(crate) fn lacks_feature(option: &str, feature: &str) -> Self {
        let message = format!("`{option}` needs the feature `{feature}`, which this build of olmdex lacks");
        Self::usage(message).help(with_feature(feature))
    }
}

/// Where a build with a feature comes from.
pub(crate) fn with_feature(feature: &str) -> String {
    format!("released binaries have it; from source: `cargo install --path . --features {feature}`")
}

impl From<std::io::Error> for CommandError {
    /// An error of writing to standard output.
    fn from(error: std::io::Error) -> Self {
        let exit = if error.kind() == std::io::ErrorKind::BrokenPipe { Exit::Yes } else { Exit::Input };
        let message = format!("cannot write the output: {}", system_words(&error));
        Self { exit, help: None, error: anyhow::Error::new(error).context(message) }
    }
}

impl From<crate::fbc::RereadError> for CommandError {
    fn from(error: crate::fbc::RereadError) -> Self {
        let help = Some(error.help().to_owned());
        Self { exit: Exit::Input, help, error: error.into() }
    }
}

impl From<crate::source::SourceError> for CommandError {
    fn from(error: crate::source::SourceError) -> Self {
        let help = Some(error.help());
        let exit = if error.is_limit() { Exit::Limit } else { Exit::Input };
        Self { exit, help, error: error.into() }
    }
}

impl From<crate::file::FileError> for CommandError {
    fn from(error: crate::file::FileError) -> Self {
        Self { exit: exit_of_file(&error), help: error.help(), error: error.into() }
    }
}

/// A name that cannot be an output is a wrong command line.
fn exit_of_file(error: &crate::file::FileError) -> Exit {
    use crate::file::FileError;
    match error {
        FileError::NotEmpty { .. }
        | FileError::CannotExchange { .. }
        | FileError::NotADirectory { .. }
        | FileError::Reserved { .. } => Exit::Usage,
        _ => Exit::Input,
    }
}

impl From<crate::legacy::LegacyError> for CommandError {
    fn from(error: crate::legacy::LegacyError) -> Self {
        use crate::legacy::LegacyError;
        let exit = match &error {
            LegacyError::Inconvertible { .. }
            | LegacyError::Unmigratable { .. }
            | LegacyError::Refused { .. }
            | LegacyError::NotAdded(_) => Exit::No,
            LegacyError::NoPackage { .. } => Exit::NotFound,
            LegacyError::Limit { .. } => Exit::Limit,
            LegacyError::Target(_) | LegacyError::Part { .. } => Exit::Usage,
            LegacyError::File(error) => exit_of_file(error),
            _ => Exit::Input,
        };
        Self { exit, help: error.help(), error: error.into() }
    }
}

impl From<crate::index::IndexError> for CommandError {
    fn from(error: crate::index::IndexError) -> Self {
        use crate::index::IndexError;
        let exit = match &error {
            IndexError::NoSuchCatalog { .. } => Exit::NotFound,
            IndexError::Refused { .. } => Exit::No,
            IndexError::Limit(_) | IndexError::TooLarge(_) => Exit::Limit,
            IndexError::Sql(_) => Exit::Usage,
            _ => Exit::Input,
        };
        Self { exit, help: error.help(), error: error.into() }
    }
}

pub(crate) type CommandResult = Result<Exit, CommandError>;

impl From<crate::ask::LoadError> for CommandError {
    fn from(error: crate::ask::LoadError) -> Self {
        match error {
            crate::ask::LoadError::Index(error) => error.into(),
            crate::ask::LoadError::Choice(error) => (*error).into(),
            crate::ask::LoadError::Source(error) => error.into(),
            crate::ask::LoadError::Empty(_) | crate::ask::LoadError::Unreadable { .. } => {
                Self::new(Exit::Input, error.to_string())
            }
            error => {
                let usage = Self::usage(error.to_string());
                match error.help() {
                    Some(help) => usage.help(help),
                    None => usage,
                }
            }
        }
    }
}

impl From<crate::resolve::ClosureError> for CommandError {
    fn from(error: crate::resolve::ClosureError) -> Self {
        crate::ask::AskError::from(error).into()
    }
}

impl From<crate::ask::AskError> for CommandError {
    fn from(error: crate::ask::AskError) -> Self {
        use crate::ask::AskError;
        use crate::bundle::UnpackError;
        let exit = match error {
            AskError::Failure(error) => return error.into(),
            AskError::Index(error) => return error.into(),
            AskError::Warned { error, .. } => return (*error).into(),
            AskError::NothingInCluster(_)
            | AskError::NothingInstalledThere
            | AskError::NothingInstalledIn(_)
            | AskError::Nameless(_)
            | AskError::BadClusterVersion { .. } => Exit::Input,
            AskError::NotReached { .. }
            | AskError::Unresolved
            | AskError::NoZStream(_)
            | AskError::Unpack(UnpackError::OnlyImage(_)) => Exit::No,
            AskError::Unpack(_) => Exit::Input,
            ref error if error.is_not_found() => Exit::NotFound,
            _ => Exit::Usage,
        };
        Self { exit, help: error.help(), error: error.into() }
    }
}

impl From<crate::resolve::QuestionError> for CommandError {
    fn from(error: crate::resolve::QuestionError) -> Self {
        match error {
            crate::resolve::QuestionError::Index(error) => error.into(),
            error => crate::ask::AskError::from(error).into(),
        }
    }
}

impl From<crate::catalog_source::TieError> for CommandError {
    fn from(error: crate::catalog_source::TieError) -> Self {
        crate::ask::AskError::from(error).into()
    }
}

impl From<crate::resolve::Failure> for CommandError {
    fn from(failure: crate::resolve::Failure) -> Self {
        use crate::resolve::Failure;
        match failure {
            Failure::Limit(what) => Self::new(Exit::Limit, what).help("raise the limit with `--max-work`"),
            Failure::Work(overwork) => {
                Self::new(Exit::Limit, overwork.to_string()).help("raise the limit with `--max-work`")
            }
            Failure::Constraint(broken) => {
                let (error, operator, place) = (&broken.error, &broken.operator, &broken.place);
                let text = format!("{error}, in {operator} [{place}]");
                Self::new(Exit::No, text)
                    .help(error.help().unwrap_or("`olmdex validate` reports everything that OLM cannot read"))
            }
            Failure::Index(error) => (*error).into(),
            failure => Self::new(Exit::No, failure.to_string()),
        }
    }
}
