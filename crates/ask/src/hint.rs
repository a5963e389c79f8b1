//! Hints about a name that nothing has: the probable meaning, names that are near, or other catalogs that have it.

use std::collections::BTreeSet;
use std::fmt;

use olmdex_base::diag::{closest, closest_of_same_numbers};
use olmdex_version::{Version, first_of, nearest, version_in_name};

/// A hint about a name that nothing has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// Catalogs outside of the question have it: their names.
    Elsewhere(Vec<String>),
    /// The existing name that this one is probably a slip of.
    Meant(String),
    /// The nearest versions, in words.
    Near(String),
    /// No name is like it.
    Unlike,
}

/// The help for a name that nothing has. Its words are those for a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Help {
    /// The hint about the name.
    pub hint: Hint,
    /// The help if the hint is not enough.
    otherwise: String,
}

impl Help {
    pub(super) fn new(hint: Hint, otherwise: &str) -> Self {
        Self { hint, otherwise: otherwise.to_owned() }
    }
}

impl fmt::Display for Help {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.hint {
            Hint::Meant(name) => write!(f, "did you mean `{name}`?"),
            Hint::Near(words) => write!(f, "{words}; {}", self.otherwise),
            Hint::Unlike => f.write_str(&self.otherwise),
            Hint::Elsewhere(names) => match names.as_slice() {
                [only] => {
                    write!(f, "catalog `{only}` has it: choose it with `--catalog`, or leave out `--catalog`")
                }
                several => {
                    let names = first_of(several.iter().map(|it| format!("`{it}`")), several.len());
                    write!(
                        f,
                        "the catalogs {names} have it: choose one of them with `--catalog`, or leave out `--catalog`"
                    )
                }
            },
        }
    }
}

impl Hint {
    /// A hint with the catalogs that have it; `None` if there are none.
    pub(super) fn elsewhere(catalogs: impl Iterator<Item = String>) -> Option<Self> {
        let names: BTreeSet<String> = catalogs.collect();
        (!names.is_empty()).then(|| Self::Elsewhere(names.into_iter().collect()))
    }

    /// The name that was meant.
    pub(super) fn of<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Self {
        match closest(name, names.into_iter().filter(|it| *it != name)) {
            Some(meant) => Self::Meant(meant.to_owned()),
            None => Self::Unlike,
        }
    }

    /// As [`Self::of`], for names and versions of bundles of a package. Another version is not a slip: the hint lists
    /// the nearest versions, and the lowest and the highest one.
    pub(super) fn of_bundle<'b>(text: &str, bundles: impl Iterator<Item = (&'b str, &'b str)>) -> Self {
        let meant = |it: &str| Self::Meant(it.to_owned());
        let bundles: Vec<(&str, &str)> = bundles.collect();
        let names = bundles.iter().flat_map(|(name, version)| [*name, *version]);
        if let Some(found) = closest_of_same_numbers(text, names) {
            return meant(found);
        }
        let named = text.rsplit_once('@').map_or(text, |it| it.1);
        let plain = Version::parse_tolerant(named).ok();
        let wanted = plain.clone().or_else(|| version_in_name(named));
        // Only bundles with a similar name count when the list covers many packages.
        let stem = |it: &str| it.split('.').next().unwrap_or_default().to_owned();
        let (stem_of_text, is_plain) = (stem(named), plain.is_some());
        let alike: Vec<_> = bundles.iter().filter(|it| is_plain || stem(it.0) == stem_of_text).collect();
        let is_wanted = |it: &&&(&str, &str)| wanted.is_some() && Version::parse(it.1).ok() == wanted;
        if let Some((found, _)) = alike.iter().filter(is_wanted).min() {
            return meant(found);
        }
        match wanted.and_then(|it| nearest(Some(&it), alike.iter().map(|it| it.1))) {
            Some(near) => Self::Near(near),
            None => Self::Unlike,
        }
    }
}

/// The name that was probably meant, or else other help.
pub fn guess(name: &str, names: &[String], otherwise: &str) -> String {
    Help::new(Hint::of(name, names.iter().map(String::as_str)), otherwise).to_string()
}

/// As [`guess`], for names and versions of bundles of a package. Another version is not a slip: the hint lists the
/// nearest versions, and the lowest and the highest one.
pub fn guess_bundle(text: &str, bundles: &[(String, String)], otherwise: &str) -> String {
    Help::new(Hint::of_bundle(text, bundles.iter().map(|it| (&*it.0, &*it.1))), otherwise).to_string()
}

/// A hint that catalogs outside of the question have the missing name; `None` if none has it.
pub fn left_out(catalogs: impl Iterator<Item = String>) -> Option<String> {
    Some(Help::new(Hint::elsewhere(catalogs)?, "").to_string())
}
