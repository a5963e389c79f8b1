//! The rules of a valid catalog: the demands of `docs/behaviour/fbc.md` 1 to 3 and of the format's definition.
//!
//! `E…` rules are those for which the real tools refuse a catalog, `W…` rules those for which they accept it although
//! something will not work. Identifiers are stable: a rule that goes is never followed by another of its number.

use olmdex_base::diag::{Rule, rules};

rules! {
    UNREADABLE_FILE: "E0001", "unreadable-file", Error,
        "Every file of a catalog is readable.",
        "opm reads every file below the directory, whatever its name, and stops at the first one that it cannot read. \
        Hide files that are not part of the catalog with a `.indexignore` file, and replace links to directories with \
        the directories.",
        "ln -s ../elsewhere catalog/linked   # opm refuses a link to a directory";
    INVALID_JSON: "E0002", "invalid-json", Error,
        "A file that starts with `{` is a stream of JSON objects.",
        "The first two objects may also be YAML in flow style; from the third object on, everything must be strict \
        JSON: no comments, no trailing commas, nothing between the objects but whitespace.",
        "{\"schema\": \"olm.package\", \"name\": \"foo\",}";
    INVALID_DOCUMENT_SEPARATOR: "E0003", "invalid-document-separator", Error,
        "A line that starts with `---` holds nothing but whitespace or a comment after it.",
        "opm splits files into documents line by line before it parses YAML: a line that starts with three dashes \
        always separates, even inside a block of text. Start the document on the next line, or indent the text.",
        "--- {schema: olm.package, name: foo}";
    INVALID_YAML: "E0004", "invalid-yaml", Error,
        "Every document is valid YAML.",
        "Catalogs are YAML 1.1 as go-yaml reads it. Common causes: tabs for indentation, an unquoted `:` or `#` in a string, a list item at the wrong depth.",
        "schema: olm.package\n\tname: foo";
    NOT_AN_OBJECT: "E0005", "not-an-object", Error,
        "Every document is an object.",
        "A catalog is a sequence of objects with a `schema`. Write a list of blobs as separate documents, and hide a \
        README among the catalog's files with `.indexignore`.",
        "- schema: olm.package\n  name: foo";
    COLLIDING_KEYS: "E0006", "colliding-keys", Error,
        "No two top-level keys of a document differ only in letter case.",
        "opm's reader ignores case when it compares field names, so it refuses a document in which the result would be \
        random.",
        "schema: olm.package\nname: foo\nName: bar";
    HEAD_NOT_STRING: "E0007", "head-not-string", Error,
        "`schema`, `package` and `name` are strings.",
        "An unquoted number, `yes`, `no`, `on` or `off` is not a string in YAML 1.1, and neither is `null`. Put quotes around it.",
        "schema: olm.channel\npackage: foo\nname: 4.10";
    MISSING_SCHEMA: "E0008", "missing-schema", Error,
        "Every document has a `schema`.",
        "The schema tells what kind of document it is. A document of comments only counts as a document, too: put \
        comments inside a document, not before the first separator.",
        "# A comment as a separate document.\n---\nschema: olm.package\nname: foo";
    WRONG_KIND: "E0009", "wrong-kind", Error,
        "Every field has a value of the right type.",
        "opm converts no values: a number or boolean is not a string. In YAML 1.1 `1.0`, `yes` and `0x1F` need quotes \
        to be strings.",
        "schema: olm.channel\npackage: foo\nname: stable\nentries:\n- name: 1.0";
    INVALID_BASE64: "E0010", "invalid-base64", Error,
        "Binary data is padded base64 in the standard alphabet.",
        "Icons and bundle objects are base64 with `+`, `/` and `=`. Line breaks are allowed; spaces and the URL-safe alphabet are not.",
        "schema: olm.package\nname: foo\nicon: {base64data: \"a-b_\", mediatype: image/png}";
    INVALID_BUNDLE_OBJECT: "E0011", "invalid-bundle-object", Error,
        "The data of an `olm.bundle.object` property is base64 of a Kubernetes object.",
        "The object inside must be JSON or YAML. Run the bundle through the renderer again, or use `olm.csv.metadata` instead.",
        "{\"type\": \"olm.bundle.object\", \"value\": {\"data\": \"!!\"}}";
    SEVERAL_IN_UTF16: "E0012", "several-in-utf16", Error,
        "A file in UTF-16 holds one document.",
        "opm looks for the `---` lines before it decodes the text, and finds none in UTF-16: it reads only the first \
        document and silently ignores the rest. `--as opm` does the same.",
        "a file in UTF-16 with: schema: olm.package\n---\nschema: olm.channel";
    PACKAGE_WITHOUT_NAME: "E0101", "package-without-name", Error,
        "Every package has a name.",
        "Channels, bundles and Subscriptions refer to the package by its name.",
        "schema: olm.package\ndefaultChannel: stable";
    DUPLICATE_PACKAGE: "E0102", "duplicate-package", Error,
        "A catalog defines each package only once.",
        "opm cannot merge two `olm.package` blobs with the same name. When you combine catalogs, keep one of them.",
        "schema: olm.package\nname: foo\n---\nschema: olm.package\nname: foo";
    INVALID_PACKAGE_NAME: "E0103", "invalid-package-name", Error,
        "A package's name is an RFC 1123 label.",
        "At most 63 characters: lower-case letters, digits and `-`, with a letter or digit at both ends.",
        "schema: olm.package\nname: Foo_Bar";
    PACKAGE_WITHOUT_DEFAULT_CHANNEL: "E0104", "package-without-default-channel", Error,
        "Every package names its default channel.",
        "Subscriptions without a channel follow it, and OLM prefers it when it picks dependencies.",
        "schema: olm.package\nname: foo";
    PACKAGE_WITHOUT_CHANNELS: "E0105", "package-without-channels", Error,
        "Every package has at least one channel.",
        "Without a channel, OLM can install nothing from the package.",
        "schema: olm.package\nname: foo\ndefaultChannel: stable";
    DEFAULT_CHANNEL_NOT_FOUND: "E0106", "default-channel-not-found", Error,
        "The default channel is a channel of the package.",
        "Write the name exactly as in the `olm.channel` blob.",
        "schema: olm.package\nname: foo\ndefaultChannel: stabel";
    DUPLICATE_VERSION: "E0107", "duplicate-version", Error,
        "No two bundles of a package that are in channels have the same version.",
        "OLM could not distinguish them. Build metadata and releases count: `1.0.0+1` and `1.0.0+2` are different \
        versions here.",
        "bundles foo.v1.0.0 and foo.v1.0.0-rebuilt, both with version 1.0.0";
    CHANNEL_OF_UNKNOWN_PACKAGE: "E0201", "channel-of-unknown-package", Error,
        "A channel belongs to a package of the catalog.",
        "The `package` of an `olm.channel` blob must be the name of an `olm.package` blob.",
        "schema: olm.channel\nname: stable\npackage: fooo";
    CHANNEL_WITHOUT_NAME: "E0202", "channel-without-name", Error,
        "Every channel has a name.",
        "Subscriptions name the channel that they follow.",
        "schema: olm.channel\npackage: foo\nentries: []";
    DUPLICATE_CHANNEL: "E0203", "duplicate-channel", Error,
        "A package defines each channel only once.",
        "Merge the entries into one `olm.channel` blob.",
        "two olm.channel blobs with package foo and name stable";
    DUPLICATE_ENTRY: "E0204", "duplicate-entry", Error,
        "A bundle is listed once in a channel.",
        "One entry holds all edges of the bundle in that channel: one `replaces`, any number of `skips`, one \
        `skipRange`.",
        "entries:\n- name: foo.v1.0.0\n- name: foo.v1.0.0";
    CHANNEL_WITHOUT_ENTRIES: "E0205", "channel-without-entries", Error,
        "Every channel has at least one entry.",
        "Remove the channel, or list its bundles.",
        "schema: olm.channel\npackage: foo\nname: stable\nentries: []";
    NO_CHANNEL_HEAD: "E0206", "no-channel-head", Error,
        "Every channel has a head: an entry that no entry replaces or skips.",
        "A new Subscription installs the head. Entries that replace or skip each other (or themselves) leave no head.",
        "entries:\n- {name: foo.v1.0.0, replaces: foo.v2.0.0}\n- {name: foo.v2.0.0, replaces: foo.v1.0.0}";
    MULTIPLE_CHANNEL_HEADS: "E0207", "multiple-channel-heads", Error,
        "Every channel has only one head.",
        "If no entry replaces or skips two of the entries, OLM cannot know which one is the newest. A `skipRange` does \
        not count here: add `replaces` or `skips`.",
        "entries:\n- name: foo.v1.0.0\n- name: foo.v2.0.0";
    REPLACES_CYCLE: "E0208", "replaces-cycle", Error,
        "The chain of `replaces` from the head has an end.",
        "Following `replaces` from the head leads back to an entry already visited.",
        "entries:\n- {name: c, replaces: b}\n- {name: b, replaces: a}\n- {name: a, replaces: b}";
    STRANDED_ENTRIES: "E0209", "stranded-entries", Error,
        "Every entry is on the chain of `replaces` below the head, or is skipped.",
        "A cluster with a stranded version installed gets no upgrade. A head that both replaces and skips the same entry cuts the chain there.",
        "entries:\n- {name: c, replaces: b, skips: [b]}\n- {name: b, replaces: a}\n- {name: a}";
    EMPTY_SKIP: "E0210", "empty-skip", Error,
        "No item of `skips` is empty.",
        "Remove the empty item, or write the intended name.",
        "skips: [foo.v1.0.0, \"\"]";
    INVALID_SKIP_RANGE: "E0211", "invalid-skip-range", Error,
        "A `skipRange` is a version range in the syntax of blang/semver.",
        "Separate comparators with spaces, not commas, write versions with three numbers, and use no `^` or `~`: \
        `>=1.0.0 <1.2.0`.",
        "skipRange: \">=1.0.0, <1.2.0\"";
    DANGLING_ENTRY: "E0212", "dangling-entry", Error,
        "Every entry of a channel names a bundle of the package.",
        "Add the `olm.bundle` blob, or remove the entry and add its name to the `skips` of another: names in `skips` and `replaces` need not exist.",
        "entries:\n- name: foo.v9.9.9   # no such bundle";
    BUNDLE_WITHOUT_PACKAGE: "E0301", "bundle-without-package", Error,
        "Every bundle names its package.",
        "The `package` of an `olm.bundle` blob must be the name of an `olm.package` blob.",
        "schema: olm.bundle\nname: foo.v1.0.0";
    BUNDLE_OF_UNKNOWN_PACKAGE: "E0302", "bundle-of-unknown-package", Error,
        "A bundle belongs to a package of the catalog.",
        "The `package` of an `olm.bundle` blob must be the name of an `olm.package` blob.",
        "schema: olm.bundle\nname: foo.v1.0.0\npackage: fooo";
    DUPLICATE_BUNDLE: "E0303", "duplicate-bundle", Error,
        "A package defines each bundle only once.",
        "Bundles are immutable: two blobs with the same name cannot both be right.",
        "two olm.bundle blobs with package foo and name foo.v1.0.0";
    INVALID_PROPERTY: "E0304", "invalid-property", Error,
        "The properties that OLM knows have values of the expected form.",
        "`olm.package`, `olm.package.required`, `olm.gvk`, `olm.gvk.required`, `olm.channel`, `olm.csv.metadata` and \
        `olm.bundle.object` have types; every other property only needs a value.",
        "{type: olm.gvk, value: [apps, v1, Foo]}";
    PACKAGE_PROPERTY_COUNT: "E0305", "package-property-count", Error,
        "A bundle has exactly one `olm.package` property.",
        "It gives the bundle's version.",
        "properties: []";
    PACKAGE_PROPERTY_MISMATCH: "E0306", "package-property-mismatch", Error,
        "The `packageName` of the `olm.package` property is the bundle's package.",
        "The property and the `package` field must agree.",
        "package: foo\nproperties: [{type: olm.package, value: {packageName: bar, version: 1.0.0}}]";
    INVALID_IMAGE: "E0307", "invalid-image", Error,
        "Images are valid references.",
        "A reference is a repository name in lower case with an optional tag and digest, without `docker://` or spaces.",
        "image: quay.io/Foo/bar:v1";
    INVALID_VERSION: "E0308", "invalid-version", Error,
        "A bundle's version is a strict semantic version.",
        "Three numbers without leading zeros, no `v`, an optional pre-release and build metadata: `1.2.3-rc.1+build`.",
        "{type: olm.package, value: {packageName: foo, version: v1.0}}";
    INVALID_RELEASE: "E0309", "invalid-release", Error,
        "A bundle's release has at most 20 characters and the form of a pre-release.",
        "Identifiers of letters, digits and `-`, separated by dots; numbers without leading zeros.",
        "{type: olm.package, value: {packageName: foo, version: 1.0.0, release: \"01\"}}";
    BUNDLE_IN_NO_CHANNEL: "E0310", "bundle-in-no-channel", Error,
        "Every bundle is an entry of a channel of its package.",
        "Add an entry to a channel, or remove the bundle.",
        "schema: olm.bundle   # and no olm.channel lists it";
    BUNDLE_WITHOUT_IMAGE: "E0311", "bundle-without-image", Error,
        "A bundle has an image.",
        "Only a bundle that holds its objects itself (`olm.bundle.object`) needs no image.",
        "schema: olm.bundle\nimage: \"\"";
    RELEASE_NAME_MISMATCH: "E0312", "release-name-mismatch", Error,
        "A bundle with a release is named `<package>-v<version>-<release>`.",
        "opm derives the name from the package, version and release.",
        "name: foo.v1.0.0   # with release 1: foo-v1.0.0-1";
    RELEASE_WITH_BUILD_METADATA: "E0313", "release-with-build-metadata", Error,
        "A version with a release has no build metadata.",
        "Both identify the build; use only the release.",
        "{packageName: foo, version: 1.0.0+b, release: \"1\"}";
    BUNDLE_WITHOUT_NAME: "E0314", "bundle-without-name", Error,
        "Every bundle has a name.",
        "Channels refer to the bundle by its name.",
        "schema: olm.bundle\npackage: foo";
    DEPRECATIONS_WITHOUT_PACKAGE: "E0401", "deprecations-without-package", Error,
        "An `olm.deprecations` blob names its package.",
        "Its `package` must be the name of an `olm.package` blob.",
        "schema: olm.deprecations\nentries: []";
    DEPRECATIONS_OF_UNKNOWN_PACKAGE: "E0402", "deprecations-of-unknown-package", Error,
        "Deprecations name a package of the catalog.",
        "The `package` of an `olm.deprecations` blob must be the name of an `olm.package` blob.",
        "schema: olm.deprecations\npackage: fooo";
    DUPLICATE_DEPRECATIONS: "E0403", "duplicate-deprecations", Error,
        "A package has at most one `olm.deprecations` blob.",
        "Merge the entries into one blob.",
        "two olm.deprecations blobs with package foo";
    DEPRECATION_WITHOUT_SCHEMA: "E0404", "deprecation-without-schema", Error,
        "A deprecation names the kind of its subject in `reference.schema`.",
        "The kind is `olm.package`, `olm.channel` or `olm.bundle`.",
        "entries: [{message: old}]";
    DUPLICATE_DEPRECATION: "E0405", "duplicate-deprecation", Error,
        "No package, channel or bundle is deprecated twice.",
        "Keep one of the messages.",
        "two entries with reference {schema: olm.channel, name: alpha}";
    DEPRECATED_BUNDLE_NOT_FOUND: "E0406", "deprecated-bundle-not-found", Error,
        "A deprecated bundle is a bundle of the package.",
        "Write the name exactly as in the `olm.bundle` blob.",
        "reference: {schema: olm.bundle, name: foo.v9.9.9}";
    DEPRECATED_CHANNEL_NOT_FOUND: "E0407", "deprecated-channel-not-found", Error,
        "A deprecated channel is a channel of the package.",
        "Write the name exactly as in the `olm.channel` blob.",
        "reference: {schema: olm.channel, name: alhpa}";
    DEPRECATED_PACKAGE_WITH_NAME: "E0408", "deprecated-package-with-name", Error,
        "A reference to the package has no name.",
        "The blob's `package` already names it.",
        "reference: {schema: olm.package, name: foo}";
    UNKNOWN_DEPRECATION_SCHEMA: "E0409", "unknown-deprecation-schema", Error,
        "Deprecations apply only to packages, channels and bundles.",
        "`reference.schema` is `olm.package`, `olm.channel` or `olm.bundle`.",
        "reference: {schema: olm.operator, name: foo}";
    DEPRECATION_WITHOUT_MESSAGE: "E0410", "deprecation-without-message", Error,
        "Every deprecation has a message.",
        "Users see the message: tell them what to use instead.",
        "{reference: {schema: olm.package}, message: \"\"}";
    UNREAD_TEXT: "W0010", "unread-text", Warning,
        "opm reads everything in a file.",
        "Between two `---` lines, opm reads only the first YAML document and silently ignores the rest: the text after \
        a `...` line, and all JSON objects after the first in a file that is not strict JSON (a trailing comma or a \
        comment in one of the first two objects, or a byte order mark before them).",
        "{\"schema\": \"olm.package\", \"name\": \"foo\",}\n{\"schema\": \"olm.channel\", \"package\": \"foo\", \"name\": \"never-read\"}";
    EMPTY_PROPERTY_TYPE: "W0501", "empty-property-type", Warning,
        "Every property has a type.",
        "opm accepts a property without a type, but the format's definition does not. No tool will ever read such a \
        property.",
        "properties: [{type: \"\", value: 1}]";
    NULL_PROPERTY_VALUE: "W0502", "null-property-value", Warning,
        "Every property has a value that is not `null`.",
        "opm reads `null` as a value with all fields empty; the format's definition forbids it.",
        "properties: [{type: olm.gvk, value: null}]";
    INCOMPLETE_API: "W0503", "incomplete-api", Warning,
        "A provided or required API has group, version and kind.",
        "OLM matches dependencies by all three, and never finds an API with an empty part.",
        "{type: olm.gvk, value: {group: apps.example.com, kind: Foo}}";
    INVALID_VERSION_RANGE: "W0504", "invalid-version-range", Warning,
        "The `versionRange` of a required package is a version range in the syntax of blang/semver.",
        "opm does not check it, but OLM does, and cannot install the bundle.",
        "{type: olm.package.required, value: {packageName: bar, versionRange: \"^1.0\"}}";
    REQUIRED_PACKAGE_WITHOUT_NAME: "W0505", "required-package-without-name", Warning,
        "A required package has a name.",
        "No package can satisfy the requirement, so OLM cannot install the bundle.",
        "{type: olm.package.required, value: {versionRange: \">=1.0.0\"}}";
    RELATED_IMAGE_WITHOUT_REFERENCE: "W0506", "related-image-without-reference", Warning,
        "Every related image has a reference.",
        "Mirroring tools stop at an empty reference, or leave out the image.",
        "relatedImages: [{name: operator, image: \"\"}]";
    EMPTY_FIELD: "W0507", "empty-field", Warning,
        "An optional field that is present is not empty.",
        "The format's definition forbids an empty `package`, `replaces` or `skipRange`; leave the field out.",
        "entries: [{name: foo.v1.0.0, replaces: \"\"}]";
    SEVERAL_CSV_METADATA: "W0508", "several-csv-metadata", Warning,
        "A bundle has at most one `olm.csv.metadata` property.",
        "opm's validation accepts it, but its server refuses to start with such a catalog.",
        "two properties of type olm.csv.metadata";
    UNSERVABLE_SCHEMA_NAME: "W0509", "unservable-schema-name", Warning,
        "Names of other schemas and their packages consist of letters, digits, `.`, `_` and `-`.",
        "opm's validation accepts it, but its server refuses to start with such a catalog.",
        "schema: my schema";
    UNUSABLE_SKIP_RANGE: "W0510", "unusable-skip-range", Warning,
        "A `skipRange` has no empty alternative.",
        "opm and OLM accept `|| ||`, but crash when they compare a version with it.",
        "skipRange: \">1.0.0 || || <2.0.0\"";
    UNREADABLE_CONSTRAINT: "W0520", "unreadable-constraint", Warning,
        "OLM can read every `olm.constraint` and `olm.label.required`.",
        "opm does not check the content. OLM Classic does, and resolves nothing at all in a namespace that can reach \
        such a bundle. Unknown fields count at any depth: the field for a package is `packageName`, although the \
        product documentation writes `name`.",
        "{type: olm.constraint, value: {package: {name: bar, versionRange: \">=1.0.0\"}}}";
    INVALID_CEL_RULE: "W0521", "invalid-cel-rule", Warning,
        "A CEL rule compiles, and evaluates to true or false.",
        "OLM Classic resolves nothing at all in a namespace that can reach the bundle. The value of a property has no \
        type: convert it, as in `bool(properties[0].value)`.",
        "{type: olm.constraint, value: {cel: {rule: \"properties[0].value\"}}}";
    LARGE_CONSTRAINT: "W0522", "large-constraint", Warning,
        "An `olm.constraint` has at most 64KB.",
        "The documentation allows no more. Today OLM reads twice as much, but this may change.",
        "an olm.constraint of 100,000 bytes";
    CONSTRAINT_WITHOUT_EFFECT: "W0523", "constraint-without-effect", Warning,
        "Every part of an `olm.constraint` has an effect.",
        "A constraint filters the operators that can be the dependency; it forbids nothing. Nearly any operator meets \
        a single `not` at the top, and every operator meets an empty `all` or `not`. If one object has several kinds, \
        only the first counts.",
        "{type: olm.constraint, value: {not: {constraints: [{package: {packageName: bar, versionRange: \"<1.0.0\"}}]}}}";
    IMPOSSIBLE_CONSTRAINT: "W0524", "impossible-constraint", Warning,
        "Some operator can meet an `olm.constraint`.",
        "A single operator must meet the whole constraint. No operator meets an empty `any`, and no operator is in two \
        packages. OLM cannot install the bundle.",
        "{type: olm.constraint, value: {any: {constraints: []}}}";
    INVALID_MAX_OPENSHIFT_VERSION: "W0525", "invalid-max-openshift-version", Warning,
        "A bundle has at most one `olm.maxOpenShiftVersion`, a string with major and minor version.",
        "An unreadable value, or a second one even if it is the same, blocks updates of the cluster while the bundle \
        is installed.",
        "{type: olm.maxOpenShiftVersion, value: \"4.18.3\"}";
    IMPLAUSIBLE_API_NAME: "W0526", "implausible-api-name", Warning,
        "Group, version and kind of an API look like names in Kubernetes.",
        "OLM matches dependencies by all three, exactly as written. A group is a domain name in lower case, a version \
        is `v1`, `v1beta1` or similar, a kind is a word.",
        "{type: olm.gvk, value: {group: X_bad, version: one, kind: Foo}}";
    UNKNOWN_FIELD: "W0527", "unknown-field", Warning,
        "Blobs hold only fields of their schema.",
        "opm silently drops a field that it does not know: with `replace` instead of `replaces`, the channel has two \
        heads, and no message tells why.",
        "entries: [{name: foo.v1.1.0, replace: foo.v1.0.0}]";
    MISSPELT_SCHEMA: "W0528", "misspelt-schema", Warning,
        "The schema of a blob has the spelling that its readers expect.",
        "opm keeps blobs of unknown schemas, so a bundle with the schema `olm.bundel` is simply missing.",
        "schema: olm.bundel";
    MISSPELT_PROPERTY_TYPE: "W0529", "misspelt-property-type", Warning,
        "The type of a property has the spelling that its readers expect.",
        "opm keeps properties of unknown types, so a dependency of type `olm.gvk.requierd` has no effect: OLM does not \
        install it.",
        "{type: olm.gvk.requierd, value: {group: g.example.com, version: v1, kind: Foo}}";
    MISSPELT_EDGE: "W0530", "misspelt-edge", Warning,
        "`replaces` and `skips` spell names as the entries do.",
        "A name that no entry has may be a pruned version, which is normal. A name that differs from an entry's name \
        only in a few letters is a typo: the edge leads from nowhere, and the intended entry is stranded.",
        "entries: [{name: foo.v1.1.0, replaces: fo.v1.0.0}, {name: foo.v1.0.0}]";
    MISSPELT_REQUIRED_PACKAGE: "W0531", "misspelt-required-package", Warning,
        "A bundle spells the package that it requires as the catalog does.",
        "A package that the catalog does not have may be in another one. If its name differs from one in this catalog \
        by a letter or two, it is more likely a typo, and OLM cannot install the bundle.",
        "{type: olm.package.required, value: {packageName: certmanager, versionRange: '>=1.0.0'}}   # cert-manager";
    TEMPLATE_AMONG_BLOBS: "W0532", "template-among-blobs", Warning,
        "No template lies among the blobs of a catalog.",
        "opm takes it for a blob of an unknown schema and renders nothing: its channels are not in the catalog. Keep \
        templates outside of the catalog, or hide them in an `.indexignore` file.",
        "schema: olm.template.basic";
}

/// The rule with this identifier or name, in any letter case, among these and those about definitions in bundles and
/// about lifecycles.
pub fn find(text: &str) -> Option<&'static Rule> {
    let mut all = ALL.iter().chain(crate::crd::bundle_rules::ALL).chain(crate::openshift::rules::ALL).copied();
    all.find(|rule| rule.id.eq_ignore_ascii_case(text) || rule.name.eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn identifiers_and_names_are_unique_and_say_the_severity() {
        let ids: BTreeSet<_> = ALL.iter().map(|rule| rule.id).collect();
        let names: BTreeSet<_> = ALL.iter().map(|rule| rule.name).collect();
        assert_eq!((ids.len(), names.len()), (ALL.len(), ALL.len()));
        for rule in ALL {
            let letter = if rule.severity == olmdex_base::diag::Severity::Error { 'E' } else { 'W' };
            assert!(rule.id.starts_with(letter), "{}", rule.id);
            assert!(rule.summary.ends_with('.') && rule.explanation.ends_with('.'), "{}", rule.id);
            assert_eq!(find(rule.name).map(|it| it.id), Some(rule.id));
        }
    }
}
