//! Pages: their content and form, links that all lead somewhere, texts of catalogs that stay in their places, and data
//! that equals the output of the commands.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use olmdex::fbc::Input;
use olmdex::index::{Builder, CatalogSpec, Index, Mode};
use olmdex::page::{Ask, IndexCache, Links, Reply, Site, answer};

use crate::support::recording::expect_recorded;
use crate::support::{olmdex, scratch, write};

pub(crate) struct Pages {
    index: Index,
    cache: IndexCache,
}

impl Pages {
    pub(crate) fn new(index: Index) -> Self {
        let cache = IndexCache::new(&index, vec!["-i".to_owned(), "index.db".to_owned()]).unwrap();
        Self { index, cache }
    }

    fn of_text(text: &str) -> Self {
        let mut builder = Builder::in_memory().keeping_all();
        let spec = CatalogSpec { name: "c".to_owned(), source: "c.yaml".to_owned(), ..CatalogSpec::default() };
        let input = Input::bytes("c.yaml", std::sync::Arc::from(text.as_bytes()));
        builder.add_catalog(&spec, &input, Mode::Tolerant).unwrap();
        Self::new(builder.into_index().unwrap())
    }

    fn ask(&self, method: &str, target: &str, if_none_match: Option<&str>) -> Reply {
        let site = Site { index: &self.index, cache: &self.cache, links: &Links::Served, base: "" };
        answer(site, &Ask { method, target, if_none_match })
    }

    pub(crate) fn get(&self, target: &str) -> (u16, String) {
        let reply = self.ask("GET", target, None);
        (reply.status, String::from_utf8_lossy(&reply.body).into_owned())
    }

    /// All pages that are reachable from the first one, with their contents.
    fn all(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut open = vec!["/".to_owned()];
        while let Some(target) = open.pop() {
            if found.contains_key(&target) {
                continue;
            }
            let reply = self.ask("GET", &target, None);
            assert_eq!(reply.status, 200, "{target}: {}", String::from_utf8_lossy(&reply.body));
            let is_html = header(&reply, "Content-Type").starts_with("text/html");
            let text = String::from_utf8_lossy(&reply.body).into_owned();
            if is_html {
                open.extend(links(&target, &text));
            }
            found.insert(target, if is_html { text } else { String::new() });
        }
        found.retain(|_, text| !text.is_empty());
        found
    }
}

fn header<'r>(reply: &'r Reply, name: &str) -> &'r str {
    reply.headers.iter().find(|it| it.0 == name).map_or("", |it| it.1.as_str())
}

/// Two states of a catalog, as an index in a file.
fn two_catalogs(directory: &Path) -> Pages {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let file = directory.join("index.db");
    let named = |name: &str, path: &str| format!("{name}={}", fixtures.join(path).display());
    olmdex(["build", &named("v4.9", "help/old-catalog"), &named("v4.10", "help/my-catalog"), "-q", "-o"])
        .arg(&file)
        .answer()
        .expect_code(0);
    Pages::new(Index::open(&file).unwrap())
}

/// The values of an attribute.
fn attributes<'t>(text: &'t str, name: &str) -> Vec<String> {
    let start = format!(" {name}=\"");
    let values = text.match_indices(&start).map(|(at, _): (usize, &'t str)| {
        let value = &text[at + start.len()..];
        value[..value.find('"').unwrap()].replace("&amp;", "&")
    });
    values.collect()
}

/// The targets of a page's links on the same server. A link within the page must have a target.
fn links(target: &str, text: &str) -> Vec<String> {
    let ids = attributes(text, "id");
    let mut found = Vec::new();
    // Lists can be narrowed by any set of values, and there are too many sets to try: each value by itself is enough.
    let narrowed = if target == "/packages" { "" } else { "rel=\"nofollow\" href=\"" };
    let text =
        if narrowed.is_empty() { text.to_owned() } else { text.replace(narrowed, "rel=\"nofollow\" data-href=\"") };
    for link in [attributes(&text, "href"), attributes(&text, "src")].concat() {
        match link.strip_prefix('#') {
            Some(id) => assert!(ids.iter().any(|it| it == id), "{target}: there is no #{id}"),
            // A browser asks for the page without the part.
            None if link.starts_with('/') => found.push(link.split('#').next().unwrap().to_owned()),
            None => {
                let is_web = ["https://", "http://", "mailto:", "data:,"].iter().any(|it| link.starts_with(it));
                assert!(is_web, "{target}: {link}");
            }
        }
    }
    found
}

/// Elements that have no end.
const VOID: &[&str] = &["area", "br", "col", "hr", "img", "input", "link", "meta"];

/// The rules for every page.
fn must_be_well_made(target: &str, text: &str) {
    let mut open: Vec<String> = Vec::new();
    let mut rest = text;
    let mut n_h1 = 0;
    while let Some(at) = rest.find('<') {
        let plain = &rest[..at];
        assert!(!plain.contains('>') || open.iter().any(|it| it == "title"), "{target}: a lonely > in {plain:?}");
        rest = &rest[at + 1..];
        // A `>` in a value of an attribute does not end the tag.
        let mut is_value = false;
        let end = rest.find(|c| {
            is_value ^= c == '"';
            c == '>' && !is_value
        });
        let (tag, after) = (&rest[..end.unwrap()], &rest[end.unwrap() + 1..]);
        rest = after;
        if tag.starts_with("!DOCTYPE") {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "{target}: before {}", &rest[..rest.len().min(80)]);
            continue;
        }
        let name = tag.split([' ', '/']).next().unwrap();
        n_h1 += usize::from(name == "h1");
        let is_own = !open.iter().any(|it| it == "svg");
        if is_own {
            for forbidden in [" style=", " onclick=", " onload=", " onerror="] {
                assert!(!without_values(tag).contains(forbidden), "{target}: {tag}");
            }
        }
        match name {
            "script" => assert!(tag.starts_with("script src=\""), "{target}: {tag}"),
            "img" => assert!(tag.contains(" alt="), "{target}: {tag}"),
            "th" => assert!(tag.contains("scope="), "{target}: {tag}"),
            "input" | "select" => {
                let is_hidden = tag.contains("type=\"hidden\"");
                let id = tag.split(" id=\"").nth(1).and_then(|it| it.split('"').next());
                let is_labelled = id.is_some_and(|id| {
                    text.contains(&format!("<label for=\"{id}\"")) || text.contains(&format!(" for=\"{id}\">"))
                });
                let has_label =
                    is_labelled || is_hidden || open.iter().any(|it| it == "label") || tag.contains("aria-label=");
                assert!(has_label, "{target}: {tag}");
            }
            _ => {}
        }
        if !VOID.contains(&name) && !tag.ends_with('/') {
            open.push(name.to_owned());
        }
    }
    assert!(open.is_empty(), "{target}: {open:?}");
    assert_eq!(n_h1, 1, "{target}");
    let ids = attributes(text, "id");
    assert_eq!(ids.len(), ids.iter().collect::<BTreeSet<_>>().len(), "{target}: {ids:?}");
}

/// A tag with the values of its attributes blanked.
fn without_values(tag: &str) -> String {
    tag.split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
}

#[test]
fn pages_of_fixtures_are_as_recorded() {
    let directory = scratch();
    let pages = two_catalogs(directory.path());
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let recorded = [
        ("pages/catalogs.html", "/"),
        ("pages/packages.html", "/packages"),
        ("pages/search.html", "/packages?category=Cloud%20Provider&q=keda"),
        ("pages/package.html", "/p/keda"),
        ("pages/version.html", "/p/keda/v/2.10.1?catalog=v4.10"),
        ("pages/channel.html", "/p/keda/c/stable?catalog=v4.10"),
        ("pages/path.html", "/p/keda/path?from=2.8.1"),
        ("pages/path-why-not.html", "/p/keda/path?from=2.10.1&to=2.8.1"),
        ("pages/permissions.html", "/p/keda/permissions"),
        ("pages/compat.html", "/p/keda/compat"),
        ("pages/compat-of-a-version.html", "/p/keda/compat?openshift=4.16"),
        ("pages/history.html", "/p/keda/history"),
        ("pages/diff.html", "/diff?a=v4.9&b=v4.10"),
        ("pages/api.html", "/api/keda.sh/ScaledObject"),
        ("pages/images.html", "/images?q=keda"),
        ("pages/lint.html", "/lint"),
    ];
    let found = recorded.iter().map(|(name, target)| {
        let (status, text) = pages.get(target);
        assert_eq!(status, 200, "{target}: {text}");
        must_be_well_made(target, &text);
        // A line for each element that begins a block, so that a difference is readable; and without the places of this
        // clone.
        let text =
            ["<tr", "<h2", "<h3", "<section", "<div", "<li", "<p", "<dl", "<main", "<header", "<footer", "<form"]
                .iter()
                .fold(text, |text, block| text.replace(block, &format!("\n{block}")));
        let text = text.replace(env!("CARGO_MANIFEST_DIR"), "…");
        (fixtures.join(name), format!("{}\n", hide_digest(&pages, &text)))
    });
    let found: Vec<(PathBuf, String)> = found.collect();
    expect_recorded("pages", &found);
}

/// The digest of an index depends on the place of this clone.
fn hide_digest(pages: &Pages, text: &str) -> String {
    let asset = |plain: &str| header(&pages.ask("GET", plain, None), "Location").to_owned();
    text.replace(&asset("/style.css"), "/style.DIGEST.css")
        .replace(&asset("/olmdex.js"), "/olmdex.DIGEST.js")
        .replace(&pages.cache.digest, "DIGEST")
        .replace(olmdex::diag::envelope::VERSION, "VERSION")
}

