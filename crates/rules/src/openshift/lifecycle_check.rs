//! Checks of a lifecycle blob by itself (`docs/behaviour/platform.md` 1.3).

use std::collections::BTreeSet;

use super::lifecycle::Phase;
use super::rules;
use olmdex_base::diag::{Finding, closest};
use olmdex_text::calendar::Day;
use olmdex_text::json::{Kind, Step, Value};

/// All defects of a lifecycle blob, in the order of the blob, each with its path there.
pub fn lifecycle_defects(blob: Value<'_>) -> Vec<(Finding, Vec<Step>)> {
    let mut check = Check { defects: Vec::new() };
    check.blob(blob);
    check.defects
}

struct Check {
    defects: Vec<(Finding, Vec<Step>)>,
}

impl Check {
    fn add(&mut self, path: &[Step], finding: Finding) {
        self.defects.push((finding, path.to_vec()));
    }

    fn blob(&mut self, blob: Value<'_>) {
        self.fields(blob, &["schema", "package", "versions"], &[]);
        let package = blob.text_of("package");
        if package.is_empty() {
            let message = "a lifecycle has no package";
            self.add(
                &[],
                rules::PACKAGE_MISSING.finding(message).help("add `package:` with the name of the operator's package"),
            );
        }
        let of = format!("lifecycle of `{package}`");
        let Some(versions) = blob.get("versions").filter(|it| it.kind() == Kind::Array) else {
            self.add(&[], rules::VERSIONS_MISSING.finding(format!("{of}: `versions` is missing or not a list")));
            return;
        };
        if versions.items().next().is_none() {
            self.add(&["versions".into()], rules::VERSIONS_EMPTY.finding(format!("{of}: `versions` is empty")));
        }
        let mut seen = BTreeSet::new();
        for (idx, version) in versions.items().enumerate() {
            let path = vec!["versions".into(), idx.into()];
            self.fields(version, &["name", "phases", "platformCompatibility"], &path);
            let shown = shown(version.get("name"));
            let at_name = [&path[..], &["name".into()]].concat();
            if !version.get("name").is_some_and(is_minor) {
                let message = format!("{of}: {shown} is not a string of the form `MAJOR.MINOR`");
                self.add(
                    &at_name,
                    rules::VERSION_NAME.finding(message).help("write a minor version in quotes, as in `\"1.2\"`"),
                );
            } else if !seen.insert(shown.clone()) {
                self.add(&at_name, rules::VERSION_TWICE.finding(format!("{of}: version {shown} is listed twice")));
            }
            let of = format!("{of}, version {shown}");
            self.phases(version, &of, &path);
            self.platforms(version, &of, &path);
        }
    }

    fn phases(&mut self, version: Value<'_>, of: &str, path: &[Step]) {
        let path = [path, &["phases".into()]].concat();
        let phases: Vec<Value<'_>> = version.get("phases").into_iter().flat_map(|it| it.items()).collect();
        if phases.is_empty() {
            let at = if version.get("phases").is_some() { &path[..] } else { &path[..path.len() - 1] };
            self.add(at, rules::PHASES_EMPTY.finding(format!("{of}: `phases` is empty")));
        }
        let mut read: Vec<(usize, Phase)> = Vec::new();
        for (idx, phase) in phases.iter().enumerate() {
            let at = [&path[..], &[idx.into()]].concat();
            self.fields(*phase, &["name", "startDate", "endDate"], &at);
            let name = phase.text_of("name");
            if name.trim().is_empty() {
                self.add(&at, rules::PHASE_NAME.finding(format!("{of}: phase {idx} has no name")));
            }
            let mut dates = Vec::new();
            for field in ["startDate", "endDate"] {
                let value = phase.get(field);
                let day = value.and_then(|it| Day::parse(&it.as_str()?));
                dates.extend(day);
                if day.is_none() {
                    let at = if value.is_some() { [&at[..], &[field.into()]].concat() } else { at.clone() };
                    let message =
                        format!("{of}: `{field}` {} is not a day of the form `YYYY-MM-DD`", self::shown(value));
                    self.add(&at, rules::DATE.finding(message));
                }
            }
            let [start, end] = dates[..] else { continue };
            if end <= start {
                let message = format!("{of}: phase `{name}` starts on {start} and ends on {end}");
                self.add(&at, rules::PHASE_ORDER.finding(message).help("end the phase after its start"));
                continue;
            }
            read.push((idx, Phase { name, start, end }));
        }
        // If one of the phases cannot be read, their sequence cannot be judged.
        if read.len() == phases.len() {
            self.sequence(&mut read, of, &path);
        }
    }

