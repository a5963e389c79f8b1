//! Drawings and checks of upgrade graphs, as users see them.

use std::fmt::Write as _;

use crate::support::{olmdex, scratch, write};

/// A package `p` with a chain of `n` entries in one channel. Each minor version in `twice` is followed by an entry of
/// the same precedence, which skips the one before.
fn chain(n: usize, twice: &[usize]) -> String {
    let (mut entries, mut bundles) = (String::new(), String::new());
    let mut add = |name: &str, version: &str, fields: &str| {
        let _ = writeln!(entries, "- name: {name}\n{fields}");
        let _ = write!(
            bundles,
            "---\nschema: olm.bundle\npackage: p\nname: {name}\nimage: example.com/p:1\nproperties:\n- type: olm.package\n  \
             value: {{packageName: p, version: {version}}}\n"
        );
    };
    let mut before = None;
    for minor in 0..n {
        let name = format!("p.v2.{minor}.0");
        let replaces = before.map(|it| format!("  replaces: {it}")).unwrap_or_default();
        add(&name, &format!("2.{minor}.0"), &replaces);
        before = Some(if twice.contains(&minor) {
            let twin = format!("{name}-b");
            add(&twin, &format!("2.{minor}.0+b"), &format!("{replaces}\n  skips: [{name}]"));
            twin
        } else {
            name
        });
    }
    format!(
        "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n{entries}{bundles}"
    )
}

// B11: opm sorts with Go's unstable sort, whose order of equal elements depends on the length of the list.
#[test]
fn entries_of_equal_precedence_stand_in_the_order_of_opm() {
    for (n, twice, expected, classes) in [
        (8, [3, 6], ["p.v2.6.0 p.v2.6.0-b", "p.v2.3.0 p.v2.3.0-b"], vec![]),
        (14, [3, 9], ["p.v2.9.0-b p.v2.9.0", "p.v2.3.0-b p.v2.3.0"], vec!["class p-c-p.v2.3.0,p-c-p.v2.9.0 skipped"]),
    ] {
        let directory = scratch();
        let file = write(directory.path(), "catalog.yaml", chain(n, &twice));
        let nodes = |more: &[&str]| {
            let answer = olmdex(["graph", "p", "-i"]).arg(&file).args(more).answer();
            answer.expect_code(0);
            answer.out()
        };
        let plain = nodes(&[]);
        let order: Vec<&str> = plain
            .lines()
            .filter_map(|it| it.trim().strip_prefix("p-c-")?.split_once('[')?.1.strip_suffix("\"]"))
            .collect();
        let order: Vec<&str> = order.into_iter().filter(|it| !it.contains("--")).map(|it| &it[1..]).collect();
        let of_twins: Vec<&str> =
            order.iter().copied().filter(|it| twice.iter().any(|minor| it.contains(&format!(".{minor}.0")))).collect();
        assert_eq!(of_twins.join(" "), expected.join(" "), "{n} entries:\n{plain}");
        let semantics = nodes(&["--draw-v0-semantics"]);
        // The order decides which of the two is marked.
        let marked: Vec<&str> = semantics.lines().filter(|it| it.trim().starts_with("class ")).collect();
        assert_eq!(marked.iter().map(|it| it.trim()).collect::<Vec<_>>(), classes, "{n} entries:\n{semantics}");
    }
}

/// A package `foo` with one channel of these entries, and bundles of these names and versions; without a version, a
/// bundle has no `olm.package`.
fn package(entries: &str, bundles: &[(&str, Option<&str>)]) -> String {
    let mut text = format!(
        "schema: olm.package\nname: foo\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: foo\nname: stable\n\
         entries:\n{entries}"
    );
    for (name, version) in bundles {
        let _ = write!(text, "---\nschema: olm.bundle\npackage: foo\nname: {name}\nimage: example.com/foo:1\n");
        if let Some(version) = version {
            let _ =
                write!(text, "properties:\n- type: olm.package\n  value: {{packageName: foo, version: {version}}}\n");
        }
    }
    text
}

