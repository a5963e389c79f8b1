//! No circle between files: a type that two files share has a file below both.
//!
//! The files are read as text: `use` items and paths in the code, followed through the re-exports of `mod.rs` to the
//! file that has the item. A file that only re-exports an item does not use it.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::{roots, sources};

/// Files by the path of their module, with their code.
struct Crate {
    code: BTreeMap<Vec<String>, String>,
    /// The names that each module re-exports, with the paths that they stand for.
    exports: BTreeMap<Vec<String>, BTreeMap<String, Vec<String>>>,
}

/// The path of the module of a file of a crate: `b.rs` in `a` and `mod.rs` in `a/b` are `a::b`.
fn module_of(file: &str) -> Vec<String> {
    let path = file.trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if path == "lib" || path == "main" {
        return Vec::new();
    }
    path.split('/').map(str::to_owned).collect()
}

/// The `use` items of a text, each with whether it is public.
pub(crate) fn uses(code: &str) -> Vec<(bool, String)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let before = code[..at].trim_end_matches(' ');
        let line = &before[before.rfind('\n').map_or(0, |it| it + 1)..];
        let is_public = line.trim_start().starts_with("pub");
        if !(line.trim().is_empty() || is_public && (line.trim() == "pub" || line.ends_with(')'))) {
            continue;
        }
        if let Some(end) = code[at..].find(';') {
            let mut paths = Vec::new();
            expand("", &code[at + 4..at + end], &mut paths);
            found.extend(paths.into_iter().map(|it| (is_public, it)));
        }
    }
    found
}

/// The single paths of a `use` item.
fn expand(before: &str, item: &str, into: &mut Vec<String>) {
    let item = item.trim();
    let Some((head, rest)) = item.split_once('{') else {
        into.extend((!item.is_empty()).then(|| format!("{before}{item}")));
        return;
    };
    let (before, list) = (format!("{before}{head}"), rest.trim_end().trim_end_matches('}'));
    let (mut depth, mut start) = (0, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&before, &list[start..at], into);
                start = at + 1;
            }
            _ => {}
        }
    }
    expand(&before, &list[start..], into);
}

impl Crate {
    fn new(files: impl IntoIterator<Item = (String, String)>) -> Self {
        let code = files.into_iter().map(|(file, code)| (module_of(&file), code)).collect();
        let mut all = Self { code, exports: BTreeMap::new() };
        for (module, code) in &all.code {
            let mut names = BTreeMap::new();
            for (_, path) in uses(code).into_iter().filter(|it| it.0) {
                if let Some(target) = all.absolute(module, &path) {
                    let name = path.rsplit("::").next().unwrap().rsplit(" as ").next().unwrap().trim().to_owned();
                    names.insert(name, target);
                }
            }
            all.exports.insert(module.clone(), names);
        }
        all
    }

    /// A path from the root of the crate; `None` for other crates.
    fn absolute(&self, module: &[String], path: &str) -> Option<Vec<String>> {
        let path = path.split(" as ").next().unwrap();
        let mut parts: Vec<String> = path.split("::").map(|it| it.trim().to_owned()).collect();
        if parts.last().is_some_and(|it| it == "self") {
            parts.pop();
        }
        let n_up = parts.iter().take_while(|it| *it == "super").count();
        match parts.first().map(String::as_str) {
            Some("crate") => Some(parts[1..].to_vec()),
            Some("self") => Some([module, &parts[1..]].concat()),
            Some("super") => Some([&module[..module.len().checked_sub(n_up)?], &parts[n_up..]].concat()),
            Some(first) => {
                let child = [module, &[first.to_owned()]].concat();
                self.code.contains_key(&child).then(|| [module, &parts[..]].concat())
            }
            None => None,
        }
    }

    /// The module of the file that has the item of a path.
    fn owner(&self, path: &[String], depth: usize) -> Option<Vec<String>> {
        let module = (0..=path.len()).rev().map(|n| &path[..n]).find(|it| self.code.contains_key(*it))?;
        if let Some(name) = path.get(module.len())
            && depth < 8
            && let Some(target) = self.exports.get(module).and_then(|it| it.get(name))
            && target != path
        {
            return self.owner(&[target, &path[module.len() + 1..]].concat(), depth + 1);
        }
        Some(module.to_vec())
    }

