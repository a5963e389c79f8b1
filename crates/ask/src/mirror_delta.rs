//! The difference between two states of a mirror, blob by blob: the blobs to copy, those that can be removed, and the
//! order of both.
//!
//! A blob exists once, however many images share it. A copied blob is therefore counted once, and no blob is removed
//! that an image of the new state needs.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use olmdex_open::oci::{BlobKind, Digest, ImageBlobs};

/// One state of a mirror.
#[derive(Debug, Clone, Default)]
pub struct MirrorState {
    /// Its images.
    pub images: Vec<StateImage>,
    /// The existing blobs with their bytes, if the place can be read: an image may lack some, and some may belong to no
    /// image.
    pub held: Option<BTreeMap<Digest, u64>>,
    /// Wishes for images that are not listed, in words.
    pub unlisted: Vec<String>,
}

/// An image of a state.
#[derive(Debug, Clone)]
pub struct StateImage {
    /// Its name there: a reference, a tag, or `@` and its digest.
    pub name: String,
    /// Its blobs, or why they are not known.
    pub blobs: Result<ImageBlobs, String>,
}

/// The action on a blob or an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DeltaAction {
    /// It is copied.
    Pull,
    /// It can be removed, once all copies are complete.
    Remove,
}

olmdex_base::named!(DeltaAction => as_str);

/// The kind of a thing that is copied or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DeltaKind {
    /// A layer, or any other content.
    Layer,
    /// A configuration.
    Config,
    /// A manifest of one image.
    Manifest,
    /// A list of manifests.
    Index,
    /// A whole image without a known manifest.
    Image,
    /// A name of an image.
    Tag,
}

impl From<BlobKind> for DeltaKind {
    fn from(kind: BlobKind) -> Self {
        match kind {
            BlobKind::Layer => Self::Layer,
            BlobKind::Config => Self::Config,
            BlobKind::Manifest => Self::Manifest,
            BlobKind::Index => Self::Index,
        }
    }
}

impl DeltaKind {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Layer => BlobKind::Layer.as_str(),
            Self::Config => BlobKind::Config.as_str(),
            Self::Manifest => BlobKind::Manifest.as_str(),
            Self::Index => BlobKind::Index.as_str(),
            Self::Image => "image",
            Self::Tag => "tag",
        }
    }
}

/// One step from the old state to the new one. Steps are safe in their order: a mirror that stops at any of them serves
/// all images that it lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeltaStep {
    /// The action.
    pub action: DeltaAction,
    /// The kind of its object.
    pub kind: DeltaKind,
    /// Its digest, for a tag that of the image; empty if it is not known.
    pub digest: String,
    /// Its bytes; `null` for a tag, and if they are not known.
    pub size: Option<u64>,
    /// The images that need it, or needed it; none if no image did.
    pub images: Vec<String>,
    /// The reason why its blobs are unknown; empty if they are known.
    pub message: String,
}

/// Blobs, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeltaTotal {
    /// How many blobs.
    pub blobs: usize,
    /// How many bytes they have.
    pub bytes: u64,
    /// How many images without known blobs come on top.
    pub unknown_images: usize,
}

/// About a delta as a whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeltaMetadata {
    /// How many steps there are.
    pub count: usize,
    /// The total of the blobs to copy.
    pub pull: DeltaTotal,
    /// The total of the blobs that can be removed.
    pub remove: DeltaTotal,
    /// The total of the blobs that are there and stay.
    pub keep: DeltaTotal,
    /// How many blobs of the old state stay only because an image of the new one may need them, whose manifest is not
    /// known.
    pub held_back: usize,
}

/// The way from one state of a mirror to another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MirrorDelta {
    /// The steps, in an order that is safe.
    pub steps: Vec<DeltaStep>,
    /// The totals.
    pub metadata: DeltaMetadata,
}

/// A change from one state of a mirror to another.
#[derive(Debug, Clone, Copy)]
pub struct MirrorDeltaQuestion<'s> {
    /// The present state.
    pub old: &'s MirrorState,
    /// The wanted state.
    pub new: &'s MirrorState,
}

/// A blob of a state.
#[derive(Debug, Clone)]
struct Blob<'s> {
    kind: BlobKind,
    size: u64,
    /// Its first position, image by image.
    position: usize,
    images: BTreeSet<&'s str>,
}

type Blobs<'s> = BTreeMap<&'s Digest, Blob<'s>>;

