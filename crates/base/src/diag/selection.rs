//! The choice of the findings that are shown, and their severity.
//!
//! Rules are named by identifier (`W0805`), by name (`head-without-way-to-default`), by the beginning of their
//! identifiers (`W08`), or all at once (`ALL`). Options come in layers, the command line before a file. In a layer the
//! most specific word decides, and of equally specific ones the one that ignores; the first layer that says something
//! of a rule decides. A layer that selects anything leaves out all the rest.

use std::collections::{BTreeMap, BTreeSet};

use super::{Rule, Severity, closest};

/// The severity that a rule gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// An error.
    Error,
    /// A warning.
    Warning,
    /// A note, which counts for no exit code.
    Note,
    /// Its findings are hidden.
    Off,
}

/// The choices of one source of options.
#[derive(Debug, Clone, Default)]
pub struct Layer {
    /// The rules to show; if there are any, no others.
    pub select: Vec<String>,
    /// The rules to hide.
    pub ignore: Vec<String>,
    /// Severities; of equally specific words the last counts.
    pub severity: Vec<(String, Level)>,
}

/// A word that names no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no rule `{word}`")]
pub struct UnknownRule {
    /// The word.
    pub word: String,
    /// The word that may be meant.
    pub guess: Option<String>,
}

impl UnknownRule {
    /// The advice about it.
    pub fn help(&self) -> String {
        match &self.guess {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => {
                "`olmdex explain all` lists the rules; `W08` selects all rules that start with it, `ALL` every rule"
                    .to_owned()
            }
        }
    }
}

/// The treatment of the findings of one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// They are shown, with this severity.
    Shown(Severity),
    /// The layer of this number hides them.
    Hidden(usize),
}

/// The treatment of the findings of each rule.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    verdicts: BTreeMap<&'static str, Verdict>,
    /// The rules that are hidden only because others are selected.
    left_out: BTreeSet<&'static str>,
}

impl Selection {
    /// Judges all rules by layers of options; earlier layers take precedence.
    ///
    /// # Errors
    /// If a word names no rule. [`check_word`] tells beforehand.
    pub fn new(known: &[&'static Rule], layers: &[Layer]) -> Result<Self, UnknownRule> {
        for layer in layers {
            let words = layer.select.iter().chain(&layer.ignore).chain(layer.severity.iter().map(|(word, _)| word));
            words.map(String::as_str).try_for_each(|it| check_word(known, it))?;
        }
        let mut selection = Self::default();
        for rule in known {
            let (verdict, is_left_out) = judge(rule, layers);
            selection.verdicts.insert(rule.id, verdict);
            if is_left_out {
                selection.left_out.insert(rule.id);
            }
        }
        Ok(selection)
    }

    /// Hides rules that are off by themselves, but for those that are `on`, unless a layer selects them or gives them a
    /// severity with a word that names no others: `W` means the warnings that everybody gets.
    pub fn off_by_default(&mut self, rules: &[&'static Rule], on: &[&'static Rule], layers: &[Layer]) {
        for rule in rules.iter().filter(|it| !on.iter().any(|on| on.id == it.id)) {
            let is_own = |word: &String| {
                let is_exact = specificity(word, rule) == Some(usize::MAX);
                let begins = |id: &str| id.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word));
                let others = self.verdicts.keys().filter(|id| begins(id) && !rules.iter().any(|it| it.id == **id));
                is_exact || (!word.is_empty() && begins(rule.id) && others.count() == 0)
            };
            let is_named = |layer: &Layer| {
                let levels = layer.severity.iter().filter(|it| it.1 != Level::Off).map(|(word, _)| word);
                layer.select.iter().chain(levels).any(is_own)
            };
            if !layers.iter().any(is_named) {
                self.verdicts.insert(rule.id, Verdict::Hidden(layers.len()));
            }
        }
    }

    /// Exempts rules from it: their findings are shown as they are.
    pub fn exempt(&mut self, rules: &[&'static Rule]) {
        self.verdicts.retain(|id, _| !rules.iter().any(|it| it.id == *id));
    }

    /// The treatment of the findings of a rule. Those of an unknown rule are shown.
    pub fn verdict(&self, rule: &Rule) -> Verdict {
        self.verdicts.get(rule.id).copied().unwrap_or(Verdict::Shown(rule.severity))
    }

    /// Whether a rule is hidden only because others are selected: nobody has chosen to ignore it.
    pub fn is_left_out(&self, rule: &Rule) -> bool {
        self.left_out.contains(rule.id)
    }
}

