//! A template as the catalog whose graph it holds: opm copies its packages, channels and deprecations as they are
//! (`docs/behaviour/fbc.md` 5.6), so all that is true of them is true of the catalog. Bundles are in images; those that
//! entries name are known by their names and the versions in them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::basic::Entry;
use super::document::Document;
use super::images::{BundleImages, Head};
use super::lists::list;
use super::rendered::Part;
use super::rules;
use super::semver::Semver;
use super::substitutes::channel_blob;
use super::template_file::{Body, ImageBundles, Template, package_blob};
use olmdex_base::diag::Finding;
use olmdex_fbc::{
    self as fbc, EditError, Edited, Input, Level, Located, Origin, Provenance, Spot, Syntax, Typed, edit_document,
    without_v,
};
use olmdex_text::json::{Reader, Tree};
use olmdex_text::{json, tally, yaml};
use olmdex_version::{Version, version_in_name};

/// The most entries of a template that is a catalog: each is a file of its own there.
const MAX_ENTRIES: usize = 20_000;

/// The most images of a semver template that is asked by their tags: an entry may skip all others.
const MAX_TAGS: usize = 1_000;

/// The manifests of a bundle that nobody has read: an empty object, as base64.
const NO_MANIFEST: &str = "e30=";

impl Template {
    /// The catalog of its packages, channels and deprecations, at their places in the template, and the bundles of
    /// `images`. A bundle without an image stands for each entry whose bundle is not among them, and whose name has a
    /// version. With it come findings about the images that were not found.
    ///
    /// # Errors
    /// The findings about its images if only these tell which channels there are. No findings if it has too many
    /// entries, or if no images were given that could tell.
    pub fn catalog(&self, images: Option<&dyn BundleImages>) -> Result<(Input, Vec<Finding>), Vec<Finding>> {
        let start = Provenance::new(self.document.place(&Spot::Start));
        let made = |text: String| Input::of_others(vec![(text.into_bytes(), start.clone())]);
        let read = |images| self.bundles_of_images(images, Level::None);
        let ImageBundles { found, missing, .. } = images.map(read).unwrap_or_default();
        let mut input = Input { is_template: images.is_none() || !missing.is_empty(), ..Input::default() };
        let blobs = match &self.body {
            Body::Basic(entries) if entries.len() > MAX_ENTRIES => return Err(Vec::new()),
            Body::Basic(entries) => {
                let items = Items::of(&self.document);
                for (number, entry) in entries.iter().enumerate() {
                    if let Entry::Blob(text) = entry {
                        input.files.extend(items.input(number, text).files);
                    }
                }
                self.blobs()
            }
            Body::Semver(semver) => {
                let blobs = self.blobs_of_versions(semver, &found, &missing)?;
                input.files.extend(blobs.iter().flat_map(|blob| made(blob.clone()).files));
                if images.is_none() || !missing.is_empty() {
                    let who = if images.is_none() { "no image was read" } else { "not all images were found" };
                    let message = format!(
                        "{who}: the names and versions of bundles are assumed from the names and tags of images"
                    );
                    input.remarks.push(rules::NAMES_OF_TAGS.finding(message).at(start.start().clone()));
                }
                blobs
            }
            Body::Substitutes(_) if images.is_none() || !missing.is_empty() => return Err(missing),
            Body::Substitutes(substitutes) => {
                let rendered = substitutes.render(&self.document, &found)?;
                input.files.extend(made(rendered.text()).files);
                return Ok((input, missing));
            }
        };
        let names: HashSet<&str> = found.values().map(|(_, head)| head.name.as_str()).collect();
        let bundles = bundles_of(blobs.iter().map(String::as_str), &names);
        input.files.extend(made(bundles).files);
        for listed in self.listed() {
            if let Some((part, _)) = found.get(listed.image.as_str()) {
                let place = Provenance::new(self.document.place(&Spot::Path(listed.path.clone())));
                input.files.extend(Input::of_others(vec![(part.json().into_bytes(), place)]).files);
            }
        }
        Ok((input, missing))
    }

