//! The report of a plan, and plans of clusters that are large, broken or contradictory.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use crate::support::{olmdex, scratch, write};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");

fn plan(cluster: &Path, more: &[&str]) -> crate::support::Answer {
    let old = format!("4.16={FIXTURES}/help/old-catalog");
    let new = format!("4.17={FIXTURES}/help/my-catalog");
    let cluster = cluster.to_str().unwrap();
    let fixed = ["plan", "--cluster", cluster, "--to", "4.17", "-i", &old, "-i", &new, "--date", "2026-03-01"];
    olmdex(fixed.iter().chain(more).copied()).answer()
}

/// A page without the content of its only element of a name.
fn without(page: &str, element: &str) -> String {
    let (start, end) = (format!("<{element}>"), format!("</{element}>"));
    assert_eq!((page.matches(&start).count(), page.matches(&end).count()), (1, 1), "{element}");
    let (before, rest) = page.split_once(&start).unwrap();
    format!("{before}{start}{end}{}", rest.split_once(&end).unwrap().1)
}

/// Whether the tags of a page are balanced and no two elements have one id. Only this program's output must be
/// understood.
fn expect_well_formed(page: &str) {
    const VOID: &[&str] = &["meta", "br", "hr", "!DOCTYPE"];
    let (mut open, mut ids) = (Vec::new(), std::collections::BTreeSet::new());
    let page = without(&without(page, "style"), "script");
    for tag in page.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').unwrap();
        let name = tag.split([' ', '/']).find(|it| !it.is_empty()).unwrap();
        if let Some(end) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(end), "</{end}>");
        } else if !VOID.contains(&name) {
            open.push(name.to_owned());
        }
        if let Some((_, id)) = tag.split_once(" id=\"") {
            assert!(ids.insert(id.split('"').next().unwrap().to_owned()), "{id} twice");
        }
    }
    assert!(open.is_empty(), "{open:?}");
    let links = page.split("href=\"#").skip(1).map(|it| it.split('"').next().unwrap());
    links.for_each(|it| assert!(ids.contains(it), "#{it} leads nowhere"));
}

#[test]
fn the_report_is_one_page_that_needs_nothing_else() {
    let answer = plan(&Path::new(FIXTURES).join("help/must-gather"), &["-o", "html"]);
    answer.expect_code(1);
    let page = answer.out();
    expect_well_formed(&page);
    for foreign in ["http://", "https://", "src=", "url(", "@import", " on"] {
        let tags: String = without(&page, "script")
            .split('<')
            .skip(1)
            .filter_map(|it| it.split_once('>'))
            .map(|it| format!("<{}>", it.0))
            .collect();
        assert!(!tags.contains(foreign), "{foreign}");
    }
    for wanted in ["prefers-color-scheme: dark", "@media print", "<h1>", "keda", "maximum supported OCP version"] {
        assert!(page.contains(wanted), "{wanted}");
    }
    assert_eq!(page.matches("<h1>").count(), 1);
    assert!(page.len() < 100 << 10);
}

/// The first page answers the questions of managers, and details for the people who do the work follow.
#[test]
fn the_report_begins_with_what_decides() {
    let page = plan(&Path::new(FIXTURES).join("help/must-gather"), &["-o", "html"]).out();
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}: {page}"));
    let order = [
        "Needs attention",
        "OpenShift 4.16.3 can be updated to 4.17 once",
        "2 operators: 1 blocks the update",
        "<dt>Reboots</dt>",
        "Needs of each operator",
        "2.10.1 before 4.17; 2.12.0 (OLM does this by itself)",
        ">Blockers<",
        "id=\"steps\"",
        "Update my-operators/keda to 2.9.0, then 2.10.1",
        "Appendix: operators",
        "Appendix: steps and commands",
        "old-catalog/keda.yaml:",
        "oc -n my-operators wait",
    ];
    let places: Vec<usize> = order.iter().map(|it| at(it)).collect();
    assert!(places.is_sorted(), "{places:?}");
    // No place of a file and no command is on the first pages.
    let first = &page[..at("Appendix: operators")];
    assert!(!first.contains(".yaml:") && !first.contains("oc adm"), "{first}");
    // No operator of this cluster has a lifecycle, and empty columns are left out.
    assert!(!page.contains(">Support<") && page.contains(">Channel<"));
}

