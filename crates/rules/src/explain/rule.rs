//! The two ways to explain a message: by its words alone, and by a grammar of its own.

use super::builder::{Made, between};
use super::explanation::MessageExplanation;
use olmdex_text::encoding::shell::word;

/// A message that its words alone explain.
pub(super) struct MessagePattern {
    /// The system that reports it.
    pub(super) system: &'static str,
    /// The words by which it is recognised; all must occur. Versions of OLM differ in their case.
    pub(super) marks: &'static [&'static str],
    pub(super) meaning: &'static str,
    /// The texts before and after each name in it.
    pub(super) names: &'static [(&'static str, &'static str)],
    /// Commands to run next. `{0}` stands for the first name; a command without its name is left out.
    pub(super) next: &'static [&'static str],
}

impl MessagePattern {
    /// The explanation of a message, if all the words occur; `lower` is the message in lower case.
    pub(super) fn explain(&self, message: &str, lower: &str) -> Option<Made> {
        if !self.marks.iter().all(|mark| lower.contains(&mark.to_ascii_lowercase())) {
            return None;
        }
        let name =
            |(before, after): &(&str, &str)| between(message, before, after).unwrap_or_default().trim().to_owned();
        let names: Vec<String> = self.names.iter().map(name).collect();
        let made = Made::new(self.system, self.meaning).about(&names.iter().map(String::as_str).collect::<Vec<_>>());
        Some(self.next.iter().filter_map(|it| filled(it, &names)).fold(made, Made::next))
    }
}

/// A command with its names; `None` if one of them is not in the message.
fn filled(template: &str, names: &[String]) -> Option<String> {
    let mut command = template.to_owned();
    for (idx, name) in names.iter().enumerate() {
        let slot = format!("{{{idx}}}");
        if template.contains(&slot) {
            if name.is_empty() {
                return None;
            }
            command = command.replace(&slot, &word(name));
        }
    }
    Some(command)
}

/// The ways of explaining a message.
pub(super) enum Rule {
    /// By its words alone.
    Words(MessagePattern),
    /// By a function that takes it apart, if one of the words occurs.
    Grammar(&'static [&'static str], fn(&str) -> Made),
}

/// The explanation of a message by the first rule that fits.
pub(super) fn by_rules(rules: &[Rule], message: &str) -> Option<MessageExplanation> {
    let lower = message.to_ascii_lowercase();
    let explain = |rule: &Rule| match rule {
        Rule::Words(known) => known.explain(message, &lower),
        Rule::Grammar(marks, explain) => marks.iter().any(|it| message.contains(it)).then(|| explain(message)),
    };
    rules.iter().find_map(explain)?.done()
}
