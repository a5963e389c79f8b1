//! The parameters of an address.

use std::collections::{BTreeMap, BTreeSet};

use super::reply::PageError;
use olmdex_text::encoding::percent;

/// The parameters of an address, by name; if only one value is wanted, the first counts.
pub(super) struct Query(BTreeMap<String, Vec<String>>);

impl Query {
    pub(super) fn read(text: &str) -> Result<Self, PageError> {
        let mut all = BTreeMap::new();
        for part in text.split('&').filter(|it| !it.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let name = decoded(name, true).ok_or(PageError::NoPage)?;
            let Some(value) = decoded(value, true) else {
                return Err(PageError::parameter(&name, "its value is not valid percent-encoded text"));
            };
            all.entry(name).or_insert_with(Vec::new).push(value);
        }
        Ok(Self(all))
    }

    /// Which page of a list is asked for, from 0.
    pub(super) fn page(&mut self) -> Result<usize, PageError> {
        match self.take("page").map(|it| it.parse::<usize>()) {
            None => Ok(0),
            Some(Ok(number @ 1..=1_000_000)) => Ok(number - 1),
            Some(_) => Err(PageError::parameter("page", "write a number from 1 up")),
        }
    }

    /// The words of the search.
    pub(super) fn text(&mut self) -> String {
        self.take("q").unwrap_or_default().trim().to_owned()
    }

    /// A parameter that has a value.
    pub(super) fn take(&mut self, name: &str) -> Option<String> {
        self.0.remove(name)?.into_iter().next().filter(|it| !it.trim().is_empty())
    }

    /// All values of a parameter, each once, in their order.
    pub(super) fn take_all(&mut self, name: &str) -> Vec<String> {
        let all: BTreeSet<String> = self.0.remove(name).unwrap_or_default().into_iter().collect();
        all.into_iter().filter(|it| !it.trim().is_empty()).collect()
    }
}

/// A text without percent encoding; `None` if the encoding is not valid.
pub(super) fn decoded(text: &str, plus_is_blank: bool) -> Option<String> {
    String::from_utf8(percent::decoded(text, plus_is_blank)?).ok()
}
