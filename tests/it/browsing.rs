//! Pages in a real browser: five questions with counted clicks, by keys alone and without a script, and each kind of
//! page at three widths, light and dark, without objections from axe-core.
//!
//! `.ci/run` installs Chromium and axe-core, whose script the variable `OLMDEX_AXE` names.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::browser::{Browser, ENTER, SHIFT, comes_true};
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
    // Two more packages that a search for Kafka finds: one only for amd64, and one that states no architecture.
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

/// The input of a visitor: a mouse, or only keys.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hand {
    Mouse,
    Keys,
}

const TAB: &str = "\u{e004}";

/// The number of tab stops from the focus, or from the target of the address, to the first element that meets a
/// condition.
const STOPS: &str = "const all = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary, [tabindex=\"0\"]')]\
    .filter(it => it.checkVisibility() && !it.matches('input[type=radio]:not(:checked)')); \
    const is = it => CONDITION; const at = all.findIndex(is), target = document.querySelector(':target'); \
    const now = target && document.activeElement === document.body \
        ? all.findIndex(it => target.contains(it)) - 1 : all.indexOf(document.activeElement); \
    return at < 0 ? -1 : at - now;";

/// The condition that an element has these words.
fn has_words(words: &str) -> String {
    format!("(it.matches('a') && it.textContent.trim() === {})", Value::from(words))
}

/// Moves the focus by the tab key to an element that meets a condition.
fn reach(browser: &Browser, condition: &str) {
    let n_stops = browser.run(&STOPS.replace("CONDITION", condition)).as_i64().unwrap();
    assert!((-20..200).contains(&n_stops), "{condition}: {n_stops} stops on {}", browser.address());
    // The first page begins with the focus in its search, behind the links to the other pages.
    let direction = if n_stops < 0 { SHIFT } else { "" };
    browser.press(&(direction.to_owned() + &TAB.repeat(usize::try_from(n_stops.unsigned_abs()).unwrap())));
    let is_there = || browser.run(&format!("const it = document.activeElement; return {condition}")) == true;
    // Boxes that scroll are stops, too.
    let n_more = (0..40).find(|_| {
        is_there() || {
            browser.press(TAB);
            false
        }
    });
    assert!(n_more.is_some(), "{condition} cannot be reached on {}", browser.address());
    // The focused element must be visible.
    let outline = browser.run("return getComputedStyle(document.activeElement).outlineStyle");
    assert_ne!(outline, Value::from("none"), "{condition} on {}", browser.address());
}

/// Whether a script gives `true` in time.
fn becomes_true(browser: &Browser, script: &str) -> bool {
    comes_true(|| browser.run(script) == true)
}

/// Follows the link with these words.
fn follow(browser: &mut Browser, hand: Hand, words: &str) {
    if hand == Hand::Mouse {
        return browser.follow(words);
    }
    browser.n_clicks += 1;
    reach(browser, &has_words(words));
    browser.leave(|browser| browser.press(ENTER));
}

/// Types into the first field that a selector finds, and sends the form.
fn ask(browser: &mut Browser, hand: Hand, selector: &str, text: &str) {
    if hand == Hand::Mouse {
        return browser.send_form(selector, text);
    }
    browser.n_clicks += 1;
    reach(browser, &format!("it.matches({})", Value::from(selector)));
    browser.leave(|browser| browser.press(&format!("{text}{ENTER}")));
}

