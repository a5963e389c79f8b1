//! The page /plan of a server with a cluster: the plan of the command, a form, and texts of the cluster that stay in
//! their places.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::server::Server;
use crate::support::{olmdex, scratch, write};

const CATALOGS: [&str; 2] = ["4.16=fixtures/help/old-catalog", "4.17=fixtures/help/my-catalog"];
const CLUSTER: &str = "fixtures/help/must-gather";

#[test]
fn the_page_is_the_plan_of_the_command() {
    let scratch = scratch();
    let server = Server::start(scratch.path(), &[CATALOGS[0], CATALOGS[1], "--catalog", "4.16", "--cluster", CLUSTER]);
    assert!(server.get("/", "").1.contains("href=\"/plan\""));
    let (head, page) = server.get("/plan?date=2026-03-01&to=4.17", "");
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("content-security-policy: default-src 'none'"), "{head}");
    let command = "olmdex plan --cluster fixtures/help/must-gather --to 4.17 --date 2026-03-01 -i 4.16=fixtures/help/old-catalog \
                   -i 4.17=fixtures/help/my-catalog";
    assert!(page.contains(command), "{page}");
    for wanted in [
        "Upgrade plan: OpenShift 4.16 to 4.17",
        "Blockers",
        "Needs attention",
        "<a href=\"/p/keda\">keda</a>",
        "keda",
        "maximum supported OCP version",
        "value=\"4.17\"",
    ] {
        assert!(page.contains(wanted), "{wanted}: {page}");
    }
    assert_eq!(page.matches("<h1>").count(), 1);
    assert!(!page.contains("<script>") && !page.contains('`'), "names between backticks are code");
    assert!(!page.contains("<style") && !page.contains(" style="), "the policy allows the style sheet alone");
    // The same as data, and as the command prints it.
    let plan = |more: &[&str]| {
        let fixed = [
            "plan",
            "--cluster",
            CLUSTER,
            "--to",
            "4.17",
            "-i",
            CATALOGS[0],
            "-i",
            CATALOGS[1],
            "--date",
            "2026-03-01",
        ];
        olmdex(fixed.iter().chain(&["-o", "json"]).chain(more).copied()).answer().out()
    };
    let (head, data) = server.get("/plan.json?date=2026-03-01&to=4.17", "");
    assert!(head.contains("content-type: application/json") && data == plan(&[]), "{head}\n{data}");
    let of_keda = server.get("/plan.json?date=2026-03-01&scope=keda%2Cnowhere&to=4.17", "").1;
    assert_eq!(of_keda, plan(&["--scope", "keda", "--scope", "nowhere"]));
    // The last version with a catalog, by default.
    assert!(server.get("/plan", "").1.contains("OpenShift 4.16 to 4.17"));
    assert!(server.get("/plan?to=4.18", "").1.contains("OpenShift 4.16 to 4.18"));
    // The request of a form is redirected to the one address.
    assert!(server.get("/plan?to=4.17&scope=&date=", "").0.contains("location: /plan?to=4.17\r\n"));
    // It depends on the day and the cluster, so no cache may keep it.
    let (head, _) = server.get("/plan?to=4.17", "If-None-Match: *\r\n");
    assert!(
        head.starts_with("HTTP/1.1 200") && !head.contains("etag") && head.contains("cache-control: no-cache"),
        "{head}"
    );
    for (query, words) in [
        ("to=4.16", "later version than 4.16"),
        ("to=4", "write a version as 4.18"),
        ("to=x.y", "write a version as 4.18"),
        ("date=2026-02-30", "write a date as 2026-01-31"),
        ("channel=a%20b", "write a channel as fast"),
        ("arch=%24x", "write an architecture as arm64"),
    ] {
        let (head, page) = server.get(&format!("/plan?{query}"), "");
        assert!(head.starts_with("HTTP/1.1 400") && page.contains(words), "{query}: {head}\n{page}");
    }
    // Even for a huge version, the work is that of the longest plan.
    assert!(server.get("/plan?to=4.999999", "").0.starts_with("HTTP/1.1 200"));
    for target in ["/plan", "/plan.json"] {
        assert!(server.send("GET", target, "evil.example", "").0.starts_with("HTTP/1.1 403"), "{target}");
    }
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn the_diagnosis_is_that_of_the_command() {
    let (catalog, cluster) = ("shop=fixtures/catalogs/shop-that-moves-on", "fixtures/clusters/stuck-in-many-ways.yaml");
    let scratch = scratch();
    let server = Server::start(scratch.path(), &[catalog, "--cluster", cluster]);
    // The catalog is for no version of OpenShift, so there are no plans.
    assert!(server.get("/", "").1.contains("href=\"/diagnose\"") && !server.get("/", "").1.contains("href=\"/plan\""));
    assert!(server.get("/plan", "").0.starts_with("HTTP/1.1 404"));
    let (head, page) = server.get("/diagnose", "");
    assert!(head.starts_with("HTTP/1.1 200") && !head.contains("etag"), "{head}");
    for wanted in [
        "12 of 19 operators are stuck, 1 waits for you",
        "olmdex diagnose --cluster fixtures/clusters/stuck-in-many-ways.yaml -i shop=fixtures/catalogs/shop-that-moves-on",
        "<span class=\"tag bad\">stuck</span> The ClusterServiceVersion till.v1.1.0 is Failed",
        "href=\"/diagnose?name=held\"",
        "oc -n csv-failed delete csv till.v1.1.0\n",
    ] {
        assert!(page.contains(wanted), "{wanted}: {page}");
    }
    let (head, data) = server.get("/diagnose.json?name=held&name=till", "");
    let command = ["diagnose", "held", "till", "--cluster", cluster, "-i", catalog, "-o", "json"];
    assert!(head.contains("content-type: application/json") && data == olmdex(command).answer().out(), "{data}");
    // The page of a package tells how it stands in the cluster, and that of one that the cluster lacks does not.
    let (head, page) = server.get("/p/press", "");
    assert!(!head.contains("etag") && server.get("/p/ink/versions", "").0.contains("etag"), "{head}");
    for wanted in ["In the cluster", "href=\"/diagnose?name=press\"", "href=\"/diagnose?name=held\""] {
        assert!(page.contains(wanted), "{wanted}: {page}");
    }
    assert!(!page.contains(">till<") && !server.get("/p/ink", "").1.contains("In the cluster"), "{page}");
    let (head, page) = server.get("/diagnose?name=hold", "");
    assert!(head.starts_with("HTTP/1.1 404") && page.contains("href=\"/diagnose?name=held\""), "{page}");
    assert_eq!(server.terminate(), Some(0));
}

