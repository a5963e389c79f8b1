//! Rules on standard output: one with its example, or a list.

use std::io::{self, BufWriter, Write};

use crate::check::practice::Profile;
use crate::cli::args::formats::{AnswerOptions, OutputFormat};
use crate::cli::print::answers::print_answers;
use crate::cli::print::sheet::Sheet;
use crate::cli::terminal::error::{CommandResult, Exit};
use crate::diag::Rule;
use crate::explain::RuleExplanation;

/// Prints the explanation of a rule, the rules of a pipeline, or the list of `all` rules; for programs each in full.
pub(crate) fn print_rules(wanted: &str, rules: Vec<&'static Rule>, options: AnswerOptions) -> CommandResult {
    if !matches!(options.output, OutputFormat::Table | OutputFormat::Wide) {
        let explanations = rules.into_iter().map(RuleExplanation::from).collect();
        print_answers(options, "RuleExplanation", explanations, sheet)?;
        return Ok(Exit::Yes);
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    match (Profile::find(wanted), rules.as_slice()) {
        (None, [rule]) => write_rule(rule, &mut out)?,
        (profile, rules) => {
            if let Some(profile) = profile {
                writeln!(out, "{}: {}\n", profile.name(), profile.about())?;
            }
            for rule in rules {
                writeln!(out, "{}  {:<36} {}", rule.id, rule.name, rule.summary)?;
            }
        }
    }
    out.flush()?;
    Ok(Exit::Yes)
}

fn write_rule(rule: &Rule, out: &mut impl Write) -> io::Result<()> {
    let RuleExplanation { id, name, severity, summary, explanation, example, pipelines, .. } = rule.into();
    writeln!(out, "{id} {name} ({})\n\n{summary}\n\n{explanation}\n\nExample that breaks it:\n", severity.word())?;
    for line in example.lines() {
        writeln!(out, "    {line}")?;
    }
    if !pipelines.is_empty() {
        writeln!(out, "\nOff unless you select it, or a pipeline does: {}", pipelines.join(", "))?;
    }
    Ok(())
}

fn sheet(rule: &RuleExplanation) -> Sheet {
    let mut sheet = Sheet::default();
    let row = [rule.id, rule.name, rule.severity.word(), rule.summary];
    sheet.main(&["RULE", "NAME", "SEVERITY", "SUMMARY"], vec![row.map(str::to_owned).to_vec()]);
    sheet.list_names([rule.id.to_owned()]);
    sheet
}
