//! Findings as workflow commands, which GitHub Actions shows beside the lines that they are about.

use super::{Finding, Severity, printable};

/// One finding as one line, without the newline.
pub fn finding(finding: &Finding) -> String {
    let command = match finding.rule.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut properties = Vec::new();
    if let Some(place) = &finding.place {
        properties.push(format!("file={}", escape(&place.file, true)));
        properties.push(format!("line={}", place.line));
        properties.push(format!("col={}", place.column));
    }
    let check = finding.check.map(|it| format!(" ({it})")).unwrap_or_default();
    properties.push(format!("title={}", escape(&format!("{} {}{check}", finding.rule.id, finding.rule.name), true)));
    let mut message = finding.message.clone();
    if let Some(help) = &finding.help {
        message.push_str("\nhelp: ");
        message.push_str(help);
    }
    format!("::{command} {}::{}", properties.join(","), escape(&message, false))
}

/// Escapes characters that would end a command or one of its properties, and those that could steer the terminal that
/// shows the log. Only the line break before the help is kept.
fn escape(text: &str, is_property: bool) -> String {
    let lines: Vec<_> = text.split('\n').map(printable).collect();
    let text = lines.join("\n").replace('%', "%25").replace('\n', "%0A");
    if is_property { text.replace(':', "%3A").replace(',', "%2C") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Place, Rule};

    #[test]
    fn what_would_end_the_command_is_escaped() {
        static RULE: Rule =
            Rule { id: "E0001", name: "example", severity: Severity::Error, summary: "", explanation: "", example: "" };
        let it = RULE.finding("50% of\nit::error \u{1b}[0m").at(Place::at("a,b:c.yaml", 3, 7));
        assert_eq!(
            finding(&it),
            "::error file=a%2Cb%3Ac.yaml,line=3,col=7,title=E0001 example::50%25 of%0Ait::error \\u{1b}[0m"
        );
    }
}
