//! `olmdex.toml`: which findings are chosen, and catalogs by name: what they are composed of, and where they go.
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
//! [`find()`] says which file that is, [`read()`] reads it, or a composite file of an old form, [`Choice`] joins it with what a command line says, and [`Composition`] is a
//! catalog as its components make it, which [`Staged`] writes to its destination. A file that is found
//! may have been put there by somebody else: what it hides is counted in [`Chosen::hidden`], and it has nothing read and
//! nothing written outside of its own directory.
//!
//! What it deliberately does not do: it judges no catalog, and decides nothing about exit codes.
//!
//! # How findings are chosen
//!
//! A command makes all its findings; `compose::Choice` then says which are shown and count. Each rule is judged once (`diag::selection`), by the
//! options of the command line and then by those of `olmdex.toml`: the most specific word of the first that says anything counts. A
//! finding with another severity points at another form of its rule, so nothing that looks at a rule can miss the change. Then
//! `diag::baseline` takes out what is known. It knows findings by rule, package and message, without lines, and says nothing of rules and
//! packages that a command did not look at, so that several commands share one file.
//!
//! Choosing changes what is shown and the exit codes of `validate` and `check-graph`, never what a catalog is: `build` shows every error and
//! refuses as ever, and `--compat opm` goes with none of it. Both commands exit with 1 for each error that is not hidden, and have the same
//! ones; `check-graph` does so for its own findings too, whatever their severity.
//!
//! An `olmdex.toml` chooses findings for whoever is in its directory. So it is looked for there and above, and passed over, with a warning, if it
//! lies in a catalog that is read, beside one that lies elsewhere, or belongs to another user. What it hides is always counted. A mistake in
//! it is a mistake on the command line (exit code 2); a file that cannot be read is input (3).
//!
//! # How a catalog is composed
//!
//! `compose::Composition` opens the source or renders the template of each component, takes of it what `packages` says (as `filter` does, with whole packages as they
//! are), and keeps each part as the documents that it came from: a finding is at the place in the source, and an unchanged index stays untouched. A package
//! that two components have is an error that names both. `compose::Files` gives the catalog its files, and `compose::Staged` writes them beside the destination and
//! exchanges the two directories in one step. All destinations are reserved before the first source is read, so that no older state follows a newer one, and staged before the first
//! is exchanged.
//!
//! Where a file says what is read, somebody else may have said it, and what is read may be shown. So a file that was found, not named, reads only below its own directory
//! (`compose::Config::check_inputs`, before anything is opened): no `..`, no link that leads out, no registry. A catalog that the user named may have links that lead out, as opm
//! follows them; `fbc::InputFile::leads_out` remembers it, and neither excerpts nor messages have a word of such a file.
//!
//! Where a file says what is written, somebody else may have said it. So a destination is below the directory of the file, through no link and nothing hidden, unless
//! the command line says `--trust-config`; and only a directory is exchanged in which every file is, by its digest, what an earlier run wrote. The record of that is an
//! `.indexignore` of comments, which every reader of catalogs passes over. Nothing that such a file names is run.

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
pub use composite::{Converted, of_composite};
pub use composition::{Composition, Open, Part};
pub use config::{Config, parse, read, read_found};
pub use destination::{DestinationError, Reach};
pub use error::{At, ConfigError};
pub use files::{Defects, Files, FilesError};
pub use find::{FILE_NAME, PassedOver, Search, Why, find};
pub use form::schema;
pub use inside::OutsideError;
pub use staged::{Reserved, StageError, Staged};
