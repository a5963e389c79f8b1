//! A sheet: one thing with all that is known about it, for people.

use std::collections::HashSet;
use std::io::{self, Write};

use crate::cli::print::fit::wrap;
use crate::cli::print::headline::{Sign, headline};
use crate::cli::print::table::{markdown, write_aligned, write_fitted_to, write_markdown};
use crate::cli::print::verdict;
use crate::cli::terminal::report::paint;
use crate::cli::terminal::screen::screen;
use crate::diag::{Place, printable, printable_line};

/// The indent of tables and texts, in columns.
const INDENT: usize = 2;

/// A place as a cell: empty if there is no file.
pub(crate) fn shown(place: &Place) -> String {
    if place.file.is_empty() { String::new() } else { place.to_string() }
}

/// A line of a text for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TextLine {
    /// Words with an indent, wrapped on a terminal; the second number is the additional indent of the lines after the
    /// first.
    Words(usize, usize, String),
    /// Commands with an indent: they are broken only where a shell goes on, since half of one would be another command.
    /// The second list has the same commands in fewer lines, for a terminal.
    Commands(usize, Vec<String>, Vec<String>),
}

impl TextLine {
    /// The lines of a text, each indented without changes.
    fn of_text(text: &str) -> Vec<Self> {
        let line =
            |it: &str| Self::Words(it.len() - it.trim_start_matches(' ').len(), 0, it.trim_matches(' ').to_owned());
        text.trim_end().lines().map(line).collect()
    }

    /// The lines without any wrapping.
    fn whole(&self) -> Vec<String> {
        let line = |indent: usize, text: &str| format!("{:indent$}{}", "", printable_line(text));
        match self {
            Self::Words(indent, _, text) => vec![line(*indent, text)],
            Self::Commands(indent, all, _) => all.iter().map(|it| line(*indent, it)).collect(),
        }
    }

    /// Its lines for a width.
    fn wrapped(&self, width: usize) -> Vec<String> {
        let (indent, more, text) = match self {
            Self::Words(indent, more, text) => (indent, more, text),
            Self::Commands(indent, _, few) => {
                let lines = few.iter().flat_map(|it| broken(&printable_line(it), width.saturating_sub(*indent)));
                return lines.map(|line| format!("{:indent$}{line}", "")).collect();
            }
        };
        let lines = wrap(&printable(text), width.saturating_sub(indent + more));
        let indent_of = |idx: usize| if idx == 0 { *indent } else { indent + more };
        lines
            .iter()
            .enumerate()
            .map(|(idx, line)| format!("{:1$}{2}", "", indent_of(idx), printable_line(line)))
            .collect()
    }
}

/// A command in lines that a shell reads as one: broken between words, with ` \\` at the end. A program keeps its first
/// option, and an option its value. Each line of a remark is one.
fn broken(command: &str, width: usize) -> Vec<String> {
    if let Some(remark) = command.strip_prefix("# ") {
        return wrap(remark, width.saturating_sub(2)).into_iter().map(|it| format!("# {it}")).collect();
    }
    let mut parts: Vec<String> = vec![String::new()];
    let mut quote = None;
    let mut before = ' ';
    let mut rest = command.chars().peekable();
    while let Some(c) = rest.next() {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '\'' | '"') => quote = Some(c),
            _ => {}
        }
        let last = parts.last().and_then(|it| it.rsplit(' ').next()).unwrap_or_default();
        let is_kept = match rest.peek() {
            Some('-') => last.ends_with("oc"),
            _ => last.starts_with('-') && !last.contains('='),
        };
        if c == ' ' && quote.is_none() && before != '\\' && !is_kept {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c);
        }
        before = c;
    }
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.chars().count() + part.chars().count() + 3 <= width => {
                line.push(' ');
                line.push_str(&part);
            }
            Some(line) => {
                line.push_str(" \\");
                lines.push(format!("  {part}"));
            }
            None => lines.push(part),
        }
    }
    lines
}

