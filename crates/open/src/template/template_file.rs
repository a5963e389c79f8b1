//! A template of any kind: read, judged, rendered.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::basic::{self, Entry};
use super::document::Document;
use super::images::{BundleImages, Head};
use super::kind::Kind;
use super::lists::TemplateImage;
use super::rendered::{Part, Rendered};
use super::rules;
use super::semver::Semver;
use super::substitutes::{Substitutes, channel_blob};
use olmdex_base::diag::{Finding, Listed, closest};
use olmdex_fbc::{Input, InputFile, Level, Spot};
use olmdex_text::json::{Step, Tree};

/// A template that has been read.
///
/// ```
/// use std::sync::Arc;
///
/// use olmdex_open::template::Template;
///
/// let text = "schema: olm.semver\nstable:\n  bundles:\n  - image: quay.io/example/shop:v1.0.0\n";
/// let template = Template::read("shop.yaml", Arc::from(text.as_bytes()), None).unwrap();
/// assert_eq!(template.images(), ["quay.io/example/shop:v1.0.0"]);
/// ```
#[derive(Debug)]
pub struct Template {
    pub(super) document: Document,
    pub(super) body: Body,
    /// The remarks about it, although it can be rendered.
    pub remarks: Vec<Finding>,
}

#[derive(Debug)]
pub(super) enum Body {
    Basic(Vec<Entry>),
    Semver(Semver),
    Substitutes(Substitutes),
}

/// The bundles of a template's images.
#[derive(Debug, Default)]
pub(super) struct ImageBundles<'t> {
    /// Those that were found, by image.
    pub(super) found: BTreeMap<&'t str, (Part, Head)>,
    /// A finding for each image that is not available.
    pub(super) missing: Vec<Finding>,
    /// Remarks about the others.
    pub(super) remarks: Vec<Finding>,
}

/// No template is larger: no bundle is among its entries.
pub const MAX_SIZE: u64 = 64 << 20;

/// Schemas of templates that opm does not have any more.
const REMOVED: &str = "olm.composite";

/// Whether a text is likely to be a template: whether its first document has such a schema.
fn is_template(shown: &str, text: &Arc<[u8]>) -> bool {
    // Reading a whole catalog only to learn that it is not a template would cost as much as checking it.
    let may_be = [b"olm.template.".as_slice(), b"olm.semver", REMOVED.as_bytes()];
    may_be.iter().any(|it| memchr::memmem::find(text, it).is_some())
        && Document::read(shown, text.clone())
            .is_ok_and(|(it, _)| Kind::of_schema(&it.schema).is_some() || it.schema.starts_with(REMOVED))
}

/// Larger files are not asked whether they are templates: reading them twice would cost more than that is worth.
pub(super) const MAX_TEMPLATE: u64 = 4 << 20;

/// The text of a file that is likely to be a template.
pub fn template_text(file: &InputFile) -> Option<Arc<[u8]>> {
    if file.size().is_some_and(|size| size > MAX_TEMPLATE) {
        return None;
    }
    let text: Arc<[u8]> = file.head(MAX_TEMPLATE + 1).ok()?.into();
    (text.len() as u64 <= MAX_TEMPLATE && is_template(&file.shown, &text)).then_some(text)
}

/// The texts of an input's files with their names, if each of them is a template.
pub fn template_texts(input: &Input) -> Option<Vec<(String, Arc<[u8]>)>> {
    let text = |file: &InputFile| Some((file.shown.clone(), template_text(file)?));
    if input.files.is_empty() { None } else { input.files.iter().map(text).collect() }
}

impl Template {
    /// Reads a template, named `shown` in messages. `wanted` is the kind that it must have.
    ///
    /// # Errors
    /// All errors in it, each with its place.
    pub fn read(shown: &str, text: Arc<[u8]>, wanted: Option<Kind>) -> Result<Self, Vec<Finding>> {
        let (template, of_images) = Self::read_graph(shown, text, wanted)?;
        if of_images.is_empty() { Ok(template) } else { Err(of_images) }
    }

    /// As [`Self::read`], but the errors in images of a basic template are only told: its graph does not depend on
    /// them.
    ///
    /// # Errors
    /// All errors in it, if there is another one.
    pub fn read_graph(
        shown: &str,
        text: Arc<[u8]>,
        wanted: Option<Kind>,
    ) -> Result<(Self, Vec<Finding>), Vec<Finding>> {
        let (document, second) = Document::read(shown, text)?;
        let kind = Kind::of_schema(&document.schema).filter(|it| wanted.is_none_or(|wanted| wanted == *it));
        let Some(kind) = kind else { return Err(vec![unknown_schema(&document, wanted)]) };
        let mut of_images = Vec::new();
        let body = match kind {
            Kind::Basic => {
                let (entries, found) = basic::entries(&document)?;
                of_images = found;
                Body::Basic(entries)
            }
            Kind::Semver => Body::Semver(Semver::read(&document)?),
            Kind::Substitutes => Body::Substitutes(Substitutes::read(&document)?),
        };
        Ok((Self { document, body, remarks: second.into_iter().collect() }, of_images))
    }

    /// The images that it names, each once, in their order.
    pub fn images(&self) -> Vec<&str> {
        self.listed().iter().map(|it| it.image.as_str()).collect()
    }

    /// The first mention of each image.
    pub(super) fn listed(&self) -> Vec<&TemplateImage> {
        let all: Vec<&TemplateImage> = match &self.body {
            Body::Basic(entries) => entries
                .iter()
                .filter_map(|it| match it {
                    Entry::Bundle(listed) => Some(listed),
                    Entry::Blob(_) => None,
                })
                .collect(),
            Body::Semver(semver) => semver.streams.iter().flat_map(|it| &it.1).collect(),
            Body::Substitutes(it) => it.substitutions.iter().map(|it| &it.image).collect(),
        };
        let mut seen = std::collections::BTreeSet::new();
        all.into_iter().filter(|it| seen.insert(it.image.as_str())).collect()
    }

