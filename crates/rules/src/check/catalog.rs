//! The findings about a catalog as a whole.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::deprecations::deprecation_step;
use super::facts::{CutAdvice, DeprecationsFacts, Draft, Facts, Inspected, Phase};
use super::inspect::{draft, inspect};
use super::lifecycles::{Unfit, lifecycles};
use super::model::PackageModel;
use super::package_rules::{Absence, Whole, whole};
use super::practice::{self, PracticeFacts, practice_facts};
use super::{Extent, Report, places, rules, tree};
use olmdex_base::diag::{Guesses, Rule, Severity, may_have};
use olmdex_fbc::{Document, Input, Origin};
use olmdex_text::calendar::Day;
use olmdex_version::Quoted;

/// Judges a catalog as a whole: takes the facts of its documents in order, then reports its findings.
#[derive(Debug, Default)]
pub struct Checker {
    origins: Vec<Origin>,
    facts: Vec<Facts>,
    drafts: Vec<(usize, Draft)>,
    /// Whether there are so many of them that no more documents are examined.
    is_full: bool,
    day: Option<Day>,
    advice: Option<CutAdvice>,
    practices: Vec<&'static Rule>,
    seen: Vec<(Origin, PracticeFacts)>,
}

impl Checker {
    /// A checker that has seen no document yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether support is judged, and on which day.
    #[must_use]
    pub fn on(self, day: Option<Day>) -> Self {
        Self { day, ..self }
    }

    /// Sets the adviser on channels that are cut off.
    #[must_use]
    pub fn advised_by(self, advice: Option<CutAdvice>) -> Self {
        Self { advice, ..self }
    }

    /// Sets the rules of good practice that are judged.
    #[must_use]
    pub fn with_practices(self, practices: &[&'static Rule]) -> Self {
        Self { practices: practices.to_vec(), ..self }
    }

    /// Looks at one document by itself, as far as this checker needs it.
    pub fn inspect(practices: &[&'static Rule], document: &Document<'_>) -> Inspected {
        let practice = (!practices.is_empty()).then(|| Box::new(practice_facts(document)));
        Inspected { practice, ..inspect(document) }
    }

    /// Takes the next document. The order is that of the catalog.
    pub fn add(&mut self, inspected: Inspected) {
        self.seen.extend(inspected.practice.map(|facts| (inspected.origin, *facts)));
        self.is_full |= !may_have(self.drafts.len() + inspected.drafts.len());
        if self.is_full {
            return;
        }
        let number = self.facts.len();
        self.origins.push(inspected.origin);
        self.facts.push(inspected.facts);
        self.drafts.extend(inspected.drafts.into_iter().map(|it| (number, it)));
    }

    /// The findings, each with the number of its document, for callers that find places by themselves. Only the names
    /// of files are used from `input`.
    pub fn drafts(self, input: &Input) -> Vec<(usize, Draft)> {
        let Self { origins, facts, drafts, day, advice, .. } = self;
        let mut drafts = Judge::judged(&facts, &origins, input, drafts, day, advice).drafts;
        drafts.sort_by_key(|(number, _)| *number);
        drafts
    }

    /// Judges the documents that it has seen. Documents with findings are read once more from `input` for their places.
    pub fn finish(self, input: &Input) -> Report {
        let Self { origins, facts, drafts, day, advice, practices, seen, .. } = self;
        let practices = practice::findings(input, seen, &practices);
        let Judge { models, mut drafts, .. } = Judge::judged(&facts, &origins, input, drafts, day, advice);
        // The sort is stable: findings of one document stay in the order of the rules.
        drafts.sort_by_key(|(number, _)| *number);
        let opm = first_refusal(&drafts).or_else(|| tree::tree(&models));
        let mut broken_packages = BTreeSet::new();
        let mut has_other_errors = false;
        for (number, it) in &drafts {
            if it.rule.severity == Severity::Error {
                match facts[*number].package() {
                    "" => has_other_errors = true,
                    package => {
                        broken_packages.insert(package.to_owned());
                    }
                }
            }
        }
        let findings = places::resolve(drafts, &facts, &origins, input);
        let mut extent = Extent::default();
        for it in &facts {
            match it {
                Facts::Package(_) => extent.packages += 1,
                Facts::Channel(_) => extent.channels += 1,
                Facts::Bundle(_) => extent.bundles += 1,
                _ => {}
            }
        }
        Report { findings, opm, broken_packages, has_other_errors, extent, practices }
    }
}

/// The message with which the real tool stops before it looks at the catalog as a whole.
fn first_refusal(drafts: &[(usize, Draft)]) -> Option<String> {
    drafts
        .iter()
        .filter_map(|(number, it)| it.opm.as_ref().map(|line| (line.phase, *number, line.step, &line.text)))
        .min_by_key(|(phase, number, step, _)| (*phase, *number, *step))
        .map(|(_, _, _, text)| text.clone())
}

struct Judge<'a> {
    facts: &'a [Facts],
    origins: &'a [Origin],
    input: &'a Input,
    /// Packages by name, those that are only referred to included.
    models: BTreeMap<&'a str, PackageModel<'a>>,
    /// Files with documents that could not be read at all.
    incomplete_files: HashSet<u32>,
    drafts: Vec<(usize, Draft)>,
    /// The packages that the catalog has.
    known_packages: OnceCell<Guesses<'a>>,
    /// The closest existing package for each name of a package that the catalog does not have.
    meant_packages: HashMap<&'a str, Option<&'a str>>,
}

/// The advice about items that may only seem to be missing.
const INCOMPLETE: &str = "an unreadable document may hold it: fix that document first";

impl<'a> Judge<'a> {
    /// Judges these documents.
    fn judged(
        facts: &'a [Facts],
        origins: &'a [Origin],
        input: &'a Input,
        drafts: Vec<(usize, Draft)>,
        day: Option<Day>,
        advice: Option<CutAdvice>,
    ) -> Self {
        let mut judge = Self::new(facts, origins, input, drafts);
        judge.packages();
        judge.channels();
        judge.bundles();
        judge.whole_packages(advice);
        judge.required_packages();
        judge.deprecations();
        judge.lifecycles(day);
        judge
    }

