//! Which files have some words, without a look at what they are: reading a catalog costs ten times as much.
//!
//! What it deliberately does not do: it decodes nothing. A word that is written with escapes is not found.

use std::collections::BTreeSet;

use memchr::memmem::Finder;
use rayon::iter::{IndexedParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _};

use super::Input;

/// The numbers of the files that have at least one of some words. One that cannot be read is among them: whoever reads it says why.
#[must_use]
pub fn files_with(input: &Input, words: &[&str]) -> BTreeSet<usize> {
    let finders: Vec<Finder<'_>> = words.iter().map(Finder::new).collect();
    let has_one = |text: &[u8]| finders.iter().any(|it| it.find(text).is_some());
    let files = input.files.par_iter().enumerate();
    files.filter(|(_, file)| file.whole().map_or(true, |text| has_one(&text))).map(|(number, _)| number).collect()
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
}
