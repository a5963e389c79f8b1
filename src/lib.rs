//! `olmdex` reads Operator Lifecycle Manager (OLM) catalogs, checks them, stores them in one embedded SQLite file, and
//! answers questions about them: what is in a catalog, which upgrades are possible and which OLM takes, what an
//! operator needs, and why something cannot happen. Answers are those of the real systems (opm, OLM Classic, OLM v1),
//! with reasons.
//!
//! The program `olmdex` is a thin command line over this library.
//!
//! # Ways in
//!
//! [`ask`] opens sources as one [`Index`] and puts questions to it; each answer is items, a verdict and warnings, as
//! data. [`version`], [`fbc`] and [`constraint`] are of use by themselves. All other modules are the program's own
//! parts, and may change with any release.
//!
//! The heads of all channels of a directory:
//!
//! ```
//! use olmdex::ask::{Filter, Opener, open};
//!
//! let opener = Opener::new(&std::env::temp_dir());
//! let index = open(&opener, &["fixtures/shop/in"])?;
//! let channels = index.channels(&Filter::default())?;
//! let heads: Vec<String> = channels.iter().map(|it| format!("{}/{}: {}", it.package, it.channel, it.head)).collect();
//! assert_eq!(heads, ["ledger/stable: ledger.v1.1.0", "till/candidate: till.v1.2.0", "till/stable: till.v1.1.0"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A check that OLM Classic upgrades one version to another:
//!
//! ```
//! use olmdex::ask::{OlmSet, Opener, PathQuestion, Question as _, State, UpgradeOptions, open};
//!
//! let index = open(&Opener::new(&std::env::temp_dir()), &["fixtures/shop/in"])?;
//! let question = PathQuestion {
//!     name: Some("till@1.0.0".to_owned()),
//!     to: Some("1.2.0".to_owned()),
//!     options: UpgradeOptions { olm: OlmSet::Classic, ..UpgradeOptions::default() },
//!     ..PathQuestion::default()
//! };
//! let answer = question.ask(&State::of(&index))?;
//! assert!(!answer.verdict.is_negative(), "{}", answer.items[0].reason);
//! assert_eq!(answer.items[0].steps.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The namespaces of a must-gather in which OLM Classic cannot resolve, and why:
//!
//! ```
//! use olmdex::ask::{Asked, NamespaceQuestion, Opener, ResolutionWish, open, resolutions};
//!
//! let opener = Opener::new(&std::env::temp_dir());
//! let index = open(&opener, &["shop=fixtures/shop/in"])?;
//! let manifests = ["fixtures/dependencies/namespaces/cluster.yaml".into()];
//! let cluster = opener.cluster(&manifests, Asked::Operators, &mut std::io::empty())?.cluster;
//! let question = NamespaceQuestion { cluster, ..NamespaceQuestion::default() };
//! let found = resolutions(&index, question.worlds(&index)?, &ResolutionWish::default())?;
//! let stuck: Vec<_> = found.answers.iter().filter(|answer| answer.conflict.is_some()).collect();
//! assert_eq!(stuck[0].namespace, "data");
//! let conflict = stuck[0].conflict.as_ref().expect("it is stuck");
//! assert!(conflict.because[0].text.contains("no operators found in package database"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What holds everywhere
//!
//! - The same input gives the same result, byte for byte, whatever the number of threads.
//! - No input causes a panic, and none is followed into recursion. An input that would cost too much work ends with an
//!   error that names the limit.
//! - Only [`file`](mod@file) writes, and a write is whole or absent. Only the command line prints, reads the
//!   environment and exits.
//! - Only `serve` and `mcp` are asynchronous, and only `serve` and the reader of images in registries use the network.
//!
//! # Crates
//!
//! This crate is the program and a facade: it has the command line, and re-exports the modules of the crates below
//! under their own names. A crate uses only crates above it in this table.
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

pub use olmdex_ask as ask;
pub use olmdex_constraint as constraint;
pub use olmdex_fbc as fbc;
pub use olmdex_index::Index;
pub use olmdex_version as version;

#[doc(hidden)]
pub mod cli;

#[doc(hidden)]
pub use self::parts::*;

/// The program's own parts, which tests and benchmarks use, too.
mod parts {
    pub use olmdex_base::{archive, budget, diag, file};
    pub use olmdex_bundle::{bundle, community};
    pub use olmdex_change::{draw, edit};
    pub use olmdex_compose::{compose, mirror, scaffold};
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
}