/// Seven operators with every need: long chains, approvals, a blocker that nothing lifts, a channel that ends.
fn seven_operators(root: &Path) -> (std::path::PathBuf, [String; 2]) {
    let names =
        ["hive", "infinispan", "kubebrowser", "multicluster-global-hub-operator", "opendatahub", "quay", "rabbitmq"];
    let (mut old, mut new, mut objects) = (String::new(), String::new(), String::new());
    for (at, name) in names.into_iter().enumerate() {
        let text = |channel: &str, numbers: std::ops::RangeInclusive<u32>| {
            let entry = |it: u32| match it > *numbers.start() {
                true => format!("- {{name: {name}.v1.{it}.0, replaces: {name}.v1.{}.0}}\n", it - 1),
                false => format!("- {{name: {name}.v1.{it}.0}}\n"),
            };
            let bundle = |it: u32| {
                format!(
                    "---\nschema: olm.bundle\npackage: {name}\nname: {name}.v1.{it}.0\nimage: quay.io/x/{name}:{it}\nproperties:\n- {{type: olm.package, value: {{packageName: {name}, version: 1.{it}.0}}}}\n"
                )
            };
            let entries: String = numbers.clone().map(entry).collect();
            let bundles: String = numbers.clone().map(bundle).collect();
            format!(
                "---\nschema: olm.package\nname: {name}\ndefaultChannel: {channel}\n---\nschema: olm.channel\npackage: {name}\nname: {channel}\nentries:\n{entries}{bundles}"
            )
        };
        old.push_str(&text("stable", 1..=1));
        // The third one is only in the first catalog, and the fourth one has another channel in the second.
        match at {
            2 => {}
            3 => new.push_str(&text("next", 3..=4)),
            _ => new.push_str(&text("stable", 1..=20)),
        }
        let max = if at == 2 { "[{\"type\": \"olm.maxOpenShiftVersion\", \"value\": \"4.16\"}]" } else { "[]" };
        let max = format!("{{\"properties\": {max}}}");
        let approval = if at.is_multiple_of(2) { "Automatic" } else { "Manual" };
        objects.push_str(&format!(
            "- apiVersion: operators.coreos.com/v1alpha1\n  kind: Subscription\n  metadata: {{name: {name}, namespace: ns-{name}}}\n  spec: {{name: {name}, channel: stable, source: mine, sourceNamespace: openshift-marketplace, installPlanApproval: {approval}}}\n  status: {{installedCSV: {name}.v1.1.0, currentCSV: {name}.v1.1.0}}\n\
             - apiVersion: operators.coreos.com/v1alpha1\n  kind: ClusterServiceVersion\n  metadata: {{name: {name}.v1.1.0, namespace: ns-{name}, annotations: {{operatorframework.io/properties: '{max}'}}}}\n  spec: {{version: 1.1.0}}\n  status: {{phase: Succeeded}}\n"
        ));
    }
    let old = write(root, "seven-old/catalog.yaml", old);
    let new = write(root, "seven-new/catalog.yaml", new);
    let version = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: config.openshift.io/v1, kind: ClusterVersion, metadata: {name: version}, status: {desired: {version: 4.16.3}}}\n";
    let cluster = write(root, "seven.yaml", format!("{version}{objects}"));
    let named = |minor: &str, file: &Path| format!("{minor}={}", file.parent().unwrap().display());
    (cluster, [named("4.16", &old), named("4.17", &new)])
}

/// The report of seven operators.
fn report_of_seven(root: &Path) -> String {
    let (cluster, [old, new]) = seven_operators(root);
    let answer = olmdex(["plan", "--to", "4.17", "--date", "2026-03-01", "-o", "html", "--cluster"])
        .arg(&cluster)
        .args(["-i", &old, "-i", &new])
        .answer();
    answer.expect_code(1);
    answer.out()
}

#[test]
fn seven_operators_have_all_that_a_report_can_say() {
    let directory = scratch();
    let page = report_of_seven(directory.path());
    expect_well_formed(&page);
    for wanted in [
        "OpenShift 4.16.3 cannot be updated to 4.17: ns-kubebrowser/kubebrowser must be uninstalled first.",
        "7 operators: 1 blocks the update, 1 needs a decision and 5 ",
        "uninstall before 4.17",
        "1.2.0 … 1.20.0, 19 approvals",
        "1.2.0 … 1.20.0, 19 updates",
        "Decisions needed",
        "<dt>Approvals</dt><dd>38</dd>",
    ] {
        assert!(page.contains(wanted), "{wanted}: {page}");
    }
}

/// On paper, the part before the appendix has two pages.
#[test]
#[ignore = "needs Chromium"]
fn seven_operators_have_two_pages_on_paper() {
    let directory = scratch();
    let page = report_of_seven(directory.path());
    let n_pages = |name: &str, page: String| {
        let source = write(directory.path(), &format!("{name}.html"), page);
        let paper = directory.path().join(format!("{name}.pdf"));
        let mut chromium = std::process::Command::new("chromium");
        chromium.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]);
        chromium.arg(format!("--user-data-dir={}", directory.path().join("profile").display()));
        chromium.arg(format!("--print-to-pdf={}", paper.display())).arg(&source);
        assert!(chromium.output().unwrap().status.success());
        let paper = String::from_utf8_lossy(&std::fs::read(paper).unwrap()).into_owned();
        paper
            .split("/Type")
            .filter(|it| it.trim_start().strip_prefix("/Page").is_some_and(|it| !it.starts_with('s')))
            .count()
    };
    let whole = n_pages("whole", page.clone());
    let first = n_pages("first", page.replace("<div class=\"appendix\">", "<div class=\"appendix\" hidden>"));
    assert!(first <= 2 && whole > first, "{first} of {whole} pages");
}

/// A cluster has the names in its Infrastructure and its ClusterVersion; the data does not depend on them.
#[test]
fn the_report_names_the_cluster() {
    let directory = scratch();
    let cluster = later(&directory.path().join("must-gather"), "2.8.1", "4.16.3");
    let unnamed = plan(&cluster, &["-o", "json"]).out();
    assert!(plan(&cluster, &["-o", "html"]).out().contains("the input does not name it"));
    let named = |status: &str| {
        let text = format!(
            "apiVersion: config.openshift.io/v1\nkind: Infrastructure\nmetadata: {{name: cluster}}\nstatus: {{{status}}}\n"
        );
        write(&cluster, "cluster-scoped-resources/config.openshift.io/infrastructures.yaml", text);
        (plan(&cluster, &["-o", "html"]).out(), plan(&cluster, &["-o", "markdown"]).out())
    };
    let address = "apiServerURL: 'https://api.prod.example.com:6443', infrastructureName: prod-x7k2q";
    for (status, name) in [(address, "prod.example.com"), ("infrastructureName: prod-x7k2q", "prod-x7k2q")] {
        let (page, markdown) = named(status);
        assert!(page.contains(&format!("<dd>{name}</dd>")), "{page}");
        assert!(markdown.contains(&format!("- Cluster: {name}\n")), "{markdown}");
    }
    assert_eq!(plan(&cluster, &["-o", "json"]).out(), unnamed);
}

