//! Whether a repository puts an operator into the catalog of a version of OpenShift, why not, and the smallest change
//! that does it (`docs/behaviour/authoring.md` F.5).

use std::collections::BTreeMap;
use std::path::Path;

use super::configuration::{Mapping, TemplateRelease};
use super::file::Unread;
use super::openshift;
use super::operator::{Operator, RepositoryError, VersionDirectory, path};
use super::release::{TEMPLATES, catalog_level};
use super::repository::{CATALOG_NAMES, Repository, directories};
use olmdex_base::diag::{Listed, Place, closest};
use olmdex_constraint::openshift::Minor;
use olmdex_fbc::{Level, Spot};
use olmdex_text::json::{Step, Tree};
use olmdex_version::version_or_name;

/// The annotation by which the pipelines choose catalogs for a bundle.
pub const OPENSHIFT_VERSIONS: &str = "com.redhat.openshift.versions";

/// The knowledge of a repository about one operator and the catalogs of OpenShift.
#[derive(Debug)]
pub struct Publications {
    repository: Repository,
    operator: Operator,
    /// The catalogs of the repository, by version: their names, and the file of the operator's catalog in those that
    /// have one.
    catalogs: BTreeMap<Minor, CatalogDirectory>,
}

#[derive(Debug)]
struct CatalogDirectory {
    name: String,
    /// The name of the operator's catalog file.
    file: Option<&'static str>,
}

/// Whether an operator is in a catalog, by its repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publication {
    /// Whether it is there.
    pub is_there: bool,
    /// The reasons against it, or the reasons that will keep later versions out.
    pub reasons: Vec<PublicationReason>,
    /// The smallest change that puts it there.
    pub change: Option<PublicationChange>,
    /// The change that gives the catalog a template of its own, if the operator keeps one for each catalog.
    pub own_template: Option<PublicationChange>,
}

/// The reason why an operator is not in a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicationReason {
    /// The kind of reason.
    pub kind: PublicationReasonKind,
    /// The reason in words.
    pub text: String,
    /// Its place.
    pub place: Option<Place>,
}

/// The kinds of reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublicationReasonKind {
    /// The repository has no catalog for this version of OpenShift.
    NoCatalog,
    /// `ci.yaml` maps no template to the catalog.
    NotMapped,
    /// `ci.yaml` maps a template, and the catalog was not rendered.
    NotRendered,
    /// `ci.yaml` states the treatment when a version of OpenShift gets its catalogs.
    Promotion,
    /// The bundles exclude the version by their annotation.
    Annotation,
    /// The operator has no bundle.
    NoBundle,
    /// No release configuration leads the version to the catalog.
    ReleaseConfiguration,
    /// The repository does not have the version.
    NoVersion,
}

impl PublicationReasonKind {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoCatalog => "no-catalog",
            Self::NotMapped => "not-mapped",
            Self::NotRendered => "not-rendered",
            Self::Promotion => "promotion",
            Self::Annotation => "annotation",
            Self::NoBundle => "no-bundle",
            Self::ReleaseConfiguration => "release-configuration",
            Self::NoVersion => "no-version",
        }
    }
}

/// A change that puts an operator into a catalog.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PublicationChange {
    /// The steps to take, in words.
    pub steps: Vec<String>,
    /// The files that change, below the root of the repository.
    pub files: Vec<ChangedFile>,
    /// The commands to run after that.
    pub commands: Vec<String>,
}

/// A file that a change writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Its path below the root of the repository.
    pub path: String,
    /// Its content.
    pub content: NewContent,
}

/// The new content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewContent {
    /// Another text.
    Edited { before: Vec<u8>, after: Vec<u8> },
    /// The content of another file of the repository.
    CopyOf(String),
}

/// The head of a channel that the pipelines put into a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedHead {
    /// The channel.
    pub channel: String,
    /// Whether it is the default channel.
    pub is_default: bool,
    /// The bundle.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// When it was made, as its author wrote it.
    pub created: Option<String>,
}