/// OpenShift's own sources mean the catalogs that usually are theirs; nothing reassures where a catalog is not given.
#[test]
fn a_diagnosis_without_a_catalog_says_so() {
    let (cluster, other) = ("fixtures/planner/must-gather", "other=fixtures/catalogs/shop-that-moves-on");
    let page_of = |catalog: &str| {
        let directory = scratch();
        let server = Server::start(directory.path(), &[catalog, other, "--catalog", "other", "--cluster", cluster]);
        let (_, page) = server.get("/diagnose", "");
        let (_, data) = server.get("/diagnose.json", "");
        assert_eq!(server.terminate(), Some(0));
        (page, data)
    };
    let (page, data) = page_of("towns-v4.16=fixtures/planner/v4.16");
    // The page guesses no more than the command does: both say what to map.
    assert!(page.contains("--source-map openshift-marketplace/community-operators=CATALOG"), "{page}");
    let catalogs = ["-i", "towns-v4.16=fixtures/planner/v4.16", "-i", other, "-o", "json"];
    let command = [&["diagnose", "--cluster", cluster][..], &catalogs].concat();
    assert_eq!(data, olmdex(command).answer().out());
    let (page, _) = page_of("mine=fixtures/help/my-catalog");
    let words = "1 of 4 operators waits for you, 3 cannot be judged: no catalog is tied.";
    assert!(page.contains(words) && !page.contains("p to date"), "{page}");
    let missing = "No catalog is tied to the CatalogSource openshift-marketplace/community-operators";
    assert_eq!(page.matches(missing).count(), 1, "{page}");
}

