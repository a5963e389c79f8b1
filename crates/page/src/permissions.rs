//! The rights that an operator's installation grants, and those that a version needs and another one does not.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::header::{Heading, header};
use super::parts::{badge, select, shown, table, version_link};
use super::reply::PageError;
use super::route::{PackagePage, Route};
use super::site::{Page, PageContext};
use olmdex_ask::{AskedRule, BundlePermissions, CommandLine, PackageName, RuleScope, permissions_of};
use olmdex_base::diag::counted;
use olmdex_index::query::{BundleRow, Filter};
use olmdex_version::version_or_name;

/// The catalog of the question.
fn catalog(context: PageContext<'_>, rights: &PackagePage) -> Result<String, PageError> {
    let mut having = context.cache().catalogs_with_manifests(context.index(), &rights.package)?.to_vec();
    if having.is_empty() || rights.catalog.is_some() {
        having = context.index().catalogs_of_package(&rights.package)?;
    }
    let named: Vec<String> = rights.catalog.iter().cloned().collect();
    let chosen = context.cache().ranks.choose(&named, having.iter().map(String::as_str));
    chosen.map(str::to_owned).ok_or_else(|| context.unknown_package(&rights.package))
}

fn of_catalog(
    context: PageContext<'_>,
    rights: &PackagePage,
    catalog: &str,
) -> Result<Vec<BundlePermissions>, PageError> {
    let PackagePage { package, version, against, .. } = rights;
    // The address names the package, so its name may contain an `@` or a slash.
    let name = PackageName { installed: version.clone(), ..PackageName::of(package) };
    Ok(permissions_of(context.index(), &[catalog.to_owned()], &name, against.as_deref())?)
}

/// The answer as data: that of `show PKG --permissions`.
pub(super) fn answer(context: PageContext<'_>, rights: &PackagePage) -> Result<Vec<BundlePermissions>, PageError> {
    of_catalog(context, rights, &catalog(context, rights)?)
}

pub(super) fn page(context: PageContext<'_>, rights: &PackagePage) -> Result<Page, PageError> {
    let package = &rights.package;
    let catalog = catalog(context, rights)?;
    let answers = of_catalog(context, rights, &catalog)?;
    let header = header(context, &Heading::new(package, Some(&catalog)))?;
    let body = html! {
        (header)
        @if context.is_served() { (form(context, rights, &catalog)?) }
        @if answers.is_empty() { p { "The default channel of this package has no head." } }
        @for answer in &answers { (one(context, answer)) }
    };
    let name = rights.version.as_ref().map_or_else(|| package.clone(), |version| format!("{package}@{version}"));
    let command = CommandLine::of("show").names([name]).flag("--permissions", true);
    let command = command.option("--against", rights.against.as_ref());
    let commands = vec![command.option("--catalog", context.catalog_choice(&catalog).as_ref())];
    Ok(Page { is_data: true, commands, ..Page::new(format!("Permissions of {package}"), body) })
}

fn form(context: PageContext<'_>, rights: &PackagePage, catalog: &str) -> Result<Markup, PageError> {
    // The index has the highest version last.
    let versions: Vec<String> =
        context.index().bundles(&Filter::in_catalog(catalog, &rights.package))?.into_iter().rev().map(name).collect();
    let address = context.to(&Route::Permissions(PackagePage::of(&rights.package)));
    Ok(html! {
        form.question action=[address] {
            @if context.has_several() { input type="hidden" name="catalog" value=(catalog); }
            (select(("version", "Version"), Some("Default head"), &versions, rights.version.as_ref()))
            (select(("against", "Compared with"), Some("Nothing: show all"), &versions, rights.against.as_ref()))
            button { "Show" }
        }
    })
}

fn name(row: BundleRow) -> String {
    version_or_name(&row.version, &row.bundle).to_owned()
}

