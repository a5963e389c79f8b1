//! The resolution of a namespace for people: the set, the steps, the operators that stay behind, and their
//! dependencies; or the reason why there is none.

use std::io::Write;

use crate::cli::args::formats::OutputFormat;
use crate::cli::print::fit::wrap;
use crate::cli::print::table::write_table;
use crate::cli::terminal::error::CommandError;
use crate::cli::terminal::screen::screen;
use crate::diag::{Place, printable, printable_line};
use crate::namespace::{Effect, Obstacle};
use crate::resolve::{Because, Named, Position, Repair, ResolutionAnswer, Sentence, with_origin};

pub(in crate::cli) fn write_list(title: &str, items: &[String], out: &mut impl Write) -> Result<(), CommandError> {
    if !items.is_empty() {
        writeln!(out, "\n{title}:")?;
        for item in items {
            writeln!(out, "  {}", printable_line(item))?;
        }
    }
    Ok(())
}

pub(in crate::cli) fn write_resolution(
    answer: &ResolutionAnswer,
    format: OutputFormat,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    if answer.operators.is_empty() && answer.kept.is_empty() {
        writeln!(out, "Nothing to install in the namespace {}.", printable(&answer.namespace))?;
        return Ok(());
    }
    let headers = ["OPERATOR", "VERSION", "CATALOG", "CHANNEL", "ACTION", "BECAUSE"].map(str::to_owned).to_vec();
    let because = |reasons: &[Because]| {
        let words = |it: &Because| match (it.subscription.as_str(), it.required_by.as_str()) {
            ("", "") => "it is installed".to_owned(),
            ("", by) if format == OutputFormat::Wide && !it.place.file.is_empty() => {
                format!("{by} requires {} [{}]", it.requirement, it.place)
            }
            ("", by) => format!("{by} requires {}", it.requirement),
            (subscription, _) => format!("Subscription {subscription}"),
        };
        reasons.iter().map(words).collect::<Vec<_>>().join("; ")
    };
    let mut rows: Vec<Vec<String>> = Vec::new();
    for it in &answer.operators {
        let action = match (answer.steps.bundles.contains(&it.name), it.is_upgrade) {
            (false, _) => "none".to_owned(),
            (true, true) => format!("replaces {}", it.replaces),
            (true, false) => "install".to_owned(),
        };
        let (name, version) = (it.name.clone(), it.version.clone());
        rows.push(vec![name, version, it.catalog.clone(), it.channel.clone(), action, because(&it.because)]);
    }
    for it in &answer.kept {
        let empty = String::new;
        let (name, version) = (it.name.clone(), it.version.clone());
        rows.push(vec![name, version, empty(), empty(), "stays".to_owned(), because(&it.because)]);
    }
    write_table(format, Some(headers), rows, &[&["BECAUSE"]], out)?;
    let mut stops = answer.obstacles.iter().filter(|it| it.effect == Effect::Stops && !it.code.is_install_plan());
    let is_stopped = answer.steps.install_plan && stops.next().is_some();
    write_list(if is_stopped { "Steps when that is mended" } else { "Steps" }, &step_words(answer), out)?;
    providers(answer, out)?;
    standing(answer, out)?;
    behind(answer, out)
}

/// The reasons why these operators meet requirements and others do not.
fn providers(answer: &ResolutionAnswer, out: &mut impl Write) -> Result<(), CommandError> {
    let mut lines: Vec<String> = Vec::new();
    let of_new = answer.operators.iter().map(|it| (&it.name, &it.because));
    for (name, because) in of_new.chain(answer.kept.iter().map(|it| (&it.name, &it.because))) {
        for it in because.iter().filter(|it| !it.preferred_to.is_empty() || !it.passed_over_operators.is_empty()) {
            lines.push(format!("{name} for {}, which requires {}", it.required_by, it.requirement));
            if !it.passed_over_operators.is_empty() {
                let why = if it.is_shared { "something else needs it anyway" } else { "they cannot be installed here" };
                lines.push(format!("  instead of {}: {why}", alternatives(&it.passed_over_operators)));
            }
            for preferred in &it.preferred_to {
                let reason = preferred.by.reason();
                lines.push(format!("  preferred to {}: {reason}", alternatives(&preferred.operators)));
            }
        }
    }
    write_list("Providers", &lines, out)
}

/// Candidates with their sources; of a long list only the first.
fn alternatives(all: &[Named]) -> String {
    const SHOWN: usize = 4;
    let words = |it: &Named| with_origin(&it.name, &it.channel, &it.catalog);
    let mut shown: Vec<String> = all.iter().take(SHOWN).map(words).collect();
    if all.len() > SHOWN {
        shown.push(format!("{} more (`-o json` has all)", all.len() - SHOWN));
    }
    shown.join(", ")
}

