//! The meaning of the marks of a picture; only those that occur.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::axis::EntryMark;
use super::markup::pixels;
use super::strip::{MARGIN, SMALL, Strip, write_entry};
use olmdex_olm::upgrade::Field;

/// A kind of mark, in the order of the legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    Entry(EntryMark),
    Deprecated,
    Gap,
    /// Edges by a field; if mutual, down too.
    Lane(Field, bool),
    Fold,
}

/// Height of a line of a legend.
const LINE: usize = 20;

impl Mark {
    fn words(self) -> Option<&'static str> {
        Some(match self {
            Self::Entry(EntryMark::Head) => "head of a channel",
            // The plain mark needs no words.
            Self::Entry(EntryMark::Entry) => return None,
            Self::Entry(EntryMark::Skipped) => "skipped: upgrades pass it by",
            Self::Entry(EntryMark::DeadEnd) => "dead end: no upgrade leads on",
            Self::Entry(EntryMark::Mentioned) => "mentioned, but not in the channel",
            Self::Deprecated => "deprecated",
            Self::Gap => "no upgrade crosses",
            Self::Lane(Field::Replaces, _) => "replaces, over other versions",
            Self::Lane(Field::Skips, _) => "skips",
            Self::Lane(Field::SkipRange, false) => "skipRange",
            Self::Lane(Field::SkipRange, true) => "skipRange, to lower versions too",
            Self::Fold => "versions that share a line",
        })
    }

    /// Draws the mark, 28 pixels wide around this height.
    fn write(self, body: &mut String, x: usize, y: usize) {
        // Writing into a text cannot fail.
        let _ = match self {
            Self::Entry(mark) => {
                body.push_str("<g class=\"track t0\">");
                write_entry(body, mark, x + 14, y);
                write!(body, "</g>")
            }
            Self::Deprecated => write!(body, "<text class=\"hint struck\" x=\"{x}\" y=\"{}\">1.0.0</text>", y + 4),
            Self::Gap => write!(body, "<path class=\"gap\" d=\"M{x} {y}h28\"/>"),
            Self::Lane(field, is_mutual) => {
                let (field, mutual) = (field.as_str(), if is_mutual { " mutual" } else { "" });
                write!(
                    body,
                    "<path class=\"{field}{mutual}\" d=\"M{x} {y}h24\"/><path class=\"tip-{field}\" d=\"M{} {}l6 4l-6 4z\"/>",
                    x + 22,
                    y - 4
                )
            }
            Self::Fold => write!(body, "<text class=\"folded\" x=\"{}\" y=\"{}\">\u{22ef}</text>", x + 8, y + 4),
        };
    }
}

/// The meaning of these marks, in at most this width.
pub(super) fn legend(marks: &BTreeSet<Mark>, width: usize) -> Strip {
    let mut body = String::new();
    let (mut x, mut y) = (MARGIN, 14);
    for (mark, words) in marks.iter().filter_map(|it| Some((*it, it.words()?))) {
        let room = 36 + pixels(words, SMALL, false) + 18;
        if x > MARGIN && x + room > width {
            (x, y) = (MARGIN, y + LINE);
        }
        mark.write(&mut body, x, y);
        let _ = writeln!(body, "<text class=\"hint\" x=\"{}\" y=\"{}\">{words}</text>", x + 36, y + 4);
        x += room;
    }
    Strip { body, height: y + LINE, fold: None }
}