    /// Its document with other texts of the files of [`Self::catalog`], by their numbers, and the removed bundles whose
    /// images are not known. The image of a bundle is the one whose name and tag are those of the bundle.
    ///
    /// # Errors
    /// [`EditError`]; [`EditError::Unreadable`] of a template whose channels nobody writes.
    pub fn edited(&self, texts: &BTreeMap<usize, &str>) -> Result<(Edited, Vec<String>), EditError> {
        let Body::Basic(entries) = &self.body else { return Err(EditError::Unreadable) };
        let mut tree = Tree::read(&self.document.json).map_err(|_| EditError::Unreadable)?;
        let key = tree.get_field_with_key("entries").map_or("entries", |(key, _)| key).to_owned();
        let n_blobs = entries.iter().filter(|entry| matches!(entry, Entry::Blob(_))).count();
        let mut of_bundles: HashMap<String, Vec<&str>> = HashMap::new();
        for image in self.images() {
            if let Some(head) = head_by_tag(image) {
                of_bundles.entry(head.name).or_default().push(image);
            }
        }
        let (mut images, mut left) = (HashSet::new(), Vec::new());
        for bundle in texts.get(&n_blobs).map(|text| self.removed(text)).unwrap_or_default() {
            match of_bundles.get(&bundle).map(Vec::as_slice) {
                Some([only]) => drop(images.insert(*only)),
                _ => left.push(bundle),
            }
        }
        tree.change_list(&key, |items| {
            let mut number = 0;
            for (entry, item) in entries.iter().zip(std::mem::take(items)) {
                match entry {
                    Entry::Bundle(listed) if images.contains(listed.image.as_str()) => {}
                    Entry::Bundle(_) => items.push(item),
                    Entry::Blob(_) => {
                        match texts.get(&number) {
                            Some(text) => items.extend(documents(text)),
                            None => items.push(item),
                        }
                        number += 1;
                    }
                }
            }
        });
        Ok((edit_document(&self.document.raw, self.document.origin.syntax, &tree.compact())?, left))
    }

    /// Whether its channels are written in it, and can be edited.
    pub fn has_channels(&self) -> bool {
        matches!(self.body, Body::Basic(_))
    }

    /// The part of the file that its document is, in bytes.
    pub fn range(&self) -> std::ops::Range<u64> {
        let Origin { offset, len, .. } = self.document.origin;
        offset..offset + len
    }

    /// The blobs of a basic template.
    fn blobs(&self) -> Vec<String> {
        let Body::Basic(entries) = &self.body else { return Vec::new() };
        let blobs = entries.iter().filter_map(|entry| match entry {
            Entry::Blob(text) => Some(text.clone()),
            Entry::Bundle(_) => None,
        });
        blobs.collect()
    }

    /// The names of the bundles that another text of the last file of its catalog lacks.
    fn removed(&self, text: &str) -> Vec<String> {
        let names = |text: &str| -> BTreeSet<String> {
            documents(text).iter().map(|bundle| bundle.text_of_field("name").to_owned()).collect()
        };
        let bundles = bundles_of(self.blobs().iter().map(String::as_str), &HashSet::new());
        names(&bundles).difference(&names(text)).cloned().collect()
    }

    /// The package and its channels, as they follow from the versions of the bundles that were found, and from the tags
    /// of the other images.
    ///
    /// # Errors
    /// As [`Self::catalog`].
    fn blobs_of_versions(
        &self,
        semver: &Semver,
        found: &BTreeMap<&str, (Part, Head)>,
        missing: &[Finding],
    ) -> Result<Vec<String>, Vec<Finding>> {
        let images = self.images();
        if images.len() > MAX_TAGS {
            return Err(Vec::new());
        }
        let head = |image| found.get(image).map(|(_, head)| head.clone()).or_else(|| head_by_tag(image));
        let heads: Option<BTreeMap<&str, Head>> = images.iter().map(|image| Some((*image, head(image)?))).collect();
        let package = semver.package(&self.document, &heads.ok_or_else(|| missing.to_vec())?)?;
        let channels = package.channels.entries.iter();
        let channels = channels.map(|(name, entries)| channel_blob(&package.name, name, entries, None));
        let head = package_blob(&package.name, &package.channels.default, None);
        Ok([head].into_iter().chain(channels).collect())
    }
}

