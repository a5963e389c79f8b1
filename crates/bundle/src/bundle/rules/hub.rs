//! The parts of an operator that OperatorHub shows: provider, maintainers, links, icon, capabilities and categories
//! (`docs/behaviour/authoring.md` B.8).

use super::address::{mail_error, url_error};
use super::operator_sdk_csv::min_kube_version;
use super::options::Options;
use super::problem::Problem;
use super::service_version::Csv;
use super::table as rules;
use olmdex_base::diag::Severity::{Error, Warning};
use olmdex_text::json::Kind;
use olmdex_version::{Quoted, Version};

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
        found.push(it.observed(csv.says(Error, "csv.Spec.Provider.Name not specified")));
    }
    maintainers(csv, &mut found);
    links(csv, &mut found);
    let version = csv.spec("version").text();
    let is_zero = version.is_empty() || Version::parse_tolerant(&version).is_ok_and(|it| it.to_string() == "0.0.0");
    if is_zero {
        let message = "`spec.version` is missing or 0.0.0";
        let it =
            Problem::new(rules::VERSION_ABSENT, csv.at("spec.version"), message, "set the version of the operator");
        found.push(it.observed(csv.says(Error, "csv.Spec.Version must be set")));
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
            found
                .push(it.observed(csv.says(Error, "csv.Spec.Maintainers elements should contain both name and email")));
        }
        if !email.is_empty()
            && let Some(error) = mail_error(&email)
        {
            let message = format!("`{email}` is not an email address");
            let wording = format!("csv.Spec.Maintainers email {email} is invalid: {error}");
            let it =
                Problem::new(rules::MAINTAINER, at(".email"), message, "write an address such as `team@example.com`");
            found.push(it.observed(csv.says(Error, &wording)));
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
            found.push(it.observed(csv.says(Error, "csv.Spec.Links elements should contain both name and url")));
        }
        if !url.is_empty()
            && let Some(error) = url_error(&url)
        {
            let message = format!("`{url}` is not a URL");
            let wording = format!("csv.Spec.Links url {url} is invalid: {error}");
            let it = Problem::new(rules::LINK, at(".url"), message, "write the complete URL, with `https://`");
            found.push(it.observed(csv.says(Error, &wording)));
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
        found.push(it.observed(csv.says(Warning, "csv.Spec.Icon not specified")));
        return;
    }
    if icons.n_items() != 1 {
        let message = format!("the ClusterServiceVersion has {} icons", icons.n_items());
        let it = Problem::new(rules::ICON, csv.at("spec.icon"), message, "keep one icon");
        found.push(it.observed(csv.says(Error, "csv.Spec.Icon should only have one element")));
    }
    // The real validator crashes on an empty list.
    let Some(icon) = icons.items().next() else { return };
    let (data, media) = (icon.text_of("base64data"), icon.text_of("mediatype"));
    if data.is_empty() || media.is_empty() {
        let message = format!("the icon has no {}", if data.is_empty() { "data" } else { "media type" });
        let it = Problem::new(rules::ICON, csv.at("spec.icon.0"), message, "give both `base64data` and `mediatype`");
        found.push(it.observed(csv.says(Error, "csv.Spec.Icon elements should contain both data and mediatype")));
    }
    if !media.is_empty() && !MEDIA_TYPES.contains(&media.as_str()) {
        let message = format!("`{media}` is not a media type for icons");
        let wording = format!("csv.Spec.Icon {media} does not have a valid mediatype");
        let help = format!("use one of {}", MEDIA_TYPES.join(", "));
        let it = Problem::new(rules::ICON, csv.at("spec.icon.0.mediatype"), message, help);
        found.push(it.observed(csv.says(Error, &wording)));
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
    let wording = format!("csv.Metadata.Annotations.Capabilities {} is not a valid capabilities level", Quoted(&text));
    let it = Problem::new(rules::CAPABILITIES, csv.at_annotation("capabilities"), message, help);
    vec![it.observed(csv.says(Error, &wording))]
}

/// The annotation `categories`.
pub(super) fn categories(csv: &Csv<'_>, options: &Options) -> Vec<Problem> {
    let Some(text) = csv.annotation("categories") else { return Vec::new() };
    let mut found = Vec::new();
    let custom = options.categories.as_deref();
    let known: Vec<&str> = match custom {
        Some(custom) => custom.iter().map(String::as_str).collect(),
        None => CATEGORIES.to_vec(),
    };
    let kind = if custom.is_some() { "custom" } else { "standard" };
    for category in text.split(',').filter(|it| !known.contains(&it.trim())) {
        let message = match category.trim() {
            "" => "the annotation `categories` has an empty item".to_owned(),
            it => format!("`{it}` is not a category"),
        };
        let help = match olmdex_base::diag::closest(category.trim(), known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("use one of {}", known.join(", ")),
        };
        let quoted = Quoted(category);
        let wording =
            format!("csv.Metadata.Annotations[\"categories\"] value {quoted} is not in the set of {kind} categories");
        let it = Problem::new(rules::CATEGORIES, csv.at_annotation("categories"), message, help);
        found.push(it.observed(csv.says(Error, &wording)));
    }
    found
}
