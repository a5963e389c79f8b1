//! The manifests that install a package: for OLM Classic a Subscription with its OperatorGroup, for OLM v1 a
//! ClusterExtension.

use maud::{Markup, html};

use super::header::{Heading, header};
use super::highest::newest_first;
use super::package_answer::answer;
use super::parts::{badge, label_of, shown, worded};
use super::reply::PageError;
use super::route::{Approval, PackagePage, Route};
use super::site::{Page, PageContext};
use olmdex_ask::{Question as _, ReadinessQuestion, State, openshift_of_catalog};
use olmdex_base::diag::counted;
use olmdex_base::olm::Olm;
use olmdex_compose::mirror::{ManifestValue, documents, installer};
use olmdex_index::query::{BundleDetail, BundleSelector, Filter, InstallMode, PackageDetail};
use olmdex_olm::catalog_source::{SOURCE_LABEL, usual_source};
use olmdex_rules::cluster::needs_service_account;

/// The bundle that manifests install.
struct InstallTarget<'w> {
    package: &'w str,
    catalog: &'w str,
    modes: &'w [InstallMode],
    channel: &'w str,
    approval: Approval,
    /// The bundle and its version, unless it is the head of the channel.
    release: Option<(&'w str, &'w str)>,
}

/// The manifests of an installation, for both generations.
struct Manifests {
    classic: String,
    v1: String,
    /// The objects around the ClusterExtension, which are long.
    around_v1: String,
}

/// The manifests, with the CatalogSource that has the catalog on a cluster.
fn manifests_of(context: PageContext<'_>, target: &InstallTarget<'_>) -> Result<Manifests, PageError> {
    let ranks = context.index().catalog_ranks(&Filter::of_catalog(target.catalog))?;
    let label = ranks.first().and_then(|rank| rank.labels.get(SOURCE_LABEL)).map(String::as_str);
    let ties = context.cache().cluster.as_ref().map(|it| it.ties.as_slice()).unwrap_or_default();
    let source = usual_source(target.catalog, label, ties);
    let needs_account = needs_service_account(openshift_of_catalog(target.catalog));
    Ok(Manifests {
        classic: classic(target, source.as_ref().map(|(namespace, name)| (namespace.as_str(), name.as_str()))),
        v1: v1(target, needs_account),
        around_v1: around_v1(target, needs_account),
    })
}

/// The manifests as a file that `oc apply -f` takes.
pub(super) fn file(context: PageContext<'_>, asked: &PackagePage) -> Result<String, PageError> {
    let Chosen { package, head, channel } = Chosen::of(context, asked)?;
    let made = manifests_of(context, &of_channel(&package, head.as_ref(), &channel, asked.approval))?;
    Ok(match asked.olm {
        Some(Olm::V1) => format!("{}---\n{}", made.around_v1, made.v1),
        _ => made.classic,
    })
}

/// The part of a package that a page about its installation is about.
struct Chosen {
    package: PackageDetail,
    head: Option<BundleDetail>,
    channel: String,
}

impl Chosen {
    fn of(context: PageContext<'_>, asked: &PackagePage) -> Result<Self, PageError> {
        let all = answer(context, &asked.package)?;
        let having: Vec<String> = all.iter().map(|it| it.row.catalog.clone()).collect();
        let catalog = context.choose(asked.catalog.as_ref(), &having, || context.unknown_package(&asked.package))?;
        let Some(package) = all.into_iter().find(|it| it.row.catalog == catalog) else {
            return Err(context.unknown_package(&asked.package));
        };
        let channel = asked.channel.clone().unwrap_or_else(|| package.row.default_channel.clone());
        let Some(row) = package.channel_list.iter().find(|it| it.channel == channel) else {
            return Err(context.unknown_channel(&asked.package, &channel));
        };
        let selector = BundleSelector::of(&[catalog], &asked.package, &row.head);
        let head = context.index().show_bundle(&selector)?.into_iter().next();
        Ok(Self { package, head, channel })
    }
}

