//! The targets of links: addresses of a server, or files beside each other.
//!
//! This module writes no file.

use std::collections::{BTreeSet, HashMap};

use sha2::{Digest as _, Sha256};

use super::question::encoded;
use super::route::{ApiKind, ApiList, Comparison, Form, Route};
use olmdex_text::encoding::hex::hex;

/// How pages lead to each other.
#[derive(Debug)]
pub enum Links {
    /// Addresses of a server.
    Served,
    /// Files, for all existing pages.
    Files(FileNames),
}

/// The files of pages.
#[derive(Debug, Default)]
pub struct FileNames {
    files: HashMap<Route, String>,
    /// Pages that would be the same as others, each with the existing one.
    same: HashMap<Route, Route>,
}

/// Bytes of a name of a file.
const MAX_NAME: usize = 200;

impl FileNames {
    /// Names a file for each page. Names that differ only in letter case, which some systems do not distinguish, and
    /// names that are too long get a part of their digest.
    pub fn new(routes: &BTreeSet<Route>) -> Self {
        // The spellings of each directory or file name, regardless of letter case.
        let mut spellings: HashMap<String, BTreeSet<String>> = HashMap::new();
        for route in routes {
            for prefix in prefixes(&plain(route).0) {
                spellings.entry(prefix.to_lowercase()).or_default().insert(prefix);
            }
        }
        let mut files = HashMap::with_capacity(routes.len());
        for route in routes {
            let (plain, extension) = plain(route);
            let mut parts = Vec::new();
            for (at, part) in plain.iter().enumerate() {
                let prefix = plain[..=at].join("/");
                let is_ambiguous = spellings.get(&prefix.to_lowercase()).is_some_and(|it| it.len() > 1);
                parts.push(shortened(part, is_ambiguous));
            }
            files.insert(route.clone(), format!("{}{extension}", parts.join("/")));
        }
        Self { files, same: HashMap::new() }
    }

    /// The same, with pages that would equal others.
    #[must_use]
    pub fn with_same(self, same: HashMap<Route, Route>) -> Self {
        Self { same, ..self }
    }

    /// The file of a page.
    pub fn get(&self, route: &Route, form: Form) -> Option<String> {
        let file = self.files.get(self.same.get(route).unwrap_or(route))?;
        match form {
            Form::Json => file.strip_suffix(".html").filter(|_| has_data(route)).map(|stem| format!("{stem}.json")),
            Form::Page => Some(file.clone()),
        }
    }
}

/// Whether a page without a question has its answer as data beside it. Pages of versions and channels do not: together
/// they are most of the files, and the data of their package lists them.
fn has_data(route: &Route) -> bool {
    route.row().has_data_file && *route != Route::Diff(Comparison::default())
}

/// A path and all its parents.
fn prefixes(parts: &[String]) -> impl Iterator<Item = String> {
    (1..=parts.len()).map(|n| parts[..n].join("/"))
}

/// The parts of the path of a page's file, as if names could have any length and case, and its extension.
fn plain(route: &Route) -> (Vec<String>, &'static str) {
    let row = route.row();
    let (mut parts, after): (Vec<String>, Vec<&str>) =
        route.parts().into_iter().map(|(part, after)| (name(&part), after)).unzip();
    parts.retain(|it| !it.is_empty());
    // A part of the path is a directory if pages are beside the page.
    let filled = |form: &'static str| match form.split_once('{') {
        Some((before, key)) => route.value(key.trim_end_matches('}')).map(|it| format!("{before}{}", name(&it))),
        None => Some(form.to_owned()).filter(|it| !it.is_empty()),
    };
    parts.extend(row.file.split('/').filter_map(|part| part.split('|').find_map(filled)));
    (parts, if row.is_html { ".html" } else { after.last().copied().unwrap_or_default() })
}

/// A name that can be that of a file: no character has a meaning for any system, or in an address.
fn name(text: &str) -> String {
    let name = encoded(text).replace('~', "%7E");
    match name.strip_prefix('.') {
        Some(rest) => format!("%2E{rest}"),
        None => name,
    }
}

/// A name with a limited length, and with a part of its digest if another one is much like it.
fn shortened(name: &str, is_ambiguous: bool) -> String {
    if name.len() <= MAX_NAME && !is_ambiguous {
        return name.to_owned();
    }
    let digest = hex(&Sha256::digest(name.as_bytes())[..8]);
    let mut end = name.len().min(MAX_NAME - 17);
    // No escape is cut in two; the text is ASCII.
    while end > 0 && name.as_bytes()[end.saturating_sub(2)..end].contains(&b'%') && end < name.len() {
        end -= 1;
    }
    format!("{}-{digest}", &name[..end])
}

impl Links {
    /// The address of a page from another one; `None` if it does not exist.
    pub fn from(&self, here: &Route, to: &Route, form: Form) -> Option<String> {
        match self {
            Self::Served => to.can_be_named().then(|| to.address(form)),
            Self::Files(files) => {
                let from = files.get(here, Form::Page)?;
                // The kinds of objects share a file.
                let kinds = Route::Apis(ApiList::default());
                let (to, place) = match to {
                    Route::Api(ApiKind { group, kind }) if form == Form::Page => {
                        (&kinds, format!("#{}", api_place(group, kind)))
                    }
                    _ => (to, String::new()),
                };
                Some(relative(&from, &files.get(to, form)?).replace('%', "%25") + &place)
            }
        }
    }
}

/// The anchor of a kind of objects on the page of all kinds.
pub(super) fn api_place(group: &str, kind: &str) -> String {
    let plain = |text: &str| text.replace(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '-', "_");
    format!("{}.{}", plain(kind), plain(group))
}

/// The way from a file to another.
fn relative(from: &str, to: &str) -> String {
    let (from, to): (Vec<&str>, Vec<&str>) = (from.split('/').collect(), to.split('/').collect());
    let n_common = from.iter().zip(&to).take_while(|(a, b)| a == b).count().min(from.len() - 1).min(to.len() - 1);
    let up = std::iter::repeat_n("..", from.len() - 1 - n_common);
    up.chain(to[n_common..].iter().copied()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_names_that_every_system_can_tell_apart() {
        let package = |it: &str| Route::package_of(it);
        let long = "x".repeat(300);
        let routes = BTreeSet::from([
            Route::Home,
            package("keda"),
            package("Keda"),
            package("../etc"),
            package(".hidden"),
            package(&long),
            package(&"é".repeat(120)),
        ]);
        let files = FileNames::new(&routes);
        let get = |it: &str| files.get(&package(it), Form::Page).unwrap();
        assert_eq!(files.get(&Route::Home, Form::Page).unwrap(), "index.html");
        assert_ne!(get("keda").to_lowercase(), get("Keda").to_lowercase());
        assert_eq!(get("../etc"), "p/%2E.%2Fetc/index.html");
        assert_eq!(get(".hidden"), "p/%2Ehidden/index.html");
        for name in [get(&long), get(&"é".repeat(120))] {
            let name = name.split('/').nth(1).unwrap().to_owned();
            assert!(name.len() <= MAX_NAME && !name.contains("%C-") && !name.contains("%-"), "{name}");
        }
    }

    #[test]
    fn ways_between_files_are_relative() {
        assert_eq!(relative("index.html", "style.css"), "style.css");
        assert_eq!(relative("p/keda/index.html", "style.css"), "../../style.css");
        assert_eq!(relative("p/keda/index.html", "p/keda/v/1.0.0/index.html"), "v/1.0.0/index.html");
        assert_eq!(relative("p/keda/index.html", "p/kiali/index.html"), "../kiali/index.html");
    }
}
