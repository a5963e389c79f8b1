//! A search for the files that have some words, without decoding them: reading a catalog costs ten times as much.

use std::collections::BTreeSet;
use std::io::{self, Read};

use memchr::memmem::Finder;
use rayon::iter::{IndexedParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _};

use super::Input;
use super::input_file::{InputFile, OpenFile};

/// The size of a piece that is searched at once: it fits into the cache of a core, so that each byte is read from
/// memory once.
const PIECE: usize = 256 << 10;

/// The numbers of the files that have at least one of some words. A file that cannot be read is among them: reading it
/// will give the reason.
#[must_use]
pub fn files_with(input: &Input, words: &[&str]) -> BTreeSet<usize> {
    files_with_in_pieces(input, words, PIECE)
}

fn files_with_in_pieces(input: &Input, words: &[&str], piece: usize) -> BTreeSet<usize> {
    let finders: Vec<Finder<'_>> = words.iter().map(Finder::new).collect();
    let has_one = |text: &[u8]| finders.iter().any(|it| it.find(text).is_some());
    // A word may begin in one piece and end in the next.
    let overlap = words.iter().map(|it| it.len().saturating_sub(1)).max().unwrap_or_default();
    let buffer = || vec![0; overlap + piece];
    let has = |buffer: &mut Vec<u8>, file: &InputFile| match file.open() {
        Ok(OpenFile::Bytes(text)) => has_one(text),
        Ok(OpenFile::Made(made)) => made.text().map_or(true, |text| has_one(&text)),
        Ok(OpenFile::File(mut source, _)) => is_found(&mut source, buffer, overlap, has_one).unwrap_or(true),
        Err(_) => true,
    };
    let files = input.files.par_iter().enumerate();
    let found = files.map_init(buffer, |buffer, (number, file)| has(buffer, file).then_some(number));
    found.flatten().collect()
}

/// Whether something is found in a text that is read piece by piece, each with the last bytes of the one before it.
fn is_found(
    text: &mut impl Read,
    buffer: &mut [u8],
    overlap: usize,
    has_one: impl Fn(&[u8]) -> bool,
) -> io::Result<bool> {
    let mut kept = 0;
    loop {
        let mut end = kept;
        while end < buffer.len() {
            match text.read(&mut buffer[end..]) {
                Ok(0) => break,
                Ok(n) => end += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if has_one(&buffer[..end]) {
            return Ok(true);
        }
        if end < buffer.len() {
            return Ok(false);
        }
        kept = overlap;
        buffer.copy_within(end - kept.., 0);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn files_are_found_by_any_of_the_words() {
        let mut input = Input::default();
        for text in ["a till", "a ledger", "", "till and ledger"] {
            input.files.extend(Input::bytes("f", Arc::from(text.as_bytes())).files);
        }
        let found = |words: &[&str]| files_with(&input, words).into_iter().collect::<Vec<_>>();
        assert_eq!(found(&["till"]), [0, 3]);
        assert_eq!(found(&["ledger", "till"]), [0, 1, 3]);
        assert_eq!(found(&["shelf"]), [0_usize; 0]);
    }

    #[test]
    fn words_are_found_wherever_pieces_begin() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.yaml");
        for before in 0..24 {
            std::fs::write(&path, format!("{}till{}", "-".repeat(before), "-".repeat(9))).unwrap();
            let input = Input::file(&path);
            for piece in 1..12 {
                assert_eq!(files_with_in_pieces(&input, &["till", "-x"], piece).len(), 1, "{before} {piece}");
                assert_eq!(files_with_in_pieces(&input, &["tilt", "x"], piece).len(), 0, "{before} {piece}");
            }
        }
    }
}