impl MirrorDeltaQuestion<'_> {
    /// The blobs to copy and those that can be removed, with the order of both.
    pub fn answer(&self) -> MirrorDelta {
        let (old, new) = (blobs_of(self.old.images.iter()), blobs_of(self.new.images.iter()));
        let present: BTreeMap<&Digest, u64> = match &self.old.held {
            Some(held) => held.iter().map(|(digest, size)| (digest, *size)).collect(),
            None => old.iter().map(|(digest, blob)| (*digest, blob.size)).collect(),
        };
        let stays: BTreeSet<&Digest> = self.kept_along(&new).into_iter().chain(new.keys().copied()).collect();
        let is_listed = self.new.unlisted.is_empty();
        let is_known = is_listed && self.new.images.iter().all(|it| it.blobs.is_ok());

        let mut pulled: Vec<_> = new.iter().filter(|it| !present.contains_key(it.0)).collect();
        pulled.sort_by_key(|it| (it.1.kind, it.1.position));
        let mut steps: Vec<DeltaStep> = pulled.into_iter().map(|(digest, it)| pull(digest, it)).collect();
        steps.extend(self.unknown(DeltaAction::Pull));
        steps.extend(self.new.unlisted.iter().map(|wish| unlisted(wish)));
        steps.extend(self.new_tags());

        let gone: Vec<(&Digest, u64)> =
            present.iter().filter(|it| !stays.contains(it.0)).map(|it| (*it.0, *it.1)).collect();
        // Anything of the old state may belong to what is not listed.
        if is_listed {
            steps.extend(self.old_tags(&stays));
            steps.extend(self.unknown(DeltaAction::Remove));
        }
        let held_back = if is_known { 0 } else { gone.len() };
        if is_known {
            let mut removed: Vec<DeltaStep> =
                gone.iter().map(|(digest, size)| remove(digest, *size, old.get(*digest))).collect();
            let place = |it: &DeltaStep| {
                let known =
                    it.digest.parse::<Digest>().ok().and_then(|it| old.get(&it).map(|it| (it.kind, it.position)));
                // Blobs without an image can be removed at any time, so they come last.
                std::cmp::Reverse(known)
            };
            removed.sort_by_cached_key(place);
            steps.extend(removed);
        }
        let mut metadata = totals(&steps);
        metadata.held_back = held_back;
        for (digest, size) in &present {
            if !is_known || stays.contains(digest) {
                metadata.keep.blobs += 1;
                metadata.keep.bytes = metadata.keep.bytes.saturating_add(*size);
            }
        }
        MirrorDelta { steps, metadata }
    }

    /// The blobs of old images that belong to images of the new state: signatures and attestations stay with these.
    fn kept_along(&self, new: &Blobs<'_>) -> BTreeSet<&Digest> {
        let is_about = |it: &StateImage, blobs: &ImageBlobs| {
            let subject = blobs.subject.clone().or_else(|| subject_of_tag(&it.name));
            subject.is_some_and(|it| new.contains_key(&it))
        };
        let about = self.old.images.iter().filter_map(|it| it.blobs.as_ref().ok().filter(|blobs| is_about(it, blobs)));
        about.flat_map(|it| it.blobs.iter().map(|it| &it.0)).collect()
    }

    /// Images without a known manifest that only one of the states has.
    fn unknown(&self, action: DeltaAction) -> Vec<DeltaStep> {
        let (of, others) = match action {
            DeltaAction::Pull => (&self.new.images, &self.old.images),
            DeltaAction::Remove => (&self.old.images, &self.new.images),
        };
        let names: BTreeSet<&str> = others.iter().map(|it| it.name.as_str()).collect();
        let digests: BTreeSet<String> = others.iter().filter_map(StateImage::digest).collect();
        let is_new = |it: &&StateImage| match it.digest() {
            Some(digest) => !digests.contains(&digest),
            None => !names.contains(it.name.as_str()),
        };
        let step = |it: &StateImage| DeltaStep {
            action,
            kind: DeltaKind::Image,
            digest: it.digest().unwrap_or_default(),
            size: None,
            images: vec![it.name.clone()],
            message: it.blobs.as_ref().err().cloned().unwrap_or_default(),
        };
        let mut steps: Vec<DeltaStep> = of.iter().filter(|it| it.blobs.is_err()).filter(is_new).map(step).collect();
        steps.sort_by(|a, b| a.images.cmp(&b.images));
        steps.dedup();
        steps
    }

    /// Names of new images that the old state lacks, or uses for other images.
    fn new_tags(&self) -> Vec<DeltaStep> {
        let known: BTreeSet<(&str, String)> = tags(&self.old.images).collect();
        let found: BTreeSet<(&str, String)> = tags(&self.new.images).filter(|it| !known.contains(it)).collect();
        found.into_iter().map(|it| tag_step(DeltaAction::Pull, it)).collect()
    }

    /// Names of old images whose manifests are removed. In a layout only names keep an image, so names of images that
    /// stay remain, too.
    fn old_tags(&self, stays: &BTreeSet<&Digest>) -> Vec<DeltaStep> {
        let names: BTreeSet<&str> = self.new.images.iter().map(|it| it.name.as_str()).collect();
        let digests: BTreeSet<String> = self.new.images.iter().filter_map(StateImage::digest).collect();
        let goes = |it: &(&str, String)| {
            let stays = it.1.parse::<Digest>().is_ok_and(|it| stays.contains(&it)) || digests.contains(&it.1);
            !stays && !names.contains(it.0)
        };
        let found: BTreeSet<(&str, String)> = tags(&self.old.images).filter(goes).collect();
        found.into_iter().map(|it| tag_step(DeltaAction::Remove, it)).collect()
    }
}