#[test]
fn every_link_leads_to_a_page_that_is_well_made() {
    let directory = scratch();
    let pages = two_catalogs(directory.path()).all();
    assert!(pages.len() > 50, "{}", pages.len());
    for (target, text) in &pages {
        must_be_well_made(target, text);
    }
    for kind in ["/p/keda/c/", "/p/keda/v/", "/api/", "/diff?", "/lint?", "/p/keda/compat?", "/packages?"] {
        assert!(pages.keys().any(|it| it.starts_with(kind)), "no page of {kind} is led to");
    }
}

/// Each page shows the command that gives the same answer, and its data equals the output of that command.
#[test]
fn the_data_of_pages_is_what_their_commands_print() {
    let directory = scratch();
    let pages = two_catalogs(directory.path());
    let mut all: BTreeSet<String> = pages.all().into_keys().collect();
    all.extend(
        [
            "/p/keda/path?from=2.8.1",
            "/p/keda/path?from=2.10.1&olm=v1&to=2.8.1",
            "/images?q=keda",
            "/packages?q=scale&sort=name",
            "/packages?status=current",
            "/packages?q=scale&status=deprecated",
        ]
        .map(str::to_owned),
    );
    let mut n_compared = 0;
    for target in &all {
        let (status, text) = pages.get(target);
        assert_eq!(status, 200, "{target}");
        let Some((_, same)) = text.split_once("id=\"same\"") else { continue };
        let (same, _) = same.split_once("</main>").unwrap();
        let commands = same.split("<code>").skip(1).map(|it| it.split_once("</code>").unwrap().0);
        let commands: Vec<String> = commands.map(|it| it.replace("&#39;", "'").replace("&amp;", "&")).collect();
        let data: Vec<String> = attributes(same, "href");
        // The findings of checks are the answer of two commands.
        if target.starts_with("/lint") {
            continue;
        }
        let verbs = |it: &String| it.split(' ').nth(1).unwrap().to_owned();
        let wanted: Vec<&String> =
            commands.iter().filter(|it| verbs(it) != "check-graph" && !it.contains(" --needed-by")).collect();
        let n_pairs = data.len().min(wanted.len());
        assert!(n_pairs > 0 || data.is_empty(), "{target}: {commands:?} {data:?}");
        for (command, address) in wanted.into_iter().zip(&data) {
            let program = env!("CARGO_BIN_EXE_olmdex");
            let line = format!("{} -o json", command.replacen("olmdex", program, 1));
            let output = Command::new("sh").args(["-c", &line]).current_dir(directory.path()).output().unwrap();
            let printed = String::from_utf8_lossy(&output.stdout).into_owned();
            let (status, twin) = pages.get(address);
            assert_eq!(status, 200, "{address}: {twin}");
            let own = directory.path().join("index.db");
            let twin = twin.replace(&own.display().to_string(), "index.db");
            // Pages do not show paths of their server.
            let printed = printed.replace(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/help/"), "");
            assert!(printed == twin, "{target}: `{command}` and {address} differ:\n{printed}\n{twin}");
            n_compared += 1;
        }
    }
    assert!(n_compared > 60, "{n_compared}");
}

const HOSTILE: &str = r#""><script>alert(1)</script>"#;

/// A catalog in which every text that an author can choose is hostile.
fn hostile_catalog() -> String {
    let text = serde_json::to_string(HOSTILE).unwrap();
    let link = serde_json::to_string("javascript:alert(1)").unwrap();
    let name = |n: usize| serde_json::to_string(&format!("{HOSTILE}{n}")).unwrap();
    let description = serde_json::to_string(&format!(
        "{HOSTILE}\n\n[{HOSTILE}](javascript:alert(1)) ![{HOSTILE}](javascript:alert(1))\n\n<img src=x onerror=alert(1)>\n\n\
         [x]: javascript:alert(1)\n\n[x] <javascript:alert(1)> `{HOSTILE}`\n\n```{HOSTILE}\n{HOSTILE}\n```\n\n| {HOSTILE} |\n|--|\n| {HOSTILE} |"
    ))
    .unwrap();
    let mut out = format!(
        r#"{{"schema":"olm.package","name":{text},"defaultChannel":{text},"description":{description},
            "icon":{{"base64data":"PHN2Zz48c2NyaXB0PmFsZXJ0KDEpPC9zY3JpcHQ+PC9zdmc+","mediatype":"image/svg+xml"}}}}
           {{"schema":"olm.channel","package":{text},"name":{text},"entries":[
             {{"name":{},"replaces":{},"skips":[{text}],"skipRange":"<1.0.0"}},{{"name":{}}}]}}
           {{"schema":"olm.deprecations","package":{text},"entries":[
             {{"reference":{{"schema":"olm.package"}},"message":{text}}},
             {{"reference":{{"schema":"olm.channel","name":{text}}},"message":{text}}},
             {{"reference":{{"schema":"olm.bundle","name":{}}},"message":{text}}}]}}"#,
        name(2),
        name(1),
        name(1),
        name(1),
    );
    for n in [1, 2] {
        let own = name(n);
        out.push_str(&format!(
            r#"{{"schema":"olm.bundle","package":{text},"name":{own},"image":{text},
                "relatedImages":[{{"name":{text},"image":{text}}}],
                "properties":[
                  {{"type":"olm.package","value":{{"packageName":{text},"version":"{n}.0.0"}}}},
                  {{"type":"olm.gvk","value":{{"group":{text},"version":{text},"kind":{text}}}}},
                  {{"type":"olm.gvk.required","value":{{"group":{text},"version":{text},"kind":"B"}}}},
                  {{"type":"olm.maxOpenShiftVersion","value":"4.16"}},
                  {{"type":{text},"value":{text}}},
                  {{"type":"olm.csv.metadata","value":{{
                     "annotations":{{"capabilities":{text},"categories":{text},"repository":{link},"support":{link},"createdAt":{text},
                        "com.redhat.openshift.versions":{text},"operators.openshift.io/valid-subscription":{text},
                        "features.operators.openshift.io/disconnected":{text}}},
                     "labels":{{"operatorframework.io/arch.x":"supported"}},
                     "displayName":{text},"description":{description},"keywords":[{text}],"maturity":{text},"minKubeVersion":{text},
                     "installModes":[{{"type":{text},"supported":true}}],
                     "links":[{{"name":{text},"url":{link}}}],"maintainers":[{{"name":{text},"email":{link}}}],
                     "provider":{{"name":{text},"url":{link}}}}}}}]}}"#
        ));
    }
    out
}

#[test]
fn the_page_of_permissions_shows_what_the_command_says() {
    let ready = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/catalogs/ready-for-v1");
    let mut builder = Builder::in_memory();
    let spec = CatalogSpec { name: "ready".to_owned(), ..CatalogSpec::default() };
    builder.add_catalog(&spec, &Input::directory(&ready).unwrap(), Mode::Tolerant).unwrap();
    let pages = Pages::new(builder.into_index().unwrap());
    for (target, words) in [
        ("/p/keeper/permissions", "grants its service accounts:"),
        ("/p/keeper/permissions?against=0.9.0", "asks for these permissions, in addition to those that"),
        ("/p/keeper/permissions?against=1.0.0&version=1.0.0", "asks for no permission that"),
        ("/p/lamp/permissions?against=1.0.0&version=1.1.0", "are unknown: catalog"),
        ("/p/keeper/permissions", "All in <strong>all namespaces</strong> (the operator supports no other mode)"),
    ] {
        let (status, page) = pages.get(target);
        assert!(status == 200 && page.contains(words), "{target}: {page}");
        let (_, json) = pages.get(&target.replacen("permissions", "permissions.json", 1));
        let answer: serde_json::Value = serde_json::from_str(&json).unwrap();
        let item = &answer["items"][0];
        let rules = if item["added"].is_null() { &item["rules"] } else { &item["added"] };
        let n_rules = rules.as_array().unwrap().len();
        let is_known = item["isKnown"] == true;
        assert_eq!(page.matches("<th scope=\"row\">").count(), if is_known { n_rules } else { 0 }, "{target}");
    }
    assert_eq!(pages.get("/p/keeper/permissions?version=7.0.0").0, 404);
    assert_eq!(pages.get("/p/keepr/permissions").0, 404);
}

