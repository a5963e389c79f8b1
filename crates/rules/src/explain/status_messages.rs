//! Messages of statuses, events and logs that their words alone explain: of ClusterServiceVersions, InstallPlans,
//! CatalogSources and unpack jobs of OLM Classic, and of ClusterExtensions and ClusterCatalogs of OLM v1. The words are
//! those of the real systems' sources (operator-framework's operator-lifecycle-manager and operator-controller).

use super::builder::{CLASSIC, CSVS, EXTENSIONS, GROUPS, MARKETPLACE_PODS, PLANS, SOURCES, V1};
use super::rule::MessagePattern;

const CATALOGD: &str = "catalogd";

const EVENTS: &str = "kubectl get events -A --sort-by=.lastTimestamp";
const DEPLOYMENTS: &str = "kubectl get deployments -A";
const UNPACK: &str = "kubectl get jobs,pods -n openshift-marketplace";
const CATALOGS: &str = "kubectl get clustercatalogs";
const CATALOGD_PODS: &str = "kubectl get pods -A -l app.kubernetes.io/name=catalogd";
const REVISIONS: &str = "kubectl get clusterobjectsets,clusterextensionrevisions -o yaml";
const REQUIREMENTS: &str = "kubectl get clusterserviceversions -A -o jsonpath='{.items[*].status.requirementStatus}'";

