//! Substitutes templates: bundles that replace others (`docs/behaviour/fbc.md` 5.6).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::document::Document;
use super::images::Head;
use super::lists::{TemplateImage, bad_entry, check_reference, list, text, wrong_kind};
use super::rendered::{Part, Rendered};
use super::rules;
use olmdex_base::diag::{Finding, Severity};
use olmdex_fbc::{self as fbc, Entry, Input, Provenance, Spot, Typed, raw_entry};
use olmdex_rules::check;
use olmdex_text::json::{Kind, Reader, Step, Tree, Value};
use olmdex_version::{Release, Version, VersionRelease};

/// The content of a substitutes template.
#[derive(Debug)]
pub(super) struct Substitutes {
    /// Blobs, as JSON, with their places.
    entries: Vec<(String, Vec<Step>)>,
    pub(super) substitutions: Vec<Substitution>,
}

/// A bundle that replaces another.
#[derive(Debug)]
pub(super) struct Substitution {
    /// The image of the new one.
    pub(super) image: TemplateImage,
    /// The name of the old one.
    base: String,
    path: Vec<Step>,
}

impl Substitutes {
    /// Reads a template. Its entries are a valid catalog.
    ///
    /// # Errors
    /// All errors in it.
    pub(super) fn read(document: &Document) -> Result<Self, Vec<Finding>> {
        let mut findings = Vec::new();
        let mut it = Self { entries: Vec::new(), substitutions: Vec::new() };
        let mut reader = Reader::new();
        let Ok(value) = reader.read(&document.json) else { return Err(findings) };
        for (path, item) in list(document, value, &[], "entries", &mut findings) {
            match fbc::blob::decode(item, true) {
                Ok(_) => it.entries.push((document.json[item.offset()..item.end()].to_owned(), path)),
                Err(failure) => findings.extend(bad_entry(document, &failure, &path)),
            }
        }
        if findings.is_empty() {
            findings.extend(it.check_entries(document));
        }
        for (path, item) in list(document, value, &[], "substitutions", &mut findings) {
            if item.kind() != Kind::Object {
                findings.push(wrong_kind(document, "substitutions", "a list of objects", item, path));
                continue;
            }
            it.substitution(document, item, path, &mut findings);
        }
        if findings.is_empty() { Ok(it) } else { Err(findings) }
    }

    fn substitution(&mut self, document: &Document, item: Value<'_>, path: Vec<Step>, findings: &mut Vec<Finding>) {
        let n_findings = findings.len();
        let (image, at_image) = text(document, item, &path, "name", findings);
        let (base, at_base) = text(document, item, &path, "base", findings);
        if findings.len() > n_findings {
            return;
        }
        let mut refuse = |path: &[Step], message: String, help: &str| {
            let at = Spot::Path(path.to_vec());
            findings.push(rules::SUBSTITUTION.finding(message).at(document.place(&at)).help(help));
        };
        if image.is_empty() {
            refuse(&at_image, "the substitution has no `name`".to_owned(), "name the image of the new bundle");
        } else if base.is_empty() {
            refuse(&at_base, "the substitution has no `base`".to_owned(), "name the bundle to substitute");
        } else if image == base {
            let message = format!("`name` and `base` are both `{image}`");
            refuse(&at_image, message, "`name` is the image of the new bundle, `base` the name of the old one");
        } else if self.substitutions.iter().any(|it| it.base == base) {
            let message = format!("`{base}` is substituted twice");
            refuse(&at_base, message, "substitute the substitute: name it as the second `base`");
        } else if let Some(other) = self.substitutions.iter().find(|it| it.image.image == image) {
            let message = format!("`{image}` substitutes for both `{}` and `{base}`", other.base);
            refuse(&at_image, message, "a bundle can substitute for only one other bundle");
        } else {
            let image = TemplateImage { image, path: at_image };
            findings.extend(check_reference(document, &image));
            self.substitutions.push(Substitution { image, base, path: at_base });
        }
    }

    /// The errors that make the entries an invalid catalog.
    fn check_entries(&self, document: &Document) -> Vec<Finding> {
        let made_of = |path: &[Step]| {
            // Places are few, and found when they are needed; an entry's own place serves for all of it.
            Provenance::new(document.place(&Spot::Path(path.to_vec())))
        };
        let texts = self.entries.iter().map(|(text, path)| (text.clone().into_bytes(), made_of(path))).collect();
        let report = check::judge(&Input::of_others(texts), None, None, &[], &mut |_| {});
        if report.opm.is_none() {
            return Vec::new();
        }
        report.findings.into_iter().filter(|it| it.rule.severity == Severity::Error).collect()
    }

    /// The catalog with the substitutes in their places.
    ///
    /// # Errors
    /// The first substitution that is not possible: the others would work on its result.
    pub(super) fn render(
        &self,
        document: &Document,
        bundles: &BTreeMap<&str, (Part, Head)>,
    ) -> Result<Rendered, Vec<Finding>> {
        let mut catalog: Vec<Item> = self.entries.iter().map(|it| Item::of(&it.0)).collect();
        for substitution in &self.substitutions {
            let Some((part, head)) = bundles.get(substitution.image.image.as_str()) else { continue };
            substitute(&mut catalog, substitution, part, head).map_err(|(message, help)| {
                let at = Spot::Path(substitution.path.clone());
                vec![rules::SUBSTITUTION.finding(message).at(document.place(&at)).help(help)]
            })?;
        }
        let rendered = Rendered { parts: catalog.into_iter().map(Item::into_part).collect() };
        if let Some(opm) = check::refusal_of_opm(&rendered.input("the result")) {
            let message = format!("the result is not a valid catalog: {}", one_line(&opm));
            let help = "correct the substitutions";
            return Err(vec![rules::NOT_A_CATALOG.finding(message).at(document.place(&Spot::Start)).help(help)]);
        }
        Ok(rendered)
    }
}