/// A text that is markup unless it is escaped, and turns the direction of the following text.
const HOSTILE: &str = "\"><script>alert(1)</script><!--' onload=x \u{202e}</style>";

/// A cluster in which every text that somebody can choose is this one.
fn hostile_cluster(text: &str) -> String {
    let hostile = serde_json::to_string(text).unwrap();
    format!(
        r#"{{"apiVersion":"v1","kind":"List","items":[
{{"apiVersion":"config.openshift.io/v1","kind":"ClusterVersion","metadata":{{"name":"version"}},"spec":{{"channel":{hostile}}},"status":{{"desired":{{"version":"4.16.3"}}}}}},
{{"apiVersion":"config.openshift.io/v1","kind":"ClusterOperator","metadata":{{"name":{hostile}}},"status":{{"conditions":[{{"type":"Upgradeable","status":"False","reason":{hostile},"message":{hostile}}},{{"type":"Degraded","status":"True","message":{hostile}}}]}}}},
{{"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription","metadata":{{"name":{hostile},"namespace":{hostile}}},"spec":{{"name":{hostile},"channel":{hostile},"source":{hostile},"sourceNamespace":{hostile}}},"status":{{"installedCSV":{hostile}}}}},
{{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{{"name":{hostile},"namespace":{hostile}}},"spec":{{"version":"1.0.0"}},"status":{{"phase":"Failed","message":{hostile}}}}},
{{"apiVersion":{hostile},"kind":{hostile},"metadata":{{"name":{hostile}}}}}]}}"#
    )
}

#[test]
fn no_name_of_a_cluster_becomes_markup() {
    let directory = scratch();
    let cluster = write(directory.path(), "cluster.json", hostile_cluster(HOSTILE));
    let answer = plan(&cluster, &["-o", "html"]);
    answer.expect_code(1);
    let page = answer.out();
    expect_well_formed(&page);
    assert!(page.contains("&lt;script&gt;alert(1)"), "it is shown");
    // The one script is the report's own, and the policy allows no other.
    assert_eq!(page.matches("<script").count(), 1);
    assert!(page.contains("script-src 'sha256-") && !page.contains("alert(1)</script>"));
    assert!(!page.contains('\u{202e}') && !page.contains("<!--'"));
    assert_eq!(page.matches("</style>").count(), 1);
}

/// The cluster of the help, with other versions of keda and OpenShift.
fn later(directory: &Path, keda: &str, openshift: &str) -> std::path::PathBuf {
    let source = Path::new(FIXTURES).join("help/must-gather");
    let mut open = vec![source.clone()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text
                .replace("keda.v2.8.1", &format!("keda.v{keda}"))
                .replace("version: 2.8.1", &format!("version: {keda}"));
            let text = text.replace("4.16.3", openshift);
            // The old annotation goes with the version that lifts the block.
            let text =
                if keda != "2.10.1" { text } else { text.replace("olm.maxOpenShiftVersion", "example.com/nothing") };
            write(directory, path.strip_prefix(&source).unwrap().to_str().unwrap(), text);
        }
    }
    directory.to_owned()
}

#[test]
fn a_plan_is_compared_with_the_cluster_as_it_is_now() {
    let directory = scratch();
    let root = directory.path();
    let first = plan(&Path::new(FIXTURES).join("help/must-gather"), &["-o", "json"]);
    let saved = write(root, "plan.json", first.out());
    let check = |cluster: &Path| plan(cluster, &["--check", saved.to_str().unwrap(), "-o", "json"]);
    let status = |answer: &crate::support::Answer| -> (Vec<String>, bool, serde_json::Value) {
        let value: serde_json::Value = serde_json::from_str(&answer.out()).unwrap();
        let steps = value["steps"].as_array().unwrap().iter().map(|it| it["status"].as_str().unwrap().to_owned());
        (steps.collect(), value["isDone"].as_bool().unwrap(), value["next"].clone())
    };
    let untouched = check(&Path::new(FIXTURES).join("help/must-gather"));
    untouched.expect_code(1);
    let (steps, is_done, next) = status(&untouched);
    assert_eq!((steps.join(" ").as_str(), is_done), ("open open open", false));
    assert_eq!(next["kind"], "operator");

    let (steps, is_done, next) = status(&check(&later(&root.join("half"), "2.9.0", "4.16.3")));
    assert_eq!((steps.join(" ").as_str(), is_done), ("partly open open", false));
    assert_eq!(next["path"], serde_json::json!(["keda.v2.10.1"]));

    let (steps, _, next) = status(&check(&later(&root.join("ready"), "2.10.1", "4.16.3")));
    assert_eq!(steps.join(" "), "done open open");
    assert_eq!(next["kind"], "platform");

    let arrived = check(&later(&root.join("there"), "2.10.1", "4.17.9"));
    arrived.expect_code(0);
    let (steps, is_done, next) = status(&arrived);
    assert_eq!((steps.join(" ").as_str(), is_done, next), ("done done open", true, serde_json::Value::Null));

    let other =
        write(root, "other.json", "{\"kind\": \"List\", \"metadata\": {\"from\": \"\", \"to\": \"\"}, \"steps\": []}");
    let cluster = Path::new(FIXTURES).join("help/must-gather");
    plan(&cluster, &["--check", other.to_str().unwrap()]).expect_code(3).expect_words("its kind is `List`");
    let deep = write(root, "deep.json", "[".repeat(100_000));
    plan(&cluster, &["--check", deep.to_str().unwrap()]).expect_code(3);
}