/// A table of a sheet.
#[derive(Debug, PartialEq, Eq)]
struct SheetTable {
    title: String,
    headers: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The columns that move below the rows if there is no room.
    below: &'static [&'static [&'static str]],
    /// The table that a terminal shows instead.
    for_people: Option<Box<Self>>,
}

impl SheetTable {
    /// A table without its empty columns.
    fn new(title: &str, headers: &[&str], rows: Vec<Vec<String>>) -> Self {
        let is_used: Vec<bool> = (0..headers.len())
            .map(|idx| rows.iter().any(|row| row.get(idx).is_some_and(|it| !it.is_empty())))
            .collect();
        let keep = |cells: Vec<String>| -> Vec<String> {
            cells.into_iter().zip(&is_used).filter(|(_, used)| **used).map(|(cell, _)| cell).collect()
        };
        let headers = keep(headers.iter().map(|it| (*it).to_owned()).collect());
        let rows = rows.into_iter().map(keep).collect();
        Self { title: title.to_owned(), headers, rows, below: &[], for_people: None }
    }
}

/// Labelled lines, then tables, then long texts. Empty parts are left out.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    headline: Option<(Sign, String)>,
    /// Whether files and pipes get the headline, too.
    is_headline_for_all: bool,
    /// Whether a terminal leaves it out beside others.
    is_aside: bool,
    lines: Vec<(String, String)>,
    tables: Vec<SheetTable>,
    texts: Vec<(String, Vec<TextLine>)>,
    main: Option<(Vec<String>, Vec<Vec<String>>)>,
    names: Option<Vec<String>>,
    is_page: bool,
}

/// Lines whose values an answer shares with the one before if nothing else differs, each with the lines that may differ
/// with it: both generations of OLM, and catalogs.
const SHARED: [(&str, &[&str]); 3] =
    [("OLM", &["OLM", "end"]), ("catalog", &["catalog"]), ("Catalog", &["Catalog", "File"])];

impl Sheet {
    /// One that a terminal leaves out beside others, if that is so.
    pub(crate) fn aside(is_aside: bool) -> Self {
        Self { is_aside, ..Self::default() }
    }

    /// Those that a terminal shows.
    pub(crate) fn without_asides(sheets: Vec<Self>) -> Vec<Self> {
        let has_main = sheets.iter().any(|it| !it.is_aside);
        sheets.into_iter().filter(|it| !(has_main && it.is_aside)).collect()
    }

    /// The answer in a sentence, which a terminal shows first.
    pub(crate) fn headline(&mut self, sign: Sign, sentence: String) {
        self.headline = Some((sign, sentence));
    }

    /// Puts the headline into files and pipes, too.
    pub(crate) fn headline_for_all(&mut self) {
        self.is_headline_for_all = true;
    }

    /// Joins the answers of both generations of OLM, and of catalogs, that say the same.
    pub(crate) fn joined(sheets: Vec<Self>) -> Vec<Self> {
        SHARED.iter().fold(sheets, |sheets, (label, free)| {
            let mut all: Vec<Self> = Vec::new();
            for sheet in sheets {
                match all.last_mut() {
                    Some(last) if last.says_the_same_as(&sheet, label, free) => last.join(sheet, label),
                    _ => all.push(sheet),
                }
            }
            all
        })
    }

    fn value(&self, label: &str) -> Option<&str> {
        self.lines.iter().find(|line| line.0 == label).map(|line| line.1.as_str())
    }

    fn says_the_same_as(&self, other: &Self, label: &str, free: &[&str]) -> bool {
        let is_same =
            |(a, b): (&(String, String), &(String, String))| a.0 == b.0 && (a.1 == b.1 || free.contains(&a.0.as_str()));
        let is_terminal = screen().width.is_some();
        let is_of_other = self.value(label).zip(other.value(label)).is_some_and(|(own, theirs)| own != theirs);
        is_of_other
            && self.lines.len() == other.lines.len()
            && self.lines.iter().zip(&other.lines).all(is_same)
            && self.shown_tables(is_terminal).eq(other.shown_tables(is_terminal))
            && self.texts == other.texts
    }

    /// The tables as a terminal shows them, or all others.
    fn shown_tables(&self, is_terminal: bool) -> impl Iterator<Item = &SheetTable> {
        let shown = self.tables.iter().map(move |it| it.for_people.as_deref().filter(|_| is_terminal).unwrap_or(it));
        shown.filter(|it| !it.rows.is_empty())
    }

    fn join(&mut self, other: Self, label: &str) {
        let values = [&*self, &other].map(|sheet| sheet.value(label).map(str::to_owned));
        let [Some(own), Some(theirs)] = values else { return };
        for ((name, value), (_, of_other)) in self.lines.iter_mut().zip(other.lines) {
            if name == label {
                *value = format!("{value}, {of_other}");
            } else if *value != of_other {
                *value = format!("{own}: {value}; {theirs}: {of_other}");
            }
        }
        self.headline = self.headline.take().or(other.headline);
        if let Some((_, sentence)) = self.headline.as_mut().filter(|_| label == "catalog") {
            *sentence = sentence.replacen(&own, &format!("{own}, {theirs}"), 1);
        }
    }

    /// A value on one line, whatever white space it has.
    pub(crate) fn line(&mut self, label: &str, value: &str) {
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        if !value.is_empty() {
            self.lines.push((label.to_owned(), value));
        }
    }

