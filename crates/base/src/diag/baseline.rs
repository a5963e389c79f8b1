//! Findings that are known and accepted, as a document, so that new ones can be recognized.
//!
//! A finding is identified by its rule, its package and its message, however often it occurs: not by file and line,
//! which change. If a release of the program words a message otherwise, the names in it identify the finding. The
//! document is sorted, with a line for each finding, so that it can be reviewed and merged.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fingerprint::subject;
use super::{Finding, Rule};
use olmdex_text::json::Tree;

const API_VERSION: &str = "olmdex/v1";
const KIND: &str = "Baseline";

/// The document.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "Baseline")]
struct Form {
    /// Version of the document's form: `olmdex/v1`.
    api_version: String,
    /// `Baseline`.
    kind: String,
    /// The findings that are known.
    findings: Vec<KnownFinding>,
}

/// A finding that is known.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KnownFinding {
    /// Identifier of the rule.
    rule: String,
    /// The package that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    package: Option<String>,
    /// The message; numbers of lines and columns are `0`.
    message: String,
    /// How often it is there.
    count: u64,
}

/// The JSON Schema of the document.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Form)
}

/// The reasons why a text is not a baseline.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotABaseline {
    /// It is not JSON of the form.
    #[error("{}", form_words(.0))]
    Form(#[from] serde_json::Error),
    /// It is another document.
    #[error("`apiVersion` and `kind` are not `{API_VERSION}` and `{KIND}`")]
    OtherKind,
}

/// The words for a text of another form. An `olmdex.toml` may name any file, so they quote nothing of it.
fn form_words(error: &serde_json::Error) -> String {
    if error.is_data() {
        return format!("another document at line {} column {}", error.line(), error.column());
    }
    error.to_string()
}

/// The parts that make two findings the same, in the order of the document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    rule: String,
    package: Option<String>,
    message: String,
}

impl Key {
    fn of(finding: &Finding) -> Self {
        Self {
            rule: finding.rule.id.to_owned(),
            package: finding.package.clone(),
            message: without_lines(&finding.message),
        }
    }

    /// The same for every wording of the message.
    fn reworded(&self) -> Self {
        Self { message: subject(&self.message), ..self.clone() }
    }
}

/// The extent of a check: nothing else can be new or gone.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'s> {
    /// The rules that were applied.
    pub rules: &'s [&'static Rule],
    /// The only packages that were looked at; empty if all were.
    pub packages: &'s [String],
    /// Whether all catalogs were checked, and not only some of them: otherwise it is not known which findings are gone.
    pub is_whole: bool,
}

impl Scope<'_> {
    fn has(&self, key: &Key) -> bool {
        let is_of_package =
            self.packages.is_empty() || key.package.as_ref().is_none_or(|package| self.packages.contains(package));
        is_of_package && self.rules.iter().any(|it| it.id == key.rule)
    }
}

/// Findings that are known, with how often each is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    counts: BTreeMap<Key, u64>,
}

/// Findings compared with the known ones.
#[derive(Debug, Default)]
pub struct Compared {
    /// The findings that are not known.
    pub new: Vec<Finding>,
    /// The findings that are known.
    pub known: Vec<Finding>,
    /// The number of findings that were known and are not there any more.
    pub n_gone: u64,
}

impl Baseline {
    /// Reads the document.
    ///
    /// # Errors
    /// If it is another one.
    pub fn parse(text: &[u8]) -> Result<Self, NotABaseline> {
        let form: Form = serde_json::from_slice(text)?;
        if form.api_version != API_VERSION || form.kind != KIND {
            return Err(NotABaseline::OtherKind);
        }
        let mut counts: BTreeMap<Key, u64> = BTreeMap::new();
        for KnownFinding { rule, package, message, count } in form.findings {
            let sum = counts.entry(Key { rule, package, message }).or_default();
            *sum = sum.saturating_add(count);
        }
        Ok(Self { counts })
    }