/// Whether a word names a rule, or several.
///
/// # Errors
/// If it names none.
pub fn check_word(known: &[&'static Rule], word: &str) -> Result<(), UnknownRule> {
    if known.iter().any(|it| specificity(word, it).is_some()) {
        return Ok(());
    }
    let names = known.iter().flat_map(|it| [it.id, it.name]);
    Err(UnknownRule { word: word.to_owned(), guess: closest(word, names).map(str::to_owned) })
}

/// The specificity with which a word names a rule, if it does.
fn specificity(word: &str, rule: &Rule) -> Option<usize> {
    if rule.id.eq_ignore_ascii_case(word) || rule.name.eq_ignore_ascii_case(word) {
        return Some(usize::MAX);
    }
    if word.eq_ignore_ascii_case("ALL") {
        return Some(0);
    }
    let begins = rule.id.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word));
    (begins && !word.is_empty()).then_some(word.len())
}

/// The treatment of a rule, and whether it is hidden only because others are selected.
fn judge(rule: &Rule, layers: &[Layer]) -> (Verdict, bool) {
    let best = |words: &[String]| words.iter().filter_map(|it| specificity(it, rule)).max();
    let mut severity = None;
    let mut hidden_by = None;
    let mut is_only_left_out = false;
    let mut is_decided = false;
    for (number, layer) in layers.iter().enumerate() {
        let levels = layer.severity.iter().filter_map(|(word, level)| Some((specificity(word, rule)?, *level)));
        let level = levels.max_by_key(|(specificity, _)| *specificity).map(|(_, level)| level);
        severity = severity.or(match level {
            Some(Level::Error) => Some(Severity::Error),
            Some(Level::Warning) => Some(Severity::Warning),
            Some(Level::Note) => Some(Severity::Note),
            Some(Level::Off) | None => None,
        });
        if is_decided {
            continue;
        }
        let (selected, ignored) = (best(&layer.select), best(&layer.ignore));
        let is_hidden = level == Some(Level::Off) || (ignored.is_some() && ignored >= selected);
        let is_left_out = selected.is_none() && !layer.select.is_empty();
        if is_hidden || is_left_out {
            hidden_by = Some(number);
            is_only_left_out = !is_hidden;
        }
        is_decided = is_hidden || is_left_out || selected.is_some();
    }
    match hidden_by {
        Some(number) => (Verdict::Hidden(number), is_only_left_out),
        None => (Verdict::Shown(severity.unwrap_or(rule.severity)), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::with_severity;

    const fn rule(id: &'static str, name: &'static str, severity: Severity) -> Rule {
        Rule { id, name, severity, summary: "", explanation: "", example: "" }
    }

    static HEADS: Rule = rule("E0207", "several-heads", Severity::Error);
    static STRANDED: Rule = rule("W0802", "stranded-version", Severity::Warning);
    static LOST: Rule = rule("W0806", "lost-version", Severity::Warning);
    static KNOWN: [&Rule; 3] = [&HEADS, &STRANDED, &LOST];

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn layer(select: &str, ignore: &str) -> Layer {
        Layer { select: words(select), ignore: words(ignore), severity: Vec::new() }
    }

    fn seen(layers: &[Layer]) -> Vec<&'static str> {
        let selection = Selection::new(&KNOWN, layers).unwrap();
        let is_seen = |it: &&&Rule| matches!(selection.verdict(it), Verdict::Shown(_));
        KNOWN.iter().filter(is_seen).map(|it| it.id).collect()
    }

    #[test]
    fn the_most_specific_word_decides() {
        for (select, ignore, expected) in [
            ("", "", "E0207 W0802 W0806"),
            ("W", "", "W0802 W0806"),
            ("", "w08", "E0207"),
            ("W08", "W0802", "W0806"),
            ("W0802", "W08", "W0802"),
            ("stranded-version", "W0802", ""),
            ("ALL", "E", "W0802 W0806"),
            ("", "ALL", ""),
        ] {
            assert_eq!(seen(&[layer(select, ignore)]), words(expected), "--select {select} --ignore {ignore}");
        }
    }

    #[test]
    fn the_first_layer_that_says_something_decides() {
        for (line, file, expected) in [
            (layer("", "W0802"), layer("", "W0806"), "E0207"),
            (layer("W0806", ""), layer("", "W0806"), "W0806"),
            (layer("", "E"), layer("W E", ""), "W0802 W0806"),
        ] {
            assert_eq!(seen(&[line, file]), words(expected));
        }
    }

    #[test]
    fn what_is_off_by_default_is_chosen_by_its_name_only() {
        let of_level = |word: &str, level| Layer { severity: vec![(word.to_owned(), level)], ..Layer::default() };
        for (layers, is_shown) in [
            (vec![], false),
            (vec![layer("", "E")], false),
            (vec![layer("ALL", "")], false),
            (vec![layer("W08", "")], false),
            (vec![layer("W0802", "")], true),
            (vec![layer("stranded-version", "")], true),
            (vec![layer("W0802", "W0802")], false),
            (vec![layer("E", ""), layer("W0802", "")], false),
            (vec![of_level("W0802", Level::Error)], true),
            (vec![of_level("W0802", Level::Off)], false),
        ] {
            let mut selection = Selection::new(&KNOWN, &layers).unwrap();
            selection.off_by_default(&[&STRANDED], &[], &layers);
            assert_eq!(matches!(selection.verdict(&STRANDED), Verdict::Shown(_)), is_shown, "{layers:?}");
        }
        // A word for rules that are all off chooses them; rules that are on are judged like all others.
        for (optional, on) in [(&[&STRANDED, &LOST][..], &[][..]), (&[&STRANDED][..], &[&STRANDED][..])] {
            let layers = [layer("W08", "")];
            let mut selection = Selection::new(&KNOWN, &layers).unwrap();
            selection.off_by_default(optional, on, &layers);
            assert!(matches!(selection.verdict(&STRANDED), Verdict::Shown(_)));
        }
    }

    #[test]
    fn severities_are_layered_too() {
        let of = |severity: &[(&str, Level)]| Layer {
            severity: severity.iter().map(|(word, level)| ((*word).to_owned(), *level)).collect(),
            ..Layer::default()
        };
        let line = of(&[("W0802", Level::Error)]);
        let file = of(&[("W", Level::Off), ("W0806", Level::Error), ("E", Level::Warning), ("W0802", Level::Warning)]);
        let selection = Selection::new(&KNOWN, &[line, file]).unwrap();
        assert_eq!(selection.verdict(&HEADS), Verdict::Shown(Severity::Warning));
        assert_eq!(selection.verdict(&STRANDED), Verdict::Shown(Severity::Error));
        assert_eq!(selection.verdict(&LOST), Verdict::Shown(Severity::Error));
        let selection = Selection::new(&KNOWN, &[Layer::default(), of(&[("W", Level::Off)])]).unwrap();
        assert_eq!(selection.verdict(&LOST), Verdict::Hidden(1));
    }

    #[test]
    fn a_word_that_names_no_rule_is_an_error_with_a_guess() {
        for (word, guess) in [
            ("stranded-versoin", Some("stranded-version")),
            ("W0809", Some("W0802")),
            ("X", None),
            ("", None),
            ("é", None),
        ] {
            let error = Selection::new(&KNOWN, &[layer(word, "")]).map(drop);
            if word.is_empty() {
                assert!(check_word(&KNOWN, word).is_err());
                continue;
            }
            assert_eq!(error.unwrap_err().guess.as_deref(), guess, "{word}");
        }
    }

    #[test]
    fn a_rule_of_another_severity_is_made_once() {
        let first = with_severity(&STRANDED, Severity::Error);
        assert!(std::ptr::eq(first, with_severity(&STRANDED, Severity::Error)));
        assert!(std::ptr::eq(&raw const STRANDED, with_severity(&STRANDED, Severity::Warning)));
        assert_eq!((first.id, first.severity), ("W0802", Severity::Error));
    }
}
