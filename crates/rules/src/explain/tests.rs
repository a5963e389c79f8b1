//! Messages as clusters print them, and their expected explanations.

use super::*;

#[test]
fn contradictions_are_cut_where_constraints_begin() {
    let message = "constraints not satisfiable: @existing/ns//a.v1, @existing/ns//a.v2 and cat/ns/stable/a.v3 provide K \
                   (g/v), bundle a.v1 requires an operator providing an API with group: g, version: v, kind: K, \
                   subscription a exists, subscription a requires at least one of cat/ns/s/a.v3, cat/ns/s/a.v2 or \
                   @existing/ns//a.v1, zcat/ns/s/b.v1 and zcat/ns/s/c.v1 originate from package p";
    let decoded = decode(message).unwrap();
    let texts: Vec<&str> = decoded.parts.iter().map(|it| it.text.split(' ').next().unwrap()).collect();
    assert_eq!(texts, ["@existing/ns//a.v1,", "bundle", "subscription", "subscription", "zcat/ns/s/b.v1"]);
    assert!(decoded.parts.iter().all(|it| it.meaning != "olmdex does not know this part."), "{decoded:#?}");
    assert!(decoded.next.contains(&"olmdex provides g/v/K".to_owned()));
}

#[test]
fn what_is_not_known_is_not_guessed_at() {
    for message in ["", "hello", "deadline exceeded", "constraints are fine"] {
        assert_eq!(decode(message), None, "{message}");
        assert!(!where_to_look(message).is_empty());
    }
}