/// The section of a version's page about its installation.
pub(super) fn section_of_version(
    context: PageContext<'_>,
    detail: &BundleDetail,
    likely: Option<&str>,
) -> Result<Markup, PageError> {
    let row = &detail.row;
    let channels: Vec<&str> = likely.into_iter().chain(newest_first(&row.channels)).collect();
    let target = |channel| InstallTarget {
        package: &row.package,
        catalog: &row.catalog,
        modes: &detail.install_modes,
        channel,
        approval: Approval::Manual,
        release: Some((&row.bundle, &row.version)),
    };
    Ok(html! {
        @if let Some(channel) = channels.first().filter(|_| !row.version.is_empty()) {
            @if context.is_served() {
                section.install aria-labelledby="install" {
                    h2 #install { "Install this version" }
                    (manifests(context, &target(channel), false)?)
                    p.quiet { "With manual approval, OLM Classic stays on this version; otherwise it upgrades to the \
                        head of channel " code { (shown(channel)) } "." }
                }
            } @else { (fields_of_version(context, &target(channel))) }
        }
    })
}

/// The installation of a version, in files: the manifests are on the page of the package, and thousands of versions
/// differ only in two or three fields.
fn fields_of_version(context: PageContext<'_>, target: &InstallTarget<'_>) -> Markup {
    let manifests = context.to(&Route::package_of(target.package)).map(|it| it + "#install");
    html! {
        @if let (Some((bundle, version)), Some(manifests)) = (target.release, manifests) {
            p { "Install it with " a href=(manifests) { "these manifests" } ", channel " code { (shown(target.channel)) }
                " and " code { "version: " (shown(version)) } ", or in OLM Classic " code { "startingCSV: " (shown(bundle)) }
                " and manual approval." }
        }
    }
}

/// The section of a package's page.
pub(super) fn section(
    context: PageContext<'_>,
    package: &PackageDetail,
    head: Option<&BundleDetail>,
) -> Result<Markup, PageError> {
    let row = &package.row;
    let more = PackagePage { catalog: context.catalog_choice(&row.catalog), ..PackagePage::of(&row.package) };
    let more = context.to(&Route::Install(more));
    Ok(html! {
        @if !row.default_channel.is_empty() {
            section.install aria-labelledby="install" {
                h2 #install { "Install" }
                (manifests(context, &of_channel(package, head, &row.default_channel, Approval::Automatic), more.is_none())?)
                @match more {
                    Some(address) => p.quiet { "Channel " code { (shown(&row.default_channel)) } ", approved automatically. "
                        a href=(address) { "Another channel, manual approval, and the service account for OLM v1" } },
                    None => p.quiet { "For another channel, write its name instead of " code { (shown(&row.default_channel)) } "." },
                }
            }
        }
    })
}

/// The manifests for a channel of a package.
fn of_channel<'w>(
    package: &'w PackageDetail,
    head: Option<&'w BundleDetail>,
    channel: &'w str,
    approval: Approval,
) -> InstallTarget<'w> {
    let modes = head.map(|it| it.install_modes.as_slice()).unwrap_or_default();
    let row = &package.row;
    InstallTarget { package: &row.package, catalog: &row.catalog, modes, channel, approval, release: None }
}

/// The manifests for both generations, each on a tab.
fn manifests(context: PageContext<'_>, target: &InstallTarget<'_>, is_whole: bool) -> Result<Markup, PageError> {
    let Manifests { classic, v1, around_v1 } = manifests_of(context, target)?;
    let v1 = if is_whole { format!("{around_v1}---\n{v1}") } else { v1 };
    Ok(html! {
        // Radio buttons are tabs without a script; on paper both are shown.
        div.tabbed role="group" aria-label="OLM" {
            input.away #olm-classic type="radio" name="olm" checked;
            label for="olm-classic" { "OLM Classic" }
            input.away #olm-v1 type="radio" name="olm";
            label for="olm-v1" { "OLM v1" }
            div.of-classic {
                pre.command.manifest tabindex="0" { code { (shown_lines(&classic)) } }
            }
            div.of-v1 {
                (refused(context, target))
                pre.command.manifest tabindex="0" { code { (shown_lines(&v1)) } }
            }
        }
    })
}

