//! Lists in sentences.

use std::fmt::{self, Display};

/// Items in a sentence, with commas between them.
#[derive(Debug, Clone)]
pub struct Listed {
    items: Vec<String>,
    last_word: Option<&'static str>,
    at_most: usize,
}

impl Listed {
    /// Shows all items: `a, b, c`.
    pub fn of(items: impl IntoIterator<Item = impl Display>) -> Self {
        let items = items.into_iter().map(|item| item.to_string()).collect();
        Self { items, last_word: None, at_most: usize::MAX }
    }

    /// Puts each item between backticks.
    pub fn quoted(items: impl IntoIterator<Item = impl Display>) -> Self {
        Self::of(items.into_iter().map(|item| format!("`{item}`")))
    }

    /// Puts a word instead of the last comma: `a, b and c`.
    #[must_use]
    pub fn last_word(self, word: &'static str) -> Self {
        Self { last_word: Some(word), ..self }
    }

    /// Shows the first items of a longer list, and the number of the others: `a, b and 3 more`.
    #[must_use]
    pub fn at_most(self, at_most: usize) -> Self {
        Self { at_most, ..self }
    }
}

impl Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shown, others) = self.items.split_at(self.items.len().min(self.at_most));
        match (shown, self.last_word, others.len()) {
            ([first @ .., last], Some(word), 0) if !first.is_empty() => write!(f, "{} {word} {last}", first.join(", ")),
            (shown, _, 0) => f.write_str(&shown.join(", ")),
            (shown, word, n_more) => write!(f, "{} {} {n_more} more", shown.join(", "), word.unwrap_or("and")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Listed;

    #[test]
    fn items_are_joined_and_cut() {
        let items = |n: usize| ["a", "b", "c", "d"].into_iter().take(n);
        let joined = |n: usize| Listed::of(items(n)).last_word("and").to_string();
        assert_eq!([0, 1, 2, 3].map(joined), ["", "a", "a and b", "a, b and c"]);
        let cut = |n: usize| Listed::quoted(items(n)).at_most(2).to_string();
        assert_eq!([0, 1, 2, 3, 4].map(cut), ["", "`a`", "`a`, `b`", "`a`, `b` and 1 more", "`a`, `b` and 2 more"]);
        assert_eq!(Listed::of(items(4)).last_word("or").at_most(2).to_string(), "a, b or 2 more");
    }
}