    fn new(facts: &'a [Facts], origins: &'a [Origin], input: &'a Input, drafts: Vec<(usize, Draft)>) -> Self {
        let mut models: BTreeMap<&str, PackageModel<'_>> = BTreeMap::new();
        let mut incomplete_files = HashSet::new();
        for (number, it) in facts.iter().enumerate() {
            match it {
                Facts::Broken { package, .. } if package.is_empty() => {
                    incomplete_files.insert(origins[number].file);
                }
                Facts::Broken { package, .. } => models.entry(package).or_default().is_incomplete = true,
                _ => {}
            }
        }
        let (known_packages, meant_packages) = (OnceCell::new(), HashMap::new());
        Self { facts, origins, input, models, incomplete_files, drafts, known_packages, meant_packages }
    }

    fn push(&mut self, number: usize, draft: Draft) {
        self.drafts.push((number, draft));
    }

    /// The start of a document, for advice.
    fn place_of(&self, number: usize) -> String {
        let origin = self.origins[number];
        let file = self.input.files.get(origin.file as usize);
        match file.and_then(|it| it.made_of()) {
            Some(made_of) => format!("{}:{}", made_of.start().file, made_of.start().line),
            None => format!("{}:{}", file.map_or("", |it| &it.shown), origin.line),
        }
    }

    /// Adds a finding about an absent item. Its advice depends on whether the item is certainly absent. If a document
    /// of the package could not be read, that is not certain, and the package is known to be broken already.
    fn absent(&mut self, number: usize, package: &str, mut draft: Draft, meant: Option<&str>) {
        if self.models.get(package).is_some_and(|it| it.is_incomplete) {
            return;
        }
        match (meant, self.incomplete_files.contains(&self.origins[number].file)) {
            (Some(meant), true) => draft.help = Some(format!("did you mean `{meant}`? Or {INCOMPLETE}")),
            (Some(meant), false) => draft.help = Some(format!("did you mean `{meant}`?")),
            (None, true) => draft.help = Some(INCOMPLETE.to_owned()),
            (None, false) => {}
        }
        self.push(number, draft);
    }

