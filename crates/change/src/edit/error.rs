//! Why a catalog cannot be changed as it was asked for.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use olmdex_base::diag::{closest_of_same_numbers, counted};
use olmdex_base::file::system_words;
use olmdex_fbc as fbc;
use olmdex_index::IndexError;
use olmdex_version::{Version, by_version, first_of, nearest};

/// Why a catalog cannot be changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EditError {
    /// Something named does not exist.
    #[error("{} {what} `{name}`", .within.as_ref().map_or("no".to_owned(), |it| format!("{it} has no")))]
    Unknown {
        /// The thing that lacks it, as ``channel `stable` ``, unless that is the catalog.
        within: Option<String>,
        /// The kind of the thing, as `channel`.
        what: &'static str,
        name: String,
        /// The existing names of that kind.
        known: Vec<String>,
    },
    /// Something is there twice.
    #[error("`{0}` is defined twice, so it is not clear which one is meant")]
    Twice(String),
    /// A name is taken.
    #[error("{within} already has {what} `{name}`")]
    Taken {
        /// The thing that has it, as ``channel `stable` ``.
        within: String,
        /// The kind of the thing that has it, with its article.
        what: &'static str,
        name: String,
    },
    /// The package of a bundle is not there, and is not to be created.
    #[error("{unknown}")]
    NewPackage { unknown: Box<EditError>, file: PathBuf },
    /// A word names nothing of the kind that is needed.
    #[error("`{word}` does not name a {what}")]
    NotNamed {
        word: String,
        /// The kind: `channel` or `bundle`.
        what: &'static str,
    },
    /// Something in the description of a bundle is not a field.
    #[error("`{0}` is not a field of a bundle")]
    NotAField(String),
    /// A bundle is described that is in no channel.
    #[error("the bundle joins no channel")]
    NoChannel,
    /// A version is one of another package.
    #[error("`{word}` belongs to package `{of}`, not to `{package}`")]
    OfAnotherPackage { word: String, of: String, package: String },
    /// The change makes no sense for the present content.
    #[error("{message}")]
    Unfit { message: String, help: String },
    /// The text of a document cannot be changed.
    #[error("cannot change `{file}`: {error}")]
    Document { file: String, error: fbc::EditError },
    /// A document cannot be written.
    #[error(transparent)]
    Unwritable(#[from] fbc::WriteError),
    /// A file is none of the system's.
    #[error("olmdex cannot change the file `{0}`")]
    NoFile(String),
    /// A file cannot be read.
    #[error("cannot read `{}`: {}", .path.display(), system_words(.error))]
    Io { path: PathBuf, error: io::Error },
    /// An index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl EditError {
    /// The way out.
    pub fn help(&self) -> String {
        match self {
            Self::Unknown { what, name, known, .. } => help_for_unknown(what, name, known),
            Self::NewPackage { unknown, file } => {
                let meant = unknown.help();
                let meant = if meant.starts_with("did you mean") { meant + " " } else { String::new() };
                format!("{meant}`--create-package` creates the package with this bundle, in `{}`", file.display())
            }
            Self::NotNamed { what: "channel", .. } => "name both: `PKG/CHANNEL`".to_owned(),
            Self::NotNamed { .. } => "name a bundle, or `PKG@VERSION`".to_owned(),
            Self::NotAField(_) => {
                "write it as `NAME,channel=stable,replaces=…,skips=…,skipRange=…,version=…`".to_owned()
            }
            Self::NoChannel => "name one: `NAME,channel=stable`".to_owned(),
            Self::OfAnotherPackage { .. } => "name an entry of the channel, or `PKG@VERSION`".to_owned(),
            Self::Taken { what: "a channel", .. } => "choose another name".to_owned(),
            Self::Taken { .. } => "`olmdex edit set-edges` changes the edges of an entry; `olmdex edit add --replace` \
                                   replaces its blob as well"
                .to_owned(),
            Self::Twice(_) => "`olmdex validate` says where".to_owned(),
            Self::Unfit { help, .. } => help.clone(),
            _ => "`olmdex validate` shows what is wrong with the catalog".to_owned(),
        }
    }

    /// The error for something that is not in the catalog.
    pub(super) fn unknown(what: &'static str, name: &str, known: Vec<String>) -> Self {
        Self::Unknown { within: None, what, name: name.to_owned(), known }
    }

    /// The error for something that is not in a package.
    pub(super) fn unknown_in_package(package: &str, what: &'static str, name: &str, known: Vec<String>) -> Self {
        Self::Unknown { within: Some(format!("package `{package}`")), what, name: name.to_owned(), known }
    }

    /// The error for an entry that is in a channel already.
    pub(super) fn taken_entry(channel: &str, name: &str) -> Self {
        Self::Taken { within: format!("channel `{channel}`"), what: "an entry", name: name.to_owned() }
    }

    /// The error for something that is in a package already.
    pub(super) fn taken_in_package(package: &str, what: &'static str, name: &str) -> Self {
        Self::Taken { within: format!("package `{package}`"), what, name: name.to_owned() }
    }

    /// The error for an entry that is not in a channel.
    pub(super) fn unknown_entry(channel: &str, name: &str, known: Vec<String>) -> Self {
        Self::Unknown { within: Some(format!("channel `{channel}`")), what: "entry", name: name.to_owned(), known }
    }

    pub(super) fn unfit(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Unfit { message: message.into(), help: help.into() }
    }
}

/// The way out for a name that the catalog does not have, of a kind of which it has others.
fn help_for_unknown(what: &str, name: &str, known: &[String]) -> String {
    if known.is_empty() && what.starts_with("package") {
        return "the catalog has no packages: name another with `-i`, or see the findings of `olmdex validate`"
            .to_owned();
    }
    if known.is_empty() && what == "channel" {
        return "it has no channels yet: create one with `olmdex edit add --create-channel`".to_owned();
    }
    // A user who names an entry by its version means this one.
    let ends_with_it = |it: &&String| it.strip_suffix(name).is_some_and(|it| it.ends_with(['.', 'v', '-']));
    let by_ending = known.iter().find(ends_with_it).filter(|_| what == "entry").map(String::as_str);
    let names = || known.iter().map(String::as_str);
    if what == "version"
        && by_ending.is_none()
        && let Some(words) = nearest(Version::parse_tolerant(name).ok().as_ref(), names())
    {
        return words;
    }
    // The user did not mean another version.
    match by_ending.or_else(|| closest_of_same_numbers(name, names())) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if known.len() == 1 => format!("the only one is `{}`", known[0]),
        None if known.len() <= 10 && !known.is_empty() => format!("there are {}", known.join(", ")),
        None if what.starts_with("package") => {
            let n_packages = counted(known.len() as u64, "package");
            format!("`olmdex list packages -i CATALOG` shows the {n_packages}")
        }
        None => {
            // The newest versions are the likely ones.
            let known = by_version(names().map(|it| (it, Version::parse(it).ok())).collect());
            format!("there are {}", first_of(known.iter().rev(), known.len()))
        }
    }
}
