//! An operator with bundles, as a file-based catalog: templates, the mapping to catalogs, and the effect of its support
//! policy (`docs/behaviour/authoring.md` F.6).

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use thiserror::Error;

use super::check::default_channel;
use super::file::{Unread, new_file};
use super::openshift;
use super::operator::{Operator, VersionDirectory};
use super::release::bundle;
use olmdex_base::diag::closest;
use olmdex_constraint::openshift::Minor;
use olmdex_text::calendar::Day;
use olmdex_text::json::{Reader, Tree, Value};
use olmdex_version::Version;

/// The largest share of channels times versions that is written; no operator comes near it.
const MAX_ENTRIES: usize = 200_000;

/// The supported versions, and those that must not be installed.
#[derive(Debug, Clone, Default)]
pub struct SupportPolicy {
    /// Versions before this one are deprecated.
    pub oldest_supported: Option<Version>,
    /// Versions made before this day are deprecated.
    pub made_since: Option<Day>,
    /// The last days of support, by minor version: `1.2`. Versions past it are deprecated.
    pub ended: BTreeMap<String, Day>,
    /// Versions that are in no channel; the next version of each channel skips them.
    pub broken: Vec<String>,
}

/// The request for onboarding an operator.
pub struct OnboardingWish<'a> {
    /// The versions of OpenShift that get a catalog; if there are none, those that the pipelines know.
    pub openshift: Vec<Minor>,
    /// The reference of a bundle's image by package, name and version.
    pub image: &'a dyn Fn(&str, &str, &str) -> String,
    /// The support policy.
    pub policy: SupportPolicy,
    /// A version that is not published yet: it gets a release configuration and is in no template.
    pub unreleased: Option<String>,
}

/// The files that give an operator templates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Onboarding {
    /// The package.
    pub package: String,
    /// The templates.
    pub templates: Vec<NewTemplate>,
    /// The text of `ci.yaml` before, if it was there.
    pub ci_before: Option<Vec<u8>>,
    /// Its text after.
    pub ci_after: Vec<u8>,
    /// The release configuration of the version that is not published yet, with its path below the operator's
    /// directory.
    pub release: Option<(String, Vec<u8>)>,
    /// The names of the bundles with their images, by the names of their directories.
    pub images: BTreeMap<String, String>,
    /// The notes for the user.
    pub notes: Vec<String>,
}

/// A template that is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTemplate {
    /// Its file in `catalog-templates/`.
    pub name: String,
    /// Its text.
    pub text: Vec<u8>,
    /// The catalogs that it makes.
    pub catalogs: Vec<String>,
}

/// The reasons why an operator gets no templates.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OnboardingError {
    /// It has some.
    #[error("`{0}` already has templates: `ci.yaml` has `fbc.enabled` and a mapping")]
    HasTemplates(String),
    /// It has no bundle.
    #[error("`{0}` has no bundle directories")]
    NoBundles(String),
    /// A bundle has no ClusterServiceVersion with a name.
    #[error("`{called}` has no ClusterServiceVersion with a name")]
    NoCsv { called: String, help: String },
    /// A bundle names no package, or another one than the others.
    #[error("`{called}` belongs to package `{package}`, but the versions before it belong to `{other}`")]
    OtherPackage { called: String, package: String, other: String },
    /// A bundle is in no channel.
    #[error("`{0}` names no channel in `metadata/annotations.yaml`")]
    NoChannel(String),
    /// A version that is named does not exist.
    #[error("no version `{version}`")]
    NoVersion { version: String, meant: Option<String> },
    /// No catalog takes a bundle.
    #[error("no version of OpenShift can take any of the bundles")]
    NoCatalog,
    /// It has more versions and channels than any operator has.
    #[error("it has more than {MAX_ENTRIES} entries in its channels")]
    TooMany,
    /// `ci.yaml` cannot be changed.
    #[error("cannot change `ci.yaml`: {0}")]
    Settings(String),
}