/// A tree of errors on one line.
fn one_line(tree: &str) -> String {
    let lines = tree.lines().map(|it| it.trim_start_matches([' ', '│', '├', '└', '─', '\u{a0}']));
    lines.collect::<Vec<_>>().join(" ")
}

/// A blob of the catalog that is being changed.
enum Item {
    Channel(Channel),
    /// A bundle with its name and version; the version of a bundle that is not a substitute is read on first use.
    Bundle(Part, Arc<Head>),
    Other(String),
}

struct Channel {
    name: String,
    package: String,
    entries: Vec<Entry>,
    /// The list, as JSON.
    properties: Option<String>,
}

impl Item {
    fn of(text: &str) -> Self {
        let mut reader = Reader::new();
        let other = || Self::Other(text.to_owned());
        let Ok(value) = reader.read(text) else { return other() };
        let Ok(blob) = fbc::blob::decode(value, false) else { return other() };
        match &blob.typed {
            Typed::Channel(channel) => Self::Channel(Channel {
                name: channel.name.to_string(),
                package: channel.package.to_string(),
                entries: channel.entries.iter().flatten().map(Entry::from).collect(),
                properties: value.get_field("properties").map(|it| text[it.offset()..it.end()].to_owned()),
            }),
            Typed::Bundle(_) => match Head::of_blob(text) {
                Some(head) => Self::Bundle(Part::Own(text.to_owned()), Arc::new(head)),
                None => other(),
            },
            _ => other(),
        }
    }

    fn into_part(self) -> Part {
        match self {
            Self::Channel(channel) => Part::Own(channel.json()),
            Self::Bundle(part, _) => part,
            Self::Other(text) => Part::Own(text),
        }
    }
}

impl Channel {
    fn json(&self) -> String {
        channel_blob(&self.package, &self.name, &self.entries, self.properties.as_deref())
    }
}

/// A channel's blob, as JSON.
pub(super) fn channel_blob(package: &str, name: &str, entries: &[Entry], properties: Option<&str>) -> String {
    let blob = Tree::of_texts([("schema", "olm.channel"), ("name", name), ("package", package)]);
    let entries = entries.iter().map(|it| raw_entry(&it.name, &it.replaces, &it.skips, &it.skip_range));
    let blob = blob.with("entries", Tree::list(entries));
    blob.with_some("properties", properties.map(|it| Tree::Raw(it.to_owned()))).compact()
}

/// Puts a bundle into the place of another one.
fn substitute(
    catalog: &mut Vec<Item>,
    of: &Substitution,
    part: &Part,
    head: &Head,
) -> Result<(), (String, &'static str)> {
    let base = &of.base;
    let old = catalog.iter().find_map(|it| match it {
        Item::Bundle(_, found) if found.name == *base => Some(found),
        _ => None,
    });
    let Some(old) = old else {
        return Err((format!("no bundle `{base}`"), "`base` is the name of a bundle of the entries"));
    };
    let version_of = |head: &Head| {
        version(head)
            .map_err(|error| (format!("the version of `{}` is invalid: {error}", head.name), "correct the bundle"))
    };
    let (old_version, new_version) = (version_of(old)?, version_of(head)?);
    if old_version.cmp_precedence(&new_version).is_ge() {
        let message = format!("`{}`, the substitute for `{base}`, is not later than it", head.name);
        return Err((message, "give the substitute a higher version or release"));
    }
    let new = &head.name;
    for channel in catalog.iter_mut().filter_map(|it| match it {
        Item::Channel(channel) => Some(channel),
        _ => None,
    }) {
        let mut added = Vec::new();
        for entry in &mut channel.entries {
            if entry.name == *base {
                let mut taken = std::mem::take(entry);
                entry.name.clone_from(base);
                taken.name.clone_from(new);
                taken.skips.push(base.clone());
                added.push(taken);
            } else if entry.replaces == *base {
                entry.replaces.clone_from(new);
                entry.skips.push(base.clone());
            } else if entry.skips.contains(base) {
                entry.skips.retain(|it| it != base);
                entry.skips.push(new.clone());
            }
        }
        channel.entries.extend(added);
    }
    let copy = Head {
        name: head.name.clone(),
        packages: head.packages.clone(),
        substitutes_for: head.substitutes_for.clone(),
        ..Head::default()
    };
    catalog.push(Item::Bundle(part.clone(), Arc::new(copy)));
    Ok(())
}

/// The version and release of a bundle. If it substitutes another in the manner of old catalogs, build metadata is the
/// release.
fn version(head: &Head) -> Result<VersionRelease, String> {
    let [[_, version, release]] = head.packages.as_slice() else {
        return Err("it does not have exactly one `olm.package`".to_owned());
    };
    let version = Version::parse(version).map_err(|error| error.to_string())?;
    let release = Release::parse_optional(release).map_err(|error| error.to_string())?;
    if release.is_none() && !head.substitutes_for.is_empty() && !version.build().is_empty() {
        return Ok(VersionRelease::from_build_metadata(version));
    }
    Ok(VersionRelease { version, release })
}