#[test]
fn what_lifts_a_blocker_is_planned_again() {
    let answer = plan(&Path::new(FIXTURES).join("help/must-gather"), &["-o", "json"]);
    let value: serde_json::Value = serde_json::from_str(&answer.out()).unwrap();
    let blockers = value["blockers"].as_array().unwrap();
    let of_keda = blockers.iter().find(|it| it["code"] == "max-openshift-version").unwrap();
    assert_eq!(of_keda["verified"], true);
}

#[test]
fn an_operator_that_refuses_updates_blocks_the_required_ones() {
    let directory = scratch();
    let cluster = later(&directory.path().join("cluster"), "2.8.1", "4.16.3");
    write(
        &cluster,
        "namespaces/my-operators/operators.coreos.com/operatorconditions.yaml",
        "apiVersion: operators.coreos.com/v2\nkind: OperatorConditionList\nitems:\n- apiVersion: operators.coreos.com/v2\n  kind: OperatorCondition\n  metadata: {name: keda.v2.8.1, namespace: my-operators}\n  spec: {conditions: [{type: Upgradeable, status: 'False', reason: Busy, message: a migration is running}]}\n",
    );
    let answer = plan(&cluster, &["-o", "json"]);
    let value: serde_json::Value = serde_json::from_str(&answer.out()).unwrap();
    let found =
        value["blockers"].as_array().unwrap().iter().find(|it| it["code"] == "operatorcondition").unwrap().clone();
    assert_eq!((&found["subject"], &found["text"]), (&"my-operators/keda".into(), &"a migration is running".into()));
    assert!(found["platform"].is_null());
}

fn json_of(answer: &crate::support::Answer) -> serde_json::Value {
    serde_json::from_str(&answer.out()).unwrap_or_else(|_| panic!("{}", answer.both()))
}

fn unknowns(plan: &serde_json::Value) -> Vec<String> {
    let list = plan["unknowns"].as_array().unwrap().iter();
    list.map(|it| format!("{} {}", it["code"].as_str().unwrap(), it["subject"].as_str().unwrap_or_default())).collect()
}

#[test]
fn thousands_of_copies_count_for_nothing() {
    let directory = scratch();
    let cluster = later(&directory.path().join("must-gather"), "2.8.1", "4.16.3");
    for namespace in 0..50 {
        let copy = |number: usize| {
            format!(
                "- apiVersion: operators.coreos.com/v1alpha1\n  kind: ClusterServiceVersion\n  metadata: {{name: op-{number}.v1.0.0, namespace: app-{namespace}, labels: {{olm.copiedFrom: home}}}}\n  spec: {{version: 1.0.0}}\n"
            )
        };
        let list: String = (0..100).map(copy).collect();
        let name = format!("namespaces/app-{namespace}/operators.coreos.com/clusterserviceversions.yaml");
        write(&cluster, &name, format!("apiVersion: v1\nkind: List\nitems:\n{list}"));
        // Other files of a must-gather are not even opened: these are not YAML.
        write(&cluster, &format!("namespaces/app-{namespace}/pods/p/logs/current.log"), "\u{0}: [{{");
        write(&cluster, &format!("namespaces/app-{namespace}/core/secrets.yaml"), "kind: [Secret");
    }
    let alone = plan(&later(&directory.path().join("alone"), "2.8.1", "4.16.3"), &["-o", "json"]);
    let all = plan(&cluster, &["-o", "json"]);
    let (alone, all) = (json_of(&alone), json_of(&all));
    for field in ["verdict", "steps", "unknowns"] {
        assert_eq!(all[field], alone[field], "{field}");
    }
    assert_eq!(all["operators"].as_array().unwrap().len(), alone["operators"].as_array().unwrap().len());
    assert_eq!(all["metadata"]["warnings"], serde_json::json!([]));
}

