//! The origins of the parts of a document that was made of other files, such as the blob of a bundle directory.

use super::defect::Spot;
use olmdex_base::diag::Place;
use olmdex_text::json::Step;

/// The places of a document's parts in the files that it was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    start: Place,
    parts: Vec<(Vec<Step>, Place)>,
}

impl Provenance {
    /// A document that comes from a place.
    pub fn new(start: Place) -> Self {
        Self { start, parts: Vec::new() }
    }

    /// Notes where the value at a path comes from.
    pub fn add(&mut self, path: Vec<Step>, place: Place) {
        self.parts.push((path, place));
    }

    /// The origin of the document as a whole.
    pub fn start(&self) -> &Place {
        &self.start
    }

    /// All notes.
    pub fn parts(&self) -> &[(Vec<Step>, Place)] {
        &self.parts
    }

    /// The origin of the value at a path, or of the smallest noted value around it.
    pub fn place(&self, path: &[Step]) -> &Place {
        let around = self.parts.iter().filter(|(part, _)| path.starts_with(part));
        around.max_by_key(|(part, _)| part.len()).map_or(&self.start, |(_, place)| place)
    }

    /// The origin of a spot.
    pub fn spot(&self, spot: &Spot) -> &Place {
        match spot {
            Spot::Path(path) | Spot::Key(path) => self.place(path),
            Spot::Start | Spot::Offset(_) | Spot::Line(..) => &self.start,
        }
    }
}