// B16: the real tool says "several packages" if there is none.
#[test]
fn a_bundle_without_a_package_has_none_and_not_several() {
    let directory = scratch();
    let file = write(directory.path(), "catalog.yaml", package("- name: foo.v1.0.0\n", &[("foo.v1.0.0", None)]));
    let answer = olmdex(["graph", "-i"]).arg(&file).answer();
    answer.expect_code(3).expect_words("bundle `foo.v1.0.0` has no `olm.package` property");
    let answer = olmdex(["graph", "--compat", "opm", "-i"]).arg(&file).answer();
    answer
        .expect_code(1)
        .expect_words("bundle \"foo.v1.0.0\" has multiple \"olm.package\" properties, expected exactly 1");
}

// B16: an older head that skips a newer entry does not help that entry if it replaces itself.
#[test]
fn an_older_head_is_never_told_to_skip_a_newer_entry() {
    let directory = scratch();
    let text = package(
        "- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v2.0.0\n",
        &[("foo.v1.0.0", Some("1.0.0")), ("foo.v2.0.0", Some("2.0.0"))],
    );
    let file = write(directory.path(), "catalog.yaml", text);
    let answer = olmdex(["check-graph", "foo", "-i"]).arg(&file).answer();
    answer.expect_code(1).expect_words("take foo.v2.0.0 out of its own replaces and skips");
    assert!(!answer.both().contains("to the skips of foo.v1.0.0"), "{}", answer.both());
}

// B16: a catalog that `validate` refuses has no good graph.
#[test]
fn an_invalid_catalog_fails_the_check_of_its_graph() {
    let cases = [
        ("- name: foo.v1.0.0\n  skipRange: no range\n", Some("1.0.0")),
        ("- name: foo.v1.0.0\n- name: foo.v0.9.0\n", Some("1.0.0")),
        ("- name: foo.v1.0.0\n", None),
    ];
    for (entries, version) in cases {
        let directory = scratch();
        let file = write(directory.path(), "catalog.yaml", package(entries, &[("foo.v1.0.0", version)]));
        let answer = olmdex(["check-graph", "-i"]).arg(&file).answer();
        answer.expect_code(1).expect_words("error[E");
    }
}

// B12: opm lists the packages of `olm.package`; other documents may name packages that the catalog does not have.
#[test]
fn packages_without_a_document_of_their_own_are_not_listed_as_opm_lists_them() {
    let directory = scratch();
    let text = package("- name: foo.v1.0.0\n", &[("foo.v1.0.0", Some("1.0.0"))]);
    write(directory.path(), "catalog.yaml", text);
    write(directory.path(), "other.yaml", "schema: example.com/note\npackage: elsewhere\n");
    let answer = olmdex(["list", "packages", "--compat", "opm", "-i"]).arg(directory.path()).answer();
    answer.expect_code(0).expect_words("foo");
    assert!(!answer.out().contains("elsewhere"), "{}", answer.both());
}

/// The fields of a channel's entry, by its number from the lowest version on.
type Entries = fn(usize) -> String;

/// Shapes of channels.
const SHAPES: [(&str, Entries); 8] = [
    ("chain", |at| replaces(at, 1)),
    ("range", |at| replaces(at, 1) + &format!(",\"skipRange\":\">=1.0.0 <{}\"", version(at))),
    ("z-stream", z_stream),
    ("skips that grow", |at| replaces(at, 1) + &skips(at.saturating_sub(40)..at)),
    ("window", |at| {
        replaces(at, 1) + &format!(",\"skipRange\":\">={} <{}\"", version(at.saturating_sub(7)), version(at))
    }),
    ("mixed", |at| if at / 300 % 2 == 0 { z_stream(at) } else { replaces(at, 1) }),
    ("several heads", |at| replaces(at, 1 + at % 3)),
    ("only heads", |_| String::new()),
];

/// The version of the entry `at`: ten patch releases in each of thirty minor versions.
fn version(at: usize) -> String {
    format!("{}.{}.{}", 1 + at / 300, at / 10 % 30, at % 10)
}

fn replaces(at: usize, below: usize) -> String {
    at.checked_sub(below).map(|it| format!(",\"replaces\":\"p.v{}\"", version(it))).unwrap_or_default()
}

