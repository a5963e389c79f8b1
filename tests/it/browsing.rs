//! Pages in a real browser: five questions with counted clicks, by keys alone and without a script, and each kind of page at three widths,
//! light and dark, without anything that axe-core objects to.
//!
//! `.ci/run` installs Chromium and axe-core, whose script the variable `OLMDEX_AXE` names.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::browser::Browser;
use crate::support::server::Server;
use crate::support::{olmdex, scratch, write};

/// A catalog of a Kafka operator with versions up to a minor one, beside two others.
fn shop(last_minor: usize, removed: Option<usize>) -> String {
    let mut text = String::from(
        "schema: olm.package\nname: stream-operator\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: stream-operator\nname: stable\nentries:\n",
    );
    let minors: Vec<usize> = (0..=last_minor).filter(|it| Some(*it) != removed).collect();
    for (at, minor) in minors.iter().enumerate() {
        let _ = writeln!(text, "- name: stream-operator.v1.{minor}.0");
        if at > 0 {
            let _ = writeln!(text, "  replaces: stream-operator.v1.{}.0", minors[at - 1]);
        }
    }
    for minor in minors {
        let max = if minor < 2 { "- {type: olm.maxOpenShiftVersion, value: '4.19'}\n" } else { "" };
        let _ = write!(
            text,
            "---\nschema: olm.bundle\npackage: stream-operator\nname: stream-operator.v1.{minor}.0\n\
             image: quay.io/shop/stream-bundle:v1.{minor}.0\nrelatedImages:\n- {{name: manager, image: 'quay.io/shop/stream:v1.{minor}.0'}}\n\
             properties:\n- {{type: olm.package, value: {{packageName: stream-operator, version: 1.{minor}.0}}}}\n\
             - {{type: olm.gvk, value: {{group: shop.example.com, version: v1, kind: KafkaTopic}}}}\n{max}\
             - type: olm.csv.metadata\n  value:\n    displayName: Streams\n    description: Runs **Kafka** clusters.\n    keywords: [kafka, messaging]\n\
             \x20   minKubeVersion: 1.28.0\n    provider: {{name: Shop}}\n    installModes: [{{type: AllNamespaces, supported: true}}]\n\
             \x20   labels: {{operatorframework.io/arch.amd64: supported, operatorframework.io/arch.arm64: supported}}\n\
             \x20   annotations: {{features.operators.openshift.io/disconnected: 'true', createdAt: '2026-0{}-01T00:00:00Z', capabilities: Deep Insights, categories: 'Streaming & Messaging'}}\n",
            minor + 1
        );
    }
    // Two more that a search for Kafka finds: one for amd64 alone, and one that says nothing.
    let features = "annotations: {features.operators.openshift.io/disconnected: 'true'}";
    for (name, more) in [("bridge", features), ("other", "provider: {name: Other}")] {
        let _ = write!(
            text,
            "---\nschema: olm.package\nname: {name}\ndefaultChannel: c\n---\nschema: olm.channel\npackage: {name}\nname: c\n\
             entries: [{{name: {name}.v1.0.0}}]\n---\nschema: olm.bundle\npackage: {name}\nname: {name}.v1.0.0\n\
             image: quay.io/shop/{name}:1\nproperties:\n- {{type: olm.package, value: {{packageName: {name}, version: 1.0.0}}}}\n\
             - {{type: olm.csv.metadata, value: {{keywords: [kafka], displayName: {name}, {more}}}}}\n"
        );
    }
    text
}

/// Two catalogs on a server, for the versions of OpenShift in their names.
fn served(directory: &std::path::Path) -> Server {
    write(directory, "old.yaml", shop(3, None));
    write(directory, "new.yaml", shop(4, Some(1)));
    olmdex(["build", "shop-v4.19=old.yaml", "shop-v4.20=new.yaml", "-q", "-O", "index.db"])
        .in_directory(directory)
        .answer()
        .expect_code(0);
    let index = directory.join("index.db");
    Server::start(directory, &[index.to_str().unwrap(), "--catalog", "shop-v4.20"])
}

