//! The places of a channel, its entries and their edges.

use super::layout::{EntryPlaces, entry_places};
use olmdex_base::diag::Place;
use olmdex_text::tally;
use olmdex_text::yaml::Position;

/// The file and the places in it of a channel. If a place is not known, the start of the channel is used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChannelPlaces {
    file: String,
    start: (u32, u32),
    entries: Vec<EntryPlaces>,
}

impl ChannelPlaces {
    /// A channel of which only the first line is known.
    pub fn at_line(file: &str, line: u32) -> Self {
        Self { file: file.to_owned(), start: (line, 1), entries: Vec::new() }
    }

    /// A channel that starts at a place and has this layout ([`super::layout_of`]); empty if it is not known.
    pub fn new(file: String, (line, column): (u32, u32), layout: &[u8]) -> Self {
        let entries = entry_places(layout, Position { line, column });
        tally::step(1 + entries.len());
        Self { file, start: (line, column), entries }
    }

    /// The start of the channel.
    pub fn start(&self) -> Place {
        Place::at(&self.file, self.start.0, self.start.1)
    }

    /// An entry, by its number.
    pub fn entry(&self, number: usize) -> Place {
        self.at(number, |it| it.entry)
    }

    /// The `replaces` of an entry.
    pub fn replaces(&self, number: usize) -> Place {
        self.at(number, |it| it.replaces)
    }

    /// The `skipRange` of an entry.
    pub fn skip_range(&self, number: usize) -> Place {
        self.at(number, |it| it.skip_range)
    }

    /// An item in the `skips` of an entry.
    pub fn skip(&self, number: usize, item: usize) -> Place {
        self.at(number, |it| it.skip(item))
    }

    /// The places of some of the entries, which are numbered anew.
    pub fn of_entries(&self, numbers: &[usize]) -> Self {
        let entries = numbers.iter().filter_map(|&it| self.entries.get(it).cloned()).collect();
        Self { file: self.file.clone(), start: self.start, entries }
    }

    fn at(&self, number: usize, part: impl Fn(&EntryPlaces) -> Position) -> Place {
        match self.entries.get(number).map(part) {
            Some(at) => Place::at(&self.file, at.line, at.column),
            None => self.start(),
        }
    }
}