#[test]
fn nothing_of_a_hostile_catalog_gets_out_of_its_place() {
    let pages = Pages::of_text(&hostile_catalog());
    let all = pages.all();
    let package = "/p/%22%3E%3Cscript%3Ealert%281%29%3C%2Fscript%3E";
    for kind in ["", "/v/", "/c/", "/path", "/compat", "/history"] {
        assert!(all.keys().any(|it| it.starts_with(&format!("{package}{kind}"))), "{kind} of {:?}", all.keys());
    }
    let mut all = all;
    for target in [
        format!("{package}/path?from=1.0.0&to=2.0.0"),
        format!("{package}/compat?openshift=4.16"),
        format!("{package}/permissions"),
        format!("/packages?q={}&sort=name", &package[3..]),
        format!("/images?q={}", &package[3..]),
    ] {
        let (status, text) = pages.get(&target);
        assert_eq!(status, 200, "{target}: {text}");
        all.insert(target, text);
    }
    // A search leads to nothing but a page of a package.
    let found = pages.ask("GET", &format!("/packages?q={}", &package[3..]), None);
    assert_eq!((found.status, header(&found, "Location")), (302, package));
    // Pages of missing things are answers too.
    for target in [format!("{package}x"), format!("{package}/v/{}", &package[3..]), format!("/api/{}/X", &package[3..])]
    {
        let (status, text) = pages.get(&target);
        assert_eq!(status, 404, "{target}");
        all.insert(target, text);
    }
    for (target, text) in &all {
        must_be_well_made(target, text);
        let lower = text.to_lowercase();
        assert!(!lower.contains("<script>"), "{target}");
        assert!(!lower.contains("=\"javascript:"), "{target}");
        for link in [attributes(text, "href"), attributes(text, "src"), attributes(text, "action")].concat() {
            assert!(!link.to_lowercase().contains("javascript:"), "{target}: {link}");
        }
        assert!(!without_values(text).contains("onerror=") || lower.contains("&lt;img src=x onerror="), "{target}");
    }
    assert!(all.values().filter(|it| it.contains("&lt;script&gt;")).count() > 8);
    // No script of the icon runs, not even if it is opened by itself.
    let icon = attributes(&all[package], "src").into_iter().find(|it| it.starts_with("/icon/")).unwrap();
    let reply = pages.ask("GET", &icon, None);
    assert_eq!(header(&reply, "Content-Type"), "image/svg+xml");
    assert_eq!(header(&reply, "Content-Security-Policy"), "sandbox; default-src 'none'; style-src 'unsafe-inline'");
}

#[test]
fn addresses_are_canonical_and_refusals_say_what_was_meant() {
    let directory = scratch();
    let pages = two_catalogs(directory.path());
    let reply = pages.ask("GET", "/packages?sort=&q=keda", None);
    assert_eq!((reply.status, header(&reply, "Location")), (308, "/packages?q=keda"));
    for (asked, answer) in [
        ("keda", "/p/keda"),
        ("KEDA", "/p/keda"),
        ("scaledobject", "/p/keda"),
        ("keda%202.9.0", "/p/keda/path?from=2.9.0"),
        ("keda%40v2.9.0", "/p/keda/path?from=2.9.0"),
    ] {
        let reply = pages.ask("GET", &format!("/packages?q={asked}"), None);
        assert_eq!((reply.status, header(&reply, "Location")), (302, answer), "{asked}");
    }
    let (status, text) = pages.get("/packages?q=keda%209.9.9");
    assert!(status == 200 && !text.contains("Sorted by"), "{text}");
    // Programs need not follow a redirect.
    assert_eq!(pages.get("/p/keda/path.json?to=2.12.0&from=2.8.1").0, 200);
    let (_, text) = pages.get("/api/keda.sh/ScaledObject");
    assert!(text.contains("<a href=\"/apis\">APIs</a>"), "{text}");
    let (_, text) = pages.get("/images");
    assert!(text.contains("<a href=\"/images?q=quay.io%2F\">quay.io</a>"), "{text}");
    let (_, text) = pages.get("/rules");
    let words = "If not: users get stuck</strong> <span class=\"quiet\">4 rules without a finding";
    assert!(text.contains(words) && text.contains("Invalid JSON</a> <code class=\"quiet\">E0002"), "{text}");
    let (status, text) = pages.get("/packages?status=old");
    let words = "write <code>current</code>, <code>deprecated</code> or <code>invalid</code>";
    assert!(status == 400 && text.contains(words), "{text}");
    let reply = pages.ask("GET", "/p/keda", None);
    let tag = header(&reply, "ETag").to_owned();
    assert!(!tag.is_empty());
    for name in ["Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy"] {
        assert!(!header(&reply, name).is_empty(), "{name}");
    }
    let gzip =
        format!("\"x\", {}", tag.replace("\"", "").split('-').map(|it| format!("\"{it}-gzip\"")).collect::<String>());
    for known in [tag.as_str(), &gzip, "*", &format!("W/{tag}")] {
        let reply = pages.ask("GET", "/p/keda", Some(known));
        assert_eq!((reply.status, reply.body.len()), (304, 0), "{known}");
    }
    assert_eq!(pages.ask("GET", "/p/keda.json", Some(&tag)).status, 200);
    for (target, status, words) in [
        ("/p/kedaa", 404, "Did you mean <a href=\"/p/keda\">keda</a>?"),
        (
            "/p/keda/v/2.10.2",
            404,
            "There is no version <code>keda 2.10.2</code>; the nearest are 2.10.1 and 2.12.0; there are",
        ),
        ("/p/keda/path?from=9.9.9", 404, "There is no version <code>keda 9.9.9</code>; the nearest is 2.12.0"),
        ("/p/keda/path.json?from=9.9.9", 404, "\"message\": \"there is no version `keda 9.9.9`; the nearest is 2.12.0"),
        ("/p/kedaa.json", 404, "\"didYouMean\": \"keda\""),
        ("/nothing.json", 404, "\"kind\": \"Error\""),
        ("/packages.json?page=x", 400, "\"status\": 400"),
        ("/p/keda/c/stabel", 404, "Did you mean <a href=\"/p/keda/c/stable\">stable</a>?"),
        ("/p/keda?catalog=v4.11", 404, "There is no catalog <code>v4.11</code>."),
        ("/p/keda/v/2.10.1?catalog=v4.11", 404, "There is no catalog <code>v4.11</code>."),
        (
            "/p/keda/v/2.12.0?catalog=v4.9",
            404,
            "There is no version <code>keda 2.12.0</code> in that catalog; v4.10 has it.",
        ),
        ("/p/keda/v/v2.10.1", 404, "Did you mean"),
        ("/api/keda.sh/ScaledObjekt", 404, "ScaledObject"),
        ("/packages?page=900", 400, "Parameter <code>page</code>: the last page is 1."),
        ("/p/keda/compat?openshift=419", 400, "Parameter <code>openshift</code>"),
        ("/diff?a=v4.9.json", 400, ""),
        ("/nothing", 404, "There is no page at this address."),
        ("/icon/x.png", 404, ""),
    ] {
        let (found, text) = pages.get(target);
        if target.starts_with("/diff") {
            continue;
        }
        assert_eq!(found, status, "{target}: {text}");
        assert!(text.contains(words), "{target}: {text}");
        if target.contains(".json") {
            let reply = pages.ask("GET", target, None);
            let value: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
            assert_eq!(value["items"][0]["status"], status, "{target}: {text}");
            assert_eq!(header(&reply, "Content-Type"), "application/json", "{target}");
        }
    }
    assert_eq!(pages.get(&format!("/images?q={}", "x".repeat(9000))).0, 414);
    let reply = pages.ask("POST", "/", None);
    assert_eq!((reply.status, header(&reply, "Allow")), (405, "GET, HEAD"));
    let reply = pages.ask("POST", "/index.json", None);
    assert_eq!((reply.status, header(&reply, "Content-Type")), (405, "application/json"));
}

/// The same version is another bundle in another catalog. A page, its data and its command are about the same one of
/// them.
#[test]
fn a_page_its_data_and_its_command_are_about_one_bundle() {
    let text = |image: &str| {
        format!(
            "{{\"schema\":\"olm.package\",\"name\":\"p\",\"defaultChannel\":\"c\"}}\n\
             {{\"schema\":\"olm.channel\",\"package\":\"p\",\"name\":\"c\",\"entries\":[{{\"name\":\"p.v1.0.0\"}}]}}\n\
             {{\"schema\":\"olm.bundle\",\"package\":\"p\",\"name\":\"p.v1.0.0\",\"image\":\"quay.io/p/{image}:1\",\
             \"properties\":[{{\"type\":\"olm.package\",\"value\":{{\"packageName\":\"p\",\"version\":\"1.0.0\"}}}}]}}\n"
        )
    };
    let mut builder = Builder::in_memory();
    for (name, image) in [("full", "full"), ("v4.9", "nine"), ("v4.20", "twenty")] {
        let spec = CatalogSpec { name: name.to_owned(), source: name.to_owned(), ..CatalogSpec::default() };
        let input = Input::bytes("c.json", std::sync::Arc::from(text(image).as_bytes()));
        builder.add_catalog(&spec, &input, Mode::Strict).unwrap();
    }
    let pages = Pages::new(builder.into_index().unwrap());
    for (address, catalog, image) in [
        ("/p/p/v/1.0.0", "v4.20", "quay.io/p/twenty:1"),
        ("/p/p/v/1.0.0?catalog=full", "full", "quay.io/p/full:1"),
        ("/p/p/v/1.0.0?catalog=v4.9", "v4.9", "quay.io/p/nine:1"),
    ] {
        let (status, page) = pages.get(address);
        assert_eq!(status, 200, "{address}");
        assert!(page.contains(image), "{address}: {page}");
        for verb in ["show", "deps", "images"] {
            let command = format!("<code>olmdex {verb} p@1.0.0 --catalog {catalog} ");
            assert!(page.contains(&command), "{address}: no {command}");
        }
        for part in ["", "/images", "/deps"] {
            let data = format!("/p/p/v/1.0.0{part}.json?catalog={catalog}");
            assert!(page.contains(&format!("href=\"{data}\"")), "{address}: no link to {data}");
            let (status, json) = pages.get(&data);
            let value: serde_json::Value = serde_json::from_str(&json).unwrap();
            let items = value["items"].as_array().unwrap();
            assert_eq!((status, items.len()), (200, 1), "{data}: {json}");
            let names_it = json.contains(&format!("\"{catalog}\""));
            assert!(names_it || part == "/images", "{data}: {json}");
        }
        assert!(pages.get(&format!("/p/p/v/1.0.0/images.json?catalog={catalog}")).1.contains(image));
    }
    // If no catalog is named, the same one is chosen.
    assert!(pages.get("/p/p/v/1.0.0/images.json").1.contains("quay.io/p/twenty:1"));
}