impl Publications {
    /// Reads the data of a package in a repository.
    ///
    /// # Errors
    /// [`RepositoryError`]; [`RepositoryError::NoOperator`] if no operator has the package.
    pub fn read(repository: Repository, package: &str) -> Result<Self, RepositoryError> {
        let operators = repository.root.join("operators");
        let directory = operators.join(package);
        let is_name = !package.is_empty() && !package.contains('/') && !matches!(package, "." | "..");
        let directory = match is_name && directory.is_dir() {
            true => directory,
            false => {
                let known = directories(&operators);
                let of_package = known.iter().find(|it| is_of_package(&it.1, package));
                of_package.map(|it| it.1.clone()).ok_or_else(|| RepositoryError::NoOperator {
                    package: package.to_owned(),
                    meant: closest(package, known.iter().map(|it| it.0.as_str())).map(str::to_owned),
                })?
            }
        };
        let operator = Operator::open(&directory)?;
        let mut catalogs = BTreeMap::new();
        for (name, path) in directories(&repository.root.join("catalogs")) {
            if let Some(minor) = openshift::minor_of(&name) {
                let own = path.join(&operator.name);
                let file = CATALOG_NAMES.into_iter().find(|it| own.join(it).is_file());
                catalogs.insert(minor, CatalogDirectory { name, file });
            }
        }
        Ok(Self { repository, operator, catalogs })
    }

    /// Whether catalogs are made of templates, not of the bundles' annotations.
    pub fn has_templates(&self) -> bool {
        self.operator.settings.is_fbc
    }

    /// The versions of OpenShift that catalogs are made for: those of the repository, or those that the pipelines know.
    pub fn minors(&self) -> Vec<Minor> {
        if self.catalogs.is_empty() {
            openshift::all_catalogs().collect()
        } else {
            self.catalogs.keys().copied().collect()
        }
    }

    /// The operator's catalog directories, with the names of their catalogs.
    pub fn catalog_directories(&self) -> Vec<(String, std::path::PathBuf)> {
        let root = self.repository.root.join("catalogs");
        let own = self.catalogs.values().filter(|it| it.file.is_some());
        own.map(|it| (it.name.clone(), root.join(&it.name).join(&self.operator.name))).collect()
    }

    /// The heads that the pipelines put into the catalog of a version, by the annotations of the bundles.
    pub fn heads(&self, minor: Minor) -> Vec<PublishedHead> {
        let taken = |number: &usize| self.operator.versions[*number].takes(minor);
        let channels = self.operator.all_channels().into_iter();
        let heads =
            channels.filter_map(|channel| Some((channel, self.operator.members(channel).into_iter().rfind(taken)?)));
        heads.map(|(channel, head)| self.head(channel, &self.operator.versions[head])).collect()
    }

    /// A version of the operator in each of its channels, if the pipelines put it into the catalog of a version of
    /// OpenShift.
    pub fn channels_of(&self, version: &str, minor: Minor) -> Vec<PublishedHead> {
        let Some(found) = self.find(version).filter(|it| it.takes(minor)) else { return Vec::new() };
        found.facts.channels.iter().map(|it| self.head(it, found)).collect()
    }

    fn head(&self, channel: &str, version: &VersionDirectory) -> PublishedHead {
        let default = super::check::default_channel(&self.operator);
        let VersionDirectory { name, facts, .. } = version;
        PublishedHead {
            channel: channel.to_owned(),
            is_default: default.as_deref() == Some(channel),
            bundle: facts.csv_name.clone().unwrap_or_else(|| name.clone()),
            version: shown_version(version).to_owned(),
            created: facts.created.clone(),
        }
    }

    fn find(&self, version: &str) -> Option<&VersionDirectory> {
        self.operator.position(version).map(|it| &self.operator.versions[it])
    }

    /// Whether the operator is in the catalog of a version, and the change that would put it there.
    pub fn of(&self, minor: Minor) -> Publication {
        if self.has_templates() { self.of_templates(minor) } else { self.of_annotations(minor) }
    }

    /// Like [`Self::of`], for one version of the operator: its number, or the name of its directory or of its
    /// ClusterServiceVersion.
    pub fn of_version(&self, version: &str, minor: Minor) -> Publication {
        let Some(found) = self.find(version) else {
            let text = format!("`operators/{}` has no version `{version}`", self.operator.name);
            return absent(vec![self.reason(PublicationReasonKind::NoVersion, text, None)], None);
        };
        if self.has_templates() {
            return self.of_released(found, minor);
        }
        if found.takes(minor) {
            return Publication { is_there: true, reasons: Vec::new(), change: None, own_template: None };
        }
        absent(vec![self.excluded(found)], Some(self.next_version(found, minor)))
    }

