//! The rules of configurations of oc-mirror (`docs/behaviour/authoring.md` D.1).

use olmdex_base::diag::rules;

rules! {
    UNREADABLE: "E2101", "imageset-unreadable", Error,
        "A configuration of oc-mirror is readable YAML.",
        "oc-mirror reads the first document of the file. It must be a mapping, with no more aliases than a document of \
        that size can need.",
        "kind: ImageSetConfiguration\nmirror: [";
    REPEATED_KEY: "E2102", "imageset-repeated-key", Error,
        "A key occurs once in a mapping.",
        "oc-mirror refuses the file. Other readers of YAML take the last value and lose the first without a word, so put \
        the items of both lists below one key.",
        "mirror:\n  operators: [{catalog: 'quay.io/a/b:v1'}]\n  operators: [{catalog: 'quay.io/a/c:v1'}]";
    KIND: "E2103", "imageset-kind", Error,
        "A configuration has a kind that oc-mirror knows.",
        "`ImageSetConfiguration` says what to mirror, and `DeleteImageSetConfiguration` what `oc-mirror delete` removes. \
        oc-mirror refuses a file of another kind, and a file of one kind where it needs the other.",
        "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSet";
    STANZA: "E2104", "imageset-stanza", Error,
        "The wishes are in `mirror`, those of a DeleteImageSetConfiguration in `delete`.",
        "Both are fields at the top of the file: a configuration is no object of Kubernetes and has neither `metadata` nor \
        `spec`. oc-mirror refuses a file without its field, and a file with that of the other kind.",
        "kind: ImageSetConfiguration\nspec:\n  mirror:\n    operators: [{catalog: 'quay.io/a/b:v1'}]";
    UNKNOWN_FIELD: "E2105", "imageset-unknown-field", Error,
        "oc-mirror knows all fields.",
        "oc-mirror refuses fields that it does not know. v2 reads every file as v2alpha1, whatever its `apiVersion` says: \
        `storageConfig`, `targetName`, `originalRef` and `minBundle` are fields of v1alpha2 only.",
        "mirror:\n  operators:\n  - catalog: quay.io/a/b:v1\n    targetName: c";
    WRONG_TYPE: "E2106", "imageset-wrong-type", Error,
        "A value has the type of its field.",
        "A version without quotes, such as `1.10`, is a number in YAML. oc-mirror refuses it where it needs a text.",
        "packages: [{name: shop, minVersion: 1.10}]";
    CATALOG: "E2107", "imageset-catalog", Error,
        "A catalog is named by a reference with a tag or a digest, and its target by a path.",
        "oc-mirror takes no tag for granted. `targetCatalog` is the path of the mirrored catalog, without the registry, \
        and `targetTag` its tag.",
        "operators: [{catalog: registry.redhat.io/redhat/redhat-operator-index}]";
    REPEATED_ENTRY: "E2108", "imageset-repeated-entry", Error,
        "A catalog, a package of a catalog, a channel of a package and a release channel have one entry each.",
        "oc-mirror refuses the file: it could not tell which entry counts. Catalogs of one name at the mirror overwrite \
        each other; `targetCatalog` or `targetTag` tells them apart.",
        "packages: [{name: shop}, {name: shop, minVersion: '1.0.0'}]";
    RANGE: "E2109", "imageset-range", Error,
        "The bounds of a package or a channel are versions that a bundle can be between.",
        "oc-mirror refuses bounds that are no versions, bounds for a package and for one of its channels, and bounds \
        beside `full: true`. A lower bound above the upper one leaves the channel empty.",
        "packages: [{name: shop, minVersion: '2.0.0', maxVersion: '1.0.0'}]";
    EXPRESSION: "E2110", "imageset-expression", Error,
        "The names of blocked images are regular expressions.",
        "An image is blocked if the expression matches its name anywhere, at its origin or in the mirror. The syntax is \
        that of Go (RE2).",
        "blockedImages: [{name: 'quay.io/a/('}]";
    PLATFORMS: "E2111", "imageset-platforms", Error,
        "A platform has `platforms` or `architectures`, not both.",
        "`architectures` is the older form of `platforms`. oc-mirror refuses a file that has both.",
        "platform: {architectures: [amd64], platforms: [{os: linux, architecture: arm64}]}";
    NAMELESS: "E2112", "imageset-nameless", Error,
        "A package and a channel have a name.",
        "oc-mirror refuses to filter the catalog.",
        "packages: [{minVersion: '1.0.0'}]";
    WHOLE_CATALOG: "W2113", "imageset-whole-catalog", Warning,
        "A catalog that is wanted as a whole has no field `packages`.",
        "With an empty list, oc-mirror takes the head of every channel of every package, as without the list: hundreds \
        of images. A program that found no package may have written it.",
        "operators: [{catalog: 'quay.io/a/b:v1', packages: []}]";
    SECOND_DOCUMENT: "W2114", "imageset-second-document", Warning,
        "A configuration is the only document of its file.",
        "oc-mirror reads the first document, and ignores the others.",
        "kind: ImageSetConfiguration\nmirror: {}\n---\nkind: ImageSetConfiguration\nmirror: {}";
    OLD_VERSION: "W2115", "imageset-old-version", Warning,
        "v1 and v2 of oc-mirror mirror the same.",
        "v1 of oc-mirror has another filter and other fields. OpenShift has removed it, so olmdex reads a file of v1alpha2 \
        as v2 would, with the fields of v1, and says where v1 did something else.",
        "apiVersion: mirror.openshift.io/v1alpha2\nmirror:\n  operators:\n  - catalog: quay.io/a/b:v1\n    packages: \
        [{name: shop, minVersion: '1.0.0'}]";
    IMAGE: "W2116", "imageset-image", Warning,
        "An additional image is named by a reference, and its target by a path.",
        "oc-mirror reports it, leaves the image out, and mirrors the others.",
        "additionalImages: [{name: 'quay.io/a/b:v1', targetRepo: 'team/b:v1'}]";
    MISSING: "E2117", "imageset-missing", Error,
        "The catalog has the packages, channels and single versions that a configuration names.",
        "oc-mirror ignores a name that the catalog does not have: it mirrors the rest, and the operator is missing only on \
        the cluster. `olmdex check` compares names with the catalogs of `--with`.",
        "packages: [{name: shopp}]   # the catalog has `shop`";
    REFUSED: "E2118", "imageset-refused", Error,
        "oc-mirror can filter each package.",
        "oc-mirror stops at a package whose default channel the configuration leaves out or empties, or whose channel has \
        no single head. `olmdex mirror filter --repair` finds the nearest configuration that works.",
        "packages: [{name: shop, channels: [{name: fast}]}]   # the default channel is `stable`";
    RESULT: "W2119", "imageset-result", Warning,
        "The filtered catalog is valid, and has what the configuration asks for and nothing else.",
        "oc-mirror keeps versions outside of a range if the chain of upgrades needs them, writes packages that opm refuses, \
        and keeps heads that a console cannot show. `olmdex mirror filter` repairs what it can.",
        "packages: [{name: shop, minVersion: '1.0.1', maxVersion: '1.0.1'}]   # 1.0.2 skips 1.0.1, and comes along";
    LOST_VERSION: "W2120", "imageset-lost-version", Warning,
        "Every version that the configuration before the change mirrors can be upgraded with the new one.",
        "Clusters of the mirror run the versions that it had. With a narrower range or a newer head, the mirrored catalog \
        may have no entry that replaces or skips them. Mirror the versions in between too, or upgrade the clusters first.",
        "packages: [{name: shop, minVersion: '3.0.0'}]   # was minVersion: '1.0.0', and 3.0.0 replaces only 2.9.0";
}
