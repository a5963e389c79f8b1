//! The rules of catalogs and definitions, and the facts that clusters and OpenShift state about themselves.
//!
//! | module | what it does |
//! |---|---|
//! | [`check`](mod@check) | the rules of a valid catalog, as findings, with opm's verdict |
//! | [`crd`] | whether a CustomResourceDefinition may be upgraded |
//! | [`openshift`] | how long versions are supported, and which updates OpenShift offers |
//! | [`cluster`] | Kubernetes objects as `kubectl get -o yaml` prints them |
//! | [`explain`] | what the messages of OLM, catalogd, opm and oc-mirror mean |
//!
//! A rule is a row of a table beside the code that finds its breaches: identifier, name, severity, what holds, why, an
//! example. A rule about the blobs of a catalog, about the icon of a bundle for example, goes to `check::rules`, or to
//! `check::practice` if not everybody wants it.
//!
//! This crate deliberately does not decide upgrades, and it opens no index.

pub mod check;
pub mod cluster;
pub mod crd;
pub mod explain;
pub mod openshift;