#[test]
fn there_is_no_plan_without_a_cluster() {
    let directory = scratch();
    let server = Server::start(directory.path(), &[CATALOGS[0], CATALOGS[1], "--catalog", "4.16"]);
    assert!(server.get("/plan", "").0.starts_with("HTTP/1.1 404"));
    assert!(server.get("/plan.json", "").0.starts_with("HTTP/1.1 404"));
    assert!(server.get("/diagnose", "").0.starts_with("HTTP/1.1 404"));
    assert!(!server.get("/", "").1.contains("plan"));
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn texts_of_a_cluster_stay_texts() {
    let directory = scratch();
    let hostile = "\"><script>alert(1)</script><img src=x onerror=y>\\u202e";
    let text = format!(
        "{{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [
        {{\"apiVersion\": \"config.openshift.io/v1\", \"kind\": \"ClusterVersion\", \"metadata\": {{\"name\": \"version\"}},
          \"status\": {{\"desired\": {{\"version\": \"4.16.3\"}}, \"conditions\": [{{\"type\": \"Upgradeable\", \"status\": \"False\", \"reason\": {0}, \"message\": {0}}}],
            \"availableUpdates\": [{{\"version\": \"4.17.1\"}}],
            \"conditionalUpdates\": [{{\"release\": {{\"version\": \"4.17.2\"}}, \"risks\": [{{\"name\": {0}, \"url\": {0}, \"message\": {0}, \"matchingRules\": [{{\"type\": \"Always\"}}]}}]}}]}}}},
        {{\"apiVersion\": \"config.openshift.io/v1\", \"kind\": \"ClusterOperator\", \"metadata\": {{\"name\": {0}}},
          \"status\": {{\"conditions\": [{{\"type\": \"Upgradeable\", \"status\": \"False\", \"reason\": {0}, \"message\": {0}}}]}}}},
        {{\"apiVersion\": \"operators.coreos.com/v1alpha1\", \"kind\": \"ClusterServiceVersion\", \"metadata\": {{\"name\": {0}, \"namespace\": {0}}},
          \"spec\": {{\"version\": {0}}}, \"status\": {{\"phase\": \"Failed\", \"message\": {0}}}}},
        {{\"apiVersion\": \"operators.coreos.com/v1alpha1\", \"kind\": \"Subscription\", \"metadata\": {{\"name\": {0}, \"namespace\": {0}}},
          \"spec\": {{\"name\": {0}, \"channel\": {0}, \"source\": {0}, \"sourceNamespace\": {0}}}, \"status\": {{\"installedCSV\": {0}}}}}]}}",
        format!("\"{}\"", hostile.replace('"', "\\\""))
    );
    let cluster = write(directory.path(), "cluster.json", text);
    let server = Server::start(
        directory.path(),
        &[CATALOGS[0], CATALOGS[1], "--catalog", "4.16", "--cluster", cluster.to_str().unwrap()],
    );
    let (head, page) = server.get("/plan?scope=%22%3E%3Cscript%3E&to=4.17", "");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let (_, whole) = server.get("/plan?to=4.17", "");
    assert!(whole.contains("&lt;script&gt;alert(1)"), "the names are shown: {whole}");
    for page in [page, whole] {
        assert!(!page.contains("<script>") && !page.contains("<img src=x") && !page.contains('\u{202e}'), "{page}");
        // Only the last name of a path is shown.
        assert!(
            page.contains("--cluster PATH/TO/cluster.json") && !page.contains(directory.path().to_str().unwrap()),
            "{page}"
        );
    }
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn a_cluster_without_a_version_is_refused_at_the_start() {
    let directory = scratch();
    let cluster = write(directory.path(), "cluster.yaml", "apiVersion: v1\nkind: List\nitems: []\n");
    let serve =
        |more: &[&str]| olmdex(["serve", CATALOGS[0], "--http", "127.0.0.1:0"].iter().chain(more).copied()).answer();
    serve(&["--cluster", cluster.to_str().unwrap()]).expect_code(2).expect_words("holds no ClusterVersion");
    serve(&["--cluster", CLUSTER, "--to", "4.15"]).expect_code(2).expect_words("not later than 4.16");
    serve(&["--cluster", CLUSTER, "--no-pages"]).expect_code(2);
    serve(&["--to", "4.17"]).expect_code(2);
    serve(&["--cluster", CLUSTER, "--source-map", "a=nope"]).expect_code(4).expect_words("no catalog or family `nope`");
}

/// The form chooses channels and architecture; the command, the data and the form itself repeat the choice.
#[test]
fn channels_and_architecture_can_be_chosen() {
    let directory = scratch();
    let root = directory.path();
    let channel = |name: &str, versions: &str| {
        write(root, &format!("data/channels/{name}.yaml"), format!("name: {name}\nversions: [{versions}]\n"))
    };
    channel("stable-4.17", "4.16.3, 4.17.1");
    channel("fast-4.17", "4.16.3, 4.17.2, 4.17.3+arm64");
    let cluster = write(
        root,
        "cluster.yaml",
        "apiVersion: config.openshift.io/v1\nkind: ClusterVersion\nmetadata: {name: version}\nspec: {channel: fast-4.16}\n\
         status: {desired: {version: 4.16.3}}\n",
    );
    let index = root.join("index.db");
    let data = root.join("data");
    let (index, data) = (index.to_str().unwrap(), data.to_str().unwrap());
    olmdex(["build", CATALOGS[0], CATALOGS[1], "--graph-data", data, "-o", index]).answer().expect_code(0);
    let server = Server::start(root, &[index, "--catalog", "4.16", "--cluster", cluster.to_str().unwrap()]);
    let release = |query: &str| {
        let text = server.get(&format!("/plan.json?{query}"), "").1;
        let plan: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"));
        let release = plan["steps"].as_array().unwrap().iter().find_map(|it| it["release"].as_str().map(str::to_owned));
        (release.unwrap_or_default(), plan["metadata"]["channels"][0].as_str().unwrap().to_owned())
    };
    let is = |release: &str, channel: &str| (release.to_owned(), channel.to_owned());
    assert_eq!(release("to=4.17"), is("4.17.2", "fast-4.17"));
    assert_eq!(release("arch=arm64&to=4.17"), is("4.17.3", "fast-4.17"));
    assert_eq!(release("channel=stable&to=4.17"), is("4.17.1", "stable-4.17"));
    let page = server.get("/plan?arch=arm64&channel=stable&to=4.17", "").1;
    for wanted in [
        "--channel stable --arch arm64",
        "<option value=\"stable\" selected",
        "<option value=\"arm64\" selected",
        "as now (fast)",
        "as now (amd64)",
    ] {
        assert!(page.contains(wanted), "{wanted}: {page}");
    }
    assert_eq!(server.terminate(), Some(0));
}