/// The five questions, each from the first page: the actions, the allowed number of clicks, and the expected text.
fn ask_everything(browser: &mut Browser, site: &str, hand: Hand, is_phone: bool) {
    const SEARCH: &str = "main input[name=q]";
    // Which Kafka operator runs on arm64 in a disconnected cluster?
    browser.open(site);
    ask(browser, hand, SEARCH, "kafka");
    // On a phone the filters are shown on demand, and stay while one of them is chosen.
    if is_phone {
        browser.click("label.toggle");
    }
    follow(browser, hand, "disconnected");
    follow(browser, hand, "arm64");
    assert!(browser.n_clicks <= 3 + usize::from(is_phone) && browser.shows("stream-operator"), "{}", browser.text());
    assert!(browser.address().contains("/packages?arch=arm64&feature=disconnected&q=kafka"), "{}", browser.address());
    follow(browser, hand, "Streams");
    for words in ["arm64", "disconnected", "kind: Subscription", "OLM v1", "Runs Kafka clusters."] {
        assert!(browser.shows(words), "{words}: {}", browser.text());
    }
    // Which version do I get on 4.19, and what blocks 4.19 → 4.20?
    browser.open(site);
    ask(browser, hand, SEARCH, "kafka");
    follow(browser, hand, "Streams");
    follow(browser, hand, "OpenShift");
    assert!(browser.n_clicks <= 3);
    assert!(browser.shows("On OpenShift 4.19 you get 1.3.0 from channel stable"), "{}", browser.text());
    match hand {
        Hand::Mouse => {
            browser.click("select[name=openshift]");
            browser.run("document.querySelector('select[name=openshift]').value = '4.19'");
            browser.submit("main form.question button");
        }
        Hand::Keys => {
            reach(browser, "it.matches('select[name=openshift]')");
            // Keys choose the option that begins with them.
            browser.press("4.19");
            reach(browser, "it.matches('main form.question button')");
            browser.leave(|browser| browser.press(ENTER));
        }
    }
    assert!(browser.shows("2 of 4 versions block the update from 4.19 to 4.20."), "{}", browser.text());
    // How do I get from 1.0.0 to the head?
    browser.open(site);
    ask(browser, hand, SEARCH, "kafka");
    follow(browser, hand, "Streams");
    follow(browser, hand, "Upgrade");
    ask(browser, hand, "input[name=from]", "1.0.0");
    assert!(browser.n_clicks <= 4 && browser.shows("1.4.0"), "{}", browser.text());
    // What changed between the two catalogs?
    browser.open(site);
    follow(browser, hand, "Compare");
    let pair = browser.run("return document.querySelector('main ul a').textContent.trim()");
    follow(browser, hand, pair.as_str().unwrap());
    assert!(browser.n_clicks <= 2 && browser.shows("1 package breaks something"), "{}", browser.text());
    // Which images do I mirror?
    browser.open(site);
    browser.run("localStorage.clear()");
    ask(browser, hand, SEARCH, "kafka");
    follow(browser, hand, "Streams");
    match hand {
        Hand::Mouse => browser.click("a.add"),
        Hand::Keys => {
            browser.n_clicks += 1;
            reach(browser, "it.matches('a.add')");
            browser.press(ENTER);
        }
    }
    // A script keeps the list; without one the link leads to it.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !browser.address().contains("/mirror?") && !browser.shows("Open the list") {
        assert!(std::time::Instant::now() < deadline, "{}", browser.text());
    }
    if !browser.address().contains("/mirror?") {
        follow(browser, hand, "Open the list");
    }
    for words in ["kind: ImageSetConfiguration", "2 images", "operators.lock"] {
        assert!(browser.shows(words), "{words}: {}", browser.text());
    }
    follow(browser, hand, "As text, one per line");
    assert!(browser.n_clicks <= 5 && browser.shows("quay.io/shop/stream:v1.4.0"), "{}", browser.text());
}

#[test]
#[ignore = "needs Chromium"]
fn visitors_find_their_answers_in_few_clicks() {
    let scratch = scratch();
    let server = served(scratch.path());
    let site = format!("http://{}/", server.http);
    for (width, has_script, hand) in
        [(1280, true, Hand::Mouse), (375, true, Hand::Mouse), (1280, false, Hand::Mouse), (1280, true, Hand::Keys)]
    {
        let mut browser = Browser::start(scratch.path(), has_script);
        browser.look(width, 900, "light");
        ask_everything(&mut browser, &site, hand, width < 640);
    }
}