/// The five questions, each from the first page: what is done, how many clicks it may take, and what the page says then.
fn ask_everything(browser: &mut Browser, site: &str) {
    // Which Kafka operator runs on arm64 in a disconnected cluster?
    browser.open(site);
    browser.type_into("main input[name=q]", "kafka\n");
    browser.follow("disconnected");
    browser.follow("arm64");
    assert!(browser.n_clicks <= 3 && browser.text().contains("stream-operator"), "{}", browser.text());
    assert!(browser.address().ends_with("/packages?arch=arm64&feature=disconnected&q=kafka"), "{}", browser.address());
    browser.follow("stream-operator");
    for words in ["arm64", "disconnected", "kind: Subscription", "kind: ClusterExtension", "Runs Kafka clusters."] {
        assert!(browser.text().contains(words), "{words}: {}", browser.text());
    }
    // Which version do I get on 4.19, and what blocks 4.19 → 4.20?
    browser.open(site);
    browser.type_into("main input[name=q]", "kafka\n");
    browser.follow("stream-operator");
    browser.follow("OpenShift");
    assert!(browser.n_clicks <= 3);
    assert!(browser.text().contains("On OpenShift 4.19 you get 1.3.0 from channel stable"), "{}", browser.text());
    browser.click("select[name=openshift] option[selected], select[name=openshift]");
    browser.run("document.querySelector('select[name=openshift]').value = '4.19'");
    browser.click("main form button");
    assert!(browser.text().contains("2 of 4 versions block the update from 4.19 to 4.20."), "{}", browser.text());
    // How do I get from 1.0.0 to the head?
    browser.open(site);
    browser.type_into("main input[name=q]", "kafka\n");
    browser.follow("stream-operator");
    browser.follow("Upgrade paths");
    browser.type_into("input[name=from]", "1.0.0\n");
    assert!(browser.n_clicks <= 4 && browser.text().contains("1.4.0"), "{}", browser.text());
    // What changed between the two catalogs?
    browser.open(site);
    browser.follow("Compare");
    browser.click("main ul a");
    assert!(browser.n_clicks <= 2 && browser.text().contains("breaking"), "{}", browser.text());
    // Which images do I mirror?
    browser.open(site);
    browser.type_into("main input[name=q]", "kafka\n");
    browser.follow("stream-operator");
    browser.follow("Mirror list of this package");
    for words in ["kind: ImageSetConfiguration", "2 images"] {
        assert!(browser.text().contains(words), "{words}: {}", browser.text());
    }
    browser.follow("As text, one a line");
    assert!(browser.n_clicks <= 4 && browser.text().contains("quay.io/shop/stream:v1.4.0"), "{}", browser.text());
}

#[test]
#[ignore = "needs Chromium"]
fn visitors_find_their_answers_in_few_clicks() {
    let scratch = scratch();
    let server = served(scratch.path());
    let site = format!("http://{}/", server.http);
    for width in [1280, 375] {
        let mut browser = Browser::start(scratch.path(), true);
        browser.look(width, 900, "light");
        ask_everything(&mut browser, &site);
    }
}

/// The same pages answer without a script.
#[test]
#[ignore = "needs Chromium"]
fn nothing_needs_a_script() {
    let scratch = scratch();
    let server = served(scratch.path());
    let site = format!("http://{}/", server.http);
    let mut browser = Browser::start(scratch.path(), false);
    browser.open(&site);
    browser.type_into("main input[name=q]", "kafka\n");
    browser.follow("arm64");
    browser.follow("stream-operator");
    assert!(browser.n_clicks <= 3 && browser.text().contains("kind: Subscription"), "{}", browser.text());
    browser.follow("Mirror list of this package");
    browser.type_into("input[name=package]", "other\n");
    assert!(browser.address().contains("p=stream-operator%2Cother"), "{}", browser.address());
    browser.open(&site);
    browser.follow("Findings");
    assert!(browser.text().contains("Findings in shop-v4.20"), "{}", browser.text());
}

/// Tab, Enter and the slash lead everywhere.
#[test]
#[ignore = "needs Chromium"]
fn keys_are_enough() {
    const TAB: &str = "\u{e004}";
    const ENTER: &str = "\u{e007}";
    let scratch = scratch();
    let server = served(scratch.path());
    let mut browser = Browser::start(scratch.path(), true);
    browser.open(&format!("http://{}/", server.http));
    // The first key leads past the banner.
    browser.press(TAB);
    assert_eq!(browser.run("return document.activeElement.textContent"), Value::from("Skip to content"));
    browser.press(ENTER);
    assert_eq!(browser.run("return location.hash"), Value::from("#main"));
    browser.press("/");
    assert_eq!(browser.run("return document.activeElement.name"), Value::from("q"));
    browser.press(&format!("kafka{ENTER}"));
    let to_link = |browser: &Browser, words: &str, n_most: usize| {
        let is_there = || browser.run("return document.activeElement.textContent.trim()") == words;
        let n = (0..n_most).find(|_| {
            browser.press(TAB);
            is_there()
        });
        assert!(n.is_some(), "`{words}` is not within {n_most} stops");
        // What has the focus can be seen.
        let outline = browser.run("return getComputedStyle(document.activeElement).outlineStyle");
        assert_ne!(outline, Value::from("none"), "{words}");
    };
    to_link(&browser, "stream-operator", 40);
    browser.press(ENTER);
    to_link(&browser, "1.4.0", 60);
    let n_stops =
        browser.run("return document.querySelectorAll('a, button, input, select, summary, [tabindex]').length");
    assert!(n_stops.as_u64().unwrap() < 200, "{n_stops} stops");
}

