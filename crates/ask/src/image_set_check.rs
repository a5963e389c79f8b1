//! A configuration of oc-mirror, compared with the catalogs that it mirrors, and with its state before a change.

use std::collections::{BTreeMap, BTreeSet};

use super::building::builder;
use super::error::AskError;
use super::graph_check::{GraphCheckQuestion, JudgedCatalog};
use super::mirror_catalog::{KeepError, KeptPart, KeptRemark, MirrorCatalog};
use olmdex_base::diag::envelope::ImageSetState;
use olmdex_base::diag::{Finding, closest, printable};
use olmdex_compose::mirror::{
    Configuration, ConfigurationFile, FilterVersion, Image, MirrorImages, Missing, Operator, PackageFacts, Range, rules,
};
use olmdex_fbc::Input;
use olmdex_index::{CatalogSpec, IndexError, Mode};
use olmdex_olm::upgrade::rules as graph_rules;
use olmdex_text::json::Step;
use thiserror::Error;

/// A configuration with those of its catalogs that are known, each with the number of its entry.
#[derive(Debug)]
pub struct KnownCatalogs<'a> {
    /// The configuration.
    pub configuration: &'a Configuration,
    /// The catalogs.
    pub catalogs: Vec<(usize, MirrorCatalog)>,
}

/// A question about a configuration.
#[derive(Debug)]
pub struct ImageSetQuestion<'a> {
    /// Its file.
    pub file: &'a ConfigurationFile<'a>,
    /// The catalogs.
    pub now: KnownCatalogs<'a>,
    /// The state before the change.
    pub before: Option<KnownCatalogs<'a>>,
}

/// The answer.
#[derive(Debug, Default)]
pub struct ImageSetAnswer {
    /// The findings.
    pub findings: Vec<Finding>,
    /// The images.
    pub state: ImageSetState,
}

/// Why a question has no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImageSetError {
    /// A catalog cannot be filtered.
    #[error(transparent)]
    Keep(#[from] KeepError),
    /// An index is damaged.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The upgrades of a filtered catalog cannot be read.
    #[error(transparent)]
    Ask(#[from] AskError),
}

impl KnownCatalogs<'_> {
    fn kept(&self) -> Result<Vec<KeptPart>, ImageSetError> {
        let keep = |(_, catalog): &(usize, MirrorCatalog)| Ok(catalog.keep(FilterVersion::default())?);
        self.catalogs.iter().map(keep).collect()
    }

    /// The images of kept parts, as tools that copy take them.
    fn images(&self, kept: &[KeptPart]) -> BTreeSet<String> {
        let parts = self.catalogs.iter().zip(kept).map(|((_, of), part)| (&of.catalog, &part.filtered));
        let images = MirrorImages::of(self.configuration, parts, None);
        images.all().into_iter().map(|it| Image::copyable(&it.image).to_string()).collect()
    }

    /// The entries without a catalog, in words.
    fn unknown(&self, when: &str) -> impl Iterator<Item = String> {
        let is_known = |number: &usize| self.catalogs.iter().any(|(known, _)| known == number);
        let operators = self.configuration.operators.iter().enumerate();
        operators.filter(move |(number, _)| !is_known(number)).map(move |(_, operator)| {
            format!("catalog `{}`{when}: no `--with REFERENCE=CATALOG` names it", printable(&operator.catalog))
        })
    }
}