impl OnboardingError {
    /// The remedy.
    pub fn help(&self) -> String {
        match self {
            Self::HasTemplates(_) => {
                "`olmdex edit release` adds a version, `olmdex list --by-catalog --repo` a catalog".to_owned()
            }
            Self::NoBundles(_) => "name the directory that holds one directory per version".to_owned(),
            Self::NoCsv { help, .. } => help.clone(),
            Self::OtherPackage { .. } => "keep one package in a directory".to_owned(),
            Self::NoChannel(_) => "add `operators.operatorframework.io.bundle.channels.v1: stable`".to_owned(),
            Self::NoVersion { meant: Some(meant), .. } => format!("did you mean `{meant}`?"),
            Self::NoVersion { .. } => "name a version by its bundle directory".to_owned(),
            Self::NoCatalog => {
                "name versions with `--openshift`, or correct `com.redhat.openshift.versions`".to_owned()
            }
            Self::TooMany => "onboard fewer versions".to_owned(),
            Self::Settings(_) => "correct it, or remove it".to_owned(),
        }
    }
}

/// Makes templates of the bundles of an operator.
///
/// # Errors
/// [`OnboardingError`]
pub fn onboard(operator: &Operator, wish: &OnboardingWish<'_>) -> Result<Onboarding, OnboardingError> {
    if operator.settings.is_fbc && !operator.settings.mapping.is_empty() {
        return Err(OnboardingError::HasTemplates(operator.name.clone()));
    }
    let work = Work::new(operator, wish)?;
    let groups = work.groups();
    if groups.is_empty() {
        return Err(OnboardingError::NoCatalog);
    }
    // Catalogs with the same channels share a template.
    let mut templates: Vec<NewTemplate> = Vec::new();
    for (members, minors) in &groups {
        let text = work.template(members)?;
        let catalogs: Vec<String> = minors.iter().map(|it| format!("v{it}")).collect();
        match templates.iter_mut().find(|it| it.text == text) {
            Some(same) => same.catalogs.extend(catalogs),
            None => templates.push(NewTemplate { name: String::new(), text, catalogs }),
        }
    }
    let is_one = templates.len() == 1;
    for template in &mut templates {
        let first = template.catalogs.first().map(String::as_str).unwrap_or_default();
        template.name = if is_one { "basic.yaml".to_owned() } else { format!("{first}.yaml") };
    }
    let (ci_before, ci_after) = settings(operator, &templates)?;
    let release = work.unreleased.map(|it| work.release(it, &templates)).transpose()?;
    let images = work.images.iter().map(|(at, image)| (operator.versions[*at].name.clone(), image.clone())).collect();
    Ok(Onboarding {
        package: work.package.clone(),
        notes: work.notes(),
        templates,
        ci_before,
        ci_after,
        release,
        images,
    })
}

/// An operator while its templates are made.
struct Work<'a> {
    operator: &'a Operator,
    wish: &'a OnboardingWish<'a>,
    package: String,
    /// The versions that are in templates, in their order.
    members: Vec<usize>,
    broken: BTreeSet<usize>,
    unreleased: Option<usize>,
    images: BTreeMap<usize, String>,
    /// Versions whose bundles have the same names as earlier ones.
    repeated: Vec<(usize, usize)>,
}