/// Every kind of page, and the pictures and reports that are files.
const PAGES: [&str; 19] = [
    "/",
    "/packages",
    "/packages?q=kafka&arch=arm64",
    "/packages?q=kafak",
    "/p/stream-operator",
    "/p/stream-operator/versions",
    "/p/stream-operator/install",
    "/p/stream-operator/v/1.3.0?catalog=shop-v4.20",
    "/p/stream-operator/c/stable?catalog=shop-v4.20",
    "/p/stream-operator/path?from=1.0.0&to=1.4.0",
    "/p/stream-operator/compat",
    "/p/stream-operator/compat?openshift=4.19",
    "/p/stream-operator/history",
    "/diff?a=shop-v4.19&b=shop-v4.20",
    "/images?q=quay.io",
    "/mirror?catalog=shop-v4.20&p=stream-operator",
    "/apis",
    "/lint",
    "/nothing",
];

/// What is wrong with the page that a browser shows: what axe-core objects to, and what is wider than the window.
fn faults(browser: &Browser, axe: &str) -> Vec<String> {
    browser.run(axe);
    let found = browser.wait_for(
        "const done = arguments[arguments.length - 1]; \
         axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}) \
         .then(it => done(it.violations.map(it => it.id + ': ' + it.nodes[0].html)), it => done([String(it)]));",
    );
    let mut faults: Vec<String> =
        found.as_array().unwrap().iter().map(|it| it.as_str().unwrap_or_default().to_owned()).collect();
    let width = browser.run(
        "const root = document.documentElement; return root.scrollWidth > root.clientWidth ? root.scrollWidth : 0",
    );
    if width != 0 {
        faults.push(format!("the page is {width} pixels wide"));
    }
    faults
}

#[test]
#[ignore = "needs Chromium"]
fn every_kind_of_page_is_accessible_and_fits_every_window() {
    let axe = std::env::var("OLMDEX_AXE").expect("OLMDEX_AXE names the file axe.min.js of axe-core");
    let axe = std::fs::read_to_string(axe).unwrap();
    let scratch = scratch();
    let server = served(scratch.path());
    for (name, args) in [
        ("graph.html", &["graph", "stream-operator", "--catalog", "shop-v4.20"][..]),
        ("catalog.html", &["graph", "--catalog", "shop-v4.20"]),
    ] {
        let answer = olmdex(args).args(["-i", "index.db", "-o", "html"]).in_directory(scratch.path()).answer();
        answer.expect_code(0);
        write(scratch.path(), name, answer.out());
    }
    olmdex(["export", "--site", "site", "index.db"]).in_directory(scratch.path()).answer().expect_code(0);
    let mut all: Vec<String> = PAGES.iter().map(|it| format!("http://{}{it}", server.http)).collect();
    for file in ["graph.html", "catalog.html", "site/index.html", "site/packages.html"] {
        all.push(format!("file://{}", scratch.path().join(file).display()));
    }
    let mut browser = Browser::start(scratch.path(), true);
    let mut faulty = String::new();
    for url in &all {
        for (width, scheme) in [(1280, "light"), (1280, "dark"), (375, "light"), (320, "dark")] {
            browser.look(width, 900, scheme);
            browser.open(url);
            for fault in faults(&browser, &axe) {
                // Pictures scroll in a box of their own; a picture that is a file is as wide as it is.
                if fault.starts_with("the page is") && url.ends_with("graph.html") {
                    continue;
                }
                let _ = writeln!(faulty, "{url} at {width}, {scheme}: {fault}");
            }
        }
    }
    assert!(faulty.is_empty(), "{faulty}");
}
