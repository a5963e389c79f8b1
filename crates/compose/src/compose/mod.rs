//! `olmdex.toml`: the choice of findings, and catalogs by name, with their components and destinations.
//!
//! ```toml
//! [findings]
//! ignore = ["W0805"]
//! severity = { W0808 = "error" }
//! baseline = "baseline.json"
//!
//! [catalogs.community]
//! source = "catalogs/community"
//! priority = 10
//! labels = { tier = "community" }
//!
//! [catalogs.ours]
//! destination = "rendered/ours"
//! components = [
//!     { source = "catalogs/community", packages = ["quay", "keda/stable@>=2.0.0"] },
//!     { template = "shop-template.yaml", bundles = ["operators"] },
//! ]
//! ```
//!
//! [`find()`] finds the file, [`read()`] reads it, or a composite file of an old form, [`Choice`] joins it with the
//! options of a command line, and [`Composition`] is a catalog that its components make up, which [`Staged`] writes to
//! its destination. A found file may come from somebody else: the findings that it hides are counted in
//! [`Chosen::hidden`], and it can make a command read and write only below its own directory.
//!
//! # How findings are chosen
//!
//! A command makes all its findings; `compose::Choice` then decides which are shown and count. Each rule is judged once
//! (`diag::selection`), by the options of the command line and then by those of `olmdex.toml`: the most specific word
//! of the first that mentions the rule counts. A finding with another severity points at another form of its rule, so
//! no code that reads a rule can miss the change. Then `diag::baseline` takes out the known findings. It knows findings
//! by rule, package and message, without lines, and does not judge rules and packages that a command did not check, so
//! that several commands share one file.
//!
//! A choice changes the shown findings and the exit codes of `validate` and `check-graph`, never the verdict on a
//! catalog: `build` shows every error and refuses as ever, and `--compat opm` cannot be combined with a choice. Both
//! commands exit with 1 for each error that is not hidden, and have the same ones; `check-graph` does so for its own
//! findings too, whatever their severity.
//!
//! An `olmdex.toml` chooses findings for the users in its directory. So olmdex looks for it in the current directory
//! and above, and passes it over, with a warning, if it is in a catalog that is read, beside a catalog elsewhere, or
//! belongs to another user. The findings that it hides are always counted. A mistake in it is a mistake on the command
//! line (exit code 2); a file that cannot be read is input (3).
//!
//! # How a catalog is composed
//!
//! `compose::Composition` opens the source or renders the template of each component, takes the part that `packages`
//! names (as `filter` does, with whole packages as they are), and keeps each part as the documents that it came from: a
//! finding is at the place in the source, and an unchanged index stays untouched. A package that two components have is
//! an error that names both. `compose::Files` gives the catalog its files, and `compose::Staged` writes them beside the
//! destination and exchanges the two directories in one step. All destinations are reserved before the first source is
//! read, so that no older state follows a newer one, and staged before the first is exchanged.
//!
//! The paths to read in such a file may come from somebody else, and their content may be shown. So a file that was
//! found, not named, reads only below its own directory (`compose::Config::check_inputs`, before anything is opened):
//! no `..`, no link that leads out, nothing hidden, no registry. A catalog that the user named may have links that lead
//! out, as opm follows them. `fbc::Sight` remembers how the user came to a file, and neither excerpts nor messages show
//! text that may be a secret.
//!
//! The destinations in such a file may come from somebody else, too. So a destination is below the directory of the
//! file, through no link and nothing hidden, unless the command line has `--trust-config`; and a directory is exchanged
//! only if every file in it is, by its digest, what an earlier run wrote. The record of that is an `.indexignore` of
//! comments, which every reader of catalogs passes over. Such a file cannot make olmdex run a program.

mod baseline_file;
mod catalogs;
mod choice;
mod compose_error;
mod composite;
mod composition;
mod config;
mod destination;
mod error;
mod files;
mod find;
mod form;
mod inside;
mod reader;
mod staged;

pub use baseline_file::{BaselineError, BaselineFile};
pub use catalogs::{Component, Destination, NamedCatalog, Origin};
pub use choice::{Choice, Chosen, Hidden};
pub use compose_error::ComposeError;
pub use composite::of_composite;
pub use composition::{Composition, Open, Part};
pub use config::{Config, parse, read, read_found};
pub use destination::{DestinationError, Reach};
pub use error::{At, ConfigError};
pub use files::{Defects, Files, FilesError};
pub use find::{FILE_NAME, PassedOver, Search, Why, find};
pub use form::schema;
pub use inside::{OutsideError, outside_of};
pub use staged::{Reserved, StageError, Staged};