impl StateImage {
    /// Its digest, according to its blobs or its name.
    fn digest(&self) -> Option<String> {
        match &self.blobs {
            Ok(blobs) => Some(blobs.root.to_string()),
            Err(_) => self.name.split_once('@').map(|it| it.1.to_owned()),
        }
    }
}

/// The blobs of images, each once.
fn blobs_of<'s>(images: impl Iterator<Item = &'s StateImage>) -> Blobs<'s> {
    let mut found: Blobs<'s> = BTreeMap::new();
    let mut position = 0;
    for image in images {
        let Ok(blobs) = &image.blobs else { continue };
        for (digest, kind, size) in &blobs.blobs {
            position += 1;
            let new = || Blob { kind: *kind, size: *size, position, images: BTreeSet::new() };
            let blob = found.entry(digest).or_insert_with(new);
            blob.kind = blob.kind.min(*kind);
            blob.images.insert(&image.name);
        }
    }
    found
}

/// Names that can move, with their digests; a reference by digest is not one.
fn tags(images: &[StateImage]) -> impl Iterator<Item = (&str, String)> {
    let is_tag = |it: &&StateImage| !it.name.contains('@');
    images.iter().filter(is_tag).filter_map(|it| Some((it.name.as_str(), it.blobs.as_ref().ok()?.root.to_string())))
}

/// The image that a tag belongs to, by the names of `cosign`: `sha256-….sig`.
fn subject_of_tag(name: &str) -> Option<Digest> {
    let tag = name.rsplit_once(':').map_or(name, |it| it.1);
    let (algorithm, rest) = tag.split_once('-')?;
    format!("{algorithm}:{}", rest.split('.').next().unwrap_or_default()).parse().ok()
}

fn pull(digest: &Digest, blob: &Blob<'_>) -> DeltaStep {
    DeltaStep {
        action: DeltaAction::Pull,
        kind: blob.kind.into(),
        digest: digest.to_string(),
        size: Some(blob.size),
        images: blob.images.iter().map(|it| (*it).to_owned()).collect(),
        message: String::new(),
    }
}

fn remove(digest: &Digest, size: u64, blob: Option<&Blob<'_>>) -> DeltaStep {
    DeltaStep {
        action: DeltaAction::Remove,
        kind: blob.map_or(DeltaKind::Layer, |it| it.kind.into()),
        digest: digest.to_string(),
        size: Some(size),
        images: blob.into_iter().flat_map(|it| &it.images).map(|it| (*it).to_owned()).collect(),
        message: String::new(),
    }
}

fn unlisted(wish: &str) -> DeltaStep {
    let message = "olmdex does not list these images, so nothing can go".to_owned();
    let (action, kind, images) = (DeltaAction::Pull, DeltaKind::Image, vec![wish.to_owned()]);
    DeltaStep { action, kind, digest: String::new(), size: None, images, message }
}

fn tag_step(action: DeltaAction, (name, digest): (&str, String)) -> DeltaStep {
    let images = vec![name.to_owned()];
    DeltaStep { action, kind: DeltaKind::Tag, digest, size: None, images, message: String::new() }
}

fn totals(steps: &[DeltaStep]) -> DeltaMetadata {
    let mut metadata = DeltaMetadata { count: steps.len(), ..DeltaMetadata::default() };
    for step in steps {
        let total = match step.action {
            DeltaAction::Pull => &mut metadata.pull,
            DeltaAction::Remove => &mut metadata.remove,
        };
        match (step.kind, step.size) {
            (DeltaKind::Tag, _) => {}
            (DeltaKind::Image, _) | (_, None) => total.unknown_images += 1,
            (_, Some(size)) => {
                total.blobs += 1;
                total.bytes = total.bytes.saturating_add(size);
            }
        }
    }
    metadata
}