/// Elements outside of the questions need no script either.
#[test]
#[ignore = "needs Chromium"]
fn nothing_needs_a_script() {
    let scratch = scratch();
    let server = served(scratch.path());
    let site = format!("http://{}/", server.http);
    let mut browser = Browser::start(scratch.path(), false);
    browser.open(&format!("{site}mirror?catalog=shop-v4.20&p=stream-operator"));
    browser.send_form("input[name=package]", "other");
    assert!(browser.address().contains("p=stream-operator%2Cother"), "{}", browser.address());
    browser.open(&site);
    browser.follow("Checks");
    assert!(browser.shows("Checks of shop-v4.20"), "{}", browser.text());
    // The choice of a version is a form that leads to the same page about that version.
    browser.open(&format!("{site}p/stream-operator/path"));
    browser.run("document.querySelector('select[name=version]').value = '1.2.0'");
    browser.submit(".switch button");
    let address = browser.address();
    assert!(address.contains("/p/stream-operator/path?") && address.contains("from=1.2.0"), "{address}");
    browser.follow("OpenShift");
    assert!(browser.address().contains("version=1.2.0"), "{}", browser.address());
}

/// The first key leads past the banner, and a slash to the search.
#[test]
#[ignore = "needs Chromium"]
fn keys_are_enough() {
    let scratch = scratch();
    let server = served(scratch.path());
    let mut browser = Browser::start(scratch.path(), true);
    browser.open(&format!("http://{}/", server.http));
    assert_eq!(browser.run("return document.activeElement.name"), Value::from("q"));
    browser.open(&format!("http://{}/packages", server.http));
    browser.press(TAB);
    assert_eq!(browser.run("return document.activeElement.textContent"), Value::from("Skip to content"));
    browser.press(ENTER);
    assert_eq!(browser.run("return location.hash"), Value::from("#main"));
    browser.press("/");
    assert_eq!(browser.run("return document.activeElement.name"), Value::from("q"));
}

/// The site in files has no server to ask: its script suggests names, and narrows the list by words and by values of
/// the packages.
#[test]
#[ignore = "needs Chromium"]
fn a_site_in_files_is_searched_and_narrowed() {
    let scratch = scratch();
    write(scratch.path(), "shop.yaml", shop(3, None));
    olmdex(["build", "shop=shop.yaml", "-q", "-O", "index.db"]).in_directory(scratch.path()).answer().expect_code(0);
    olmdex(["export", "--site", "site", "index.db"]).in_directory(scratch.path()).answer().expect_code(0);
    let site = format!("file://{}/site", scratch.path().display());
    let mut browser = Browser::start(scratch.path(), true);
    browser.open(&format!("{site}/index.html"));
    browser.click("form[role=search] input");
    let suggested = "return document.querySelector('datalist#names option[value=stream-operator]') !== null";
    assert!(becomes_true(&browser, suggested), "no names are suggested");
    browser.send_form("form[role=search] input", "kafka");
    let shown = "return [...document.querySelectorAll('tr[data-name]')].filter(it => it.checkVisibility()).map(it => it.dataset.name).join(' ')";
    let shows = |browser: &Browser, names: &str| {
        assert!(becomes_true(browser, &format!("{shown} === '{names}'")), "{}", browser.run(shown));
    };
    assert!(browser.address().contains("packages.html?q=kafka"), "{}", browser.address());
    shows(&browser, "bridge other stream-operator");
    assert!(becomes_true(&browser, "return document.querySelectorAll('aside[data-facets] select').length > 2"));
    browser.run(
        "const select = [...document.querySelectorAll('aside[data-facets] select')].find(it => [...it.options].some(it => it.value === 'arm64')); \
         select.value = 'arm64'; select.dispatchEvent(new Event('change'))",
    );
    shows(&browser, "stream-operator");
    browser.open(&format!("{site}/p/stream-operator/index.html"));
    let versions = "return [...document.querySelectorAll('.switch option')].map(it => it.text).join(' ')";
    assert!(becomes_true(&browser, &format!("{versions} === '1.3.0 1.2.0 1.1.0 1.0.0'")), "{}", browser.run(versions));
    browser.run("document.querySelector('.switch select').selectedIndex = 2");
    browser.submit(".switch button");
    assert!(browser.address().ends_with("/v/1.1.0/index.html"), "{}", browser.address());
    let chosen = "return document.querySelector('.switch select')?.selectedOptions[0].text === '1.1.0'";
    assert!(becomes_true(&browser, chosen), "the version of the page is not the chosen one");
    browser.click("a[href$='#install']");
    let feed = browser.run("return document.querySelector('link[type=\"application/atom+xml\"]').href");
    let feed = std::path::PathBuf::from(feed.as_str().unwrap().trim_start_matches("file://"));
    let text = std::fs::read_to_string(&feed).unwrap();
    let links: Vec<&str> =
        text.split("type=\"text/html\" href=\"").skip(1).map(|it| it.split('"').next().unwrap()).collect();
    assert!(links.len() > 3, "{text}");
    for link in links {
        assert!(!link.is_empty() && feed.parent().unwrap().join(link).is_file(), "no file is at {link:?}:\n{text}");
    }
}