/// The bundle of an image whose tag is a version, as operators are usually published: that of
/// `quay.io/example/shop-bundle:v1.0.0` is `shop.v1.0.0`.
fn head_by_tag(image: &str) -> Option<Head> {
    let name = image.split('@').next()?.rsplit('/').next()?;
    let (repository, tag) = name.split_once(':')?;
    let package = repository.strip_suffix("-bundle").unwrap_or(repository);
    let version = Version::parse(without_v(tag)).ok()?.to_string();
    let name = format!("{package}.v{version}");
    Some(Head { name, packages: vec![[package.to_owned(), version, String::new()]], ..Head::default() })
}

/// A bundle for each name with a version of the entries in channels, except `known` ones, as JSON.
fn bundles_of<'b>(blobs: impl Iterator<Item = &'b str>, known: &HashSet<&str>) -> String {
    let (mut bundles, mut seen, mut reader) = (String::new(), HashSet::new(), Reader::new());
    for blob in blobs {
        let Ok(value) = reader.read(blob) else { continue };
        let Ok(blob) = fbc::blob::decode(value, false) else { continue };
        let Typed::Channel(channel) = &blob.typed else { continue };
        for entry in channel.entries.iter().flatten() {
            let Some(version) = version_in_name(&entry.name) else { continue };
            if !known.contains(&*entry.name) && seen.insert((channel.package.to_string(), entry.name.to_string())) {
                let package = Tree::of_texts([("packageName", &*channel.package), ("version", &*version.to_string())]);
                let manifest = Tree::of_texts([("data", NO_MANIFEST)]);
                let property = |kind: &str, value: Tree| Tree::of_texts([("type", kind)]).with("value", value);
                let properties = [property("olm.package", package), property(fbc::BUNDLE_OBJECT, manifest)];
                let head = [("schema", "olm.bundle"), ("name", &*entry.name), ("package", &*channel.package)];
                bundles.push_str(&Tree::of_texts(head).with("properties", Tree::list(properties)).compact());
                bundles.push('\n');
            }
        }
    }
    bundles
}

/// The documents of a text.
fn documents(text: &str) -> Vec<Tree> {
    let tree = |document: fbc::Document<'_>| Some(Tree::from(document.blob.ok()?.value));
    fbc::load_all(&Input::bytes("", Arc::from(text.as_bytes())), &tree).into_iter().flatten().collect()
}

/// The entries of a template, with their places.
struct Items<'d> {
    document: &'d Document,
    places: Vec<Located>,
    lines: Vec<&'d str>,
}

impl<'d> Items<'d> {
    fn of(document: &'d Document) -> Self {
        let mut reader = Reader::new();
        let items = reader.read(&document.json).map(|value| list(document, value, &[], "entries", &mut Vec::new()));
        let spots: Vec<Spot> = items.into_iter().flatten().map(|(path, _)| Spot::Path(path)).collect();
        let places = fbc::locate_all(&document.raw, document.origin, &spots.iter().collect::<Vec<_>>());
        let lines = std::str::from_utf8(&document.raw).unwrap_or_default().split_inclusive('\n').collect();
        Self { document, places, lines }
    }

    /// An entry by itself, as JSON in `blob`: the part of the file that is the same document. If there is none, as with
    /// an alias of something in another entry, it is made of the place at which the entry begins.
    fn input(&self, number: usize, blob: &str) -> Input {
        let shown = &self.document.shown;
        if let Some((line, part)) = self.part(number, blob) {
            return Input::parts(shown, vec![(line, part.into_bytes())]);
        }
        let start = self.places.get(number).cloned().map(|place| place.in_file(shown));
        let start = start.unwrap_or_else(|| self.document.place(&Spot::Start));
        Input::of_others(vec![(blob.as_bytes().to_vec(), Provenance::new(start))])
    }

    fn part(&self, number: usize, blob: &str) -> Option<(u32, String)> {
        let place = self.places.get(number)?;
        match self.document.origin.syntax {
            Syntax::Yaml => self.block(place).filter(|(_, part)| as_json(part).as_deref() == Some(blob)),
            Syntax::Json => {
                let before = " ".repeat(usize::try_from(place.column).ok()?.checked_sub(1)?.min(MAX_INDENT));
                Some((place.line, before + blob))
            }
        }
    }