/// All of them; the first that fits counts.
pub(super) const PATTERNS: &[MessagePattern] = &[
    MessagePattern {
        system: CLASSIC,
        marks: &["is owned by another ClusterServiceVersion"],
        meaning: "A ServiceAccount that the operator needs belongs to another ClusterServiceVersion, often to its own \
            previous version that is not gone. Once that version is removed, OLM goes on.",
        names: &[],
        next: &[CSVS],
    },
    MessagePattern {
        system: V1,
        marks: &["catalog \"", "is not being served"],
        meaning: "catalogd has not unpacked this catalog, or its ClusterCatalog is `Unavailable`, so OLM v1 resolves \
            nothing from it. The conditions of the ClusterCatalog name the reason.",
        names: &[("catalog \"", "\"")],
        next: &["kubectl describe clustercatalog {0}", CATALOGD_PODS],
    },
    MessagePattern {
        system: V1,
        marks: &["ServiceAccount \"", "\" not found"],
        meaning: "A ServiceAccount does not exist: that of `spec.serviceAccount` of the ClusterExtension, or one that \
            an operator needs. Create it in its namespace.",
        names: &[("ServiceAccount \"", "\"")],
        next: &["kubectl get serviceaccounts -A --field-selector metadata.name={0}", EXTENSIONS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["could not cast install strategy"],
        meaning: "The ClusterServiceVersion has a spec.install that OLM cannot read: its strategy is not \
            `deployment`, or its spec is malformed. Only its author can correct it.",
        names: &[],
        next: &[CSVS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["install timeout"],
        meaning: "OLM waited five minutes for the operator's deployments, and they did not become ready. Look at \
            their pods: images that cannot be pulled, missing secrets, resources or permissions are the usual \
            causes. OLM tries again by itself.",
        names: &[],
        next: &[DEPLOYMENTS, EVENTS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["APIService install failed"],
        meaning: "The operator serves an API by itself, and the API server does not get an answer from it. Look \
            at the operator's pod, its Service and the certificate of the APIService.",
        names: &[],
        next: &["kubectl get apiservices", DEPLOYMENTS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["Webhook install failed"],
        meaning: "OLM could not set up a webhook of the operator; the text after the colon says why. A \
            conversion webhook needs its CRD in the same ClusterServiceVersion, and an operator that supports \
            all namespaces.",
        names: &[],
        next: &[CSVS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["csv missing olm.targetNamespaces annotation"],
        meaning: "The ClusterServiceVersion has no annotation olm.targetNamespaces. OLM writes it from the \
            OperatorGroup of the namespace; if the group exists, OLM corrects this by itself.",
        names: &[],
        next: &[GROUPS, CSVS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["no targetNamespaces are matched"],
        meaning: "The OperatorGroup selects namespaces by labels, and no namespace has them. Correct \
            spec.selector, or label a namespace.",
        names: &[],
        next: &[GROUPS, "kubectl get namespaces --show-labels"],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["unable to adopt APIService"],
        meaning: "Another operator, or somebody by hand, has made the APIService that this operator serves. \
            Remove the other owner, or delete the APIService if nobody needs it.",
        names: &[],
        next: &["kubectl get apiservices", CSVS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["CSV contains repeated WebhookDescription name"],
        meaning: "The ClusterServiceVersion describes two webhooks of one name, so OLM refuses it. Only its \
            author can correct it.",
        names: &[],
        next: &[CSVS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["require a cert refresh"],
        meaning: "No problem: the certificates of the operator's webhooks or APIs come to their end, and OLM \
            makes new ones by itself.",
        names: &[],
        next: &[CSVS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["has been replaced by a newer ClusterServiceVersion"],
        meaning: "No problem: a newer version of the operator has taken over, and OLM deletes this \
            ClusterServiceVersion.",
        names: &[],
        next: &[CSVS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["waiting for install components to report healthy"],
        meaning: "No problem yet: OLM has created the operator's objects and waits for its deployments, five \
            minutes at most.",
        names: &[],
        next: &[DEPLOYMENTS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["requirements not yet checked"],
        meaning: "No problem: OLM has just seen the ClusterServiceVersion.",
        names: &[],
        next: &[CSVS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["requirements not met"],
        meaning: "The cluster lacks something that the operator needs: a CRD, an API service, a service account \
            or its permissions. status.requirementStatus of the ClusterServiceVersion lists each with its state.",
        names: &[],
        next: &[REQUIREMENTS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["all requirements found, attempting install"],
        meaning: "No problem: OLM begins to install the operator.",
        names: &[],
        next: &[CSVS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["install strategy completed with no errors"],
        meaning: "No problem: the operator is installed.",
        names: &[],
        next: &[CSVS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["calculated deployment install is bad"],
        meaning: "OLM could not work out the operator's deployments from the ClusterServiceVersion. The log of \
            the olm-operator says why.",
        names: &[],
        next: &[CSVS, "kubectl logs -n olm deployment/olm-operator"],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["conversion webhook for "],
        meaning: "OLM could not list the existing objects, because the webhook that converts them between \
            versions does not answer. The objects themselves are not at fault, so do not delete them: make the \
            pods of the operator that serves the webhook run, or if that operator is gone, set spec.conversion \
            of the CRD to None.",
        names: &[("conversion webhook for ", ","), ("schema for \"", "\"")],
        next: &[
            "kubectl get crd {1} -o jsonpath='{.spec.conversion}'",
            "kubectl get pods -A --field-selector=status.phase!=Running",
        ],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["error listing resources in GroupVersionResource"],
        meaning: "OLM could not list the existing objects of the CRD, so it does not know whether they fit. The \
            text at the end is the API server's; a conversion webhook that does not answer is the usual cause.",
        names: &[("schema for \"", "\"")],
        next: &["kubectl get crd {0} -o yaml"],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["api-server resource not found installing"],
        meaning: "The bundle brings an object of an API that this version of Kubernetes no longer has, such as \
            apiextensions.k8s.io/v1beta1. Choose a newer version of the operator; this one cannot be installed \
            here.",
        names: &[("not found installing ", ":"), ("GroupVersionKind ", " not found")],
        next: &[PLANS, "kubectl api-resources"],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["the object has been modified"],
        meaning: "No problem: two controllers wrote an object at the same time, and the later one tries again. \
            If an InstallPlan has failed with it, delete the InstallPlan's Subscription and \
            ClusterServiceVersion, and subscribe again.",
        names: &[],
        next: &[PLANS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["must appear in spec.versions"],
        meaning: "The new CRD lacks a version in which objects may still be stored, so the API server refuses \
            it. Migrate the objects, and remove the version from status.storedVersions of the CRD.",
        names: &[("CRD \"", "\"")],
        next: &["kubectl get crd {0} -o jsonpath='{.status.storedVersions}'"],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["could not find any versions in the new CRD"],
        meaning: "The CRD of the bundle has no versions. Only its author can correct it.",
        names: &[("updating \"", "\"")],
        next: &[PLANS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["CustomResourceDefinition", "is invalid:"],
        meaning: "The API server refuses the CRD of the bundle for the reason at the end. Choose another version \
            of the operator, or tell its author.",
        names: &[],
        next: &[PLANS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["secret ", " does not exist"],
        meaning: "OLM looks for a secret that does not exist. Create it in the same namespace, or remove the \
            reference to it.",
        names: &[("secret ", " does not exist")],
        next: &["kubectl get secrets -A"],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["attenuated service account query failed"],
        meaning: "OLM could not find out with which service account it is to install: the OperatorGroup names \
            one in spec.serviceAccountName that does not exist, or the namespace has more than one group.",
        names: &[],
        next: &[GROUPS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["error creating ", "forbidden"],
        meaning: "OLM may not create an object of the operator. If the OperatorGroup names a service account in \
            spec.serviceAccountName, OLM installs with its rights: give it the missing ones.",
        names: &[],
        next: &[GROUPS, PLANS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["cannot create resource"],
        meaning: "An account may not create an object. If the OperatorGroup names a service account in \
            spec.serviceAccountName, OLM Classic installs with its rights; OLM v1 up to OpenShift 4.22 uses \
            spec.serviceAccount of the ClusterExtension. Give the account the missing rights.",
        names: &[("User \"", "\""), ("cannot create resource \"", "\"")],
        next: &[GROUPS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["referenced catalogsource not found"],
        meaning: "The InstallPlan was made from a CatalogSource that no longer exists. Create it again, or \
            delete the Subscription and subscribe anew from another one.",
        names: &[],
        next: &[SOURCES, PLANS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["ImagePullBackOff"],
        meaning: "The cluster cannot pull the image of the bundle or of the catalog: the registry does not \
            answer, the image is not there, or a pull secret is missing. OLM waits, and tries again.",
        names: &[("image \"", "\"")],
        next: &[UNPACK, EVENTS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["ErrImagePull"],
        meaning: "The cluster cannot pull the image of the bundle or of the catalog: the text after it says why. \
            OLM waits, and tries again.",
        names: &[("image \"", "\"")],
        next: &[UNPACK, EVENTS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["unpack job not completed"],
        meaning: "OLM unpacks the bundle, and the job has not ended. If this persists, look at its pod.",
        names: &[],
        next: &[UNPACK],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["unpack job not yet started"],
        meaning: "No problem yet: OLM is about to unpack the bundle.",
        names: &[],
        next: &[UNPACK],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["have not yet been persisted to installplan status"],
        meaning: "No problem yet: OLM has unpacked the bundle, and writes its objects into the InstallPlan next.",
        names: &[],
        next: &[PLANS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["targeted catalogsource ", " unhealthy"],
        meaning: "The CatalogSource that the Subscription names does not answer. Until it does, OLM resolves \
            nothing in any namespace that sees it.",
        names: &[("targeted catalogsource ", " ")],
        next: &[SOURCES, MARKETPLACE_PODS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["dependency resolution requires at least one catalogsource"],
        meaning: "The namespace sees no CatalogSource at all. Create one in it, or in the global namespace of \
            catalogs.",
        names: &[],
        next: &[SOURCES],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["image and address unset"],
        meaning: "The CatalogSource has sourceType grpc, and neither spec.image nor spec.address. Set one of \
            them.",
        names: &[],
        next: &[SOURCES],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["couldn't ensure registry server"],
        meaning: "OLM could not create the pod or the service of the CatalogSource; the text after it says why. \
            If Pod Security forbids the pod, set spec.grpcPodConfig.securityContextConfig to restricted, or \
            label the namespace.",
        names: &[],
        next: &[SOURCES, MARKETPLACE_PODS, EVENTS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["couldn't connect to registry"],
        meaning: "OLM cannot reach the pod of the CatalogSource: it does not run, or a network policy is in the \
            way.",
        names: &[],
        next: &[SOURCES, MARKETPLACE_PODS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["warning(s) generated during operator installation"],
        meaning: "No problem for the installation: the API server warned about objects of the operator, for \
            example about APIs that are deprecated.",
        names: &[],
        next: &[PLANS],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["failed to get catalog config map"],
        meaning: "The CatalogSource is of type internal or configmap, and its ConfigMap does not exist.",
        names: &[("config map ", ":")],
        next: &[SOURCES, "kubectl get configmaps -A"],
    },
    MessagePattern {
        system: CLASSIC,
        marks: &["TargetNamespaces cannot contain NamespaceAll"],
        meaning: "spec.targetNamespaces of the OperatorGroup names all namespaces (an empty name) beside others. \
            Remove the list for all namespaces, or the empty name.",
        names: &[],
        next: &[GROUPS],
    },
    MessagePattern {
        system: V1,
        marks: &["unsupported bundle: apiServiceDefintions are not supported"],
        meaning: "The bundle brings API services, which OLM v1 does not install. It cannot be installed with OLM \
            v1; OLM Classic can.",
        names: &[("bundle \"", "\"")],
        next: &[EXTENSIONS],
    },
    MessagePattern {
        system: V1,
        marks: &["unsupported bundle: webhookDefinitions are not supported"],
        meaning: "The bundle brings webhooks, and operator-controller has no provider of certificates for them: \
            the feature gate WebhookProviderCertManager or WebhookProviderOpenshiftServiceCA is off. Before \
            OpenShift 4.20 OLM v1 does not install such a bundle; OLM Classic can.",
        names: &[("bundle \"", "\"")],
        next: &[EXTENSIONS],
    },
    MessagePattern {
        system: V1,
        marks: &["bundle must support at least one of"],
        meaning: "The bundle supports none of the install modes that OLM v1 can use. OLM Classic can install it \
            if it supports MultiNamespace.",
        names: &[("bundle \"", "\"")],
        next: &[EXTENSIONS],
    },
    MessagePattern {
        system: V1,
        marks: &["unsupported bundle:"],
        meaning: "OLM v1 does not install such a bundle, for the reason behind `unsupported bundle`. OLM Classic \
            may.",
        names: &[("bundle \"", "\"")],
        next: &[EXTENSIONS],
    },
    MessagePattern {
        system: V1,
        marks: &["retrying to get installed bundle"],
        meaning: "operator-controller could not find out what is installed; it tries again. The text behind it \
            says why.",
        names: &[],
        next: &[EXTENSIONS],
    },
    MessagePattern {
        system: V1,
        marks: &["installed bundle not found"],
        meaning: "No problem before the first installation: nothing of the ClusterExtension is installed yet.",
        names: &[],
        next: &[EXTENSIONS],
    },
    MessagePattern {
        system: V1,
        marks: &["catalog content unavailable and no"],
        meaning: "OLM v1 cannot read the catalogs, and nothing of the ClusterExtension is installed yet, so it \
            can do nothing. Make the ClusterCatalogs serve.",
        names: &[],
        next: &[CATALOGS, EXTENSIONS],
    },
    MessagePattern {
        system: V1,
        marks: &["unexpected release state"],
        meaning: "The Helm release in which OLM v1 keeps the installation is in a state that it cannot handle. \
            Look at the secrets of the release in spec.namespace; deleting the newest one makes OLM v1 try \
            again.",
        names: &[("release state \"", "\"")],
        next: &[EXTENSIONS],
    },
    MessagePattern {
        system: V1,
        marks: &[" is rolling out"],
        meaning: "No problem yet: OLM v1 rolls out this revision.",
        names: &[],
        next: &[REVISIONS],
    },
    MessagePattern {
        system: V1,
        marks: &[" has rolled out"],
        meaning: "No problem: this revision is installed.",
        names: &[],
        next: &[REVISIONS],
    },
    MessagePattern {
        system: V1,
        marks: &["Revision has not rolled out for"],
        meaning: "The revision takes longer than its deadline: objects of it do not become ready. Its conditions \
            name them.",
        names: &[],
        next: &[REVISIONS, EVENTS],
    },
    MessagePattern {
        system: V1,
        marks: &["revision validation error"],
        meaning: "OLM v1 refuses the objects of a revision before it applies them; the text behind it says \
            which.",
        names: &[],
        next: &[REVISIONS],
    },
    MessagePattern {
        system: V1,
        marks: &["phase ", " validation error"],
        meaning: "OLM v1 refuses objects in a phase of a revision before it applies them; the text behind it \
            says which.",
        names: &[],
        next: &[REVISIONS],
    },
    MessagePattern {
        system: V1,
        marks: &["error performing request"],
        meaning: "operator-controller cannot reach catalogd, so it does not know the content of the catalog. \
            Look at the pods of catalogd and at network policies.",
        names: &[("/catalogs/", "/")],
        next: &[CATALOGS, CATALOGD_PODS],
    },
    MessagePattern {
        system: V1,
        marks: &["received unexpected response status code"],
        meaning: "catalogd answered with an error. 404 means that it has no content of the catalog yet: look at \
            the conditions of the ClusterCatalog.",
        names: &[],
        next: &[CATALOGS],
    },
    MessagePattern {
        system: V1,
        marks: &["error retrieving cache for catalog"],
        meaning: "operator-controller could not fetch the content of the catalog from catalogd; the text behind \
            it says why.",
        names: &[("catalog \"", "\"")],
        next: &[CATALOGS, CATALOGD_PODS],
    },
    MessagePattern {
        system: V1,
        marks: &["cache for catalog ", " not found"],
        meaning: "operator-controller has not fetched the content of the catalog yet, or the ClusterCatalog does \
            not serve.",
        names: &[("catalog \"", "\"")],
        next: &[CATALOGS],
    },
    MessagePattern {
        system: V1,
        marks: &["not authorized to"],
        meaning: "The service account of the ClusterExtension lacks rights that the bundle needs; the text lists \
            them. Give it these with a ClusterRole.",
        names: &[],
        next: &[EXTENSIONS],
    },
    MessagePattern {
        system: V1,
        marks: &["creating new Revision"],
        meaning: "OLM v1 could not create the next revision of the ClusterExtension; the text behind it is the \
            API server's.",
        names: &[("bundle \"", "\"")],
        next: &[REVISIONS],
    },
    MessagePattern {
        system: V1,
        marks: &[" deprecated: "],
        meaning: "The catalog marks the installed bundle, its channel or its package as deprecated. This is \
            advice only: OLM still installs and upgrades it.",
        names: &[],
        next: &[EXTENSIONS],
    },
    MessagePattern {
        system: V1,
        marks: &["catalog selector", "is not a valid label selector operator"],
        meaning: "spec.source.catalog.selector of the ClusterExtension has an operator that does not exist. In, \
            NotIn, Exists and DoesNotExist do.",
        names: &[("selector: \"", "\"")],
        next: &[EXTENSIONS],
    },
    MessagePattern {
        system: V1,
        marks: &["no package \"", "matching version"],
        meaning: "None of the catalogs has a version of the package in that range and channel that may follow \
            the installed one (words of operator-controller before 1.0).",
        names: &[("no package \"", "\""), ("matching version \"", "\""), ("installed version \"", "\"")],
        next: &["olmdex upgrades {0} --installed {2} --olm v1", EXTENSIONS],
    },
    MessagePattern {
        system: V1,
        marks: &["status.conditions[", "Too long"],
        meaning: "The message of a condition is longer than Kubernetes allows, so operator-controller cannot \
            report it. Its log has the whole message.",
        names: &[],
        next: &["kubectl logs -n openshift-operator-controller deployment/operator-controller-controller-manager"],
    },
    MessagePattern {
        system: CATALOGD,
        marks: &["missing the required label \"operators.operatorframework.io.index.configs.v1\""],
        meaning: "The image is no file-based catalog: it lacks the label that names the directory of its \
            configuration. Legacy SQLite catalogs and other images do.",
        names: &[],
        next: &[CATALOGS],
    },
    MessagePattern {
        system: CATALOGD,
        marks: &["error storing catalog"],
        meaning: "catalogd could not keep the content of the catalog: the catalog is not valid, or the disk is \
            full. It still serves the former content.",
        names: &[],
        next: &[CATALOGS],
    },
];
