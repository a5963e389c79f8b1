//! The fields of a ClusterServiceVersion that the community requires or recommends (`docs/behaviour/authoring.md` F.2).

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::operator::plain;
use olmdex_text::calendar::Day;
use olmdex_text::json::{Kind, Value};
use olmdex_version::Version;

/// A field and its required form.
pub(super) struct Field {
    pub(super) path: &'static [&'static str],
    form: Form,
    /// Whether the pipelines refuse a bundle without it.
    pub(super) is_required: bool,
}

#[derive(Clone, Copy)]
enum Form {
    Capabilities,
    Categories,
    Image,
    Time,
    Address,
    /// At least this many characters; the flag tells whether only the first line counts.
    Text(usize, bool),
    Icon,
    Version,
    /// A list of objects with these texts.
    Objects([&'static str; 2]),
    Texts,
}

const fn field(path: &'static [&'static str], form: Form, is_required: bool) -> Field {
    Field { path, form, is_required }
}

/// The fields, in the order in which the pipelines look at them.
pub(super) const FIELDS: &[Field] = &[
    field(&["metadata", "annotations", "capabilities"], Form::Capabilities, false),
    field(&["metadata", "annotations", "categories"], Form::Categories, false),
    field(&["metadata", "annotations", "containerImage"], Form::Image, false),
    field(&["metadata", "annotations", "createdAt"], Form::Time, false),
    field(&["metadata", "annotations", "repository"], Form::Address, false),
    field(&["metadata", "annotations", "support"], Form::Text(3, false), false),
    field(&["metadata", "annotations", "description"], Form::Text(10, false), false),
    field(&["spec", "displayName"], Form::Text(3, true), true),
    field(&["spec", "description"], Form::Text(20, false), true),
    field(&["spec", "icon"], Form::Icon, true),
    field(&["spec", "version"], Form::Version, true),
    field(&["spec", "maintainers"], Form::Objects(["name", "email"]), true),
    field(&["spec", "provider", "name"], Form::Text(3, true), true),
    field(&["spec", "links"], Form::Objects(["name", "url"]), true),
    field(&["spec", "keywords"], Form::Texts, false),
];

const CAPABILITIES: [&str; 5] = ["Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"];

const CATEGORIES: [&str; 16] = [
    "AI/Machine Learning",
    "Application Runtime",
    "Big Data",
    "Cloud Provider",
    "Developer Tools",
    "Database",
    "Drivers and plugins",
    "Integration & Delivery",
    "Logging & Tracing",
    "Modernization & Migration",
    "Monitoring",
    "Networking",
    "OpenShift Optional",
    "Security",
    "Storage",
    "Streaming & Messaging",
];

/// The base64 of icons: bits after the last byte are ignored.
const LOOSE: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
);

const ICONS: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/svg+xml"];

impl Field {
    /// Its value, unless it is absent or null.
    pub(super) fn of<'d>(&self, csv: Value<'d>) -> Option<Value<'d>> {
        self.path.iter().try_fold(csv, |value, key| value.get(key)).filter(|it| !it.is_null())
    }

    /// Whether a value has its form. A time without quotes may have that of YAML, too.
    pub(super) fn fits(&self, value: Value<'_>, is_quoted: impl Fn() -> bool) -> bool {
        let text = plain(value).unwrap_or_default();
        let first_line = text.split('\n').next().unwrap_or_default();
        match self.form {
            Form::Capabilities => value.as_str().is_some_and(|it| CAPABILITIES.contains(&&*it)),
            Form::Categories => text.split(',').all(|it| CATEGORIES.contains(&it.trim())),
            Form::Image => is_image(&text),
            Form::Time => is_time(&text, is_quoted()),
            Form::Address => {
                let rest = first_line.strip_prefix("https://").or_else(|| first_line.strip_prefix("http://"));
                rest.is_some_and(|it| !it.is_empty())
            }
            Form::Text(min, is_line) => if is_line { first_line } else { &text }.chars().count() >= min,
            Form::Icon => value.items().next().is_some() && value.items().all(is_icon),
            Form::Version => value.as_str().is_some_and(|it| Version::parse(&it).is_ok()),
            Form::Objects(keys) => {
                let has = |it: Value<'_>| keys.iter().all(|key| it.get(key).is_some_and(|it| it.as_str().is_some()));
                value.items().next().is_some() && value.items().all(has)
            }
            Form::Texts => value.items().next().is_some() && value.items().all(|it| it.as_str().is_some()),
        }
    }

    /// The expected value, in words.
    pub(super) fn help(&self) -> String {
        match self.form {
            Form::Capabilities => format!("one of {}", CAPABILITIES.join(", ")),
            Form::Categories => format!("some of {}, separated by commas", CATEGORIES.join(", ")),
            Form::Image => "the image of the operator, with its tag".to_owned(),
            Form::Time => "a time such as `2026-08-01T12:00:00Z`".to_owned(),
            Form::Address => "a URL that begins with `https://`".to_owned(),
            Form::Text(min, _) => format!("at least {min} characters"),
            Form::Icon => format!("a list of `base64data` and `mediatype`, which is one of {}", ICONS.join(", ")),
            Form::Version => "a semantic version".to_owned(),
            Form::Objects(keys) => format!("a list of `{}` and `{}`", keys[0], keys[1]),
            Form::Texts => "a list of words".to_owned(),
        }
    }
}

