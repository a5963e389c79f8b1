//! `.indexignore` files: patterns that hide files from a catalog (`docs/behaviour/fbc.md` 1.2).
//!
//! They look like gitignore patterns and differ from them: directories are never pruned, so a file can be brought back
//! from inside a hidden directory; class negation is `^`; `**` does not backtrack. Matching is over bytes, so names
//! that are not UTF-8 work too.

/// The longest line that a `.indexignore` file may have, in bytes.
pub(super) const MAX_LINE: usize = 64 * 1024;

/// Name of the files that hold the patterns.
pub(super) const FILE_NAME: &str = ".indexignore";

/// All patterns of a directory tree, in the order in which the tree is walked.
#[derive(Debug, Default, Clone)]
pub struct Ignore {
    patterns: Vec<Pattern>,
}

#[derive(Debug, Clone)]
struct Pattern {
    /// Components of the directory that holds the file.
    domain: Vec<Vec<u8>>,
    /// The pattern's segments; a name pattern has one.
    segments: Vec<Vec<u8>>,
    /// Matched against each component by itself, not from the domain on.
    is_name: bool,
    only_directories: bool,
    brings_back: bool,
}

/// The reason why a `.indexignore` file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is longer than {MAX_LINE} bytes")]
pub struct LineTooLong {
    /// Its number, from 1.
    pub line: u32,
}

impl Ignore {
    /// Adds the patterns of one file, which lies in the directory with the components `domain`. Later patterns override
    /// earlier ones.
    ///
    /// # Errors
    /// [`LineTooLong`] (64 KiB); then nothing is added.
    pub fn add_file(&mut self, domain: &[Vec<u8>], text: &[u8]) -> Result<(), LineTooLong> {
        let mut patterns = Vec::new();
        for (idx, line) in text.split(|&byte| byte == b'\n').enumerate() {
            if line.len() > MAX_LINE {
                return Err(LineTooLong { line: u32::try_from(idx + 1).unwrap_or(u32::MAX) });
            }
            let line = trim_space(line);
            if !line.is_empty() && line[0] != b'#' {
                patterns.push(Pattern::parse(domain, line));
            }
        }
        self.patterns.append(&mut patterns);
        Ok(())
    }

    /// Whether the file at `path` (components from the root) is hidden.
    pub fn hides(&self, path: &[Vec<u8>]) -> bool {
        self.patterns.iter().rev().find(|it| it.matches(path)).is_some_and(|it| !it.brings_back)
    }
}

/// Strips white space at both ends, Unicode white space included where the line is text.
fn trim_space(line: &[u8]) -> &[u8] {
    match std::str::from_utf8(line) {
        Ok(text) => text.trim().as_bytes(),
        Err(_) => line.trim_ascii(),
    }
}

impl Pattern {
    fn parse(domain: &[Vec<u8>], line: &[u8]) -> Self {
        let (brings_back, mut line) = match line {
            [b'!', rest @ ..] => (true, rest),
            _ => (false, line),
        };
        while let [rest @ .., b' '] = line {
            line = rest;
        }
        let only_directories = line.last() == Some(&b'/');
        if let [rest @ .., b'/'] = line {
            line = rest;
        }
        let is_name = !line.contains(&b'/');
        let segments = line.split(|&byte| byte == b'/').map(<[u8]>::to_vec).collect();
        Self { domain: domain.to_vec(), segments, is_name, only_directories, brings_back }
    }

    fn matches(&self, path: &[Vec<u8>]) -> bool {
        let Some(inner) = path.strip_prefix(&*self.domain) else { return false };
        if inner.is_empty() {
            return false;
        }
        if self.is_name { self.matches_name(inner) } else { self.matches_path(inner) }
    }

    fn matches_name(&self, inner: &[Vec<u8>]) -> bool {
        let Some(glob) = self.segments.first() else { return false };
        let last = inner.len() - 1;
        // The first component that matches decides.
        inner
            .iter()
            .position(|component| glob_matches(glob, component))
            .is_some_and(|idx| !(self.only_directories && idx == last))
    }