#[test]
fn what_is_missing_or_contradicts_itself_gets_a_line() {
    let directory = scratch();
    let item = |kind: &str, name: &str, rest: &str| {
        let group = if kind == "ClusterVersion" { "config.openshift.io/v1" } else { "operators.coreos.com/v1alpha1" };
        let namespace = if kind == "ClusterVersion" { "" } else { ", namespace: ns" };
        format!("- apiVersion: {group}\n  kind: {kind}\n  metadata: {{name: {name}{namespace}}}\n  {rest}\n")
    };
    let version = item("ClusterVersion", "version", "status: {desired: {version: 4.16.3}}");
    let run = |items: &[String], more: &[&str]| {
        let cluster =
            write(directory.path(), "cluster.yaml", format!("apiVersion: v1\nkind: List\nitems:\n{}", items.concat()));
        plan(&cluster, &[&["-o", "json"], more].concat())
    };
    let subscription = |name: &str, installed: &str| {
        item(
            "Subscription",
            name,
            &format!(
                "spec: {{name: {name}, channel: stable, source: x, sourceNamespace: y}}\n  status: {{installedCSV: {installed}, currentCSV: {installed}}}"
            ),
        )
    };
    // Subscriptions without their installed bundles.
    let half = json_of(&run(&[version.clone(), subscription("keda", "keda.v2.8.1"), subscription("fresh", "''")], &[]));
    assert_eq!(unknowns(&half), ["csv-missing ns/keda", "not-installed ns/fresh"]);
    // A ClusterServiceVersion with an invalid version, and one that replaces itself.
    let odd = [
        item(
            "ClusterServiceVersion",
            "keda.v2.8.1",
            "spec: {version: latest, replaces: keda.v2.8.1}\n  status: {phase: Installing}",
        ),
        item("ClusterServiceVersion", "nameless", "spec: {version: {a: b}}\n  status: {phase: [x]}"),
        item(
            "InstallPlan",
            "install-1",
            "spec: {approved: false, clusterServiceVersionNames: [gone.v1]}\n  status: {phase: RequiresApproval}",
        ),
        subscription("keda", "keda.v2.8.1"),
        version.clone(),
    ];
    let odd = run(&odd, &[]);
    assert!(odd.code == Some(0) || odd.code == Some(1), "{}", odd.both());
    assert!(unknowns(&json_of(&odd)).contains(&"no-subscription ns/nameless".to_owned()), "{}", odd.out());
    assert_eq!(json_of(&odd)["operators"].as_array().unwrap().len(), 2, "{}", odd.out());
    // Without any Subscriptions it is not known whether one manages it: nothing is uninstalled for that.
    let max =
        r#"annotations: {operatorframework.io/properties: '[{"type":"olm.maxOpenShiftVersion","value":"4.16"}]'}"#;
    let held = item("ClusterServiceVersion", "keda.v2.8.1", "spec: {version: 2.8.1}\n  status: {phase: Succeeded}");
    let held = held.replace("metadata: {", &format!("metadata: {{{max}, "));
    for (others, code, kind) in [
        (vec![], "subscriptions-missing ns/keda.v2.8.1", None),
        (vec![subscription("other", "other.v1")], "no-subscription ns/keda.v2.8.1", Some("uninstall")),
    ] {
        let answer = json_of(&run(&[vec![version.clone(), held.clone()], others].concat(), &[]));
        assert!(unknowns(&answer).contains(&code.to_owned()), "{answer}");
        assert_eq!(answer["verdict"], "blocked", "{answer}");
        let steps = answer["steps"].as_array().unwrap().iter().filter_map(|step| step["kind"].as_str());
        assert_eq!(steps.clone().find(|kind| *kind == "uninstall"), kind, "{answer}");
    }
    // If the version of OpenShift is not valid, an option must give it.
    let no_version = item("ClusterVersion", "version", "status: {desired: {version: latest}}");
    run(std::slice::from_ref(&no_version), &[]).expect_code(3).expect_words("--openshift VERSION");
    run(&[no_version], &["--from", "4.16"]).expect_words("no installed operators");
    // A cluster without OLM, and files that are not about a cluster.
    assert_eq!(json_of(&run(&[version], &[]))["operators"], serde_json::json!([]));
    let other = write(directory.path(), "other/readme.md", "# no manifest");
    plan(other.parent().unwrap(), &[]).expect_code(2).expect_words("holds no ClusterVersion");
}

/// Texts with another meaning for a shell, Markdown, YAML or XML.
const HOSTILE_TEXTS: &[&str] = &[
    "a'; touch planted; echo '",
    "$(touch planted)`touch planted`",
    "a\ntouch planted\n# b",
    "a\r\n---\nkind: Planted",
    "\"><x/>]]>&amp;",
    "- [x] **done** [link](javascript:x) | <img src=x>",
    "--as=admin",
    "\u{202e}\u{1b}[31m",
];

#[test]
fn no_name_of_a_cluster_becomes_a_command_or_an_object() {
    let directory = scratch();
    let root = directory.path();
    for text in HOSTILE_TEXTS {
        let cluster = write(root, "cluster.json", hostile_cluster(text));
        let script = plan(&cluster, &["-o", "script"]).out();
        for line in script.lines().filter(|it| !it.is_empty()) {
            let is_command = line.starts_with("oc ") || line.starts_with("INSTALLPLAN=$(oc ");
            assert!(line.starts_with("# ") || is_command, "{text:?}: {line}");
            assert!(line.starts_with("# ") || !line.contains("planted") && !line.contains("admin"), "{text:?}: {line}");
        }
        // A shell without `oc` runs nothing else.
        let file = write(root, "script.sh", &script);
        std::process::Command::new("sh").arg(&file).current_dir(root).output().unwrap();
        assert!(!root.join("planted").exists(), "{text:?}");

        let markdown = plan(&cluster, &["-o", "markdown"]).out();
        // Escaped characters are not markup.
        let markdown = ["<", "[", "]", "*", "|", "`"].iter().fold(markdown, |it, c| it.replace(&format!("\\{c}"), "."));
        for foreign in ["[link](", "<img", "<x/>", "**done**", "\ntouch planted", "\u{202e}", "\u{1b}"] {
            assert!(!markdown.contains(foreign), "{text:?} {foreign:?}: {markdown}");
        }
        let manifests = plan(&cluster, &["-o", "yaml", "--manifests"]).out();
        assert!(!manifests.lines().any(|it| it == "kind: Planted" || it == "touch planted"), "{manifests}");
        let junit = plan(&cluster, &["-o", "junit"]).out();
        for foreign in ["<x/>", "<img", "]]>", "\u{1b}"] {
            assert!(!junit.contains(foreign), "{text:?} {foreign:?}: {junit}");
        }
        assert_eq!(
            junit.matches("<testcase ").count(),
            junit.matches("/>\n").count() - junit.matches("<skipped").count() + junit.matches("</testcase>").count(),
            "{junit}"
        );
    }
}