impl ImageSetQuestion<'_> {
    /// The answer.
    ///
    /// # Errors
    /// [`ImageSetError`]
    pub fn answer(&self) -> Result<ImageSetAnswer, ImageSetError> {
        let kept = self.now.kept()?;
        let mut findings = Found::new();
        for ((number, catalog), part) in self.now.catalogs.iter().zip(&kept) {
            compare(*number, catalog, part, &mut findings);
        }
        let mut state = ImageSetState::default();
        let images = self.now.images(&kept);
        state.images = images.len();
        state.not_compared = self.now.unknown("").collect();
        state.not_compared.extend(self.now.configuration.unlisted.iter().map(|&wish| wish.to_owned()));
        if let Some(before) = &self.before {
            let kept_before = before.kept()?;
            let images_before = before.images(&kept_before);
            state.added = images.difference(&images_before).cloned().collect();
            state.removed = images_before.difference(&images).cloned().collect();
            state.not_compared.extend(before.unknown(" before the change"));
            for ((number, catalog), part) in before.catalogs.iter().zip(&kept_before) {
                self.lost(before, (*number, catalog, part), &kept, &mut findings)?;
            }
        }
        Ok(ImageSetAnswer { findings: self.file.placed(findings), state })
    }

    /// The versions that an entry mirrored before the change and that cannot be upgraded any more.
    fn lost(
        &self,
        before: &KnownCatalogs<'_>,
        (number, catalog, part): (usize, &MirrorCatalog, &KeptPart),
        kept: &[KeptPart],
        findings: &mut Found,
    ) -> Result<(), ImageSetError> {
        let had: Vec<&String> = packages_of(part).collect();
        let operator = &before.configuration.operators[number];
        let gone = |package: &str, what: &str| {
            let message = format!("clusters that run package `{}` get no upgrades: {what}", printable(package));
            let help = "remove the operator from the clusters first, or keep mirroring it";
            rules::LOST_VERSION.finding(message).help(help).of_package(package.to_owned())
        };
        let Some(successor) = successor(operator, &self.now.configuration.operators) else {
            let what = format!("catalog `{}` is no longer mirrored", printable(&operator.catalog));
            findings.extend(had.iter().map(|package| (vec!["operators".into()], gone(package, &what))));
            return Ok(());
        };
        let known = self.now.catalogs.iter().zip(kept).find(|((number, _), _)| *number == successor);
        let Some(((_, entry), now)) = known else { return Ok(()) };
        let entries = package_entries(&entry.operator);
        let has: BTreeSet<&String> = packages_of(now).collect();
        let (both, lost): (Vec<&String>, Vec<&String>) = had.into_iter().partition(|package| has.contains(package));
        for package in lost {
            let finding = gone(package, "it is no longer mirrored");
            findings.push((in_entry(successor, &at_package(&entries, package)), finding));
        }
        if both.is_empty() {
            return Ok(());
        }
        let packages = both.into_iter().cloned().collect();
        let question = GraphCheckQuestion { packages, ..GraphCheckQuestion::default() };
        let found = question.answer(judged(entry, now)?, Some(&judged(catalog, part)?))?.findings;
        for finding in found.into_iter().filter(|finding| finding.rule.id == graph_rules::LOST.id) {
            let package = finding.package.unwrap_or_default();
            let message = format!("in the mirror, {}", finding.message);
            let help = "mirror the versions between the old and the new ones too: lower `minVersion`";
            let finding = rules::LOST_VERSION.finding(message).help(help).of_package(package.clone());
            findings.push((in_entry(successor, &at_package(&entries, &package)), finding));
        }
        Ok(())
    }
}

/// Findings about values among the wishes.
type Found = Vec<(Vec<Step>, Finding)>;

/// The steps to a part of an entry.
fn in_entry(number: usize, rest: &[Step]) -> Vec<Step> {
    [&["operators".into(), number.into()], rest].concat()
}

/// The entries of packages, by their names.
fn package_entries(operator: &Operator) -> BTreeMap<&str, usize> {
    operator.packages.iter().enumerate().rev().map(|(at, package)| (package.name.as_str(), at)).collect()
}

/// The steps from a catalog's entry to that of a package; to the catalog for one that is not named.
fn at_package(entries: &BTreeMap<&str, usize>, name: &str) -> Vec<Step> {
    match entries.get(name) {
        Some(at) => vec!["packages".into(), (*at).into()],
        None => vec!["catalog".into()],
    }
}