    /// A table without its empty columns.
    pub(crate) fn table(&mut self, title: &str, headers: &[&str], rows: Vec<Vec<String>>) {
        self.tables.push(SheetTable::new(title, headers, rows));
    }

    /// The same; if a terminal has no room, the columns of `below` go below their rows, the first group first.
    pub(crate) fn table_with_below(
        &mut self,
        title: &str,
        headers: &[&str],
        rows: Vec<Vec<String>>,
        below: &'static [&'static [&'static str]],
    ) {
        self.tables.push(SheetTable { below, ..SheetTable::new(title, headers, rows) });
    }

    /// The table that a terminal shows instead of the last one.
    pub(crate) fn for_people(&mut self, title: &str, headers: &[&str], rows: Vec<Vec<String>>) {
        let table = Some(SheetTable::new(title, headers, rows)).filter(|it| !it.rows.is_empty());
        if let Some(last) = self.tables.last_mut() {
            last.for_people = table.map(Box::new);
        }
    }

    pub(crate) fn text(&mut self, title: &str, text: &str) {
        if !text.trim().is_empty() {
            self.texts.push((title.to_owned(), TextLine::of_text(text)));
        }
    }

    /// A text of words and commands.
    pub(crate) fn passage(&mut self, title: &str, lines: Vec<TextLine>) {
        if !lines.is_empty() {
            self.texts.push((title.to_owned(), lines));
        }
    }

    /// The main table: `-o csv` and `-o markdown` print it alone. It keeps empty columns, so that every answer has the
    /// same ones.
    pub(crate) fn main(&mut self, headers: &[&str], rows: Vec<Vec<String>>) {
        self.main = Some((headers.iter().map(|it| (*it).to_owned()).collect(), rows));
    }

    /// Sets the names that `-o name` prints, each once.
    pub(crate) fn list_names(&mut self, names: impl IntoIterator<Item = String>) {
        let mut seen = HashSet::new();
        self.names = Some(names.into_iter().filter(|it| !it.is_empty() && seen.insert(it.clone())).collect());
    }

    /// Makes `-o markdown` print all of it.
    pub(crate) fn page(&mut self) {
        self.is_page = true;
    }

    pub(crate) fn is_table_in_markdown(&self) -> bool {
        self.main.is_some() && !self.is_page
    }

    pub(crate) fn main_table(&self) -> Option<(&[String], &[Vec<String>])> {
        self.main.as_ref().map(|(headers, rows)| (headers.as_slice(), rows.as_slice()))
    }

    pub(crate) fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// Writes it as a page in Markdown.
    pub(crate) fn write_page(&self, out: &mut impl Write) -> io::Result<()> {
        let first = self.lines.first().map(|(label, value)| format!("{label} {value}"));
        writeln!(out, "# {}", markdown(&first.unwrap_or_default()))?;
        if !self.lines.is_empty() {
            let rows: Vec<Vec<&str>> = self.lines.iter().map(|(label, value)| vec![label.as_str(), value]).collect();
            writeln!(out)?;
            write_markdown(Some(vec!["Field", "Value"]), &rows, out)?;
        }
        for SheetTable { title, headers, rows, .. } in self.shown_tables(false) {
            writeln!(out, "\n## {}\n", markdown(title))?;
            write_markdown(Some(headers.clone()), rows, out)?;
        }
        for (title, text) in &self.texts {
            writeln!(out, "\n## {}\n", markdown(title))?;
            for line in text.iter().flat_map(TextLine::whole) {
                // Lists may stay lists, but headings, rules and fences would mix with those of the page.
                let line = markdown(line.trim_end());
                let is_mark =
                    line.starts_with(['#', '~']) || (!line.is_empty() && line.trim_matches(['-', '=']).is_empty());
                writeln!(out, "{}{line}", if is_mark { "\\" } else { "" })?;
            }
        }
        Ok(())
    }

    /// Writes it; on a terminal cut and wrapped to `width` columns.
    pub(crate) fn write(&self, width: Option<usize>, out: &mut impl Write) -> io::Result<()> {
        let has_headline = width.is_some() || self.is_headline_for_all;
        if let Some((sign, sentence)) = self.headline.as_ref().filter(|_| has_headline) {
            headline(*sign, sentence, width, out)?;
        }
        // The headline says it already.
        let is_said = |value: &String| width.is_some() && self.headline.as_ref().is_some_and(|it| it.1 == *value);
        let lines: Vec<_> = self.lines.iter().filter(|(_, value)| !is_said(value)).collect();
        if has_headline && self.headline.is_some() && !lines.is_empty() {
            writeln!(out)?;
        }
        let label_width = lines.iter().map(|(label, _)| label.len()).max().unwrap_or(0) + 2;
        for (label, value) in lines {
            let value = printable(value);
            let lines = match width {
                Some(width) => wrap(&value, width.saturating_sub(label_width)),
                None => vec![value.into_owned()],
            };
            for (idx, line) in lines.iter().enumerate() {
                let line = match verdict::in_line(label, line).filter(|_| idx == 0) {
                    Some((at, code)) => {
                        let word = paint(screen().color, code, &line[at.clone()]);
                        format!("{}{word}{}", &line[..at.start], &line[at.end..])
                    }
                    None => line.clone(),
                };
                let label = if idx == 0 { format!("{label}:") } else { String::new() };
                let label = paint(screen().color, "2", &format!("{label:label_width$}"));
                writeln!(out, "{label}{line}")?;
            }
        }
        let mut is_cut = false;
        for SheetTable { title, headers, rows, below, .. } in self.shown_tables(width.is_some()) {
            writeln!(out, "\n{}", paint(screen().color, "1", &format!("{}:", printable_line(title))))?;
            let mut table = Vec::new();
            match width {
                // The title says what a single column has.
                Some(width) if headers.len() == 1 => {
                    for text in rows.iter().flatten() {
                        for (at, line) in wrap(&printable(text), width.saturating_sub(INDENT + 2)).iter().enumerate() {
                            writeln!(table, "{} {line}", if at == 0 { '-' } else { ' ' })?;
                        }
                    }
                }
                Some(width) => {
                    let width = width.saturating_sub(INDENT);
                    // Places that are wanted are shown whole.
                    let below = if below.is_empty() { &[&["PLACE"][..]] } else { *below };
                    is_cut |= write_fitted_to(width, Some(headers.clone()), rows.clone(), 3, below, &mut table)?;
                }
                None => write_aligned(Some(headers.clone()), rows, 3, &mut table)?,
            }
            for line in String::from_utf8_lossy(&table).lines() {
                writeln!(out, "{:INDENT$}{line}", "")?;
            }
        }
        if is_cut {
            writeln!(out, "\n{}", paint(screen().color, "2", "Cut to fit the terminal; `| cat` shows everything."))?;
        }
        for (title, text) in &self.texts {
            writeln!(out, "\n{}", paint(screen().color, "1", &format!("{}:", printable_line(title))))?;
            for line in text {
                let lines = match width {
                    Some(width) => line.wrapped(width.saturating_sub(INDENT)),
                    None => line.whole(),
                };
                for line in lines {
                    writeln!(out, "{}", format!("  {line}").trim_end())?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_a_broken_command_as_one() {
        let command = r#"oc -n shop patch subscriptions.operators.coreos.com till --type merge -p '{"spec":{"channel": "a -b"}}'"#;
        assert_eq!(broken(command, 200), [command]);
        let lines = broken(command, 60);
        assert_eq!(
            lines,
            [
                r"oc -n shop patch subscriptions.operators.coreos.com till \",
                r#"  --type merge -p '{"spec":{"channel": "a -b"}}'"#,
            ]
        );
        assert_eq!(lines.iter().map(|line| line.trim_end_matches('\\').trim()).collect::<Vec<_>>().join(" "), command);
        let lines = broken("oc -n openshift-operators delete subscriptions.operators.coreos.com shipwright", 60);
        let expected = ["oc -n openshift-operators delete \\", "  subscriptions.operators.coreos.com shipwright"];
        assert_eq!(lines, expected);
        assert_eq!(broken("# remove the Subscription", 15), ["# remove the", "# Subscription"]);
    }

    #[test]
    fn both_generations_of_olm_share_a_block_if_they_say_the_same() {
        let sheet = |olm: &str, end: &str, bundle: &str| {
            let mut sheet = Sheet::default();
            sheet.line("OLM", olm);
            sheet.line("package", "till");
            sheet.line("end", end);
            sheet.table("Steps", &["BUNDLE"], vec![vec![bundle.to_owned()]]);
            sheet
        };
        let text = |sheets: Vec<Sheet>| {
            let mut text = Vec::new();
            Sheet::joined(sheets).iter().for_each(|sheet| sheet.write(None, &mut text).unwrap());
            String::from_utf8(text).unwrap()
        };
        let same = text(vec![sheet("classic", "is a head", "a"), sheet("v1", "is the highest", "a")]);
        assert!(same.contains("classic, v1") && same.contains("classic: is a head; v1: is the highest"), "{same}");
        let other = text(vec![sheet("classic", "is a head", "a"), sheet("v1", "is a head", "b")]);
        assert_eq!(other.matches("Steps:").count(), 2, "{other}");
        let twice = text(vec![sheet("classic", "is a head", "a"), sheet("classic", "is a head", "a")]);
        assert_eq!(twice.matches("Steps:").count(), 2, "{twice}");
    }
}
