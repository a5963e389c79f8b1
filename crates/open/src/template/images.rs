//! The content of the images of a template.

use std::borrow::Cow;
use std::sync::Arc;

use olmdex_bundle::bundle::Bundle;
use olmdex_fbc::service_version::CsvView;
use olmdex_fbc::{self as fbc, Typed};
use olmdex_text::json::{Reader, Value};

/// A source of the content of images.
pub trait BundleImages {
    /// The bundles of these images, in their order.
    fn bundles(&self, images: &[&str]) -> Vec<Result<ImageContent, Unavailable>>;
}

/// The bundle of an image.
#[derive(Debug)]
pub enum ImageContent {
    /// Read from its files.
    Files(Arc<Bundle>),
    /// The blob that a catalog has of it, as JSON.
    Blob(String),
}

/// The reason why the bundle of an image is not available.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unavailable {
    /// The fault.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
    /// Whether no source has the image, as opposed to an error in a source that has it.
    pub is_unknown: bool,
}

/// The facts about a bundle that templates need.
#[derive(Debug, Clone, Default)]
pub(super) struct Head {
    pub(super) name: String,
    /// Its properties of the type `olm.package`: package, version, release.
    pub(super) packages: Vec<[String; 3]>,
    pub(super) description: String,
    /// The first icon: base64 and media type.
    pub(super) icon: Option<(String, String)>,
    /// The annotation `olm.substitutesFor`.
    pub(super) substitutes_for: String,
    /// Whether a migrated catalog has it without its manifests.
    pub(super) is_migrated: bool,
}

impl Head {
    /// The head of the bundle of an image; `None` if a blob is not that of a bundle.
    pub(super) fn of(content: &ImageContent) -> Option<Self> {
        match content {
            ImageContent::Files(bundle) => {
                let mut head = Self { name: bundle.name.clone(), ..Self::default() };
                let mut reader = Reader::new();
                for (_, value) in bundle.properties().filter(|it| it.0 == "olm.package") {
                    if let Ok(value) = reader.read(value) {
                        head.packages.push(package(value));
                    }
                }
                if let Ok(csv) = reader.read(bundle.csv()) {
                    head.take(CsvView::of_object(csv));
                }
                Some(head)
            }
            ImageContent::Blob(text) => Self::of_blob(text),
        }
    }

    /// The head of a bundle's blob.
    pub(super) fn of_blob(text: &str) -> Option<Self> {
        let mut reader = Reader::new();
        let value = reader.read(text).ok()?;
        let blob = fbc::blob::decode(value, false).ok()?;
        let Typed::Bundle(bundle) = &blob.typed else { return None };
        let mut head = Self { name: blob.name.to_string(), ..Self::default() };
        let of_kind =
            |kind: &'static str| bundle.properties.iter().filter(move |it| it.kind == kind).filter_map(|it| it.value);
        head.packages = of_kind("olm.package").map(package).collect();
        if let Some(metadata) = of_kind("olm.csv.metadata").next() {
            head.take(CsvView::of_metadata(metadata));
            head.is_migrated = of_kind(fbc::BUNDLE_OBJECT).next().is_none();
        }
        if let Ok(Some(csv)) = fbc::cluster_service_version(bundle) {
            let text = String::from_utf8_lossy(&csv);
            let mut reader = Reader::new();
            if let Ok(csv) = reader.read(&text) {
                head.take(CsvView::of_object(csv));
            }
        }
        Some(head)
    }

    fn take(&mut self, csv: CsvView<'_>) {
        self.description = csv.text("description");
        self.icon = csv.icon();
        self.substitutes_for = csv.annotation("olm.substitutesFor").unwrap_or_default().into_owned();
    }
}

fn package(value: Value<'_>) -> [String; 3] {
    ["packageName", "version", "release"]
        .map(|key| value.get_field(key).and_then(|it| it.as_str()).map(Cow::into_owned).unwrap_or_default())
}