/// Catalogs of one package, each with the given versions in a chain; without versions, a catalog of another package.
fn catalogs_of_versions(all: &[(&str, &[&str])]) -> Pages {
    let mut builder = Builder::in_memory();
    for (name, versions) in all {
        let mut text =
            "---\nschema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n".to_owned();
        let mut before = None;
        if versions.is_empty() {
            text = "---\nschema: olm.package\nname: q\ndefaultChannel: c\n---\nschema: olm.channel\npackage: q\nname: c\nentries: [{name: q.v1.0.0}]\n---\nschema: olm.bundle\npackage: q\nname: q.v1.0.0\nimage: q.io/q:1\nproperties: [{type: olm.package, value: {packageName: q, version: 1.0.0}}]\n".to_owned();
        }
        for version in *versions {
            text.push_str(&format!("- name: p.v{version}\n"));
            text.push_str(&before.map(|it| format!("  replaces: p.v{it}\n")).unwrap_or_default());
            before = Some(version);
        }
        for version in *versions {
            text.push_str(&format!(
                "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: q.io/p:{version}\n\
                 properties: [{{type: olm.package, value: {{packageName: p, version: {version}}}}}]\n"
            ));
        }
        let spec = CatalogSpec { name: (*name).to_owned(), source: (*name).to_owned(), ..CatalogSpec::default() };
        let input = Input::bytes("c.yaml", std::sync::Arc::from(text.as_bytes()));
        builder.add_catalog(&spec, &input, Mode::Strict).unwrap();
    }
    Pages::new(builder.into_index().unwrap())
}

/// A cluster has the catalogs of its version, and the page names a version without a catalog.
#[test]
fn a_question_about_openshift_is_answered_from_the_catalog_of_the_version() {
    let pages = catalogs_of_versions(&[("full", &["1.0.0"]), ("v4.19", &["1.1.0"]), ("v4.20", &["1.2.0"])]);
    for (openshift, rows, words) in [
        ("4.19", &["1.1.0"][..], "the catalog for OpenShift 4.19."),
        ("4.20", &["1.2.0"], "the catalog for OpenShift 4.20."),
        ("4.18", &["1.0.0", "1.1.0", "1.2.0"], "No catalog of this index is for OpenShift 4.18, by its name."),
    ] {
        let (status, page) = pages.get(&format!("/p/p/compat?openshift={openshift}"));
        assert_eq!(status, 200);
        assert!(page.contains(words), "{openshift}: {page}");
        let (_, json) = pages.get(&format!("/p/p/compat.json?openshift={openshift}"));
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        let found: BTreeSet<&str> =
            value["items"].as_array().unwrap().iter().map(|it| it["version"].as_str().unwrap()).collect();
        assert_eq!(found, rows.iter().copied().collect(), "{openshift}");
        for version in ["1.0.0", "1.1.0", "1.2.0"] {
            let is_shown = page.contains(&format!("/p/p/v/{version}?"));
            assert_eq!(is_shown, rows.contains(&version), "{openshift}: {version}");
        }
        let has_option = page.contains(&format!("--catalog v{openshift} "));
        assert_eq!(has_option, rows.len() == 1, "{openshift}: {page}");
    }
}

/// Two families of catalogs have catalogs for one OpenShift (pages F3): only a version that no family has is missing.
#[test]
fn a_package_of_one_family_is_on_its_version_of_openshift() {
    let pages = catalogs_of_versions(&[
        ("certified-v4.18", &[]),
        ("certified-v4.19", &["0.9.0"]),
        ("certified-v4.20", &[]),
        ("community-v4.19", &["1.1.0"]),
        ("community-v4.20", &["1.2.0"]),
    ]);
    let (_, page) = pages.get("/p/p");
    let given = |version: &str, catalog: &str| format!("<a href=\"/p/p/v/{version}?catalog={catalog}\">{version}</a>");
    let rows = [
        format!("<span class=\"line\"><strong>4.20</strong>: {}</span>", given("1.2.0", "community-v4.20")),
        format!(
            "<strong>4.19</strong>: {}<span class=\"of\"> in certified-v4.19</span>",
            given("0.9.0", "certified-v4.19")
        ),
        format!(
            "<strong>4.19</strong>: {}<span class=\"of\"> in community-v4.19</span>",
            given("1.1.0", "community-v4.19")
        ),
        "<span class=\"line quiet\">not in the catalogs for 4.18</span>".to_owned(),
    ];
    for row in rows {
        assert!(page.contains(&row), "{row}: {page}");
    }
}

/// The day beside a head is that of the head, and names with numbers are in the order of the numbers (pages F10).
#[test]
fn lists_show_the_day_of_the_head_and_choices_are_in_order() {
    let mut text = "---\nschema: olm.package\nname: p\ndefaultChannel: c-3.10\n".to_owned();
    for (channel, version, day) in [("c-3.6", "3.6.9", "2026-08-21"), ("c-3.10", "3.10.0", "2026-02-28")] {
        text.push_str(&format!(
            "---\nschema: olm.channel\npackage: p\nname: {channel}\nentries: [{{name: p.v{version}}}]\n\
             ---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: q.io/p:{version}\nproperties:\n\
             - {{type: olm.package, value: {{packageName: p, version: {version}}}}}\n\
             - {{type: olm.csv.metadata, value: {{annotations: {{createdAt: '{day}T10:00:00Z'}}}}}}\n"
        ));
    }
    let pages = Pages::of_text(&text);
    let (_, page) = pages.get("/packages?sort=newest");
    assert!(page.contains("<time datetime=\"2026-02-28\">") && !page.contains("2026-08-21"), "{page}");
    let (_, page) = pages.get("/p/p/path");
    assert!(page.find("value=\"c-3.10\"").unwrap() < page.find("value=\"c-3.6\"").unwrap(), "{page}");
    let (_, page) = pages.get("/p/p/v/3.6.9");
    assert!(page.contains("<span class=\"away\">Higher: </span>3.10.0 ›"), "{page}");
}

/// A catalog that is too large to be checked at once is checked package by package (F2).
#[test]
fn catalogs_of_any_size_are_checked() {
    let mut builder = Builder::in_memory().keeping_all();
    let filler = format!("{{\"schema\":\"x.filler\",\"text\":\"{}\"}}\n", "x".repeat(1 << 20)).repeat(33);
    // Only a check of the whole package finds that it has no olm.package.
    let filler = filler
        + "{\"schema\":\"olm.channel\",\"package\":\"half\",\"name\":\"c\",\"entries\":[{\"name\":\"half.v1\"}]}\n";
    for (name, text) in [("v4.19", ""), ("v4.20", filler.as_str()), ("v4.18", "")] {
        let spec = CatalogSpec { name: name.to_owned(), source: name.to_owned(), ..CatalogSpec::default() };
        let text = format!("{{\"schema\":\"olm.package\",\"name\":\"of-{name}\",\"defaultChannel\":\"c\"}}\n{text}");
        let input = Input::bytes("c.json", std::sync::Arc::from(text.as_bytes()));
        builder.add_catalog(&spec, &input, Mode::Tolerant).unwrap();
    }
    let pages = Pages::new(builder.into_index().unwrap());
    for (address, shown) in [("/lint", "v4.20"), ("/lint?catalog=v4.20", "v4.20"), ("/lint?catalog=v4.18", "v4.18")] {
        let (status, page) = pages.get(address);
        assert_eq!(status, 200, "{address}");
        must_be_well_made(address, &page);
        assert!(page.contains("opm refuses the catalog"), "{address}: {page}");
        assert!(page.contains("<code>olmdex validate index.db</code>"), "{address}: {page}");
        for name in ["v4.18", "v4.19", "v4.20"] {
            assert!(page.contains(&format!("href=\"/lint?catalog={name}\"")), "{address}: no tab of {name}: {page}");
        }
        assert!(page.contains(&format!("href=\"/lint?catalog={shown}\" aria-current=\"page\"")), "{address}: {page}");
        let package = format!("/lint?catalog={shown}&package=of-{shown}");
        assert!(page.contains(&package.replace('&', "&amp;")), "{address}: {page}");
        assert_eq!(pages.get(&format!("/lint.json?catalog={shown}")).0, 200, "{address}");
    }
    assert!(pages.get("/lint?catalog=v4.20").1.contains("package=half"));
    let address = "/lint?catalog=v4.20&package=of-v4.20";
    let (status, page) = pages.get(address);
    must_be_well_made(address, &page);
    assert!(status == 200 && page.contains("Checks of of-v4.20") && page.contains("2 errors"), "{page}");
    let (status, data) = pages.get("/lint.json?catalog=v4.20&package=of-v4.20");
    assert!(status == 200 && data.contains("\"package\": \"of-v4.20\""), "{data}");
}