fn skips(all: std::ops::Range<usize>) -> String {
    let names: Vec<String> = all.map(|it| format!("\"p.v{}\"", version(it))).collect();
    format!(",\"skips\":[{}]", names.join(","))
}

fn z_stream(at: usize) -> String {
    let first = at / 10 * 10;
    replaces(first, 1) + &if at % 10 == 9 { skips(first..at) } else { String::new() }
}

/// A package `p` with channels, each of so many entries with fields.
fn channels(all: &[(String, usize, Entries)]) -> String {
    let default = &all[0].0;
    let mut text = format!("{{\"schema\":\"olm.package\",\"name\":\"p\",\"defaultChannel\":\"{default}\"}}\n");
    for (name, n, fields) in all {
        let entries: Vec<String> =
            (0..*n).map(|at| format!("{{\"name\":\"p.v{}\"{}}}", version(at), fields(at))).collect();
        let entries = entries.join(",");
        let _ = writeln!(
            text,
            "{{\"schema\":\"olm.channel\",\"package\":\"p\",\"name\":\"{name}\",\"entries\":[{entries}]}}"
        );
    }
    for at in 0..all.iter().map(|it| it.1).max().unwrap_or(0) {
        let version = version(at);
        let _ = writeln!(
            text,
            "{{\"schema\":\"olm.bundle\",\"package\":\"p\",\"name\":\"p.v{version}\",\"image\":\"example.com/p:1\",\
             \"properties\":[{{\"type\":\"olm.package\",\"value\":{{\"packageName\":\"p\",\"version\":\"{version}\"}}}}]}}"
        );
    }
    text
}

/// Width and height of a picture.
fn size(svg: &str) -> (usize, usize) {
    let number = |name: &str| -> usize {
        let rest = &svg[svg.find(name).unwrap() + name.len()..];
        rest[..rest.find('"').unwrap()].parse().unwrap()
    };
    (number("width=\""), number("height=\""))
}

