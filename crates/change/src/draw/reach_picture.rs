//! The reach map as a picture: once for wide places, and once for phones, where the names stand above the bars.

use std::fmt::Write as _;
use std::ops::Range;

use super::markup::{cut, cut_to_pixels, escaped, pixels};
use super::reach::{MapChannel, MapGoal, ReachMap, Scale};
use super::strip::{FONT, MARGIN, MarkedPath, PictureLinks, SMALL, Strip};
use olmdex_base::diag::{counted, grouped};
use olmdex_olm::upgrade::Standing;

/// Versions of the same standing.
type Run = (Range<usize>, Standing);

/// The widths of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MapWidth {
    /// For screens and paper.
    Wide,
    /// For phones.
    Narrow,
}

/// More channels than these and one more share a line.
const MAX_CHANNELS: usize = 12;
/// The longest name of a channel, in pixels.
const MAX_NAME: usize = 220;
/// The longest label of a version, in pixels.
const MAX_LABEL: usize = 180;
/// Narrower runs of the strip, in pixels, share a piece with others.
const MIN_RUN: usize = 22;
/// More versions in a row than these share a long ring.
const MAX_RINGS: usize = 3;
/// The room beside a label: the mark before it, and the margin.
const BESIDE_LABEL: usize = 26;

impl MapWidth {
    pub(super) fn pixels(self) -> usize {
        match self {
            Self::Wide => 880,
            Self::Narrow => 340,
        }
    }

    /// The height of a channel.
    fn row(self) -> usize {
        match self {
            Self::Wide => 24,
            Self::Narrow => 38,
        }
    }
}

/// A map while it is drawn.
struct Drawing<'d> {
    map: &'d ReachMap,
    width: MapWidth,
    links: &'d PictureLinks<'d>,
    scale: Scale,
    left: usize,
    right: usize,
}

/// Draws a map: strips below each other. Channels that share a line can be opened if they are at most `max_opened`;
/// with `is_full` none shares a line.
pub(super) fn strips(
    map: &ReachMap,
    width: MapWidth,
    links: &PictureLinks<'_>,
    way: &MarkedPath,
    (is_full, max_opened): (bool, usize),
) -> Vec<Strip> {
    let name_width = |channel: &MapChannel| pixels(&name(channel), FONT, channel.is_default).min(MAX_NAME);
    let label_width = |place: usize| pixels(map.versions[place].label(), FONT, true).min(MAX_LABEL);
    let goal_width = map.goal.as_ref().map_or(0, |goal| (label_width(goal.place) + 30).min(MAX_NAME));
    let left = match width {
        MapWidth::Wide => MARGIN + map.channels.iter().map(name_width).max().unwrap_or(0).max(goal_width).max(90) + 14,
        MapWidth::Narrow => MARGIN,
    };
    // Labels that end where others begin take no room, so the edge moves only as far as one does not fit.
    let mut right = width.pixels() - MARGIN;
    let mut scale = Scale::new(map, left, right);
    for _ in 0..4 {
        let end = |channel: &MapChannel| scale.middles[channel.head] + label_width(channel.head) + BESIDE_LABEL;
        let over = map.channels.iter().map(end).max().unwrap_or(0).saturating_sub(width.pixels());
        right = right.saturating_sub(over).max(left + 80);
        scale = Scale::new(map, left, right);
    }
    let drawing = Drawing { map, width, links, scale, left, right };
    let n_shown = if is_full || map.channels.len() <= MAX_CHANNELS + 1 { map.channels.len() } else { MAX_CHANNELS };
    let (shown, folded) = map.channels.split_at(n_shown);
    // The default channel is never folded.
    let (kept, folded): (Vec<&MapChannel>, Vec<&MapChannel>) = folded.iter().partition(|channel| channel.is_default);
    let shown: Vec<&MapChannel> = shown.iter().chain(kept).collect();
    let mut strips = vec![drawing.title(), drawing.minors()];
    strips.extend(drawing.goal());
    strips.extend(drawing.way(way));
    strips.push(drawing.channels(&shown));
    if !folded.is_empty() {
        let opened = (folded.len() <= max_opened).then(|| Box::new(drawing.channels(&folded)));
        strips.push(drawing.folded(&folded, opened));
    }
    strips
}