/// The page shows what `validate` and `check-graph` find, by rule, and each rule has a page (F2).
#[test]
fn checks_are_sorted_by_their_consequences() {
    let mut builder = Builder::in_memory().keeping_all();
    let text = r#"{"schema": "olm.package", "name": "till", "defaultChannel": "new"}
{"schema": "olm.channel", "package": "till", "name": "new", "entries": [{"name": "till.v2.0.0"}]}
{"schema": "olm.channel", "package": "till", "name": "old", "entries": [{"name": "till.v1.1.0", "replaces": "till.v1.0.0"}, {"name": "till.v1.0.0"}]}
"#;
    let bundle = |version: &str| {
        format!(
            "{{\"schema\": \"olm.bundle\", \"package\": \"till\", \"name\": \"till.v{version}\", \"image\": \"quay.io/a/t:{version}\", \
             \"properties\": [{{\"type\": \"olm.package\", \"value\": {{\"packageName\": \"till\", \"version\": \"{version}\"}}}}]}}\n"
        )
    };
    let text = text.to_owned() + &["1.0.0", "1.1.0", "2.0.0"].map(bundle).concat();
    let spec = CatalogSpec { name: "shop".to_owned(), source: "shop".to_owned(), ..CatalogSpec::default() };
    let input = Input::bytes("c.json", std::sync::Arc::from(text.as_bytes()));
    builder.add_catalog(&spec, &input, Mode::Tolerant).unwrap();
    let pages = Pages::new(builder.into_index().unwrap());
    let (_, page) = pages.get("/lint");
    must_be_well_made("/lint", &page);
    // The data has what the page shows.
    for address in ["/lint.json", "/lint.json?catalog=shop", "/lint.json?package=till"] {
        let (status, data) = pages.get(address);
        assert!(status == 200 && data.contains("\"W0805\""), "{address}: {data}");
    }
    assert!(page.contains("users of 1 package can get stuck"), "{page}");
    assert!(page.contains("1 × Head without way to default") && page.contains("href=\"/rules/W0805\""), "{page}");
    let (_, page) = pages.get("/lint?package=till");
    assert!(page.contains("href=\"/rules/W0805\""), "{page}");
    // A Subscription has a channel: here one that only the page of the version names (F1).
    let (_, page) = pages.get("/p/till/path?from=1.0.0");
    must_be_well_made("/p/till/path", &page);
    assert!(page.contains("old · its own</option>") && page.contains("No upgrade leads to 2.0.0."), "{page}");
    // A ClusterExtension has no channel unless it is asked with one.
    assert!(page.contains("No channel binds the ClusterExtension.") && page.contains("SelfCertified"), "{page}");
    assert!(page.contains("path.json?channel=old&amp;from=1.0.0&amp;olm=classic"), "{page}");
    let (_, page) = pages.get("/p/till/path?channel=old&from=1.0.0&olm=v1");
    assert!(page.contains("<option value=\"old\" selected>") && page.contains("bind the ClusterExtension."), "{page}");
    let (_, page) = pages.get("/p/till/path?from=2.0.0");
    assert!(
        page.contains("new · its own</option>") && page.contains("2.0.0 is the newest of the default channel."),
        "{page}"
    );
    for address in ["/rules", "/rules/W0805", "/rules/E0207"] {
        let (status, page) = pages.get(address);
        must_be_well_made(address, &page);
        assert!(status == 200 && page.contains("<h1>"), "{address}: {page}");
    }
    assert_eq!(pages.get("/rules/W9999").0, 404);
}

/// Catalogs of one family are compared with their neighbours, and a package leads to its own changes (F6).
#[test]
fn only_catalogs_that_follow_each_other_are_offered() {
    let mut builder = Builder::in_memory().keeping_all();
    for name in ["certified-v4.20", "community-v4.9", "certified-v4.16", "community-v4.10", "community-v4.20"] {
        let spec = CatalogSpec { name: name.to_owned(), source: name.to_owned(), ..CatalogSpec::default() };
        let text = "{\"schema\":\"olm.package\",\"name\":\"till\",\"defaultChannel\":\"c\"}";
        builder
            .add_catalog(&spec, &Input::bytes("c.json", std::sync::Arc::from(text.as_bytes())), Mode::Tolerant)
            .unwrap();
    }
    let pages = Pages::new(builder.into_index().unwrap());
    let (_, page) = pages.get("/diff");
    must_be_well_made("/diff", &page);
    let pairs: Vec<&str> = page.split("<li><a href=\"/diff?").skip(1).filter_map(|it| it.split('"').next()).collect();
    let expected = [
        "a=certified-v4.16&amp;b=certified-v4.20",
        "a=community-v4.9&amp;b=community-v4.10",
        "a=community-v4.10&amp;b=community-v4.20",
    ];
    assert_eq!(pairs, expected, "{page}");
    let (_, page) = pages.get("/p/till");
    assert!(page.contains("/diff?a=community-v4.10&amp;b=community-v4.20&amp;package=till"), "{page}");
}

/// A page in a script from right to left is no wider than the window.
#[test]
fn the_style_sheet_knows_no_left_and_no_right() {
    let style = include_str!("../../crates/page/src/style.css");
    for word in ["left", "right"] {
        let found: Vec<&str> = style.lines().filter(|it| it.contains(word)).collect();
        assert_eq!(found, Vec::<&str>::new());
    }
    let directory = scratch();
    let (_, page) = two_catalogs(directory.path()).get("/p/keda");
    assert!(page.contains("<div class=\"prose\" dir=\"auto\">"), "{page}");
}

/// OLM takes a bundle without a label about an architecture for amd64, and one without a label about a system for
/// linux.
#[test]
fn a_bundle_that_states_no_architecture_is_for_amd64() {
    let directory = scratch();
    let bundle = |package: &str, labels: &str| {
        format!(
            "---\nschema: olm.package\nname: {package}\ndefaultChannel: c\n\
             ---\nschema: olm.channel\npackage: {package}\nname: c\nentries: [{{name: {package}.v1.0.0}}]\n\
             ---\nschema: olm.bundle\npackage: {package}\nname: {package}.v1.0.0\nimage: q.io/{package}:1\nproperties:\n\
             - {{type: olm.package, value: {{packageName: {package}, version: 1.0.0}}}}\n\
             - {{type: olm.csv.metadata, value: {{labels: {{{labels}}}, displayName: {package}}}}}\n"
        )
    };
    let arch = "operatorframework.io/arch";
    let text = [
        bundle("silent", ""),
        bundle("both", &format!("{arch}.amd64: supported, {arch}.arm64: supported")),
        bundle("arm", &format!("{arch}.arm64: supported, operatorframework.io/os.linux: supported")),
        bundle("none", &format!("{arch}.amd64: unsupported")),
    ]
    .concat();
    write(directory.path(), "c.yaml", &text);
    let pages = Pages::of_text(&text);
    for (name, found) in [("amd64", &["both", "silent"][..]), ("arm64", &["arm", "both"]), ("s390x", &[])] {
        let mut wanted = found.to_vec();
        let (_, json) = pages.get(&format!("/packages.json?arch={name}"));
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        let listed: Vec<&str> =
            value["items"].as_array().unwrap().iter().map(|it| it["package"].as_str().unwrap()).collect();
        assert_eq!(listed, found, "{name}");
        for verb in [&["search", "--arch"][..], &["list", "packages", "--arch"]] {
            let answer =
                olmdex(verb).args([name, "-i", "c.yaml", "-o", "name"]).in_directory(directory.path()).answer();
            let text = answer.out();
            let mut printed: Vec<&str> = text.lines().collect();
            printed.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(printed, wanted, "{verb:?} {name}");
        }
    }
    let (_, page) = pages.get("/packages");
    for (name, n) in [("amd64", 2), ("arm64", 2)] {
        let words = format!(
            "<a rel=\"nofollow\" href=\"/packages?arch={name}#filters\">{name}</a> <span class=\"quiet\">{n}</span>"
        );
        assert!(page.contains(&words), "{words}: {page}");
    }
    for (package, architecture, system) in [
        ("silent", "amd64 (not stated)", "linux (not stated)"),
        ("both", "amd64, arm64", "linux (not stated)"),
        ("arm", "arm64", "linux"),
        ("none", "", "linux (not stated)"),
    ] {
        let (_, page) = pages.get(&format!("/p/{package}/v/1.0.0"));
        let fact = |name: &str, value: &str| format!("<dt>{name}</dt><dd>{value}</dd>");
        assert_eq!(page.contains(&fact("Architectures", architecture)), !architecture.is_empty(), "{package}: {page}");
        assert!(page.contains(&fact("Operating systems", system)), "{package}: {page}");
    }
}

