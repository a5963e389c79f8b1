//! Messages of the tools that copy, filter and serve images, before OLM sees them: opm and the pod of a registry,
//! oc-mirror, and the library of images that skopeo, podman, CRI-O and oc-mirror share.

use super::builder::MARKETPLACE_PODS;
use super::rule::MessagePattern;

const OPM: &str = "opm";
const MIRROR: &str = "oc-mirror";
const IMAGES: &str = "skopeo, podman, CRI-O or oc-mirror";

const FILTER_IMAGE: &str = "olmdex mirror filter -p PACKAGE -i docker://IMAGE --into docker://NEW";
const EXPLAIN_FILTER: &str = "olmdex mirror filter -c imageset-config.yaml --explain";
const REGISTRY_LOGS: &str = "kubectl logs -n openshift-marketplace POD --previous";
const CHECK_IMAGES: &str = "olmdex images PACKAGE -i CATALOG --verify";

/// All of them; the first that fits counts.
pub(super) const PATTERNS: &[MessagePattern] = &[
    MessagePattern {
        system: OPM,
        marks: &["failed to build cache", "permission denied"],
        meaning: "The user of the pod may not read the catalog, or may not write to the directory of the cache. \
            OpenShift runs pods as any user of the group 0: give files and directories the same permissions for the \
            group as for the owner (`chmod -R g=u /configs`).",
        names: &[],
        next: &[REGISTRY_LOGS],
    },
    MessagePattern {
        system: OPM,
        marks: &["compute digest", "permission denied"],
        meaning: "The user of the pod may not read a file of the catalog or of its cache. OpenShift runs pods as any \
            user of the group 0: give files and directories the same permissions for the group as for the owner \
            (`chmod -R g=u /configs /tmp/cache`).",
        names: &[],
        next: &[REGISTRY_LOGS],
    },
    MessagePattern {
        system: OPM,
        marks: &["missing label operators.operatorframework.io.index.database.v1"],
        meaning: "The image is a file-based catalog, or has lost its labels; `opm index` knows SQLite catalogs alone. \
            Index images of OpenShift are file-based since 4.11. olmdex filters and reads images of both kinds.",
        names: &[("index image ", " missing label")],
        next: &[FILTER_IMAGE, "olmdex list packages -i docker://{0}"],
    },
    MessagePattern {
        system: OPM,
        marks: &["only supports sqlite-based catalogs"],
        meaning: "The image is a file-based catalog, which `opm index prune` cannot filter. olmdex keeps the named \
            packages of images of both kinds.",
        names: &[],
        next: &[FILTER_IMAGE],
    },
    MessagePattern {
        system: "the pod of a registry",
        marks: &["failed to connect service"],
        meaning: "The probe of the pod found no server on the port. opm serves only when it has read the catalog: on a \
            slow node, without a cache in the image or with little memory that takes longer than the probe waits. If \
            the pod restarts, its log tells why; if not, it becomes ready by itself.",
        names: &[("failed to connect service \"", "\"")],
        next: &[MARKETPLACE_PODS, REGISTRY_LOGS],
    },
    MessagePattern {
        system: MIRROR,
        marks: &["the current default channel"],
        meaning: "The configuration leaves out the default channel of a package, so the package would have none. Set \
            `defaultChannel` of the package to a channel that stays, or list the default channel, too.",
        names: &[],
        next: &["olmdex mirror filter -c imageset-config.yaml --repair --dry-run", EXPLAIN_FILTER],
    },
    MessagePattern {
        system: MIRROR,
        marks: &["configuration missing the `mirror` stanza"],
        meaning: "The file has no `mirror:` at its top. The form of OpenShift's web console has `spec.mirror`, which \
            oc-mirror does not read: move `mirror` to the top, beside `kind` and `apiVersion`.",
        names: &[],
        next: &[EXPLAIN_FILTER],
    },
    MessagePattern {
        system: MIRROR,
        marks: &["mirror: is not allowed in"],
        meaning: "A DeleteImageSetConfiguration has `delete:`, and no `mirror:`. Use it with `oc-mirror delete \
            --generate`; to mirror images, write `kind: ImageSetConfiguration`.",
        names: &[],
        next: &[EXPLAIN_FILTER],
    },
    MessagePattern {
        system: MIRROR,
        marks: &["delete: is not allowed in"],
        meaning: "An ImageSetConfiguration has `mirror:`, and no `delete:`. To delete images, write `kind: \
            DeleteImageSetConfiguration`, and use it with `oc-mirror delete --generate`.",
        names: &[],
        next: &[EXPLAIN_FILTER],
    },
    MessagePattern {
        system: MIRROR,
        marks: &["unknown image : reference name is empty"],
        meaning: "A `catalog` or an `additionalImages` entry of the configuration has no name. Fill it in or remove it.",
        names: &[],
        next: &[EXPLAIN_FILTER],
    },
    MessagePattern {
        system: MIRROR,
        marks: &["tag and digest are empty"],
        meaning: "oc-mirror takes no image without a tag or a digest. Add `:latest`, or the one that you mean.",
        names: &[],
        next: &[EXPLAIN_FILTER],
    },
    MessagePattern {
        system: MIRROR,
        marks: &["duplicate package entry"],
        meaning: "The configuration lists a package twice for one catalog. Merge the two entries: channels and versions \
            of one package belong together.",
        names: &[("duplicate package entry \"", "\"")],
        next: &[EXPLAIN_FILTER],
    },
    MessagePattern {
        system: MIRROR,
        marks: &["not found in catalog"],
        meaning: "The catalog has no package of this name. The names of packages differ from those of operators, and \
            catalogs of other families or versions have others.",
        names: &[("operator \"", "\"")],
        next: &["olmdex search {0} -i CATALOG", "olmdex list packages -i CATALOG"],
    },
    MessagePattern {
        system: IMAGES,
        marks: &["references with both a tag and digest are currently not supported"],
        meaning: "The tool takes a name with a tag or one with a digest. Leave out the tag: the digest says more. The \
            lists of olmdex for these tools name digests alone.",
        names: &[],
        next: &["olmdex images PACKAGE -i CATALOG -o mapping --registry MIRROR"],
    },
    MessagePattern {
        system: IMAGES,
        marks: &["no image found in", "for architecture"],
        meaning: "The image is not there for this platform. Name the platform that the cluster has, as with \
            `--override-arch` of skopeo or `--platform` of podman and olmdex.",
        names: &[],
        next: &[CHECK_IMAGES],
    },
    MessagePattern {
        system: IMAGES,
        marks: &["manifest unknown"],
        meaning: "The registry has the repository, but not this tag or digest: it was never pushed there, was deleted, \
            or a mirror lacks it.",
        names: &[],
        next: &[CHECK_IMAGES],
    },
    MessagePattern {
        system: IMAGES,
        marks: &["unable to retrieve auth token"],
        meaning: "The registry refuses the credentials: they are missing, wrong or expired. Log in again (`podman login \
            HOST`), and name the file for the tool (`--authfile`, $REGISTRY_AUTH_FILE).",
        names: &[],
        next: &[CHECK_IMAGES],
    },
    MessagePattern {
        system: IMAGES,
        marks: &["unauthorized:"],
        meaning: "The registry wants credentials that may read this repository. Log in (`podman login HOST`); a name \
            that does not exist gets the same answer from some registries.",
        names: &[],
        next: &[CHECK_IMAGES],
    },
    MessagePattern {
        system: IMAGES,
        marks: &["certificate signed by unknown authority"],
        meaning: "The certificate of the registry is of an authority that this machine does not trust. Add that \
            authority to the machine, or as /etc/containers/certs.d/HOST/ca.crt; on a cluster, name it in \
            `additionalTrustedCA` of image.config.openshift.io.",
        names: &[],
        next: &[CHECK_IMAGES],
    },
    MessagePattern {
        system: IMAGES,
        marks: &["server gave http response to https client"],
        meaning: "The registry does not speak TLS. Mark it as insecure in registries.conf, or use `--src-tls-verify=false` \
            or `--dest-tls-verify=false` of skopeo, `--plain-http` of olmdex.",
        names: &[],
        next: &[CHECK_IMAGES],
    },
    MessagePattern {
        system: IMAGES,
        marks: &["toomanyrequests"],
        meaning: "The registry limits how often one address or user may ask. Log in, since users may ask more often \
            than strangers, or wait until the limit is reset.",
        names: &[],
        next: &[CHECK_IMAGES],
    },
];