/// The size of the package, and how many of its versions can still get to the newest.
pub(super) fn summary(map: &ReachMap) -> String {
    let (n, n_channels) = (map.versions.len() as u64, map.channels.len() as u64);
    let size = format!("{}, {}", counted(n, "version"), counted(n_channels, "channel"));
    match &map.goal {
        Some(goal) if n > 1 => {
            let n_reaching = map.n_reaching() as u64;
            let who = if n_reaching == n { "all of them".to_owned() } else { counted(n_reaching, "version") };
            let verb = if n_reaching == 1 { "gets" } else { "get" };
            format!("{size}; {who} {verb} to {}", cut(map.versions[goal.place].label(), 28))
        }
        _ => size,
    }
}

fn name(channel: &MapChannel) -> String {
    if channel.is_default { format!("{} · default", channel.name) } else { channel.name.clone() }
}

/// The words for the standing of a channel's head.
fn standing(channel: &MapChannel) -> &'static str {
    match channel.standing {
        Standing::Reaches => "",
        Standing::Higher => ", higher than the default channel",
        Standing::Past => ", from which only versions higher than the default channel follow",
        Standing::DeadEnd => ", a dead end",
    }
}

/// The words that explain what a map shows.
fn hint(map: &ReachMap) -> String {
    let has_joins = map.channels.iter().any(|channel| !channel.joins.is_empty());
    let has_gaps = map.channels.iter().any(|channel| channel.solid.len() > channel.parts.len());
    let has_walls = map.channels.iter().any(|channel| channel.standing == Standing::DeadEnd);
    let parts = [
        (true, "A bar is a channel up to its newest version ◆."),
        (has_gaps, "Where it is thin, the channel lists no version."),
        (has_joins, "From a version in a ring ○ one may change to the channel."),
        (has_walls, "Grey, with a wall: a dead end."),
    ];
    parts.iter().filter(|(is_shown, _)| *is_shown).map(|(_, words)| *words).collect::<Vec<_>>().join(" ")
}