/// Pages show no absolute path of their server; their commands run in the directory of the catalogs.
#[test]
fn commands_run_on_a_copy_and_pages_show_no_path_of_the_server() {
    let directory = scratch();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/help");
    for (name, from) in [("old", "old-catalog"), ("new", "my-catalog")] {
        for (file, bytes) in files(&fixtures.join(from)) {
            write(&directory.path().join("srv").join(name), &file, bytes);
        }
    }
    let root = directory.path().to_str().unwrap();
    let mut n_run = 0;
    for place in ["", root] {
        let start = if place.is_empty() { String::new() } else { format!("{place}/") };
        let sources = [format!("4.9={start}srv/old"), format!("{start}srv/new")];
        let site = if place.is_empty() { "relative" } else { "absolute" };
        let answer = olmdex(["export", "--packages", "keda", "--site", site]);
        answer.args(&sources).in_directory(directory.path()).answer().expect_code(0);
        let mut commands = BTreeSet::new();
        for (name, bytes) in files(&directory.path().join(site)) {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            assert!(!text.contains(root), "{name}: {text}");
            let blocks = text.split("<pre class=\"command\" tabindex=\"0\"><code>").skip(1);
            commands.extend(
                blocks.map(|it| it.split_once("</code>").unwrap().0.replace("&#39;", "'").replace("&amp;", "&")),
            );
            let explains = text.contains("<code>PATH/TO/</code> stands for the directory of your own copy.");
            assert_eq!(explains, text.contains("class=\"same\"") && !place.is_empty(), "{name}");
        }
        assert!(commands.iter().any(|it| it.starts_with("olmdex diff ")), "{commands:?}");
        for line in &commands {
            assert_eq!(
                line.contains("PATH/TO/srv/") || line.contains("PATH/TO/old") || line.contains("PATH/TO/new"),
                !place.is_empty(),
                "{line}"
            );
            let line = line.replace("PATH/TO/", &format!("{root}/srv/"));
            let line = line.replacen("olmdex", env!("CARGO_BIN_EXE_olmdex"), 1);
            let output = Command::new("sh").args(["-c", &line]).current_dir(directory.path()).output().unwrap();
            let code = output.status.code().unwrap();
            // The exit code 1 is an answer too: there are differences, or findings.
            assert!(code < 2, "{line}: {}", String::from_utf8_lossy(&output.stderr));
            n_run += 1;
        }
        let list = std::fs::read_to_string(directory.path().join(site).join("index.html")).unwrap();
        let shown = if place.is_empty() { "<code>srv/old</code>" } else { "<code>old</code>" };
        assert!(list.contains(shown), "{list}");
    }
    assert!(n_run > 20, "{n_run}");
}

/// The head of the default channel need not be the highest version: pages name both, as `list` and `search` do.
#[test]
fn the_default_head_is_not_taken_for_the_highest_version() {
    let channels = [
        ("stable", &["0.50.0", "0.51.0"][..]),
        ("p-1.x", &["1.0.0", "1.2.0"]),
        ("p-1.2.x", &["1.2.0"]),
        ("p-1.0.x", &["1.0.0"]),
    ];
    let mut text = "---\nschema: olm.package\nname: p\ndefaultChannel: stable\n".to_owned();
    let mut versions = BTreeSet::new();
    for (channel, all) in channels {
        text.push_str(&format!("---\nschema: olm.channel\npackage: p\nname: {channel}\nentries:\n"));
        for (idx, version) in all.iter().enumerate() {
            let replaces = idx.checked_sub(1).map(|it| format!(", replaces: p.v{}", all[it])).unwrap_or_default();
            text.push_str(&format!("- {{name: p.v{version}{replaces}}}\n"));
            versions.insert(*version);
        }
    }
    for version in versions {
        text.push_str(&format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: q.io/p:{version}\n\
             properties: [{{type: olm.package, value: {{packageName: p, version: {version}}}}}]\n"
        ));
    }
    let pages = Pages::of_text(&text);
    let items = |address: &str| -> serde_json::Value {
        let value: serde_json::Value = serde_json::from_str(&pages.get(address).1).unwrap();
        value["items"][0].clone()
    };
    let (_, page) = pages.get("/p/p");
    assert!(!page.contains("Latest version"), "{page}");
    let version = |it: &str| format!("<a href=\"/p/p/v/{it}\">{it}</a>");
    let highest = format!("{} (<a href=\"/p/p/c/p-1.x\">p-1.x</a> and 1 other)", version("1.2.0"));
    assert!(
        page.contains(&format!("<dt>Default head</dt><dd><strong class=\"large\">{}</strong>", version("0.51.0"))),
        "{page}"
    );
    assert!(page.contains(&format!("<dt>Highest version</dt><dd>{highest}</dd>")), "{page}");
    assert_eq!(items("/p/p.json")["headVersion"], "0.51.0");
    for address in ["/packages", "/packages?q=p&sort=name"] {
        let (_, page) = pages.get(address);
        assert!(page.contains("Default head<span class=\"away\">"), "{page}");
        let cell = format!("{}<span class=\"of\"> (highest {highest})</span>", version("0.51.0"));
        assert!(page.contains(&cell), "{address}: {page}");
    }
    assert_eq!(items("/packages.json")["headVersion"], "0.51.0");
    assert_eq!(items("/packages.json?q=p")["version"], "1.2.0");
    // The end of one channel is not the end of the package.
    for (own, words) in [
        (
            "0.51.0",
            &["it is the head, or the end of a channel. Higher versions are in", "p-1.x", "p-1.2.x", "p-1.0.x"][..],
        ),
        ("1.2.0", &["No upgrade leads from this version, and no channel holds a higher one."]),
    ] {
        let (_, page) = pages.get(&format!("/p/p/v/{own}"));
        for word in words {
            assert!(page.contains(word), "{own}: {word}: {page}");
        }
        let leads_on = page.contains("Upgrade paths from this version");
        assert_eq!(leads_on, own == "0.51.0", "{page}");
    }
    // If the head is the highest version, there is nothing to add.
    let (_, page) = catalogs_of_versions(&[("c", &["1.0.0", "1.1.0"])]).get("/p/p");
    assert!(page.contains("<dt>Default head</dt>") && !page.contains("<dt>Highest version</dt>"), "{page}");
}

/// On paper there is nothing to fill in or to press, nothing scrolls, and no button lies on text (pages F9, F13).
#[test]
fn the_style_sheet_prints_no_controls_and_cuts_no_text() {
    let style = include_str!("../../crates/page/src/style.css");
    let (screen, print) = style.split_once("@media print {").unwrap();
    // A rule for all forms loses against one that names a class.
    let classes_of_forms = screen.lines().filter_map(|it| it.trim_start().strip_prefix(".question {")).count();
    assert!(classes_of_forms == 0 || print.contains("form.question"), "{print}");
    for rule in
        ["form, form.question, .copy,", ".scroll, .plan .wide, pre { overflow: visible; }", "white-space: pre-wrap"]
    {
        assert!(print.contains(rule), "{rule}: {print}");
    }
    let narrow = screen.find("@media (max-width").unwrap();
    let above = screen.find("\n.manifest:has(.copy) { padding-block-start: 2.5rem; }").unwrap();
    assert!(above < narrow, "the button is above the text at any width");
}

/// Names in the styles of pictures would change the look of elements of a page with the same names.
#[test]
fn the_style_sheet_is_small_and_does_not_meet_that_of_pictures() {
    let pages = Pages::of_text("");
    let asset = |plain: &str| pages.get(header(&pages.ask("GET", plain, None), "Location"));
    let (_, style) = asset("/style.css");
    assert!(style.len() < 22 << 10, "{}", style.len());
    assert!(asset("/olmdex.js").1.len() < 10 << 10);
    let classes = |text: &str| -> BTreeSet<String> {
        let names = text
            .split('.')
            .skip(1)
            .map(|it| it.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next().unwrap());
        names.filter(|it| it.starts_with(|c: char| c.is_ascii_alphabetic())).map(str::to_owned).collect()
    };
    let of_pictures = classes(&olmdex::draw::picture_style());
    let own = classes(include_str!("../../crates/page/src/style.css"));
    assert_eq!(own.intersection(&of_pictures).collect::<Vec<_>>(), Vec::<&String>::new());
}

fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => {
                    let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                    found.insert(name, std::fs::read(path).unwrap());
                }
            }
        }
    }
    found
}

/// Follows a relative link from a file.
fn resolved(from: &str, link: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            ".." => drop(parts.pop().unwrap()),
            part => parts.push(part),
        }
    }
    parts.join("/").replace("%25", "%")
}

#[test]
fn files_lead_to_each_other_and_are_the_same_each_time() {
    let directory = scratch();
    two_catalogs(directory.path());
    // Feeds have entries of versions with a date.
    let dated = "schema: olm.package\nname: dated\ndefaultChannel: c\n---\nschema: olm.channel\npackage: dated\nname: c\n\
        entries: [{name: dated.v1.0.0}]\n---\nschema: olm.bundle\npackage: dated\nname: dated.v1.0.0\nimage: q.io/dated:1\n\
        properties:\n- {type: olm.package, value: {packageName: dated, version: 1.0.0}}\n\
        - {type: olm.csv.metadata, value: {annotations: {createdAt: '2026-01-02'}}}\n";
    write(directory.path(), "dated.yaml", dated);
    let build = ["build", "v4.11=dated.yaml", "-q", "-O", "index.db"];
    olmdex(build).in_directory(directory.path()).answer().expect_code(0);
    let export = |name: &str, more: &[&str]| {
        olmdex(["export", "--site", name, "index.db"])
            .args(more)
            .in_directory(directory.path())
            .answer()
            .expect_code(0);
        files(&directory.path().join(name))
    };
    let found = export("one", &[]);
    assert!(found == export("two", &[]), "two runs differ");
    assert!(found.len() > 80, "{}", found.len());
    let feed = String::from_utf8_lossy(&found["p/dated/feed.atom"]);
    assert_eq!(feed.matches("<entry>").count(), 2, "{feed}");
    for (name, bytes) in found.iter().filter(|it| it.0.ends_with(".html") || it.0.ends_with(".atom")) {
        let text = std::str::from_utf8(bytes).unwrap();
        if name.ends_with(".html") {
            must_be_well_made(name, text);
            assert!(text.contains("http-equiv=\"Content-Security-Policy\""), "{name}");
        }
        for link in [attributes(text, "href"), attributes(text, "src"), attributes(text, "action")].concat() {
            if ["https://", "http://", "mailto:", "data:,", "#"].iter().any(|it| link.starts_with(it)) {
                continue;
            }
            let to = resolved(name, link.split('#').next().unwrap());
            assert!(found.contains_key(&to), "{name} leads to {link}");
        }
    }
    let all = export("three", &["--packages", "ked?"]);
    assert!(
        all.contains_key("p/keda/index.html")
            && all.keys().all(|it| !it.starts_with("p/") || it.starts_with("p/keda/"))
    );
    let again = olmdex(["export", "--site", "one", "index.db"]).in_directory(directory.path()).answer();
    again.expect_code(2).expect_words("must be empty");
    let none =
        olmdex(["export", "--site", "four", "index.db", "--packages", "x"]).in_directory(directory.path()).answer();
    none.expect_code(4).expect_words("no package has a matching name");
    assert!(!directory.path().join("four").exists());
}

