//! Pages of catalogs, for people: what is in them, which upgrades there are, what differs, as HTML that needs no network and no script.
//!
//! [`answer()`] takes an address and gives what is sent; [`export()`] writes all pages that need no question as files. Each page shows the
//! command that gives the same answer, and is to be had as data: the envelope of that command.
//!
//! | part | what it does |
//! |---|---|
//! | [`Route`] | which page an address names, and the one address of each page |
//! | [`Links`] | where links lead: to addresses of a server, or to files |
//! | [`Shelf`] | what is worked out once for an index |
//! | [`Site`] | what pages are made from |
//! | [`in_command()`] | how a command names a path that its reader does not have |
//!
//! All texts of catalogs are taken for hostile: they are escaped where they stand in HTML, what cannot be seen is made visible, links lead to
//! the web or to mail only, and nothing of a catalog is a script, a style or markup.
//!
//! What it deliberately does not do: it decides nothing about catalogs, knows no server, and asks no cluster.

mod answer;
mod api;
mod channel;
mod command;
mod compat;
mod diff;
mod export;
mod frame;
mod history;
mod home;
mod icon;
mod images;
mod links;
mod lint;
mod markdown;
mod narrowing;
mod one_package;
mod package;
mod packages;
mod parts;
mod path;
mod plan;
mod plans;
mod reply;
mod route;
mod server_path;
mod shelf;
mod site;
mod unknown;
mod version;

pub use answer::{Ask, answer};
pub use export::{ExportError, Exported, export};
pub use links::{FileNames, Links};
pub use plans::Plans;
pub use reply::{PageError, Reply};
pub use route::{Comparison, Fit, Form, Journey, List, Olm, Part, Release, Route, Sort, Stream, Way};
pub use server_path::in_command;
pub use shelf::Shelf;
pub use site::Site;
