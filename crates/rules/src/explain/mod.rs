//! The meanings of messages in conditions of OLM, those of Subscriptions (Classic) and of ClusterExtensions (v1), and
//! of command lines of opm and oc-mirror.
//!
//! The grammar is that of the real systems (`docs/behaviour/olm-classic.md` 2, 4.7, 7; `docs/behaviour/olm-v1.md` 2.3,
//! 2.8, 2.10). An unknown message is reported as unknown; its meaning is not guessed.

mod blocked;
mod builder;
mod classic;
mod explanation;
mod image_messages;
mod known_messages;
mod names;
mod old_command_line;
mod old_commands;
mod paste;
mod rule;
mod status_messages;
mod unsatisfiable;
mod v1;

use builder::{EXTENSIONS, RESOLVE};

pub use explanation::{MessageExplanation, PartExplanation, RuleExplanation};
pub use old_commands::{old_command, source_of_opm};
use rule::MessagePattern;

/// Decodes a message, or all messages of a paste: troubles come before reassurances, and the messages of conditions
/// that are as they should be only count if there is no other. A command line of opm or oc-mirror is a message, too.
/// `None` if nothing is known.
pub fn decode(paste: &str) -> Option<MessageExplanation> {
    if let Some(explanation) = old_commands::of_text(paste) {
        return Some(explanation);
    }
    if let Some(explanation) = names::named(paste) {
        return Some(explanation);
    }
    let mut known: Vec<MessageExplanation> = Vec::new();
    let messages = paste::messages(paste);
    let (well, troubled): (Vec<_>, Vec<_>) = messages.iter().partition(|it| it.is_well());
    for message in troubled.into_iter().chain(well.iter().copied().filter(|_| well.len() == messages.len())) {
        let found = decode_one(&message.text).map(|it| MessageExplanation { condition: message.kind.clone(), ..it });
        known.extend(found.filter(|it| !known.contains(it)));
    }
    // Reassurances are no answer beside a trouble.
    if known.iter().any(|it| !it.is_reassurance()) {
        known.retain(|it| !it.is_reassurance());
    }
    let mut known = known.into_iter();
    match known.next() {
        Some(first) => Some(MessageExplanation { others: known.collect(), ..first }),
        // The words around a message may be those of a condition that is cut off.
        None if messages.iter().any(|it| !it.is_well()) || messages.is_empty() => decode_one(paste),
        None => None,
    }
}

fn decode_one(message: &str) -> Option<MessageExplanation> {
    let message = message.lines().map(paste::without_marks).collect::<Vec<_>>().join(" ");
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = paste::without_log(without_frame(&message));
    let decoders =
        [unsatisfiable::unsatisfiable, blocked::blocked_upgrade, by_words, classic::classic, v1::v1, v1::catalogd];
    decoders.iter().find_map(|it| it(&message))
}

/// Messages that their words alone explain; the first pattern whose words all occur counts.
fn patterns() -> impl Iterator<Item = &'static MessagePattern> {
    status_messages::PATTERNS.iter().chain(known_messages::PATTERNS).chain(image_messages::PATTERNS)
}

fn by_words(message: &str) -> Option<MessageExplanation> {
    let lower = message.to_ascii_lowercase();
    patterns().find_map(|pattern| pattern.explain(message, &lower))?.done()
}

/// The places to look for the cause of an unknown message, by the words in it; at least the general ones.
pub fn where_to_look(message: &str) -> Vec<String> {
    let lower = message.to_lowercase();
    let places = [
        (
            &["image", "pull", "manifest unknown", "registry"][..],
            "kubectl get events -A --field-selector=reason=Failed",
        ),
        (&["forbidden", "unauthorized", "permission"], "kubectl get operatorgroups -A -o yaml"),
        (&["catalogsource", "catalog source", "grpc", "rpc error"], "kubectl get catalogsources -A"),
        (&["clustercatalog", "catalogd"], "kubectl get clustercatalogs"),
        (&["clusterextension"], EXTENSIONS),
        (&["installplan", "install plan"], "kubectl get installplans -A"),
        (&["channel", "replaces", "bundle", "package", "schema"], "olmdex validate CATALOG"),
    ];
    let fits = |words: &&[&str]| words.iter().any(|it| lower.contains(it));
    let mut found: Vec<String> =
        places.iter().filter(|it| fits(&it.0)).map(|(_, command)| (*command).to_owned()).collect();
    found.push("kubectl get subscriptions,installplans,clusterserviceversions -A".to_owned());
    found.push("kubectl get events -A --sort-by=.lastTimestamp".to_owned());
    found.push(RESOLVE.to_owned());
    found
}

/// A message without the comma and quotes around it that come with a copy from JSON or YAML. Quotes inside the message
/// stay.
fn without_frame(message: &str) -> &str {
    let message = message.trim_end_matches(',');
    for quote in ['"', '\''] {
        let Some(rest) = message.strip_suffix(quote) else { continue };
        return match rest.strip_prefix(quote) {
            Some(inside) => inside,
            None if rest.matches(quote).count() % 2 == 0 => rest,
            None => message,
        };
    }
    message
}

#[cfg(test)]
mod tests;