impl<'a> Work<'a> {
    fn new(operator: &'a Operator, wish: &'a OnboardingWish<'a>) -> Result<Self, OnboardingError> {
        let mut order: Vec<usize> = (0..operator.versions.len()).collect();
        order.sort_by(|a, b| operator.versions[*a].facts.order(&operator.versions[*b].facts));
        let package = match order.first() {
            None => return Err(OnboardingError::NoBundles(operator.name.clone())),
            Some(first) => match operator.versions[*first].facts.package.as_str() {
                "" => operator.name.clone(),
                package => package.to_owned(),
            },
        };
        let number = |text: &String| find(operator, text.as_str());
        let broken = wish.policy.broken.iter().map(number).collect::<Result<BTreeSet<_>, _>>()?;
        let unreleased = wish.unreleased.as_ref().map(number).transpose()?;
        let mut images = BTreeMap::new();
        let (mut repeated, mut names): (Vec<(usize, usize)>, BTreeMap<&str, usize>) = Default::default();
        for at in &order {
            let version = &operator.versions[*at];
            let called = operator.called(version);
            let Some(name) = &version.facts.csv_name else {
                let help =
                    version.csv_help(&operator.path).unwrap_or_else(|| "give it a name: `metadata.name`".to_owned());
                return Err(OnboardingError::NoCsv { called, help });
            };
            if let Some(first) = names.get(name.as_str()) {
                repeated.push((*at, *first));
                continue;
            }
            names.insert(name, *at);
            let own = &version.facts.package;
            if !own.is_empty() && *own != package {
                return Err(OnboardingError::OtherPackage { called, package: own.clone(), other: package });
            }
            if version.facts.channels.iter().all(|it| it.is_empty()) {
                return Err(OnboardingError::NoChannel(called));
            }
            images.insert(*at, (wish.image)(&package, name, &version.facts.version));
        }
        let is_member = |it: &usize| images.contains_key(it) && !broken.contains(it) && unreleased != Some(*it);
        let members = order.iter().copied().filter(is_member).collect();
        Ok(Self { operator, wish, package, members, broken, unreleased, images, repeated })
    }