    /// Rules 1 to 3.
    fn packages(&mut self) {
        for (number, it) in self.facts.iter().enumerate() {
            let Facts::Package(package) = it else { continue };
            if package.name.is_empty() {
                continue;
            }
            let model = self.models.entry(&package.name).or_default();
            if let Some(first) = model.document {
                let first = self.place_of(first);
                let text = format!("duplicate package {}", Quoted(&package.name));
                let it =
                    draft(rules::DUPLICATE_PACKAGE, format!("package `{}` is defined more than once", package.name))
                        .at(vec!["name".into()])
                        .help(format!("keep one of the two; the first is at {first}"))
                        .opm(Phase::Packages, 2, text);
                self.push(number, it);
            } else {
                model.document = Some(number);
                model.facts = Some(package);
            }
        }
    }

    fn is_known(&self, package: &str) -> bool {
        self.models.get(package).is_some_and(|it| it.document.is_some())
    }

    /// The packages that the catalog has, which is known once [`Self::packages`] has gone.
    fn known_packages(&self) -> &Guesses<'a> {
        self.known_packages.get_or_init(|| {
            Guesses::new(self.models.iter().filter(|(_, it)| it.document.is_some()).map(|(name, _)| *name))
        })
    }

    /// The package that a name may have been meant to be. Document after document names the same.
    fn closest_package(&mut self, name: &'a str) -> Option<&'a str> {
        if let Some(known) = self.meant_packages.get(name) {
            return *known;
        }
        let meant = self.known_packages().closest(name);
        self.meant_packages.insert(name, meant);
        meant
    }

    /// Rules 4 and 6.
    fn channels(&mut self) {
        for (number, it) in self.facts.iter().enumerate() {
            let Facts::Channel(channel) = it else { continue };
            let (package, name) = (channel.package.as_str(), channel.name.as_str());
            if !self.is_known(package) {
                let message = match package {
                    "" => format!("channel `{name}` names no package"),
                    _ => format!("channel `{name}` belongs to package `{package}`, which is not in the catalog"),
                };
                let text = format!("unknown package {} for channel {}", Quoted(package), Quoted(name));
                let it = draft(rules::CHANNEL_OF_UNKNOWN_PACKAGE, message).at(vec!["package".into()]);
                let meant = self.closest_package(package);
                self.absent(number, package, it.opm(Phase::Channels, 4, text), meant);
            }
            let model = self.models.entry(package).or_default();
            let first = model.channel_numbers.get(name).copied().filter(|_| !name.is_empty());
            if let Some(first) = first {
                let text = format!("package {} has duplicate channel {}", Quoted(package), Quoted(name));
                let message = format!("channel `{name}` of package `{package}` is defined more than once");
                let it = draft(rules::DUPLICATE_CHANNEL, message).at(vec!["name".into()]);
                let help = format!("merge the entries into one blob; the first is at {}", self.place_of(first));
                self.push(number, it.help(help).opm(Phase::Channels, 6, text));
            } else {
                model.channels.push((number, channel));
                model.channel_numbers.insert(name, number);
            }
        }
    }

    /// Rules 8, 9 and 15.
    fn bundles(&mut self) {
        let mut listed: HashSet<(&str, &str)> = HashSet::new();
        for it in self.facts {
            if let Facts::Channel(channel) = it {
                listed.extend(channel.entries.iter().map(|it| (channel.package.as_str(), it.name.as_str())));
            }
        }
        for (number, it) in self.facts.iter().enumerate() {
            let Facts::Bundle(bundle) = it else { continue };
            let (package, name) = (bundle.package.as_str(), bundle.name.as_str());
            if !package.is_empty() && !self.is_known(package) {
                let message = format!("bundle `{name}` belongs to package `{package}`, which is not in the catalog");
                let text = format!("unknown package {} for bundle {}", Quoted(package), Quoted(name));
                let it = draft(rules::BUNDLE_OF_UNKNOWN_PACKAGE, message).at(vec!["package".into()]);
                let meant = self.closest_package(package);
                self.absent(number, package, it.opm(Phase::Bundles, 8, text), meant);
            }
            let model = self.models.entry(package).or_default();
            let is_orphan = model.document.is_none();
            if let Some(&(first, _)) = model.bundles.get(name) {
                let text = format!("package {} has duplicate bundle {}", Quoted(package), Quoted(name));
                let message = format!("bundle `{name}` of package `{package}` is defined more than once");
                let it = draft(rules::DUPLICATE_BUNDLE, message).at(vec!["name".into()]);
                let help = format!("keep one of the two; the first is at {}", self.place_of(first));
                self.push(number, it.help(help).opm(Phase::Bundles, 9, text));
                continue;
            }
            model.bundles.insert(name, (number, bundle));
            // The missing package has been reported already, so a bundle without one gets no second finding.
            if !is_orphan && !listed.contains(&(package, name)) {
                let text =
                    format!("package {}, bundle {} not found in any channel entries", Quoted(package), Quoted(name));
                let message = format!("bundle `{name}` is in no channel of package `{package}`");
                let it = draft(rules::BUNDLE_IN_NO_CHANNEL, message)
                    .at(vec!["name".into()])
                    .help("add an entry for it to a channel, or remove the bundle");
                self.absent(number, package, it.opm(Phase::Bundles, 15, text), None);
            }
        }
    }

    /// Runs the checks that need all of a package.
    fn whole_packages(&mut self, advice: Option<CutAdvice>) {
        let names: Vec<&str> = self.models.keys().copied().collect();
        let mut entries: HashMap<usize, String> = HashMap::new();
        for package in names {
            let Some(model) = self.models.get(package) else { continue };
            let Whole { found, absences } = whole(package, model, advice);
            self.drafts.extend(found);
            let bundle_of = |name: &str| model.bundles.get(name).map(|(number, _)| *number);
            let names = absences.iter().filter_map(|absence| Some((bundle_of(absence.meant.as_ref()?)?, absence)));
            entries.extend(names.filter_map(|(number, absence)| Some((number, absence.entry.clone()?))));
            for Absence { number, draft, meant, .. } in absences {
                self.absent(number, package, draft, meant.as_deref());
            }
        }
        self.tie_to_entries(&entries);
    }

    /// Names the entry that seems to mean a bundle without one: both findings have one cause.
    fn tie_to_entries(&mut self, entries: &HashMap<usize, String>) {
        let unlisted = self.drafts.iter_mut().filter(|(_, draft)| draft.rule.id == rules::BUNDLE_IN_NO_CHANNEL.id);
        for (number, draft) in unlisted {
            if let Some(entry) = entries.get(number) {
                let help = format!("the entry `{entry}` has no bundle, and may mean this one: correct its name");
                draft.help = Some(help);
            }
        }
    }

    /// Packages that bundles require and that look like one of the catalog.
    fn required_packages(&mut self) {
        // Bundle after bundle requires the same.
        let mut meant_packages: HashMap<&str, Option<&str>> = HashMap::new();
        for (number, it) in self.facts.iter().enumerate() {
            let Facts::Bundle(bundle) = it else { continue };
            for (idx, required) in &bundle.required_packages {
                let meant = *meant_packages.entry(required).or_insert_with(|| {
                    if self.is_known(required) { None } else { self.known_packages().slip_of(required) }
                });
                let Some(meant) = meant.filter(|it| *it != bundle.package) else { continue };
                let message =
                    format!("bundle `{}` requires package `{required}`, which is not in the catalog", bundle.name);
                let path = vec!["properties".into(), (*idx).into(), "value".into(), "packageName".into()];
                let it = draft(rules::MISSPELT_REQUIRED_PACKAGE, message).at(path);
                self.drafts.push((number, it.help(format!("did you mean `{meant}`?"))));
            }
        }
    }

    /// Rules 17 and 20.
    fn deprecations(&mut self) {
        let blobs = self.facts.iter().enumerate().filter_map(|(number, it)| match it {
            Facts::Deprecations(it) => Some((number, it)),
            _ => None,
        });
        for (idx, (number, deprecations)) in blobs.enumerate() {
            let package = deprecations.package.as_str();
            if package.is_empty() {
                let text = format!("package name must be set for deprecation item {idx}");
                let message = "deprecations name no package".to_owned();
                let it = draft(rules::DEPRECATIONS_WITHOUT_PACKAGE, message).at(vec!["package".into()]);
                self.push(number, it.opm(Phase::Deprecations, 17, text));
                continue;
            }
            if !self.is_known(package) {
                let text = format!("cannot apply deprecations to an unknown package {}", Quoted(package));
                let message = format!("the deprecations name package `{package}`, which is not in the catalog");
                let it = draft(rules::DEPRECATIONS_OF_UNKNOWN_PACKAGE, message).at(vec!["package".into()]);
                let meant = self.closest_package(package);
                self.absent(number, package, it.opm(Phase::Deprecations, 17, text), meant);
                continue;
            }
            let Some(model) = self.models.get_mut(package) else { continue };
            if model.deprecations.is_some() {
                let text = format!("expected a maximum of one deprecation per package: {}", Quoted(package));
                let message = format!("package `{package}` has more than one `olm.deprecations` blob");
                let it = draft(rules::DUPLICATE_DEPRECATIONS, message).at(vec!["package".into()]);
                self.push(number, it.help("merge them into one").opm(Phase::Deprecations, 17, text));
                continue;
            }
            model.deprecations = Some((number, deprecations));
            self.deprecated_things(number, deprecations);
        }
    }

    /// Compares the statements of lifecycles and packages about each other.
    fn lifecycles(&mut self, day: Option<Day>) {
        for found in lifecycles(self.facts, &self.models, day) {
            let Unfit { number, package, draft, is_absence } = found;
            match is_absence {
                true => {
                    let meant = self.closest_package(package);
                    self.absent(number, package, draft, meant);
                }
                false => self.push(number, draft),
            }
        }
    }

    fn deprecated_things(&mut self, number: usize, deprecations: &DeprecationsFacts) {
        let package = deprecations.package.as_str();
        let (mut bundles, mut channels): (Option<Guesses<'_>>, Option<Guesses<'_>>) = (None, None);
        let bundle_names = |model: &PackageModel<'a>| Guesses::new(model.bundles.keys().copied());
        let channel_names =
            |model: &PackageModel<'a>| Guesses::new(model.channels.iter().map(|(_, it)| it.name.as_str()));
        for (idx, entry) in deprecations.entries.iter().enumerate() {
            let Some(model) = self.models.get(package) else { return };
            let name = entry.name.as_str();
            let (rule, what, meant) = match entry.schema.as_str() {
                "olm.bundle" if model.bundles.contains_key(name) => continue,
                "olm.bundle" => {
                    let guesses = bundles.get_or_insert_with(|| bundle_names(model));
                    let meant = guesses.closest_of_same_numbers(name, |_| true);
                    (rules::DEPRECATED_BUNDLE_NOT_FOUND, "bundle", meant)
                }
                "olm.channel" if model.has_channel(name) => continue,
                "olm.channel" if !name.is_empty() && model.default_channel() == name => continue,
                "olm.channel" => {
                    let guesses = channels.get_or_insert_with(|| channel_names(model));
                    let meant = guesses.closest_of_same_numbers(name, |_| true);
                    (rules::DEPRECATED_CHANNEL_NOT_FOUND, "channel", meant)
                }
                _ => continue,
            };
            let meant = meant.map(str::to_owned);
            let text =
                format!("cannot deprecate {what} {} for package {}: {what} not found", Quoted(name), Quoted(package));
            let message = format!("package `{package}` has no {what} `{name}` to deprecate");
            let path = vec!["entries".into(), idx.into(), "reference".into(), "name".into()];
            let it = draft(rule, message).at(path).opm(Phase::Deprecations, deprecation_step(idx) + 2, text);
            self.absent(number, package, it, meant.as_deref());
        }
    }
}