/// The reason why OLM v1 does not install the head of a channel: the one of `v1 check`. A name that the question cannot
/// contain gets no answer.
fn refused(context: PageContext<'_>, target: &InstallTarget<'_>) -> Markup {
    let name = match target.release {
        Some((_, version)) => format!("{}@{version}", target.package),
        None => format!("{}/{}", target.package, target.channel),
    };
    let question = ReadinessQuestion {
        names: vec![name],
        catalog: vec![target.catalog.to_owned()],
        is_brief: true,
        ..ReadinessQuestion::default()
    };
    let answer = question.ask(&State::of(&**context.index())).ok();
    let item = answer.iter().flat_map(|it| &it.items).find(|it| it.package == target.package);
    let conditions = item.into_iter().flat_map(|it| &it.conditions).filter(|it| it.is_refusal());
    let reasons: Vec<&str> = conditions.map(|it| it.reason.as_str()).collect();
    html! {
        @if !reasons.is_empty() {
            p { (badge("warn", "refused")) " OLM v1 refuses this version: " (worded(&reasons.join("; "))) "." }
        }
    }
}

/// More channels to choose from are folded.
const MAX_CHANNELS: usize = 8;

/// The page on which channel and approval are chosen.
pub(super) fn page(context: PageContext<'_>, asked: &PackagePage) -> Result<Page, PageError> {
    let Chosen { package, head, channel } = Chosen::of(context, asked)?;
    let (channel, row) = (channel.as_str(), &package.row);
    let names: Vec<String> = package.channel_list.iter().map(|it| it.channel.clone()).collect();
    let version = head.as_ref().map_or("no version", |head| head.row.version.as_str());
    // The default channel and the chosen one first, and then the newest.
    let mut sorted = newest_first(&names);
    sorted.sort_by_key(|name| (*name != row.default_channel, *name != channel));
    let (first, others) = sorted.split_at(sorted.len().min(MAX_CHANNELS));
    let with = |channel: &str, approval: Approval| {
        let is_default = channel == row.default_channel;
        let channel = (!is_default).then(|| channel.to_owned());
        Route::Install(PackagePage { channel, approval, ..asked.clone() })
    };
    let choice = |route: &Route, words: &str, is_here: bool| {
        html! { @if let Some(address) = context.to(route) {
            a href=(address) aria-current=[is_here.then_some("true")] { (shown(words)) }
        } }
    };
    let header = header(context, &Heading::new(&asked.package, Some(&row.catalog)))?;
    let body = html! {
        (header)
        p { "From channel " strong { (shown(channel)) } " OLM installs " strong { (shown(version)) } "." }
        nav.choices aria-label="Channel" {
            span.quiet { "Channel" }
            @for name in first { (choice(&with(name, asked.approval), name, *name == channel)) }
            @if !others.is_empty() { details { summary { (counted(others.len() as u64, "other channel")) }
                @for name in others { (choice(&with(name, asked.approval), name, *name == channel)) " " } } }
        }
        nav.choices aria-label="Approval" {
            span.quiet { "Approval" }
            (choice(&with(channel, Approval::Automatic), "automatic", asked.approval == Approval::Automatic))
            (choice(&with(channel, Approval::Manual), "manual", asked.approval == Approval::Manual))
        }
        h2 { "Manifests" }
        (manifests(context, &of_channel(&package, head.as_ref(), channel, asked.approval), true)?)
        p { "Files for " code { "oc apply -f" } ":"
            @for (words, olm) in [("OLM Classic", Olm::Classic), ("OLM v1", Olm::V1)] {
                @let file = Route::InstallFile(PackagePage { olm: Some(olm), ..asked.clone() });
                @if let Some(address) = context.to(&file) { " " a href=(address) { (words) } }
            } }
        p.quiet { "OLM v1 installs the highest version that the channels permit. Its ClusterRoleBinding lets the \
            installer do everything, since no catalog states the rights that an installation needs." }
    };
    Ok(Page {
        about: format!("How to install the operator {}", asked.package),
        ..Page::new(format!("Install {}", asked.package), body)
    })
}

/// A text of several lines without invisible characters.
pub(super) fn shown_lines(text: &str) -> String {
    text.lines().map(shown).collect::<Vec<_>>().join("\n")
}

