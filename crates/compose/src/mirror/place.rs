//! References of images taken apart, and their places in a mirror (`docs/behaviour/authoring.md` E.2).

use std::borrow::Cow;
use std::fmt;

use thiserror::Error;

use super::error::ConfigurationError;
use super::filter::NamelessError;
use super::verify::{tag_and_digest, without_transport};
use olmdex_fbc::check_image;

/// Why something cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OutputError {
    /// A reference is not valid.
    #[error("`{0}` is not an image reference")]
    Reference(String),
    /// The place that the configuration gives an image is not valid.
    #[error("invalid targetRepo {repo} for image {image}")]
    Target { repo: String, image: String },
    /// A request is about something that no catalog could have.
    #[error(transparent)]
    Nameless(#[from] NamelessError),
    /// oc-mirror would refuse the configuration.
    #[error("the configuration would not be valid: {0}")]
    Configuration(ConfigurationError),
    /// The name that an object would get is not valid.
    #[error("error creating catalog source name: `{0}` is not a DNS label")]
    Name(String),
}

impl OutputError {
    /// The remedy.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Target { .. } => Some("targetRepo is a path without registry, tag and digest, such as `team/app`"),
            Self::Configuration(_) => Some("name the reference of the catalog's image: `-i REFERENCE=SOURCE`"),
            Self::Reference(_) | Self::Nameless(_) | Self::Name(_) => None,
        }
    }
}

/// An image by its reference.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Image {
    /// The registry, with its port.
    pub host: String,
    /// The repository there.
    pub path: String,
    /// The tag.
    pub tag: Option<String>,
    /// The digest, with its algorithm.
    pub digest: Option<String>,
}

/// An image to mirror, with the place that the configuration gives it instead of its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mirrored {
    /// The image at its origin.
    pub image: Image,
    /// Another path at the destination; empty for its own.
    pub target_repo: String,
    /// Another tag there; empty for its own.
    pub target_tag: String,
}

impl From<Image> for Mirrored {
    fn from(image: Image) -> Self {
        Self { image, target_repo: String::new(), target_tag: String::new() }
    }
}

impl Mirrored {
    /// Whether it gets another name than its own.
    pub fn is_renamed(&self) -> bool {
        !self.target_repo.is_empty() || !self.target_tag.is_empty()
    }
}

/// The destination of images.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// The registry, with its port.
    pub host: String,
    /// The path below which everything goes, or empty.
    pub prefix: String,
    /// How many components a path may have.
    pub max_nested: Option<usize>,
}

impl Image {
    /// Takes a reference apart, without its transport; `None` if it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, is_layout) = without_transport(text);
        if is_layout || name.is_empty() || check_image(name).is_err() {
            return None;
        }
        let (rest, tag, digest) = tag_and_digest(name);
        let (host, path) = match rest.split_once('/') {
            Some((host, path)) if host.contains(['.', ':']) || host == "localhost" => (host, path.to_owned()),
            Some(_) => ("docker.io", rest.to_owned()),
            None => ("docker.io", format!("library/{rest}")),
        };
        let owned = |it: Option<&str>| it.map(str::to_owned);
        Some(Self { host: host.to_owned(), path, tag: owned(tag), digest: owned(digest) })
    }

    /// The same image as tools that copy take it: skopeo refuses a name with both a tag and a digest, so the digest
    /// alone counts, as oc-mirror writes it (internal/pkg/operator/common.go).
    #[must_use]
    pub fn copyable(&self) -> Self {
        Self { tag: self.tag.clone().filter(|_| self.digest.is_none()), ..self.clone() }
    }

    /// A reference as [`Self::copyable`] has it; any other text stays as it is.
    pub fn copyable_name(reference: &str) -> Cow<'_, str> {
        match Self::parse(reference) {
            Some(image) if image.tag.is_some() && image.digest.is_some() => image.copyable().to_string().into(),
            _ => reference.into(),
        }
    }

    /// Registry and repository.
    pub fn location(&self) -> String {
        format!("{}/{}", self.host, self.path)
    }
}

impl fmt::Display for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.host, self.path)?;
        if let Some(tag) = &self.tag {
            write!(f, ":{tag}")?;
        }
        match &self.digest {
            Some(digest) => write!(f, "@{digest}"),
            None => Ok(()),
        }
    }
}

impl Destination {
    /// Reads `HOST[:PORT][/PATH]`; `None` if it is not that.
    pub fn parse(text: &str, max_nested: Option<usize>) -> Option<Self> {
        let text = text.strip_prefix("docker://").unwrap_or(text).trim_end_matches('/');
        let image = Image::parse(&format!("{text}/x:t")).filter(|it| text.split('/').next() == Some(&it.host))?;
        let prefix = image.path.strip_suffix("/x").unwrap_or_default().to_owned();
        Some(Self { host: image.host, prefix, max_nested })
    }

    /// Whether a repository of the registry is below the path.
    pub fn has_repository(&self, repository: &str) -> bool {
        self.prefix.is_empty() || repository.strip_prefix(&self.prefix).is_some_and(|rest| rest.starts_with('/'))
    }

    /// The place of an image at the destination: the path and the tag from the configuration, or else its own.
    pub fn of(&self, mirrored: &Mirrored) -> Image {
        let mut image = mirrored.image.clone();
        if !mirrored.target_repo.is_empty() {
            mirrored.target_repo.clone_into(&mut image.path);
        }
        if !mirrored.target_tag.is_empty() {
            image.tag = Some(mirrored.target_tag.clone());
        }
        self.of_image(&image)
    }

    /// The default place of an image at the destination: the same path, and as tag its own, or its digest.
    pub fn of_image(&self, image: &Image) -> Image {
        let path = match self.prefix.as_str() {
            "" => image.path.clone(),
            prefix => format!("{prefix}/{}", image.path),
        };
        let tag = match (&image.tag, &image.digest) {
            (Some(tag), _) => tag.clone(),
            (None, Some(digest)) => digest.replace(':', "-"),
            (None, None) => "latest".to_owned(),
        };
        Image { host: self.host.clone(), path: self.shortened(&path), tag: Some(tag), digest: None }
    }

    /// A path with at most the allowed number of components: surplus ones are joined with `-`.
    fn shortened(&self, path: &str) -> String {
        match self.max_nested.filter(|it| *it > 0) {
            Some(max) if path.split('/').count() > max => {
                let parts: Vec<&str> = path.split('/').collect();
                let (kept, joined) = parts.split_at(max - 1);
                let joined = joined.join("-");
                kept.iter().copied().chain([joined.as_str()]).collect::<Vec<_>>().join("/")
            }
            _ => path.to_owned(),
        }
    }
}