    fn of_templates(&self, minor: Minor) -> Publication {
        let name = format!("v{minor}");
        let own = self.catalogs.get(&minor);
        let mapped = self.mapping_of(&name);
        let is_there = own.is_some_and(|it| it.file.is_some());
        if is_there {
            let reasons = if mapped.is_some() { Vec::new() } else { vec![self.not_mapped(&name)] };
            return Publication { is_there, reasons, change: None, own_template: None };
        }
        let mut reasons = Vec::new();
        if own.is_none() && !self.catalogs.is_empty() {
            reasons.push(self.no_catalog(&name));
        }
        match mapped {
            Some((number, mapping)) => {
                let text = format!(
                    "ci.yaml maps the template `{}` to `{name}`, but `catalogs/{name}/{}` has no catalog file",
                    mapping.template, self.operator.name
                );
                let at = [path(["fbc", "catalog_mapping"]), vec![number.into()]].concat();
                reasons.push(self.reason(PublicationReasonKind::NotRendered, text, Some(&at)));
            }
            None => {
                reasons.push(self.not_mapped(&name));
                reasons.push(self.promotion());
            }
        }
        let own_template = if mapped.is_none() { self.with_own_template(minor, &name) } else { None };
        Publication { own_template, ..absent(reasons, self.promoted(minor, &name)) }
    }

    /// The mapping that makes a catalog, with its number.
    fn mapping_of(&self, catalog: &str) -> Option<(usize, &Mapping)> {
        let mut all = self.operator.settings.mapping.iter().enumerate();
        all.find(|it| it.1.catalogs.iter().any(|it| it == catalog))
    }

    fn not_mapped(&self, name: &str) -> PublicationReason {
        let text = format!("no template of `catalog_mapping` produces `{name}`");
        self.reason(PublicationReasonKind::NotMapped, text, Some(&path(["fbc", "catalog_mapping"])))
    }

    fn no_catalog(&self, name: &str) -> PublicationReason {
        let names = || self.catalogs.values().map(|it| it.name.as_str());
        let known = match (names().next(), names().next_back()) {
            (Some(first), Some(last)) if first != last => format!("it has `{first}` to `{last}`"),
            (first, _) => format!("it has `{}`", first.unwrap_or_default()),
        };
        let text = format!("the repository has no `catalogs/{name}`; {known}");
        self.reason(PublicationReasonKind::NoCatalog, text, None)
    }

    /// The treatment of the operator when a version of OpenShift gets its catalogs.
    fn promotion(&self) -> PublicationReason {
        const KEY: &str = "version_promotion_strategy";
        let given = self.operator.settings.promotion.as_deref();
        let text = match given {
            Some("never") => format!("`{KEY}` is `never`: only its owner adds the operator to new catalogs"),
            Some("always") => {
                format!("`{KEY}` is `always`: the pipelines add the operator when they create the catalog")
            }
            Some("review-needed") => format!(
                "`{KEY}` is `review-needed`: the pipelines propose the change, and a reviewer of the operator must approve it"
            ),
            Some(other) => format!("`{KEY}` is `{other}`, which the pipelines do not know: they treat it as `never`"),
            None => format!(
                "`{KEY}` is not set: the pipelines propose the change, and a reviewer of the operator must approve it"
            ),
        };
        let at = if given.is_some() { path(["fbc", KEY]) } else { path(["fbc"]) };
        self.reason(PublicationReasonKind::Promotion, text, Some(&at))
    }

    /// The catalog that another one is copied from: the nearest before it that a template makes, or else the nearest
    /// after it.
    fn nearest(&self, minor: Minor, is_fit: impl Fn(&CatalogDirectory) -> bool) -> Option<&CatalogDirectory> {
        let is_fit = |it: &&CatalogDirectory| it.file.is_some() && is_fit(it);
        let before = self.catalogs.iter().rev().filter(|it| it.0.is_before(minor)).map(|it| it.1).find(is_fit);
        before.or_else(|| self.catalogs.iter().filter(|it| minor.is_before(*it.0)).map(|it| it.1).find(is_fit))
    }