    fn version(&self, at: usize) -> &'a VersionDirectory {
        &self.operator.versions[at]
    }

    fn name(&self, at: usize) -> &'a str {
        self.version(at).facts.csv_name.as_deref().unwrap_or_default()
    }

    /// Groups of OpenShift versions whose catalogs have the same bundles, with these.
    fn groups(&self) -> Vec<(Vec<usize>, Vec<Minor>)> {
        let known = || openshift::all_catalogs().collect();
        let minors: Vec<Minor> = if self.wish.openshift.is_empty() { known() } else { self.wish.openshift.clone() };
        let mut groups: Vec<(Vec<usize>, Vec<Minor>)> = Vec::new();
        for minor in minors {
            let taken: Vec<usize> = self.members.iter().copied().filter(|it| self.version(*it).takes(minor)).collect();
            match groups.iter_mut().find(|it| it.0 == taken) {
                _ if taken.is_empty() => {}
                Some(group) => group.1.push(minor),
                None => groups.push((taken, vec![minor])),
            }
        }
        groups
    }

    /// The channels of some versions, the default channel first.
    fn channels(&self, members: &[usize]) -> (String, Vec<&'a str>) {
        let all: BTreeSet<&str> =
            members.iter().flat_map(|it| &self.version(*it).facts.channels).map(String::as_str).collect();
        // An index of bundles keeps the channel that it began with until a bundle names another one.
        let first = || members.first().and_then(|it| self.version(*it).facts.channels.first().cloned());
        let default = default_channel(self.operator).filter(|it| all.contains(it.as_str())).or_else(first);
        let default = default.unwrap_or_default();
        let mut channels: Vec<&str> = all.into_iter().filter(|it| !it.is_empty()).collect();
        channels.sort_by_key(|it| *it != default);
        (default, channels)
    }

    /// The text of a template with these versions.
    fn template(&self, members: &[usize]) -> Result<Vec<u8>, OnboardingError> {
        let (default, channels) = self.channels(members);
        if channels.len().saturating_mul(members.len()) > MAX_ENTRIES {
            return Err(OnboardingError::TooMany);
        }
        let mut entries = vec![self.package_blob(&default, members)];
        let mut listed: BTreeSet<usize> = BTreeSet::new();
        for channel in channels {
            let own = self.entries(channel, members);
            listed.extend(own.iter().map(|it| it.0));
            let own = own.into_iter().map(|(at, edges)| edges.put_into(Tree::object().with("name", self.name(at))));
            let document = Tree::object().with("schema", "olm.channel").with("package", &self.package);
            entries.push(document.with("name", channel).with("entries", Tree::list(own)));
        }
        let members: Vec<usize> = members.iter().copied().filter(|it| listed.contains(it)).collect();
        entries.extend(self.deprecations(&members));
        let image = |at: &usize| self.images.get(at).map(String::as_str).unwrap_or_default();
        entries.extend(members.iter().map(|it| bundle(image(it))));
        let new = Tree::object().with("schema", "olm.template.basic").with("entries", Tree::List(entries));
        new_file("---\nschema: olm.template.basic\n", &new)
            .map_err(|error| OnboardingError::Settings(error.to_string()))
    }

    /// The blob that opm makes of a bundle: description and icon are those of the default head.
    fn package_blob(&self, default: &str, members: &[usize]) -> Tree {
        let is_in = |at: &&usize| self.version(**at).facts.channels.iter().any(|it| it == default);
        let csv = members.iter().rfind(is_in).and_then(|it| self.version(*it).csv.as_ref().ok());
        let mut reader = Reader::new();
        let spec = csv.and_then(|it| reader.read(&it.json).ok()).and_then(|it| it.get("spec"));
        let text = |of: Option<Value<'_>>, key: &str| of?.get(key)?.as_str().map(|it| it.into_owned());
        let icon = spec.and_then(|it| it.get("icon")).and_then(|it| it.items().next());
        // No catalog takes an icon that cannot be decoded; the check of the bundle reports it.
        let decodes =
            |it: &String| base64::engine::general_purpose::STANDARD.decode(it.replace(['\r', '\n'], "")).is_ok();
        let icon = match (text(icon, "base64data").filter(decodes), text(icon, "mediatype")) {
            (Some(data), Some(kind)) => Some(Tree::object().with("base64data", data).with("mediatype", kind)),
            _ => None,
        };
        let blob = Tree::object().with("schema", "olm.package").with("name", &self.package);
        let blob = blob.with("defaultChannel", default);
        blob.with_some("description", text(spec, "description")).with_some("icon", icon)
    }

    /// The entries of a channel with their edges. A broken version is skipped by the version that replaces it, which
    /// replaces the broken version's predecessor instead.
    fn entries(&self, channel: &str, members: &[usize]) -> Vec<(usize, Edges)> {
        let is_in = |it: &&usize| self.version(**it).facts.channels.iter().any(|it| it == channel);
        let is_semver = self.operator.settings.update_graph.as_deref() == Some("semver-mode");
        if !is_semver {
            return self.reachable(members.iter().filter(is_in).copied().collect());
        }
        let mut order: Vec<usize> = members.iter().chain(&self.broken).filter(is_in).copied().collect();
        order.sort_by(|a, b| self.version(*a).facts.order(&self.version(*b).facts));
        let mut entries: Vec<(usize, Edges)> = Vec::new();
        let mut skipped = Vec::new();
        for at in order {
            if self.broken.contains(&at) {
                skipped.push(self.name(at).to_owned());
                continue;
            }
            let replaces = entries.last().map(|it| self.name(it.0).to_owned());
            entries.push((at, Edges { replaces, skips: std::mem::take(&mut skipped), skip_range: None }));
        }
        entries
    }

    /// The entries of a channel as an index of bundles has them: the head, the bundle that it replaces, the bundle that
    /// this one replaces, and so on, and the bundles that these skip. A version that only a `skipRange` covers would be
    /// another head, and one that only a skipped version skips would be stranded.
    fn reachable(&self, members: Vec<usize>) -> Vec<(usize, Edges)> {
        let mut edges: BTreeMap<usize, Edges> = members.iter().map(|it| (*it, self.edges(*it))).collect();
        let by_name: BTreeMap<&str, usize> = members.iter().map(|it| (self.name(*it), *it)).collect();
        let mut found: BTreeSet<usize> = BTreeSet::new();
        let mut chain: BTreeSet<usize> = BTreeSet::new();
        let mut next = members.last().copied();
        // A circle of versions that replace each other ends where it began.
        while let Some(at) = next.filter(|it| chain.insert(*it)) {
            found.insert(at);
            let Some(own) = edges.get(&at) else { break };
            found.extend(own.skips.iter().filter_map(|name| by_name.get(name.as_str())));
            next = own.replaces.as_ref().and_then(|name| by_name.get(name.as_str()).copied());
        }
        members.into_iter().filter(|it| found.contains(it)).filter_map(|it| Some((it, edges.remove(&it)?))).collect()
    }

    /// The edges of a version by its ClusterServiceVersion.
    fn edges(&self, at: usize) -> Edges {
        let facts = &self.version(at).facts;
        let mut edges = Edges {
            replaces: facts.replaces.clone().filter(|it| !it.is_empty()),
            skips: facts.skips.clone(),
            skip_range: facts.skip_range.clone().filter(|it| !it.is_empty()),
        };
        // Each broken version is visited once, so that a circle of them ends.
        let mut left: BTreeSet<usize> = self.broken.clone();
        while let Some(broken) =
            edges.replaces.as_ref().and_then(|name| left.iter().copied().find(|it| self.name(*it) == name))
        {
            left.remove(&broken);
            let name = self.name(broken).to_owned();
            if !edges.skips.contains(&name) {
                edges.skips.push(name);
            }
            edges.replaces = self.version(broken).facts.replaces.clone().filter(|it| !it.is_empty());
        }
        edges
    }

    /// The reason why a version is not supported any more.
    fn ended(&self, at: usize) -> Option<String> {
        let facts = &self.version(at).facts;
        let policy = &self.wish.policy;
        let version = Version::parse(facts.version.trim_start_matches('v')).ok();
        if let (Some(oldest), Some(version)) = (&policy.oldest_supported, &version)
            && version.cmp_precedence(oldest).is_lt()
        {
            return Some(format!("{} is not supported any more. Update to {oldest} or later.", facts.version));
        }
        let minor = version.map(|it| format!("{}.{}", it.major(), it.minor()));
        if let Some(day) = minor.and_then(|it| policy.ended.get(&it)) {
            return Some(format!("Support of {} ended on {day}. Update to a later version.", facts.version));
        }
        let made = facts.created.as_deref().and_then(|it| it.get(..10)).and_then(Day::parse)?;
        let first = policy.made_since?;
        (made < first).then(|| format!("Support of {} has ended. Update to a later version.", facts.version))
    }

    /// The deprecations of versions, and of channels whose versions are all deprecated.
    fn deprecations(&self, members: &[usize]) -> Option<Tree> {
        let ended: BTreeMap<usize, String> = members.iter().filter_map(|it| Some((*it, self.ended(*it)?))).collect();
        if ended.is_empty() {
            return None;
        }
        let entry = |schema: &str, name: &str, message: &str| {
            let reference = Tree::object().with("schema", schema).with("name", name);
            Tree::object().with("reference", reference).with("message", message)
        };
        let mut entries = Vec::new();
        let (_, channels) = self.channels(members);
        for channel in channels {
            let mut own =
                members.iter().filter(|it| self.version(**it).facts.channels.iter().any(|it| it == channel)).peekable();
            if own.peek().is_some() && own.all(|it| ended.contains_key(it)) {
                let message = format!("No version in channel {channel} is supported any more. Use another channel.");
                entries.push(entry("olm.channel", channel, &message));
            }
        }
        entries.extend(ended.iter().map(|(at, message)| entry("olm.bundle", self.name(*at), message)));
        let document = Tree::object().with("schema", "olm.deprecations").with("package", &self.package);
        Some(document.with("entries", Tree::List(entries)))
    }

    /// The release configuration of a version that is not published yet.
    fn release(&self, at: usize, templates: &[NewTemplate]) -> Result<(String, Vec<u8>), OnboardingError> {
        let version = self.version(at);
        let is_its = |it: &&NewTemplate| {
            let minors = it.catalogs.iter().filter_map(|it| openshift::minor_of(it));
            minors.into_iter().any(|minor| self.version(at).takes(minor))
        };
        let edges = self.edges(at);
        let items = templates.iter().filter(is_its).map(|it| {
            let item = Tree::object().with("template_name", &it.name);
            edges.put_into(item.with("channels", Tree::list(&version.facts.channels)))
        });
        let new = Tree::object().with("catalog_templates", Tree::list(items));
        let start = "---\ncatalog_templates:\n  - template_name: x\n    channels:\n      - x\n";
        let text = new_file(start, &new).map_err(|error| OnboardingError::Settings(error.to_string()))?;
        Ok((format!("{}/release-config.yaml", version.name), text))
    }

    fn notes(&self) -> Vec<String> {
        let channels: BTreeSet<&String> =
            self.members.iter().flat_map(|it| &self.version(*it).facts.channels).filter(|it| !it.is_empty()).collect();
        let kept = channels.clone();
        let mut skipped: BTreeSet<String> = BTreeSet::new();
        let repeated = |(at, first): &(usize, usize)| {
            let (called, other) = (self.operator.called(self.version(*at)), self.operator.called(self.version(*first)));
            format!("left out `{called}`: its bundle has the name `{}`, like that of `{other}`", self.name(*at))
        };
        let mut notes: Vec<String> = self.repeated.iter().map(repeated).collect();
        for channel in channels {
            let all = self.members.iter().filter(|it| self.version(**it).facts.channels.contains(channel)).count();
            let entries = self.entries(channel, &self.members);
            if entries.len() < all {
                notes.push(format!(
                    "channel `{channel}` has {} of {all} versions: its head leads to the others neither by `replaces` nor by `skips`, so an index of bundles does not list them either",
                    entries.len()
                ));
            }
            skipped.extend(entries.into_iter().flat_map(|it| it.1.skips));
        }
        let of_broken = self.broken.iter().flat_map(|it| &self.version(*it).facts.channels).collect::<BTreeSet<_>>();
        let gone = of_broken.into_iter().filter(|it| !kept.contains(it));
        notes.extend(gone.map(|it| format!("left out channel `{it}`, which has only broken versions")));
        let left = self.broken.iter().map(|it| self.name(*it)).filter(|it| !skipped.contains(*it));
        notes.extend(left.map(|it| format!("no version replaces the broken `{it}`, so none skips it")));
        notes
    }
}