impl Drawing<'_> {
    fn title(&self) -> Strip {
        let title = format!("{}: {}", cut(&self.map.package, 40), summary(self.map));
        let mut body = String::new();
        let mut y = 4;
        let most = self.width.pixels() - 2 * MARGIN;
        for (class, size, text) in [("title", FONT, title.as_str()), ("hint", SMALL, hint(self.map).as_str())] {
            for line in lines(text, size, class == "title", most) {
                y += size + 4;
                let _ = writeln!(body, "<text class=\"{class}\" x=\"{MARGIN}\" y=\"{y}\">{}</text>", escaped(&line));
            }
        }
        Strip { body, height: y + 10, fold: None }
    }

    /// Every other column has a ground, so that rows of any distance can be followed.
    fn write_bands(&self, body: &mut String, height: usize) {
        for (x, width) in self.scale.columns.iter().rev().step_by(2) {
            let _ = writeln!(body, "<rect class=\"band\" x=\"{x}\" y=\"0\" width=\"{width}\" height=\"{height}\"/>");
        }
    }

    /// The names of minor versions, as many as have room; the newest has.
    fn minors(&self) -> Strip {
        let mut body = String::new();
        let height = 22;
        self.write_bands(&mut body, height);
        let mut free = usize::MAX;
        for ((name, _), (x, width)) in self.map.columns.iter().zip(&self.scale.columns).rev() {
            let middle = x + width / 2;
            let half = pixels(name, FONT, true) / 2;
            if middle + half + 6 > free || half > middle {
                continue;
            }
            free = middle - half;
            let _ = writeln!(body, "<text class=\"minor\" x=\"{middle}\" y=\"16\">{}</text>", escaped(name));
        }
        if self.width == MapWidth::Wide {
            let _ = writeln!(body, "<text class=\"hint\" x=\"{MARGIN}\" y=\"16\">Channel</text>");
        }
        Strip { body, height, fold: None }
    }

    fn channels(&self, channels: &[&MapChannel]) -> Strip {
        let mut body = String::new();
        let height = channels.len() * self.width.row();
        self.write_bands(&mut body, height);
        for (at, channel) in channels.iter().enumerate() {
            self.write_channel(&mut body, channel, at * self.width.row());
        }
        Strip { body, height, fold: None }
    }

    fn write_channel(&self, body: &mut String, channel: &MapChannel, top: usize) {
        let (name_y, y) = match self.width {
            MapWidth::Wide => (top + 16, top + 12),
            MapWidth::Narrow => (top + 14, top + 27),
        };
        let class = match (channel.is_default, channel.standing) {
            (true, _) => "m0",
            (false, Standing::DeadEnd) => "m2",
            (false, _) => "m1",
        };
        let deprecated = if channel.is_deprecated { ", deprecated" } else { "" };
        let entries = counted(channel.n_entries as u64, "version");
        let _ = write!(
            body,
            "<g class=\"row lane {class}\"><title>{}: {entries}, {}{}{deprecated}</title>",
            escaped(&channel.name),
            escaped(&self.map.span(channel.parts.first().map_or(channel.head, |part| part.0), channel.head)),
            standing(channel),
        );
        let bold = if channel.is_default { " strong" } else { "" };
        let struck = if channel.is_deprecated { " struck" } else { "" };
        let most = if self.width == MapWidth::Wide { MAX_NAME } else { self.width.pixels() - 2 * MARGIN };
        let text = format!(
            "<text class=\"name{bold}{struck}\" x=\"{MARGIN}\" y=\"{name_y}\">{}</text>",
            escaped(&cut_to_pixels(&name(channel), most, FONT))
        );
        write_linked(body, (self.links.channel)(&channel.name), &text);
        let x = |place: usize| self.scale.middles[place];
        let joins = channel.joins.iter().map(|place| x(*place));
        let start = channel.parts.first().map_or(channel.head, |part| part.0);
        if let Some((from, to)) = joins.clone().min().zip(joins.clone().max()) {
            let (from, to) = (from.min(x(start)), to.max(x(start)));
            let _ = write!(body, "<path class=\"join\" d=\"M{from} {y}H{to}\"/>");
        }
        for (class, lines) in [("bar thin", &channel.parts), ("bar", &channel.solid)] {
            for (first, last) in lines {
                let _ =
                    write!(body, "<path class=\"{class}\" d=\"M{} {y}H{}\"/>", x(*first), x(*last).max(x(*first) + 1));
            }
        }
        self.write_rings(body, channel, y);
        let head = &self.map.versions[channel.head];
        let at = x(channel.head);
        let _ = write!(body, "<path class=\"dot\" d=\"M{at} {}l7 7l-7 7l-7 -7z\"/>", y - 7);
        let is_dead_end = channel.standing == Standing::DeadEnd;
        if is_dead_end {
            let _ = write!(body, "<path class=\"end\" d=\"M{} {}v16\"/>", at + 10, y - 8);
        }
        let label_x = at + if is_dead_end { 15 } else { 11 };
        let label = cut_to_pixels(head.label(), MAX_LABEL, FONT);
        let text = format!("<text class=\"strong\" x=\"{label_x}\" y=\"{}\">{}</text>", y + 4, escaped(&label));
        write_linked(body, (self.links.bundle)(&head.bundle, &head.version), &text);
        body.push_str("</g>\n");
    }

    /// Rings around the versions that may change to the channel.
    fn write_rings(&self, body: &mut String, channel: &MapChannel, y: usize) {
        let (Some(&first), Some(&last)) = (channel.joins.first(), channel.joins.last()) else { return };
        let words = match channel.joins.len() {
            1 => format!("{} may change to {}", self.map.span(first, first), channel.name),
            n => format!("{n} versions, {}, may change to {}", self.map.span(first, last), channel.name),
        };
        let _ = write!(body, "<g><title>{}</title>", escaped(&words));
        let x = |place: usize| self.scale.middles[place];
        for run in channel.joins.chunk_by(|a, b| a + 1 == *b) {
            let (from, to) = (x(run[0]), x(run[run.len() - 1]));
            let is_long = run.len() > MAX_RINGS;
            for (from, to) in if is_long { vec![(from, to)] } else { run.iter().map(|it| (x(*it), x(*it))).collect() } {
                let (x, y, width) = (from.saturating_sub(4), y.saturating_sub(4), to - from + 8);
                let _ =
                    write!(body, "<rect class=\"ring\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"8\" rx=\"4\"/>");
            }
        }
        body.push_str("</g>");
    }

    /// A line of several channels: their heads.
    fn folded(&self, channels: &[&MapChannel], opened: Option<Box<Strip>>) -> Strip {
        let words = counted(channels.len() as u64, "more channel");
        let (name_y, y) = if self.width == MapWidth::Wide { (16, 12) } else { (14, 27) };
        let mut body = String::new();
        let height = self.width.row();
        self.write_bands(&mut body, height);
        let class = if opened.is_some() { "name more" } else { "name" };
        let _ = write!(
            body,
            "<g class=\"row lane\"><text class=\"{class}\" x=\"{MARGIN}\" y=\"{name_y}\">{}{words}</text>",
            if opened.is_some() { "▸ " } else { "" }
        );
        let x = |place: usize| self.scale.middles[place];
        let first = channels.iter().filter_map(|channel| channel.parts.first()).map(|part| x(part.0)).min();
        let last = channels.iter().map(|channel| x(channel.head)).max();
        if let (Some(first), Some(last)) = (first, last) {
            let _ = write!(body, "<g class=\"m2\"><path class=\"join\" d=\"M{first} {y}H{last}\"/></g>");
        }
        for channel in channels {
            let version = self.map.versions[channel.head].label();
            let class = if channel.standing == Standing::DeadEnd { "m2" } else { "m1" };
            let _ = write!(
                body,
                "<g class=\"{class}\"><path class=\"dot\" d=\"M{} {}l5 5l-5 5l-5 -5z\"><title>{}: {}{}</title></path></g>",
                x(channel.head),
                y - 5,
                escaped(&channel.name),
                escaped(version),
                standing(channel)
            );
        }
        body.push_str("</g>\n");
        Strip { body, height, fold: Some((words, opened)) }
    }

    /// The strip of versions that can get to the newest, and those that cannot.
    fn goal(&self) -> Option<Strip> {
        let MapGoal { place, runs } = self.map.goal.as_ref().filter(|_| self.map.versions.len() > 1)?;
        let room = if self.width == MapWidth::Wide { self.left - MARGIN - 30 } else { 260 };
        let label = cut_to_pixels(self.map.versions[*place].label(), room, FONT);
        let (name_y, top) = if self.width == MapWidth::Wide { (21, 8) } else { (16, 22) };
        let mut body =
            format!("<text class=\"name strong\" x=\"{MARGIN}\" y=\"{name_y}\">→ {}?</text>\n", escaped(&label));
        for piece in self.pieces(runs) {
            self.write_piece(&mut body, piece, top);
        }
        let has_past = runs.iter().any(|run| run.1 == Standing::Past);
        let words = format!(
            "Which versions can still get to the newest one of the default channel, with a change of channel if need \
             be.{}",
            if has_past { " Past: upgrades lead beyond it, not to it." } else { "" }
        );
        let mut y = top + 20;
        let left = self.left;
        for line in lines(&words, SMALL, false, self.width.pixels() - left - MARGIN) {
            y += SMALL + 4;
            let _ = writeln!(body, "<text class=\"hint\" x=\"{left}\" y=\"{y}\">{line}</text>");
        }
        Some(Strip { body, height: y + 10, fold: None })
    }

    /// The edges of a run of versions.
    fn edges(&self, run: &Range<usize>) -> (usize, usize) {
        let left = self.scale.edge_before(run.start).unwrap_or(self.left);
        (left, self.scale.edge_before(run.end).unwrap_or(self.right))
    }

    /// The runs of the strip; narrow ones that follow each other are one piece.
    fn pieces<'r>(&self, runs: &'r [Run]) -> Vec<&'r [Run]> {
        let is_narrow = |(run, _): &Run| {
            let (left, right) = self.edges(run);
            right.saturating_sub(left) < MIN_RUN
        };
        let pieces = runs.chunk_by(|a, b| is_narrow(a) && is_narrow(b));
        // Two runs are no noise yet.
        pieces.flat_map(|piece| if piece.len() > 2 { vec![piece] } else { piece.chunks(1).collect() }).collect()
    }

    /// Draws a piece of the strip; one of several runs has the colours of both kinds above each other.
    fn write_piece(&self, body: &mut String, piece: &[Run], top: usize) {
        let ([(first, standing), ..], [.., (last, _)]) = (piece, piece) else { return };
        let all = first.start..last.end;
        let (x, end) = self.edges(&all);
        let width = end.saturating_sub(x + 1).max(2);
        let of = |standing| match standing {
            Standing::Reaches => ("can", "✓", "can get there"),
            Standing::DeadEnd => ("cannot", "✕", "no upgrade leads there"),
            Standing::Higher => ("beyond", "higher", "higher than the default channel"),
            Standing::Past => ("beyond", "past", "they lead past it, to versions higher than the default channel"),
        };
        let (class, mark, words) = of(*standing);
        let n = all.len() as u64;
        let span = format!("{}, {}", counted(n, "version"), escaped(&self.map.span(all.start, all.end - 1)));
        if piece.len() > 1 {
            let other = piece
                .iter()
                .find(|run| run.1 == Standing::DeadEnd)
                .or_else(|| piece.iter().find(|run| run.1 != Standing::Reaches));
            let n_reaching: usize =
                piece.iter().filter(|run| run.1 == Standing::Reaches).map(|(run, _)| run.len()).sum();
            let _ = write!(body, "<g><title>{span}: {} of them can get there</title>", grouped(n_reaching as u64));
            let upper = if n_reaching > 0 { "can" } else { class };
            for (class, top) in [(upper, top), (other.map_or(class, |run| of(run.1).0), top + 9)] {
                let _ = write!(
                    body,
                    "<g class=\"{class}\"><rect x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"9\"/></g>"
                );
            }
            let text = format!("✓ {} of {}", grouped(n_reaching as u64), grouped(n));
            if pixels(&text, SMALL, true) + 6 <= width {
                let (x, y) = (x + width / 2, top + 13);
                let _ = write!(body, "<g class=\"run can\"><text x=\"{x}\" y=\"{y}\">{text}</text></g>");
            }
            body.push_str("</g>\n");
            return;
        }
        let _ = write!(
            body,
            "<g class=\"run {class}\"><title>{span}: {words}</title>\
             <rect x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"18\" rx=\"3\"/>",
        );
        let texts = match class {
            "beyond" => [format!("{} {mark}", grouped(n)), mark.to_owned(), String::new()],
            _ => [format!("{mark} {}", counted(n, "version")), format!("{mark} {}", grouped(n)), mark.to_owned()],
        };
        if let Some(text) = texts.iter().find(|text| !text.is_empty() && pixels(text, SMALL, true) + 6 <= width) {
            let _ = write!(body, "<text x=\"{}\" y=\"{}\">{text}</text>", x + width / 2, top + 13);
        }
        body.push_str("</g>\n");
    }

    /// A marked path: a line with a dot for each step.
    fn way(&self, way: &MarkedPath) -> Option<Strip> {
        let place = |name: &String| self.map.versions.iter().position(|version| version.bundle == *name);
        let steps: Vec<usize> = way.iter().filter_map(place).collect();
        let (Some(&first), Some(&last)) = (steps.first(), steps.last()) else { return None };
        let (name_y, y) = if self.width == MapWidth::Wide { (16, 12) } else { (14, 27) };
        let x = |place: usize| self.scale.middles[place];
        let n = counted(steps.len() as u64 - 1, "upgrade");
        let mut body = format!(
            "<g class=\"row\"><title>{n}, {}</title><text class=\"name strong\" x=\"{MARGIN}\" y=\"{name_y}\">{n}</text>\
             <path class=\"way\" d=\"M{} {y}H{}\"/>",
            escaped(&self.map.span(first, last)),
            x(first),
            x(last)
        );
        for (number, &place) in steps.iter().enumerate() {
            let words = if number == 0 { "where the path begins".to_owned() } else { format!("step {number}") };
            let _ = write!(
                body,
                "<circle class=\"badge\" cx=\"{}\" cy=\"{y}\" r=\"5\"><title>{words}: {}</title></circle>",
                x(place),
                escaped(self.map.versions[place].label())
            );
        }
        let label = cut_to_pixels(self.map.versions[last].label(), MAX_LABEL, FONT);
        let _ = writeln!(
            body,
            "<text class=\"strong\" x=\"{}\" y=\"{}\">{}</text></g>",
            x(last) + 11,
            y + 4,
            escaped(&label)
        );
        Some(Strip { body, height: self.width.row() + 6, fold: None })
    }
}

/// A text that leads somewhere.
fn write_linked(body: &mut String, link: Option<String>, text: &str) {
    let _ = match link {
        Some(link) => write!(body, "<a href=\"{}\">{text}</a>", escaped(&link)),
        None => write!(body, "{text}"),
    };
}

/// A text in lines of at most so many pixels.
fn lines(text: &str, size: usize, is_bold: bool, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if pixels(&format!("{line} {word}"), size, is_bold) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
