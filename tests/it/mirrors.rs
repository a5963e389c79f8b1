//! The images that a mirror has and lacks, and those that a configuration, a cluster or a lock stand for.
#![cfg(feature = "oci")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use crate::support::image::{CONFIGS, Layer, image, layout};
use crate::support::registry::{Registry, Response};
use crate::support::{Answer, olmdex, scratch, write};

const TILL: &str = "schema: olm.package\nname: till\n";

type Blobs = (std::collections::BTreeMap<String, Vec<u8>>, String, usize);

/// The image of a catalog.
fn packed(text: &str) -> Blobs {
    image((CONFIGS, "/configs"), &[Layer::new().file("configs/till.yaml", text).finish()])
}

/// A run in a home of its own.
fn run(home: &Path, args: &[&str]) -> Answer {
    let text = home.to_str().unwrap();
    let run = olmdex(args).in_directory(home).env("HOME", text).env("XDG_CACHE_HOME", &format!("{text}/cache"));
    let run = run.env("XDG_RUNTIME_DIR", &format!("{text}/run")).env("XDG_CONFIG_HOME", &format!("{text}/config"));
    run.env("OLMDEX_TEST_RETRY_MS", "1").env("CONTAINERS_REGISTRIES_CONF", &format!("{text}/registries.conf")).answer()
}

