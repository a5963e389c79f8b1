//! A plan as a page with boxes to tick, and as a script to read.
//!
//! What it deliberately does not do: nothing foreign becomes markup or a command.

use super::answer::{PathElement, Plan, PlanStep, StepKind};
use olmdex_base::diag::{counted, printable};

/// A text on one line that Markdown leaves alone.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in printable(text).split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// How many elements of a path a title names: a line of twenty is read by nobody, and the route has each.
const MAX_NAMED: usize = 4;

/// A path in words; of a long one the first and the last element.
fn shortened(path: Vec<String>) -> String {
    match path.as_slice() {
        [first, between @ .., last] if path.len() > MAX_NAMED => {
            format!("{first}, then {}, then {last}", counted(between.len() as u64, "more update"))
        }
        _ => path.join(", then "),
    }
}

impl PlanStep {
    /// What it does, in a line.
    #[must_use]
    pub fn title(&self) -> String {
        let subject = self.subject.as_deref().unwrap_or_default();
        let (from, to) = (self.from.as_deref().unwrap_or_default(), self.to.as_deref().unwrap_or_default());
        let path = self.path.iter().map(|it| match it {
            PathElement::Bundle(bundle) => bundle.clone(),
            PathElement::Together(bundles) => bundles.join(" + "),
        });
        let path = shortened(path.collect());
        let optional = if self.optional { " (optional)" } else { "" };
        match self.kind {
            StepKind::Mend => format!("Repair {subject}"),
            StepKind::Wait => format!("Wait for {path} in {subject}"),
            StepKind::Operator => format!("Update {subject} to {path}{optional}"),
            StepKind::Operators => format!("Update the operators of {subject} together to {path}{optional}"),
            StepKind::Channel => format!("Change {subject} from channel {from} to {to}"),
            StepKind::Source => format!("Change {subject} from source {from} to {to}"),
            StepKind::Extension if self.set.is_empty() => {
                format!("Wait until ClusterExtension {subject} has {path}{optional}")
            }
            StepKind::Extension => format!("Change ClusterExtension {subject}; it is updated to {path}{optional}"),
            StepKind::Uninstall => format!("Uninstall {subject}"),
            StepKind::ChannelOfCluster => format!("Set the channel of the cluster to {to}"),
            StepKind::PausePools => "Pause the pools of workers".to_owned(),
            StepKind::Platform => match &self.release {
                Some(release) => format!("Update OpenShift from {from} to {to} ({release})"),
                None => format!("Update OpenShift from {from} to {to}"),
            },
            StepKind::ResumePools => "Resume the pools of workers".to_owned(),
        }
    }
}

impl Plan {
    /// What it comes to, in a line.
    #[must_use]
    pub fn summary(&self) -> String {
        let metadata = &self.metadata;
        // As many as the list has numbers.
        let optional = match self.steps.iter().filter(|it| it.optional).count() {
            0 => String::new(),
            n => format!(" ({n} optional)"),
        };
        format!(
            "{} to {}: {}; {}{optional}, {}, {}",
            metadata.from,
            metadata.to,
            self.verdict.as_str(),
            counted(self.steps.len() as u64, "step"),
            counted(self.blockers.len() as u64, "blocker"),
            counted(self.decisions.len() as u64, "decision"),
        )
    }
}

/// A page in Markdown.
#[must_use]
pub fn markdown(plan: &Plan) -> String {
    let metadata = &plan.metadata;
    let mut out = format!("# Upgrade from OpenShift {} to {}\n\n", plain(&metadata.from), plain(&metadata.to));
    out.push_str(&format!("{}\n\nSupport is judged on {}.", plain(&plan.summary()), metadata.date));
    if !metadata.cluster_changed.is_empty() {
        out.push_str(&format!(
            " The newest change that is known of the cluster is of {}.",
            plain(&metadata.cluster_changed)
        ));
    }
    out.push_str("\n\n## Operators\n\n");
    let minors = &metadata.path;
    out.push_str(&format!("| Namespace | Package | Installed | {} |\n", minors.join(" | ")));
    out.push_str(&format!("|---|---|---|{}\n", "---|".repeat(minors.len())));
    for operator in &plan.operators {
        let states = minors.iter().map(|it| operator.state.get(it).map_or("", |it| it.as_str()));
        out.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            plain(operator.namespace.as_deref().unwrap_or("(ClusterExtension)")),
            plain(&operator.package),
            plain(&operator.installed),
            states.collect::<Vec<_>>().join(" | ")
        ));
    }
    let section = |out: &mut String, title: &str, items: Vec<String>| {
        if !items.is_empty() {
            out.push_str(&format!("\n## {title}\n\n{}\n", items.join("\n")));
        }
    };
    let of = |code: &str, subject: &Option<String>, platform: &Option<String>| {
        let words = [subject.as_deref(), platform.as_deref()].into_iter().flatten().map(plain);
        format!("{code} {}", words.collect::<Vec<_>>().join(", ")).trim().to_owned()
    };
    let blockers = plan.blockers.iter().map(|it| {
        format!("- **{}**: {}. {}", of(it.code.as_str(), &it.subject, &it.platform), plain(&it.text), plain(&it.lift))
    });
    section(&mut out, "Blockers", blockers.collect());
    let decisions = plan.decisions.iter().map(|it| {
        let options: Vec<String> = it.options.iter().map(|it| format!("  - [ ] {}", plain(it))).collect();
        format!(
            "- **{}**: {}\n{}",
            of(it.code.as_str(), &it.subject, &it.platform),
            plain(&it.text),
            options.join("\n")
        )
    });
    section(&mut out, "Decisions", decisions.collect());
    out.push_str("\n## Steps\n");
    for step in &plan.steps {
        out.push_str(&format!("\n- [ ] **{}. {}**\n", step.number, plain(&step.title())));
        for reason in &step.because {
            out.push_str(&format!("  - {}: {}\n", reason.code, plain(&reason.text)));
        }
        for it in &step.route {
            out.push_str(&format!("  - {}: {} ({})\n", plain(&it.bundle), plain(&it.because), plain(&it.place)));
        }
        for warning in &step.warnings {
            out.push_str(&format!("  - Note: {}\n", plain(warning)));
        }
        if !step.commands.is_empty() {
            let lines: Vec<String> = step.commands.iter().map(|it| format!("      {it}\n")).collect();
            out.push_str(&format!("\n{}", lines.concat()));
        }
    }
    let unknowns = plan
        .unknowns
        .iter()
        .map(|it| format!("- **{}**: {}", of(it.code.as_str(), &it.subject, &it.platform), plain(&it.text)));
    section(&mut out, "Not known", unknowns.collect());
    out
}

/// The commands with remarks, to be read and run step by step.
#[must_use]
pub fn script(plan: &Plan) -> String {
    let remark = |text: &str| format!("# {}\n", printable(text).split_whitespace().collect::<Vec<_>>().join(" "));
    let mut out = remark(&plan.summary());
    for step in &plan.steps {
        out.push('\n');
        out.push_str(&remark(&format!("{}. {}", step.number, step.title())));
        for reason in &step.because {
            out.push_str(&remark(&format!("   because: {}", reason.text)));
        }
        for warning in &step.warnings {
            out.push_str(&remark(&format!("   note: {warning}")));
        }
        for command in &step.commands {
            // What somebody has looked at and chosen to do is not run with the rest.
            out.push_str(&if step.optional { format!("# {command}\n") } else { format!("{command}\n") });
        }
    }
    out
}
