//! Messages that are recognized by their words alone, as a table: the conditions of ClusterServiceVersions,
//! OperatorGroups, InstallPlans and CatalogSources, OLM v1's checks before it installs, and the refusals of opm and
//! oc-mirror.

use super::builder::{CLASSIC, CSVS, EXTENSIONS, GROUPS, MARKETPLACE_PODS, PLANS, SOURCES, V1};
use super::rule::MessagePattern;

const OPM: &str = "opm";

/// All of them; the first that fits counts.
pub(super) const PATTERNS: &[MessagePattern] = &[
    MessagePattern {
        system: CLASSIC,
        marks: &["failed to populate resolver cache from source"],
        meaning: "OLM cannot read a catalog: its registry pod is not running, not reachable, or reports an error. \
            Until the catalog answers again or is deleted, OLM resolves nothing in any namespace that sees the \
            catalog, even if no operator there uses it.",
        names: &[("resolver cache from source ", ":")],
        next: &[SOURCES, MARKETPLACE_PODS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["multiple operatorgroups"],
        meaning: "The namespace has more than one OperatorGroup, so OLM installs nothing there. Delete all but one.",
        names: &[],
        next: &[GROUPS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["more than one operator group"],
        meaning: "The namespace has more than one OperatorGroup, so OLM installs nothing there. Delete all but one.",
        names: &[],
        next: &[GROUPS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["no operatorgroup"],
        meaning: "The namespace has no OperatorGroup, so OLM installs nothing there. Create one.",
        names: &[],
        next: &[GROUPS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["no operator group found"],
        meaning: "The namespace has no OperatorGroup, so OLM installs nothing there. Create one.",
        names: &[],
        next: &[GROUPS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["InstallModeType not supported"],
        meaning: "The OperatorGroup selects namespaces in a way that the operator does not support. Change \
                  spec.targetNamespaces of the OperatorGroup, or install the operator in a namespace whose group fits one of \
                  its spec.installModes.",
        names: &[],
        next: &[GROUPS, CSVS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["intersecting operatorgroups provide the same APIs"],
        meaning: "Another OperatorGroup watches some of the same namespaces, and an operator in it already provides the same \
                  APIs. Remove one of the two operators, or make the groups' target namespaces disjoint.",
        names: &[],
        next: &[GROUPS, CSVS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["static provided API"],
        meaning: "The OperatorGroup has spec.staticProvidedAPIs, and the operator provides an API that is not in its list. Add the \
                  API to the annotation olm.providedAPIs of the group, or unset staticProvidedAPIs.",
        names: &[],
        next: &[GROUPS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["minKubeVersion", "server version"],
        meaning: "The operator needs a newer Kubernetes than the cluster has. Upgrade the cluster, or install an older version of \
                  the operator.",
        names: &[],
        next: &["kubectl version", CSVS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["requirements couldn't be found"],
        meaning: "The cluster lacks something that the operator needs: a CRD, an API service, a service account or its \
            permissions. status.requirementStatus of the ClusterServiceVersion lists each with its state; those that \
            are not Present are missing.",
        names: &[],
        next: &["kubectl get clusterserviceversions -A -o jsonpath='{.items[*].status.requirementStatus}'"],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["requirements no longer met"],
        meaning: "Something that the operator needs was removed. status.requirementStatus of the \
                  ClusterServiceVersion lists each requirement with its state.",
        names: &[],
        next: &["kubectl get clusterserviceversions -A -o jsonpath='{.items[*].status.requirementStatus}'"],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["onflicting CRD owner in namespace"],
        meaning: "Another operator in the namespace also owns a CRD of this one. Only one of them may be installed \
            there.",
        names: &[],
        next: &[CSVS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["crd owner conflict"],
        meaning: "Another operator also owns a CRD of this one. Only one of them may be installed.",
        names: &[],
        next: &[CSVS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["multiple existing", "owners"],
        meaning: "Several installed operators own the CRD that this one brings. Remove all but one.",
        names: &[],
        next: &[CSVS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["install strategy failed"],
        meaning: "OLM could not create the operator's objects: its deployments, service accounts, roles or webhooks. The \
                  text after the colon is the API server's.",
        names: &[],
        next: &["kubectl get events -A --sort-by=.lastTimestamp", CSVS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["install failed: deployment "],
        meaning: "The operator's deployment did not become ready in time: check its pods. OLM tries again.",
        names: &[("install failed: deployment ", " ")],
        next: &["kubectl get pods -A --field-selector=status.phase!=Running", "kubectl get deployments -A"],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["waiting for deployment ", "to become ready"],
        meaning: "OLM is installing the operator: its deployment is not ready yet. If this persists, check its pods.",
        names: &[("waiting for deployment ", " ")],
        next: &["kubectl get deployments -A", "kubectl get events -A --sort-by=.lastTimestamp"],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["perator is not upgradeable"],
        meaning: "The operator itself reports in its OperatorCondition that it must not be upgraded now. OLM waits until it \
                  reports Upgradeable, or the condition is overridden.",
        names: &[],
        next: &["kubectl get operatorconditions -A -o yaml"],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["being replaced by csv: "],
        meaning: "An upgrade is in progress: the new version replaces this one. If this persists, check the new one.",
        names: &[("being replaced by csv: ", " ")],
        next: &[CSVS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["targeted catalogsource", "missing"],
        meaning: "The Subscription names a CatalogSource that does not exist. Correct spec.source and spec.sourceNamespace.",
        names: &[("targeted catalogsource ", " ")],
        next: &[SOURCES, "kubectl get subscriptions -A"],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["all available catalogsources are healthy"],
        meaning: "No problem: every catalog answers.",
        names: &[],
        next: &["kubectl get subscriptions -A"],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["retry execution due to error"],
        meaning: "OLM could not carry out a step of the InstallPlan, and tries again. The text after the message tells \
            why.",
        names: &[],
        next: &[PLANS],
    },
    MessagePattern {
        system: V1,
        marks: &["validating upgrade for CRD "],
        meaning: "A CRD of the new version would break objects or clients of the installed one, so OLM does not \
            upgrade. Each line names a version, a field and the change. Wait for a version without the change; or, if \
            no client on the cluster depends on it, set spec.install.preflight.crdUpgradeSafety.enforcement to None.",
        names: &[("validating upgrade for CRD \"", "\"")],
        next: &["kubectl get crd {0} -o yaml", "olmdex diff OLD NEW --only crd"],
    },
    MessagePattern {
        system: V1,
        marks: &["failed upgrade safety validation"],
        meaning: "A CRD of the new version would break objects or clients of the installed one, so OLM does not \
            upgrade. Wait for a version without the change; or, if no client on the cluster depends on it, set \
            spec.install.preflight.crdUpgradeSafety.enforcement to None.",
        names: &[("CustomResourceDefinition '", "'"), ("CustomResourceDefinition \"", "\"")],
        next: &["kubectl get crd {0} -o yaml", "olmdex diff OLD NEW --only crd"],
    },
    MessagePattern {
        system: V1,
        marks: &["pre-authorization failed"],
        meaning: "The service account of the ClusterExtension lacks permissions that installing the bundle needs. Grant it the \
                  permissions that the message lists.",
        names: &[],
        next: &[EXTENSIONS, "kubectl auth can-i --list --as=system:serviceaccount:NAMESPACE:NAME"],
    },
    MessagePattern {
        system: V1,
        marks: &["service account", "not found in namespace"],
        meaning: "spec.serviceAccount of the ClusterExtension names a service account that does not exist in spec.namespace. Create \
                  it with the roles that the bundle needs.",
        names: &[("service account \"", "\""), ("in namespace \"", "\"")],
        next: &[EXTENSIONS, "kubectl get serviceaccounts -n {1}"],
    },
    MessagePattern {
        system: V1,
        marks: &["is forbidden: User \"system:serviceaccount:"],
        meaning: "A service account lacks a permission, which the message names. Extend its role.",
        names: &[("User \"", "\"")],
        next: &["kubectl auth can-i --list --as={0}"],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["Bundle image pull failed"],
        meaning: "OLM cannot pull the image of a bundle, so it cannot unpack it. The message lists common causes: a \
            reference that does not exist, a missing pull secret or mirror, or an unreachable registry. Fix the cause; \
            OLM tries again about five minutes after the failure, and logs are gone by then.",
        names: &[],
        next: &[
            "kubectl get jobs,pods -n openshift-marketplace",
            "kubectl get events -A --field-selector=reason=Failed",
        ],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["Bundle unpacking failed", "Auto-retry"],
        meaning: "The job that unpacks a bundle has failed, for the reason in the message. Kubernetes removes the job \
            about five minutes later, with its logs, and OLM starts another one. Fix the cause; you need not delete \
            anything by hand.",
        names: &[],
        next: &["kubectl get jobs,pods -n openshift-marketplace"],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["Bundle unpacking failed"],
        meaning: "The job that unpacks a bundle has failed, for the reason in the message: the pull of the image \
            failed, the image is not a bundle, or the job took too long. Older releases of OLM do not try again: \
            delete the job and its ConfigMap, or set operatorframework.io/bundle-unpack-min-retry-interval on the \
            OperatorGroup.",
        names: &[],
        next: &["kubectl get jobs,pods,configmaps -n openshift-marketplace"],
    },
    MessagePattern {
        system: V1,
        marks: &["invalid ClusterExtension configuration"],
        meaning: "spec.config.inline of the ClusterExtension does not fit the bundle: a field is unknown, is missing, \
            or has a value of the wrong form. The bundle's install modes determine its fields: `watchNamespace` exists \
            if the bundle does not watch all namespaces. Change the ClusterExtension; until then OLM does not install \
            the bundle.",
        names: &[("field \"", "\""), ("resolved bundle \"", "\"")],
        next: &[EXTENSIONS],
    },
    MessagePattern {
        system: V1,
        marks: &["revision object collisions in phase"],
        meaning: "Objects of the new revision already exist and belong to another owner: the message names each with \
            its owner, often an operator that OLM Classic installed, or another ClusterExtension. OLM tries again \
            every ten seconds. Remove the other owner first.",
        names: &[("Object ", " Action")],
        next: &[CSVS, EXTENSIONS],
    },
    MessagePattern {
        system: V1,
        marks: &["does not support AllNamespaces install mode"],
        meaning: "OLM v1 installs only operators that watch all namespaces, and this bundle does not support that.",
        names: &[],
        next: &[EXTENSIONS],
    },
    MessagePattern {
        system: V1,
        marks: &["invalid ownership metadata"],
        meaning: "An object that the bundle brings already exists and belongs to another owner, for example to an \
            operator that OLM Classic installed. Remove the other owner first.",
        names: &[],
        next: &[CSVS, EXTENSIONS],
    },
    MessagePattern {
        system: V1,
        marks: &["already exists in namespace", "cannot be managed"],
        meaning: "An object that the bundle brings already exists and belongs to another ClusterExtension.",
        names: &[],
        next: &[EXTENSIONS],
    },
    MessagePattern {
        system: V1,
        marks: &["source bundle content:"],
        meaning: "OLM cannot pull or read the image of the bundle; it tries again. Check the pull secret and, on a \
            disconnected cluster, the mirror.",
        names: &[],
        next: &[EXTENSIONS],
    },
    MessagePattern {
        system: OPM,
        marks: &["cache requires rebuild"],
        meaning: "The cache in the catalog image does not match the catalog next to it: the catalog was changed, or \
            the cache was built by another version of opm. Build the image again and run `opm serve CONFIGS \
            --cache-dir=DIR --cache-only` as its last step; or leave out `--cache-dir`, with which opm insists on the \
            cache unless `--cache-enforce-integrity=false` is set. OLM adds that option for \
            spec.grpcPodConfig.extractContent of a CatalogSource only if it has `cacheDir`: leave that out.",
        names: &[],
        next: &["olmdex validate CATALOG", MARKETPLACE_PODS],
    },
    MessagePattern {
        system: OPM,
        marks: &["integrity check failed"],
        meaning: "`opm serve` with `--cache-dir` expects a cache that was built earlier, but finds none that fits. Run \
            `opm serve CONFIGS --cache-dir=DIR --cache-only` when the image is built.",
        names: &[],
        next: &["olmdex validate CATALOG", MARKETPLACE_PODS],
    },
    MessagePattern {
        system: OPM,
        marks: &["cache directory has unexpected contents"],
        meaning: "The directory of `--cache-dir` holds something other than a cache of opm. Name an empty directory.",
        names: &[("unexpected contents: ", "")],
        next: &["olmdex validate CATALOG"],
    },
    MessagePattern {
        system: "opm or oc-mirror",
        marks: &["multiple channel heads"],
        meaning: "A channel has several entries that no other entry replaces or skips, so its newest entry is unclear. \
            Often a filter by version has removed the entries that connected them: widen minVersion and maxVersion, or \
            add the missing `replaces` or `skips`.",
        names: &[("invalid package \"", "\""), ("invalid channel \"", "\""), ("channel heads found: [", "]")],
        next: &["olmdex check CATALOG --only graph", "olmdex validate CATALOG"],
    },
    MessagePattern {
        system: "opm or oc-mirror",
        marks: &["no channel head"],
        meaning: "Every entry of a channel is replaced or skipped by another, so the channel has no newest entry: its edges form a cycle.",
        names: &[("invalid package \"", "\""), ("invalid channel \"", "\"")],
        next: &["olmdex check CATALOG --only graph", "olmdex validate CATALOG"],
    },
    MessagePattern {
        system: OPM,
        marks: &["channel contains one or more stranded bundles"],
        meaning: "The chain of `replaces` from a channel's head does not reach some entries, and no entry skips them: \
            clusters that run them get no more upgrades.",
        names: &[("stranded bundles: ", "")],
        next: &["olmdex validate CATALOG"],
    },
    MessagePattern {
        system: OPM,
        marks: &["detected cycle in replaces chain"],
        meaning: "The entries of a channel replace each other in a cycle.",
        names: &[],
        next: &["olmdex validate CATALOG"],
    },
];