    fn sequence(&mut self, phases: &mut [(usize, Phase)], of: &str, path: &[Step]) {
        let at = |idx: usize, field: &str| [path, &[idx.into(), field.into()]].concat();
        for pair in phases.windows(2) {
            let [(_, before), (idx, phase)] = pair else { continue };
            if phase.start < before.start {
                let message =
                    format!("{of}: phase `{}` is listed after `{}`, but starts before it", phase.name, before.name);
                self.add(
                    &at(*idx, "startDate"),
                    rules::PHASE_SEQUENCE.finding(message).help("list the phases in chronological order"),
                );
            }
        }
        phases.sort_by_key(|(idx, it)| (it.start, it.end, *idx));
        for pair in phases.windows(2) {
            let [(_, before), (idx, phase)] = pair else { continue };
            let (rule, words) = if phase.start <= before.end {
                (rules::PHASE_OVERLAP, "starts before the end of")
            } else if phase.start > before.end.next() {
                (rules::PHASE_GAP, "does not start on the day after the end of")
            } else {
                continue;
            };
            let message =
                format!("{of}: phase `{}` ({}) {words} `{}` ({})", phase.name, phase.start, before.name, before.end);
            let help = format!("start it on {}", before.end.next());
            self.add(&at(*idx, "startDate"), rule.finding(message).help(help));
        }
    }

    fn platforms(&mut self, version: Value<'_>, of: &str, path: &[Step]) {
        let mut seen = BTreeSet::new();
        let platforms = version.get("platformCompatibility").into_iter().flat_map(|it| it.items());
        for (idx, platform) in platforms.enumerate() {
            let path = [path, &["platformCompatibility".into(), idx.into()]].concat();
            self.fields(platform, &["name", "versions"], &path);
            let name = platform.text_of("name");
            if !seen.insert(name.clone()) {
                self.add(&path, rules::PLATFORM_TWICE.finding(format!("{of}: platform `{name}` is listed twice")));
            }
            let mut is_empty = true;
            for (number, listed) in platform.get("versions").into_iter().flat_map(|it| it.items()).enumerate() {
                is_empty = false;
                if !is_minor(listed) {
                    let at = [&path[..], &["versions".into(), number.into()]].concat();
                    let shown = shown(Some(listed));
                    let message =
                        format!("{of}: {shown} of platform `{name}` is not a string of the form `MAJOR.MINOR`");
                    self.add(
                        &at,
                        rules::PLATFORM_VERSION
                            .finding(message)
                            .help("write a minor version in quotes, as in `\"4.20\"`"),
                    );
                }
            }
            if is_empty {
                self.add(
                    &path,
                    rules::PLATFORM_VERSIONS_EMPTY.finding(format!("{of}: platform `{name}` has no versions")),
                );
            }
        }
    }

    fn fields(&mut self, object: Value<'_>, known: &[&str], path: &[Step]) {
        for (key, _) in object.members() {
            let key = key.as_str().unwrap_or_default();
            if !known.contains(&&*key) {
                let at = [path, &[Step::Key(key.clone().into_owned())]].concat();
                let help = closest(&key, known.iter().copied()).map(|it| format!("did you mean `{it}`?"));
                let message = format!("a lifecycle has no field `{key}` here");
                self.add(&at, Finding { help, ..rules::UNKNOWN_FIELD.finding(message) });
            }
        }
    }
}

/// A value as it is written, in backticks.
fn shown(value: Option<Value<'_>>) -> String {
    match value {
        None => "(missing)".to_owned(),
        Some(value) => match value.kind() {
            Kind::Array => "a list".to_owned(),
            Kind::Object => "an object".to_owned(),
            _ => format!("`{}`", value.raw()),
        },
    }
}

/// Whether a value is a string of the form `MAJOR.MINOR`, without leading zeros.
fn is_minor(value: Value<'_>) -> bool {
    let is_number = |it: &str| {
        !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()) && (it == "0" || !it.starts_with('0'))
    };
    let text = value.as_str().unwrap_or_default();
    text.split_once('.').is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}
