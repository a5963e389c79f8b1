//! The lock that commands read.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::diag::closest;
use crate::file::{read_regular_of, system_words};
use crate::index::LightIndex;
use crate::lock::{Images, Lock, LockError, ParseError};

/// The place of the lock.
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

    /// Reads the lock. Also returns its text.
    pub(crate) fn read(&self) -> Result<(Lock, String), CommandError> {
        let text = read_regular_of(&self.path, Self::MAX_LEN).map_err(|error| {
            let path = self.path.display();
            if error.kind() == std::io::ErrorKind::NotFound {
                let error = CommandError::new(Exit::Input, format!("`{path}` does not exist"));
                error.help("create it with `olmdex lock PKG…`, or name another one with `--lock-file`")
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
            ParseError::Conflict(_) => "keep either side, then run `olmdex lock update`",
            ParseError::Version(_) => "a newer olmdex wrote it",
            _ => "`olmdex lock` did not write it; delete it and lock again",
        };
        CommandError::new(Exit::Input, format!("`{}` is not a lock file: {error}", path.display())).help(help)
    })
}

/// The images of the locked bundles. A lock has references, or only their digest: then an index provides them.
pub(crate) fn images_of_lock(
    context: &Context,
    lock: &Lock,
    index: Option<&LightIndex>,
) -> Result<HashSet<String>, CommandError> {
    let mut known: HashSet<String> = HashSet::new();
    for it in &lock.operators {
        if let Images::List(images) = &it.images {
            known.extend(images.iter().cloned());
            continue;
        }
        let place = (it.catalog.clone(), it.package.clone(), it.bundle.clone());
        let found = index.map_or_else(|| Ok(Vec::new()), |index| index.image_uses(&[place]))?;
        if found.is_empty() {
            let message =
                format!("the catalogs no longer have `{}`, and the lock file holds only its digest", it.bundle);
            context.reporter.warning(&format!("{message}; `olmdex lock --list-images` records the images, too"));
        }
        known.extend(found.into_iter().map(|it| it.image));
    }
    Ok(known)
}

/// The error for a locked catalog that was not given.
pub(crate) fn refuse_unknown_catalog(file: &LockFile, error: LockError) -> CommandError {
    match &error {
        LockError::Unknown { what: "catalog", name, known, .. } => {
            let given = known.join(", ");
            let message = format!(
                "`{}` has operators of catalog `{name}`, but the sources given are: {given}",
                file.path().display()
            );
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
                Self::usage(message).help("write a range as `>=2.8.0 <2.11.0`, with all three numbers")
            }
            LockError::Closure(error) => error.into(),
            LockError::Index(error) => error.into(),
        }
    }
}