/// Fails unless a text is XML with regard to elements, quotes and characters.
fn expect_xml(text: &str) {
    let mut open = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        assert!(!before.contains(|c: char| c.is_control() && c != '\n' || matches!(c, '\u{FFFE}' | '\u{FFFF}')));
        let (tag, after) = after.split_once('>').unwrap();
        assert!(tag.matches('"').count() % 2 == 0 && !tag.contains('<'), "<{tag}>");
        rest = after;
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{before}"),
            None if !tag.ends_with('/') => open.push(tag.split(' ').next().unwrap()),
            None => {}
        }
        for entity in before.split('&').skip(1) {
            assert!(["amp;", "lt;", "gt;", "quot;"].iter().any(|it| entity.starts_with(it)), "&{entity}");
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

/// How many versions a picture shows, each in a line or counted in a line.
fn n_shown(svg: &str) -> usize {
    let lines = svg.split("<g class=\"row\"").skip(1).map(|it| {
        let it = &it[..it.find("</g>").unwrap()];
        let label = it.split("class=\"hint\"").nth(1).filter(|_| it.contains("class=\"folded\""));
        let words = label.map(|it| &it[it.find('>').unwrap() + 1..it.find(" more").unwrap()]);
        words.map_or(1, |it| it.parse().unwrap())
    });
    lines.sum()
}

// D9: three hundred entries of a z-stream once took ten thousand pixels.
#[test]
fn a_channel_of_any_length_is_a_picture_to_look_at() {
    for (shape, fields) in SHAPES {
        for n in [3, 30, 300, 3000] {
            let directory = scratch();
            let file = write(directory.path(), "c.json", channels(&[("c".to_owned(), n, fields)]));
            let run = |args: &[&str]| {
                let answer = olmdex(["graph", "p", "-i"]).arg(&file).args(args).answer();
                answer.expect_code(0);
                answer.out()
            };
            let svg = run(&["-o", "svg"]);
            let (width, height) = size(&svg);
            assert!(height < 2000 && width < 1800, "{shape} of {n}: {width}x{height}");
            assert!(svg.len() < 200_000, "{shape} of {n}: {} bytes", svg.len());
            expect_xml(&svg);
            assert_eq!(n_shown(&svg), n, "{shape}: each entry has a row or is counted in one");
            let head = version(n - 1);
            assert!(svg.contains(&format!(">{head}</text>")), "{shape}: the head {head}");
            assert_eq!(svg.contains("of them folded"), svg.contains("--every-entry"), "{shape} of {n}");
            if n < 3000 {
                let page = run(&["-o", "html"]);
                for at in 0..n {
                    assert!(page.contains(&format!("p.v{}<", version(at))), "{shape}: {}", version(at));
                }
                let every = run(&["-o", "svg", "--every-entry"]);
                assert_eq!(every.matches("class=\"version").count(), n, "{shape}");
            }
        }
    }
}

#[test]
fn text_of_several_channels_is_a_map() {
    let chain = |at: usize| match at {
        0 => "{name: p.v0}".to_owned(),
        _ => format!("{{name: p.v{at}, replaces: p.v{}}}", at - 1),
    };
    let mut text = "schema: olm.package\nname: p\ndefaultChannel: new\n".to_owned();
    for (channel, versions) in [("new", 2..4), ("old", 0..2), ("older", 0..1)] {
        let first = versions.start;
        let entries = versions.map(|at| if at == first { format!("{{name: p.v{at}}}") } else { chain(at) });
        let entries = entries.collect::<Vec<_>>().join(", ");
        text += &format!("---\nschema: olm.channel\npackage: p\nname: {channel}\nentries: [{entries}]\n");
    }
    for at in 0..4 {
        text += &format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{at}\nimage: i:{at}\nproperties: [{{type: olm.package, value: {{packageName: p, version: {at}.0.0}}}}]\n"
        );
    }
    let directory = scratch();
    let file = write(directory.path(), "c.yaml", text);
    let answer = olmdex(["graph", "p", "-o", "text", "-i"]).arg(&file).answer();
    answer.expect_code(0);
    let out = answer.out();
    let picture: Vec<&str> = out.lines().skip(3).collect();
    assert_eq!(
        picture,
        [
            "",
            "  CHANNEL              0.0           1.0           2.0           3.0",
            "  new (default)                                     ━━━━━━━━━━━━━━◆ 3.0.0",
            "  old                   ━━━━━━━━━━━━━━✕ 1.0.0",
            "  older                 ✕ 0.0.0",
            "",
            "Can they get to 3.0.0, with a change of channel if need be?",
            "  ✓          2  2.0.0 to 3.0.0",
            "  ✕          2  0.0.0 to 1.0.0",
            ""
        ],
        "{}",
        answer.out()
    );
}

#[test]
fn channels_stand_in_the_order_of_their_heads_and_the_default_one_is_named() {
    let all: Vec<(String, usize, Entries)> =
        (1..=20).map(|minor| (format!("stable-1.{minor}"), minor * 10, z_stream as fn(usize) -> String)).collect();
    let directory = scratch();
    let file = write(directory.path(), "c.json", channels(&all));
    for (format, marked) in [
        ("svg", "stable-1.1 \u{b7} default"),
        ("html", "stable-1.1 \u{b7} default"),
        ("text", "p/stable-1.1 (default)\n"),
        ("dot", "label=\"p/stable-1.1 (default)\";"),
    ] {
        // Otherwise the channels with the lowest heads share a line.
        let every: &[&str] = if format == "dot" { &[] } else { &["--every-entry"] };
        let answer = olmdex(["graph", "p", "-o", format]).args(every).arg("-i").arg(&file).answer();
        answer.expect_code(0);
        let out = answer.out();
        assert!(out.contains(marked), "{format}");
        let is_picture = matches!(format, "svg" | "html");
        let places: Vec<usize> = (1..=20)
            .map(|minor| {
                let name = format!("{}stable-1.{minor}", if is_picture { ">" } else { "p/" });
                let found = ["<", "\n", "\"", " (default)", " \u{b7} default"];
                let found = found.iter().find_map(|end| out.find(&format!("{name}{end}")));
                found.unwrap_or_else(|| panic!("{name} in {format}"))
            })
            .collect();
        if is_picture {
            assert!(places.is_sorted_by(|a, b| a > b), "{format}: {places:?}");
        } else {
            let (default, others) = places.split_first().unwrap();
            assert!(others.is_sorted_by(|a, b| a > b), "{format}: {places:?}");
            assert!(others.iter().all(|it| default < it), "{format}: the default channel is not the first: {places:?}");
        }
        if format == "svg" {
            let folded = olmdex(["graph", "p", "-o", format, "-i"]).arg(&file).answer().out();
            let (width, height) = size(&folded);
            assert!(height < 600 && width <= 900, "{width}x{height}");
            assert!(folded.contains(marked) && folded.contains("7 more channels"), "{folded}");
        }
    }
}

