//! The errors of a configuration, in oc-mirror's words (`docs/behaviour/authoring.md` D.1).

use thiserror::Error;

use super::purpose::Purpose;
use olmdex_text::re2::PatternError;
use olmdex_version::Quoted;

/// The reason why a text is not a configuration. The words are oc-mirror's.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConfigurationError {
    /// It is not YAML.
    #[error("failed to unmarshal config: error converting YAML to JSON: {0}")]
    Yaml(String),
    /// A mapping has duplicate keys, each with its line.
    #[error("failed to unmarshal config: error converting YAML to JSON: yaml: unmarshal errors:{}", lines(.0))]
    DuplicateKeys(Vec<(u32, String)>),
    /// It is not a mapping; the kind of value that it is.
    #[error(
        "failed to unmarshal config: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {0} into Go value of type map[string]interface {{}}"
    )]
    NotAMapping(&'static str),
    /// It has no kind.
    #[error("configuration missing `kind`")]
    NoKind,
    /// It has another kind.
    #[error("cannot parse {} as {}", Quoted(.0), Quoted(.1.kind()))]
    OtherKind(String, Purpose),
    /// It lacks the field of its wishes.
    #[error("configuration missing the `{}` stanza", .0.stanza())]
    NoStanza(Purpose),
    /// It has the field of wishes of the other kind.
    #[error("{}: is not allowed in {}", .0.other().stanza(), .0.kind())]
    OtherStanza(Purpose),
    /// It has an unknown field.
    #[error("decode {}: json: unknown field {}", .1.kind(), Quoted(.0))]
    UnknownField(String, Purpose),
    /// A field has a value of another type.
    #[error(
        "decode {}: json: cannot unmarshal {found} into Go struct field {field} of type {wanted}", .purpose.kind()
    )]
    Misfit {
        /// The kind of the configuration.
        purpose: Purpose,
        /// The type of the value.
        found: String,
        /// The path, beginning with the type of the file.
        field: String,
        /// The type that the field needs.
        wanted: String,
    },
    /// It can be read, but has invalid values.
    #[error("{}", joined(.0))]
    Invalid(Vec<Vec<Fault>>),
    /// It asks only for things that olmdex does not list.
    #[error("the configuration asks for no catalog and no additional image{}", only(.0))]
    Unlisted(Vec<&'static str>),
}

/// The rest of the sentence about a configuration that asks for nothing else than this.
fn only(unlisted: &[&str]) -> String {
    match unlisted {
        [] => String::new(),
        _ => format!(", only for what olmdex does not list: {}", unlisted.join(", ")),
    }
}

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// A reference has neither tag nor digest.
    #[error("{0} unable to parse image correctly : tag and digest are empty")]
    NoTag(String),
    /// A digest is not valid.
    #[error("{0} unable to parse image correctly : invalid digest")]
    BadDigest(String),
    /// There is no reference.
    #[error("unknown image : reference name is empty")]
    NoReference,
    /// Two entries end up as the same image.
    #[error("catalog {}: duplicate found in configuration", Quoted(.0))]
    CatalogTwice(String),
    /// The name at the destination is not valid.
    #[error("invalid target path component {}: should not contain a tag or digest. Expected format is 1 or more path components \
             separated by /, where each path component is a set of alpha-numeric and regexp (?:[._]|__|[-]*). For more, see \
             https://github.com/containers/image/blob/main/docker/reference/regexp.go", Quoted(.0))]
    BadTarget(String),
    /// A package occurs twice in a catalog.
    #[error("catalog {}: duplicate package entry {}", Quoted(.catalog), Quoted(.package))]
    PackageTwice { catalog: String, package: String },
    /// A channel occurs twice in a package.
    #[error("catalog {}: operator {}: duplicate channel entry {}", Quoted(.catalog), Quoted(.package), Quoted(.channel))]
    ChannelTwice { catalog: String, package: String, channel: String },
    /// A bound is not a version.
    #[error("catalog {}: operator {}: {}{field} {} must respect semantic versioning notation", Quoted(.catalog), Quoted(.package),
            of_channel(.channel.as_deref()), Quoted(.version))]
    NotAVersion {
        catalog: String,
        package: String,
        /// The channel, if the bound belongs to one.
        channel: Option<String>,
        /// `minVersion` or `maxVersion`.
        field: &'static str,
        /// The value.
        version: String,
    },
    /// Both the package and one of its channels have bounds.
    #[error("catalog {}: operator {}: mixing both filtering by minVersion/maxVersion and filtering by channel \
             minVersion/maxVersion is not allowed", Quoted(.catalog), Quoted(.package))]
    BothLevels { catalog: String, package: String },
    /// A release channel occurs twice.
    #[error("release channel {}: duplicate found in configuration", Quoted(.0))]
    ReleaseChannelTwice(String),
    /// A regular expression is not valid.
    #[error("blocked image {}: invalid regular expression: {error}", Quoted(.expression))]
    BadExpression { expression: String, error: PatternError },
    /// Two fields exclude each other.
    #[error(
        "platform.platforms and platform.architectures cannot be used together; use platform.platforms for sparse manifest \
             filtering (requires disabling manifest list blob checks on container registry side), or platform.architectures \
             (deprecated) for OCP multi payload or single arch payloads"
    )]
    PlatformsAndArchitectures,
    /// A package or a channel has no name.
    #[error("{what} \"\" is invalid: name must be specified")]
    Nameless {
        /// `package` or `channel`.
        what: &'static str,
    },
    /// The lower bound is above the upper one.
    #[error("version range \">={min} <={max}\" results in an empty channel")]
    Swapped {
        /// The lower bound.
        min: String,
        /// The upper bound.
        max: String,
    },
    /// Bounds are beside `full: true`.
    #[error("Full: true cannot be mixed with versionRange")]
    FullWithRange,
}

fn of_channel(channel: Option<&str>) -> String {
    channel.map(|it| format!("channel {}: ", Quoted(it))).unwrap_or_default()
}

fn lines(keys: &[(u32, String)]) -> String {
    keys.iter().map(|(line, key)| format!("\n  line {line}: key {} already set in map", Quoted(key))).collect()
}

/// Groups of faults in the style of Kubernetes' aggregates: a single fault by itself, several in brackets, none twice.
fn joined(groups: &[Vec<Fault>]) -> String {
    let group =
        |faults: &Vec<Fault>| format!("invalid configuration: {}", aggregate(faults.iter().map(Fault::to_string)));
    aggregate(groups.iter().map(group))
}

fn aggregate(texts: impl Iterator<Item = String>) -> String {
    let mut seen = std::collections::BTreeSet::new();
    let texts: Vec<String> = texts.filter(|it| seen.insert(it.clone())).collect();
    if let [only] = texts.as_slice() { only.clone() } else { format!("[{}]", texts.join(", ")) }
}