/// Describes the steps of OLM.
fn step_words(answer: &ResolutionAnswer) -> Vec<String> {
    let steps = &answer.steps;
    if answer.operators.is_empty() {
        return vec![match answer.skipped_subscriptions.as_slice() {
            [] => "none: nothing changes".to_owned(),
            skipped => format!("not known: {}", skipped_words(skipped)),
        }];
    }
    if let Some(pending) = answer.obstacles.iter().find(|it| it.code.is_install_plan()) {
        return vec![format!("OLM makes no other InstallPlan: {}", pending.text)];
    }
    if !steps.install_plan {
        let why = "OLM creates no InstallPlan, because no existing Subscription changes";
        let lost = if steps.bundles.is_empty() {
            ""
        } else {
            ": OLM resolves the missing operators, but does not install them"
        };
        return vec![format!("{why}{lost}")];
    }
    let mut words = vec![if steps.needs_approval {
        "OLM creates an InstallPlan that waits for approval, because a Subscription in the namespace is Manual"
            .to_owned()
    } else {
        "OLM creates an InstallPlan and approves it at once".to_owned()
    }];
    words.extend(steps.bundles.iter().map(|it| format!("{it} is unpacked and installed")));
    words.extend(steps.new_subscriptions.iter().map(|it| {
        let (package, channel, source) = (&it.package, &it.channel, &it.source);
        format!("Subscription {} is created: {package}, channel {channel}, from {source}, {}", it.name, it.starting)
    }));
    words.extend(steps.updated_subscriptions.iter().map(|it| match it.installed.as_str() {
        "" => format!("Subscription {} gets {}", it.name, it.current),
        old => format!("Subscription {} goes from {old} to {}", it.name, it.current),
    }));
    words
}

/// The state of Subscriptions that get nothing new; `behind` covers the held ones.
fn standing(answer: &ResolutionAnswer, out: &mut impl Write) -> Result<(), CommandError> {
    let said = answer.standings.iter().filter(|it| it.position != Position::Held);
    let words = said.map(|it| match it.position {
        Position::Stranded => format!("Subscription {}: no update available: {}", it.subscription, it.reason),
        Position::Head | Position::Held => format!("Subscription {}: up to date: {}", it.subscription, it.reason),
    });
    write_list("No change", &words.collect::<Vec<_>>(), out)
}

fn behind(answer: &ResolutionAnswer, out: &mut impl Write) -> Result<(), CommandError> {
    for it in &answer.behind {
        let (name, gets, wanted) = (printable(&it.subscription), printable(&it.gets), printable(&it.wanted));
        writeln!(out, "\nSubscription {name} has {gets} and not {wanted}:")?;
        sentences(&it.because, out)?;
        if it.is_choice {
            writeln!(out, "  It competes with an earlier choice.")?;
        }
        write_repairs(&it.repairs, out)?;
    }
    Ok(())
}

fn sentences(all: &[Sentence], out: &mut impl Write) -> Result<(), CommandError> {
    for (idx, it) in all.iter().enumerate() {
        let place = match &it.place {
            Place { file, .. } if file.is_empty() => String::new(),
            place => format!("  [{place}]"),
        };
        let word = if idx == 0 { "because" } else { "and" };
        writeln!(out, "  {word} {}{}", printable(&it.text), printable(&place))?;
    }
    Ok(())
}

fn write_repairs(repairs: &[Repair], out: &mut impl Write) -> Result<(), CommandError> {
    let words = |it: &Repair| match it.installs.as_slice() {
        [] => format!("{}; then OLM has nothing left to install", it.change),
        installs => format!("{}; then OLM installs {}", it.change, installs.join(", ")),
    };
    write_list("Any one of these changes helps", &repairs.iter().map(words).collect::<Vec<_>>(), out)
}

/// Writes the obstacles that the cluster's objects show before anything is resolved, or those that come afterwards.
pub(in crate::cli) fn write_obstacles(obstacles: &[Obstacle], out: &mut impl Write) -> Result<(), CommandError> {
    for obstacle in obstacles {
        let (label, then) = match obstacle.effect {
            Effect::Stops => ("Stuck", String::new()),
            Effect::Waits => ("Waits", String::new()),
            _ if obstacle.consequence.is_empty() => ("Then, however", String::new()),
            _ => ("Then, however", format!(": {}", obstacle.consequence)),
        };
        let text = format!("{label}: {}{then}", obstacle.text);
        for line in wrap(&printable_line(&text), screen().width.unwrap_or(usize::MAX)) {
            writeln!(out, "{line}")?;
        }
        if !obstacle.message.is_empty() {
            writeln!(out, "  {}", printable_line(&obstacle.message))?;
        }
        if let Some(remedy) = obstacle.remedies.first() {
            writeln!(out, "  fix: {}", printable_line(&remedy.change))?;
        }
    }
    if !obstacles.is_empty() {
        writeln!(out, "  `olmdex diagnose` has the commands\n")?;
    }
    Ok(())
}

