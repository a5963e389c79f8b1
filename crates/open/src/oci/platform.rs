//! The choice of an image in an index (`docs/behaviour/serving.md` A.3).

use std::str::FromStr;

use super::document::{Descriptor, Index, PlatformOf};
use super::error::OciError;

/// The requested platform: `OS/ARCHITECTURE[/VARIANT]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Platform {
    os: String,
    architecture: String,
    variant: String,
    /// Whether a user asked for it: then no other platform is taken.
    is_asked: bool,
}

impl Platform {
    /// Linux on the architecture of this program; another image will do if an index has no other.
    pub fn host() -> Self {
        let architecture = match () {
            () if cfg!(target_arch = "aarch64") => "arm64",
            () if cfg!(all(target_arch = "powerpc64", target_endian = "little")) => "ppc64le",
            () if cfg!(target_arch = "s390x") => "s390x",
            () => "amd64",
        };
        Self { os: "linux".to_owned(), architecture: architecture.to_owned(), variant: String::new(), is_asked: false }
    }

    /// Whether a user asked for it, and not the machine that the program runs on.
    pub fn is_asked(&self) -> bool {
        self.is_asked
    }

    /// The image of an index that fits best.
    ///
    /// # Errors
    /// [`OciError::Choice`] with the platforms that there are.
    pub fn choose<'i>(&self, index: &'i Index) -> Result<&'i Descriptor, OciError> {
        let of = |it: &Descriptor| it.platform.clone().unwrap_or_default();
        let fits = |it: &PlatformOf| it.os == self.os && it.architecture == self.architecture;
        let images = || index.manifests.iter();
        // Without a variant before one with another.
        let exact = images().find(|it| fits(&of(it)) && of(it).variant == self.variant);
        let plain = || images().find(|it| fits(&of(it)) && of(it).variant.is_empty());
        let any = || images().find(|it| fits(&of(it)) && self.variant.is_empty());
        let unnamed = || images().find(|it| it.platform.is_none());
        if let Some(found) = exact.or_else(plain).or_else(any).or_else(unnamed) {
            return Ok(found);
        }
        // A catalog is the same on every platform; only the program beside it differs.
        let mut others = images().filter(|it| of(it).os == self.os);
        if let (false, Some(only), None) = (self.is_asked, others.next(), others.next()) {
            return Ok(only);
        }
        let shown = |it: &Descriptor| of(it).to_string();
        let there: Vec<String> = images().map(shown).filter(|it| it != "unknown/unknown").collect();
        Err(OciError::Choice {
            message: format!("no image for {}/{}", self.os, self.architecture),
            help: match there.as_slice() {
                [] => "the index has no images".to_owned(),
                there => format!("choose an available platform with `--platform`: {}", there.join(", ")),
            },
        })
    }
}

impl FromStr for Platform {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split('/');
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(os), Some(architecture), variant, None) if !os.is_empty() && !architecture.is_empty() => Ok(Self {
                os: os.to_owned(),
                architecture: architecture.to_owned(),
                variant: variant.unwrap_or_default().to_owned(),
                is_asked: true,
            }),
            _ => Err("write a platform as OS/ARCHITECTURE, such as linux/amd64".to_owned()),
        }
    }
}