    /// The lines of an item in block style, without the dash, and the number of the first.
    fn block(&self, place: &Located) -> Option<(u32, String)> {
        let first_line = self.document.origin.line;
        let mut start = usize::try_from(place.line.checked_sub(first_line)?).ok()?;
        let width = usize::try_from(place.column).ok()?.checked_sub(1)?;
        // Nothing but a dash and white space is before an item in block style.
        let before = self.lines.get(start)?.get(..width.min(MAX_INDENT + 1))?;
        tally::step(1 + before.len() / MAX_INDENT);
        if width > MAX_INDENT || !before.trim_start_matches(' ').trim_start_matches('-').trim().is_empty() {
            return None;
        }
        let mut head = before.trim_end();
        // The dash may stand on a line of its own.
        while head.is_empty() {
            start = start.checked_sub(1)?;
            head = self.lines.get(start)?.trim_end();
            if head.trim_start().starts_with('#') {
                head = "";
            }
        }
        let dash = head.strip_suffix('-').filter(|indent| indent.bytes().all(|byte| byte == b' '))?.len();
        let is_behind = |line: &&&str| {
            let text = line.trim_start_matches(' ');
            let is_content = !text.trim_end().is_empty() && !text.starts_with('#');
            is_content && line.len() - text.len() <= dash
        };
        let rest = self.lines.get(start + 1..)?;
        let end = start + 1 + rest.iter().take_while(|line| !is_behind(line)).count();
        let mut part = self.lines.get(start..end)?.concat();
        part.replace_range(dash..=dash, " ");
        Some((first_line.saturating_add(u32::try_from(start).ok()?), part))
    }
}

/// The most columns before an entry.
const MAX_INDENT: usize = 1000;

