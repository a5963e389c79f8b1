//! Rules on standard output: one with its example, or a list.

use std::io::{BufWriter, Write as _};

use crate::check::practice::Profile;
use crate::cli::lists::all_rules;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::diag::Rule;

/// The rule of an identifier or a name.
pub(crate) fn find_rule(word: &str) -> Option<&'static Rule> {
    all_rules().into_iter().find(|it| it.id.eq_ignore_ascii_case(word) || it.name.eq_ignore_ascii_case(word))
}

/// Prints what a rule is about, the rules of a pipeline, or the list of `all` rules.
pub(crate) fn explain_rule(wanted: &str) -> CommandResult {
    let mut out = BufWriter::new(std::io::stdout().lock());
    if wanted == "all" {
        for rule in all_rules() {
            writeln!(out, "{}  {:<36} {}", rule.id, rule.name, rule.summary)?;
        }
        out.flush()?;
        return Ok(Exit::Yes);
    }
    if let Some(profile) = Profile::find(wanted) {
        writeln!(out, "{}: {}\n", profile.name(), profile.about())?;
        for rule in profile.rules() {
            writeln!(out, "{}  {:<36} {}", rule.id, rule.name, rule.summary)?;
        }
        out.flush()?;
        return Ok(Exit::Yes);
    }
    let Some(rule) = find_rule(wanted) else {
        let all = all_rules();
        let names = all.iter().flat_map(|it| [it.id, it.name]);
        let error = CommandError::new(Exit::NotFound, format!("there is no rule `{wanted}`"));
        return Err(error.help(match crate::diag::closest(wanted, names) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "`olmdex explain all` lists the rules".to_owned(),
        }));
    };
    let Rule { id, name, severity, summary, explanation, example } = rule;
    writeln!(out, "{id} {name} ({})\n\n{summary}\n\n{explanation}\n\nExample that breaks it:\n", severity.word())?;
    for line in example.lines() {
        writeln!(out, "    {line}")?;
    }
    let holding = Profile::ALL.into_iter().filter(|it| it.rules().iter().any(|it| it.id == *id));
    let holding: Vec<&str> = holding.map(Profile::name).collect();
    if !holding.is_empty() {
        writeln!(out, "\nOff unless it is selected, or by a pipeline: {}", holding.join(", "))?;
    }
    out.flush()?;
    Ok(Exit::Yes)
}