/// The heights of a picture's gaps, as the number of versions above each.
fn gaps(svg: &str) -> Vec<usize> {
    let mut n_above = 0;
    let mut gaps = Vec::new();
    // Gaps are at the lower edge of a row of their strip; the one in the legend is short.
    for strip in svg.split("<g transform=").skip(1) {
        for gap in strip.split("class=\"gap\" d=\"M").skip(1).filter(|it| !it[..it.find('"').unwrap()].contains('h')) {
            let y: usize = gap.split([' ', 'H']).nth(1).unwrap().parse().unwrap();
            gaps.push(n_above + (y + 1) / 24);
        }
        n_above += strip.matches("<g class=\"row\"").count();
    }
    gaps
}

/// A channel's name, and name and fields of its entries.
type Listed<'l> = (&'l str, &'l [(&'l str, &'l str)]);

// A gap is a place that no upgrade of any channel crosses, not even after a change of channels.
#[test]
fn gaps_are_where_no_upgrade_crosses() {
    let cases: [(&str, &[Listed<'_>], &[usize]); 5] = [
        ("a chain", &[("a", &[("2.0.0", "replaces: p.v1.0.0"), ("1.0.0", "")])], &[]),
        ("two heads", &[("a", &[("2.0.0", ""), ("1.0.0", "")])], &[1]),
        ("two channels", &[("a", &[("2.0.0", "")]), ("b", &[("1.1.0", "replaces: p.v1.0.0"), ("1.0.0", "")])], &[1]),
        ("a range over the other channel", &[("a", &[("2.0.0", "skipRange: '<2.0.0'")]), ("b", &[("1.0.0", "")])], &[]),
        ("a name of the other channel", &[("a", &[("2.0.0", "replaces: p.v1.0.0")]), ("b", &[("1.0.0", "")])], &[]),
    ];
    for (case, channels, expected) in cases {
        let mut text = format!("schema: olm.package\nname: p\ndefaultChannel: {}\n", channels[0].0);
        for (name, entries) in channels {
            let _ = write!(text, "---\nschema: olm.channel\npackage: p\nname: {name}\nentries:\n");
            for (version, field) in *entries {
                let _ = write!(text, "- name: p.v{version}\n  {field}\n");
            }
        }
        for (_, entries) in channels {
            for (version, _) in *entries {
                let _ = write!(
                    text,
                    "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: example.com/p:1\nproperties:\n\
                     - type: olm.package\n  value: {{packageName: p, version: {version}}}\n"
                );
            }
        }
        let directory = scratch();
        let file = write(directory.path(), "c.yaml", text);
        let answer = olmdex(["graph", "p", "-o", "svg", "-i"]).arg(&file).answer();
        answer.expect_code(0);
        let out = answer.out();
        match channels {
            [_] => assert_eq!(gaps(&out), expected, "{case}"),
            // A map has a strip of the versions that get no further.
            _ => assert_eq!(out.matches("\"run cannot\"").count(), expected.len(), "{case}"),
        }
    }
}

/// A catalog of so many packages.
fn packages(n: usize) -> String {
    let mut text = String::new();
    for at in 0..n {
        let name = format!("operator-{at}");
        let _ = writeln!(
            text,
            "schema: olm.package\nname: {name}\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: {name}\n\
             name: stable\nentries:\n- name: {name}.v1.{at}.0\n---\nschema: olm.bundle\npackage: {name}\n\
             name: {name}.v1.{at}.0\nimage: example.com/p:1\nproperties:\n- type: olm.package\n  \
             value: {{packageName: {name}, version: 1.{at}.0}}\n---"
        );
    }
    text
}

#[test]
fn a_picture_is_of_one_package_and_other_formats_draw_whole_catalogs() {
    let directory = scratch();
    let one = write(directory.path(), "one.yaml", packages(1));
    let three = write(directory.path(), "three.yaml", packages(3));
    let run = |file: &std::path::Path, args: &[&str]| olmdex(["graph", "-i"]).arg(file).args(args).answer();
    for args in [&["-o", "svg"][..], &["-o", "html"], &["-o", "table"], &["-o", "svg", "--every-entry"]] {
        let answer = run(&three, args);
        answer.expect_code(2).expect_words("a picture shows named packages only; the catalog has 3 packages");
        assert_eq!(answer.out(), "", "{args:?}");
        let answer = run(&one, args);
        answer.expect_code(0);
        assert!(answer.out().contains("operator-0.v1.0.0"), "{args:?}");
        // A channel is a choice, too.
        let channel = [args, &["--channel", "stable"]].concat();
        let answer = run(&three, &channel);
        answer.expect_code(0);
        assert!((0..3).all(|at| answer.out().contains(&format!("operator-{at}.v1.{at}.0"))), "{args:?}");
    }
    for args in [&["-o", "mermaid"][..], &["-o", "dot"], &["-o", "json"], &["-o", "table", "--every-entry"]] {
        let answer = run(&three, args);
        answer.expect_code(0);
        assert!((0..3).all(|at| answer.out().contains(&format!("operator-{at}.v1.{at}.0"))), "{args:?}");
    }
}

#[test]
fn hostile_names_break_no_picture() {
    let names = [
        "<svg onload=alert(1)>&amp;\"'".to_owned(),
        "\u{1b}[31mred\u{202e}".to_owned(),
        "x".repeat(300),
        "📈🚀 ".repeat(40),
        "مشغل قاعدة البيانات".to_owned(),
        "]]>\u{ffff}-->\n".to_owned(),
    ];
    let directory = scratch();
    for (at, name) in names.iter().enumerate() {
        let entries: Vec<serde_json::Value> = names.iter().map(|entry| serde_json::json!({"name": entry})).collect();
        let mut blobs = vec![
            serde_json::json!({"schema": "olm.package", "name": name, "defaultChannel": name}),
            serde_json::json!({"schema": "olm.channel", "package": name, "name": name, "entries": entries}),
        ];
        for (at, entry) in names.iter().enumerate() {
            let properties = serde_json::json!([
                {"type": "olm.package", "value": {"packageName": name, "version": format!("1.{at}.0")}}
            ]);
            blobs.push(serde_json::json!({"schema": "olm.bundle", "package": name, "name": entry,
                "image": "example.com/p:1", "properties": properties}));
        }
        let text = blobs.iter().map(|blob| format!("{blob}\n")).collect::<String>();
        let file = write(directory.path(), &format!("{at}.json"), text);
        for args in [&["-o", "svg"][..], &["-o", "svg", "--every-entry"], &["-o", "html"], &["-o", "text"]] {
            let answer = olmdex(["graph", "-i"]).arg(&file).args(args).answer();
            answer.expect_code(0);
            let out = answer.out();
            assert!(!out.contains("<svg onload") || args[1] == "text", "{args:?}");
            assert!(!out.contains(['\u{1b}', '\u{202e}']), "{args:?}");
            if args[1] == "svg" {
                expect_xml(&out);
                assert!(size(&out).0 <= 1800, "{args:?}: {:?}", size(&out));
                // The drawing shows a part, and the pointer the whole text.
                let drawn =
                    out.split("<text").skip(1).filter_map(|it| it.split_once('>')?.1.split_once('<')).map(|it| it.0);
                assert!(drawn.map(|it| it.chars().count()).max() < Some(130), "{args:?}");
                assert!(out.contains(&names[2]), "{args:?}");
            }
        }
    }
}
