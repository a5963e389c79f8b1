//! The answer to an address: a page, its data, or why there is none.
//!
//! This module knows no connection; the caller checks the host in the request, and compresses.

use maud::{Markup, html};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::assets::{FAVICON, JAVASCRIPT, SCRIPT, SCRIPT_DIGEST, STYLE, STYLE_DIGEST};
use super::frame::{POLICY, framed, refusal};
use super::parts::{capitalized, link, shown, worded};
use super::reply::{PageError, Reply};
use super::route::{Form, PackageVersion, Route};
use super::site::{Page, PageContext, Site};
use super::{
    api, channel, compat, diagnose, diff, endpoints, feed, history, home, icon, images, install, lint, listing,
    machine, mirror, package, package_answer, packages, path, permissions, plan, version, versions,
};
use olmdex_ask::nearest_versions;
use olmdex_base::diag::envelope::{Envelope, FindingsMetadata};
use olmdex_base::diag::json::FindingJson;
use olmdex_text::encoding::hex::hex;

/// A request for an answer.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The method.
    pub method: &'a str,
    /// Path and query.
    pub target: &'a str,
    /// The header `If-None-Match`.
    pub if_none_match: Option<&'a str>,
}

/// Answers a request.
pub fn answer(site: Site<'_>, ask: &Ask<'_>) -> Reply {
    let mut reply = match ask.method {
        "GET" | "HEAD" => get(site, ask),
        _ => {
            let mut reply = match error_form(ask.target) {
                Form::Json => refused(site, &PageError::Method, Form::Json, None),
                Form::Page => plain(405, "405 Method Not Allowed\n"),
            };
            reply.headers.push(("Allow", "GET, HEAD".to_owned()));
            reply
        }
    };
    let always = [
        ("Content-Security-Policy", POLICY),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
        ("Cache-Control", "no-cache"),
    ];
    for (name, value) in always {
        if !reply.headers.iter().any(|it| it.0 == name) {
            reply.headers.push((name, value.to_owned()));
        }
    }
    reply
}

/// The form of an error about a target that need not be an address.
fn error_form(target: &str) -> Form {
    if target.contains(".json") { Form::Json } else { Form::Page }
}

fn get(site: Site<'_>, ask: &Ask<'_>) -> Reply {
    let (route, form) = match Route::parse(ask.target) {
        Ok(found) => found,
        Err(error) => return refused(site, &error, error_form(ask.target), None),
    };
    let address = route.address(form);
    // Programs ask once, and take the answer to any spelling.
    if address != ask.target && form == Form::Page {
        let mut reply = plain(308, "308 Permanent Redirect\n");
        reply.headers.push(("Location", address));
        return reply;
    }
    let tag = format!("\"{}\"", &hex(&Sha256::digest(digested(site, &route, &address)))[..32]);
    let is_known = |it: &str| {
        let plain = it.trim().trim_start_matches("W/");
        // A compressed form has a tag of its own.
        plain == "*" || plain.trim_matches('"').split("-").next() == Some(tag.trim_matches('"'))
    };
    // These depend on the day or on a cluster.
    let is_plan = matches!(route, Route::Plan(_) | Route::Diagnose(_));
    // The digest of the cache is that of the index, and the page of a package tells how it stands in the cluster.
    let has_tag =
        !is_plan && (site.cache.cluster.is_none() || !matches!((&route, form), (Route::Package(_), Form::Page)));
    if has_tag && ask.if_none_match.is_some_and(|it| it.split(',').any(is_known)) {
        return Reply { status: 304, headers: vec![("ETag", tag)], body: Vec::new() };
    }
    let context = PageContext { site, here: &route, shared: None };
    // Another state of the catalogs answers with another page, so browsers must not keep this.
    if let (Route::Packages(list), Form::Page) = (&route, form)
        && let Ok(Some(address)) = packages::answer_of(context, list)
    {
        let mut reply = plain(302, "302 Found\n");
        reply.headers.push(("Location", address));
        return reply;
    }
    let made = match form {
        // The tag says that an address has one page as long as the index is the same.
        Form::Page if route.row().is_html && !is_plan => {
            let page = site.cache.pages.get((&address, ""), || Ok(made(context, form)?.1.into()));
            page.map(|body| (HTML, body.to_vec()))
        }
        _ => made(context, form),
    };
    match made {
        Ok((media_type, body)) => {
            let mut headers = vec![("Content-Type", media_type.to_owned())];
            headers.extend(has_tag.then_some(("ETag", tag)));
            if matches!(route, Route::Style | Route::Script) {
                // Another content has another address.
                headers.push(("Cache-Control", "public, max-age=31536000, immutable".to_owned()));
            }
            if matches!(route, Route::Badge(_) | Route::Favicon) {
                // Other sites show these on their pages.
                headers.push(("Cross-Origin-Resource-Policy", "cross-origin".to_owned()));
            }
            if matches!(route, Route::Icon(_) | Route::Badge(_) | Route::Favicon) {
                // A picture that is opened by itself is a document, and no script in it may run.
                let policy = "sandbox; default-src 'none'; style-src 'unsafe-inline'";
                headers.push(("Content-Security-Policy", policy.to_owned()));
            }
            Reply { status: 200, headers, body }
        }
        Err(error) => refused(site, &error, form, Some(&route)),
    }
}

