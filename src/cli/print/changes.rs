//! Changes between catalogs as a document in Markdown, to be pasted into a pull request.

use std::collections::BTreeSet;
use std::io::{self, Write};

use crate::diag::{counted, printable};
use crate::index::query::{Change, ChangeKind, Subject};

/// The number of differences, in one line.
pub(in crate::cli) fn summary(changes: &[Change]) -> String {
    let packages: BTreeSet<&str> = changes.iter().map(|it| it.package.as_str()).collect();
    let n_breaking = changes.iter().filter(|it| it.breaking).count();
    let breaking = if n_breaking > 0 { format!(", {n_breaking} breaking") } else { String::new() };
    format!("{} in {}{breaking}", counted(changes.len() as u64, "change"), counted(packages.len() as u64, "package"))
}

/// The sections of a package, in the order in which changes are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Package,
    Channels,
    Bundles,
    Deprecations,
    Others,
}

impl Section {
    fn of(change: &Change) -> Self {
        match change.subject {
            Subject::Package => Self::Package,
            Subject::Channel | Subject::Entry => Self::Channels,
            Subject::Deprecation => Self::Deprecations,
            Subject::Document => Self::Others,
            _ if change.bundle.is_some() => Self::Bundles,
            _ if change.channel.is_some() => Self::Channels,
            _ => Self::Package,
        }
    }

    fn title(self) -> Option<&'static str> {
        match self {
            Self::Package => None,
            Self::Channels => Some("Channels"),
            Self::Bundles => Some("Bundles"),
            Self::Deprecations => Some("Deprecations"),
            Self::Others => Some("Other documents"),
        }
    }
}

pub(in crate::cli) fn write_markdown(old: &str, new: &str, changes: &[Change], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "# Changes from {} to {}\n", code(old), code(new))?;
    if changes.is_empty() {
        return writeln!(out, "No difference.");
    }
    writeln!(out, "{}.", summary(changes))?;
    let breaking: Vec<&Change> = changes.iter().filter(|it| it.breaking).collect();
    if !breaking.is_empty() {
        writeln!(out, "\n## Breaking\n")?;
        for change in breaking {
            writeln!(out, "- {}: {}", code(&change.package), sentence(change))?;
        }
    }
    for of_package in changes.chunk_by(|a, b| a.package == b.package) {
        let package = of_package.first().map_or("", |it| it.package.as_str());
        let rest: Vec<&Change> = of_package.iter().filter(|it| it.change != ChangeKind::Stranded).collect();
        if rest.is_empty() {
            continue;
        }
        writeln!(out, "\n## {}", if package.is_empty() { "No package".to_owned() } else { code(package) })?;
        for section in rest.chunk_by(|a, b| Section::of(a) == Section::of(b)) {
            if let Some(title) = section.first().and_then(|it| Section::of(it).title()) {
                writeln!(out, "\n### {title}")?;
            }
            writeln!(out)?;
            for change in section {
                // The parts of a bundle are indented below it.
                let indent = if is_part(change) && !change.detail { "  " } else { "" };
                writeln!(out, "{indent}- {}", sentence(change))?;
            }
        }
    }
    Ok(())
}

/// Whether a change concerns a part of a bundle that an earlier line covers.
fn is_part(change: &Change) -> bool {
    Section::of(change) == Section::Bundles && !is_whole(change)
}

fn is_whole(change: &Change) -> bool {
    match change.field.as_deref() {
        None => change.subject != Subject::Constraint,
        Some(field) => field == Change::CONTENT || field == Change::METADATA_FORM,
    }
}