/// So many channels and versions, in three catalogs, with names of the greatest length.
const N_CHANNELS: usize = 40;
const N_VERSIONS: usize = 300;
const LONG: &str = "an-operator-with-a-name-that-takes-sixty-letters-and-no-less";

/// A catalog of a package that is larger than any real one.
fn hostile(minor: usize) -> String {
    let word = "Donaudampfschifffahrtsgesellschaft".repeat(6);
    let mut text = format!("schema: olm.package\nname: {LONG}\ndefaultChannel: {}\n", long_channel(0));
    for channel in 0..N_CHANNELS {
        let _ = write!(text, "---\nschema: olm.channel\npackage: {LONG}\nname: {}\nentries:\n", long_channel(channel));
        let versions: Vec<usize> = (channel * 7..N_VERSIONS).rev().step_by(channel % 3 + 1).collect();
        for (at, version) in versions.iter().enumerate() {
            let _ = write!(text, "- {{name: {LONG}.v1.{version}.0, skipRange: '>=1.0.0 <1.{version}.0'");
            let _ = match versions.get(at + 1) {
                Some(before) => writeln!(text, ", replaces: {LONG}.v1.{before}.0}}"),
                None => writeln!(text, "}}"),
            };
        }
    }
    for version in 0..N_VERSIONS {
        let _ = write!(
            text,
            "---\nschema: olm.bundle\npackage: {LONG}\nname: {LONG}.v1.{version}.0\nimage: quay.io/{LONG}/{LONG}-bundle:v1.{version}.0\n\
             relatedImages: [{{name: {LONG}, image: 'quay.io/{LONG}/{LONG}@sha256:{version:064x}'}}]\nproperties:\n\
             - {{type: olm.package, value: {{packageName: {LONG}, version: 1.{version}.0}}}}\n\
             - {{type: olm.gvk, value: {{group: {LONG}.example.com, version: v1, kind: {word}}}}}\n\
             - {{type: olm.maxOpenShiftVersion, value: '4.{minor}'}}\n\
             - {{type: olm.csv.metadata, value: {{displayName: {word}, description: {word}, provider: {{name: {word}}}, \
             annotations: {{createdAt: '2026-01-{:02}T00:00:00Z', categories: {word}}}}}}}\n",
            version % 28 + 1
        );
    }
    text
}

/// A channel with a name of sixty letters.
fn long_channel(number: usize) -> String {
    format!("{}-{number:02}", "channel".repeat(9).chars().take(57).collect::<String>())
}

/// The pages of that package.
const HOSTILE: [&str; 15] = [
    "/",
    "/packages",
    "/apis",
    "/images?q=quay.io",
    "/lint?catalog=big-v4.20",
    "/diff?a=big-v4.19&b=big-v4.20",
    "/p/LONG",
    "/p/LONG/versions",
    "/p/LONG/v/1.150.0?catalog=big-v4.20",
    "/p/LONG/c/CHANNEL?catalog=big-v4.20",
    "/p/LONG/path?from=1.0.0",
    "/p/LONG/compat",
    "/p/LONG/history",
    "/p/LONG/permissions",
    "/mirror?catalog=big-v4.20&p=LONG",
];