/// Why a namespace cannot be judged.
fn skipped_words(skipped: &[String]) -> String {
    let names = skipped.iter().map(|name| format!("`{}`", printable(name))).collect::<Vec<_>>().join(", ");
    let (subject, verb) = if skipped.len() == 1 { ("the Subscription", "has") } else { ("the Subscriptions", "have") };
    format!("{subject} {names} {verb} no catalog that is given")
}

pub(in crate::cli) fn write_refusal(answer: &ResolutionAnswer, out: &mut impl Write) -> Result<(), CommandError> {
    if !answer.skipped_subscriptions.is_empty() {
        let (namespace, why) = (printable(&answer.namespace), skipped_words(&answer.skipped_subscriptions));
        return Ok(writeln!(out, "Whether OLM resolves the namespace {namespace} is not known: {why}.")?);
    }
    writeln!(out, "OLM cannot resolve the namespace {}:", printable(&answer.namespace))?;
    if let Some(failure) = &answer.failure {
        writeln!(out, "  {}", printable_line(&failure.olm_message))?;
        let single = std::slice::from_ref(failure);
        let parts = if failure.parts.is_empty() { single } else { failure.parts.as_slice() };
        for part in parts {
            if !failure.parts.is_empty() {
                writeln!(out, "  - {}", printable(&part.olm_message))?;
            }
            let indent = if failure.parts.is_empty() { "" } else { "  " };
            if !part.operator.is_empty() {
                let place = format!("{} [{}]", part.operator, part.place);
                writeln!(out, "  {indent}in {}", printable(&place))?;
            }
            if !part.help.is_empty() {
                writeln!(out, "  {indent}{}", printable_line(&part.help))?;
            }
        }
    }
    let Some(conflict) = &answer.conflict else { return Ok(()) };
    sentences(&conflict.because, out)?;
    writeln!(out, "  so OLM changes nothing at all in this namespace.")?;
    write_repairs(&conflict.repairs, out)?;
    writeln!(out, "\nOLM says:\n  {}", printable_line(&conflict.olm_message))?;
    Ok(())
}

/// The tree of dependencies: below each Subscription the operators that it pulls in, and below those their own
/// dependencies.
pub(in crate::cli) fn write_tree(answer: &ResolutionAnswer, out: &mut impl Write) -> Result<(), CommandError> {
    let reasons = |name: &str| -> Vec<crate::resolve::Because> {
        let of_new = answer.operators.iter().filter(|it| it.name == name).flat_map(|it| &it.because);
        of_new.chain(answer.kept.iter().filter(|it| it.name == name).flat_map(|it| &it.because)).cloned().collect()
    };
    let names: Vec<&str> = answer
        .operators
        .iter()
        .map(|it| it.name.as_str())
        .chain(answer.kept.iter().map(|it| it.name.as_str()))
        .collect();
    let mut shown: Vec<&str> = Vec::new();
    // Each line has a depth and a name. Roots come first.
    for root in &names {
        for reason in reasons(root).iter().filter(|it| it.required_by.is_empty()) {
            let words = match reason.subscription.as_str() {
                "" => "installed".to_owned(),
                subscription => format!("Subscription {subscription}"),
            };
            writeln!(out, "{}", printable_line(&words))?;
            let mut open = vec![(1, *root, String::new())];
            while let Some((depth, name, why)) = open.pop() {
                let operator = answer.operators.iter().find(|it| it.name == name);
                let from = operator
                    .map_or_else(|| " (installed)".to_owned(), |it| format!(" ({} of {})", it.channel, it.catalog));
                let is_shown = shown.contains(&name);
                let more = if is_shown { ", see above" } else { "" };
                let line = format!("{name}{from}{more}{why}");
                writeln!(out, "{}{}", "  ".repeat(depth), printable_line(&line))?;
                if is_shown {
                    continue;
                }
                shown.push(name);
                let needed = names.iter().rev().flat_map(|needed| {
                    let by: Vec<_> = reasons(needed).into_iter().filter(|it| it.required_by == name).collect();
                    by.into_iter().rev().map(move |it| (depth + 1, *needed, format!("  because of {}", it.requirement)))
                });
                open.extend(needed);
            }
        }
    }
    Ok(())
}
