//! The answer to an address: a page, its data, or why there is none.
//!
//! This module knows no connection; the caller checks the host in the request, and compresses.

use maud::{Markup, html};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::assets::{JAVASCRIPT, SCRIPT, SCRIPT_DIGEST, STYLE, STYLE_DIGEST};
use super::frame::{POLICY, framed, refusal};
use super::parts::{link, shown, worded};
use super::reply::{PageError, Reply};
use super::route::{Form, Machine, PackageVersion, Part, Route};
use super::site::{Page, PageContext, Site};
use super::{
    api, channel, compat, diff, endpoints, history, home, icon, images, install, lint, listing, machine, mirror,
    package, package_answer, packages, path, permissions, plan, version, versions,
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
#[must_use]
pub fn answer(site: Site<'_>, ask: &Ask<'_>) -> Reply {
    let mut reply = match ask.method {
        "GET" | "HEAD" => get(site, ask),
        _ => {
            let mut reply = text(405, "405 Method Not Allowed\n");
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

fn get(site: Site<'_>, ask: &Ask<'_>) -> Reply {
    let (route, form) = match Route::parse(ask.target) {
        Ok(found) => found,
        Err(error) => return refused(site, &error, if ask.target.contains(".json") { Form::Json } else { Form::Page }),
    };
    let address = route.address(form);
    if address != ask.target {
        let mut reply = text(308, "308 Permanent Redirect\n");
        reply.headers.push(("Location", address));
        return reply;
    }
    let tag = format!("\"{}\"", &hex(&Sha256::digest(digested(site, &route, &address)))[..32]);
    let is_known = |it: &str| {
        let plain = it.trim().trim_start_matches("W/");
        // A compressed form has a tag of its own.
        plain == "*" || plain.trim_matches('"').split("-").next() == Some(tag.trim_matches('"'))
    };
    // A plan depends on the day and on a cluster.
    let is_plan = matches!(route, Route::Plan(_));
    if !is_plan && ask.if_none_match.is_some_and(|it| it.split(',').any(is_known)) {
        return Reply { status: 304, headers: vec![("ETag", tag)], body: Vec::new() };
    }
    let made = match form {
        Form::Json => data(PageContext { site, here: &route, shared: None }).map(|body| (JSON, body)),
        Form::Page if is_page(&route) => {
            // The tag says that an address has one page as long as the index is the same.
            let make = || Ok(content(PageContext { site, here: &route, shared: None })?.1.into());
            site.cache.pages.get((&address, ""), make).map(|body| (HTML, body.to_vec()))
        }
        Form::Page => content(PageContext { site, here: &route, shared: None }),
    };
    match made {
        Ok((media_type, body)) => {
            let mut headers = vec![("Content-Type", media_type.to_owned())];
            headers.extend((!is_plan).then_some(("ETag", tag)));
            if matches!(route, Route::Style | Route::Script) {
                // Another content has another address.
                headers.push(("Cache-Control", "public, max-age=31536000, immutable".to_owned()));
            }
            if matches!(route, Route::Machine(Machine::Badge(_) | Machine::Favicon)) {
                // Other sites show these on their pages.
                headers.push(("Cross-Origin-Resource-Policy", "cross-origin".to_owned()));
            }
            if matches!(route, Route::Icon(_) | Route::Machine(Machine::Badge(_) | Machine::Favicon)) {
                // A picture that is opened by itself is a document, and no script in it may run.
                let policy = "sandbox; default-src 'none'; style-src 'unsafe-inline'";
                headers.push(("Content-Security-Policy", policy.to_owned()));
            }
            Reply { status: 200, headers, body }
        }
        Err(error) => refused(site, &error, form),
    }
}

/// Whether a route leads to a page in HTML that only depends on the index.
fn is_page(route: &Route) -> bool {
    match route {
        Route::Plan(_) | Route::Machine(_) | Route::Icon(_) | Route::Style | Route::Script => false,
        Route::Mirror(list) => !list.is_text && !list.is_lock,
        Route::Images(search) => !search.is_text,
        _ => true,
    }
}

/// The inputs that an answer depends on.
fn digested(site: Site<'_>, route: &Route, address: &str) -> String {
    // Feeds and maps have the name of the site in them.
    let base = if matches!(route, Route::Machine(_)) { site.base } else { "" };
    format!("{}\n{address}\n{base}\n{}{}", site.cache.digest, *STYLE_DIGEST, *SCRIPT_DIGEST)
}

const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";

fn text(status: u16, text: &str) -> Reply {
    let headers = vec![("Content-Type", "text/plain; charset=utf-8".to_owned())];
    Reply { status, headers, body: text.as_bytes().to_vec() }
}

/// A page, or a file that pages use: its media type and its bytes. Our own texts have no path of this machine.
pub(super) fn content(context: PageContext<'_>) -> Result<(&'static str, Vec<u8>), PageError> {
    match context.here {
        // These have their digests in their names.
        Route::Style => Ok(("text/css; charset=utf-8", STYLE.as_bytes().to_vec())),
        Route::Script => Ok((JAVASCRIPT, SCRIPT.as_bytes().to_vec())),
        Route::Icon(name) => {
            let bytes = context.cache().icon(context.index(), name)?.ok_or(PageError::NoPage)?;
            Ok((icon::media_type(name), bytes))
        }
        _ => {
            let (media_type, text) = whole_text(context)?;
            Ok((media_type, context.cache().server_paths.cut(text)))
        }
    }
}

fn whole_text(context: PageContext<'_>) -> Result<(&'static str, Vec<u8>), PageError> {
    let page: Page = match context.here {
        Route::Style | Route::Script | Route::Icon(_) => return Err(PageError::NoPage),
        Route::Machine(asked) => return machine::content(context, asked),
        Route::Endpoints => endpoints::page(context),
        Route::Versions(kept) => versions::page(context, &kept.package)?,
        Route::Install(install) => install::page(context, install)?,
        Route::Version(_, Part::Deps | Part::Images) | Route::WhyNot(_) => return Err(PageError::NoPage),
        Route::Mirror(list) if list.is_text => {
            return Ok(("text/plain; charset=utf-8", mirror::images(context, list)?.into_bytes()));
        }
        Route::Mirror(list) if list.is_lock => {
            return Ok(("text/plain; charset=utf-8", mirror::lock(context, list)?.into_bytes()));
        }
        Route::Mirror(list) => mirror::page(context, list)?,
        Route::Home => home::page(context)?,
        Route::Packages(list) => packages::page(context, list)?,
        Route::Package(name) => package::page(context, name)?,
        Route::Version(release, Part::Whole) => version::page(context, release, &version::answer(context, release)?)?,
        Route::Channel(stream) => channel::page(context, stream)?,
        Route::Path(way) => path::page(context, way)?,
        Route::Compat(fit) => compat::page(context, fit)?,
        Route::Permissions(rights) => permissions::page(context, rights)?,
        Route::History(kept) => history::page(context, &kept.package)?,
        Route::Diff(comparison) => diff::page(context, comparison)?,
        Route::Plan(journey) => plan::page(context, journey)?,
        Route::Api { group, kind } => api::page(context, group, kind)?,
        Route::Apis(list) => api::all(context, list)?,
        Route::Images(search) if search.is_text => {
            return Ok(("text/plain; charset=utf-8", images::references(context, &search.text)?.into_bytes()));
        }
        Route::Images(search) => images::page(context, search)?,
        Route::Lint { catalog, package } => lint::page(context, catalog.as_ref(), package.as_ref())?,
    };
    Ok((HTML, framed(context, &page).into_string().into_bytes()))
}

/// A page for a file, and its data for another file, if the page is available as data and that is not too large.
pub(super) fn content_and_data(
    context: PageContext<'_>,
    is_data: bool,
) -> Result<(Vec<u8>, Option<Vec<u8>>), PageError> {
    if let (Route::Version(release, Part::Whole), true) = (context.here, is_data) {
        // Most files are pages of versions, and their answer is the slow part.
        let answer = version::answer(context, release)?;
        let page = written_page(context, &version::page(context, release, &answer)?);
        return Ok((page, Some(context.cache().server_paths.cut(envelope("Bundle", answer)?))));
    }
    let page = content(context)?.1;
    match is_data.then(|| data(context)).transpose() {
        Ok(data) => Ok((page, data)),
        // Then the page has no link to it.
        Err(PageError::TooLarge(_)) => Ok((page, None)),
        Err(error) => Err(error),
    }
}

/// A page in its frame, without paths of this machine.
fn written_page(context: PageContext<'_>, page: &Page) -> Vec<u8> {
    context.cache().server_paths.cut(framed(context, page).into_string().into_bytes())
}

/// The answer of a page as data: the output of the command with `-o json`, without paths of this machine.
pub(super) fn data(context: PageContext<'_>) -> Result<Vec<u8>, PageError> {
    Ok(context.cache().server_paths.cut(whole_data(context)?))
}

fn whole_data(context: PageContext<'_>) -> Result<Vec<u8>, PageError> {
    match context.here {
        Route::Home => envelope("CatalogList", home::answer(context).to_vec()),
        Route::Packages(list) => match listing::answer(context, list)? {
            listing::Answer::Listed(rows) => envelope("PackageList", rows),
            listing::Answer::Found(hits) => envelope("SearchResult", hits),
        },
        Route::Package(name) => envelope("Package", package_answer::answer(context, name)?),
        Route::Version(release, Part::Whole) => envelope("Bundle", version::answer(context, release)?),
        Route::Version(release, Part::Deps) => envelope("Dependencies", version::dependencies(context, release)?),
        Route::Version(release, Part::Images) => envelope("Image", version::images(context, release)?),
        Route::Channel(stream) => envelope("Graph", channel::answer(context, stream)?),
        Route::Path(way) => envelope("UpgradePath", path::answer(context, way)?),
        Route::WhyNot(way) => envelope("WhyNot", path::why_not(context, way)?),
        Route::Compat(fit) => envelope("CompatList", compat::answer(context, fit)?),
        Route::Permissions(rights) => envelope("Permissions", permissions::answer(context, rights)?),
        Route::History(kept) => envelope("History", history::answer(context, &kept.package)?),
        Route::Diff(comparison) => envelope("CatalogDiff", diff::answer(context, comparison)?),
        Route::Plan(journey) => {
            let mut out = serde_json::to_vec_pretty(&plan::answer(context, journey)?)
                .map_err(|error| PageError::Failed(error.to_string()))?;
            out.push(b'\n');
            Ok(out)
        }
        Route::Api { group, kind } => envelope("Provider", api::answer(context, group, kind)?),
        Route::Images(search) if !search.is_text => envelope("BundleList", images::answer(context, &search.text)?),
        Route::Mirror(list) if !list.is_text && !list.is_lock => {
            envelope("FilterExplanation", mirror::answer(context, list)?)
        }
        Route::Lint { catalog, package } => {
            let findings = match (catalog, package) {
                (_, Some(package)) => lint::of_package(context, catalog.as_ref(), package)?.1,
                (Some(_), None) => lint::answer(context, catalog.as_ref())?.1.to_vec(),
                (None, None) => lint::of_all(context)?,
            };
            let items: Vec<FindingJson> = findings.iter().map(FindingJson::from).collect();
            let metadata = FindingsMetadata { count: items.len(), ..FindingsMetadata::default() };
            written(&Envelope::with("Findings", metadata, items))
        }
        Route::Endpoints => endpoints::description(),
        Route::Versions(_)
        | Route::Apis(_)
        | Route::Install(_)
        | Route::Icon(_)
        | Route::Style
        | Route::Script
        | Route::Mirror(_)
        | Route::Images(_)
        | Route::Machine(_) => Err(PageError::NoPage),
    }
}

fn envelope<T: Serialize>(kind: &str, items: Vec<T>) -> Result<Vec<u8>, PageError> {
    written(&Envelope::new(kind, items))
}

fn written<T: Serialize, M: Serialize>(envelope: &Envelope<T, M>) -> Result<Vec<u8>, PageError> {
    let mut out = Vec::new();
    envelope.write(&mut out).map_err(|error| PageError::Failed(error.to_string()))?;
    Ok(out)
}

/// Why there is no answer, as a page or as text.
/// Why an address of data has none; its schema is in [`endpoints`].
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Refusal {
    /// The status of HTTP: 400 for a parameter, 404 for a name, 414 for the address, 422 for a size, 500 for the index.
    status: u16,
    /// The reason.
    message: String,
    /// The name that was probably meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    did_you_mean: Option<String>,
}

fn refused(site: Site<'_>, error: &PageError, form: Form) -> Reply {
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
        let body = envelope("Error", vec![Refusal { status, message, did_you_mean }]).unwrap_or_default();
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
        p.lead { (worded(&sentence(&message))) }
        @if let PageError::Unknown { meant: Some(found), .. } = error {
            @let (meant, address) = (&found.0, &found.1);
            p { "Did you mean " @if address.is_empty() { strong { (shown(meant)) } } @else { a href=(address) { (shown(meant)) } } "?" }
        }
        @if let PageError::Unknown { what: "package", name, .. } = error { (packages::like(context, name)) }
        @if let PageError::Unknown { what: "version", name, .. } = error { (nearest(context, name)) }
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
fn nearest(context: PageContext<'_>, name: &str) -> Markup {
    let Some((package, version)) = name.split_once(' ') else { return html! {} };
    let found = nearest_versions(context.index(), &[], package, version, N_NEAREST).unwrap_or_default();
    let of = |version: &str| {
        let of = PackageVersion { package: package.to_owned(), version: version.to_owned(), catalog: None };
        Route::Version(of, Part::Whole)
    };
    html! {
        @if !found.is_empty() {
            p { "The nearest versions:" }
            ul { @for it in &found { li { (link(context, &of(it), shown(it))) } } }
        }
        p { (link(context, &Route::Package(package.to_owned()), html! { "The package " (shown(package)) })) }
    }
}

/// A message as a sentence.
fn sentence(message: &str) -> String {
    let mut chars = message.chars();
    let first: String = chars.next().map(|it| it.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
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
