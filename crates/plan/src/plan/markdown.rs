//! A plan as a page with boxes to tick, and as a script to read.

use super::answer::{Plan, PlanStep, StepKind};
use super::overview::Overview;
use super::prose::{about, message_parts};
use olmdex_base::diag::{counted, printable};

/// A text on one line, escaped for Markdown.
pub(crate) fn plain(text: &str) -> String {
    escaped(&printable(text).split_whitespace().collect::<Vec<_>>().join(" "))
}

fn is_special(c: char) -> bool {
    matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#')
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_special(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A message on one line with names between backticks: a name becomes code unless Markdown would read its letters
/// otherwise.
fn worded(text: &str) -> String {
    let line = printable(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::with_capacity(line.len());
    for (at, part) in message_parts(&line).into_iter().enumerate() {
        let is_name = !part.is_empty() && !part.contains(is_special);
        out.push_str(&match (at.is_multiple_of(2), is_name) {
            (true, _) => escaped(part),
            (false, true) => format!("`{part}`"),
            (false, false) => escaped(&format!("`{part}`")),
        });
    }
    out
}

/// The title above the updates that need nobody.
pub const BY_ITSELF: &str = "OLM does by itself";

/// How many elements of a path a title names: nobody reads a line of twenty, and the route has each.
const MAX_NAMED: usize = 4;

/// A path in words; of a long path only the first and the last element.
fn shortened(path: Vec<String>) -> String {
    match path.as_slice() {
        [first, between @ .., last] if path.len() > MAX_NAMED => {
            format!("{first}, then {}, then {last}", counted(between.len() as u64, "more update"))
        }
        _ => path.join(", then "),
    }
}

impl PlanStep {
    /// The step in a line.
    pub fn title(&self) -> String {
        let subject = self.subject.as_deref().unwrap_or_default();
        let (from, to) = (self.from.as_deref().unwrap_or_default(), self.to.as_deref().unwrap_or_default());
        let path = self.path.iter().map(|element| element.bundles().join(" + "));
        let path = shortened(path.collect());
        let words = match self.kind {
            StepKind::Mend => format!("Repair {subject}"),
            StepKind::Wait if self.n_approvals() > 0 => format!("Approve the waiting update of {subject}"),
            StepKind::Wait if self.path.is_empty() => format!("Wait for {subject}"),
            StepKind::Wait => format!("Wait for {path} in {subject}"),
            StepKind::Operator => format!("Update {subject} to {path}"),
            StepKind::Operators => format!("Update the operators of {subject} together to {path}"),
            StepKind::Channel => format!("Change {subject} from channel {from} to {to}"),
            StepKind::Source => format!("Change {subject} from source {from} to {to}"),
            StepKind::Extension if self.set.is_empty() => {
                format!("Wait until ClusterExtension {subject} has {path}")
            }
            StepKind::Extension => format!("Change ClusterExtension {subject}; OLM v1 updates it to {path}"),
            StepKind::Uninstall => format!("Uninstall {subject}"),
            StepKind::ChannelOfCluster => format!("Set the channel of the cluster to {to}"),
            StepKind::PausePools => "Pause the worker pools".to_owned(),
            StepKind::Platform => match &self.release {
                Some(release) => format!("Update OpenShift from {from} to {to} ({release})"),
                None => format!("Update OpenShift from {from} to {to}"),
            },
            StepKind::ResumePools => "Resume the worker pools".to_owned(),
        };
        words + self.suffix()
    }
}

impl Plan {
    /// How many steps somebody has to do, with words for the optional ones, and for those that OLM does by itself.
    pub(super) fn steps_words(&self) -> (usize, String, String) {
        let n_by_itself = self.steps.iter().filter(|it| it.is_by_itself()).count();
        let optional = match self.steps.iter().filter(|it| it.optional && !it.is_by_itself()).count() {
            0 => String::new(),
            n => format!(" ({n} optional)"),
        };
        let by_itself = match n_by_itself as u64 {
            0 => String::new(),
            n => format!(", {} by OLM itself", counted(n, "update")),
        };
        (self.steps.len() - n_by_itself, optional, by_itself)
    }

    /// The summary, in a line.
    pub fn summary(&self) -> String {
        let metadata = &self.metadata;
        let (n_steps, optional, by_itself) = self.steps_words();
        let unknown = match self.unknowns.len() {
            0 => String::new(),
            n => format!(", {n} unknown"),
        };
        format!(
            "{} to {}: {}; {}{optional}{by_itself}, {}, {}{unknown}",
            metadata.from,
            metadata.to,
            self.verdict.as_str(),
            counted(n_steps as u64, "step"),
            counted(self.blockers.len() as u64, "blocker"),
            counted(self.decisions.len() as u64, "decision"),
        )
    }
}

/// A page in Markdown: the first screen is for the people who decide, the appendix for the people who do the work.
pub fn markdown(plan: &Plan) -> String {
    let metadata = &plan.metadata;
    let mut out = format!("# Upgrade from OpenShift {} to {}\n\n", plain(&metadata.from), plain(&metadata.to));
    overview(&mut out, plan);
    let blockers = plan.blockers.iter().map(|it| {
        let lift = worded(&it.lift);
        format!("- **{}**: {}\n  Lifted by: {lift}", subject(&it.subject, &it.platform), worded(&it.text))
    });
    section(&mut out, "Blockers", blockers.collect());
    let decisions = plan.decisions.iter().map(|it| {
        let options: Vec<String> = it.options.iter().map(|it| format!("  - [ ] {}", worded(it))).collect();
        format!("- **{}**: {}\n{}", subject(&it.subject, &it.platform), worded(&it.text), options.join("\n"))
    });
    section(&mut out, "Decisions needed", decisions.collect());
    let (own, of_people): (Vec<&PlanStep>, Vec<&PlanStep>) = plan.steps.iter().partition(|it| it.is_by_itself());
    let title = |step: &PlanStep| format!("**{}. {}**", step.number, plain(&step.short_title()));
    let steps = of_people.iter().map(|step| format!("- [ ] {}{}", title(step), step.suffix()));
    section(&mut out, "Steps", steps.collect());
    section(&mut out, BY_ITSELF, own.iter().map(|step| format!("- {}", title(step))).collect());
    appendix(&mut out, plan);
    out
}

fn section(out: &mut String, title: &str, items: Vec<String>) {
    if !items.is_empty() {
        out.push_str(&format!("\n## {title}\n\n{}\n", items.join("\n")));
    }
}

fn subject(subject: &Option<String>, platform: &Option<String>) -> String {
    plain(&about(subject.as_deref(), platform.as_deref()))
}

fn table(out: &mut String, headers: &[String], rows: Vec<Vec<String>>) {
    out.push_str(&format!("\n| {} |\n|{}\n", headers.join(" | "), "---|".repeat(headers.len())));
    for row in rows {
        out.push_str(&format!("| {} |\n", row.join(" | ")));
    }
}

/// The light, the sentences and the operators.
fn overview(out: &mut String, plan: &Plan) {
    let overview = Overview::of(plan);
    let lamp = ["🔴", "🟡", "🟢"];
    let lamp = overview.light.lamp.and_then(|it| lamp.get(it)).copied().unwrap_or("⚪");
    let sentences: Vec<String> = overview.sentences.iter().map(|it| worded(it)).collect();
    out.push_str(&format!("{lamp} **{}.** {}\n\n", overview.light.words, sentences.join(" ")));
    let path = plan.metadata.path.iter().map(|it| plain(it)).collect::<Vec<_>>().join(" → ");
    out.push_str(&format!("- Cluster: {}\n- Date: {}\n", plain(&overview.cluster), plain(&plan.metadata.date)));
    out.push_str(&format!("- From → to: {path}\n"));
    for (name, value) in &overview.effort {
        out.push_str(&format!("- {name}: {value}\n"));
    }
    let rows = overview.rows.iter().map(|it| {
        let (mark, _, risk) = it.risk.shown();
        let why = if it.why.is_empty() { String::new() } else { format!(": {}", plain(&it.why)) };
        let operator = subject(&Some(it.operator.subject()), &None);
        let risk = format!("{mark} {risk}{why}");
        vec![operator, plain(&it.operator.version), plain(&it.needed), risk, it.effort.clone()]
    });
    if !overview.rows.is_empty() {
        let headers = ["Operator", "Today", "Needed", "Risk", "Effort"].map(str::to_owned);
        table(out, &headers, rows.collect());
    }
}

fn appendix(out: &mut String, plan: &Plan) {
    let metadata = &plan.metadata;
    if !plan.operators.is_empty() {
        out.push_str("\n## Appendix: operators\n");
        let mut headers = ["Namespace", "Package", "Installed"].map(str::to_owned).to_vec();
        headers.extend(metadata.path.iter().map(|it| plain(it)));
        headers.push("Source".to_owned());
        let rows = plan.operators.iter().map(|it| {
            let namespace = it.namespace.as_deref().unwrap_or("(ClusterExtension)");
            let mut row = vec![plain(namespace), plain(&it.package), plain(&it.installed)];
            let state = |minor: &String| it.state.get(minor).map_or("", |it| it.as_str()).to_owned();
            row.extend(metadata.path.iter().map(state));
            row.push(plain(&it.place));
            row
        });
        table(out, &headers, rows.collect());
    }
    let blockers = plan.blockers.iter().map(|it| (&it.code, &it.subject, &it.platform, it.place.as_str()));
    let decisions = plan.decisions.iter().map(|it| (&it.code, &it.subject, &it.platform, ""));
    let sources = blockers.chain(decisions).map(|(code, about, platform, place)| {
        let place = if place.is_empty() { String::new() } else { format!(" ({})", plain(place)) };
        format!("- {}: {}{place}", plain(code.as_str()), subject(about, platform))
    });
    section(out, "Appendix: codes and sources", sources.collect());
    if !plan.steps.is_empty() {
        out.push_str("\n## Appendix: steps and commands\n");
    }
    for step in &plan.steps {
        detail(out, step);
    }
    let unknowns = plan.unknowns.iter().map(|it| {
        let about = subject(&it.subject, &it.platform);
        let about = if about.is_empty() { String::new() } else { format!("**{about}**: ") };
        format!("- {about}{} ({})", worded(&it.text), plain(it.code.as_str()))
    });
    section(out, "Appendix: unknown", unknowns.collect());
    let mut basis = vec![format!("- Support as of {}", plain(&metadata.date))];
    if !metadata.cluster_changed.is_empty() {
        basis.push(format!("- Newest known change in the cluster: {}", plain(&metadata.cluster_changed)));
    }
    let catalogs = metadata.catalogs.iter().map(|it| format!("{} ({})", plain(&it.name), plain(&it.minor)));
    basis.push(format!("- Catalogs: {}", catalogs.collect::<Vec<_>>().join(", ")));
    basis.extend(metadata.warnings.iter().map(|it| format!("- {}", worded(it))));
    section(out, "Appendix: basis", basis);
}

/// A step with its reasons, its route, and its commands as a block that hosts of Markdown let people copy.
fn detail(out: &mut String, step: &PlanStep) {
    out.push_str(&format!("\n### {}. {}{}\n\n", step.number, plain(&step.short_title()), step.suffix()));
    for reason in &step.because {
        out.push_str(&format!("- {}: {}\n", reason.code, worded(&reason.text)));
    }
    for it in &step.route {
        out.push_str(&format!("- {}: {} ({})\n", plain(&it.bundle), plain(&it.because), plain(&it.place)));
    }
    for warning in &step.warnings {
        out.push_str(&format!("- Note: {}\n", worded(warning)));
    }
    if !step.commands.is_empty() {
        // No line of a command begins with a fence: it is a command or a remark.
        out.push_str(&format!("\n```sh\n{}\n```\n", step.commands.join("\n")));
    }
}

/// The commands with remarks, to be read and run step by step.
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
            // The commands of an optional step stay commented out, since somebody must decide to run them.
            out.push_str(&if step.optional { format!("# {command}\n") } else { format!("{command}\n") });
        }
    }
    out
}
