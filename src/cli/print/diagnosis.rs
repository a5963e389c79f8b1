//! The states of namespaces for people: a row for each operator, then each obstacle with its remedies.

use std::io::{self, Write};

use crate::cli::print::headline::Sign;
use crate::cli::print::sheet::{Sheet, TextLine};
use crate::cli::terminal::screen::screen;
use crate::namespace::{Effect, NamespaceState, Obstacle, Remedy, headline};

/// The indent of what belongs to an obstacle, in columns.
const INDENT: usize = 2;

/// The columns that move below the row of an operator if the terminal has no room for them.
const BELOW: &[&[&str]] = &[&["NEXT STEP"], &["STATE"], &["SINCE"], &["INSTALLED"]];

/// Writes the states of namespaces, as a page in Markdown if that is wanted.
pub(crate) fn write(states: &[NamespaceState], is_page: bool, out: &mut impl Write) -> io::Result<()> {
    let mut sheet = Sheet::default();
    let verdict = headline(states);
    let is_stuck = states.iter().flat_map(|state| &state.obstacles).any(|it| it.effect == Effect::Stops);
    let sign = match states.iter().all(|state| state.obstacles.is_empty()) {
        true => Sign::Good,
        false if is_stuck => Sign::Bad,
        false => Sign::Fair,
    };
    sheet.headline(sign, verdict.clone());
    sheet.line("verdict", &verdict);
    let row = |state: &NamespaceState| {
        let namespace = place(state);
        let row = move |it: &crate::namespace::OperatorStanding| {
            let installed = if it.installed == it.package { "" } else { &it.installed };
            [&namespace, &it.package, installed, &it.state, &it.since, &it.step].map(|it| it.to_string()).to_vec()
        };
        state.operators.iter().map(row).collect::<Vec<_>>()
    };
    let headers = ["NAMESPACE", "OPERATOR", "INSTALLED", "STATE", "SINCE", "NEXT STEP"];
    sheet.table_with_below("Operators", &headers, states.iter().flat_map(row).collect(), BELOW);
    for state in states {
        for (idx, obstacle) in state.obstacles.iter().enumerate() {
            let title = format!("{} {}: {}", place(state), idx + 1, obstacle.text);
            sheet.passage(&title, passage(obstacle, is_page));
        }
    }
    match is_page {
        true => sheet.write_page(out),
        false => sheet.write(screen().width, out),
    }
}

/// Adds what keeps an operator from its next version, with the first change that helps.
pub(crate) fn add_obstacle(sheet: &mut Sheet, obstacle: Option<&Obstacle>) {
    let Some(obstacle) = obstacle else { return };
    let label = if obstacle.effect == Effect::Stops { "stuck" } else { "waits" };
    let since = if obstacle.since.is_empty() { String::new() } else { format!(" (since {})", obstacle.since) };
    sheet.line(label, &format!("{}{since}", obstacle.text));
    sheet.line("message", &obstacle.message);
    if let Some(remedy) = obstacle.remedies.first() {
        sheet.line("fix", &remedy.change);
    }
}

fn place(state: &NamespaceState) -> String {
    if state.namespace.is_empty() { "OLM v1".to_owned() } else { state.namespace.clone() }
}

fn passage(obstacle: &Obstacle, is_page: bool) -> Vec<TextLine> {
    // In Markdown, lines that follow each other would be one paragraph.
    let mark = if is_page { "- " } else { "" };
    let mut lines = Vec::new();
    let mut say = |label: &str, text: &str| {
        if !text.is_empty() {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            lines.push(TextLine::Words(0, label.len() + 2, format!("{mark}{label}: {text}")));
        }
    };
    let Obstacle { object, since, message, meaning, because, consequence, place, remedies, .. } = obstacle;
    let since = if since.is_empty() { String::new() } else { format!(", since {since}") };
    let file = if place.file.is_empty() { String::new() } else { format!(" ({place})") };
    say("object", &format!("{object}{since}{file}"));
    say("effect", obstacle.effect.words());
    say("message", message);
    say("meaning", meaning);
    because.iter().for_each(|it| say("because", it));
    say("otherwise", consequence);
    for remedy in remedies {
        let Remedy { change, commands, installs } = remedy;
        let tried = match installs.as_deref() {
            None => String::new(),
            Some([]) => " (tried: the namespace resolves, and nothing more is installed)".to_owned(),
            Some(names) => format!(" (tried: OLM installs {})", names.join(", ")),
        };
        lines.push(TextLine::Words(0, INDENT, format!("{mark}fix: {change}{tried}")));
        if is_page {
            lines.extend(commands.iter().map(|it| TextLine::Words(INDENT, 0, format!("{mark}{it}"))));
        } else if !commands.is_empty() {
            lines.push(TextLine::Commands(2 * INDENT, commands.clone(), commands.clone()));
        }
    }
    lines
}