    /// The change that the pipelines make when a version of OpenShift gets its catalogs: the catalog before it is
    /// copied, and the template that makes it makes the new one too.
    fn promoted(&self, minor: Minor, name: &str) -> Option<PublicationChange> {
        let mut change = PublicationChange::default();
        if let Some((_, mapping)) = self.mapping_of(name) {
            // A template makes the same text in each catalog of a level.
            let source = self.nearest(minor, |it| mapping.catalogs.contains(&it.name));
            self.add_catalog(&mut change, name, Some(&mapping.template), source);
            return Some(change);
        }
        let is_without = self.operator.settings.mapping.is_empty();
        let source = self.nearest(minor, |it| is_without || self.mapping_of(&it.name).is_some());
        let Some(source) = source else { return self.first_catalog(name) };
        let mapping = self.mapping_of(&source.name);
        if let Some((number, mapping)) = mapping {
            let ci = format!("operators/{}/ci.yaml", self.operator.name);
            change.steps.push(format!("add `{name}` to the catalogs of template `{}` in `{ci}`", mapping.template));
            let (before, after) = self.with_catalog(number, name)?;
            change.files.push(ChangedFile { path: ci, content: NewContent::Edited { before, after } });
        }
        self.add_catalog(&mut change, name, mapping.map(|it| it.1.template.as_str()), Some(source));
        Some(change)
    }

    /// Like [`Self::promoted`], for an operator that names a template after each catalog: the template of the catalog
    /// before is copied, too.
    fn with_own_template(&self, minor: Minor, name: &str) -> Option<PublicationChange> {
        let source = self.nearest(minor, |it| self.mapping_of(&it.name).is_some())?;
        let (number, mapping) = self.mapping_of(&source.name)?;
        let (old, new) = (source.name.trim_start_matches('v'), name.trim_start_matches('v'));
        if mapping.catalogs.len() > 1 || !mapping.template.contains(old) {
            return None;
        }
        let operator = &self.operator.name;
        let template = mapping.template.replace(old, new);
        let directory = format!("operators/{operator}/{TEMPLATES}");
        let mut change = PublicationChange::default();
        let (from, to) = (format!("{directory}/{}", mapping.template), format!("{directory}/{template}"));
        change.steps.push(format!("copy `{from}` to `{template}` next to it"));
        change.files.push(ChangedFile { path: to, content: NewContent::CopyOf(from) });
        change.steps.push(format!("map `{template}` to `{name}` in `operators/{operator}/ci.yaml`"));
        let (before, after) = self.with_mapping(number, &template, name)?;
        let path = format!("operators/{operator}/ci.yaml");
        change.files.push(ChangedFile { path, content: NewContent::Edited { before, after } });
        self.add_catalog(&mut change, name, Some(&template), Some(source));
        Some(change)
    }

    /// Adds the catalog itself: a copy of another one if that is the same, or else the command that renders it.
    fn add_catalog(
        &self,
        change: &mut PublicationChange,
        name: &str,
        template: Option<&str>,
        source: Option<&CatalogDirectory>,
    ) {
        let operator = &self.operator.name;
        let target = format!("catalogs/{name}/{operator}");
        let level = catalog_level(name);
        match source.and_then(|it| Some((it, it.file?))) {
            Some((source, file)) if catalog_level(&source.name) == level => {
                let from = format!("catalogs/{}/{operator}/{file}", source.name);
                change.steps.push(format!("copy `{from}` to `{target}/{file}`"));
                let path = format!("{target}/{file}");
                change.files.push(ChangedFile { path, content: NewContent::CopyOf(from) });
            }
            Some((source, file)) if level == Level::CsvMetadata => {
                let from = format!("catalogs/{}/{operator}/{file}", source.name);
                change.steps.push(format!("render `{from}` to `{target}/catalog.yaml` without `olm.bundle.object`"));
                change.commands.push(format!(
                    "olmdex render {from} --migrate-level bundle-object-to-csv-metadata -o yaml > {target}/catalog.yaml"
                ));
            }
            _ => {
                let Some(template) = template else {
                    change.steps.push(format!("render a template to `{target}/catalog.yaml`"));
                    return;
                };
                change.steps.push(format!("render template `{template}` to `{target}/catalog.yaml`"));
                let level = if level == Level::CsvMetadata { " --migrate-level all" } else { "" };
                change.commands.push(format!(
                    "olmdex template render operators/{operator}/{TEMPLATES}/{template} --bundles operators/{operator}{level} -o yaml > {target}/catalog.yaml"
                ));
            }
        }
    }

