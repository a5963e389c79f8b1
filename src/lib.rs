//! `olmdex` reads Operator Lifecycle Manager (OLM) catalogs, checks them, stores them in one embedded SQLite file, and
//! answers questions about them: what is in a catalog, which upgrades are possible and which OLM takes, what an
//! operator needs, and why something cannot happen. Answers are those of the real systems (opm, OLM Classic, OLM v1),
//! with reasons.
//!
//! The program `olmdex` is a thin command line over this library.
//!
//! # Ways in
//!
//! | to | start at | program |
//! |---|---|---|
//! | ask what the program answers | [`ask`]: a question in words, its whole answer | `examples/resolve.rs`, `examples/upgrade.rs` |
//! | check a catalog | [`ask::check_catalog`] | `examples/validate.rs` |
//! | put catalogs into an index, and list what is there | [`index::Builder`], [`index::Index`] and [`index::query`] | `examples/index.rs` |
//! | use the engines by themselves | [`upgrade::classic::Package`], [`upgrade::v1::resolve`], [`resolve::resolve()`] | |
//!
//! A catalog is an [`fbc::Input`]: a directory, a file, or bytes. [`source::Opener`] tells by its content what a path
//! is, legacy SQLite catalogs included.
//!
//! ```
//! use std::sync::Arc;
//!
//! use olmdex::ask::check_catalog;
//! use olmdex::diag::text::{self, Color};
//! use olmdex::fbc::Input;
//!
//! let catalog = "schema: olm.channel\nname: stable\npackage: till\nentries:\n- name: till.v1.0.0\n";
//! let report = check_catalog(&Input::bytes("till.yaml", Arc::from(catalog.as_bytes())), None);
//!
//! let first = text::finding(&report.findings[0], Color::Off);
//! assert!(first.starts_with("error[E0201]: channel `stable` belongs to package `till`, which is not in the catalog\n"));
//! assert!(first.contains("--> till.yaml:3:10"));
//! ```
//!
//! # What holds everywhere
//!
//! - The same input gives the same result, byte for byte, whatever the number of threads.
//! - No input causes a panic, and none is followed into recursion. An input that would cost too much work ends with an
//!   error that names the limit.
//! - Only [`file`](mod@file) writes, and a write is whole or absent. Only [`cli`] prints, reads the environment and
//!   exits.
//! - Only `serve` and `mcp` are asynchronous, and only `serve` and the reader of images in registries use the network.
//!
//! # Crates
//!
//! This crate is the program and a facade: it has the command line in [`cli`], and re-exports the modules of the crates
//! below under their own names. A crate uses only crates above it in this table. Depend on one of them if you need no
//! more than that.
//!
//! | crate | modules | what it does |
//! |---|---|---|
//! | [`olmdex_version`] | [`version`] | versions with releases, byte sort keys, and the two range languages |
//! | [`olmdex_text`] | [`json`], [`yaml`], [`gotype`], [`re2`], [`api`], [`calendar`] | texts that know their places; Go's types; RE2's patterns |
//! | [`olmdex_base`] | [`diag`], [`file`](mod@file), [`archive`] | findings and their renderers; files, whole or not at all; tar archives |
//! | [`olmdex_fbc`] | [`fbc`] | the catalog format: files, documents, blobs |
//! | [`olmdex_constraint`] | [`constraint`] | `olm.constraint`, CEL and the highest OpenShift version: what bundles demand |
//! | [`olmdex_rules`] | [`check`](mod@check), [`crd`], [`openshift`], [`cluster`], [`explain`] | valid catalogs and definitions, OpenShift's lifecycles and updates, objects of clusters, meanings of messages |
//! | [`olmdex_bundle`] | [`bundle`], [`community`] | bundle directories and repositories of operators |
//! | [`olmdex_index`] | [`index`], `columnar` (feature `parquet`) | the SQLite file: building, opening, questions |
//! | [`olmdex_legacy`] | [`legacy`] | the legacy SQLite catalog: reading, converting, writing |
//! | [`olmdex_open`] | [`source`], [`oci`], [`template`], [`git`] | tells sources apart and opens them |
//! | [`olmdex_compose`] | [`mirror`], [`compose`], [`scaffold`] | catalogs filtered for a mirror, composed from parts, begun |
//! | [`olmdex_olm`] | [`upgrade`], [`mod@resolve`], [`solve`], [`catalog_source`] | what OLM upgrades to and installs together, and why |
//! | [`olmdex_change`] | [`edit`], [`draw`] | catalogs edited and drawn |
//! | [`olmdex_plan`] | [`mod@plan`], [`fleet`], [`lock`] | upgrades of whole clusters, and of many; bundles that operators are pinned to |
//! | [`olmdex_ask`] | [`ask`] | questions in words, and their complete answers, for commands, pages and editors |
//! | [`olmdex_page`] | [`page`] (feature `page`) | pages of catalogs and reports of plans, as HTML |
//! | [`olmdex_graphql`](https://docs.rs/olmdex-graphql) | `graphql` (feature `graphql`) | catalogd's GraphQL: schemas of catalogs, and queries |
//! | [`olmdex_serve`] | [`serve`] (feature `serve`) | the gRPC registry and catalogd's HTTP API, out of an index |
//! | [`olmdex_lsp`] | [`lsp`] | the language server |
//! | [`olmdex_mcp`](https://docs.rs/olmdex-mcp) | `mcp` (feature `mcp`) | questions as tools for assistants |
//!
//! How the real systems behave, and why the code follows them where it looks odd, is written down in `docs/behaviour`.

#[cfg(not(unix))]
compile_error!("olmdex runs on Unix only: it opens files relative to directories, and locks them");

pub mod cli;

pub use olmdex_ask as ask;
pub use olmdex_base::{archive, budget, diag, file};
pub use olmdex_bundle::{bundle, community};
pub use olmdex_change::{draw, edit};
pub use olmdex_compose::{compose, mirror, scaffold};
pub use olmdex_constraint as constraint;
pub use olmdex_fbc as fbc;
#[cfg(feature = "graphql")]
pub use olmdex_graphql as graphql;
pub use olmdex_index as index;
#[cfg(feature = "parquet")]
pub use olmdex_index::columnar;
pub use olmdex_legacy as legacy;
pub use olmdex_lsp as lsp;
#[cfg(feature = "mcp")]
pub use olmdex_mcp as mcp;
pub use olmdex_olm::{catalog_source, namespace, permissions, readiness, resolve, solve, upgrade};
pub use olmdex_open::{git, oci, source, template};
#[cfg(feature = "page")]
pub use olmdex_page as page;
pub use olmdex_plan::{fleet, lock, plan};
pub use olmdex_rules::{check, cluster, crd, explain, openshift};
#[cfg(feature = "serve")]
pub use olmdex_serve as serve;
pub use olmdex_text::{api, calendar, gotype, json, re2, yaml};
pub use olmdex_version as version;