    fn matches_path(&self, inner: &[Vec<u8>]) -> bool {
        let mut rest = inner;
        let mut matched = false;
        let mut anywhere = false;
        let last = self.segments.len() - 1;
        for (idx, segment) in self.segments.iter().enumerate() {
            if segment.is_empty() {
                anywhere = false;
                continue;
            }
            if segment == b"**" {
                if idx == last {
                    break;
                }
                anywhere = true;
                continue;
            }
            if contains_double_star(segment) || rest.is_empty() {
                return false;
            }
            if anywhere {
                // The first component that fits is taken, without coming back to it.
                anywhere = false;
                let Some(at) = rest.iter().position(|component| glob_matches(segment, component)) else { return false };
                rest = &rest[at + 1..];
                matched = true;
            } else {
                if !glob_matches(segment, &rest[0]) {
                    return false;
                }
                rest = &rest[1..];
                matched = true;
            }
        }
        if matched && self.only_directories && rest.is_empty() {
            return false;
        }
        matched
    }
}

fn contains_double_star(segment: &[u8]) -> bool {
    segment.windows(2).any(|pair| pair == b"**")
}

/// Whether a whole component of a path matches a glob with `*`, `?`, `[…]` and `\`. A malformed glob matches nothing.
pub fn glob_matches(glob: &[u8], component: &[u8]) -> bool {
    if !is_well_formed(glob) {
        return false;
    }
    // The place of the last star, and how much of the component it has taken: enough to come back to.
    let (mut g, mut c) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while c < component.len() {
        let taken = match glob.get(g) {
            Some(b'*') => {
                star = Some((g + 1, c));
                g += 1;
                continue;
            }
            Some(_) => match_one(&glob[g..], &component[c..]),
            None => None,
        };
        if let Some((glob_len, component_len)) = taken {
            g += glob_len;
            c += component_len;
        } else if let Some((after, from)) = star {
            let next = from + char_len(&component[from..]);
            star = Some((after, next));
            g = after;
            c = next;
        } else {
            return false;
        }
    }
    glob[g..].iter().all(|&byte| byte == b'*')
}

/// The character at the start, or one byte that is not a character.
fn char_at(bytes: &[u8]) -> (u32, usize) {
    let end = bytes.len().min(4);
    for len in 1..=end {
        if let Ok(text) = std::str::from_utf8(&bytes[..len])
            && let Some(c) = text.chars().next()
        {
            return (c as u32, len);
        }
    }
    (0xFFFD, 1)
}

fn char_len(bytes: &[u8]) -> usize {
    char_at(bytes).1
}

/// Matches one element of a glob that is not a star against one character. Returns the lengths of both.
fn match_one(glob: &[u8], component: &[u8]) -> Option<(usize, usize)> {
    let (found, found_len) = char_at(component);
    match glob.first()? {
        b'?' => Some((1, found_len)),
        b'[' => {
            let mut pos = 1;
            let negated = glob.get(pos) == Some(&b'^');
            if negated {
                pos += 1;
            }
            let mut is_member = false;
            let mut n_ranges = 0;
            while !(glob.get(pos) == Some(&b']') && n_ranges > 0) {
                let (low, len) = class_char(&glob[pos..])?;
                pos += len;
                let mut high = low;
                if glob.get(pos) == Some(&b'-') {
                    let (end, len) = class_char(&glob[pos + 1..])?;
                    high = end;
                    pos += 1 + len;
                }
                is_member |= (low..=high).contains(&found);
                n_ranges += 1;
            }
            (is_member != negated).then_some((pos + 1, found_len))
        }
        b'\\' => {
            let (wanted, len) = char_at(glob.get(1..)?);
            (wanted == found).then_some((1 + len, found_len))
        }
        _ => {
            let (wanted, len) = char_at(glob);
            (wanted == found && glob[..len] == component[..found_len]).then_some((len, found_len))
        }
    }
}

/// One end of a range inside a class.
fn class_char(glob: &[u8]) -> Option<(u32, usize)> {
    match glob {
        [] | [b'-' | b']', ..] | [b'\\'] => None,
        [b'\\', rest @ ..] => {
            let (c, len) = char_at(rest);
            (rest.len() > len).then_some((c, len + 1))
        }
        _ => {
            let (c, len) = char_at(glob);
            (glob.len() > len).then_some((c, len))
        }
    }
}