fn one(context: PageContext<'_>, answer: &BundlePermissions) -> Markup {
    let BundlePermissions { catalog, package, bundle, version, is_known, is_for_all_namespaces, rules, against, added } =
        answer;
    let link = |bundle: &str, version: &str| version_link(context, package, (bundle, version), catalog);
    let unknown = |version: Markup| {
        html! {
            div.note.warn role="note" { p {
                "The permissions of " (version) " are unknown: catalog " (shown(catalog))
                " has only the metadata of its ClusterServiceVersion. Run " code { "olmdex show " (shown(package)) " --permissions" } " on an index that holds the bundle."
            } }
        }
    };
    let shown_rules = added.as_ref().unwrap_or(rules);
    html! {
        @if !is_known { (unknown(link(bundle, version))) }
        @if let Some(other) = against.as_ref().filter(|it| !it.is_known) { (unknown(link(&other.bundle, &other.version))) }
        @if *is_known {
            p {
                @match (against, added) {
                    (Some(other), Some(added)) if added.is_empty() => {
                        strong { (link(bundle, version)) } " asks for no permission \
                            that " (link(&other.bundle, &other.version)) " does not have."
                    }
                    (Some(other), Some(_)) => {
                        strong { (link(bundle, version)) } " asks for these permissions, in addition to those \
                            that " (link(&other.bundle, &other.version)) " has:"
                    }
                    _ if rules.is_empty() => { strong { (link(bundle, version)) } " asks for no permissions." }
                    _ => {
                        "The installation of " strong { (link(bundle, version)) } " from " (shown(catalog)) " grants its service accounts:"
                    }
                }
            }
            @if !shown_rules.is_empty() {
                (rights(shown_rules, *is_for_all_namespaces))
            }
        }
    }
}

/// The rights, those to look at first, and the others by their API groups. A place or an account that all share has no
/// column.
fn rights(rules: &[AskedRule], is_for_all: bool) -> Markup {
    let place = |rule: &AskedRule| match rule.scope {
        RuleScope::Namespace if !is_for_all => "watched namespaces",
        _ => "all namespaces",
    };
    let same_place = rules.windows(2).all(|pair| place(&pair[0]) == place(&pair[1]));
    let same_account = rules.windows(2).all(|pair| pair[0].service_account == pair[1].service_account);
    let mut headers = vec!["Resources", "Verbs"];
    headers.extend((!same_place).then_some("Where"));
    headers.extend((!same_account).then_some("Service account"));
    let listed = |caption: &str, headers: &[&str], some: &[&AskedRule], has_groups: bool| {
        table(
            caption,
            headers,
            html! { @for rule in some { tr {
                th scope="row" {
                    (shown(&rule.resources.iter().chain(&rule.non_resource_urls).cloned().collect::<Vec<_>>().join(", ")))
                    @for risk in rule.risks() { " " (badge("warn", risk)) }
                    @if !rule.resource_names.is_empty() { span.line.quiet { "only " (shown(&rule.resource_names.join(", "))) } }
                }
                td { (shown(&rule.verbs.join(", "))) }
                @if !same_place { td { (place(rule)) } }
                @if !same_account { td { (shown(&rule.service_account)) } }
                @if has_groups { td { (shown(&groups(rule))) } }
            } } },
        )
    };
    let (risky, others): (Vec<&AskedRule>, Vec<&AskedRule>) = rules.iter().partition(|rule| !rule.risks().is_empty());
    let mut by_group: BTreeMap<String, Vec<&AskedRule>> = BTreeMap::new();
    for rule in others {
        by_group.entry(groups(rule)).or_default().push(rule);
    }
    html! {
        @if let Some(first) = rules.first() {
            @if same_place || same_account { p.quiet {
                @if same_place { "All in " strong { (place(first)) } } @else { "All" }
                @if is_for_all && rules.iter().any(|rule| rule.scope == RuleScope::Namespace) { " (the operator supports no other mode)" }
                @if same_account { ", for the service account " code { (shown(&first.service_account)) } } "."
            } }
        }
        @if !risky.is_empty() {
            h2 { (counted(risky.len() as u64, "right")) " to look at" }
            (listed("Rights to look at", &[headers.clone(), vec!["API groups"]].concat(), &risky, true))
        }
        @if !by_group.is_empty() { h2 { "Other rights, by API group" } }
        @for (group, rules) in &by_group {
            details.group { summary { strong { (shown(group)) } " " span.quiet { (counted(rules.len() as u64, "rule")) } }
                (listed(group, &headers, rules, false)) }
        }
    }
}

/// The API groups of a rule in words.
fn groups(rule: &AskedRule) -> String {
    let name = |group: &String| if group.is_empty() { "core".to_owned() } else { group.clone() };
    match rule.api_groups.is_empty() {
        true => "paths of the API server".to_owned(),
        false => rule.api_groups.iter().map(name).collect::<Vec<_>>().join(", "),
    }
}