/// A text as a scalar of YAML: plain if it cannot be read as anything else.
fn scalar(text: &str) -> String {
    const WORDS: &[&str] = &["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|it| it.is_ascii_alphanumeric() || b"-._/".contains(&it))
        && !WORDS.contains(&text.to_ascii_lowercase().as_str());
    if is_plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

/// The Subscription with what it needs; a CatalogSource that is not known is marked.
fn classic(target: &InstallTarget<'_>, source: Option<(&str, &str)>) -> String {
    let supports = |kind: &str| {
        let modes = target.modes;
        // Without stated modes, the operator goes to the namespace of the others.
        modes.is_empty() && kind == "AllNamespaces" || modes.iter().any(|it| it.kind == kind && it.supported)
    };
    let name = scalar(target.package);
    let mut text = String::new();
    let namespace = if supports("AllNamespaces") {
        "openshift-operators".to_owned()
    } else {
        let namespace = label_of(target.package, "operators");
        let targets =
            if supports("OwnNamespace") || supports("SingleNamespace") { namespace.as_str() } else { "NAMESPACE" };
        text.push_str(&format!(
            "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {}\n---\napiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata:\n  name: {}\n  namespace: {}\nspec:\n  targetNamespaces: [{}]\n---\n",
            scalar(&namespace),
            scalar(&namespace),
            scalar(&namespace),
            scalar(targets)
        ));
        namespace
    };
    text.push_str(&format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata:\n  name: {name}\n  namespace: {}\nspec:\n  name: {name}\n  channel: {}\n  source: {}\n  sourceNamespace: {}\n  installPlanApproval: {}\n",
        scalar(&namespace),
        scalar(target.channel),
        match source {
            Some((_, name)) => scalar(name),
            // A name that an object of Kubernetes can have may be that of the CatalogSource.
            None if label_of(target.catalog, "") == target.catalog => {
                format!("{} # the CatalogSource of this catalog on your cluster", scalar(target.catalog))
            }
            None => format!("CATALOGSOURCE # that of catalog {} on your cluster", scalar(target.catalog)),
        },
        scalar(source.map_or("openshift-marketplace", |it| it.0)),
        if target.approval == Approval::Manual { "Manual" } else { "Automatic" },
    ));
    if let Some((bundle, _)) = target.release {
        text.push_str(&format!("  startingCSV: {}\n", scalar(bundle)));
    }
    text
}

/// The namespace of a ClusterExtension, and the account with which it is installed, if it needs one.
fn around_v1(target: &InstallTarget<'_>, needs_account: bool) -> String {
    let name = label_of(target.package, "operators");
    let namespace = ManifestValue::fields([
        ("apiVersion", ManifestValue::text("v1")),
        ("kind", ManifestValue::text("Namespace")),
        ("metadata", ManifestValue::fields([("name", ManifestValue::text(&name))])),
    ]);
    let mut objects = vec![namespace];
    if needs_account {
        objects.extend(installer(&name, &name).1);
    }
    documents(&objects)
}

fn v1(target: &InstallTarget<'_>, needs_account: bool) -> String {
    let namespace = label_of(target.package, "operators");
    let account = match needs_account {
        true => format!("  serviceAccount:\n    name: {}\n", scalar(&format!("{namespace}-installer"))),
        false => String::new(),
    };
    let mut text = format!(
        "apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nmetadata:\n  name: {}\nspec:\n  namespace: {}\n{account}  source:\n    sourceType: Catalog\n    catalog:\n      packageName: {}\n      channels: [{}]\n",
        scalar(&namespace),
        scalar(&namespace),
        scalar(target.package),
        scalar(target.channel),
    );
    if let Some((_, version)) = target.release {
        text.push_str(&format!("      version: {}\n", scalar(version)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_mean_something_else_are_quoted() {
        for (text, written) in [
            ("stable", "stable"),
            ("strimzi-1.x", "strimzi-1.x"),
            ("1.0", "\"1.0\""),
            ("true", "\"true\""),
            ("No", "\"No\""),
            ("a: b", "\"a: b\""),
            ("", "\"\""),
            ("a\n---\nkind: Secret", "\"a\\n---\\nkind: Secret\""),
        ] {
            assert_eq!(scalar(text), written, "{text}");
        }
    }

    #[test]
    fn namespaces_have_names_that_kubernetes_takes() {
        for (package, namespace) in [("keda", "keda"), ("Ansible_Tower.x", "ansible-tower-x"), ("---", "operators")] {
            assert_eq!(label_of(package, "operators"), namespace, "{package}");
        }
    }
}
