//! Classes of characters: `[…]`, `\d`, `\pN`, and characters without regard to letter case.

use std::collections::{BTreeSet, HashMap};

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::group;

/// A class that is being built. Groups are added once, however often they are written.
#[derive(Debug, Default)]
pub(super) struct Builder {
    ranges: Vec<ClassUnicodeRange>,
    groups: BTreeSet<(String, bool)>,
}

/// The groups that a pattern has used, by name and whether letter case counts.
#[derive(Debug, Default)]
pub(super) struct Groups(HashMap<(String, bool), ClassUnicode>);

impl Groups {
    /// The group of a name; without regard to letter case it also holds the characters that its members fold to.
    fn get(&mut self, name: &str, folds: bool, make: impl FnOnce() -> Option<ClassUnicode>) -> Option<&ClassUnicode> {
        let key = (name.to_owned(), folds);
        if !self.0.contains_key(&key) {
            let mut class = make()?;
            if folds {
                class.case_fold_simple();
            }
            self.0.insert(key.clone(), class);
        }
        self.0.get(&key)
    }
}

impl Builder {
    pub(super) fn range(&mut self, start: char, end: char, folds: bool) {
        let range = ClassUnicodeRange::new(start, end);
        if folds {
            let mut class = ClassUnicode::new([range]);
            class.case_fold_simple();
            self.ranges.extend(class.iter().copied());
        } else {
            self.ranges.push(range);
        }
    }

    /// Adds a group, or all characters outside of it. `false` if there is no such group.
    pub(super) fn group(
        &mut self,
        groups: &mut Groups,
        name: &str,
        is_negated: bool,
        folds: bool,
        make: impl FnOnce() -> Option<ClassUnicode>,
    ) -> bool {
        let Some(class) = groups.get(name, folds, make) else { return false };
        if self.groups.insert((name.to_owned(), is_negated)) {
            if is_negated {
                let mut class = class.clone();
                class.negate();
                self.ranges.extend(class.iter().copied());
            } else {
                self.ranges.extend(class.iter().copied());
            }
        }
        true
    }

    pub(super) fn finish(self, is_negated: bool) -> Vec<(char, char)> {
        let mut class = ClassUnicode::new(self.ranges);
        if is_negated {
            class.negate();
        }
        class.iter().map(|it| (it.start(), it.end())).collect()
    }
}

/// Groups such as `\d` and `\S`.
pub(super) fn perl(builder: &mut Builder, groups: &mut Groups, letter: char, folds: bool) -> bool {
    let lower = letter.to_ascii_lowercase();
    let make = || group::perl(lower).map(group::ranges);
    builder.group(groups, &format!("\\{lower}"), letter.is_ascii_uppercase(), folds, make)
}

/// `[:alpha:]` and `[:^alpha:]`, by the text between the colons.
pub(super) fn posix(builder: &mut Builder, groups: &mut Groups, name: &str, folds: bool) -> bool {
    let (is_negated, name) = name.strip_prefix('^').map_or((false, name), |it| (true, it));
    builder.group(groups, &format!("[:{name}:]"), is_negated, folds, || group::posix(name).map(group::ranges))
}

/// `\p{Greek}`, `\P{Greek}`, `\p{^Greek}`, by the text between the braces.
pub(super) fn unicode(builder: &mut Builder, groups: &mut Groups, name: &str, is_negated: bool, folds: bool) -> bool {
    let (is_inverted, name) = name.strip_prefix('^').map_or((false, name), |it| (true, it));
    builder.group(groups, name, is_negated != is_inverted, folds, || group::unicode(name))
}