/// Whether the text is parts before a slash, a name, a colon and a tag.
fn is_image(text: &str) -> bool {
    // Everything before some slash, in parts that are not empty; then a name without colon, and a tag.
    let mut from = 0;
    while let Some(at) = text[from..].find('/').map(|it| from + it) {
        if at == from {
            return false;
        }
        from = at + 1;
        let rest = &text[from..];
        let name = rest.find([':', '/']).unwrap_or(rest.len());
        let tag = rest.get(name..).and_then(|it| it.strip_prefix(':')).unwrap_or_default();
        if name > 0 && tag.chars().next().is_some_and(|it| it != '\n') {
            return true;
        }
    }
    false
}

fn is_icon(icon: Value<'_>) -> bool {
    let text = |key: &str| icon.get(key).and_then(|it| it.as_str());
    let (Some(data), Some(mediatype)) = (text("base64data"), text("mediatype")) else { return false };
    if icon.kind() != Kind::Object || !ICONS.contains(&&*mediatype) {
        return false;
    }
    let data: String = data.chars().filter(|it| !it.is_ascii_whitespace() && *it != '\u{b}').collect();
    data.len() >= 4 && LOOSE.decode(&data).is_ok()
}

/// Whether a text is a date, or a date and a time: of ISO 8601, or if it has no quotes of YAML, which is laxer.
fn is_time(text: &str, is_quoted: bool) -> bool {
    let digits = |text: &str, n: usize| text.len() == n && text.bytes().all(|it| it.is_ascii_digit());
    let pair = |text: &str| digits(text, 2) || (!is_quoted && digits(text, 1));
    let number = |it: &str| it.parse().unwrap_or(i64::MAX);
    if !text.is_ascii() {
        return false;
    }
    // Behind the date is one character of any kind, mostly `T` or a blank.
    let end = text.find(|it: char| !it.is_ascii_digit() && it != '-').unwrap_or(text.len());
    let (date, rest) = text.split_at(end);
    let parts: Vec<&str> = date.split('-').collect();
    let is_day = |year, month, day| Day::new(number(year), number(month), number(day)).is_some();
    let is_date = match parts.as_slice() {
        [all] if digits(all, 8) => is_day(&all[..4], &all[4..6], &all[6..]),
        [year, month, day] => digits(year, 4) && pair(month) && pair(day) && is_day(year, month, day),
        // A year, a month or the day of a year has no time.
        [year] => digits(year, 4) && rest.is_empty(),
        [year, part] if rest.is_empty() && digits(year, 4) => {
            let is_month = digits(part, 2) && (1..=12).contains(&number(part));
            is_month || (digits(part, 3) && (1..=366).contains(&number(part)))
        }
        _ => false,
    };
    if !is_date || rest.is_empty() {
        return is_date;
    }
    let rest = &rest[1..];
    let time = if is_quoted { rest } else { rest.trim_start() };
    let zone_at = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = time.split_at(zone_at);
    let clock = if is_quoted { clock } else { clock.trim_end() };
    let offset = zone.strip_prefix(['+', '-']).map(|it| it.split(':').collect::<Vec<_>>());
    let is_zone = match offset.as_deref() {
        None => matches!(zone, "" | "Z" | "z"),
        Some([hour]) => pair(hour) || digits(hour, 4),
        Some([hour, minute]) => pair(hour) && digits(minute, 2),
        Some(_) => false,
    };
    let (clock, fraction) = clock.split_once(['.', ',']).unwrap_or((clock, "0"));
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|it| it.is_ascii_digit());
    let parts: Vec<&str> = match clock.split(':').collect::<Vec<_>>().as_slice() {
        [all] if digits(all, 4) => vec![&all[..2], &all[2..]],
        [all] if digits(all, 6) => vec![&all[..2], &all[2..4], &all[4..]],
        parts => parts.to_vec(),
    };
    let rest_is_sixty = |parts: &[&str]| parts.iter().all(|it| digits(it, 2) && number(it) < 60);
    let is_clock = match parts.as_slice() {
        [hour, rest @ ..] if rest.len() < 3 => pair(hour) && number(hour) <= 24 && rest_is_sixty(rest),
        _ => false,
    };
    is_zone && is_clock && is_fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_iso_8601() {
        for text in [
            "2026-08-01",
            "2026-08-01T12:00:00Z",
            "2026-08-01 12:00:00",
            "2026-08-01T12:00:00.123456+02:00",
            "20260801",
            "2026-08-01T12",
            "2026-08-01T120000+0000",
            "2026",
            "2026-08",
            "2026-212",
        ] {
            assert!(is_time(text, true), "{text}");
        }
        for text in [
            "",
            "today",
            "8/1/2026",
            "2026-13-01",
            "2026-02-30",
            "2026-08-01T",
            "2026-08-01T9:40:00Z",
            "2026-08-01T12:00:00 Z",
            "2026-08-01T12:00:60",
            "2026-08-01T12:00:00UTC",
            "xéxx",
        ] {
            assert!(!is_time(text, true), "{text}");
        }
        assert!(is_time("2026-8-1 9:40:00 +00:00", false));
    }

    #[test]
    fn images_have_a_host_and_a_tag() {
        for text in ["quay.io/org/shop:v1", "org/shop:v1", "host:5000/org/shop:v1", "quay.io/org/shop@sha256:abc"] {
            assert!(is_image(text), "{text}");
        }
        for text in ["shop:v1", "quay.io/org/shop", "/org/shop:v1", "", "quay.io/"] {
            assert!(!is_image(text), "{text}");
        }
    }
}
