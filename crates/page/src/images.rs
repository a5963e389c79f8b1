//! The packages that use an image: by package and repository, with the versions that have it as a range.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::parts::{link, pages, shown, table, version_link};
use super::reply::PageError;
use super::route::{ImageSearch, Route};
use super::site::{Page, PageContext};
use olmdex_ask::CommandLine;
use olmdex_base::diag::counted;
use olmdex_index::query::{BundleRow, Filter, FoundImages, ImageUser, ImageUsers};
use olmdex_version::Version;

/// Packages of a page of the list; the answer as data has all.
const PER_PAGE: usize = 10;

/// The highest number of references that are shown to copy; a longer list is available as text.
const MAX_COPIED: usize = 100;

/// The most registries, and the most repositories, that are offered.
const MAX_OFFERED: usize = 20;

fn users<'a>(context: PageContext<'a>) -> Result<&'a ImageUsers, PageError> {
    Ok(context.cache().image_users(context.index())?)
}

fn find(context: PageContext<'_>, text: &str) -> Result<FoundImages, PageError> {
    if text.is_empty() {
        return Err(PageError::parameter("q", "required: a part of an image reference"));
    }
    Ok(users(context)?.find(text))
}

/// The answer as data: that of `list bundles --image TEXT`.
pub(super) fn answer(context: PageContext<'_>, search: &ImageSearch) -> Result<Vec<BundleRow>, PageError> {
    let text = &search.text;
    let mut listed = Vec::new();
    for package in find(context, text)?.packages.into_iter().map(|it| it.0) {
        let places = users(context)?.places_in(&package, text);
        let rows = context.index().bundles(&Filter::of_package(&package))?;
        let place_of = |it: &BundleRow| (it.catalog.clone(), it.package.clone(), it.bundle.clone());
        listed.extend(rows.into_iter().filter(|it| places.contains(&place_of(it))));
    }
    // The command lists catalog by catalog.
    listed.sort_by(|a, b| (&a.catalog, &a.package).cmp(&(&b.catalog, &b.package)));
    Ok(listed)
}

/// All references with a text, one per line.
pub(super) fn references(context: PageContext<'_>, text: &str) -> Result<String, PageError> {
    if text.is_empty() {
        return Err(PageError::parameter("q", "required: a part of an image reference"));
    }
    Ok(users(context)?.references(text).iter().fold(String::new(), |all, it| all + it + "\n"))
}

pub(super) fn page(context: PageContext<'_>, search: &ImageSearch) -> Result<Page, PageError> {
    let ImageSearch { text, page } = search;
    if !context.is_served() {
        return all_of_files(context);
    }
    let is_asked = !text.is_empty();
    let FoundImages { references, packages: found } =
        if is_asked { find(context, text)? } else { FoundImages::default() };
    let n_bundles: usize = found.iter().map(|it| it.1).sum();
    let n_pages = found.len().div_ceil(PER_PAGE).max(1);
    if *page >= n_pages {
        return Err(PageError::after_last(n_pages));
    }
    let mut packages = Vec::new();
    for (package, _) in found.iter().skip(page * PER_PAGE).take(PER_PAGE) {
        packages.push((package, repositories(users(context)?.of_package(package, text))));
    }
    let body = html! {
        h1 { "Images" }
        form.question role="search" aria-label="Find images" action=[context.to(&Route::Images(ImageSearch::default()))] {
            label { span { "Part of a reference" } input.wide type="search" name="q" value=(text) placeholder="registry/organization/name, or a digest"; }
            button { "Find" }
        }
        @if is_asked {
            p role="status" { strong { (counted(references.len() as u64, "image")) }
                " with “" (shown(text)) "” in the reference, in " (counted(n_bundles as u64, "bundle")) " of "
                (counted(found.len() as u64, "package")) "." }
            (to_copy(context, text, &references))
            @for (package, repositories) in &packages { (of_package(context, package, repositories)) }
            (pages(context, *page, n_pages, |page| Route::Images(ImageSearch { page, ..search.clone() })))
        } @else {
            p { "Find the packages that use an image. Any part of its reference will do, such as a repository or a digest." }
            (offered(context)?)
        }
    };
    let command = CommandLine::of("list").names(["bundles"]).option("--image", Some(text));
    Ok(Page {
        commands: if is_asked { vec![command] } else { Vec::new() },
        is_data: is_asked,
        ..Page::new("Images".to_owned(), body)
    })
}

/// The registry of a reference that names one. Without a host, a reference means Docker Hub.
fn registry_of(reference: &str) -> Option<&str> {
    reference.split_once('/').map(|(host, _)| host).filter(|host| host.contains(['.', ':']))
}