/// A change in words.
fn sentence(change: &Change) -> String {
    let bundle = code(change.bundle.as_deref().unwrap_or_default());
    let channel = change.channel.as_deref().map(code);
    let kind = change.change.word();
    let old = change.old.as_deref();
    let new = change.new.as_deref();
    let told = |word: &str, value: Option<&str>| value.map(|it| format!("{word}{}", code(it))).unwrap_or_default();
    match (change.subject, change.change, change.field.as_deref()) {
        (Subject::Channel, ChangeKind::Stranded, _) => {
            format!("{}: no upgrade is possible any more: the channel has no single head", channel.unwrap_or_default())
        }
        (_, ChangeKind::Stranded, _) => {
            let version = told(", version ", change.version.as_deref());
            let was = match old {
                Some(Change::HEAD) | None => "it was the head".to_owned(),
                Some(old) => format!("OLM upgraded it to {}", code(old)),
            };
            format!("{bundle}{version} no longer has an upgrade in {}: {was}", channel.unwrap_or_default())
        }
        (Subject::Package, ChangeKind::Added, None) => format!("package added{}", told(", at ", new)),
        (Subject::Package, _, None) => format!("package {kind}{}", told(", was at ", old)),
        (Subject::Channel, ChangeKind::Added, None) => {
            format!("{}: channel added{}", channel.unwrap_or_default(), told(", head ", new))
        }
        (Subject::Channel, _, None) => {
            format!("{}: channel {kind}{}", channel.unwrap_or_default(), told(", its head was ", old))
        }
        (Subject::Entry, _, None) => {
            format!("{}: entry {bundle} {kind}{}", channel.unwrap_or_default(), told(", ", new.or(old)))
        }
        (Subject::Entry, _, Some(field)) => {
            let verb = if field == "skipRange" { "skips the range" } else { field };
            let what = match (old.map(code), new.map(code)) {
                (Some(old), Some(new)) => format!("{verb} {new} instead of {old}"),
                (Some(old), None) => format!("no longer {verb} {old}"),
                (None, new) => format!("now {verb} {}", new.unwrap_or_default()),
            };
            format!("{}: {bundle} {what}", channel.unwrap_or_default())
        }
        (Subject::Channel, _, Some("head")) => format!("{}: head {}", channel.unwrap_or_default(), values(change)),
        (Subject::Package, _, Some("defaultChannel")) => format!("default channel {}", values(change)),
        (Subject::Bundle, _, Some(Change::METADATA_FORM)) => {
            format!("{bundle} stores its metadata in a different form: {}", values(change))
        }
        (Subject::Bundle, ChangeKind::Changed, Some(Change::CONTENT)) => {
            format!("{bundle} has **different content under the same name**")
        }
        (Subject::Bundle, _, None) => format!("{bundle} {kind}{}", told(", image ", new.or(old))),
        (Subject::Deprecation, _, _) => deprecation(change),
        (Subject::Document, _, field) => format!("{} {kind}", code(field.unwrap_or_default())),
        (Subject::Api, ChangeKind::Removed, Some(verb)) => {
            format!("no longer {verb} {}", code(old.unwrap_or_default()))
        }
        (Subject::Api, _, Some(verb)) => format!("{verb} {}", code(new.unwrap_or_default())),
        (subject, _, field) => {
            // The name of a channel precedes a change to it.
            let at = channel.map(|it| format!("{it}: ")).unwrap_or_default();
            let what = match subject {
                Subject::Package | Subject::Channel | Subject::Bundle => String::new(),
                Subject::Image if field == Some("image") => String::new(),
                _ => format!("{} ", subject.words()),
            };
            format!("{at}{what}{}{}", field.map(|it| format!("{} ", code(it))).unwrap_or_default(), values(change))
        }
    }
}

fn values(change: &Change) -> String {
    match (change.old.as_deref(), change.new.as_deref()) {
        (Some(old), Some(new)) => format!("{} → {}", code(old), code(new)),
        (None, Some(new)) if change.change == ChangeKind::Added => format!("{} added", code(new)),
        (Some(old), None) if change.change == ChangeKind::Removed => format!("{} removed", code(old)),
        _ => change.change.word().to_owned(),
    }
}

fn deprecation(change: &Change) -> String {
    let what = match (&change.channel, &change.bundle) {
        (Some(channel), _) => format!("channel {}", code(channel)),
        (_, Some(bundle)) => code(bundle),
        _ => "the package".to_owned(),
    };
    match (change.change, change.new.as_deref()) {
        (ChangeKind::Removed, _) => format!("{what} is no longer deprecated"),
        (ChangeKind::Changed, Some(message)) => format!("{what}: new message: {}", prose(message)),
        (_, message) => format!("{what} is deprecated: {}", prose(message.unwrap_or_default())),
    }
}

/// A value as code, on one line, whatever its content is.
fn code(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = printable(&text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // A backtick at an end would belong to the fence.
    if longest > 0 { format!("{fence} {text} {fence}") } else { format!("{fence}{text}{fence}") }
}

/// Foreign text, on one line, without markup.
fn prose(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut escaped = String::with_capacity(text.len());
    for c in printable(&text).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{code, prose};

    #[test]
    fn no_value_breaks_the_markup() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a`b``\nc"), "``` a`b`` c ```");
        assert_eq!(prose("see <b>*this*</b>\n# now"), "see \\<b\\>\\*this\\*\\</b\\> \\# now");
    }
}