/// The cells of tables that are narrower than six letters, although their text is longer.
const NARROW: &str = "return [...document.querySelectorAll('td, th')].filter(it => it.checkVisibility() \
    && it.textContent.trim().length >= 6 && getComputedStyle(it).clipPath === 'none' && !it.closest('thead, caption')) \
    .filter(it => { const style = getComputedStyle(it); \
      return it.clientWidth - parseFloat(style.paddingInlineEnd) < 3 * parseFloat(style.fontSize); }) \
    .map(it => it.clientWidth + ': ' + it.textContent.trim().slice(0, 60)).slice(0, 3)";

#[test]
#[ignore = "needs Chromium"]
fn pages_of_hostile_size_break_no_words() {
    let scratch = scratch();
    let mut build = vec!["build".to_owned()];
    for minor in [18, 19, 20] {
        write(scratch.path(), &format!("{minor}.yaml"), hostile(minor));
        build.push(format!("big-v4.{minor}={minor}.yaml"));
    }
    let build: Vec<&str> = build.iter().map(String::as_str).chain(["-q", "-O", "index.db"]).collect();
    olmdex(build).in_directory(scratch.path()).answer().expect_code(0);
    let index = scratch.path().join("index.db");
    let server = Server::start(scratch.path(), &[index.to_str().unwrap(), "--catalog", "big-v4.20"]);
    let mut browser = Browser::start(scratch.path(), true);
    let mut faulty = String::new();
    for page in HOSTILE {
        let page = page.replace("LONG", LONG).replace("CHANNEL", &long_channel(0));
        for width in [1280, 375, 320] {
            browser.look(width, 900, "light");
            browser.open(&format!("http://{}{page}", server.http));
            let mut faults: Vec<String> = too_wide(&browser).into_iter().collect();
            for it in browser.run(NARROW).as_array().unwrap() {
                faults.push(format!("a cell is narrow: {it}"));
            }
            for fault in faults {
                let _ = writeln!(faulty, "{page} at {width}: {fault}");
            }
        }
    }
    let n_stops = |browser: &mut Browser, page: &str| {
        browser.open(&format!("http://{}{page}", server.http));
        browser.run("return document.querySelectorAll('a, button, input, select, summary').length").as_u64().unwrap()
    };
    let n = n_stops(&mut browser, &format!("/p/{LONG}"));
    assert!(n < 200, "{n} links and controls on the page of a package");
    assert!(faulty.is_empty(), "{faulty}");
}

/// Every kind of page, and the pictures and reports that are files.
const PAGES: [&str; 27] = [
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
    "/apis?q=kafka",
    "/lint",
    "/lint?catalog=shop-v4.19",
    "/lint?catalog=shop-v4.20&package=stream-operator",
    "/p/stream-operator/permissions",
    "/p/stream-operator/permissions?version=1.4.0&against=1.3.0",
    "/p/stream-operator/v/9.9.9",
    "/api",
    "/plan?to=4.17&date=2026-03-01",
    "/nothing",
];

/// The faults of the page that a browser shows: the objections of axe-core, and elements that are wider than the
/// window.
fn faults(browser: &Browser, axe: &str) -> Vec<String> {
    browser.run(axe);
    let found = browser.wait_for(
        "const done = arguments[arguments.length - 1]; \
         axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}) \
         .then(it => done(it.violations.map(it => it.id + ': ' + it.nodes[0].html)), it => done([String(it)]));",
    );
    let mut faults: Vec<String> =
        found.as_array().unwrap().iter().map(|it| it.as_str().unwrap_or_default().to_owned()).collect();
    faults.extend(too_wide(browser));
    faults
}

/// Whether a page can be moved sideways as a whole.
fn too_wide(browser: &Browser) -> Option<String> {
    let width = browser.run(
        "const root = document.documentElement; return root.scrollWidth > root.clientWidth ? root.scrollWidth : 0",
    );
    (width != 0).then(|| format!("the page is {width} pixels wide"))
}