/// A catalog of one bundle with two images, and of another package.
fn catalog(home: &Path, image: &str, related: &str) -> String {
    let other = "\n---\n{schema: olm.package, name: gone, defaultChannel: a}\n---\n{schema: olm.channel, name: a, package: gone, entries: [{name: gone.v1}]}\n---\n{schema: olm.bundle, name: gone.v1, package: gone, image: 'quay.io/org/gone:v1', properties: [{type: olm.package, value: {packageName: gone, version: 1.0.0}}]}\n";
    let text = format!(
        "schema: olm.package\nname: till\ndefaultChannel: a\n---\nschema: olm.channel\nname: a\npackage: till\nentries: [{{name: till.v1}}]\n---\nschema: olm.bundle\nname: till.v1\npackage: till\nimage: {image}\nrelatedImages: [{{name: a, image: '{related}'}}]\nproperties: [{{type: olm.package, value: {{packageName: till, version: 1.0.0}}}}]\n"
    );
    write(home, "catalog/till.yaml", text + other).parent().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn a_registry_is_held_against_a_configuration() {
    let home = scratch();
    let registry = Registry::start();
    let digest = registry.add("m/org/till", "v1", packed(TILL));
    // The same content under other names: a signature, an unused tag, an unused repository, and one elsewhere.
    registry.add("m/org/till", &format!("{}.sig", digest.replace(':', "-")), packed("schema: a\n"));
    registry.add("m/org/till", "v0", packed("schema: b\n"));
    registry.add("m/org/gone", "v1", packed("schema: b\n"));
    registry.add("else/where", "v1", packed("schema: b\n"));
    // Others have put these beside them, such as oc-mirror.
    for name in ["openshift/release", "openshift/release-images", "openshift/graph-image", "other/team"] {
        registry.add(&format!("m/{name}"), "v1", packed("schema: b\n"));
    }
    let path = catalog(home.path(), &format!("quay.io/org/till@{digest}"), "quay.io/org/lost:v3");
    let at = format!("docker://{}/m", registry.address);
    let plan = |more: &[&str]| {
        let args = ["mirror", "plan", "-p", "till", "-i", &path, "--at", &at, "--plain-http", "--no-headers"];
        run(home.path(), &[&args[..], more].concat())
    };
    let answer = plan(&[]);
    answer.expect_code(1).expect_words("1 image present, 1 missing, 2 not needed, 4 not compared");
    let lines: Vec<String> =
        answer.out().lines().map(|it| it.split_whitespace().take(3).collect::<Vec<_>>().join(" ")).collect();
    let host = &registry.address;
    assert_eq!(
        lines,
        [
            format!("missing quay.io/org/lost:v3 {host}/m/org/lost:v3"),
            format!("unneeded {host}/m/org/gone:v1"),
            format!("unneeded {host}/m/org/till:v0"),
            format!("not-compared {host}/m/openshift/graph-image olmdex"),
            format!("not-compared {host}/m/openshift/release olmdex"),
            format!("not-compared {host}/m/openshift/release-images olmdex"),
            format!("not-compared {host}/m/other/team no"),
            format!("present quay.io/org/till@{digest} {host}/m/org/till@{digest}"),
        ]
    );
    assert!(!registry.requests().iter().any(|it| it.method == "DELETE" || it.method == "PUT"));
    registry.add("m/org/lost", "v3", packed("schema: c\n"));
    plan(&["-o", "name"]).expect_code(0).expect_words("2 images present, 0 missing");
    // Nothing of a registry without a path is unneeded but what catalogs name.
    let at = format!("docker://{}", registry.address);
    let args = ["mirror", "-p", "till", "-i", &path, "--at", &at, "--plain-http"];
    run(home.path(), &args).expect_code(1).expect_words("0 images present, 2 missing, 0 not needed, 8 not compared");
}

#[test]
fn several_configurations_fill_one_mirror() {
    let home = scratch();
    let registry = Registry::start();
    let digest = registry.add("m/org/till", "v1", packed(TILL));
    registry.add("m/org/more", "v1", packed("schema: b\n"));
    registry.add("m/org/more", "v0", packed("schema: c\n"));
    let path = catalog(home.path(), &format!("quay.io/org/till@{digest}"), &format!("quay.io/org/till@{digest}"));
    let head = "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  ";
    for (name, mirror) in [
        ("operators.yaml", "operators: [{catalog: example.com/shop:v1, packages: [{name: till}]}]\n"),
        ("more.yaml", "additionalImages: [{name: 'quay.io/org/more:v1'}]\n"),
        ("releases.yaml", "platform: {channels: [{name: stable-4.20}]}\n"),
    ] {
        write(home.path(), name, format!("{head}{mirror}"));
    }
    let at = format!("docker://{}/m", registry.address);
    let mirror = |files: &[&str]| {
        let files: Vec<&str> = files.iter().flat_map(|file| ["-c", file]).collect();
        let more = ["-i", &path, "--at", &at, "--plain-http", "-o", "csv", "--no-headers"];
        run(home.path(), &[&["mirror"], &files[..], &more].concat())
    };
    // The catalog itself is missing.
    let alone = mirror(&["operators.yaml"]);
    alone.expect_code(1).expect_words("1 image present, 1 missing, 0 not needed, 1 not compared");
    let all = mirror(&["operators.yaml", "more.yaml", "releases.yaml"]);
    all.expect_code(1).expect_words("2 images present, 1 missing, 1 not needed, 1 not compared");
    let host = &registry.address;
    all.expect_words(&format!("unneeded,,{host}/m/org/more:v0,,"));
    all.expect_words(
        "not-compared,,,,\"the configuration asks for releases of OpenShift, which olmdex does not list\"",
    );
    let words =
        "asks for no catalog and no additional image, only for what olmdex does not list: releases of OpenShift";
    mirror(&["releases.yaml"]).expect_code(1).expect_words(words);
    run(home.path(), &["filter", "-c", "operators.yaml", "-c", "more.yaml", "-i", &path])
        .expect_code(2)
        .expect_words("takes one configuration");
}

/// `-i REFERENCE=SOURCE` means the same wherever a configuration is read.
#[test]
fn each_command_takes_the_sources_of_references() {
    let home = scratch();
    let root = home.path();
    for (name, image) in [("a", "quay.io/org/till:v1"), ("b", "quay.io/org/till:v2")] {
        let path = catalog(root, image, image);
        std::fs::rename(path, root.join(name)).unwrap();
    }
    let head = "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operators:\n";
    let one = "  - {catalog: 'example.com/shop:v1', packages: [{name: till}]}\n";
    write(root, "one.yaml", format!("{head}{one}"));
    let two = "  - {catalog: 'example.com/shop:v2', packages: [{name: gone}, {name: till}]}\n";
    write(root, "two.yaml", format!("{head}{one}{two}"));
    let both = ["-q", "-i", "example.com/shop:v1=a", "-i", "example.com/shop:v2=b"];
    let expected = "quay.io/org/gone:v1\nquay.io/org/till:v1\nquay.io/org/till:v2\n";
    for words in [&["filter", "-o", "images"][..], &["images"]] {
        let answer = run(root, &[words, &["-c", "two.yaml"], &both].concat());
        assert_eq!(answer.expect_code(0).out(), expected, "{words:?}");
        let slip = run(root, &[words, &["-c", "one.yaml", "-i", "example.com/shpo:v1=a"]].concat());
        slip.expect_code(2).expect_words("the configuration has no catalog `example.com/shpo:v1`");
        let unnamed = run(root, &[words, &["-c", "two.yaml", "-i", "x=a", "-i", "y=b"]].concat());
        assert_ne!(unnamed.expect_words("-i ").code, Some(0));
    }
    let sources = ["-i", "example.com/shop:v1=a", "-i", "example.com/shop:v2=b", "-o", "name"];
    let whereis = run(root, &[&["whereis", "gone", "-c", "two.yaml"], &sources[..]].concat());
    assert_eq!(whereis.expect_code(0).out(), "shop-v1\nshop-v2\n");
    let locked = run(root, &["lock", "-c", "one.yaml", "--dry-run", "-i", "docker://example.com/shop:v1=a"]);
    locked.expect_code(0).expect_words("till.v1");
    run(root, &["lock", "-c", "one.yaml", "--dry-run", "-i", "example.com/shpo:v1=a"]).expect_code(2);
    // No format can do without a reference that it prints.
    for format in ["isc", "subscription", "catalog-source", "cluster-catalog"] {
        let answer = run(root, &["filter", "-p", "till", "-i", "a", "-o", format]);
        answer.expect_code(2).expect_words("-i REFERENCE=SOURCE");
    }
}

/// Releases, the graph and charts are in no list.
#[test]
fn a_list_says_what_it_lacks() {
    let home = scratch();
    let path = catalog(home.path(), "quay.io/org/till:v1", "quay.io/org/lost:v3");
    let head = "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n";
    let operators = "  operators: [{catalog: example.com/shop:v1, packages: [{name: till}]}]\n  additionalImages: [{name: quay.io/org/more}]\n";
    let others = "  platform: {graph: true, channels: [{name: stable-4.20}]}\n  helm: {repositories: [{name: a, url: 'https://a.example.com', charts: [{name: b}]}]}\n";
    let lacks = "releases of OpenShift, the graph of OpenShift's updates, Helm charts";
    write(home.path(), "all.yaml", format!("{head}{operators}{others}"));
    write(home.path(), "operators.yaml", format!("{head}{operators}  platform: {{graph: false}}\n  helm: {{}}\n"));
    write(home.path(), "nothing.yaml", format!("{head}{others}"));
    let filter = |format: &'static str| vec!["filter", "-o", format, "--to", "m.example.com"];
    let images = |format: &'static str| vec!["images", "-o", format, "--to", "m.example.com"];
    let comment = format!("# not listed: {lacks}\n");
    let as_comment = ["images", "mapping", "skopeo", "idms", "itms"].map(filter).into_iter();
    for words in as_comment.chain(["name", "mapping", "isc"].map(images)) {
        let run = |file| run(home.path(), &[&words[..], &["-c", file, "-i", &path, "-q"]].concat());
        let out = run("all.yaml").expect_code(0).out();
        // A loop over lines must not fail at the first.
        let is_yaml = out.starts_with('#');
        let rest = if is_yaml { out.strip_prefix(&comment) } else { out.strip_suffix(&comment) };
        let rest = rest.unwrap_or_else(|| panic!("{words:?}: {out}"));
        assert!(rest.is_empty() || is_yaml == rest.contains(":\n"), "{rest}");
        assert_eq!(run("operators.yaml").expect_code(0).out(), rest, "{words:?}");
        run("nothing.yaml").expect_code(1).expect_words(&format!("only for what olmdex does not list: {lacks}"));
    }
    for (words, told) in [
        (images("csv"), ",not listed: Helm charts,\n"),
        (images("table"), "not listed: Helm charts"),
        (images("json"), "\"notListed\": [\n      \"releases of OpenShift\","),
        (vec!["filter", "--explain"], &*format!("\nnot listed: {lacks}\n")),
        (vec!["filter", "--explain", "-o", "json"], "\"notListed\": [\n      \"releases of OpenShift\","),
    ] {
        let run = |file| run(home.path(), &[&words[..], &["-c", file, "-i", &path, "-q"]].concat());
        assert!(run("all.yaml").expect_code(0).out().contains(told), "{words:?}: {}", run("all.yaml").out());
        let whole = run("operators.yaml").expect_code(0).out();
        assert!(!whole.contains("not listed") && !whole.contains("notListed"), "{words:?}: {whole}");
        run("nothing.yaml").expect_code(1);
    }
    // An additional image has the place that the configuration gives it.
    let elsewhere =
        operators.replace("name: quay.io/org/more", "name: 'quay.io/org/more:v1', targetRepo: a/b, targetTag: z");
    write(home.path(), "elsewhere.yaml", format!("{head}{elsewhere}"));
    let mapping = [&images("mapping")[..], &["-c", "elsewhere.yaml", "-i", &path, "-q"]].concat();
    run(home.path(), &mapping).expect_code(0).expect_words("quay.io/org/more:v1=m.example.com/a/b:z\n");
    write(home.path(), "blocked.yaml", format!("{head}{operators}  blockedImages: [{{name: lost}}]\n"));
    let left = ["images", "-c", "blocked.yaml", "-i", &path, "-q"];
    assert_eq!(run(home.path(), &left).expect_code(0).out(), "quay.io/org/more\nquay.io/org/till:v1\n");
    // Both commands have the same images.
    let listed = run(home.path(), &["images", "-c", "operators.yaml", "-i", &path, "-q"]).out();
    assert_eq!(listed, "quay.io/org/lost:v3\nquay.io/org/more\nquay.io/org/till:v1\n");
    // Anything of the old state may be a part of what is not listed, so nothing can go.
    let layers = [Layer::new().file("a", "b").finish()];
    layout(&home.path().join("old"), (CONFIGS, "/configs"), &layers);
    let delta = |file| run(home.path(), &["mirror", "delta", "oci:old", file, "-i", &path]);
    delta("operators.yaml").expect_code(1).expect_words("remove");
    let held = delta("all.yaml");
    held.expect_code(1).expect_words("3 blobs of OLD").expect_words("Helm charts");
    assert!(!held.out().contains("remove "), "{}", held.out());
    delta("nothing.yaml").expect_code(1);
    // A list keeps what it said.
    let list = run(home.path(), &["images", "-c", "all.yaml", "-i", &path, "-q"]).out();
    write(home.path(), "list.txt", list);
    assert!(!delta("list.txt").expect_words("Helm charts").out().contains("remove "));
    // Only another layout takes releases away.
    let index = home.path().join("old/index.json");
    let named =
        std::fs::read_to_string(&index).unwrap().replace("\"latest\"", "\"m.example.com/x/openshift/release:4.20.0\"");
    std::fs::write(index, named).unwrap();
    assert!(!delta("operators.yaml").out().contains("remove "));
}

/// A configuration with an additional image.
fn with_additional(home: &Path, image: &str) {
    let set = "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operators: [{catalog: example.com/shop:v1, packages: [{name: till}]}]\n";
    write(home, "set.yaml", format!("{set}  additionalImages: [{{name: '{image}'}}]\n"));
}

/// skopeo refuses a source with a tag and a digest.
#[test]
fn tools_that_copy_get_no_name_with_both_a_tag_and_a_digest() {
    let home = scratch();
    let digest = format!("sha256:{}", "1".repeat(64));
    let both = format!("quay.io/org/both:v1@{digest}");
    let path = catalog(home.path(), &both, "quay.io/org/tag:v3");
    with_additional(home.path(), &format!("quay.io/org/more:v2@{digest}"));
    let lines = |args: &[&str]| -> Vec<String> {
        let answer = run(home.path(), &[args, &["-q", "-i", &path]].concat());
        answer.expect_code(0).out().lines().map(str::to_owned).collect()
    };
    let sources = |lines: Vec<String>| -> Vec<String> {
        lines.iter().map(|it| it.trim_start_matches("docker://").split('=').next().unwrap().to_owned()).collect()
    };
    let [both_by_digest, more] = ["both", "more"].map(|it| format!("quay.io/org/{it}@{digest}"));
    let tag = "quay.io/org/tag:v3".to_owned();
    let of_bundles = [both_by_digest.clone(), tag.clone()];
    assert_eq!(sources(lines(&["images", "till"])), of_bundles);
    assert_eq!(sources(lines(&["images", "till", "-o", "mapping", "--to", "m.example.com"])), of_bundles);
    let all = [both_by_digest, more, tag];
    assert_eq!(sources(lines(&["filter", "-c", "set.yaml", "-o", "images"])), all);
    assert_eq!(sources(lines(&["filter", "-c", "set.yaml", "-o", "mapping", "--to", "m.example.com"])), all);
    // A list of either form has the image.
    for known in [all[0].clone(), both] {
        write(home.path(), "old.txt", known);
        assert_eq!(lines(&["images", "till", "--old", "old.txt"]), [all[2].clone()]);
    }
}

/// Runs skopeo against registries without TLS.
fn skopeo(args: &[&str]) {
    let mut skopeo = std::process::Command::new("skopeo");
    let args = [args, &["--dest-tls-verify=false", "--insecure-policy"]].concat();
    let done = skopeo.args(&args).output().unwrap();
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

#[test]
#[ignore = "needs skopeo"]
fn each_line_of_a_list_can_be_copied() {
    let home = scratch();
    let from = Registry::start();
    let both = from.add("src/op", "v1", packed(TILL));
    let digest = from.add("src/operand", "v1", packed("schema: b\n"));
    let more = from.add("src/more", "v1", packed("schema: c\n"));
    let host = &from.address;
    let path = catalog(home.path(), &format!("{host}/src/op:v1@{both}"), &format!("{host}/src/operand@{digest}"));
    with_additional(home.path(), &format!("{host}/src/more:v1@{more}"));
    let to = Registry::start();
    let target = format!("{}/mirror", to.address);
    let list = |format: &str| {
        let args = ["filter", "-c", "set.yaml", "-q", "-i", &path, "-o", format, "--to", &target];
        run(home.path(), &args).expect_code(0).out()
    };
    let mapping = list("mapping");
    assert_eq!(mapping.lines().count(), 3, "{mapping}");
    for line in mapping.lines() {
        let (source, mirror) = line.split_once('=').unwrap();
        skopeo(&["copy", "--src-tls-verify=false", source, mirror]);
    }
    for reference in list("images").lines() {
        let layout = format!("oci:{}", home.path().join(reference.replace(['/', ':', '@'], "-")).display());
        skopeo(&["copy", "--src-tls-verify=false", &format!("docker://{reference}"), &layout]);
    }
    let sync = write(home.path(), "sync.yaml", list("skopeo").replace("tls-verify: true", "tls-verify: false"));
    skopeo(&["sync", "--src", "yaml", "--dest", "docker", sync.to_str().unwrap(), &format!("{}/sync", to.address)]);
    let content = to.content.lock().unwrap();
    for name in ["mirror/src/op/v1", "mirror/src/more/v1", &*format!("sync/more/{more}")] {
        assert!(content.manifests.contains_key(name), "{name}: {:?}", content.manifests.keys());
    }
}

#[test]
fn lists_that_lie_end() {
    let home = scratch();
    let path = catalog(home.path(), "quay.io/org/till:v1", "quay.io/org/till:v1");
    for (link, wanted) in [
        // A link to the same page without end, and a link to another host.
        ("</v2/_catalog?n=1000>; rel=\"next\"", "1 missing"),
        ("<http://127.0.0.1:1/v2/_catalog?last=a>; rel=\"next\"", "1 missing"),
    ] {
        let registry = Registry::start_with(move |request, _| {
            let is_list = request.target.starts_with("/v2/_catalog");
            let again = request.target.contains("last=a");
            let names = if again { "[]" } else { "[\"a\"]" };
            let page = Response::of(200, format!("{{\"repositories\": {names}}}")).with("link", link);
            Some(if is_list { page } else { Response::of(404, "") })
        });
        let at = format!("docker://{}", registry.address);
        let args = ["mirror", "plan", "-p", "till", "-i", &path, "--at", &at, "--plain-http"];
        run(home.path(), &args).expect_code(1).expect_words(wanted);
    }
    let refuses = Registry::start_with(|request, _| {
        Some(Response::of(if request.target.contains("_catalog") { 405 } else { 404 }, ""))
    });
    let at = format!("docker://{}", refuses.address);
    let args = ["mirror", "plan", "-p", "till", "-i", &path, "--at", &at, "--plain-http"];
    run(home.path(), &args).expect_code(3).expect_words("cannot list");
}

#[test]
fn a_layout_is_held_against_a_configuration() {
    let home = scratch();
    let layers = [Layer::new().file("configs/till.yaml", TILL).finish()];
    layout(&home.path().join("layout"), (CONFIGS, "/configs"), &layers);
    let digest = image((CONFIGS, "/configs"), &layers).1;
    let path = catalog(home.path(), &format!("quay.io/org/till@{digest}"), "quay.io/org/lost:v3");
    let at = format!("oci:{}", home.path().join("layout").display());
    let args = ["mirror", "plan", "-p", "till", "-i", &path, "--at", &at];
    run(home.path(), &args).expect_code(1).expect_words("1 image present, 1 missing, 0 not needed");
    catalog(home.path(), "quay.io/org/lost:v3", "quay.io/org/lost:v3");
    run(home.path(), &args).expect_code(1).expect_words("0 images present, 1 missing, 1 not needed");
    for (at, words) in
        [("nowhere", "is not a mirror"), ("oci:nowhere", "cannot read"), ("docker://plain", "does not name a registry")]
    {
        let args = ["mirror", "plan", "-p", "till", "-i", &path, "--at", at];
        let code = if at.starts_with("oci:") { 3 } else { 2 };
        run(home.path(), &args).expect_code(code).expect_words(words);
    }
}

#[test]
fn images_of_configurations_and_clusters_and_what_is_new_of_them() {
    let home = scratch();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/shop/in");
    let images = |args: &[&str]| run(home.path(), &[&["images", "-q", "-i", root][..], args].concat());
    let set = "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operators:\n  - catalog: example.com/shop:v1\n    packages: [{name: till}]\n";
    write(home.path(), "set.yaml", set);
    let of_set = images(&["-c", "set.yaml"]).expect_code(0).out();
    // The head of each channel.
    assert_eq!(of_set, images(&["till/stable", "till/candidate"]).expect_code(0).out());
    write(home.path(), "typo.yaml", set.replace("till", "tilll"));
    images(&["-c", "typo.yaml"]).expect_code(1).expect_words("has no package `tilll`");
    let csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: till.v1.0.0, namespace: shop}\nspec: {version: 1.0.0}\n";
    write(home.path(), "cluster.yaml", csv);
    let of_cluster = images(&["--cluster", "cluster.yaml"]).expect_code(0).out();
    assert_eq!(of_cluster, images(&["till@1.0.0"]).expect_code(0).out());
    write(home.path(), "gone.yaml", csv.replace("till.v1.0.0", "gone.v1.0.0"));
    images(&["--cluster", "gone.yaml"]).expect_code(4).expect_words("no catalog has the installed `gone.v1.0.0`");
    // A list, a lock with digests, a lock with lists, and a catalog.
    write(home.path(), "list.txt", of_cluster.clone());
    run(home.path(), &["lock", "till@1.0.0", "-i", root, "--lock-file", "digests.lock"]).expect_code(0);
    run(home.path(), &["lock", "till@1.0.0", "-i", root, "--lock-file", "lists.lock", "--list-images"]).expect_code(0);
    let new: String = images(&["till@1.1.0"])
        .out()
        .lines()
        .filter(|it| !of_cluster.contains(it))
        .map(|it| format!("{it}\n"))
        .collect();
    for old in ["list.txt", "digests.lock", "lists.lock"] {
        assert_eq!(images(&["till@1.1.0", "--since", old]).expect_code(0).out(), new, "{old}");
    }
    assert_eq!(images(&["till@1.1.0", "--since", root]).expect_code(0).out(), "");
    images(&["till", "--since", "nowhere"]).expect_code(3);
}

/// The manifest that a tag stands for decides, and only the mirror knows it.
#[test]
fn a_registry_tells_what_a_deletion_takes_along() {
    let home = scratch();
    let registry = Registry::start();
    for (tag, text) in [("v1", "schema: a\n"), ("v2", "schema: a\n"), ("v3", "schema: b\n")] {
        registry.add("m/org/till", tag, packed(text));
    }
    let head = |kind: &str| format!("kind: {kind}\napiVersion: mirror.openshift.io/v2alpha1\n");
    let images = |tags: &[&str]| {
        let images: Vec<String> = tags.iter().map(|tag| format!("{{name: 'quay.io/org/till:{tag}'}}")).collect();
        format!(": {{additionalImages: [{}]}}\n", images.join(", "))
    };
    let delete = head("DeleteImageSetConfiguration") + "delete" + &images(&["v1", "v3", "v4"]);
    write(home.path(), "delete.yaml", delete);
    write(home.path(), "keep.yaml", head("ImageSetConfiguration") + "mirror" + &images(&["v2"]));
    let at = format!("docker://{}/m", registry.address);
    let args = ["mirror", "delete", "-c", "delete.yaml", "-c", "keep.yaml", "-o", "csv", "--no-headers"];
    let unasked = run(home.path(), &args);
    assert_eq!(unasked.expect_code(1).out().matches("maybe-needed").count(), 3);
    let answer = run(home.path(), &[&args[..], &["--at", &at, "--plain-http"]].concat());
    let host = &registry.address;
    answer.expect_code(1).expect_words("1 image to delete, 1 still needed, 1 absent");
    answer.expect_words(&format!("still-needed,quay.io/org/till:v1,{host}/m/org/till:v1,"));
    answer.expect_words("needed by keep.yaml");
    answer.expect_words(&format!("deletable,quay.io/org/till:v3,{host}/m/org/till:v3,"));
    answer.expect_words(&format!("absent,quay.io/org/till:v4,{host}/m/org/till:v4,"));
    assert!(!registry.requests().iter().any(|it| it.method == "DELETE" || it.method == "PUT"));
    // An unreachable mirror tells nothing.
    let nobody = ["--at", "docker://127.0.0.1:1/m", "--plain-http"];
    let answer = run(home.path(), &[&args[..], &nobody].concat());
    assert_eq!(answer.expect_code(1).out().matches("maybe-needed").count(), 3);
}