fn is_well_formed(glob: &[u8]) -> bool {
    let mut pos = 0;
    while let Some(byte) = glob.get(pos) {
        match byte {
            b'\\' => {
                if pos + 1 >= glob.len() {
                    return false;
                }
                pos += 2;
            }
            b'[' => {
                pos += 1;
                if glob.get(pos) == Some(&b'^') {
                    pos += 1;
                }
                let mut n_ranges = 0;
                while !(glob.get(pos) == Some(&b']') && n_ranges > 0) {
                    let Some((_, len)) = glob.get(pos..).and_then(class_char) else { return false };
                    pos += len;
                    if glob.get(pos) == Some(&b'-') {
                        let Some((_, len)) = glob.get(pos + 1..).and_then(class_char) else { return false };
                        pos += 1 + len;
                    }
                    n_ranges += 1;
                }
                pos += 1;
            }
            _ => pos += 1,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn components(path: &str) -> Vec<Vec<u8>> {
        path.split('/').filter(|it| !it.is_empty()).map(|it| it.as_bytes().to_vec()).collect()
    }

    /// `(patterns at the root, path, hidden)`
    const CASES: &[(&str, &str, bool)] = &[
        ("a.yaml", "a.yaml", true),
        ("a.yaml", "sub/deep/a.yaml", true),
        ("/a.yaml", "a.yaml", true),
        ("/a.yaml", "sub/a.yaml", false),
        ("sub/a.yaml", "sub/a.yaml", true),
        ("sub/a.yaml", "sub/deep/a.yaml", false),
        ("deep/a.yaml", "sub/deep/a.yaml", false),
        ("*\n!a.yaml", "sub/a.yaml", false),
        ("*\n!a.yaml", "sub/b.yaml", true),
        ("sub/\n!sub/a.yaml", "sub/a.yaml", false),
        ("sub/\n!sub/a.yaml", "sub/b.yaml", true),
        ("sub/", "sub", false),
        ("sub", "sub", true),
        ("/", "a.yaml", false),
        ("**", "a/b.yaml", true),
        ("sub**/x", "sub/x", false),
        ("**/a/b", "a/x/a/b", false),
        ("**/a/b", "x/a/b", true),
        ("[!a].yaml", "a.yaml", true),
        ("[^a].yaml", "a.yaml", false),
        ("[^a].yaml", "b.yaml", true),
        ("[a-", "a", false),
        ("# not a pattern", "# not a pattern", false),
        ("\\#x", "#x", true),
        ("\\!x", "!x", true),
        ("  a.yaml \r", "a.yaml", true),
        ("*.y?ml", "x/ä.yaml", true),
        ("a*b*c", "aXbYbZc", true),
        ("A.yaml", "a.yaml", false),
    ];

    #[test]
    fn patterns_decide_as_in_the_real_tool() {
        for (patterns, path, hidden) in CASES {
            let mut ignore = Ignore::default();
            ignore.add_file(&[], patterns.as_bytes()).unwrap();
            assert_eq!(ignore.hides(&components(path)), *hidden, "{patterns:?} on {path}");
        }
    }

    #[test]
    fn patterns_of_a_directory_apply_below_it_and_go_before_outer_ones() {
        let mut ignore = Ignore::default();
        ignore.add_file(&[], b"*.yaml").unwrap();
        ignore.add_file(&components("sub"), b"!/a.yaml").unwrap();
        assert!(!ignore.hides(&components("sub/a.yaml")));
        assert!(ignore.hides(&components("sub/deep/a.yaml")));
        assert!(ignore.hides(&components("a.yaml")));
    }

    #[test]
    fn a_line_beyond_the_limit_is_refused() {
        let mut ignore = Ignore::default();
        let text = [b"a\n".to_vec(), vec![b'x'; MAX_LINE + 1]].concat();
        assert_eq!(ignore.add_file(&[], &text), Err(LineTooLong { line: 2 }));
    }
}