/// Searches to begin with: the repositories that several packages share, and the registries with the most images.
fn offered(context: PageContext<'_>) -> Result<Markup, PageError> {
    let users = users(context)?;
    let rows = |counts: &BTreeMap<&str, (u64, u64)>, end: &str, order: fn(&(u64, u64)) -> u64| {
        let mut counts: Vec<_> = counts.iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(order(count)));
        html! { @for (part, (n_images, n_packages)) in counts.iter().take(MAX_OFFERED) { tr {
            @let search = ImageSearch { text: format!("{part}{end}"), page: 0 };
            th scope="row" { (link(context, &Route::Images(search), shown(part))) }
            td.amount { (counted(*n_packages, "package")) }
            td.amount { (counted(*n_images, "image")) }
        } } }
    };
    let mut repositories = users.counts_by(|reference| Some(repository_of(reference)).filter(|name| !name.is_empty()));
    repositories.retain(|_, (_, n_packages)| *n_packages > 1);
    let registries = users.counts_by(registry_of);
    Ok(html! {
        @if !repositories.is_empty() {
            h2 { "Shared by the most packages" }
            (table("Repositories that the most packages use", &["Repository", "#Packages", "#Images"], rows(&repositories, "", |count| count.1)))
        }
        @if !registries.is_empty() {
            h2 { "Registries" }
            (table("Registries with the most images", &["Registry", "#Packages", "#Images"], rows(&registries, "/", |count| count.0)))
        }
    })
}

/// For a page that cannot answer questions: the repositories of all packages.
fn all_of_files(context: PageContext<'_>) -> Result<Page, PageError> {
    let mut packages = Vec::new();
    for package in context.index().package_names()? {
        if context.to(&Route::package_of(&package)).is_some() {
            packages.push((repositories(users(context)?.of_package(&package, "")), package));
        }
    }
    let body = html! {
        h1 { "Images" }
        p { "The repositories of the images that each package uses. " code { "olmdex serve" } " and " code { "olmdex images" } " list \
            the references." }
        @for (repositories, package) in &packages { @if !repositories.is_empty() { (of_package(context, package, repositories)) } }
    };
    Ok(Page::new("Images".to_owned(), body))
}

/// The way to references as text.
fn as_text(text: &str) -> Route {
    Route::ImagesText(ImageSearch { text: text.to_owned(), page: 0 })
}

/// The references to take along.
fn to_copy(context: PageContext<'_>, text: &str, references: &[String]) -> Markup {
    html! {
        @if !references.is_empty() {
            p { (link(context, &as_text(text), "All references as text")) ", one per line." }
            @if references.len() <= MAX_COPIED {
                details { summary { "All references, to copy" }
                    pre.command.manifest tabindex="0" { code { (references.iter().map(|it| shown(it)).collect::<Vec<_>>().join("\n")) } } }
            }
        }
    }
}

/// A repository of images, and the users of its images.
#[derive(Default)]
struct Repository {
    users: Vec<ImageUser>,
    bundles: BTreeSet<String>,
    references: BTreeSet<String>,
}

/// The reference of an image without its tag and digest.
fn repository_of(reference: &str) -> &str {
    let plain = reference.split('@').next().unwrap_or(reference);
    match plain.rsplit_once(':') {
        // Text after the colon of a port contains a slash.
        Some((name, tag)) if !tag.contains('/') => name,
        _ => plain,
    }
}

fn repositories(users: Vec<ImageUser>) -> BTreeMap<String, Repository> {
    let mut found: BTreeMap<String, Repository> = BTreeMap::new();
    for user in users {
        let it = found.entry(repository_of(&user.reference).to_owned()).or_default();
        it.references.insert(user.reference.clone());
        // A bundle may use several images of a repository.
        if it.bundles.insert(user.bundle.clone()) {
            it.users.push(user);
        }
    }
    found
}

/// The images of a package, a row for each repository.
fn of_package(context: PageContext<'_>, package: &str, repositories: &BTreeMap<String, Repository>) -> Markup {
    let to = |it: &ImageUser| version_link(context, package, (&it.bundle, &it.version), &it.catalog);
    let rows = html! {
        @for (name, it) in repositories {
            tr {
                th scope="row" { code { (shown(name)) } }
                @let version = |user: &&ImageUser| Version::parse(&user.version).ok();
                td { @if let (Some(low), Some(high)) = (it.users.iter().min_by_key(version), it.users.iter().max_by_key(version)) {
                    @if it.users.len() == 1 { (to(low)) }
                    @else { (to(low)) " to " (to(high)) span.quiet { " (" (it.users.len()) ")" } }
                } }
                td { @match it.references.iter().next() {
                    Some(only) if it.references.len() == 1 => { code { (shown(only.strip_prefix(name.as_str()).unwrap_or(only))) } }
                    _ => { (link(context, &as_text(name), counted(it.references.len() as u64, "reference"))) }
                } }
            }
        }
    };
    html! {
        h2 { (link(context, &Route::package_of(package), shown(package))) }
        (table(&format!("Images of {}", shown(package)), &["Repository", "Versions", "Tag or digest"], rows))
    }
}

#[cfg(test)]
mod tests {
    use super::repository_of;

    #[test]
    fn repositories_have_neither_tag_nor_digest() {
        for (reference, repository) in [
            ("quay.io/a/b:v1", "quay.io/a/b"),
            ("quay.io/a/b@sha256:00", "quay.io/a/b"),
            ("quay.io:5000/a/b:v1@sha256:00", "quay.io:5000/a/b"),
            ("quay.io:5000/a/b", "quay.io:5000/a/b"),
        ] {
            assert_eq!(repository_of(reference), repository);
        }
    }
}
