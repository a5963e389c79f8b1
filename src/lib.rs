//! `olmdex` reads Operator Lifecycle Manager (OLM) catalogs, checks them, stores them in one embedded SQLite file and
//! answers from it.
//!
//! The modules form layers; a module uses lower layers only:
//!
//! | layer | module | what it does |
//! |---|---|---|
//! | 0 | [`file`](mod@file) | writing: whole or not at all, one writer at a time |
//! | 0 | [`diag`] | findings as data, and their renderers |
//! | 0 | [`json`] | JSON text to flat documents and back |
//! | 0 | [`yaml`] | YAML text to JSON text and back |
//! | 0 | [`version`] | versions with releases, byte sort keys, and the two range languages |
//! | 0 | [`solve`] | satisfiability with preferences, and minimal cores |
//! | 0 | [`re2`] | regular expressions with RE2's meaning |
//! | 1 | [`fbc`] | the catalog format: files, documents, blobs |
//! | 2 | [`constraint`] | `olm.constraint` and CEL: what bundles demand |
//! | 2 | [`check`] | the rules of a valid catalog, as findings, and opm's verdict |
//! | 3 | [`index`] | the SQLite file: building, opening, questions |
//! | 3 | [`legacy`] | the legacy SQLite catalog: reading, converting, writing |
//! | 3 | [`cluster`] | Kubernetes objects as kubectl prints them |
//! | 3 | [`crd`] | upgrades of CustomResourceDefinitions |
//! | 4 | [`source`] | tells sources apart and opens them |
//! | 5 | [`upgrade`] | upgrades: what OLM v1 and OLM Classic do, and why |
//! | 6 | [`resolve`] | dependencies: what OLM installs together, and why |
//! | 7 | [`draw`] | upgrade graphs as Mermaid, DOT, SVG, HTML, text and data |
//! | 8 | [`cli`] | the command line |

pub mod check;
pub mod cli;
pub mod cluster;
pub mod constraint;
pub mod crd;
pub mod diag;
pub mod draw;
pub mod fbc;
pub mod file;
pub mod index;
pub mod json;
pub mod legacy;
pub mod re2;
pub mod resolve;
pub mod solve;
pub mod source;
pub mod upgrade;
pub mod version;
pub mod yaml;