    /// The modules that the file of each module uses.
    fn edges(&self) -> BTreeMap<&[String], BTreeSet<Vec<String>>> {
        let mut edges: BTreeMap<&[String], BTreeSet<Vec<String>>> = BTreeMap::new();
        for (module, code) in &self.code {
            let mut paths: Vec<String> = uses(code).into_iter().filter(|it| !it.0).map(|it| it.1).collect();
            for start in ["crate::", "super::"] {
                paths.extend(code.match_indices(start).filter_map(|(at, _)| {
                    let is_whole = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
                    let end = code[at..].find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
                    let path = code[at..at + end?].trim_end_matches(':');
                    // `pub(in crate::…)` limits visibility, and uses nothing.
                    (is_whole && !code[..at].ends_with("pub(in ")).then(|| path.to_owned())
                }));
            }
            let of_file = paths.iter().filter_map(|it| self.owner(&self.absolute(module, it)?, 0));
            edges.entry(module).or_default().extend(of_file.filter(|it| it != module));
        }
        edges
    }

    /// The modules on circles, each with the modules on its circle that it uses.
    fn circles(&self) -> Vec<String> {
        let edges = self.edges();
        let reach = |from: &[String]| {
            let mut seen: BTreeSet<&[String]> = BTreeSet::new();
            let mut open: Vec<&[String]> = vec![from];
            while let Some(at) = open.pop() {
                for next in edges.get(at).into_iter().flatten().filter(|it| seen.insert(it.as_slice())) {
                    open.push(next);
                }
            }
            seen
        };
        let reached: BTreeMap<&[String], BTreeSet<&[String]>> = edges.keys().map(|it| (*it, reach(it))).collect();
        let mut found = Vec::new();
        for (from, of_file) in &edges {
            let back: Vec<String> =
                of_file.iter().filter(|it| reached[it.as_slice()].contains(from)).map(|it| it.join("::")).collect();
            if !back.is_empty() {
                found.push(format!("{} uses {}", from.join("::"), back.join(", ")));
            }
        }
        found
    }
}

#[test]
fn no_circle_between_files() {
    let is_code = |it: &str| !it.ends_with("/tests.rs") && !it.contains("/tests/") && it != "src/main.rs";
    let files = sources();
    let mut found = Vec::new();
    for root in roots() {
        let own = files.iter().filter(|it| is_code(&it.path));
        let code = own.filter_map(|it| {
            let text: Vec<String> = it.bare_code().map(|(_, line)| line).collect();
            Some((it.path.strip_prefix(&root)?.to_owned(), text.join("\n")))
        });
        found.extend(Crate::new(code).circles().into_iter().map(|it| format!("{root}: {it}")));
    }
    assert!(
        found.is_empty(),
        "circles between files; give what they share a file below both:\n  {}",
        found.join("\n  ")
    );
}

#[test]
fn circles_are_found_through_re_exports() {
    let of = |files: &[(&str, &str)]| {
        Crate::new(files.iter().map(|(file, code)| ((*file).to_owned(), (*code).to_owned()))).circles()
    };
    let root = ("lib.rs", "pub mod a;\npub mod b;");
    let a = ("a/mod.rs", "mod one;\npub use one::One;");
    let one = ("a/one.rs", "use crate::b::{Other, deep::Thing};\npub struct One;");
    let free = ("b.rs", "pub struct Other;\npub(in crate::a) fn f() {}");
    assert!(of(&[root, a, one, free]).is_empty());
    let bound = ("b.rs", "use crate::a::One;\npub struct Other;");
    assert_eq!(of(&[root, a, one, bound]), ["a::one uses b", "b uses a::one"]);
    let inline = ("b.rs", "pub struct Other(super::a::One);");
    assert_eq!(of(&[root, a, one, inline]).len(), 2);
}
