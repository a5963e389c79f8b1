//! Findings for people, in rustc's manner.

use std::borrow::Cow;

use super::{Finding, Severity, grouped, printable};

/// Whether escape sequences for colours are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// Yes.
    On,
    /// No.
    Off,
}

/// The number of names of a list in an advice that are shown.
const MAX_NAMES: usize = 6;

/// The number of characters of a source line that are shown.
const MAX_WIDTH: usize = 160;

/// The options that show in full what a text has no room for, as people write them.
#[derive(Debug, Clone, Copy)]
pub struct Elsewhere<'o> {
    /// All names of a list.
    pub names: &'o str,
    /// All findings of many alike.
    pub findings: &'o str,
}

/// One finding with its source line:
///
/// ```text
/// error[E0207]: channel `stable` of package `foo` has 2 heads: `foo.v1.0.0`, `foo.v2.0.0`
///   --> catalog/foo.yaml:5:7
///    |
///  5 | name: stable
///    |       ^
///    = help: …
/// ```
///
/// It stands for `n_more` others like it. If its advice has a long list of names, the first ones are shown.
pub fn finding_of_many(finding: &Finding, n_more: usize, elsewhere: Elsewhere<'_>, color: Color) -> String {
    let paint = |code: &str, text: &str| match color {
        Color::On => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        Color::Off => text.to_owned(),
    };
    let severity = finding.rule.severity;
    let head = match finding.check {
        Some(check) => format!("{}[{}, {check}]", severity.word(), finding.rule.id),
        None => format!("{}[{}]", severity.word(), finding.rule.id),
    };
    let head_color = match severity {
        Severity::Error => "1;31",
        Severity::Warning => "1;33",
        Severity::Note => "1;36",
    };
    let mut lines = lines(&finding.message);
    let first = lines.next().unwrap_or_default();
    let mut out = format!("{}: {}\n", paint(head_color, &head), paint("1", &printable(&first)));
    for line in lines {
        out.push_str(&format!("    {}\n", printable(&line)));
    }
    let mut margin = " ".to_owned();
    if let Some(place) = &finding.place {
        let width = place.line.to_string().len();
        let blank = " ".repeat(width);
        let bar = paint("1;34", "|");
        out.push_str(&format!(
            "{blank} {} {}:{}:{}\n",
            paint("1;34", "-->"),
            printable(&place.file),
            place.line,
            place.column
        ));
        if let Some(source) = place.source.as_deref().filter(|it| !it.trim().is_empty()) {
            let (shown, caret) = window(source, place.column.saturating_sub(place.source_column));
            out.push_str(&format!("{blank}  {bar}\n"));
            out.push_str(&format!("{} {bar} {shown}\n", paint("1;34", &format!("{:>1$}", place.line, width + 1))));
            out.push_str(&format!("{blank}  {bar} {}{}\n", " ".repeat(caret), paint(head_color, "^")));
        }
        margin = format!("{blank} ");
    }
    if let Some(help) = &finding.help {
        let help = in_short(help, elsewhere.names);
        out.push_str(&format!("{margin} {} help: {}\n", paint("1;34", "="), printable(&help)));
    }
    if n_more > 0 {
        let sign = paint("1;34", "=");
        let (n, rule) = (grouped(n_more as u64), finding.rule.id);
        out.push_str(&format!("{margin} {sign} and {n} more of {rule}; {} shows all\n", elsewhere.findings));
    }
    out
}

/// A text in which only the first names of lists are left. A list is words that are joined with commas; a single word
/// more than are shown stays, as its count would take the same room.
fn in_short<'t>(text: &'t str, rest: &str) -> Cow<'t, str> {
    let words: Vec<&str> = text.split(' ').collect();
    let mut short = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let n_joined = words[at..].iter().take_while(|it| it.ends_with(',')).count();
        // The last name of a list has no comma.
        let n_names = n_joined + usize::from(at + n_joined < words.len());
        if n_joined <= MAX_NAMES {
            short.extend(words[at..at + n_names.max(1)].iter().map(|it| (*it).to_owned()));
        } else {
            let names = words[at..at + MAX_NAMES].join(" ");
            short.push(format!("{} and {} more ({rest} names all)", names.trim_end_matches(','), n_names - MAX_NAMES));
        }
        at += n_names.max(1);
    }
    if at == short.len() { Cow::Borrowed(text) } else { Cow::Owned(short.join(" ")) }
}

/// The lines of a message. Only a line that looks like a branch of a tree, as opm draws them, is a line of its own; any
/// other break may come from a name, which must not make lines.
pub fn lines(message: &str) -> impl Iterator<Item = String> {
    let is_branch = |line: &str| {
        let branch = line.trim_start_matches(['│', ' ']);
        branch.starts_with("├── ") || branch.starts_with("└── ")
    };
    let mut lines: Vec<String> = Vec::new();
    for line in message.split('\n') {
        match lines.last_mut() {
            Some(last) if !is_branch(line) => {
                last.push('\n');
                last.push_str(line);
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.into_iter()
}

/// The part of a text around its character `at`, and the position of that character in it. Each shown character is one
/// column wide: a character without width, or one that could steer the terminal, is shown as a dot.
fn window(source: &str, at: u32) -> (String, usize) {
    let column = at as usize;
    let skipped = column.saturating_sub(MAX_WIDTH * 3 / 4);
    let shown = source
        .chars()
        .skip(skipped)
        .take(MAX_WIDTH)
        .map(|c| {
            if c == '\t' {
                ' '
            } else if matches!(printable(c.encode_utf8(&mut [0; 4])), Cow::Owned(_)) {
                '.'
            } else {
                c
            }
        })
        .collect();
    (shown, column - skipped)
}

#[cfg(test)]
mod tests {
    use super::{in_short, lines};

    #[test]
    fn of_long_lists_the_first_names_are_shown() {
        let cases = [
            ("add a, b to the skips of c, and give c a range", "add a, b to the skips of c, and give c a range"),
            ("add a, b, c, d, e, f, g to the skips", "add a, b, c, d, e, f, g to the skips"),
            ("add a, b, c, d, e, f, g, h to it, or", "add a, b, c, d, e, f and 2 more (`-o json` names all) to it, or"),
            ("there are a, b, c, d, e, f, g, h, i", "there are a, b, c, d, e, f and 3 more (`-o json` names all)"),
            ("", ""),
        ];
        for (text, short) in cases {
            assert_eq!(in_short(text, "`-o json`"), short);
        }
    }

    #[test]
    fn only_branches_of_a_tree_have_lines() {
        let tree = "invalid package:\n├── invalid channel:\n│   └── a\n└── b";
        let cases = [
            ("plain", 1),
            ("a name\nerror[E0001]: forged", 1),
            (tree, 4),
            ("invalid channel:\n    ├── one\n    └── two\nforged", 3),
            ("", 1),
        ];
        for (message, n_lines) in cases {
            assert_eq!(lines(message).count(), n_lines, "{message}");
        }
    }
}