#[cfg(unix)]
#[test]
fn links_lead_nowhere_outside_of_a_must_gather() {
    let directory = scratch();
    let root = directory.path();
    let secret = "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: secret, namespace: ns}\nspec: {name: secret}\n";
    let outside = write(root, "outside/secret.yaml", secret);
    let cluster = later(&root.join("must-gather"), "2.8.1", "4.16.3");
    let folder = cluster.join("namespaces/linked/operators.coreos.com");
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(&outside, folder.join("subscriptions.yaml")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.join("zero.yaml")).unwrap();
    std::os::unix::fs::symlink(outside.parent().unwrap(), folder.join("directory")).unwrap();
    std::os::unix::fs::symlink("loop.yaml", folder.join("loop.yaml")).unwrap();
    let answer = plan(&cluster, &["-o", "json"]);
    assert!(!answer.out().contains("ns/secret"), "{}", answer.out());
    let warnings = json_of(&answer)["metadata"]["warnings"].to_string();
    for name in ["subscriptions.yaml", "zero.yaml", "loop.yaml"] {
        assert!(warnings.contains(&format!("{name}`, a symbolic link out")), "{name}: {warnings}");
    }
    // A link within it is another name of a file, as in mounted ConfigMaps.
    write(&cluster, "namespaces/inner/data.yaml", secret);
    std::os::unix::fs::symlink("../inner/data.yaml", cluster.join("namespaces/linked/data.yaml")).unwrap();
    assert!(unknowns(&json_of(&plan(&cluster, &["-o", "json"]))).contains(&"not-installed ns/secret".to_owned()));
}

#[test]
fn a_file_of_one_long_line_costs_what_it_is_long() {
    let directory = scratch();
    let cluster = later(&directory.path().join("must-gather"), "2.8.1", "4.16.3");
    let name = "namespaces/long/operators.coreos.com/subscriptions.yaml";
    let longest = 64 << 20;
    // A token may have 32 MiB, and a comment is none.
    let comment = |length: usize| "#".repeat(length);
    for (text, is_read) in [
        (comment(longest), true),
        (comment(longest + 1), false),
        ("x".repeat(longest), false),
        (format!("a: [{}", "[".repeat(8 << 20)), false),
    ] {
        write(&cluster, name, text);
        let plan = json_of(&plan(&cluster, &["-o", "json"]));
        assert_eq!(plan["operators"].as_array().unwrap().len(), 2);
        assert_eq!(plan["metadata"]["warnings"].to_string().contains("long"), !is_read);
    }
}

/// Two catalogs of a chain of 20 versions, the later of which holds only the last one, and a cluster that has the
/// first.
fn long_way(root: &Path) -> std::path::PathBuf {
    let catalog = |name: &str, numbers: std::ops::RangeInclusive<u32>| {
        let mut text = String::from("---\nschema: olm.package\nname: widget\ndefaultChannel: stable\n");
        text.push_str("---\nschema: olm.channel\npackage: widget\nname: stable\nentries:\n");
        for number in numbers.clone() {
            text.push_str(&format!("- name: widget.v1.0.{number}\n"));
            if number > *numbers.start() {
                text.push_str(&format!("  replaces: widget.v1.0.{}\n", number - 1));
            }
        }
        for number in numbers {
            text.push_str(&format!(
                "---\nschema: olm.bundle\npackage: widget\nname: widget.v1.0.{number}\nimage: quay.io/x/widget:v1.0.{number}\nproperties:\n- type: olm.package\n  value: {{packageName: widget, version: 1.0.{number}}}\n"
            ));
        }
        write(root, &format!("{name}/catalog.yaml"), text);
    };
    catalog("old", 1..=20);
    catalog("new", 20..=20);
    write(
        root,
        "cluster.yaml",
        "apiVersion: v1
kind: List
items:
- {apiVersion: config.openshift.io/v1, kind: ClusterVersion, metadata: {name: version}, status: {desired: {version: 4.16.3}}}
- apiVersion: operators.coreos.com/v1alpha1
  kind: Subscription
  metadata: {name: widget-sub, namespace: shop}
  spec: {name: widget, channel: stable, source: mine, sourceNamespace: openshift-marketplace}
  status: {installedCSV: widget.v1.0.1, currentCSV: widget.v1.0.1}
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata: {name: widget.v1.0.1, namespace: shop}
  spec: {version: 1.0.1}
  status: {phase: Succeeded}
",
    )
}

fn in_directory(root: &Path, args: &[&str]) -> crate::support::Answer {
    olmdex(args.iter().copied()).in_directory(root).answer()
}

#[test]
fn a_long_way_is_waited_for_once_and_fits_a_line() {
    let directory = scratch();
    let root = directory.path();
    long_way(root);
    let fixed = ["plan", "--cluster", "cluster.yaml", "--to", "4.17", "-i", "4.16=old", "-i", "4.17=new"];
    let fixed = [&fixed[..], &["--date", "2026-03-01"]].concat();
    let saved = in_directory(root, &[&fixed[..], &["-o", "json"]].concat());
    let plan = json_of(&saved);
    let step = &plan["steps"][0];
    assert_eq!(step["path"].as_array().unwrap().len(), 19, "{step}");
    assert_eq!(
        step["commands"],
        serde_json::json!([
            "oc -n shop wait subscriptions.operators.coreos.com/widget-sub --for=jsonpath='{.status.installedCSV}'=widget.v1.0.20 --timeout=285m && oc -n shop wait csv/widget.v1.0.20 --for=jsonpath='{.status.phase}'=Succeeded --timeout=15m"
        ])
    );
    write(root, "plan.json", saved.out());
    let check = in_directory(root, &["plan", "--check", "plan.json", "--cluster", "cluster.yaml"]);
    let longest = check.out().lines().map(|it| it.chars().count()).max().unwrap();
    assert!(longest < 260, "{longest}: {}", check.out());
    assert!(
        check.out().contains("1. open: Update shop/widget to widget.v1.0.2, then 17 more updates, then widget.v1.0.20")
    );
    // The headline, the list and `--check` count alike.
    let text = in_directory(root, &fixed).out();
    let n = plan["steps"].as_array().unwrap().len();
    assert!(text.contains(&format!("; {n} steps, ")) && text.contains(&format!("\n  {n}. ")), "{text}");
    assert!(check.out().contains(&format!("0 of {n} steps done")), "{}", check.out());
    // The words of the table are explained.
    assert!(text.contains("\n  behind: the channel has an update for it\n"), "{text}");
}

