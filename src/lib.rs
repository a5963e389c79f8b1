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

#[path = "../crates/text/src/api.rs"]
pub mod api;
#[path = "../crates/base/src/archive/mod.rs"]
pub mod archive;
#[path = "../crates/ask/src/lib.rs"]
pub mod ask;
#[path = "../crates/bundle/src/bundle/mod.rs"]
pub mod bundle;
#[path = "../crates/text/src/calendar.rs"]
pub mod calendar;
#[path = "../crates/olm/src/catalog_source/mod.rs"]
pub mod catalog_source;
#[path = "../crates/text/src/ceiling.rs"]
mod ceiling;
#[path = "../crates/rules/src/check/mod.rs"]
pub mod check;
pub mod cli;
#[path = "../crates/rules/src/cluster/mod.rs"]
pub mod cluster;
#[cfg(feature = "parquet")]
#[path = "../crates/index/src/columnar/mod.rs"]
pub mod columnar;
#[path = "../crates/compose/src/compose/mod.rs"]
pub mod compose;
#[path = "../crates/constraint/src/lib.rs"]
pub mod constraint;
#[path = "../crates/rules/src/crd/mod.rs"]
pub mod crd;
#[path = "../crates/base/src/diag/mod.rs"]
pub mod diag;
#[path = "../crates/change/src/draw/mod.rs"]
pub mod draw;
#[path = "../crates/change/src/edit/mod.rs"]
pub mod edit;
#[path = "../crates/text/src/encoding/mod.rs"]
mod encoding;
#[path = "../crates/fbc/src/lib.rs"]
pub mod fbc;
#[path = "../crates/base/src/file/mod.rs"]
pub mod file;
#[path = "../crates/open/src/git/mod.rs"]
pub mod git;
#[path = "../crates/text/src/gotype/mod.rs"]
pub mod gotype;
#[path = "../crates/index/src/lib.rs"]
pub mod index;
#[path = "../crates/text/src/json/mod.rs"]
pub mod json;
#[path = "../crates/legacy/src/lib.rs"]
pub mod legacy;
#[path = "../crates/plan/src/lock/mod.rs"]
pub mod lock;
#[path = "../crates/lsp/src/lib.rs"]
pub mod lsp;
#[path = "../crates/rules/src/message/mod.rs"]
pub mod message;
#[path = "../crates/compose/src/mirror/mod.rs"]
pub mod mirror;
#[path = "../crates/open/src/oci/mod.rs"]
pub mod oci;
#[cfg(feature = "page")]
#[path = "../crates/page/src/lib.rs"]
pub mod page;
#[path = "../crates/text/src/palette.rs"]
mod palette;
#[path = "../crates/plan/src/plan/mod.rs"]
pub mod plan;
#[path = "../crates/rules/src/platform/mod.rs"]
pub mod platform;
#[path = "../crates/text/src/re2/mod.rs"]
pub mod re2;
#[path = "../crates/bundle/src/repository/mod.rs"]
pub mod repository;
#[path = "../crates/olm/src/resolve/mod.rs"]
pub mod resolve;
#[path = "../crates/compose/src/scaffold/mod.rs"]
pub mod scaffold;
#[cfg(feature = "serve")]
#[path = "../crates/serve/src/lib.rs"]
pub mod serve;
#[path = "../crates/olm/src/solve/mod.rs"]
pub mod solve;
#[path = "../crates/open/src/source/mod.rs"]
pub mod source;
#[path = "../crates/text/src/tally.rs"]
mod tally;
#[path = "../crates/open/src/template/mod.rs"]
pub mod template;
#[path = "../crates/olm/src/upgrade/mod.rs"]
pub mod upgrade;
#[path = "../crates/version/src/lib.rs"]
pub mod version;
#[path = "../crates/text/src/yaml/mod.rs"]
pub mod yaml;