    /// The steps to take if no catalog of the operator can serve as a model.
    fn first_catalog(&self, name: &str) -> Option<PublicationChange> {
        let operator = &self.operator.name;
        let template = self.operator.settings.mapping.first().map(|it| it.template.clone())?;
        Some(PublicationChange {
            steps: vec![
                format!("add `{name}` to the catalogs of template `{template}` in `operators/{operator}/ci.yaml`"),
                format!("render the template to `catalogs/{name}/{operator}/catalog.yaml`"),
            ],
            ..PublicationChange::default()
        })
    }

    /// The text of `ci.yaml`, and with one more catalog for a template.
    fn with_catalog(&self, number: usize, name: &str) -> Option<(Vec<u8>, Vec<u8>)> {
        self.with_items(|items| {
            items.get_mut(number)?.get_mut("catalog_names")?.push(name);
            Some(())
        })
    }

    /// The text of `ci.yaml`, and with one more template, like another one.
    fn with_mapping(&self, number: usize, template: &str, name: &str) -> Option<(Vec<u8>, Vec<u8>)> {
        self.with_items(|items| {
            let mut new = items.get(number)?.clone();
            for (key, value) in [("catalog_names", Tree::list([name])), ("template_name", template.into())] {
                if let Some(old) = new.get_mut(key) {
                    *old = value;
                }
            }
            items.push(new);
            Some(())
        })
    }

    /// The text of `ci.yaml`, and with other items in its mapping.
    fn with_items(&self, change: impl FnOnce(&mut Vec<Tree>) -> Option<()>) -> Option<(Vec<u8>, Vec<u8>)> {
        let file = self.operator.ci.as_ref().ok()?;
        let mut document = file.tree()?;
        document.get_mut("fbc")?.get_mut("catalog_mapping")?;
        document.get_mut("fbc")?.change_list("catalog_mapping", change)?;
        let (after, _) = file.edited(&document).ok()?;
        Some((file.text.clone(), after))
    }

    /// A version of an operator with templates: whether its release configuration leads to the catalog.
    fn of_released(&self, version: &VersionDirectory, minor: Minor) -> Publication {
        let name = format!("v{minor}");
        let directory = format!("operators/{}/{}", self.operator.name, version.name);
        let kind = PublicationReasonKind::ReleaseConfiguration;
        let release = format!("olmdex edit release {directory} --image IMAGE");
        let file = match &version.release {
            Ok(file) => file,
            Err(error) => {
                let (text, commands) = match error {
                    Unread::Absent => (
                        format!("`{directory}` has no release-config.yaml, so no template gets the version"),
                        vec![release],
                    ),
                    Unread::Unreadable(message) | Unread::Broken(message, _) => {
                        (format!("`{directory}/release-config.yaml` is unreadable: {message}"), Vec::new())
                    }
                };
                let steps = vec![format!(
                    "write `{directory}/release-config.yaml`, which names the channels and a template that produces \
                    `{name}`"
                )];
                let change = PublicationChange { steps, commands, ..PublicationChange::default() };
                return absent(vec![self.reason(kind, text, None)], Some(change));
            }
        };
        let released = TemplateRelease::read(&file.json);
        let makes = |template: &str| {
            let mapping = self.operator.settings.mapping.iter().find(|it| it.template == template);
            mapping.is_some_and(|it| it.catalogs.contains(&name))
        };
        let place = Some(file.place(&Spot::Path(path(["catalog_templates"]))));
        let templates = Listed::quoted(released.iter().map(|release| &release.template));
        if released.iter().any(|it| makes(&it.template)) {
            let text = format!(
                "release-config.yaml adds the version to {templates}, but the catalog has not been rendered since"
            );
            let steps = vec!["release the version again".to_owned()];
            let change = PublicationChange { steps, commands: vec![release], ..PublicationChange::default() };
            return absent(vec![PublicationReason { kind, text, place }], Some(change));
        }
        let text = format!("release-config.yaml adds the version to {templates}, but none of these produces `{name}`");
        let wanted = self.operator.settings.mapping.iter().find(|it| makes(&it.template));
        let steps = vec![match wanted {
            Some(it) => format!("add the template `{}`, which produces `{name}`, to release-config.yaml", it.template),
            None => format!("add `{name}` to a template in `operators/{}/ci.yaml`", self.operator.name),
        }];
        let change = PublicationChange { steps, commands: vec![release], ..PublicationChange::default() };
        absent(vec![PublicationReason { kind, text, place }], Some(change))
    }

