//! Results as JUnit XML, the form in which CI systems show failures and their reasons.
//!
//! The elements are those that Jenkins, GitLab, GitHub and Azure read: suites of cases, each of which passed, failed,
//! could not be judged (`error`) or was not judged (`skipped`). There are no times and no host: the same results are
//! the same bytes.

use super::printable::xml_text;
use super::{Finding, Severity};

/// Suites under one name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JunitReport {
    /// The action, in a line.
    pub name: String,
    /// Its suites.
    pub suites: Vec<JunitSuite>,
}

/// The cases of one area.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JunitSuite {
    /// The area.
    pub name: String,
    /// Its cases.
    pub cases: Vec<JunitCase>,
}

/// A judged item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JunitCase {
    /// The group of the case, with dots as in names of classes.
    pub class: String,
    /// The item that was judged.
    pub name: String,
    /// Its result.
    pub result: JunitResult,
}

/// The result of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JunitResult {
    /// All is well.
    Passed,
    /// It is not.
    Failed(JunitReason),
    /// It could not be judged, which is no failure; with the reason.
    Skipped(String),
}

/// The reason why a case did not pass.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JunitReason {
    /// The word for it.
    pub kind: String,
    /// In a line.
    pub message: String,
    /// All that there is to say, in lines.
    pub detail: Vec<String>,
}

/// The number of cases, and of each result.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    tests: usize,
    failures: usize,
    skipped: usize,
}

impl Tally {
    fn of<'c>(cases: impl Iterator<Item = &'c JunitCase>) -> Self {
        let mut tally = Self::default();
        for case in cases {
            tally.tests += 1;
            match case.result {
                JunitResult::Passed => {}
                JunitResult::Failed(_) => tally.failures += 1,
                JunitResult::Skipped(_) => tally.skipped += 1,
            }
        }
        tally
    }

    fn attributes(self) -> String {
        let Self { tests, failures, skipped } = self;
        format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\"")
    }
}

/// A text as content of an element or of an attribute in quotes of either kind.
fn escaped(text: &str) -> String {
    xml_text(text).replace('\'', "&apos;")
}

impl JunitReport {
    /// The document.
    pub fn to_xml(&self) -> String {
        let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let all = Tally::of(self.suites.iter().flat_map(|it| &it.cases));
        out.push_str(&format!("<testsuites name=\"{}\" {}>\n", escaped(&self.name), all.attributes()));
        for suite in &self.suites {
            let tally = Tally::of(suite.cases.iter());
            out.push_str(&format!("  <testsuite name=\"{}\" {}>\n", escaped(&suite.name), tally.attributes()));
            suite.cases.iter().for_each(|it| it.write(&mut out));
            out.push_str("  </testsuite>\n");
        }
        out.push_str("</testsuites>\n");
        out
    }
}

impl JunitCase {
    fn write(&self, out: &mut String) {
        let Self { class, name, result } = self;
        let head = format!("    <testcase classname=\"{}\" name=\"{}\"", escaped(class), escaped(name));
        let reason = match result {
            JunitResult::Passed => return out.push_str(&format!("{head}/>\n")),
            JunitResult::Skipped(why) => {
                let why = escaped(why);
                return out.push_str(&format!("{head}>\n      <skipped message=\"{why}\"/>\n    </testcase>\n"));
            }
            JunitResult::Failed(reason) => reason,
        };
        let (kind, message) = (escaped(&reason.kind), escaped(&reason.message));
        let detail: Vec<String> = reason.detail.iter().map(|it| escaped(it)).collect();
        out.push_str(&format!("{head}>\n      <failure type=\"{kind}\" message=\"{message}\">"));
        out.push_str(&format!("{}</failure>\n    </testcase>\n", detail.join("\n")));
    }
}

/// Findings as JUnit XML: an error fails, as it does for the exit code, and a warning is skipped with its message.
pub fn findings(findings: &[Finding]) -> String {
    let case = |finding: &Finding| {
        let place = finding.place.as_ref().map(|place| place.to_string()).unwrap_or_default();
        let help = finding.help.as_ref().map(|help| format!("help: {help}"));
        let at = (!place.is_empty()).then(|| format!("at {place}"));
        let reason = JunitReason {
            kind: finding.rule.id.to_owned(),
            message: finding.message.clone(),
            detail: [finding.message.clone()].into_iter().chain(at).chain(help).collect(),
        };
        JunitCase {
            class: format!("olmdex.{}", finding.package.as_deref().unwrap_or("catalog")),
            name: format!("{} {} {place}", finding.rule.id, finding.rule.name).trim_end().to_owned(),
            result: match finding.rule.severity {
                Severity::Error => JunitResult::Failed(reason),
                Severity::Warning | Severity::Note => JunitResult::Skipped(finding.message.clone()),
            },
        }
    };
    let mut cases: Vec<JunitCase> = findings.iter().map(case).collect();
    if cases.is_empty() {
        // A report without cases counts as a run that did not happen.
        let (class, name) = ("olmdex.catalog".to_owned(), "no findings".to_owned());
        cases.push(JunitCase { class, name, result: JunitResult::Passed });
    }
    JunitReport { name: "olmdex".to_owned(), suites: vec![JunitSuite { name: "findings".to_owned(), cases }] }.to_xml()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_its_place() {
        let hostile = "\"><x>&]]>\u{0}\u{1b}[31m\u{FFFE}\n'\u{202E}";
        let reason = || JunitReason {
            kind: hostile.to_owned(),
            message: hostile.to_owned(),
            detail: vec![hostile.to_owned(); 2],
        };
        let results = [JunitResult::Passed, JunitResult::Failed(reason()), JunitResult::Skipped(hostile.to_owned())];
        let case = |result| JunitCase { class: hostile.to_owned(), name: hostile.to_owned(), result };
        let suite = JunitSuite { name: hostile.to_owned(), cases: results.into_iter().map(case).collect() };
        let text = JunitReport { name: hostile.to_owned(), suites: vec![suite] }.to_xml();
        assert!(text.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""), "{text}");
        assert!(!text.contains("<x>") && !text.contains("]]>"), "{text}");
        assert!(text.chars().all(|it| it == '\n' || (!it.is_control() && it != '\u{FFFE}' && it != '\u{202E}')));
        // Each element is closed once, and everything between the elements is text.
        for element in ["testsuites", "testsuite", "failure"] {
            assert_eq!(text.matches(&format!("<{element} ")).count(), 1, "{element}");
            assert_eq!(text.matches(&format!("</{element}>")).count(), 1, "{element}");
        }
        assert_eq!(text.matches("</testcase>").count(), 2);
    }
}