#[test]
fn a_saved_plan_is_checked_without_naming_its_catalogs_again() {
    let directory = scratch();
    let root = directory.path();
    long_way(root);
    in_directory(root, &["build", "mine-4.16=old", "mine-4.17=new", "-o", "catalogs.db", "-q"]).expect_code(0);
    let tie = ["--source-map", "openshift-marketplace/other=mine"];
    let cluster = std::fs::read_to_string(root.join("cluster.yaml")).unwrap().replace("source: mine", "source: other");
    write(root, "cluster.yaml", cluster);
    let plan = ["plan", "--cluster", "cluster.yaml", "--to", "4.17", "-i", "catalogs.db", "-o", "json"];
    let saved = in_directory(root, &[&plan[..], &tie].concat());
    write(root, "plan.json", saved.out());
    let check = ["plan", "--check", "plan.json", "--cluster", "cluster.yaml"];
    let checked = in_directory(root, &check);
    checked.expect_code(1).expect_words("Now:      attention");
    assert!(!checked.both().contains("source-unknown"), "{}", checked.both());
    // If a plan does not name its catalogs, the message names the option to add.
    let mut old = json_of(&saved);
    old["metadata"].as_object_mut().unwrap().remove("options");
    write(root, "plan.json", old.to_string());
    in_directory(root, &check).expect_code(2).expect_words(
        "add `-i 4.16/mine=SOURCE -i 4.17/mine=SOURCE`, or `-i index.db`, and the `--source-map` options",
    );
    // If the catalogs of a plan have moved, the message names their old places.
    write(root, "plan.json", saved.out());
    std::fs::rename(root.join("catalogs.db"), root.join("moved.db")).unwrap();
    in_directory(root, &check).expect_code(3).expect_words("the saved plan names its source as `-i catalogs.db`");
    in_directory(root, &[&check[..], &["-i", "moved.db"]].concat()).expect_code(1).expect_words("0 of 2 steps done");
}

#[test]
fn every_install_plan_that_is_approved_is_looked_up_before() {
    let cluster = Path::new(FIXTURES).join("clusters/half-a-must-gather");
    let script = plan(&cluster, &["-o", "script"]).out();
    assert!(script.contains("patch installplan \"$INSTALLPLAN\""), "{script}");
    let lines: Vec<&str> = script.lines().map(|it| it.trim_start_matches("# ")).collect();
    for (at, line) in lines.iter().enumerate().filter(|it| it.1.contains("\"$INSTALLPLAN\"")) {
        let before = lines[at - 1];
        assert!(before.starts_with("INSTALLPLAN=$(oc -n shop get subscriptions.operators.coreos.com "), "{before}");
        assert!(lines[at - 2].contains("wait subscriptions") && lines[at - 2].contains("currentCSV"), "{line}");
    }
    let text = plan(&cluster, &[]).out();
    let html = plan(&cluster, &["-o", "html"]).out();
    for shown in [text, html] {
        assert_eq!(shown.matches("INSTALLPLAN=$(oc ").count(), shown.matches("$INSTALLPLAN").count(), "{shown}");
    }
}

/// An APIRequestCount with the requests of each user in the last hours.
fn request_count(name: &str, removed_in: &str, total: u64, users: &[(&str, u64)]) -> String {
    let users: Vec<String> = users
        .iter()
        .map(|(user, n)| format!("{{username: '{user}', userAgent: agent/1, requestCount: {n}}}"))
        .collect();
    let half = users.join(", ");
    format!(
        "- apiVersion: apiserver.openshift.io/v1
  kind: APIRequestCount
  metadata: {{name: {name}}}
  status:
    removedInRelease: '{removed_in}'
    requestCount: {total}
    last24h:
    - {{requestCount: 1, byNode: [{{nodeName: a, byUser: [{half}]}}]}}
    - {{requestCount: 1, byNode: [{{nodeName: b, byUser: [{half}]}}, {{nodeName: c}}]}}
"
    )
}