/// Compares an entry with its catalog.
fn compare(number: usize, catalog: &MirrorCatalog, kept: &KeptPart, findings: &mut Found) {
    let operator = &catalog.operator;
    let name = printable(&operator.catalog).into_owned();
    let entries = package_entries(operator);
    let package_at = |package: &str| at_package(&entries, package);
    let unfit =
        |finding: Finding, package: &str| finding.of_package(Some(package.to_owned()).filter(|it| !it.is_empty()));
    for remark in &kept.remarks {
        let (rest, finding) = match remark {
            KeptRemark::Missing(Missing::Package { package, meant }) => {
                let message = format!("catalog `{name}` has no package `{}`", printable(package));
                let help = meant.as_ref().map(|meant| format!("did you mean `{}`?", printable(meant)));
                let help = help.unwrap_or_else(|| "`olmdex list packages` lists them".to_owned());
                (package_at(package), unfit(rules::MISSING.finding(message).help(help), package))
            }
            KeptRemark::Missing(Missing::Channel { package, channel, meant, known }) => {
                let message = format!("package `{}` has no channel `{}`", printable(package), printable(channel));
                let known = || format!("it has {}", printable(&known.join(", ")));
                let help = meant.as_ref().map_or_else(known, |meant| format!("did you mean `{}`?", printable(meant)));
                let of_package = operator.packages.iter().find(|asked| asked.name == *package);
                let at = of_package.and_then(|asked| asked.channels.iter().position(|it| it.name == *channel));
                let channel = at.map(|at| vec!["channels".into(), at.into()]).unwrap_or_default();
                let rest = [package_at(package), channel].concat();
                (rest, unfit(rules::MISSING.finding(message).help(help), package))
            }
            KeptRemark::Refused { package, why } => {
                let message = format!("oc-mirror refuses package `{}`: {why}", printable(package));
                let help = "`olmdex mirror filter --repair` finds the nearest configuration that works";
                (package_at(package), unfit(rules::REFUSED.finding(message).help(help), package))
            }
            KeptRemark::Invalid { package, why } => {
                let message = format!("the mirrored package `{}` is not valid: {why}", printable(package));
                let help = "the fault is in the catalog itself; `olmdex validate` shows where";
                (package_at(package), unfit(rules::RESULT.finding(message).help(help), package))
            }
            KeptRemark::Broken(broken) => {
                let n = broken.len();
                let message = format!("catalog `{name}` has documents that cannot be read ({n} faults)");
                let help = "`olmdex validate` shows them";
                (vec!["catalog".into()], rules::RESULT.finding(message).help(help))
            }
            KeptRemark::Warning(words) => (vec!["catalog".into()], rules::RESULT.finding(words.clone())),
        };
        findings.push((in_entry(number, &rest), finding));
    }
    for (of_package, asked) in operator.packages.iter().enumerate() {
        let Some(facts) = catalog.catalog.packages.get(&asked.name) else { continue };
        let at: Vec<Step> = vec!["packages".into(), of_package.into()];
        let of_channels = asked.channels.iter().enumerate();
        let of_channels = of_channels.map(|(number, channel)| {
            (&channel.range, [&at[..], &["channels".into(), number.into(), "minVersion".into()]].concat())
        });
        let own = (&asked.range, [&at[..], &["minVersion".into()]].concat());
        for (range, path) in std::iter::once(own).chain(of_channels) {
            if let Some(finding) = missing_version(&asked.name, range, facts) {
                findings.push((in_entry(number, &path), finding));
            }
        }
    }
}

/// The packages of a kept part.
fn packages_of(part: &KeptPart) -> impl Iterator<Item = &String> {
    part.filtered.packages.keys().filter(|package| !package.is_empty())
}

/// A kept part as a catalog whose upgrades can be asked about.
fn judged(catalog: &MirrorCatalog, part: &KeptPart) -> Result<JudgedCatalog, ImageSetError> {
    let mut builder = builder();
    // Both states have one name: they are one catalog at different times.
    let spec = CatalogSpec { name: "mirror".to_owned(), source: catalog.name.clone(), ..CatalogSpec::default() };
    builder.add_catalog(&spec, &Input::bytes(&catalog.name, part.blobs.to_vec().into()), Mode::Tolerant)?;
    Ok(JudgedCatalog { index: builder.into_index()?.into(), findings: Vec::new() })
}

/// The entry that follows an entry of the state before: that of the same catalog, or the only one of its repository.
fn successor(old: &Operator, new: &[Operator]) -> Option<usize> {
    let repository = |operator: &Operator| Image::parse(&operator.catalog).map(|image| image.location());
    let place = |operator: &Operator| (operator.target_catalog.clone(), repository(operator));
    let same = new.iter().position(|it| it.catalog == old.catalog && it.target_catalog == old.target_catalog);
    let mut others = new.iter().enumerate().filter(|(_, it)| repository(it).is_some() && place(it) == place(old));
    same.or_else(|| match (others.next(), others.next()) {
        (Some((number, _)), None) => Some(number),
        _ => None,
    })
}

/// The finding that no bundle has the single version that a range asks for.
fn missing_version(package: &str, range: &Range, facts: &PackageFacts) -> Option<Finding> {
    let wanted = range.exact()?;
    let constraint = range.constraint()?;
    let versions = || facts.bundles.iter().filter_map(|bundle| bundle.version());
    if versions().any(|version| constraint.matches(version)) {
        return None;
    }
    let versions: BTreeSet<String> = versions().map(ToString::to_string).collect();
    let message = format!("no bundle of package `{}` has version `{}`", printable(package), printable(wanted));
    let nearest = closest(wanted, versions.iter().map(String::as_str));
    let help = match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "`olmdex list bundles` lists the versions".to_owned(),
    };
    Some(rules::MISSING.finding(message).help(help).of_package(package.to_owned()))
}