/// The edges of an entry.
#[derive(Debug, Default)]
struct Edges {
    replaces: Option<String>,
    skips: Vec<String>,
    skip_range: Option<String>,
}

impl Edges {
    /// An object with those that are there.
    fn put_into(&self, object: Tree) -> Tree {
        let skips = (!self.skips.is_empty()).then(|| Tree::list(&self.skips));
        let object = object.with_some("replaces", self.replaces.as_ref()).with_some("skips", skips);
        object.with_some("skipRange", self.skip_range.as_ref())
    }
}

fn find(operator: &Operator, text: &str) -> Result<usize, OnboardingError> {
    operator.position(text).ok_or_else(|| {
        let names = operator.versions.iter().map(|it| it.name.as_str());
        OnboardingError::NoVersion { version: text.to_owned(), meant: closest(text, names).map(str::to_owned) }
    })
}

/// The text of `ci.yaml`, before and with the mapping of the templates.
fn settings(operator: &Operator, templates: &[NewTemplate]) -> Result<(Option<Vec<u8>>, Vec<u8>), OnboardingError> {
    let failed = |error: olmdex_fbc::EditError| OnboardingError::Settings(error.to_string());
    let mapping = Tree::list(templates.iter().map(|it| {
        let item = Tree::object().with("template_name", &it.name).with("type", "olm.template.basic");
        item.with("catalog_names", Tree::list(&it.catalogs))
    }));
    let fbc = Tree::object().with("enabled", true).with("catalog_mapping", mapping.clone());
    let fresh = || {
        let document = Tree::object().with("fbc", fbc.clone());
        new_file("---\nfbc:\n  enabled: true\n", &document).map_err(failed)
    };
    let file = match &operator.ci {
        Ok(file) if file.json == "null" => return Ok((Some(file.text.clone()), fresh()?)),
        Ok(file) => file,
        Err(Unread::Absent) => return Ok((None, fresh()?)),
        Err(Unread::Unreadable(message) | Unread::Broken(message, _)) => {
            return Err(OnboardingError::Settings(message.clone()));
        }
    };
    let mut new = Tree::read(&file.json).map_err(|error| OnboardingError::Settings(error.to_string()))?;
    match new.get_mut("fbc") {
        Some(own) => {
            own.put("catalog_mapping", mapping);
            own.put("enabled", true);
        }
        None => new.put("fbc", fbc),
    }
    let (after, _) = file.edited(&new).map_err(failed)?;
    Ok((Some(file.text.clone()), after))
}