    fn of_annotations(&self, minor: Minor) -> Publication {
        let mut order: Vec<&VersionDirectory> = self.operator.versions.iter().collect();
        order.sort_by(|a, b| a.facts.order(&b.facts));
        if order.iter().any(|it| it.takes(minor)) {
            // An older version is there.
            let newest = order.last().filter(|it| !it.takes(minor));
            let reasons = newest.map(|it| self.excluded(it)).into_iter().collect();
            return Publication { is_there: true, reasons, change: None, own_template: None };
        }
        let Some(newest) = order.pop() else {
            let text = format!("`operators/{}` has no bundle directory", self.operator.name);
            return absent(vec![self.reason(PublicationReasonKind::NoBundle, text, None)], None);
        };
        let mut reasons = vec![self.excluded(newest)];
        if !order.is_empty() {
            let text = format!(
                "so do the annotations of {}",
                match order.len() {
                    1 => "the version before it".to_owned(),
                    several => format!("the {several} versions before it"),
                }
            );
            reasons.push(self.reason(PublicationReasonKind::Annotation, text, None));
        }
        absent(reasons, Some(self.next_version(newest, minor)))
    }

    /// The way in which the annotation of a version excludes a catalog.
    fn excluded(&self, version: &VersionDirectory) -> PublicationReason {
        let selector = version.facts.openshift.as_deref().unwrap_or_default();
        let text = format!("version {} is for OpenShift `{selector}` (`{OPENSHIFT_VERSIONS}`)", shown_version(version));
        let at = path(["annotations", OPENSHIFT_VERSIONS]);
        let place = version.annotations.as_ref().ok().map(|it| it.place(&Spot::Path(at)));
        PublicationReason { kind: PublicationReasonKind::Annotation, text, place }
    }

    /// A published bundle must not be changed, so the next one says more.
    fn next_version(&self, version: &VersionDirectory, minor: Minor) -> PublicationChange {
        let selector = version.facts.openshift.as_deref().unwrap_or_default();
        let widened = openshift::widened(selector, minor);
        let newer = match shown_version(version) {
            "" => "the next version".to_owned(),
            version => format!("a version after {version}"),
        };
        let steps = vec![format!(
            "publish {newer} with `{OPENSHIFT_VERSIONS}: {widened}` in its `metadata/annotations.yaml`; the pipelines \
            refuse changes to a published bundle"
        )];
        PublicationChange { steps, ..PublicationChange::default() }
    }

    fn reason(&self, kind: PublicationReasonKind, text: String, at: Option<&[Step]>) -> PublicationReason {
        let file = self.operator.ci.as_ref().ok();
        let place = at.and_then(|at| Some(file?.place(&Spot::Path(at.to_vec()))));
        PublicationReason { kind, text, place }
    }
}

fn absent(reasons: Vec<PublicationReason>, change: Option<PublicationChange>) -> Publication {
    Publication { is_there: false, reasons, change, own_template: None }
}

fn shown_version(version: &VersionDirectory) -> &str {
    version_or_name(&version.facts.version, &version.name)
}

/// Whether a directory is that of an operator with another name than its package.
fn is_of_package(directory: &Path, package: &str) -> bool {
    let Some((last, _)) = directories(directory).pop() else { return false };
    let version = VersionDirectory::package_of(directory, &last);
    version.is_some_and(|it| it == package)
}
