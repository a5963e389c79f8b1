//! The messages in a paste: conditions of `oc get -o yaml|json` and `describe`, quoted, wrapped, cut off, or a line of
//! a log. A paste is seldom a document, so it is read line by line.

/// A message of a paste.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PastedMessage {
    pub(super) text: String,
    /// The type of its condition, or empty.
    pub(super) kind: String,
    /// The status of its condition, or the phase beside it; or empty.
    status: String,
    reason: String,
    is_phase: bool,
}

/// How many messages of a paste are read.
const MAX_MESSAGES: usize = 200;

impl PastedMessage {
    /// Whether its condition reports that all is well: then its words explain no trouble.
    pub(super) fn is_well(&self) -> bool {
        const BAD: [&str; 9] = [
            "ResolutionFailed",
            "InstallPlanFailed",
            "InstallPlanMissing",
            "BundleUnpackFailed",
            "CatalogSourcesUnhealthy",
            "Degraded",
            "Deprecated",
            "Failing",
            "InstallPlanPending",
        ];
        if self.is_phase {
            return matches!(self.status.as_str(), "Succeeded" | "Complete");
        }
        let is_bad = BAD.iter().any(|it| self.kind.starts_with(it)) || self.kind.ends_with("Deprecated");
        match self.status.as_str() {
            "True" if self.kind == "Progressing" => matches!(self.reason.as_str(), "Succeeded" | ""),
            "True" => !is_bad && !self.kind.is_empty(),
            "False" => is_bad || self.kind == "Progressing" && self.reason == "Succeeded",
            _ => false,
        }
    }
}

/// The messages of a paste, the newest phase of an operator's history for all of them; none if it has no conditions.
pub(super) fn messages(paste: &str) -> Vec<PastedMessage> {
    let mut found: Vec<PastedMessage> = Vec::new();
    // Keys may come before their message, so each list item gathers its own.
    let mut item = PastedMessage::default();
    let mut lines = paste.lines().map(without_marks).peekable();
    while let Some(line) = lines.next() {
        let Some((begins, key, value)) = key_of(line) else { continue };
        let is_again = match key {
            "message" => !item.text.is_empty(),
            "status" | "phase" => !item.status.is_empty(),
            "type" => !item.kind.is_empty(),
            "reason" => !item.reason.is_empty(),
            _ => false,
        };
        if begins || is_again {
            found.extend(Some(std::mem::take(&mut item)).filter(|it| !it.text.is_empty()));
        }
        match key {
            "message" => {
                let mut text = value.to_owned();
                while let Some(next) = lines.peek() {
                    if key_of(next).is_some() || (next.trim().is_empty() && !is_open(&text)) {
                        break;
                    }
                    // Blank lines add nothing, so that asking whether the text is open stays cheap.
                    if !next.trim().is_empty() {
                        text.push(' ');
                        text.push_str(next.trim());
                    }
                    lines.next();
                }
                item.text = unquoted(&text);
            }
            "status" | "phase" => (item.status, item.is_phase) = (unquoted(value), key == "phase"),
            "type" => item.kind = unquoted(value),
            "reason" => item.reason = unquoted(value),
            _ => {}
        }
        if found.len() >= MAX_MESSAGES {
            break;
        }
    }
    found.extend(Some(item).filter(|it| !it.text.is_empty()));
    // The newest entry of a history is the last one.
    let newest = found.iter().rposition(|it| it.is_phase);
    let mut idx = 0;
    found.retain(|it| {
        idx += 1;
        !it.is_phase || Some(idx - 1) == newest
    });
    found
}

/// The text of a line without the marks of a quotation and of a diff.
pub(super) fn without_marks(line: &str) -> &str {
    let mut rest = line;
    while let Some(inside) = rest.trim_start().strip_prefix('>') {
        rest = inside.strip_prefix(' ').unwrap_or(inside);
    }
    rest.trim_end()
}

/// The keys that end a message, as objects and their descriptions write them.
const KEYS: [&str; 17] = [
    "message",
    "status",
    "phase",
    "type",
    "reason",
    "lasttransitiontime",
    "lastupdatetime",
    "last transition time",
    "last update time",
    "lastupdated",
    "observedgeneration",
    "observed generation",
    "name",
    "kind",
    "group",
    "version",
    "uuid",
];