    /// The document: sorted, a line for each finding.
    pub fn to_text(&self) -> String {
        let known = self.counts.iter().map(|(key, count)| {
            let Key { rule, package, message } = key.clone();
            // Texts and numbers can always be written.
            serde_json::to_string(&KnownFinding { rule, package, message, count: *count }).unwrap_or_default()
        });
        let lines: Vec<String> = known.map(|it| format!("\n    {it}")).collect();
        let findings = if lines.is_empty() { "[]".to_owned() } else { format!("[{}\n  ]", lines.join(",")) };
        let document = Tree::of_texts([("apiVersion", API_VERSION), ("kind", KIND)]);
        document.with("findings", Tree::Raw(findings)).indented(2) + "\n"
    }

    /// Separates new findings from known ones. Findings out of scope are always new. If a finding occurs more often
    /// than it is known, the last ones are new.
    pub fn compare(&self, findings: Vec<Finding>, scope: &Scope<'_>) -> Compared {
        let mut left: BTreeMap<&Key, u64> = self.counts.iter().map(|(key, n)| (key, *n)).collect();
        let mut take = |key: &Key| match left.get_mut(key).filter(|it| **it > 0) {
            Some(n) => {
                *n -= 1;
                true
            }
            None => false,
        };
        let keys: Vec<Key> = findings.iter().map(Key::of).collect();
        let mut is_known: Vec<bool> = keys.iter().map(|key| scope.has(key) && take(key)).collect();
        // Findings of an older release, whose words may differ.
        let mut reworded: BTreeMap<Key, u64> = BTreeMap::new();
        for (key, n) in left.into_iter().filter(|(key, n)| *n > 0 && scope.has(key)) {
            let sum = reworded.entry(key.reworded()).or_default();
            *sum = sum.saturating_add(n);
        }
        for (key, is_known) in keys.iter().zip(&mut is_known).filter(|(key, is_known)| !**is_known && scope.has(key)) {
            if let Some(n) = reworded.get_mut(&key.reworded()).filter(|it| **it > 0) {
                *n -= 1;
                *is_known = true;
            }
        }
        let mut compared = Compared::default();
        for (finding, is_known) in findings.into_iter().zip(is_known) {
            if is_known { compared.known.push(finding) } else { compared.new.push(finding) }
        }
        if scope.is_whole {
            compared.n_gone = reworded.into_values().fold(0, u64::saturating_add);
        }
        compared
    }

    /// Replaces the known findings within the scope by these. Known findings out of scope stay.
    pub fn update(&mut self, findings: &[Finding], scope: &Scope<'_>) {
        let mut found: BTreeMap<Key, u64> = BTreeMap::new();
        for key in findings.iter().map(Key::of).filter(|it| scope.has(it)) {
            *found.entry(key).or_default() += 1;
        }
        if scope.is_whole {
            self.counts.retain(|key, _| !scope.has(key));
        }
        for (key, n) in found {
            let known = self.counts.entry(key).or_default();
            *known = (*known).max(n);
        }
    }
}