#[test]
fn what_comes_from_a_message_stays_one_word_of_a_command() {
    for (message, expected) in [
        (
            r#"no bundles found for package "x; rm -rf $HOME" matching version "1.0.0""#,
            "olmdex upgrades 'x; rm -rf $HOME' --to 1.0.0 --olm v1",
        ),
        (
            r#"constraints not satisfiable: clusterserviceversion $(id) exists and is not referenced by a subscription"#,
            "kubectl get clusterserviceversion '$(id)' -o yaml",
        ),
        (
            "no operators found in package it's`id` in the catalog referenced by subscription s",
            r"olmdex show 'it'\''s`id`'",
        ),
        ("no operators found in package keda in the catalog referenced by subscription s", "olmdex show keda"),
        (r#"error using catalogsource a;b/c: down"#, "kubectl get catalogsource c -n 'a;b' -o yaml"),
    ] {
        let decoded = decode(message).unwrap();
        assert!(decoded.next.iter().any(|it| it == expected), "{expected}: {:?}", decoded.next);
    }
}

#[test]
fn texts_of_conditions_are_known_and_lead_on() {
    for (message, culprits, says) in [
        ("olm.bundle/foo.v3.0.0: do not use 3", "foo.v3.0.0", "foo.v3.0.0 is deprecated"),
        ("olm.package/foo: gone; use bar; olm.channel/s: old", "foo,s", "its author says: gone; use bar"),
        (
            "Found ClusterExtensions that require upgrades prior to upgrading cluster to version 4.19: bundle \"a.v1\" for \
             ClusterExtension \"a\",bundle \"b.v1\" for ClusterExtension \"b\".",
            "a.v1,b.v1,a,b",
            "olm.maxOpenShiftVersion",
        ),
        (
            "ClusterServiceVersions blocking minor version upgrades to 4.23 or major version upgrades to 5.0:\n- ns/c.v1 has \
             invalid olm.maxOpenShiftVersion properties: twice\n- maximum supported OCP version for ns/foo.v1 is 4.16",
            "ns/c.v1,ns/foo.v1",
            "ns/foo.v1 runs up to OpenShift 4.16",
        ),
        (
            "error(s) with cluster extension e: error in bundle b: error converting to semver for version 4: no",
            "b,e",
            "b is unreadable",
        ),
        (r#"parse olm.constraint: json: unknown field "name""#, "", r#"unknown field "name""#),
        (r#"parse olm.constraint: json: unknown field "name""#, "", "packageName"),
        (r#""parse olm.constraint: json: unknown field "name"","#, "", r#"unknown field "name""#),
        (r#"desired version range "x y" is invalid: no"#, "x y", "is not a version range: x y"),
    ] {
        let decoded = decode(message).unwrap_or_else(|| panic!("{message}"));
        assert_eq!(decoded.culprits.join(","), culprits, "{message}");
        let parts = decoded.parts.iter().map(|it| it.meaning.as_str());
        let all = std::iter::once(decoded.meaning.as_str()).chain(parts).collect::<Vec<_>>().join(" ");
        assert!(all.contains(says), "{message}: {all}");
        assert!(!decoded.next.is_empty(), "{message}");
    }
}

/// B15: the most common messages are known, and every command is complete.
#[test]
fn common_messages_are_known() {
    for (message, system, culprits) in [
        (
            "failed to populate resolver cache from source community-operators/openshift-marketplace: failed to list \
             bundles: rpc error: code = Unavailable desc = connection error",
            "OLM Classic",
            "community-operators/openshift-marketplace",
        ),
        ("csv created in namespace with multiple operatorgroups, can't pick one automatically", "OLM Classic", ""),
        ("csv in namespace with no operatorgroups", "OLM Classic", ""),
        (
            "Bundle unpacking failed - BackoffLimitExceeded: Job has reached the specified backoff limit. Auto-retry in ~5 min after job \
             cleanup (TTL).",
            "OLM Classic",
            "",
        ),
        (
            "Bundle unpacking failed. Reason: DeadlineExceeded, and Message: Job was active longer than specified deadline",
            "OLM Classic",
            "",
        ),
        (
            "Bundle image pull failed. Common causes: the image does not exist, or credentials are missing",
            "OLM Classic",
            "",
        ),
        (
            "error for resolved bundle \"shop.v1.0.0\" with version \"1.0.0\": invalid ClusterExtension configuration: invalid \
             configuration: required field \"watchNamespace\" is missing",
            "OLM v1",
            "watchNamespace,shop.v1.0.0",
        ),
        ("invalid ClusterExtension configuration: unknown field \"bogus\"", "OLM v1", "bogus"),
        (
            "revision object collisions in phase 0\nObject Deployment.apps/v1 shop/till\nAction: \"Collision\"\nConflicting Owner: \
             &OwnerReference{Name:other-1}",
            "OLM v1",
            "Deployment.apps/v1 shop/till",
        ),
        ("AllNamespaces InstallModeType not supported, cannot configure to watch all namespaces", "OLM Classic", ""),
        ("intersecting operatorgroups provide the same APIs", "OLM Classic", ""),
        ("intersecting operatorgroups provide the same apis", "OLM Classic", ""),
        ("static provided api operatorgroup cannot be modified by these apis", "OLM Classic", ""),
        ("Service account is owned by another ClusterServiceVersion", "OLM Classic", ""),
        ("catalog \"shops\" is not being served", "OLM v1", "shops"),
        ("ServiceAccount \"till-installer\" not found", "OLM v1", "till-installer"),
        ("one or more requirements couldn't be found", "OLM Classic", ""),
        ("install strategy failed: Deployment.apps \"x\" is invalid: spec.selector", "OLM Classic", ""),
        (
            "install failed: deployment shop-operator not ready before timeout: deployment \"shop-operator\" exceeded its \
             progress deadline",
            "OLM Classic",
            "shop-operator",
        ),
        ("CSV version requirement not met: minKubeVersion (1.29.0) > server version (1.27.4)", "OLM Classic", ""),
        ("targeted catalogsource olm/shop missing", "OLM Classic", "olm/shop"),
        (
            "error for resolved bundle \"till.v2\": validating upgrade for CRD \"tills.shop.example.com\": \
             existingFieldRemoval: removed field : v1.^.spec.h",
            "OLM v1",
            "tills.shop.example.com",
        ),
        (
            "pre-authorization failed: service account requires the following permissions to manage cluster extension: \
             Namespace:\"\" APIGroups:[apps] Resources:[deployments] Verbs:[create]",
            "OLM v1",
            "",
        ),
        (
            "integrity check failed: cache requires rebuild: cache reports digest as \"a1\", but computed digest is \"b2\"",
            "opm",
            "",
        ),
        (
            "invalid index: invalid package \"till\": invalid channel \"stable\": multiple channel heads found in graph: \
             till.v1, till.v2",
            "opm or oc-mirror",
            "till,stable",
        ),
        (
            "risk of data loss updating tills.shop.example.com: new CRD removes version v1alpha1 that is listed as a stored \
             version on the existing CRD",
            "OLM Classic",
            "tills.shop.example.com,v1alpha1",
        ),
        (
            "error validating existing CRs against new CRD's schema for tills.shop.example.com: error validating \
             shop.example.com/v1, Kind=Till \"ns/a\": updated validation is too restrictive",
            "OLM Classic",
            "tills.shop.example.com",
        ),
    ] {
        let decoded = decode(message).unwrap_or_else(|| panic!("{message}"));
        assert_eq!(decoded.system, system, "{message}");
        assert_eq!(decoded.culprits.join(","), culprits, "{message}");
        assert!(!decoded.next.is_empty(), "{message}");
        assert!(decoded.next.iter().all(|it| !it.contains("''") && !it.contains("{0}")), "{:?}", decoded.next);
    }
    // No row hides behind another.
    for (idx, known) in patterns().enumerate() {
        let text = known.marks.join(" ");
        let first = patterns().position(|it| it.marks.iter().all(|mark| text.contains(mark)));
        assert_eq!(first, Some(idx), "{text}");
    }
}

#[test]
fn messages_of_tools_before_olm_are_known() {
    for (message, system, says) in [
        ("level=fatal msg=\"failed to build cache: stat .: permission denied\"", "opm", "g=u"),
        ("integrity checks failed: compute digest: open /configs/a.yaml: permission denied", "opm", "g=u"),
        (
            "index image quay.io/a/b:v1 missing label operators.operatorframework.io.index.database.v1",
            "opm",
            "file-based",
        ),
        ("`opm index prune` only supports sqlite-based catalogs. See https://example.com", "opm", "keeps the named"),
        ("timeout: failed to connect service \":50051\" within 1s", "the pod of a registry", "probe"),
        ("the current default channel \"a\" of package \"b\" could not be determined", "oc-mirror", "defaultChannel"),
        ("configuration missing the `mirror` stanza", "oc-mirror", "spec.mirror"),
        ("Docker references with both a tag and digest are currently not supported", "skopeo", "Leave out the tag"),
        ("reading manifest v1 in quay.io/a/b: manifest unknown", "skopeo", "mirror lacks it"),
        ("choosing image instance: no image found in image index for architecture \"arm64\"", "skopeo", "platform"),
        ("pinging container registry a: http: server gave HTTP response to HTTPS client", "skopeo", "TLS"),
        ("x509: certificate signed by unknown authority", "skopeo", "additionalTrustedCA"),
        ("operator \"quay\" not found in catalog", "oc-mirror", "no package"),
        ("integrity check failed: cache requires rebuild: cache reports", "opm", "=false"),
    ] {
        let decoded = decode(message).unwrap_or_else(|| panic!("{message}"));
        assert!(decoded.system.starts_with(system) && decoded.meaning.contains(says), "{message}: {decoded:?}");
    }
}

#[test]
fn messages_of_v1_are_known() {
    let message = "error upgrading from currently installed version \"1.0.0\": no bundles found for package \"keda\" \
                   matching version \">=2\" in channels [stable]";
    let decoded = decode(message).unwrap();
    assert_eq!(decoded.system, "OLM v1");
    assert_eq!(decoded.culprits, ["keda", ">=2", "1.0.0"]);
}

#[test]
fn statuses_and_events_are_known_and_tell_what_to_do() {
    for (message, system, says) in [
        ("could not cast install strategy as type *x", "OLM Classic", "spec.install"),
        ("install timeout", "OLM Classic", "five minutes"),
        ("APIService install failed: deadline exceeded", "OLM Classic", "API server"),
        ("no targetNamespaces are matched operatorgroups namespace selection", "OLM Classic", "labels"),
        ("waiting for install components to report healthy", "OLM Classic", "No problem"),
        ("retrying execution due to error: secret s does not exist - secrets \"s\" not found", "OLM Classic", "secret"),
        ("unpack job not completed: Reason: ImagePullBackOff, Message: image \"i\"", "OLM Classic", "cannot pull"),
        ("targeted catalogsource a/b unhealthy", "OLM Classic", "does not answer"),
        ("couldn't ensure registry server - error ensuring pod", "OLM Classic", "Pod Security"),
        (
            "api-server resource not found installing CustomResourceDefinition a.b: GroupVersionKind c not found on the \
          cluster",
            "OLM Classic",
            "no longer has",
        ),
        ("x.v1 is incompatible with OpenShift minor versions greater than 4.9", "OLM Classic", "Patch releases"),
        (
            "error validating existing CRs against new CRD's schema for \"a.b\": conversion webhook for b/v1, Kind=A \
          failed: not found",
            "OLM Classic",
            "do not delete them",
        ),
        (
            "error creating role r: roles.rbac.authorization.k8s.io is forbidden: cannot create resource \"roles\"",
            "OLM Classic",
            "serviceAccountName",
        ),
        ("unsupported bundle: webhookDefinitions are not supported", "OLM v1", "certificates"),
        ("Revision has not rolled out for 10 minutes.", "OLM v1", "deadline"),
        ("error performing request: Get \"https://c/catalogs/shop/api\": timeout", "OLM v1", "catalogd"),
        (
            "catalog image is missing the required label \"operators.operatorframework.io.index.configs.v1\"",
            "catalogd",
            "no file-based catalog",
        ),
    ] {
        let decoded = decode(message).unwrap_or_else(|| panic!("{message}"));
        assert_eq!(decoded.system, system, "{message}");
        assert!(decoded.meaning.contains(says), "{message}: {}", decoded.meaning);
        assert!(!decoded.next.is_empty(), "{message}");
    }
}

#[test]
fn the_trouble_of_a_paste_comes_before_its_reassurances() {
    let conditions = "- message: all available catalogsources are healthy\n  status: 'False'\n  type: CatalogSourcesUnhealthy\n\
                      - message: 'error validating existing CRs against new CRD''s schema for \"a.b\": x'\n  \
                      status: 'True'\n  type: InstallPlanFailed\n\
                      - message: 'bundle unpacking failed'\n  status: 'True'\n  type: BundleUnpackFailed\n";
    let decoded = decode(conditions).unwrap();
    assert_eq!((decoded.condition.as_str(), decoded.culprits.join(",")), ("InstallPlanFailed", "a.b".to_owned()));
    assert_eq!(decoded.others.iter().map(|it| it.condition.as_str()).collect::<Vec<_>>(), ["BundleUnpackFailed"]);
    let well = decode("message: Serving desired content from resolved source\nstatus: 'True'\ntype: Serving").unwrap();
    assert!(well.meaning.starts_with("No problem"), "{well:?}");
    // Half a message is better than none.
    let cut =
        "a.v1 exists and is not referenced by a subscription, subscription s requires at least one of c/n/ch/a.v1, c/";
    assert!(decode(cut).unwrap().culprits.contains(&"s".to_owned()));
}

#[test]
fn names_of_conditions_and_reasons_are_explained() {
    for (text, says) in [
        ("ConstraintsNotSatisfiable", "contradict"),
        ("resolutionfailed", "installs and upgrades nothing"),
        ("ResolutionFailed=True ConstraintsNotSatisfiable", "contradict"),
        ("type: Progressing\nreason: Retrying", "tries again"),
        ("condition BundleUnpackFailed", "unpack"),
    ] {
        let decoded = decode(text).unwrap_or_else(|| panic!("{text}"));
        assert!(decoded.meaning.contains(says) && !decoded.next.is_empty(), "{text}: {decoded:?}");
    }
    assert_eq!(decode("ResolutionFailed somehow"), None);
    let table = include_str!("names.tsv");
    assert!(table.lines().all(|line| line.split('\t').count() == 4), "a line has four fields");
    let names: Vec<&str> = table.lines().flat_map(|line| line.split('\t').next().unwrap().split(',')).collect();
    assert!(names.iter().all(|name| decode(name).is_some()), "{names:?}");
}