/// Whether a line begins an item of a list, its key, and the value behind it; `None` if it has no known key.
fn key_of(line: &str) -> Option<(bool, &'static str, &str)> {
    let text = line.trim_start();
    let (begins, text) = match text.strip_prefix("- ") {
        Some(rest) => (true, rest.trim_start()),
        None => (text.starts_with('{'), text.trim_start_matches(['{', ' '])),
    };
    let (key, value) = text.split_once(':')?;
    let key = key.trim().trim_matches('"').to_ascii_lowercase();
    let known = KEYS.iter().find(|it| **it == key)?;
    // `subscription: name: …` of prose has a word behind it, and no key of an object is followed by a letter.
    if !value.is_empty() && !value.starts_with([' ', '\t', '"', '\'']) {
        return None;
    }
    Some((begins, known, value.trim()))
}

/// Whether a quotation goes on in the next line.
fn is_open(text: &str) -> bool {
    let text = text.trim();
    ['\'', '"'].into_iter().any(|quote| {
        text.strip_prefix(quote).is_some_and(|rest| !rest.trim_end_matches(',').ends_with(quote) || rest.is_empty())
    })
}

/// A value without the quotes and the block mark of YAML, and without the escapes of JSON.
fn unquoted(value: &str) -> String {
    let value = value.trim().trim_end_matches(',');
    let value = [">-", "|-", ">", "|"].iter().find_map(|mark| value.strip_prefix(mark)).unwrap_or(value).trim();
    let inside = |quote: char| value.strip_prefix(quote).map(|rest| rest.strip_suffix(quote).unwrap_or(rest));
    let text = match (inside('\''), inside('"')) {
        (Some(text), _) => text.replace("''", "'"),
        (None, Some(text)) => text.replace("\\n", " ").replace("\\\"", "\"").replace("\\u003e", ">"),
        (None, None) => value.to_owned(),
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A message without what a log writes around it.
pub(super) fn without_log(message: &str) -> String {
    // A log of key and value pairs has the message in one of them.
    for key in ["msg=\"", "error=\"", "err=\""] {
        if let Some(at) = message.find(key).filter(|_| message.contains("level=")) {
            let rest = &message[at + key.len()..];
            let mut end = rest.len();
            let mut is_escaped = false;
            for (idx, c) in rest.char_indices() {
                match c {
                    '\\' if !is_escaped => is_escaped = true,
                    '"' if !is_escaped => {
                        end = idx;
                        break;
                    }
                    _ => is_escaped = false,
                }
            }
            let text = rest[..end].replace("\\\"", "\"").replace("\\n", " ");
            // The message of the program is short; the error behind it tells more.
            if key == "msg=\"" && message[at..].contains("error=\"") {
                continue;
            }
            return text;
        }
    }
    // klog: `E0912 04:02:58.521349 1 file.go:298] …`.
    let is_klog = message.len() > 5 && message.starts_with(['E', 'W', 'I', 'F']);
    match message
        .split_once("] ")
        .filter(|(head, _)| is_klog && head.contains(".go:") && head[1..].starts_with(char::is_numeric))
    {
        Some((_, rest)) => rest.to_owned(),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_of_pastes_are_found_however_they_were_wrapped() {
        let texts = |paste: &str| messages(paste).into_iter().map(|it| (it.is_well(), it.text)).collect::<Vec<_>>();
        let one = |is_well: bool, text: &str| vec![(is_well, text.to_owned())];
        for (paste, expected) in [
            ("no condition at all", Vec::new()),
            (
                "> - message: 'a b\n>     c''s d'\n>   status: \"True\"\n>   type: ResolutionFailed",
                one(false, "a b c's d"),
            ),
            ("message: >-\n  a\n  b\nstatus: 'False'\ntype: Installed\nphase: Failed", one(false, "a b")),
            ("\"message\": \"a \\\"b\\\"\",\n\"status\": \"True\",\n\"type\": \"Serving\"", one(true, "a \"b\"")),
            ("  Message:   a b\n  Reason:  C\n  Status:  False\n  Type:  CatalogSourcesUnhealthy", one(true, "a b")),
            ("- type: Progressing\n  status: 'True'\n  reason: Retrying\n  message: a", one(false, "a")),
            ("- message: a\n  phase: Pending\n- message: b\n  phase: Failed", one(false, "b")),
        ] {
            assert_eq!(texts(paste), expected, "{paste}");
        }
    }

    #[test]
    fn logs_are_unwrapped() {
        for (line, message) in [
            ("E0912 04:02:58.521349 1 queue.go:298] sync failed", "sync failed"),
            (r#"time="2026-01-01" level=error msg="a \"b\"" id=1 namespace=c"#, r#"a "b""#),
            (r#"level=error msg="sync" error="a failed" id=1"#, "a failed"),
            ("Everything] is fine", "Everything] is fine"),
        ] {
            assert_eq!(without_log(line), message);
        }
    }
}