/// A requested API that a later version removes is a blocker with its place, for each API by itself.
#[test]
fn removed_apis_that_are_still_requested_block() {
    let directory = scratch();
    let cluster = later(&directory.path().join("must-gather"), "2.8.1", "4.16.3");
    // 4.16 has Kubernetes 1.29, 4.17 has 1.30.
    let keda = "system:serviceaccount:my-operators:keda-operator";
    let collector = "system:serviceaccount:kube-system:generic-garbage-collector";
    let items = [
        request_count("flowschemas.v1beta2.flowcontrol.apiserver.k8s.io", "1.30", 30, &[(keda, 5), (collector, 10)]),
        request_count("gone.v1.example.com", "1.29", 10, &[(keda, 5)]),
        request_count("later.v1.example.com", "1.31", 10, &[(keda, 5)]),
        request_count("stays.v1.example.com", "", 10, &[(keda, 5)]),
        request_count("quiet.v1.example.com", "1.30", 0, &[]),
        request_count("walked.v1.example.com", "1.30", 20, &[(collector, 10)]),
        request_count("cut.v1.example.com", "1.30", 25, &[(collector, 10)]),
    ];
    let list = format!("apiVersion: v1\nkind: List\nitems:\n{}", items.concat());
    write(&cluster, "cluster-scoped-resources/apiserver.openshift.io/apirequestcounts.yaml", list);
    let removed = |more: &[&str]| -> Vec<serde_json::Value> {
        let plan = json_of(&plan(&cluster, &[&["-o", "json"], more].concat()));
        assert_eq!(plan["verdict"], "attention");
        plan["blockers"].as_array().unwrap().iter().filter(|it| it["code"] == "api-removed").cloned().collect()
    };
    let found = removed(&[]);
    let subjects: Vec<&str> = found.iter().map(|it| it["subject"].as_str().unwrap()).collect();
    assert_eq!(subjects, ["flowschemas.v1beta2.flowcontrol.apiserver.k8s.io", "cut.v1.example.com"]);
    assert_eq!((&found[0]["platform"], &found[0]["value"]), (&"4.17".into(), &"1.30".into()));
    let text = found[0]["text"].as_str().unwrap();
    let wanted = format!("requested by {keda} (10 requests, agent/1, in the namespace of `keda`)");
    assert!(text.ends_with(&wanted), "{text}");
    assert!(found[0]["place"].as_str().unwrap().contains("apirequestcounts.yaml:"), "{}", found[0]["place"]);
    // Clients that are not reported one by one are counted as well.
    assert!(found[1]["text"].as_str().unwrap().ends_with("requested by others (5 requests)"), "{}", found[1]["text"]);
    assert_eq!(removed(&["--assume", "api-removed:cut.v1.example.com"]).len(), 1);
    assert_eq!(removed(&["--assume", "api-removed"]).len(), 0);
    // On a longer way, the APIs that later versions lose count too.
    let further = json_of(
        &olmdex(["plan", "--to", "4.18", "-o", "json", "-i", "4.17=fixtures/help/my-catalog", "--cluster"])
            .arg(&cluster)
            .answer(),
    );
    let at = |name: &str| {
        let blockers = further["blockers"].as_array().unwrap();
        blockers.iter().find(|it| it["subject"] == name).map(|it| it["platform"].clone())
    };
    assert_eq!(at("later.v1.example.com"), Some("4.18".into()), "{further}");
}

/// A fleet gives the result of each cluster's own plan, in the order of names; a broken cluster stops nothing.
#[test]
fn a_fleet_says_of_each_cluster_what_its_plan_says() {
    let dir = scratch();
    let text = |name: &str| std::fs::read_to_string(format!("{FIXTURES}/help/clusters/{name}.yaml")).unwrap();
    let (north, west) = (text("north"), text("west"));
    for n in 0..24 {
        write(dir.path(), &format!("fleet/c{n:02}.yaml"), if n % 3 == 0 { &west } else { &north });
    }
    write(dir.path(), "fleet/<script>.yaml", &north);
    write(dir.path(), "fleet/broken.tar", "no archive");
    write(dir.path(), "fleet/empty.yaml", "");
    write(dir.path(), "fleet/.hidden", "{{{");
    std::os::unix::fs::symlink("c00.yaml", dir.path().join("fleet/link.yaml")).unwrap();
    let old = format!("4.16={FIXTURES}/help/old-catalog");
    let new = format!("4.17={FIXTURES}/help/my-catalog");
    let fleet = dir.path().join("fleet");
    let fixed =
        ["plan", "--fleet", fleet.to_str().unwrap(), "--to", "4.17", "-i", &old, "-i", &new, "--date", "2026-03-01"];
    let answer = olmdex(fixed.iter().chain(&["-o", "json"]).copied()).answer();
    answer.expect_code(3);
    let json: serde_json::Value = serde_json::from_str(&answer.out()).unwrap();
    let rows = json["items"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|it| it["cluster"].as_str().unwrap()).collect();
    assert!(names.is_sorted() && names.len() == 28, "{names:?}");
    for (row, name) in rows.iter().zip(&names) {
        if row["verdict"] == "not-judged" {
            assert!(["broken", "empty", "link"].contains(name) && row["error"].is_string(), "{row}");
            continue;
        }
        let own = plan(&fleet.join(format!("{name}.yaml")), &["-o", "json"]);
        let own: serde_json::Value = serde_json::from_str(&own.out()).unwrap();
        assert_eq!(row["verdict"], own["verdict"], "{name}");
        assert_eq!(row["steps"].as_u64().unwrap() as usize, own["steps"].as_array().unwrap().len(), "{name}");
        for of in ["blockers", "decisions", "unknowns"] {
            let codes = |it: &serde_json::Value| -> Vec<String> {
                it.as_array().unwrap().iter().map(|it| it["code"].as_str().unwrap().to_owned()).collect()
            };
            assert_eq!(codes(&row[of]), codes(&own[of]), "{name} {of}");
        }
    }
    let sizes: Vec<usize> = json["metadata"]["waves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["clusters"].as_array().unwrap().len())
        .collect();
    assert_eq!(sizes, [17, 8]);
    let page = olmdex(fixed.iter().chain(&["-o", "html"]).copied()).answer().out();
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script"), "{page}");
}