/// A message in which numbers of lines and columns are `0`.
fn without_lines(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut is_number = false;
    for c in message.chars() {
        if !c.is_ascii_digit() {
            is_number = false;
        } else if is_number {
            continue;
        } else if ["line ", "column "].iter().any(|it| out.ends_with(it)) {
            is_number = true;
            out.push('0');
            continue;
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Severity;

    static RULE: Rule =
        Rule { id: "W0001", name: "example", severity: Severity::Warning, summary: "", explanation: "", example: "" };
    static OTHER: Rule =
        Rule { id: "W0002", name: "other", severity: Severity::Warning, summary: "", explanation: "", example: "" };

    fn finding(rule: &'static Rule, package: &str, message: &str) -> Finding {
        rule.finding(message).of_package(package.to_owned())
    }

    const SCOPE: Scope<'_> = Scope { rules: &[&RULE], packages: &[], is_whole: true };

    fn baseline(findings: &[Finding]) -> Baseline {
        let mut baseline = Baseline::default();
        baseline.update(findings, &SCOPE);
        baseline
    }

    #[test]
    fn what_is_written_is_read() {
        let known = baseline(&[finding(&RULE, "p", "b \"x\"\n"), finding(&RULE, "p", "a"), finding(&RULE, "p", "a")]);
        assert_eq!(
            known.to_text(),
            "{\n  \"apiVersion\": \"olmdex/v1\",\n  \"kind\": \"Baseline\",\n  \"findings\": [
    {\"rule\":\"W0001\",\"package\":\"p\",\"message\":\"a\",\"count\":2},
    {\"rule\":\"W0001\",\"package\":\"p\",\"message\":\"b \\\"x\\\"\\n\",\"count\":1}\n  ]\n}\n"
        );
        for it in [known, Baseline::default()] {
            assert_eq!(Baseline::parse(it.to_text().as_bytes()).unwrap(), it);
        }
    }

    #[test]
    fn other_documents_are_refused() {
        for text in
            ["", "{}", "[]", "{\"apiVersion\":\"olmdex/v1\",\"kind\":\"Findings\",\"findings\":[]}", "\u{feff}{}"]
        {
            assert!(Baseline::parse(text.as_bytes()).is_err(), "{text}");
        }
        let deep = "[".repeat(1_000_000);
        assert!(Baseline::parse(deep.as_bytes()).is_err());
    }

    #[test]
    fn what_is_there_more_often_is_new() {
        let known = baseline(&[finding(&RULE, "p", "a")]);
        let twice = vec![finding(&RULE, "p", "a"), finding(&RULE, "p", "a"), finding(&RULE, "q", "a")];
        let compared = known.compare(twice, &SCOPE);
        assert_eq!((compared.known.len(), compared.new.len(), compared.n_gone), (1, 2, 0));
        assert_eq!(known.compare(Vec::new(), &SCOPE).n_gone, 1);
    }

    #[test]
    fn a_message_that_a_release_words_otherwise_is_known() {
        let known = baseline(&[
            finding(&RULE, "p", "bundle `a` does not name a package"),
            finding(&RULE, "p", "bundle `b` does not name a package"),
        ]);
        let of_bundle = |it: char| finding(&RULE, "p", &format!("bundle `{it}` names no package"));
        let now = |names: &'static str| names.chars().map(of_bundle);
        let compared = known.compare(now("aab").collect(), &SCOPE);
        assert_eq!((compared.known.len(), compared.new.len(), compared.n_gone), (2, 1, 0));
        let compared = known.compare(now("bc").collect(), &SCOPE);
        assert_eq!((compared.known.len(), compared.new.len(), compared.n_gone), (1, 1, 1));
        // The same words win over other ones.
        let both = vec![finding(&RULE, "p", "`a` is odd"), finding(&RULE, "p", "bundle `a` does not name a package")];
        let compared = known.compare(both, &SCOPE);
        assert_eq!(compared.new.iter().map(|it| it.message.as_str()).collect::<Vec<_>>(), ["`a` is odd"]);
    }

    #[test]
    fn what_was_not_looked_at_is_not_gone() {
        let mut known = baseline(&[finding(&RULE, "p", "a")]);
        for scope in [
            Scope { rules: &[&OTHER], ..SCOPE },
            Scope { packages: &["q".to_owned()], ..SCOPE },
            Scope { is_whole: false, ..SCOPE },
        ] {
            assert_eq!(known.compare(Vec::new(), &scope).n_gone, 0);
            let before = known.clone();
            known.update(&[], &scope);
            assert_eq!(known, before);
        }
    }

    #[test]
    fn lines_and_columns_do_not_count() {
        for (message, expected) in [
            ("yaml: line 45: no", "yaml: line 0: no"),
            ("line 4, column 12", "line 0, column 0"),
            ("image `quay.io/p:1.2`, `line`", "image `quay.io/p:1.2`, `line`"),
            ("v1.2.3 replaces v1.2.2", "v1.2.3 replaces v1.2.2"),
        ] {
            assert_eq!(without_lines(message), expected);
        }
    }
}
