//! Paths of the machine that makes pages, which are no business of their readers.
//!
//! One rule holds for everything in a page, its data or its commands: a relative path is shown as the user gave it. An
//! absolute path keeps only its last name, and in a command that name follows a directory that is plainly not a real
//! one.

use std::borrow::Cow;
use std::path::Path;

use memchr::memmem::Finder;

/// The directory that represents the reader's own in commands.
pub(super) const PLACEHOLDER: &str = "PATH/TO/";

/// A path as a word of a command that others read.
pub fn in_command(path: &Path) -> String {
    match path.file_name() {
        Some(name) if path.is_absolute() => format!("{PLACEHOLDER}{}", name.to_string_lossy()),
        _ => path.display().to_string(),
    }
}

/// A word of a command without the directory of its path, in examples such as `NAME=data/catalog` and `data/index.db`.
pub(super) fn public_word(word: &str) -> String {
    let (name, path) = word.split_once('=').unwrap_or(("", word));
    let is_path = path.contains('/') && !path.contains("://") && !path.starts_with(PLACEHOLDER);
    match path.rsplit_once('/') {
        Some((_, last)) if is_path && name.is_empty() => format!("{PLACEHOLDER}{last}"),
        Some((_, last)) if is_path => format!("{name}={PLACEHOLDER}{last}"),
        _ => word.to_owned(),
    }
}

/// Paths that are cut to their last names.
#[derive(Debug, Default)]
pub(super) struct ServerPaths {
    /// The texts to search for, each with the number of its bytes that are left out.
    needles: Vec<(Finder<'static>, usize)>,
}

impl ServerPaths {
    /// Those among the sources of catalogs that begin at the root.
    pub(super) fn of_sources<'s>(sources: impl Iterator<Item = &'s str>) -> Self {
        Self::of(sources.filter_map(hidden).collect())
    }

    /// The paths of catalogs' sources that name a directory, relative ones included.
    pub(super) fn of_public<'s>(sources: impl Iterator<Item = &'s str>) -> Self {
        let relative = |it: &str| {
            let path = it.split_once('#').map_or(it, |it| it.0).trim_end_matches('/');
            (!path.contains(':') && path.contains('/')).then(|| path.to_owned())
        };
        Self::of(sources.filter_map(|it| hidden(it).or_else(|| relative(it))).collect())
    }

    fn of(mut all: Vec<String>) -> Self {
        // The longest come first, so that a source within another one is cut by itself.
        all.sort_by(|a, b| (b.len(), a).cmp(&(a.len(), b)));
        all.dedup();
        let mut needles: Vec<(Finder<'static>, usize)> = Vec::new();
        for path in &all {
            let mut forms = vec![path.clone(), in_html(path), in_json(path)];
            forms.dedup();
            for form in forms {
                let n_hidden = form.rfind('/').map_or(0, |it| it + 1);
                needles.push((Finder::new(form.as_bytes()).into_owned(), n_hidden));
            }
        }
        Self { needles }
    }

    /// A page or its data without the paths.
    pub(super) fn cut(&self, mut text: Vec<u8>) -> Vec<u8> {
        for (finder, n_hidden) in &self.needles {
            let found: Vec<usize> =
                finder.find_iter(&text).filter(|at| is_path(&text, *at, finder.needle().len())).collect();
            if found.is_empty() {
                continue;
            }
            let mut rest = Vec::with_capacity(text.len());
            let mut done = 0;
            for at in found {
                rest.extend_from_slice(&text[done..at]);
                done = at + n_hidden;
            }
            rest.extend_from_slice(&text[done..]);
            text = rest;
        }
        text
    }
}

