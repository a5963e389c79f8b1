//! Pages of catalogs, for people: contents, upgrades and differences, as HTML that needs no network and no script.
//!
//! [`answer()`] takes an address and returns the reply; [`export()`] writes all pages that need no question as files.
//! Each page shows the command that gives the same answer, and is also available as data: the envelope of that command.
//!
//! | part | what it does |
//! |---|---|
//! | [`Route`] | which page an address names, and the one address of each page |
//! | [`Links`] | where links lead: to addresses of a server, or to files |
//! | [`IndexCache`] | results that are worked out once for an index |
//! | [`Site`] | the data that pages are made from |
//! | [`in_command()`] | how a command names a path that its reader does not have |
//! | [`plan_report()`], [`fleet_report()`] | the upgrade of a cluster, or of many, as one file to mail and to print |
//!
//! All texts of catalogs are taken for hostile: they are escaped in HTML, invisible characters are made visible, links
//! lead to the web or to mail only, and no part of a catalog becomes a script, a style or markup.
//!
//! This crate deliberately decides nothing about catalogs, knows no server, and asks no cluster.
//!
//! # How a page is made
//!
//! A page is a row of the table in `route`, an arm in `answer`, and a module. The row has the form of its address with
//! its parameters, from which follow parsing, links, the files of an export and the OpenAPI description. An address is
//! read into a `page::Route`, which has exactly one address in turn: any other spelling is redirected, so
//! that a page can be linked and kept. `answer` asks the crates below, as the command with the same question does, and
//! the same typed answer becomes HTML or, with `.json`, the envelope of that command; a test compares each with the
//! output of the command. `Links` gives the address of a page on a server, or the file of an export relative to the one
//! that is written; if there is none, the words stand without a link. Results that many pages of one index need
//! (facets, names of icons, findings) are in its `IndexCache`, which goes when the index is replaced. The `ETag` is a
//! digest of all catalogs, the style sheet and the address.
//!
//! A text of a catalog gets into HTML by maud's escapes, by the writer of Markdown's events, or as a drawing, and
//! nowhere else. Styles and scripts are the two asset files of this crate; a page with a `style` attribute or an inline
//! script would not pass its own policy, nor the tests. A report is a file that stands alone: it holds its own style,
//! and its policy allows the one script by its digest.

mod answer;
mod api;
mod assets;
mod channel;
mod compat;
mod compat_runs;
mod diagnose;
mod diff;
mod endpoints;
mod export;
mod feed;
mod filters;
mod fleet_report;
mod frame;
mod header;
mod highest;
mod history;
mod home;
mod icon;
mod images;
mod index_cache;
mod install;
mod links;
mod lint;
mod listing;
mod machine;
mod markdown;
mod mirror;
mod one_package;
mod outlook;
mod package;
mod package_answer;
mod packages;
mod parts;
mod path;
mod permissions;
mod plan;
mod plan_appendix;
mod plan_report;
mod plans;
mod question;
mod recent;
mod reply;
mod report_style;
mod route;
mod server_path;
mod site;
mod unknown;
mod version;
mod versions;

pub use answer::{Ask, answer};
pub use export::{ExportError, Exported, export};
pub use fleet_report::fleet_report;
pub use index_cache::IndexCache;
pub use links::{FileNames, Links};
pub use plan_report::plan_report;
pub use plans::{Plans, ServedCluster};
pub use reply::{PageError, Reply};
pub use route::{
    ApiKind, ApiList, Approval, Checked, ClusterPart, Comparison, Form, ImageSearch, Journey, List, MirrorList,
    PackagePage, PackageVersion, Route, RuleChecked, Sort, Stream,
};
pub use server_path::in_command;
pub use site::Site;