/// The pages as files for html-validate, which `OLMDEX_HTML_VALIDATE` names.
fn must_be_valid(scratch: &std::path::Path, servers: &[&Server], all: &[String]) {
    let program = std::env::var("OLMDEX_HTML_VALIDATE").expect("OLMDEX_HTML_VALIDATE names the program html-validate");
    let mut files = Vec::new();
    for (number, url) in all.iter().enumerate() {
        let text = match url.strip_prefix("file://") {
            Some(path) => std::fs::read_to_string(path).unwrap(),
            None => {
                let address = url.trim_start_matches("http://");
                let mut asked = servers.iter().filter_map(|it| Some((it, address.strip_prefix(&it.http)?)));
                let (server, path) = asked.next().expect("a page of one of the servers");
                server.get(path, "").1
            }
        };
        write(scratch, &format!("valid/{number}.html"), text);
        files.push(format!("valid/{number}.html"));
    }
    // Remarks about style do not make a page invalid: long titles, and forms without a `type` of their buttons.
    let rules = r#"{"root": true, "extends": ["html-validate:standard"], "rules": {"long-title": "off", "no-implicit-button-type": "off",
        "no-trailing-whitespace": "off", "wcag/h30": "off", "prefer-native-element": "off", "text-content": "off"}}"#;
    write(scratch, ".htmlvalidate.json", rules);
    let answer = std::process::Command::new(program).args(&files).current_dir(scratch).output().unwrap();
    let said = String::from_utf8_lossy(&answer.stdout);
    assert!(
        answer.status.success(),
        "{said}\n{}",
        all.iter().enumerate().fold(String::new(), |text, (number, url)| text + &format!("{number}: {url}\n"))
    );
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
        ("channels.html", &["graph", "--catalog", "shop-v4.20", "--channel", "stable"]),
    ] {
        let answer = olmdex(args).args(["-i", "index.db", "-o", "html"]).in_directory(scratch.path()).answer();
        answer.expect_code(0);
        write(scratch.path(), name, answer.out());
    }
    olmdex(["export", "--site", "site", "index.db"]).in_directory(scratch.path()).answer().expect_code(0);
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let of_plan = ["4.16=fixtures/help/old-catalog", "4.17=fixtures/help/my-catalog"];
    let sources: Vec<String> = of_plan
        .iter()
        .map(|it| {
            let (name, path) = it.split_once('=').unwrap();
            format!("{name}={}", root.join(path).display())
        })
        .collect();
    let cluster = root.join("fixtures/help/must-gather");
    let planning = Server::start(
        scratch.path(),
        &[&sources[0], &sources[1], "--catalog", "4.16", "--cluster", cluster.to_str().unwrap()],
    );
    let (plans, others): (Vec<&str>, Vec<&str>) = PAGES.iter().partition(|it| it.starts_with("/plan"));
    let mut all: Vec<String> = others.iter().map(|it| format!("http://{}{it}", server.http)).collect();
    all.extend(plans.iter().map(|it| format!("http://{}{it}", planning.http)));
    let files = [
        "graph.html",
        "channels.html",
        "site/index.html",
        "site/packages.html",
        "site/apis.html",
        "site/p/stream-operator/index.html",
        "site/p/stream-operator/versions.html",
        "site/p/stream-operator/path.html",
    ];
    for file in files {
        all.push(format!("file://{}", scratch.path().join(file).display()));
    }
    must_be_valid(scratch.path(), &[&server, &planning], &all);
    let mut browser = Browser::start(scratch.path(), true);
    let mut faulty = String::new();
    for url in &all {
        browser.open(url);
        for width in [1280, 375, 320] {
            for scheme in ["light", "dark"] {
                browser.look(width, 900, scheme);
                for fault in faults(&browser, &axe) {
                    // Pictures scroll in a box of their own; a picture in a file has its natural width.
                    if fault.starts_with("the page is") && url.ends_with("graph.html") {
                        continue;
                    }
                    let _ = writeln!(faulty, "{url} at {width}, {scheme}: {fault}");
                }
            }
        }
    }
    assert!(faulty.is_empty(), "{faulty}");
}