/// Whether this is the path itself, and not a part of another path or of an address of the web.
fn is_path(text: &[u8], at: usize, length: usize) -> bool {
    let goes_on = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~%@+".contains(&byte) || !byte.is_ascii();
    let before = at.checked_sub(1).and_then(|it| text.get(it));
    let is_begin = before.is_none_or(|it| !goes_on(*it) && *it != b'/');
    let after = text.get(at + length).copied();
    // A full stop may end the sentence.
    let is_end = after.is_none_or(|it| !goes_on(it) || it == b'.');
    is_begin && is_end
}

/// The absolute path in a catalog's source: that of a directory, of a file, or behind a transport such as `oci:`.
fn hidden(source: &str) -> Option<String> {
    let is_word = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let path = match source.split_once(':') {
        Some((transport, rest)) if is_word(transport) && !rest.starts_with("//") => rest,
        _ => source,
    };
    // A composition is a part of a file: `catalogs.toml#name`.
    let path = path.split_once('#').map_or(path, |it| it.0).trim_end_matches('/');
    let is_hidden = Path::new(path).is_absolute() && path.rfind('/').is_some_and(|it| it > 0);
    is_hidden.then(|| path.to_owned())
}

fn in_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn in_json(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    let inner: Cow<'_, str> = quoted.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(text).into();
    inner.into_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{ServerPaths, in_command, public_word};

    #[test]
    fn commands_have_a_placeholder_for_paths_from_the_root() {
        for (path, word) in [
            ("/srv/catalogs/community-v4.19", "PATH/TO/community-v4.19"),
            ("/srv/catalogs/community-v4.19/", "PATH/TO/community-v4.19"),
            ("catalogs/community", "catalogs/community"),
            ("../index.db", "../index.db"),
            ("docker://quay.io/a/b:v1", "docker://quay.io/a/b:v1"),
            ("/", "/"),
        ] {
            assert_eq!(in_command(Path::new(path)), word);
        }
    }

    #[test]
    fn the_public_sees_no_directory() {
        let paths = ServerPaths::of_public(["data/a", "b", "docker://q.io/z/a"].into_iter());
        let text = b"data/a/keda.yaml:2 b/keda.yaml docker://q.io/z/a".to_vec();
        assert_eq!(paths.cut(text), b"a/keda.yaml:2 b/keda.yaml docker://q.io/z/a");
        for (word, shown) in [
            ("-i", "-i"),
            ("data/index.db", "PATH/TO/index.db"),
            ("a=data/a", "a=PATH/TO/a"),
            ("PATH/TO/a", "PATH/TO/a"),
            ("docker://q.io/z/a", "docker://q.io/z/a"),
        ] {
            assert_eq!(public_word(word), shown);
        }
    }

    #[test]
    fn only_whole_paths_are_cut() {
        let sources = ["/srv/a", "/srv/a/b", "/srv/q&\"x", "oci:/srv/layout", "/data", "docker://q.io/z/a", "rel/z/a"];
        let paths = ServerPaths::of_sources(sources.into_iter());
        for (text, shown) in [
            ("/srv/a/keda.yaml:2", "a/keda.yaml:2"),
            ("<code>/srv/a/b</code> (/srv/a:1).", "<code>b</code> (a:1)."),
            ("oci:/srv/layout", "oci:layout"),
            ("q&amp;\"x /srv/q&amp;&quot;x", "q&amp;\"x q&amp;&quot;x"),
            (r#""/srv/q&\"x""#, r#""q&\"x""#),
            // Addresses, other paths, and words that are no secret.
            ("https://x.io/srv/a/c quay.io/srv/a:1", "https://x.io/srv/a/c quay.io/srv/a:1"),
            ("/srv/ab /srv/a-b /x/srv/a", "/srv/ab /srv/a-b /x/srv/a"),
            ("/data /data/keda.yaml", "/data /data/keda.yaml"),
            ("docker://q.io/z/a rel/z/a", "docker://q.io/z/a rel/z/a"),
        ] {
            assert_eq!(String::from_utf8_lossy(&paths.cut(text.as_bytes().to_vec())), shown);
        }
    }
}
