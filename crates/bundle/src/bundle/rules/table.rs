//! The rules of a valid bundle: the refusals and warnings of opm and operator-sdk, and a few of our own.
//!
//! Identifiers are never used again.

use olmdex_base::diag::rules;

rules! {
    DIRECTORIES: "E1001", "bundle-directories", Error,
        "A bundle has the directories `manifests/` and `metadata/`.",
        "Both lie directly in the bundle's directory and are real directories, not links. opm treats anything else as \
        a catalog.",
        "my-operator/1.0.0/bundle/manifests   # one level too deep";
    EMPTY: "E1002", "bundle-empty", Error,
        "`manifests/` has files.",
        "The files determine the media type of the bundle; without files, the media type is unknown.",
        "manifests/ is empty";
    WITHOUT_ANNOTATIONS: "E1003", "bundle-annotations-missing", Error,
        "A file of `metadata/` holds the annotations of the bundle.",
        "Tools find the file by its content, not by its name: it has a map `annotations` with string values.",
        "metadata/annotations.yaml is missing, or has `annotation:`";
    ANNOTATION_ABSENT: "E1004", "bundle-annotation-absent", Error,
        "A bundle has the five annotations of its format.",
        "Media type, `manifests/`, `metadata/`, package and channels; the default channel is optional.",
        "annotations: {operators.operatorframework.io.bundle.mediatype.v1: registry+v1}   # and no package";
    MEDIA_TYPE: "E1005", "bundle-media-type", Error,
        "The annotation of the media type agrees with the files.",
        "A ClusterServiceVersion makes a bundle `registry+v1`, a chart makes it `helm`, anything else `plain`. Tools \
        unpack a bundle according to this annotation.",
        "operators.operatorframework.io.bundle.mediatype.v1: plain+v0   # and a ClusterServiceVersion in manifests/";
    ANNOTATION_EMPTY: "E1006", "bundle-annotation-empty", Error,
        "Channels and default channel are not empty.",
        "Index builders put the bundle into the channels that the annotation names.",
        "operators.operatorframework.io.bundle.channels.v1: \"\"";
    DEPENDENCY_FIELD: "E1007", "bundle-dependency-field", Error,
        "A dependency has all its fields.",
        "An API has group, version and kind; a package has a name and a version range; a label has its text.",
        "{type: olm.package, value: {packageName: etcd}}";
    DEPENDENCY_RANGE: "E1008", "bundle-dependency-range", Error,
        "The version of a required package is a range.",
        "Ranges have OLM's syntax: spaces separate comparisons, `||` separates alternatives.",
        "{type: olm.package, value: {packageName: etcd, version: latest}}";
    DEPENDENCY_CONSTRAINT: "E1009", "bundle-dependency-constraint", Error,
        "A constraint among the dependencies is a valid CEL rule.",
        "In a dependencies file, opm accepts only CEL constraints, although OLM accepts others; properties may have \
        all kinds.",
        "{type: olm.constraint, value: {cel: {rule: \"nope(\"}}}";
    DEPENDENCY_TYPE: "E1010", "bundle-dependency-type", Error,
        "A dependency has a type that OLM knows, and a value of that type.",
        "The types are `olm.package`, `olm.gvk`, `olm.label` and `olm.constraint`.",
        "{type: olm.whatever, value: {}}";
    DEPENDENCIES_UNREADABLE: "W1011", "bundle-dependencies-unreadable", Warning,
        "The dependencies file is readable.",
        "opm skips a file of `metadata/` that it cannot decode, so the bundle silently has no dependencies.",
        "dependencies:\n- type: olm.package\n value: {packageName: etcd}";
    PROPERTIES_NESTED: "W1012", "bundle-properties-nested", Warning,
        "An item of the properties file has `type` and `value` at its top level.",
        "Older documentation wraps each item in `property:`. opm does not know this field and skips it, so the bundle \
        gets a property without type and value, which no constraint can match.",
        "properties:\n- property: {type: olm.maxOpenShiftVersion, value: \"4.20\"}";
    UNREADABLE_MANIFEST: "E1021", "bundle-manifest-unreadable", Error,
        "Every file of `manifests/` is a Kubernetes object.",
        "Each file holds one object, as YAML or JSON, with a `kind`. If it has several documents, only the first counts.",
        "manifests/README.md";
    STRAY_MANIFEST: "E1022", "bundle-manifest-stray", Error,
        "`manifests/` has no directories and no hidden files.",
        "OLM reads the files of one directory. Files in deeper directories are not part of the bundle.",
        "manifests/crds/things.yaml";
    WITHOUT_CSV: "E1023", "bundle-without-csv", Error,
        "A bundle has a ClusterServiceVersion.",
        "OLM installs the ClusterServiceVersion. Without one, opm's check of the content crashes.",
        "manifests/ has only definitions";
    SEVERAL_CSVS: "E1024", "bundle-several-csvs", Error,
        "A bundle has one ClusterServiceVersion.",
        "A bundle is one version of an operator.",
        "manifests/shop.v1.yaml and manifests/shop.v2.yaml";
    MISFIT: "E1025", "bundle-manifest-misfit", Error,
        "ClusterServiceVersion and definitions have fields of the right types.",
        "Tools decode both into Go types and stop at the first field that does not fit. They read versions tolerantly: \
        `v1.2` passes, `one` does not.",
        "spec: {version: one}";
    NOT_RENDERED: "E1026", "bundle-not-rendered", Error,
        "opm can make the blob of a bundle.",
        "`opm render` and index builders decode more than opm's validators do: properties and dependencies by their \
        types, and the owned and required APIs of the ClusterServiceVersion.",
        "dependencies:\n- type: olm.gvk   # without a value";
    UNSUPPORTED_KIND: "E1031", "bundle-kind-unsupported", Error,
        "A bundle has only objects of kinds that OLM applies.",
        "OLM applies a fixed list of kinds and refuses bundles with other kinds. Workloads belong in the \
        ClusterServiceVersion.",
        "kind: Deployment   # in manifests/";
    WITHOUT_NAME: "E1032", "bundle-object-without-name", Error,
        "Every object of a bundle has a name.",
        "OLM cannot apply an object without a name, and no other object can refer to it.",
        "kind: ConfigMap\nmetadata: {}";
    RELEASE_AND_SUBSTITUTE: "E1033", "bundle-release-and-substitute", Error,
        "A bundle with a release does not substitute for another bundle.",
        "A release and a substitution both mean that the bundle replaces one of the same version, in ways that exclude \
        each other.",
        "spec: {release: 1}   # and the annotation olm.substitutesFor";
    CRD_TWICE: "E1041", "bundle-crd-twice", Error,
        "A bundle defines each API only once.",
        "Two definitions with the same group, version and kind are one object on the cluster, and a random one wins.",
        "things.v1.yaml and things.v1beta1.yaml define the same API";
    OWNED_MISSING: "E1042", "bundle-owned-crd-missing", Error,
        "A bundle has the definitions that its ClusterServiceVersion owns.",
        "Name, version and kind must agree. Without the definition, OLM never installs the operator.",
        "owned: [{name: things.example.com, version: v2, kind: Thing}]   # the definition has v1 only";
    WITHOUT_OWNER: "E1043", "bundle-crd-without-owner", Error,
        "The ClusterServiceVersion owns every definition of its bundle.",
        "Other versions of an owned definition need not be listed.",
        "manifests/things.yaml is not listed in customresourcedefinitions.owned";
    ACCOUNT_CLASH: "E1044", "bundle-service-account-clash", Error,
        "A bundle does not contain the ServiceAccounts of its deployments.",
        "OLM creates these ServiceAccounts, and would conflict with the bundle over them.",
        "kind: ServiceAccount\nmetadata: {name: manager}   # which a deployment names";
    TOO_LARGE: "E1045", "bundle-too-large", Error,
        "The compressed manifests fit into a ConfigMap.",
        "OLM unpacks a bundle into a ConfigMap, which holds at most 1 MiB.",
        "a definition with megabytes of descriptions";
    NEARLY_TOO_LARGE: "W1046", "bundle-nearly-too-large", Warning,
        "The compressed manifests are well below the limit.",
        "Above 85 % of 1 MiB, one more version of a definition can be too much.",
        "a definition with megabytes of descriptions";
    RELEASE_NAME: "E1047", "bundle-release-name", Error,
        "A bundle with a release has the name PACKAGE-vVERSION-RELEASE.",
        "operator-sdk demands this name, but does not know the package, so it refuses every bundle with a release.",
        "metadata: {name: shop.v1.0.0}\nspec: {version: 1.0.0, release: 1}";
    RELATED_EMPTY: "E1048", "bundle-related-image-empty", Error,
        "Every related image has a reference.",
        "Mirroring tools copy the listed images, and stop at an empty reference.",
        "relatedImages: [{name: proxy, image: \"\"}]";
    RELATED_INVALID: "E1049", "bundle-related-image-invalid", Error,
        "Every related image is an image reference.",
        "A reference has a registry, a repository, and a tag or digest, but no scheme.",
        "relatedImages: [{name: proxy, image: \"oci://quay.io/org/proxy:v1\"}]";
    CSV_NAME: "E1051", "csv-name-invalid", Error,
        "The names in a ClusterServiceVersion are Kubernetes names with at most 63 characters.",
        "OLM writes the name into labels. `spec.replaces` is the name of another ClusterServiceVersion.",
        "metadata: {name: Shop.v1.0.0}";
    SKIP_RANGE: "E1052", "csv-skip-range-invalid", Error,
        "The annotation `olm.skipRange` is a version range.",
        "Index builders make it the `skipRange` of the entry, where opm refuses anything else (E0211). The bundle \
        validators of opm and operator-sdk do not read it.",
        "annotations: {olm.skipRange: \">=0.9.0, <1.0.0\"}";
    WITHOUT_ANNOTATIONS_OF_CSV: "W1053", "csv-without-annotations", Warning,
        "A ClusterServiceVersion has annotations.",
        "Annotations hold examples, capabilities and categories.",
        "metadata: {name: shop.v1.0.0}";
    WITHOUT_EXAMPLES: "W1054", "csv-without-examples", Warning,
        "A ClusterServiceVersion has examples of its custom resources.",
        "Consoles offer the examples as a starting point.",
        "annotations: {capabilities: Basic Install}   # and no alm-examples";
    TWO_EXAMPLES: "W1055", "csv-two-examples", Warning,
        "One annotation holds the examples.",
        "Tools read `alm-examples` and ignore `olm.examples`.",
        "annotations: {alm-examples: \"[]\", olm.examples: \"[]\"}";
    EXAMPLES_NOT_JSON: "E1056", "csv-examples-not-json", Error,
        "The examples are JSON.",
        "The annotation is a string that holds a JSON list.",
        "alm-examples: '[{\"a\":1,}]'";
    EXAMPLES_NOT_OBJECTS: "E1057", "csv-examples-not-objects", Error,
        "The examples are a list of Kubernetes objects.",
        "Each item has an `apiVersion` and a `kind`.",
        "alm-examples: '{}'";
    FOREIGN_EXAMPLE: "E1058", "csv-example-foreign", Error,
        "Every example belongs to an API that the ClusterServiceVersion provides.",
        "Otherwise a console would offer to create objects that the operator does not handle.",
        "alm-examples: '[{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}]'";
    API_WITHOUT_EXAMPLE: "W1059", "csv-api-without-example", Warning,
        "Every API that a ClusterServiceVersion provides has an example.",
        "Without an example, consoles show no form and no starting point.",
        "alm-examples: '[]'   # and an owned definition";
    OWNED_NAME: "E1060", "csv-owned-name", Error,
        "The name of an owned definition is PLURAL.GROUP.",
        "Tools take the group from the name.",
        "owned: [{name: things, version: v1, kind: Thing}]";
    INSTALL_MODES_ABSENT: "E1061", "csv-install-modes-absent", Error,
        "A ClusterServiceVersion has install modes.",
        "OLM does not install an operator that does not state which namespaces it can watch.",
        "spec: {installModes: []}";
    INSTALL_MODES_UNSUPPORTED: "E1062", "csv-install-modes-unsupported", Error,
        "At least one install mode is supported.",
        "Without a supported install mode, the operator fits no OperatorGroup.",
        "installModes: [{type: AllNamespaces, supported: false}]";
    CONVERSION_MODES: "E1063", "csv-conversion-install-modes", Error,
        "An operator with a conversion webhook supports only AllNamespaces.",
        "Definitions belong to the cluster, so a conversion serves all namespaces.",
        "webhookdefinitions: [{conversionCRDs: [things.example.com]}]   # and OwnNamespace supported";
    MIN_KUBE_ABSENT: "W1064", "csv-min-kube-version-absent", Warning,
        "A ClusterServiceVersion states the lowest version of Kubernetes.",
        "Without it OLM offers the operator to every cluster.",
        "spec: {version: 1.0.0}   # and no minKubeVersion";
    MIN_KUBE_INVALID: "E1065", "csv-min-kube-version-invalid", Error,
        "`minKubeVersion` is a version with three numbers.",
        "OLM reads it strictly: `1.25` and `v1.25.0` are not valid.",
        "spec: {minKubeVersion: \"1.25\"}";
    FIELD_ABSENT: "E1066", "csv-field-absent", Error,
        "A ClusterServiceVersion has its required fields.",
        "The required fields are `displayName`, and `install` with a `strategy` and its `deployments`.",
        "spec: {displayName: \"\"}";
    ANNOTATION_CASE: "E1067", "csv-annotation-case", Error,
        "OLM's annotations have the right letter case.",
        "OLM does not find `olm.skiprange`.",
        "annotations: {olm.skiprange: \"<1.0.0\"}";
    PROPERTIES_ANNOTATION: "W1068", "csv-properties-annotation", Warning,
        "`metadata/properties.yaml` holds the properties.",
        "The annotation `olm.properties` still works, but is deprecated.",
        "annotations: {olm.properties: '[{\"type\": \"olm.maxOpenShiftVersion\", \"value\": \"4.8\"}]'}";
    API_VERSION_ABSENT: "E1069", "csv-api-version-absent", Error,
        "A ClusterServiceVersion has an `apiVersion`.",
        "Without it, OLM cannot apply the object.",
        "kind: ClusterServiceVersion   # and no apiVersion";
    INSTALL_MODE_TWICE: "W1070", "csv-install-mode-twice", Warning,
        "An install mode is listed once.",
        "The last one counts, but people read the first.",
        "installModes: [{type: AllNamespaces, supported: true}, {type: AllNamespaces, supported: false}]";
    CRD_NAME: "E1071", "crd-name", Error,
        "A definition has the name PLURAL.GROUP.",
        "Kubernetes refuses any other name.",
        "metadata: {name: wrong.example.com}\nspec: {group: example.com, names: {plural: things}}";
    CRD_SCOPE: "E1072", "crd-scope", Error,
        "The scope of a definition is Namespaced or Cluster.",
        "v1 has no default scope.",
        "spec: {scope: Nowhere}";
    CRD_NAMES: "E1073", "crd-names", Error,
        "The names of a definition are valid Kubernetes names.",
        "Plural, singular and short names are in lower case; kind and list kind differ.",
        "names: {kind: Thing, listKind: Thing}";
    CRD_STORAGE: "E1074", "crd-storage", Error,
        "A definition has one version in which objects are stored.",
        "Kubernetes stores all objects in that version.",
        "versions: [{name: v1, served: true, storage: false}]";
    CRD_VERSIONS: "E1075", "crd-versions", Error,
        "The versions of a definition have different names.",
        "Names are unique and begin with a letter. In v1beta1, fields that are the same in all versions stand at the \
        top level.",
        "versions: [{name: v1}, {name: v1}]";
    CRD_PRESERVES: "E1076", "crd-preserves-unknown-fields", Error,
        "A definition does not preserve all unknown fields.",
        "v1 has schemas instead. Definitions of v1beta1 preserve unknown fields by default, so each of them breaks \
        this rule unless it turns that off.",
        "apiVersion: apiextensions.k8s.io/v1beta1   # and no preserveUnknownFields: false";
    CRD_APPROVAL: "E1077", "crd-approval", Error,
        "A definition in a Kubernetes group has an approval.",
        "Groups below `k8s.io` and `kubernetes.io` are protected: an annotation names the approval, or states that \
        there is none.",
        "spec: {group: app.k8s.io}   # without api-approved.kubernetes.io";
    CRD_NAMESPACE: "E1078", "crd-namespace", Error,
        "A definition has no namespace.",
        "Definitions belong to the cluster.",
        "metadata: {name: things.example.com, namespace: default}";
    CRD_CONVERSION: "E1079", "crd-conversion", Error,
        "The API server can call the conversion webhook of a definition.",
        "A webhook needs a URL or a Service, and the versions of ConversionReview that it understands.",
        "conversion: {strategy: Webhook}";
    CRD_GROUP: "E1080", "crd-group", Error,
        "The group of a definition is a domain name.",
        "A domain name consists of lower-case words with at least one dot.",
        "spec: {group: things}";
    CRD_COLUMN: "E1081", "crd-column", Error,
        "A printer column has a name, a type and a path.",
        "kubectl prints these columns; Kubernetes refuses incomplete ones.",
        "additionalPrinterColumns: [{name: Phase, type: text}]";
    PROVIDER: "E1082", "csv-provider-absent", Error,
        "A ClusterServiceVersion names its provider.",
        "OperatorHub shows the provider.",
        "spec: {provider: {}}";
    MAINTAINER: "E1083", "csv-maintainer", Error,
        "A maintainer has a name and an email address.",
        "OperatorHub shows both.",
        "maintainers: [{name: A, email: nope}]";
    LINK: "E1084", "csv-link", Error,
        "A link has a name and a URL.",
        "The URL is complete: it has a scheme, or is a path that begins with a slash.",
        "links: [{name: Docs, url: example.com}]";
    VERSION_ABSENT: "E1085", "csv-version-absent", Error,
        "A ClusterServiceVersion has a version.",
        "0.0.0 counts as no version.",
        "metadata: {name: shop.v1.0.0}\nspec: {}";
    ICON_ABSENT: "W1086", "csv-icon-absent", Warning,
        "A ClusterServiceVersion has an icon.",
        "OperatorHub shows the icon next to the name.",
        "spec: {}   # and no icon";
    ICON: "E1087", "csv-icon", Error,
        "The ClusterServiceVersion has one icon, with data and a media type that pages can show.",
        "Pages can show GIF, JPEG, PNG and SVG.",
        "icon: [{base64data: aGk=, mediatype: image/webp}]";
    CAPABILITIES: "E1088", "csv-capabilities", Error,
        "The capabilities are one of the five levels.",
        "The levels are Basic Install, Seamless Upgrades, Full Lifecycle, Deep Insights and Auto Pilot.",
        "annotations: {capabilities: Everything}";
    CATEGORIES: "E1089", "csv-categories", Error,
        "OperatorHub knows every category.",
        "Separate categories with commas.",
        "annotations: {categories: \"Database, Toys\"}";
    WITHOUT_DEPLOYMENTS: "E1090", "csv-without-deployments", Error,
        "A ClusterServiceVersion installs a deployment.",
        "The operator runs in the deployment.",
        "install: {strategy: deployment, spec: {}}";
    WITHOUT_REQUESTS: "W1091", "csv-container-without-requests", Warning,
        "Every container of a deployment requests resources.",
        "The scheduler cannot place pods well that request nothing, and quotas refuse them.",
        "containers: [{name: manager, image: quay.io/org/shop:v1}]";
    WITHOUT_DESCRIPTION: "W1092", "csv-crd-without-description", Warning,
        "Every owned or required definition has a description.",
        "Consoles show the description.",
        "owned: [{name: things.example.com, version: v1, kind: Thing}]";
    CHANNEL_NAME: "W1093", "channel-name-convention", Warning,
        "Channel names begin with candidate, fast or stable.",
        "The name tells users how mature a channel is.",
        "operators.operatorframework.io.bundle.channels.v1: alpha";
    MAY_CREATE_CRDS: "W1094", "csv-may-create-crds", Warning,
        "An operator has no permission to create CustomResourceDefinitions.",
        "OLM cannot manage definitions that an operator creates: it neither upgrades them safely nor removes them.",
        "rules: [{apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [create]}]";
    NAME_CONVENTION: "W1095", "csv-name-convention", Warning,
        "A ClusterServiceVersion has the name NAME.vVERSION.",
        "People and tools read the version from the name.",
        "metadata: {name: shop-1.0.0}";
    REMOVED_API: "W1096", "removed-api", Warning,
        "A bundle uses no API that Kubernetes has removed.",
        "Clusters that have removed the API cannot install the bundle. If the bundle is meant for such a cluster, this \
        is an error, `E1099`.",
        "apiVersion: apiextensions.k8s.io/v1beta1";
    KUBERNETES_VERSION: "E1097", "kubernetes-version", Error,
        "The Kubernetes version for the check of removed APIs is a valid version.",
        "The version comes from `--optional-values k8s-version=…` and from `minKubeVersion`.",
        "--optional-values k8s-version=new";
    OPENSHIFT_RANGE: "E1098", "removed-api-openshift", Error,
        "A bundle with APIs that OpenShift 4.9 does not serve stays below 4.9.",
        "The property `olm.maxOpenShiftVersion` keeps clusters from updating, the label `com.redhat.openshift.versions` keeps the bundle out of later catalogs.",
        "apiVersion: apiextensions.k8s.io/v1beta1   # without olm.maxOpenShiftVersion";
    REMOVED_API_REACHED: "E1099", "removed-api-reached", Error,
        "A bundle uses no API that its target Kubernetes version has removed.",
        "The Kubernetes version is the bundle's `minKubeVersion`, or the `k8s-version` of the command line. OLM cannot apply objects of an API that the cluster does not serve.",
        "apiVersion: apiextensions.k8s.io/v1beta1   # and minKubeVersion: 1.25.0";
    OPENSHIFT_UNKNOWN: "W1100", "removed-api-openshift-unknown", Warning,
        "A bundle with removed APIs states that it stays below OpenShift 4.9.",
        "`index-path` names the Dockerfile whose label `com.redhat.openshift.versions` states this; \
        `olm.maxOpenShiftVersion` has a major and a minor number.",
        "apiVersion: apiextensions.k8s.io/v1beta1   # without --optional-values index-path=…";
    BUDGET_MOST: "E1101", "budget-max-unavailable", Error,
        "A disruption budget allows the eviction of a pod.",
        "With `maxUnavailable: 0`, administrators cannot drain nodes or update the cluster.",
        "spec: {maxUnavailable: 0}";
    BUDGET_LEAST: "E1102", "budget-min-available", Error,
        "A disruption budget does not require all pods.",
        "With `minAvailable: 100%`, administrators cannot drain nodes or update the cluster.",
        "spec: {minAvailable: 100%}";
    GLOBAL_PRIORITY: "E1103", "priority-class-global", Error,
        "A bundle's PriorityClass is not the default of the cluster.",
        "Such a class would change the priority of all pods without a class.",
        "kind: PriorityClass\nglobalDefault: true";
    ROLE_BUDGETS: "W1104", "role-disruption-budgets", Warning,
        "A role does not create disruption budgets.",
        "An unexpected budget blocks the drain of nodes.",
        "rules: [{apiGroups: [policy], resources: [poddisruptionbudgets], verbs: [create]}]";
    ROLE_SCCS: "E1105", "role-default-sccs", Error,
        "A role does not change the security context constraints of OpenShift.",
        "Other workloads rely on them.",
        "rules: [{apiGroups: [security.openshift.io], resources: [securitycontextconstraints], resourceNames: [privileged], verbs: [update]}]";
    ARCH_LABEL: "W1106", "csv-architecture-label", Warning,
        "A label for an architecture or operating system names it and has the value `supported`.",
        "Consoles filter operators by these labels.",
        "labels: {operatorframework.io/arch.arm64: \"yes\"}";
    ARCH_AFFINITY: "W1107", "csv-architecture-affinity", Warning,
        "An architecture that a deployment requires of its nodes has a label.",
        "Without any label, only amd64 and linux count as supported.",
        "affinity on kubernetes.io/arch In [arm64]   # and no label operatorframework.io/arch.arm64";
    OPENSHIFT_VERSIONS: "E1108", "openshift-versions", Error,
        "`com.redhat.openshift.versions` is a version of OpenShift, a range, or `=` and a version.",
        "The pipelines and index builders choose the catalogs of a bundle by it: `v4.N` means that version and all \
        later ones, `=v4.N` that one alone, `v4.A-v4.B` a range.",
        "com.redhat.openshift.versions: \">=v4.12\"";
    OPENSHIFT_LIST: "W1109", "openshift-versions-list", Warning,
        "`com.redhat.openshift.versions` is no list.",
        "The pipelines tolerate a list only for `v4.5,v4.6`; any other list means its lowest version and all later \
        ones.",
        "com.redhat.openshift.versions: v4.10,v4.12";
    SECOND_DOCUMENT: "W1110", "bundle-second-document", Warning,
        "Each file of `manifests/` is one document.",
        "opm and OLM read the first document of a file and nothing else, without a word.",
        "kind: ClusterRole\n---\nkind: ClusterRole";
}
