//! The parts of an operator that OperatorHub shows: provider, maintainers, links, icon, capabilities and categories
//! (`docs/behaviour/authoring.md` B.8).

use super::address::{is_mail, is_url};
use super::operator_sdk_csv::min_kube_version;
use super::options::Options;
use super::problem::Problem;
use super::service_version::{Csv, KIND};
use super::table as rules;
use olmdex_text::json::Kind;
use olmdex_version::Version;

const CAPABILITIES: [&str; 5] = ["Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"];

const CATEGORIES: [&str; 16] = [
    "AI/Machine Learning",
    "Application Runtime",
    "Big Data",
    "Cloud Provider",
    "Database",
    "Developer Tools",
    "Integration & Delivery",
    "Logging & Tracing",
    "Modernization & Migration",
    "Monitoring",
    "Networking",
    "Observability",
    "OpenShift Optional",
    "Security",
    "Storage",
    "Streaming & Messaging",
];

const MEDIA_TYPES: [&str; 4] = ["image/gif", "image/jpeg", "image/png", "image/svg+xml"];

/// The fields that OperatorHub shows, in the order of the real validator.
pub(super) fn check(csv: &Csv<'_>) -> Vec<Problem> {
    let mut found = Vec::new();
    if csv.spec("provider.name").text().trim().is_empty() {
        let message = "the ClusterServiceVersion does not name the provider of the operator";
        let it = Problem::new(rules::PROVIDER, csv.at("spec.provider"), message, "set `spec.provider.name`");
        found.push(it.reported_as(KIND));
    }
    maintainers(csv, &mut found);
    links(csv, &mut found);
    let version = csv.spec("version").text();
    let is_zero = version.is_empty() || Version::parse_tolerant(&version).is_ok_and(|it| it.to_string() == "0.0.0");
    if is_zero {
        let message = "`spec.version` is missing or 0.0.0";
        let it =
            Problem::new(rules::VERSION_ABSENT, csv.at("spec.version"), message, "set the version of the operator");
        found.push(it.reported_as(KIND));
    }
    icon(csv, &mut found);
    found.extend(min_kube_version(csv));
    found
}

fn maintainers(csv: &Csv<'_>, found: &mut Vec<Problem>) {
    for (idx, item) in csv.spec("maintainers").items().enumerate() {
        let (name, email) = (item.text_of("name"), item.text_of("email"));
        let at = |field: &str| csv.at(&format!("spec.maintainers.{idx}{field}"));
        if name.is_empty() || email.is_empty() {
            let message = format!("maintainer {} has no {}", idx + 1, if name.is_empty() { "name" } else { "email" });
            let it = Problem::new(rules::MAINTAINER, at(""), message, "give both `name` and `email`");
            found.push(it.reported_as(KIND));
        }
        if !email.is_empty() && !is_mail(&email) {
            let message = format!("`{email}` is not an email address");
            let it =
                Problem::new(rules::MAINTAINER, at(".email"), message, "write an address such as `team@example.com`");
            found.push(it.reported_as(KIND));
        }
    }
}

fn links(csv: &Csv<'_>, found: &mut Vec<Problem>) {
    for (idx, item) in csv.spec("links").items().enumerate() {
        let (name, url) = (item.text_of("name"), item.text_of("url"));
        let at = |field: &str| csv.at(&format!("spec.links.{idx}{field}"));
        if name.is_empty() || url.is_empty() {
            let message = format!("link {} has no {}", idx + 1, if name.is_empty() { "name" } else { "url" });
            let it = Problem::new(rules::LINK, at(""), message, "give both `name` and `url`");
            found.push(it.reported_as(KIND));
        }
        if !url.is_empty() && !is_url(&url) {
            let message = format!("`{url}` is not a URL");
            let it = Problem::new(rules::LINK, at(".url"), message, "write the complete URL, with `https://`");
            found.push(it.reported_as(KIND));
        }
    }
}

fn icon(csv: &Csv<'_>, found: &mut Vec<Problem>) {
    let icons = csv.spec("icon");
    if icons.kind() != Kind::Array {
        let it = Problem::new(
            rules::ICON_ABSENT,
            csv.at("spec"),
            "the ClusterServiceVersion has no icon",
            "add `spec.icon` with `base64data` and `mediatype`",
        );
        found.push(it.reported_as(KIND));
        return;
    }
    if icons.n_items() != 1 {
        let message = format!("the ClusterServiceVersion has {} icons", icons.n_items());
        let it = Problem::new(rules::ICON, csv.at("spec.icon"), message, "keep one icon");
        found.push(it.reported_as(KIND));
    }
    // The real validator crashes on an empty list.
    let Some(icon) = icons.items().next() else { return };
    let (data, media) = (icon.text_of("base64data"), icon.text_of("mediatype"));
    if data.is_empty() || media.is_empty() {
        let message = format!("the icon has no {}", if data.is_empty() { "data" } else { "media type" });
        let it = Problem::new(rules::ICON, csv.at("spec.icon.0"), message, "give both `base64data` and `mediatype`");
        found.push(it.reported_as(KIND));
    }
    if !media.is_empty() && !MEDIA_TYPES.contains(&media.as_str()) {
        let message = format!("`{media}` is not a media type for icons");
        let help = format!("use one of {}", MEDIA_TYPES.join(", "));
        let it = Problem::new(rules::ICON, csv.at("spec.icon.0.mediatype"), message, help);
        found.push(it.reported_as(KIND));
    }
}

/// The annotation `capabilities`.
pub(super) fn capabilities(csv: &Csv<'_>) -> Vec<Problem> {
    let Some(text) = csv.annotation("capabilities").filter(|it| !CAPABILITIES.contains(&it.as_str())) else {
        return Vec::new();
    };
    let message = format!("`{text}` is not a capability level");
    let help = match olmdex_base::diag::closest(&text, CAPABILITIES) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("use one of {}", CAPABILITIES.join(", ")),
    };
    let it = Problem::new(rules::CAPABILITIES, csv.at_annotation("capabilities"), message, help);
    vec![it.reported_as(KIND)]
}

/// The annotation `categories`.
pub(super) fn categories(csv: &Csv<'_>, options: &Options) -> Vec<Problem> {
    let Some(text) = csv.annotation("categories") else { return Vec::new() };
    let mut found = Vec::new();
    let known: Vec<&str> = match options.categories.as_deref() {
        Some(custom) => custom.iter().map(String::as_str).collect(),
        None => CATEGORIES.to_vec(),
    };
    for category in text.split(',').filter(|it| !known.contains(&it.trim())) {
        let message = match category.trim() {
            "" => "the annotation `categories` has an empty item".to_owned(),
            it => format!("`{it}` is not a category"),
        };
        let help = match olmdex_base::diag::closest(category.trim(), known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("use one of {}", known.join(", ")),
        };
        let it = Problem::new(rules::CATEGORIES, csv.at_annotation("categories"), message, help);
        found.push(it.reported_as(KIND));
    }
    found
}