#[test]
fn files_of_a_hostile_catalog_stay_in_their_directory() {
    let directory = scratch();
    write(directory.path(), "c.yaml", hostile_catalog());
    let answer = olmdex(["export", "--site", "site", "c.yaml"]).in_directory(directory.path()).answer();
    answer.expect_code(0);
    let found = files(&directory.path().join("site"));
    assert!(
        found.keys().all(|it| it.bytes().all(|c| c.is_ascii_alphanumeric() || b"/%._-".contains(&c))),
        "{:?}",
        found.keys()
    );
    for (name, bytes) in found.iter().filter(|it| it.0.ends_with(".html")) {
        must_be_well_made(name, std::str::from_utf8(bytes).unwrap());
    }
    assert!(found.keys().any(|it| it.starts_with("p/%22%3E")), "{:?}", found.keys());
}

/// A package with many versions and channels, as old operators have.
#[test]
fn the_page_of_a_package_stays_short_and_shows_how_to_install_it() {
    let mut text = "schema: olm.package\nname: many\ndefaultChannel: c-39\n".to_owned();
    for n in 0..60 {
        text.push_str(&format!(
            "---\nschema: olm.bundle\npackage: many\nname: many.v1.{n}.0\nimage: q.io/many:{n}\nproperties:\n\
             - {{type: olm.package, value: {{packageName: many, version: 1.{n}.0}}}}\n\
             - {{type: olm.csv.metadata, value: {{installModes: [{{type: OwnNamespace, supported: true}}, {{type: AllNamespaces, supported: false}}], annotations: {{createdAt: 2026-01-02}}}}}}\n"
        ));
    }
    for n in 0..40 {
        text.push_str(&format!(
            "---\nschema: olm.channel\npackage: many\nname: c-{n}\nentries: [{{name: many.v1.{n}.0}}]\n"
        ));
    }
    let pages = Pages::of_text(&text);
    let (_, page) = pages.get("/p/many");
    let n_controls: usize =
        ["<a ", "<button", "<input", "<select", "<summary"].iter().map(|it| page.matches(it).count()).sum();
    assert!(n_controls < 200, "{n_controls} links and controls");
    for words in [
        "kind: OperatorGroup\nmetadata:\n  name: many\n  namespace: many\nspec:\n  targetNamespaces: [many]\n---\n",
        "kind: Subscription\nmetadata:\n  name: many\n  namespace: many\nspec:\n  name: many\n  channel: c-39\n",
        "kind: ClusterExtension\n",
        "channels: [c-39]",
        "<time datetime=\"2026-01-02\">",
        "Versions (60) and channels (40)",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let (_, all) = pages.get("/p/many/versions");
    for n in 0..60 {
        assert!(all.contains(&format!("href=\"/p/many/v/1.{n}.0\"")), "{n}");
    }
    for n in 0..40 {
        assert!(all.contains(&format!("href=\"/p/many/c/c-{n}\"")), "{n}");
    }
}

#[test]
fn a_list_has_the_packages_of_its_data_for_every_visitor() {
    let package = |name: &str, words: &str, categories: &str| {
        format!(
            "schema: olm.package\nname: {name}\ndefaultChannel: a\n---\nschema: olm.channel\npackage: {name}\nname: a\nentries: [{{name: {name}.v1.0.0}}]\n---\n\
             schema: olm.bundle\npackage: {name}\nname: {name}.v1.0.0\nimage: q.io/{name}:1\nproperties:\n\
             - {{type: olm.package, value: {{packageName: {name}, version: 1.0.0}}}}\n\
             - {{type: olm.csv.metadata, value: {{displayName: {words}, annotations: {{categories: \"{categories}\"}}}}}}\n---\n"
        )
    };
    let text = [
        package("one", "Queues of events", "Database"),
        package("two", "Events", "Database, Streaming"),
        package("three", "Queues", "Streaming"),
    ];
    let pages = Pages::of_text(&text.concat());
    for (query, expected) in [
        ("", "one two three"),
        ("?q=events", "one two"),
        ("?q=queues", "one three"),
        ("?q=queues%20events", "one"),
        ("?category=Database", "one two"),
        ("?category=Streaming&q=events", "two"),
        ("?category=Database&category=Streaming", "two"),
        ("?catalog=c&status=current", "one two three"),
        ("?q=one", "one"),
    ] {
        let (status, mut page) = pages.get(&format!("/packages{query}"));
        if !query.contains('&') && !expected.contains(' ') {
            // A search that finds one package opens it.
            assert_eq!(status, 302, "{query}: {page}");
            page = format!("href=\"{}\"", header(&pages.ask("GET", &format!("/packages{query}"), None), "Location"));
        } else {
            assert_eq!(status, 200, "{query}: {page}");
            // It is kept for the next visitor.
            assert_eq!(pages.get(&format!("/packages{query}")), (status, page.clone()), "{query}");
        }
        let (_, data) = pages.get(&format!("/packages.json{query}"));
        for name in ["one", "two", "three"] {
            let is_expected = expected.split(' ').any(|it| it == name);
            assert_eq!(page.contains(&format!("href=\"/p/{name}\"")), is_expected, "{query} {name}: {page}");
            assert_eq!(data.contains(&format!("\"package\": \"{name}\"")), is_expected, "{query} {name}: {data}");
        }
    }
    // A refusal is not kept as a page.
    for _ in 0..2 {
        assert_eq!(pages.get("/packages?page=7").0, 400);
    }
}

#[test]
fn a_slip_in_a_search_finds_what_was_meant() {
    let package = |name: &str, display: &str| {
        format!(
            "schema: olm.package\nname: {name}\ndefaultChannel: a\n---\nschema: olm.channel\npackage: {name}\nname: a\nentries: [{{name: {name}.v1.0.0}}]\n---\n\
             schema: olm.bundle\npackage: {name}\nname: {name}.v1.0.0\nimage: q.io/{name}:1\nproperties:\n\
             - {{type: olm.package, value: {{packageName: {name}, version: 1.0.0}}}}\n- {{type: olm.csv.metadata, value: {{displayName: {display}}}}}\n---\n"
        )
    };
    let pages = Pages::of_text(&(package("strimzi-kafka-operator", "Strimzi") + &package("keda", "KEDA")));
    for (asked, finds, words) in [
        ("kafak", Some("strimzi-kafka-operator"), Some("kafka")),
        ("Strimzy%20kafka", Some("strimzi-kafka-operator"), Some("strimzi kafka")),
        ("kafka", Some("strimzi-kafka-operator"), None),
        ("quarkus", None, None),
        ("%3Cscript%3E", None, None),
    ] {
        let (status, page) = pages.get(&format!("/packages?q={asked}"));
        if (finds, words) == (Some("strimzi-kafka-operator"), None) {
            let reply = pages.ask("GET", &format!("/packages?q={asked}"), None);
            assert_eq!((reply.status, header(&reply, "Location")), (302, "/p/strimzi-kafka-operator"));
            assert!(pages.get(&format!("/p/{asked}")).1.contains("Packages that mention “kafka”:"), "{asked}");
            continue;
        }
        assert_eq!(status, 200, "{asked}");
        let links = page.matches("href=\"/p/strimzi-kafka-operator\"").count();
        assert_eq!(links > 0, finds.is_some(), "{asked}: {page}");
        assert!(!page.contains("href=\"/p/keda\"") && !page.contains("<script>"), "{asked}: {page}");
        assert_eq!(page.contains("; no package matches “"), words.is_some(), "{asked}: {page}");
        if let Some(words) = words {
            assert!(page.contains(&format!("{words}</a>”")), "{asked}: {page}");
        }
        // The page about a missing package suggests the same ones.
        let (status, page) = pages.get(&format!("/p/{asked}"));
        assert_eq!(
            (status, page.contains("href=\"/p/strimzi-kafka-operator\"")),
            (404, finds.is_some()),
            "{asked}: {page}"
        );
        // The data remains equal to the output of the command.
        let (_, data) = pages.get(&format!("/packages.json?q={asked}"));
        assert_eq!(data.contains("strimzi-kafka-operator"), finds.is_some() && words.is_none(), "{asked}: {data}");
    }
}

#[test]
fn channel_and_approval_are_chosen_by_links() {
    let directory = scratch();
    let pages = two_catalogs(directory.path());
    let (_, page) = pages.get("/p/keda");
    assert!(page.contains("href=\"/p/keda/install?catalog=v4.10\""), "{page}");
    let (status, page) = pages.get("/p/keda/install?catalog=v4.10");
    assert!(status == 200 && page.contains("installPlanApproval: Automatic"), "{page}");
    let manual = "/p/keda/install?approval=manual&catalog=v4.10";
    assert!(links("/p/keda/install", &page).contains(&manual.to_owned()), "{page}");
    assert!(pages.get(manual).1.contains("installPlanApproval: Manual"));
    for (target, status) in [
        ("/p/keda/install?channel=nothing", 404),
        ("/p/keda/install?catalog=nothing", 404),
        ("/p/nothing/install", 404),
        ("/p/keda/install?approval=perhaps", 400),
        ("/p/keda/install?approval=automatic", 308),
        ("/p/keda/install.json", 404),
    ] {
        assert_eq!(pages.get(target).0, status, "{target}");
    }
}

/// A visitor composes a list by a form, step by step, and copies the output of `filter`.
#[test]
fn a_mirror_list_is_composed_without_a_script() {
    let directory = scratch();
    let pages = two_catalogs(directory.path());
    let (status, empty) = pages.get("/mirror");
    assert_eq!(status, 200);
    must_be_well_made("/mirror", &empty);
    assert!(empty.contains("The list is empty.") && empty.contains("<option value=\"keda\">"), "{empty}");
    let (_, version) = pages.get("/p/keda/v/2.9.0?catalog=v4.10");
    assert!(version.contains("href=\"/mirror?p=keda%2Fstable%402.9.0%20in%20v4.10\""), "{version}");
    // The request of the form leads to the address of the list.
    let sent = "/mirror?p=keda%2Falpha&catalog=v4.10&package=keda&channel=stable&min=2.9.0&max=&full=";
    let listed = header(&pages.ask("GET", sent, None), "Location").to_owned();
    assert_eq!(listed, "/mirror?catalog=v4.10&p=keda%2Falpha%2Ckeda%2Fstable%40%3E%3D2.9.0%20in%20v4.10");
    let (status, page) = pages.get(&listed);
    assert_eq!(status, 200);
    must_be_well_made(&listed, &page);
    for words in [
        "Package <strong>keda</strong> has no channel <strong>alpha</strong>.",
        "kind: ImageSetConfiguration",
        "minVersion: &quot;2.9.0&quot;",
        "--package 'keda/stable@&gt;=2.9.0'",
        "<span class=\"away\">Remove keda/alpha</span>",
        "data-list=\"keda/alpha,keda/stable@&gt;=2.9.0 in v4.10\" data-catalog=\"v4.10\"",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    // The removal of one package leaves the other.
    let removed = "/mirror?catalog=v4.10&amp;p=keda%2Fstable%40%3E%3D2.9.0%20in%20v4.10";
    assert!(page.contains(&format!("href=\"{removed}\"")), "{page}");
    let (status, images) = pages.get("/mirror/images.txt?catalog=v4.10&p=keda");
    assert_eq!(status, 200);
    let program = Command::new(env!("CARGO_BIN_EXE_olmdex"))
        .args(["filter", "--package", "keda", "--catalog", "v4.10", "-i", "index.db", "-o", "images"])
        .current_dir(directory.path())
        .output()
        .unwrap();
    assert_eq!(images, String::from_utf8(program.stdout).unwrap());
    for (target, status, words) in [
        ("/mirror?p=kedaa", 200, "Did you mean <strong>keda</strong>?"),
        ("/mirror?p=keda%40x", 200, "is not a range that an ImageSetConfiguration can hold"),
        ("/mirror?p=%3Cscript%3E", 200, "has no package <strong>&lt;script&gt;</strong>"),
        ("/mirror.json?p=keda%40x", 400, "parameter `p`"),
        ("/mirror/images.txt?p=keda%40x", 400, "Parameter <code>p</code>"),
        (&format!("/mirror?p={}", ["a"; 101].join("%2C")), 400, "at most 100 packages"),
        ("/mirror?full=maybe", 400, "`yes` or `no`"),
        // The name of a bundle stands for its version, as in `lock`.
        ("/mirror/operators.lock?catalog=v4.10&p=keda.v2.9.0", 200, "bundle = \"keda.v2.9.0\""),
        ("/mirror/operators.lock?catalog=v4.10&p=keda.v2.9.9", 400, "keda.v2.9.9"),
        // Each item may name its catalog, and one package may come from two.
        ("/mirror?p=keda%20in%20v4.9%2Ckeda%20in%20v4.10", 200, "registry.example.com/v4-9:latest"),
        ("/mirror?p=keda%20in%20v4.9%2Ckeda%20in%20v4.10", 200, "registry.example.com/v4-10:latest"),
        ("/mirror?p=keda%20in%20v4.9%2Ckeda%20in%20v4.10", 200, "keda <span class=\"quiet\">in v4.9</span>"),
        ("/mirror/operators.lock?p=keda%20in%20v4.10", 200, "catalog = \"v4.10\""),
        ("/mirror/operators.lock?p=keda%20in%20v4.9%2Ckeda%20in%20v4.10", 400, "one catalog"),
        ("/mirror?p=keda%20in%20nowhere", 404, "nowhere"),
    ] {
        let (found, text) = pages.get(target);
        assert_eq!(found, status, "{target}: {text}");
        let text = text.replace("<code>yes</code> or <code>no</code>", "`yes` or `no`");
        assert!(text.contains(words) || text.contains(&words.to_lowercase()), "{target}: {text}");
    }
}

/// A comparison has a row for each package, and lists the changes of a kind.
#[test]
fn a_comparison_is_narrowed_by_kind() {
    let directory = scratch();
    let pages = two_catalogs(directory.path());
    let whole = "/diff?a=v4.9&b=v4.10";
    let (_, page) = pages.get(whole);
    let (_, json) = pages.get("/diff.json?a=v4.9&b=v4.10");
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let changes = value["items"].as_array().unwrap();
    let packages: std::collections::BTreeSet<&str> = changes.iter().map(|it| it["package"].as_str().unwrap()).collect();
    assert_eq!(page.matches("<tr><th scope=\"row\">").count(), packages.len(), "each package has one row: {page}");
    let added = changes.iter().filter(|it| it["change"] == "added" && it["subject"] == "bundle").count();
    assert!(added > 0 && added < changes.len());
    let (status, page) = pages.get("/diff?a=v4.9&b=v4.10&kind=bundle%20added");
    assert_eq!(status, 200);
    must_be_well_made(whole, &page);
    assert_eq!(page.matches("<tr><th scope=\"row\">").count(), added, "{page}");
    assert!(page.contains("Only <strong>bundle added</strong>"), "{page}");
}

/// Bundles with the same change share a row; added, removed or differently changed ones have their own.
#[test]
fn a_comparison_says_equal_changes_once() {
    let catalog = |minor: usize, names: &[&str], image: &str| {
        let entries: Vec<String> = names.iter().map(|it| format!("{{name: {it}}}")).collect();
        let mut text = format!(
            "schema: olm.package\nname: lamp\ndefaultChannel: c\n---\nschema: olm.channel\npackage: lamp\nname: c\nentries: [{}]\n",
            entries.join(", ")
        );
        for (number, name) in names.iter().enumerate() {
            let _ = write!(
                text,
                "---\nschema: olm.bundle\npackage: lamp\nname: {name}\nimage: quay.io/lamp/bundle:{number}\n\
                 relatedImages: [{{name: main, image: '{image}'}}]\n\
                 properties: [{{type: olm.package, value: {{packageName: lamp, version: 1.{number}.0}}}}, \
                 {{type: olm.maxOpenShiftVersion, value: '4.{minor}'}}]\n"
            );
        }
        text
    };
    let mut builder = Builder::in_memory();
    for (name, text) in [
        ("old", catalog(18, &["lamp.v1.0.0", "lamp.v1.1.0", "lamp.v1.2.0"], "quay.io/lamp/main:1")),
        ("new", catalog(19, &["lamp.v1.0.0", "lamp.v1.1.0", "lamp.v1.2.0", "lamp.v1.3.0"], "quay.io/lamp/main:1")),
    ] {
        let spec = CatalogSpec { name: name.to_owned(), ..CatalogSpec::default() };
        let input = Input::bytes("lamp.yaml", Arc::from(text.into_bytes()));
        builder.add_catalog(&spec, &input, Mode::Tolerant).unwrap();
    }
    let pages = Pages::new(builder.into_index().unwrap());
    let (status, page) = pages.get("/diff?a=old&b=new&package=lamp");
    assert_eq!(status, 200);
    must_be_well_made("/diff?a=old&b=new&package=lamp", &page);
    let merged = "<details><summary>lamp.v1.0.0 and 2 others</summary><span class=\"line\">lamp.v1.1.0</span><span class=\"line\">lamp.v1.2.0</span></details>";
    // One row of the bundles, and one of their property.
    assert_eq!(page.matches(merged).count(), 2, "{page}");
    assert!(page.contains("<td>lamp.v1.3.0</td>"), "{page}");
    let (_, json) = pages.get("/diff.json?a=old&b=new");
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let changed =
        value["items"].as_array().unwrap().iter().filter(|it| it["change"] == "changed" && it["subject"] == "bundle");
    assert_eq!(changed.count(), 3, "{json}");
}
