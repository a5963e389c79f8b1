//! The lock that commands read.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::terminal::error::{CommandError, Exit};
use crate::diag::closest;
use crate::file::{read_regular_of, system_words};
use crate::lock::{Lock, LockError, ParseError};

/// Where the lock is.
#[derive(Debug, Args)]
pub(crate) struct LockFile {
    /// The lock
    #[arg(long = "lock-file", value_name = "FILE", default_value = "operators.lock")]
    path: PathBuf,
}

impl LockFile {
    /// How many bytes it may have.
    pub(crate) const MAX_LEN: u64 = 64 << 20;

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads it; gives also its text.
    pub(crate) fn read(&self) -> Result<(Lock, String), CommandError> {
        let text = read_regular_of(&self.path, Self::MAX_LEN).map_err(|error| {
            let path = self.path.display();
            if error.kind() == std::io::ErrorKind::NotFound {
                let error = CommandError::new(Exit::Input, format!("`{path}` does not exist"));
                error.help("`olmdex lock PKG…` makes it; `--lock-file` names another one")
            } else {
                CommandError::new(Exit::Input, format!("cannot read `{path}`: {}", system_words(&error)))
            }
        })?;
        let text = String::from_utf8_lossy(&text).into_owned();
        Ok((read_lock(&self.path, &text)?, text))
    }
}

/// Reads a lock from its text.
pub(crate) fn read_lock(path: &Path, text: &str) -> Result<Lock, CommandError> {
    Lock::parse(text).map_err(|error| {
        let help = match error {
            ParseError::Conflict(_) => "take either side, and run `olmdex lock update`",
            ParseError::Version(_) => "a newer olmdex wrote it",
            _ => "it is not what `olmdex lock` writes; delete it and lock again",
        };
        CommandError::new(Exit::Input, format!("`{}` is not a lock: {error}", path.display())).help(help)
    })
}

/// A catalog that is locked and was not given.
pub(crate) fn refuse_unknown_catalog(file: &LockFile, error: LockError) -> CommandError {
    match &error {
        LockError::Unknown { what: "catalog", name, known, .. } => {
            let given = known.join(", ");
            let message =
                format!("`{}` has operators of catalog `{name}`, and given is: {given}", file.path().display());
            CommandError::new(Exit::NotFound, message).help(format!("name it with its source: `-i {name}=SOURCE`"))
        }
        _ => error.into(),
    }
}

impl From<LockError> for CommandError {
    fn from(error: LockError) -> Self {
        let message = error.to_string();
        match error {
            LockError::Unknown { name, known, .. } => {
                let error = Self::new(Exit::NotFound, message);
                match closest(&name, known.iter().map(String::as_str)) {
                    Some(meant) => error.help(format!("did you mean `{meant}`?")),
                    None if (1..=10).contains(&known.len()) => error.help(format!("there is {}", known.join(", "))),
                    None => error.help("`olmdex list packages` shows them"),
                }
            }
            LockError::SeveralCatalogs { .. } => Self::usage(message).help("choose one with `--catalog`"),
            LockError::NoBundle { package, .. } => {
                Self::new(Exit::No, message).help(format!("`olmdex list bundles {package}` shows what there is"))
            }
            LockError::Range { .. } => {
                Self::usage(message).help("a range looks like `>=2.8.0 <2.11.0`, with all three numbers")
            }
            LockError::Closure(error) => error.into(),
            LockError::Index(error) => error.into(),
        }
    }
}
