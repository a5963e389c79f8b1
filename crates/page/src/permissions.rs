//! The rights that an operator's installation grants, and those that a version needs and another one does not.

use maud::{Markup, html};

use super::header::{Heading, header};
use super::parts::{select, shown, table, version_link};
use super::reply::PageError;
use super::route::{PackagePage, Route};
use super::site::{Page, PageContext};
use olmdex_ask::{AskedRule, BundlePermissions, CommandLine, PackageName, RuleScope, permissions_of};
use olmdex_index::query::{BundleRow, Filter};

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
    let filter =
        Filter { package: Some(rights.package.clone()), catalogs: vec![catalog.to_owned()], ..Filter::default() };
    // The index has the highest version last.
    let versions: Vec<String> = context.index().bundles(&filter)?.into_iter().rev().map(name).collect();
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
    if row.version.is_empty() { row.bundle } else { row.version }
}

fn one(context: PageContext<'_>, answer: &BundlePermissions) -> Markup {
    let BundlePermissions { catalog, package, bundle, version, is_known, rules, against, added } = answer;
    let link = |bundle: &str, version: &str| version_link(context, package, (bundle, version), catalog);
    let unknown = |version: Markup| {
        html! {
            div.note.warn role="note" { p {
                "The permissions of " (version) " are unknown: catalog " (shown(catalog))
                " has only the metadata of its ClusterServiceVersion. Run " code { "olmdex show --permissions" } " on an index that holds the bundle."
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
                (table("Permissions", &["Where", "Service account", "API groups", "Resources", "Verbs"], html! {
                    @for rule in shown_rules { (row(rule)) }
                }))
            }
        }
    }
}

fn row(rule: &AskedRule) -> Markup {
    let group = |it: &String| if it.is_empty() { "core".to_owned() } else { it.clone() };
    let groups = rule.api_groups.iter().map(group).collect::<Vec<_>>().join(", ");
    let resources = rule.resources.iter().chain(&rule.non_resource_urls).cloned().collect::<Vec<_>>().join(", ");
    html! {
        tr {
            td { (match rule.scope { RuleScope::Cluster => "all namespaces", RuleScope::Namespace => "watched namespaces" }) }
            td { (shown(&rule.service_account)) }
            td { (shown(&groups)) }
            th scope="row" {
                (shown(&resources))
                @if !rule.resource_names.is_empty() { span.line.quiet { "only " (shown(&rule.resource_names.join(", "))) } }
            }
            td { (shown(&rule.verbs.join(", "))) }
        }
    }
}
