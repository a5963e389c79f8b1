//! The reasons why bundles cannot be added to a legacy catalog: the refusals of the real tool
//! (`docs/behaviour/legacy-index.md` 4.2 to 4.6), in our words.
use olmdex_base::diag::Listed;

use thiserror::Error;

/// The reasons why a bundle, or all new bundles of a package, cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AddRefusal {
    /// A field is missing without which a bundle has no place.
    #[error("bundle `{bundle}` has no {what}")]
    Incomplete { bundle: String, what: &'static str },
    /// Two of the new bundles have the same name or image.
    #[error("`{what}` is given twice")]
    Twice { what: String },
    /// Its image is in the file.
    #[error("the file already has image `{image}`, as bundle `{bundle}`")]
    ImageExists { image: String, bundle: String },
    /// Its name is in the file.
    #[error("the file already has bundle `{bundle}`, {place}")]
    Exists { bundle: String, place: String },
    /// Its name is in the file, in no channel.
    #[error("the file already has bundle `{bundle}`, in no channel")]
    Stranded { bundle: String },
    /// It is to be overwritten, and is not the head of its channels.
    #[error("bundle `{bundle}` cannot be overwritten: `{by}` {verb} it in channel `{channel}`")]
    NotHead {
        bundle: String,
        /// The bundle that replaces or skips it.
        by: String,
        /// `replaces` or `skips`.
        verb: &'static str,
        channel: String,
    },
    /// It is to be overwritten, and one of the two has no image.
    #[error("bundle `{bundle}` cannot be overwritten: it has no image")]
    NoImage { bundle: String },
    /// More than one bundle of a package is to be overwritten.
    #[error("package `{package}`: `{first}` and `{second}` cannot both be overwritten")]
    OverwritesTwo { package: String, first: String, second: String },
    /// An edge leads to a bundle of another package.
    #[error("bundle `{bundle}` of package `{package}` names `{edge}`, which belongs to package `{other}`")]
    OtherPackage {
        bundle: String,
        package: String,
        /// The bundle that it replaces, skips, or is.
        edge: String,
        /// The package of that.
        other: String,
    },
    /// A version is not a semantic version.
    #[error("bundle `{bundle}` has the version `{version}`, which is not a semantic version")]
    Version { bundle: String, version: String },
    /// Semver mode needs a version.
    #[error("bundle `{bundle}` has no version")]
    NoVersion { bundle: String },
    /// A channel has the version already.
    #[error(
        "bundle `{bundle}`: channel `{channel}` of package `{package}` already has version {version}, in `{other}`"
    )]
    SameVersion { bundle: String, package: String, channel: String, version: String, other: String },
    /// Two bundles have the highest version of a channel or of the package.
    #[error("package `{package}`: `{first}` and `{second}` both have the highest version, {version}{place}")]
    SameHighest {
        package: String,
        /// Empty, or the channel.
        place: String,
        /// One bundle.
        first: String,
        /// Another one.
        second: String,
        /// The version of the latter.
        version: String,
    },
    /// No default channel is named.
    #[error("package `{package}` has no default channel")]
    NoDefault { package: String, channels: Vec<String> },
    /// The default channel is not a channel.
    #[error("package `{package}`: the default channel `{default}` does not exist")]
    UnknownDefault { package: String, default: String, channels: Vec<String> },
    /// A bundle replaces another that is not in the file.
    #[error("channel `{channel}` of package `{package}`: `{bundle}` replaces `{replaces}`, which is not in the file")]
    ReplacesMissing { package: String, channel: String, bundle: String, replaces: String },
    /// Following `replaces` leads back.
    #[error("channel `{channel}` of package `{package}`: the edges form a cycle: `{bundle}` replaces `{replaces}`")]
    Cycle { package: String, channel: String, bundle: String, replaces: String },
    /// A new bundle is on no path to the head of one of its channels.
    #[error(
        "bundle `{bundle}` would not be in channel `{channel}` of package `{package}`: no path leads from it to the head `{head}`"
    )]
    Pruned { bundle: String, package: String, channel: String, head: String },
    /// The channel as it is has no head, or several.
    #[error("channel `{channel}` of package `{package}` has {what}")]
    Heads { package: String, channel: String, what: String },
    /// Bundles of the channel would be lost.
    #[error("channel `{channel}` of package `{package}`: no path leads from `{bundle}` to the head `{head}`")]
    Unreachable { package: String, channel: String, bundle: String, head: String },
    /// It substitutes another one.
    #[error("bundle `{bundle}` substitutes for `{other}` (`olm.substitutesFor`), which olmdex cannot add")]
    Substitutes { bundle: String, other: String },
}

impl AddRefusal {
    /// The remedy.
    pub fn help(&self) -> String {
        match self {
            Self::Incomplete { what, .. } => match *what {
                "name" => "set `metadata.name` of the ClusterServiceVersion".to_owned(),
                "package" => {
                    "set `operators.operatorframework.io.bundle.package.v1` in `metadata/annotations.yaml`".to_owned()
                }
                _ => {
                    "set `operators.operatorframework.io.bundle.channels.v1` in `metadata/annotations.yaml`".to_owned()
                }
            },
            Self::Twice { .. } => "name it once".to_owned(),
            Self::ImageExists { .. } => "leave it out, or build the bundle as another image".to_owned(),
            Self::Exists { .. } => {
                "give the bundle another name and version; `--overwrite-latest` overwrites the head of a channel"
                    .to_owned()
            }
            Self::Stranded { .. } => "remove it first: `olmdex edit prune-stranded`".to_owned(),
            Self::NotHead { .. } => {
                "release a new version instead; `--overwrite-latest` overwrites only heads of channels".to_owned()
            }
            Self::NoImage { .. } => {
                "only a bundle with an image can be overwritten; set its image with `--image-template`".to_owned()
            }
            Self::OverwritesTwo { .. } => "add them one after another".to_owned(),
            Self::OtherPackage { .. } => "correct `replaces`, `skips` or the package of the bundle".to_owned(),
            Self::Version { .. } | Self::NoVersion { .. } => {
                "set `spec.version` of the ClusterServiceVersion, like `1.2.3`".to_owned()
            }
            Self::SameVersion { .. } | Self::SameHighest { .. } => "give the new bundle a higher version".to_owned(),
            Self::NoDefault { channels, .. } | Self::UnknownDefault { channels, .. } => format!(
                "set `operators.operatorframework.io.bundle.channel.default.v1` of the highest version to one of {}",
                Listed::quoted(channels)
            ),
            Self::ReplacesMissing { replaces, .. } => format!("also add `{replaces}`, or correct `replaces`"),
            Self::Cycle { .. } => "correct `replaces` of the new bundles".to_owned(),
            Self::Pruned { head, .. } => format!(
                "the head is the highest version: let a bundle between it and `{head}` replace or skip it, or use `--mode semver`"
            ),
            Self::Heads { .. } | Self::Unreachable { .. } => {
                "`olmdex check` shows more about the file; `--mode replaces` rebuilds the channel".to_owned()
            }
            Self::Substitutes { .. } => "add it with `replaces` and `skips` instead".to_owned(),
        }
    }
}
