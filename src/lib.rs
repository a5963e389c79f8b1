//! `olmdex` reads Operator Lifecycle Manager (OLM) catalogs, checks them, stores them in one embedded SQLite file, and
//! answers questions about them: what is in a catalog, which upgrades are possible and which OLM takes, what an operator needs, and
//! why something cannot happen. Answers are those of the real systems (opm, OLM Classic, OLM v1), with reasons.
//!
//! The program `olmdex` is a thin command line over this library.
//!
//! # Ways in
//!
//! | to | start at | program |
//! |---|---|---|
//! | ask what the program answers | [`ask`]: a question in words, its whole answer | `examples/resolve.rs`, `examples/upgrade.rs` |
//! | check a catalog | [`ask::check_catalog`] | `examples/validate.rs` |
//! | put catalogs into an index, and list what is there | [`index::Builder`], [`index::Index`] and [`index::query`] | `examples/ask.rs` |
//! | use the engines by themselves | [`upgrade::classic::Package`], [`upgrade::v1::resolve`], [`resolve::resolve()`] | |
//!
//! A catalog is an [`fbc::Input`]: a directory, a file, or bytes. [`source::Opener`] tells by its content what a path is, legacy
//! SQLite catalogs included.
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
//! - No input causes a panic, and none is followed into recursion. What costs work beyond reason ends with an error that names the limit.
//! - Only [`file`](mod@file) writes, and a write is whole or absent. Only [`cli`] prints, reads the environment and exits.
//! - Only `serve` is asynchronous, and only it and the reader of images in registries use the network.
//!
//! # Modules
//!
//! They form layers; a module uses lower layers only.
//!
//! | layer | module | what it does |
//! |---|---|---|
//! | 0 | [`file`](mod@file) | writing: whole or not at all, one writer at a time |
//! | 0 | [`diag`] | findings as data, and their renderers; the envelope of JSON answers |
//! | 0 | [`json`] | JSON text to flat documents and back |
//! | 0 | [`yaml`] | YAML text to JSON text and back |
//! | 0 | [`version`] | versions with releases, byte sort keys, and the two range languages |
//! | 0 | [`solve`] | satisfiability with preferences, and minimal cores |
//! | 0 | [`re2`] | regular expressions with RE2's meaning |
//! | 0 | [`calendar`] | days, and moments as texts |
//! | 0 | `encoding` | texts in addresses, in digits, on command lines |
//! | 0 | `palette` | colours, on light and on dark screens |
//! | 0 | `tally` | steps of work, counted in tests |
//! | 0 | [`gotype`] | the types of Go that manifests are decoded into, and whether a value fits one |
//! | 0 | [`api`] | the name of a Kubernetes API |
//! | 1 | [`archive`] | tar archives, compressed or not, as trees of names |
//! | 1 | [`fbc`] | the catalog format: files, documents, blobs |
//! | 1 | [`constraint`] | `olm.constraint`, CEL and the highest OpenShift version: what bundles demand |
//! | 2 | [`cluster`] | Kubernetes objects as kubectl prints them |
//! | 2 | [`crd`] | upgrades of CustomResourceDefinitions |
//! | 2 | [`platform`] | lifecycles of operators, and the update graph of OpenShift |
//! | 2 | [`scaffold`] | the first files of a catalog: the blob of a package, a Dockerfile |
//! | 3 | [`check`](mod@check) | the rules of a valid catalog, as findings, and opm's verdict |
//! | 3 | [`bundle`] | bundle directories as blobs, and the rules of a valid one |
//! | 3 | [`oci`] | images in layouts, archives and directories: catalogs, bundles, databases |
//! | 3 | [`message`] | what the messages of OLM, catalogd, opm and oc-mirror mean |
//! | 3 | [`git`] | catalogs as they were, out of repositories of git |
//! | 4 | [`index`] | the SQLite file: building, opening, questions |
//! | 4 | [`legacy`] | the legacy SQLite catalog: reading, converting, writing |
//! | 4 | [`template`] | basic, semver and substitutes templates: read, judged, rendered |
//! | 5 | `columnar` | the views of an index as Parquet files (feature `parquet`) |
//! | 5 | [`catalog_source`] | which catalog of an index a source of a cluster is |
//! | 5 | [`source`] | tells sources apart and opens them |
//! | 5 | [`repository`] | repositories of operators: release configurations, and the checks of the pipelines |
//! | 5 | [`serve`] | the gRPC registry and catalogd's HTTP API, out of an index |
//! | 5 | [`mirror`] | catalogs filtered as oc-mirror filters them, and what a mirror needs besides |
//! | 6 | [`upgrade`] | upgrades: what OLM v1 and OLM Classic do, and why |
//! | 6 | [`compose`] | `olmdex.toml`: which findings are chosen, and catalogs by name: what they are composed of, where they go |
//! | 7 | [`mod@resolve`] | dependencies: what OLM installs together, and why |
//! | 7 | [`mod@plan`] | the upgrade of a whole cluster: states, blockers, steps in their order |
//! | 8 | [`draw`] | upgrade graphs as Mermaid, DOT, SVG, HTML, text and data |
//! | 8 | [`edit`] | changes of catalogs, and what they would bring about |
//! | 8 | [`lock`] | bundles that operators are pinned to, and what has become of them |
//! | 9 | [`ask`] | questions in words, and their complete answers, for commands, pages and editors |
//! | 10 | [`page`] | pages of catalogs, as HTML |
//! | 10 | [`lsp`] | the language server |
//! | 11 | [`cli`] | the command line |
//!
//! How the real systems behave, and why the code follows them where it looks odd, is written down in `docs/behaviour`.

#[cfg(not(unix))]
compile_error!("olmdex needs Unix: it opens files relative to directories and locks them");

pub mod api;
pub mod archive;
pub mod ask;
pub mod bundle;
pub mod calendar;
pub mod catalog_source;
mod ceiling;
pub mod check;
pub mod cli;
pub mod cluster;
#[cfg(feature = "parquet")]
pub mod columnar;
pub mod compose;
pub mod constraint;
pub mod crd;
pub mod diag;
pub mod draw;
pub mod edit;
mod encoding;
pub mod fbc;
pub mod file;
pub mod git;
pub mod gotype;
pub mod index;
pub mod json;
pub mod legacy;
pub mod lock;
pub mod lsp;
pub mod message;
pub mod mirror;
pub mod oci;
#[cfg(feature = "page")]
pub mod page;
mod palette;
pub mod plan;
pub mod platform;
pub mod re2;
pub mod repository;
pub mod resolve;
pub mod scaffold;
#[cfg(feature = "serve")]
pub mod serve;
pub mod solve;
pub mod source;
mod tally;
pub mod template;
pub mod upgrade;
pub mod version;
pub mod yaml;