/// The first document of a YAML text as JSON.
fn as_json(text: &str) -> Option<String> {
    let mut converted = Vec::new();
    let chunk = yaml::split(text.as_bytes(), 1).find(Result::is_ok)?.ok()?;
    yaml::to_json(&chunk.text, &mut converted).ok()?;
    Some(json::decode_utf8(&converted).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(shown: &str, text: &str) -> Template {
        Template::read(shown, Arc::from(text.as_bytes()), None).unwrap()
    }

    /// The place and the name of each document of a template's catalog.
    fn found(template: &Template) -> Vec<String> {
        let input = template.catalog(None).unwrap().0;
        let shown = |document: fbc::Document<'_>| {
            let (blob, origin) = (document.blob.unwrap(), document.origin);
            let file = &input.files[origin.file as usize];
            let place = file.made_of().map_or((origin.line, "as it is"), |made| (made.start().line, "made"));
            format!("{} {} {} {}", blob.schema, blob.name, place.0, place.1)
        };
        fbc::load_all(&input, &shown)
    }

    #[test]
    fn entries_are_documents_at_their_lines() {
        let head = "schema: olm.template.basic\n";
        let channel = "schema: olm.channel\n  package: a\n  name: s\n  entries: [{name: a.v1.0.0}, {name: latest}]\n";
        let bundle = "olm.bundle a.v1.0.0";
        for (text, expected) in [
            // Dashes at the margin, a comment before, and a bundle between.
            (
                format!("---\n{head}entries:\n# b\n- schema: olm.package\n  name: a\n- schema: olm.bundle\n  image: a.b/c:v1\n- {channel}"),
                vec!["olm.package a 5 as it is", "olm.channel s 9 as it is"],
            ),
            // A dash on a line of its own, a block that looks like an item, and fields behind the list.
            (
                format!("entries:\n  -\n    # b\n\n    schema: olm.package\n    name: a\n    description: |\n      - x\n      # y\n{head}"),
                vec!["olm.package a 2 as it is"],
            ),
            // Items in one line each.
            (format!("{head}entries:\n- {{schema: olm.package, name: a}}\n"), vec!["olm.package a 3 as it is"]),
            // Lists and aliases that have no part of the text to themselves.
            (format!("{head}entries: [{{schema: olm.package, name: a}}]\n"), vec!["olm.package a 2 made"]),
            (
                format!("{head}x: &n a\nentries:\n- schema: olm.package\n  name: *n\n- {channel}"),
                vec!["olm.package a 4 made", "olm.channel s 6 as it is"],
            ),
            (
                "{\"schema\": \"olm.template.basic\", \"entries\": [\n  {\"schema\": \"olm.package\", \"name\": \"a\"}\n]}".to_owned(),
                vec!["olm.package a 2 as it is"],
            ),
        ] {
            let made = format!("{bundle} {} made", if text.starts_with("---") { 2 } else { 1 });
            let all = expected.iter().map(|it| (*it).to_owned());
            let expected: Vec<String> = all.chain(text.contains("a.v1.0.0").then_some(made)).collect();
            assert_eq!(found(&template("t", &text)), expected, "{text}");
        }
    }

    #[test]
    fn entries_are_found_in_so_many_steps() {
        // In one line, behind much indentation, and where a dash is before them.
        for before in [String::new(), " ".repeat(5_000), "-1, ".to_owned()] {
            tally::assert_grows_with_input(1_000, |n| {
                let items = "{schema: olm.channel, package: a, name: s}, ".repeat(n);
                let text = format!("{before}{items}\n");
                let column = |at: usize| u32::try_from(before.len() + 44 * at + 1).unwrap();
                let place = |at| Located { line: 1, column: column(at), text: String::new(), text_column: 1 };
                let places: Vec<Located> = (0..n).map(place).collect();
                let template = template("t", "schema: olm.template.basic\nentries: []\n");
                move || {
                    let items = Items { document: &template.document, places: Vec::new(), lines: vec![&text] };
                    assert!(places.iter().all(|place| items.block(place).is_none()));
                }
            });
        }
    }

    #[test]
    fn an_image_goes_with_its_bundle_alone() {
        let image = |text: &str| format!("- schema: olm.bundle\n  image: quay.io/e/{text}\n");
        let head = "schema: olm.template.basic\nentries:\n- schema: olm.channel\n  package: shop\n  name: s\n  entries:\n  - name: shop.v1.0.0\n";
        let digest = format!("shop-bundle@sha256:{}", "a".repeat(64));
        for (images, gone) in [
            (vec!["shop-bundle:v1.0.0", "till-bundle:v1.0.0"], Some("shop-bundle:v1.0.0")),
            (vec!["shop:1.0.0"], Some("shop:1.0.0")),
            // The image of another bundle of the same version, and two that may be it.
            (vec!["till-bundle:v1.0.0", &digest], None),
            (vec!["shop:v1.0.0", "shop-bundle:v1.0.0"], None),
        ] {
            let text: String = [head.to_owned()].into_iter().chain(images.iter().map(|it| image(it))).collect();
            let (edited, left) = template("t", &text).edited(&BTreeMap::from([(1, "")])).unwrap();
            let expected = gone.map_or_else(|| text.clone(), |gone| text.replace(&image(gone), ""));
            assert_eq!((edited.text, left.is_empty()), (expected, gone.is_some()), "{images:?}");
        }
    }

    #[test]
    fn templates_with_too_many_entries_are_no_catalogs() {
        let basic = |n: usize| format!("schema: olm.template.basic\nentries:\n{}", "- schema: a\n".repeat(n));
        let image = |at: usize| format!("  - image: q.io/a:v1.0.{at}\n");
        let semver = |n| format!("schema: olm.semver\nstable:\n  bundles:\n{}", (0..n).map(image).collect::<String>());
        for (text, is_one) in [
            (basic(MAX_ENTRIES), true),
            (basic(MAX_ENTRIES + 1), false),
            (semver(MAX_TAGS), true),
            (semver(MAX_TAGS + 1), false),
        ] {
            assert_eq!(template("t", &text).catalog(None).is_ok(), is_one);
        }
    }

    #[test]
    fn tags_of_semver_templates_are_versions() {
        let text = |tags: &[&str]| {
            let images: String = tags.iter().map(|tag| format!("  - image: quay.io/x/shop-bundle{tag}\n")).collect();
            format!("schema: olm.semver\nstable:\n  bundles:\n{images}")
        };
        let known = found(&template("t", &text(&[":v1.0.0", ":1.1.0"])));
        let names: Vec<&str> = known.iter().filter_map(|line| line.strip_suffix(" 1 made")).collect();
        let channels = ["olm.channel stable-v1.0", "olm.channel stable-v1.1"];
        let bundles = ["olm.bundle shop.v1.0.0", "olm.bundle shop.v1.1.0"];
        assert_eq!(names, [&["olm.package shop"][..], &channels, &bundles].concat());
        for unknown in [":latest", "@sha256:aa"] {
            let text = text(&[":v1.0.0", unknown]);
            let read = Template::read("t", Arc::from(text.as_bytes()), None);
            assert!(read.is_err() || read.unwrap().catalog(None).is_err(), "{unknown}");
        }
    }
}
