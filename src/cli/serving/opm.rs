//! The program under the name `opm`, which images of catalogs start (`docs/behaviour/serving.md` B.6).

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::calendar::rfc3339;
use crate::explain::source_of_opm;

/// Translates opm's command line into ours. Under any other name the words stay as they are.
pub(in crate::cli) fn translated(words: Vec<OsString>) -> Vec<OsString> {
    let name = words.first().map(Path::new).and_then(Path::file_name);
    if name != Some(OsStr::new("opm")) {
        return words;
    }
    let mut rest = words.into_iter().skip(1);
    let mut ours: Vec<OsString> = vec!["olmdex".into()];
    match rest.next() {
        Some(word) => match word.to_str() {
            Some("serve") => ours.extend(["serve", "--as-opm"].map(OsString::from)),
            Some("registry") => match rest.next() {
                Some(word) if word == "serve" => ours.extend(["serve", "--as-opm"].map(OsString::from)),
                other => ours.extend([OsString::from("registry")].into_iter().chain(other)),
            },
            Some("alpha") => {
                let all: Vec<OsString> = rest.by_ref().collect();
                ours.extend(listing(&all).unwrap_or_else(|| [vec![word], all].concat()));
            }
            Some(command @ ("render" | "validate")) => ours.extend([command, "--compat", "opm"].map(OsString::from)),
            Some("version") => ours.push("--version".into()),
            _ => ours.push(word),
        },
        None => ours.push("--help".into()),
    }
    ours.extend(rest);
    ours
}

/// `alpha list` with the index as an option. `None` for another command of `alpha`.
fn listing(words: &[OsString]) -> Option<Vec<OsString>> {
    let [list, what, rest @ ..] = words else { return None };
    if list != "list" || !["packages", "channels", "bundles"].iter().any(|kind| what == kind) {
        return None;
    }
    let mut ours: Vec<OsString> = vec!["list".into(), what.clone()];
    let mut has_source = false;
    for word in rest {
        if has_source || word.to_string_lossy().starts_with('-') {
            ours.push(word.clone());
            continue;
        }
        has_source = true;
        // For opm, too, a word that exists as a path is no image.
        let source =
            if Path::new(word).exists() { word.clone() } else { source_of_opm(&word.to_string_lossy()).into() };
        ours.extend(["-i".into(), source]);
    }
    ours.extend(["--compat", "opm"].map(OsString::from));
    Some(ours)
}

/// A line of a log as opm writes it.
pub(super) fn log_line(level: &str, message: &str, fields: &[(&str, String)]) -> String {
    let mut line = format!("time=\"{}\" level={level} msg={}", now(), quoted(message));
    for (key, value) in fields {
        let is_plain = value.bytes().all(|it| it.is_ascii_alphanumeric() || b"-._/@^+".contains(&it));
        let value = if is_plain && !value.is_empty() { value.clone() } else { quoted(value) };
        line.push_str(&format!(" {key}={value}"));
    }
    line
}

fn quoted(text: &str) -> String {
    crate::version::Quoted(text).to_string()
}

/// The time by RFC 3339.
fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
    rfc3339(i64::try_from(seconds).unwrap_or(i64::MAX))
}