    /// The catalog, and the remarks about it. `level` is the one at which it will be written.
    ///
    /// # Errors
    /// The obstacles: every image that is not available, or every bundle that does not fit.
    pub fn render(&self, images: &dyn BundleImages, level: Level) -> Result<(Rendered, Vec<Finding>), Vec<Finding>> {
        let ImageBundles { found: bundles, missing: findings, remarks } = self.bundles_of_images(images, level);
        if !findings.is_empty() {
            return Err(findings);
        }
        let rendered = match &self.body {
            Body::Basic(entries) => {
                let part = |it: &Entry| match it {
                    Entry::Blob(text) => Some(Part::Own(text.clone())),
                    Entry::Bundle(listed) => bundles.get(listed.image.as_str()).map(|it| it.0.clone()),
                };
                Rendered { parts: entries.iter().filter_map(part).collect() }
            }
            Body::Semver(semver) => self.semver(semver, bundles)?,
            Body::Substitutes(it) => it.render(&self.document, &bundles)?,
        };
        Ok((rendered, remarks))
    }

    /// The bundles of its images. `level` is the one at which they will be written.
    pub(super) fn bundles_of_images(&self, images: &dyn BundleImages, level: Level) -> ImageBundles<'_> {
        let listed = self.listed();
        let mut found = BTreeMap::new();
        let (mut missing, mut remarks) = (Vec::new(), Vec::new());
        let contents = images.bundles(&listed.iter().map(|it| it.image.as_str()).collect::<Vec<_>>());
        for (listed, content) in listed.into_iter().zip(contents) {
            let at = Spot::Path(listed.path.clone());
            let content = match content {
                Ok(content) => content,
                Err(error) => {
                    missing.push(Finding {
                        help: error.help,
                        ..rules::UNAVAILABLE.finding(error.message).at(self.document.place(&at))
                    });
                    continue;
                }
            };
            let Some(head) = Head::of(&content) else {
                let message = format!("the content found for `{}` is not a bundle", listed.image);
                missing.push(rules::UNAVAILABLE.finding(message).at(self.document.place(&at)));
                continue;
            };
            if head.is_migrated && level == Level::None {
                let message = format!("`{}` comes from a migrated catalog: opm would write bundle objects", head.name);
                let help = "add `--migrate-level bundle-object-to-csv-metadata`";
                remarks.push(rules::MIGRATED.finding(message).at(self.document.place(&at)).help(help));
            }
            found.insert(listed.image.as_str(), (Part::of(content, &listed.image), head));
        }
        ImageBundles { found, missing, remarks }
    }

    fn semver(&self, semver: &Semver, bundles: BTreeMap<&str, (Part, Head)>) -> Result<Rendered, Vec<Finding>> {
        let mut parts = Vec::new();
        let mut heads = BTreeMap::new();
        for (image, (part, head)) in bundles {
            parts.push(part);
            heads.insert(image, head);
        }
        let package = semver.package(&self.document, &heads)?;
        let channels = &package.channels;
        // The description is that of the newest bundle of the default channel.
        let newest = channels.entries.get(&channels.default).and_then(|it| it.last()).map(|it| &it.name);
        let newest = newest.and_then(|name| heads.values().find(|it| it.name == *name));
        parts.push(Part::Own(package_blob(&package.name, &channels.default, newest)));
        for (name, entries) in &channels.entries {
            parts.push(Part::Own(channel_blob(&package.name, name, entries, None)));
        }
        Ok(Rendered { parts })
    }
}

fn unknown_schema(document: &Document, wanted: Option<Kind>) -> Finding {
    let schema = &document.schema;
    let at = Spot::Path(vec![Step::Key("schema".to_owned())]);
    let (message, help) = match (wanted, Kind::of_schema(schema)) {
        _ if schema.starts_with(REMOVED) => (
            "composite templates were removed from opm".to_owned(),
            "`olmdex render --config FILE` composes the catalog that it describes, and `olmdex template render FILE` \
            prints it as olmdex.toml"
                .to_owned(),
        ),
        (Some(wanted), found) => (
            format!("the template has the schema `{schema}`, not `{}`", wanted.schema()),
            match found {
                Some(found) => format!("render it as `{}`, or leave the type out", found.name()),
                None => format!("write `schema: {}`", wanted.schema()),
            },
        ),
        (None, _) => {
            let help = match closest(schema, Kind::ALL.map(Kind::schema)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("there are {}", Listed::quoted(Kind::ALL.map(Kind::schema))),
            };
            (format!("`{schema}` is not the schema of a template"), help)
        }
    };
    rules::UNKNOWN_SCHEMA.finding(message).at(document.place(&at)).help(help)
}

/// A package's blob, as JSON.
pub(super) fn package_blob(name: &str, default_channel: &str, newest: Option<&Head>) -> String {
    let blob = Tree::of_texts([("schema", "olm.package"), ("name", name), ("defaultChannel", default_channel)]);
    let Some(newest) = newest else { return blob.compact() };
    let icon = newest.icon.as_ref().map(|(data, mediatype)| {
        // The form that Go's decoder reads, which ignores line breaks.
        Tree::object().with("base64data", data.replace(['\r', '\n'], "")).with("mediatype", mediatype)
    });
    blob.with_text("description", &newest.description).with_some("icon", icon).compact()
}