/// The inputs that an answer depends on.
fn digested(site: Site<'_>, route: &Route, address: &str) -> String {
    // Feeds and maps have the name of the site in them.
    let is_named = matches!(route, Route::Robots | Route::Sitemap | Route::PackageFeed(_) | Route::CatalogFeed(_));
    let base = if is_named { site.base } else { "" };
    format!("{}\n{address}\n{base}\n{}{}", site.cache.digest, *STYLE_DIGEST, *SCRIPT_DIGEST)
}

const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";

/// The media type of a file of YAML (RFC 9512).
const YAML: &str = "application/yaml; charset=utf-8";
const ATOM: &str = "application/atom+xml; charset=utf-8";
const SVG: &str = "image/svg+xml";

fn plain(status: u16, text: &str) -> Reply {
    let headers = vec![("Content-Type", TEXT.to_owned())];
    Reply { status, headers, body: text.as_bytes().to_vec() }
}

/// An answer: its media type and its bytes.
type Made = Result<(&'static str, Vec<u8>), PageError>;

/// The answer for an address, in one of the forms that the table of routes names, without paths of this machine.
pub(super) fn made(context: PageContext<'_>, form: Form) -> Made {
    let of = (context, form);
    let answer = match context.here {
        // These have their digests in their names.
        Route::Style => return Ok(("text/css; charset=utf-8", STYLE.as_bytes().to_vec())),
        Route::Script => return Ok((JAVASCRIPT, SCRIPT.as_bytes().to_vec())),
        Route::Icon(name) => {
            let bytes = context.cache().icon(context.index(), name)?.ok_or(PageError::NoPage)?;
            return Ok((icon::media_type(name), bytes));
        }
        Route::Home if form == Form::Json => items(context, Ok(home::answer(context))),
        Route::Home => html(context, home::page(context)),
        Route::Packages(list) if form == Form::Json => match listing::answer(context, list)? {
            listing::Answer::Listed(rows) => written(&Envelope::new("PackageList", rows)),
            listing::Answer::Found(hits) => written(&Envelope::new("SearchResult", hits)),
        },
        Route::Packages(list) => html(context, packages::page(context, list)),
        Route::Mirror(list) => either(of, list, mirror::page, mirror::answer),
        Route::MirrorImages(list) => text(TEXT, mirror::images(context, list)),
        Route::MirrorLock(list) => text(TEXT, mirror::lock(context, list)),
        Route::Package(asked) => either(of, asked, package::page, package_answer::in_catalog),
        Route::Version(release) => either(of, release, version::page, version::answer),
        Route::Deps(release) => items(context, version::dependencies(context, release)),
        Route::VersionImages(release) => items(context, version::images(context, release)),
        Route::Channel(stream) => either(of, stream, channel::page, channel::answer),
        Route::Path(asked) => either(of, asked, path::page, path::answer),
        Route::WhyNot(asked) => items(context, path::why_not(context, asked)),
        Route::Compat(asked) => either(of, asked, compat::page, compat::answer),
        Route::Permissions(asked) => either(of, asked, permissions::page, permissions::answer),
        Route::History(asked) => either(of, asked, history::page, history::answer),
        Route::Diff(comparison) => either(of, comparison, diff::page, diff::answer),
        Route::Api(api) => either(of, api, api::page, api::answer),
        Route::Images(search) => either(of, search, images::page, images::answer),
        Route::ImagesText(search) => text(TEXT, images::references(context, &search.text)),
        Route::Lint(checked) if form == Form::Json => {
            let findings = lint::listed(context, checked)?;
            let items: Vec<FindingJson> = findings.iter().map(FindingJson::from).collect();
            let metadata = FindingsMetadata { count: items.len(), ..FindingsMetadata::default() };
            written(&Envelope::with("Findings", metadata, items))
        }
        Route::Lint(checked) => html(context, lint::page(context, checked)),
        Route::Rules => html(context, lint::rules_page(context)),
        Route::Rule(rule) => html(context, lint::rule_page(context, rule)),
        Route::Versions(asked) => html(context, versions::page(context, asked)),
        Route::Install(asked) => html(context, install::page(context, asked)),
        Route::InstallFile(asked) => text(YAML, install::file(context, asked)),
        Route::Apis(list) => html(context, api::all(context, list)),
        Route::Diagnose(part) => either(of, part, diagnose::page, diagnose::answer),
        Route::Plan(journey) if form == Form::Json => own_data(&plan::answer(context, journey)?),
        Route::Plan(journey) => html(context, plan::page(context, journey)),
        Route::Endpoints if form == Form::Json => own_data(&endpoints::description()?),
        Route::Endpoints => html(context, Ok(endpoints::page(context))),
        Route::Robots => text(TEXT, Ok(machine::robots(context))),
        Route::Sitemap => text("application/xml; charset=utf-8", machine::sitemap(context)),
        Route::Favicon => text(SVG, Ok(FAVICON.to_owned())),
        Route::PackageFeed(package) => text(ATOM, feed::of_package(context, package)),
        Route::CatalogFeed(catalog) => text(ATOM, feed::of_catalog(context, catalog)),
        Route::Badge(package) => text(SVG, machine::badge(context, package)),
        Route::Names => text(JAVASCRIPT, machine::names(context)),
        Route::VersionNames(package) => text(JAVASCRIPT, machine::versions(context, package)),
    };
    let (media_type, text) = answer?;
    Ok((media_type, context.cache().server_paths.cut(text)))
}

/// A page, or the answer as data.
fn either<Q: ?Sized, T: Serialize>(
    (context, form): (PageContext<'_>, Form),
    asked: &Q,
    page: impl FnOnce(PageContext<'_>, &Q) -> Result<Page, PageError>,
    data: impl FnOnce(PageContext<'_>, &Q) -> Result<Vec<T>, PageError>,
) -> Made {
    match form {
        Form::Page => html(context, page(context, asked)),
        Form::Json => items(context, data(context, asked)),
    }
}

fn html(context: PageContext<'_>, page: Result<Page, PageError>) -> Made {
    Ok((HTML, framed(context, &page?).into_string().into_bytes()))
}

/// Data: the output of the command with `-o json`.
fn items<T: Serialize>(context: PageContext<'_>, items: Result<Vec<T>, PageError>) -> Made {
    written(&Envelope::new(context.here.row().kind.unwrap_or_default(), items?))
}

fn text(media_type: &'static str, text: Result<String, PageError>) -> Made {
    Ok((media_type, text?.into_bytes()))
}

fn written<T: Serialize, M: Serialize>(envelope: &Envelope<T, M>) -> Made {
    let mut out = Vec::new();
    envelope.write(&mut out).map_err(|error| PageError::Failed(error.to_string()))?;
    Ok((JSON, out))
}

/// Data with a form of its own.
fn own_data(data: &impl Serialize) -> Made {
    let mut out = serde_json::to_vec_pretty(data).map_err(|error| PageError::Failed(error.to_string()))?;
    out.push(b'\n');
    Ok((JSON, out))
}

/// Why an address of data has none; its schema is in [`endpoints`].
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Refusal {
    /// The status of HTTP: 400 for a parameter, 404 for a name, 405 for the method, 414 for the address, 422 for a
    /// size, 500 for the index.
    status: u16,
    /// The reason.
    message: String,
    /// The name that was probably meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    did_you_mean: Option<String>,
}

fn refused(site: Site<'_>, error: &PageError, form: Form, asked: Option<&Route>) -> Reply {
    let status = error.status();
    // Faults of the index concern the operator of the server, not the reader.
    let message = match status {
        500 => "olmdex cannot query the catalogs".to_owned(),
        _ => shown(&error.to_string()),
    };
    if form == Form::Json {
        let did_you_mean = match error {
            PageError::Unknown { meant: Some(found), .. } => Some(found.0.clone()),
            _ => None,
        };
        // A refusal is data and can be written.
        let body = written(&Envelope::new("Error", vec![Refusal { status, message, did_you_mean }]));
        let body = body.map(|it| it.1).unwrap_or_default();
        return Reply {
            status,
            headers: vec![("Content-Type", JSON.to_owned())],
            body: site.cache.server_paths.cut(body),
        };
    }
    let context = PageContext { site, here: &Route::Home, shared: None };
    let title = match error {
        PageError::NoPage | PageError::Unknown { .. } => "Not found",
        PageError::Parameter { .. } | PageError::TooLong => "Invalid request",
        _ => "No answer",
    };
    let body: Markup = html! {
        p.lead { (worded(&capitalized(&message))) "." }
        @if let PageError::Unknown { meant: Some(found), .. } = error {
            @let (meant, address) = (&found.0, &found.1);
            p { "Did you mean " @if address.is_empty() { strong { (shown(meant)) } } @else { a href=(address) { (shown(meant)) } } "?" }
        }
        @if let PageError::Unknown { what: "package", name, .. } = error { (packages::like(context, name)) }
        @if let PageError::Unknown { what: "version", name, .. } = error {
            (nearest(context, name, asked.and_then(|route| route.value("catalog"))))
        }
        // The question stays, so that it can be asked again.
        @match asked {
            Some(Route::Path(query)) => { @if let Ok(form) = path::again(context, query) { (form) } }
            Some(Route::Compat(query)) => { @if let Ok(form) = compat::again(context, query) { (form) } }
            _ => {}
        }
        p { "Search above for a package by name, keyword or API." }
    };
    let page = refusal(context, title, &body).into_string().into_bytes();
    let body = site.cache.server_paths.cut(page);
    Reply { status, headers: vec![("Content-Type", HTML.to_owned())], body }
}

/// How many nearest versions a page names if the requested one does not exist.
const N_NEAREST: usize = 3;

/// The versions that are nearest to one that does not exist, with the package; `name` holds both names. An error here
/// is ignored, since the page is about something else.
fn nearest(context: PageContext<'_>, name: &str, catalog: Option<String>) -> Markup {
    let Some((package, version)) = name.split_once(' ') else { return html! {} };
    let catalogs = catalog.as_slice();
    let found = nearest_versions(context.index(), catalogs, package, version, N_NEAREST).unwrap_or_default();
    let of = |version: &str| {
        let (package, version, catalog) = (package.to_owned(), version.to_owned(), catalog.clone());
        Route::Version(PackageVersion { package, version, catalog })
    };
    html! {
        @if !found.is_empty() {
            p { "The nearest versions:" }
            ul { @for it in &found { li { (link(context, &of(it), shown(it))) } } }
        }
        p { (link(context, &Route::package_of(package), html! { "The package " (shown(package)) })) }
    }
}

#[cfg(test)]
mod tests {
    use olmdex_text::palette::contrast;

    #[test]
    fn text_of_pages_can_be_read_in_light_and_dark() {
        let schemes: Vec<&str> = include_str!("style.css").split(":root {").skip(1).collect();
        assert_eq!(schemes.len(), 2);
        for scheme in schemes {
            let of = |name: &str| scheme.split_once(&format!("--{name}: ")).unwrap().1.split(';').next().unwrap();
            for (text, grounds) in [
                ("text", ["ground", "soft"]),
                ("quiet", ["ground", "soft"]),
                ("link", ["ground", "soft"]),
                ("good", ["ground", "good-ground"]),
                ("bad", ["ground", "bad-ground"]),
                ("warn", ["ground", "warn-ground"]),
            ] {
                for ground in grounds {
                    let contrast = contrast(of(text), of(ground));
                    assert!(contrast >= 4.5, "{text} on {ground}: {contrast:.2}");
                }
            }
        }
    }
}
