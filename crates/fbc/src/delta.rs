//! A text as the difference to another one: parts of it to copy, and the bytes between them.
//!
//! A document and its written form are mostly the same text with some members in another order. The writer of the text
//! notes where such parts may be; here they are only compared.

use olmdex_text::json::Anchor;

/// The least length of a copied part: naming it takes 12 bytes.
const MIN_COPY: usize = 24;

/// The bytes that are compared at once.
const STEP: usize = 32;

/// The steps that make a text of another one, its source.
#[derive(Debug)]
pub(super) struct Delta {
    copies: Box<[Copied]>,
    /// The bytes before, between and behind the copies.
    inserted: Box<[u8]>,
    len: usize,
}

/// A part of the source.
#[derive(Debug)]
struct Copied {
    /// The number of bytes that are inserted before it.
    n_inserted: u32,
    from: u32,
    len: u32,
}

impl Delta {
    /// The delta from `source` to `text`, if it is at most half as large as `text`.
    pub(super) fn between(source: &[u8], text: &[u8], anchors: &[Anchor]) -> Option<Self> {
        let mut copies = Vec::new();
        let mut inserted = Vec::new();
        let mut done = 0;
        for &Anchor { source: from, written: at } in [Anchor::default()].iter().chain(anchors) {
            let (from, at) = (from as usize, at as usize);
            let (Some(open), Some(rest)) = (text.get(done..at), text.get(at..)) else { continue };
            let (Some(before), Some(behind)) = (source.get(..from), source.get(from..)) else { continue };
            let n_before = common_suffix(open, before);
            let n_behind = common_prefix(rest, behind);
            if n_before + n_behind < MIN_COPY {
                continue;
            }
            let new = &open[..open.len() - n_before];
            inserted.extend_from_slice(new);
            copies.push(Copied {
                n_inserted: u32::try_from(new.len()).ok()?,
                from: u32::try_from(from - n_before).ok()?,
                len: u32::try_from(n_before + n_behind).ok()?,
            });
            done = at + n_behind;
        }
        inserted.extend_from_slice(&text[done..]);
        let delta = Self { copies: copies.into(), inserted: inserted.into(), len: text.len() };
        (delta.size() <= text.len() / 2).then_some(delta)
    }

    /// The number of bytes that it takes.
    pub(super) fn size(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.copies) + self.inserted.len()
    }

    /// Appends the text; `None` if this cannot be the source.
    pub(super) fn apply(&self, source: &[u8], out: &mut Vec<u8>) -> Option<()> {
        out.reserve(self.len);
        let mut inserted = &*self.inserted;
        for copied in &self.copies {
            let (new, rest) = inserted.split_at_checked(copied.n_inserted as usize)?;
            inserted = rest;
            out.extend_from_slice(new);
            out.extend_from_slice(source.get(copied.from as usize..)?.get(..copied.len as usize)?);
        }
        out.extend_from_slice(inserted);
        Some(())
    }
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let steps = a.as_chunks::<STEP>().0.iter().zip(b.as_chunks::<STEP>().0);
    let len = STEP * steps.take_while(|(a, b)| a == b).count();
    len + a[len..].iter().zip(&b[len..]).take_while(|(a, b)| a == b).count()
}

fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let steps = a.as_rchunks::<STEP>().1.iter().rev().zip(b.as_rchunks::<STEP>().1.iter().rev());
    let len = STEP * steps.take_while(|(a, b)| a == b).count();
    let ends = a[..a.len() - len].iter().rev().zip(b[..b.len() - len].iter().rev());
    len + ends.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text is restored, whatever the anchors are.
    fn size_of_delta(source: &str, text: &str, anchors: &[(usize, usize)]) -> Option<usize> {
        let anchor = |&(source, written): &(usize, usize)| Anchor { source: source as u32, written: written as u32 };
        let anchors: Vec<Anchor> = anchors.iter().map(anchor).collect();
        let delta = Delta::between(source.as_bytes(), text.as_bytes(), &anchors)?;
        let mut made = b"> ".to_vec();
        delta.apply(source.as_bytes(), &mut made).unwrap();
        assert_eq!(String::from_utf8(made).unwrap(), format!("> {text}"));
        // Another source must not cause a panic.
        let _ = delta.apply(&source.as_bytes()[..source.len() / 3], &mut Vec::new());
        Some(delta.size())
    }

    #[test]
    fn a_text_comes_back() {
        let [a, b, c] = ["a", "b", "c"].map(|it| it.repeat(100));
        let source = format!("<{a},{b},{c}>");
        let moved = format!("<{b},{c},{a}>");
        // Bytes at the same place need no anchor.
        assert!(size_of_delta(&source, &source, &[]).unwrap() < 80);
        assert!(size_of_delta(&source, &format!("<{a},{a}>"), &[]).is_none());
        // One place is enough in bytes that moved.
        let places = [(151, 50), (50, 252)];
        assert!(size_of_delta(&source, &moved, &places).unwrap() < 100);
        assert!(
            size_of_delta(&source, &moved, &[(151, 50), (151, 60), (251, 150), (50, 252), (1, 301)]).unwrap() < 120
        );
        // Invalid places.
        for places in [[(0, 9999), (9999, 0)], [(7, 7), (3, 3)], [(50, 252), (151, 50)], [(304, 304), (0, 304)]] {
            size_of_delta(&source, &moved, &places);
            assert!(size_of_delta(&source, &source, &places).is_some());
        }
        assert_eq!(size_of_delta("", "", &[]), None);
    }

    #[test]
    fn common_ends_are_exact() {
        for len in 0..100 {
            let a = vec![b'a'; len];
            assert_eq!((common_prefix(&a, &a), common_suffix(&a, &a)), (len, len));
            for at in 0..len {
                let mut b = a.clone();
                b[at] = b'b';
                assert_eq!((common_prefix(&a, &b), common_suffix(&a, &b)), (at, len - 1 - at));
                assert_eq!(common_suffix(&a, &b[at..]), len - 1 - at);
            }
        }
    }
}
