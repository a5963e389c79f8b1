//! The effects of changes on a catalog: new errors, and users without a way on.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use olmdex_base::diag::{Finding, FindingSet, Severity};
use olmdex_fbc::{self as fbc, ChannelPlaces, Consumer, Input, Typed};
use olmdex_index::query::{GraphBundle, GraphChannel, NamesWithoutWay, PackageGraph};
use olmdex_olm::upgrade::rules::OUTSIDE_DEFAULT;
use olmdex_olm::upgrade::{check_graph, cut_advice};
use olmdex_rules::check::{Checker, Facts, Inspected, Report, inspect};
use olmdex_text::tally;

/// The effects of changes on a package.
#[derive(Debug, Clone, Default)]
pub struct EditEffects {
    /// Errors that the catalog did not have before.
    pub errors: Vec<Finding>,
    /// Warnings of the same checks that it did not have before.
    pub warnings: Vec<Finding>,
    /// New findings about upgrades, above all about stranded users.
    pub upgrades: Vec<Finding>,
    /// Whether the whole package goes.
    pub is_package_gone: bool,
}

/// Judges the files of changed packages before and after the change. Returns one verdict for each package; errors
/// without a package belong to the first.
pub fn judge(before: &Input, after: &Input, packages: &[String]) -> Vec<EditEffects> {
    let wanted: BTreeSet<&str> = packages.iter().map(String::as_str).collect();
    let (before, after) = (Side::read(before, &wanted), Side::read(after, &wanted));
    let known: FindingSet = before.report.findings.into_iter().collect();
    let first = packages.first().map_or("", String::as_str);
    let mut new: HashMap<&str, (Vec<Finding>, Vec<Finding>)> = HashMap::new();
    for finding in after.report.findings.iter().filter(|it| !known.has(it)) {
        tally::step(1);
        let package = finding.package.as_deref().filter(|it| wanted.contains(it)).unwrap_or(first);
        let (errors, warnings) = new.entry(package).or_default();
        let is_error = finding.rule.severity == Severity::Error;
        if is_error { errors } else { warnings }.push(finding.clone());
    }
    let mut of = |package: &str| {
        let (errors, warnings) = new.remove(package).unwrap_or_default();
        let old = before.graphs.get(package);
        let known = old.map(|it| check_graph(it, Some(it), &NamesWithoutWay::new())).unwrap_or_default();
        let outside: HashSet<String> = known.iter().filter_map(outside_head).map(str::to_owned).collect();
        let known: FindingSet = known.into_iter().collect();
        let now = after.graphs.get(package);
        let found = now.map(|it| check_graph(it, old, &NamesWithoutWay::new())).unwrap_or_default();
        // The head that no upgrade leads from into the default channel had none before either.
        let was_outside = |it: &Finding| outside_head(it).is_some_and(|it| outside.contains(it));
        EditEffects {
            errors,
            warnings,
            upgrades: found.into_iter().filter(|it| !known.has(it) && !was_outside(it)).collect(),
            is_package_gone: now.is_none(),
        }
    };
    packages.iter().map(|it| of(it)).collect()
}

/// The part of a finding that names the head that no upgrade leads from into the default channel. It is the same
/// whatever the names of the channels are.
fn outside_head(finding: &Finding) -> Option<&str> {
    if finding.rule.id == OUTSIDE_DEFAULT.id { finding.message.split(',').next() } else { None }
}

/// A catalog before or after.
struct Side {
    report: Report,
    /// The packages to judge.
    graphs: BTreeMap<String, PackageGraph>,
}

impl Side {
    fn read(input: &Input, wanted: &BTreeSet<&str>) -> Self {
        let mut checker = Checker::new().advised_by(Some(cut_advice));
        let mut graphs: BTreeMap<String, PackageGraph> = BTreeMap::new();
        fbc::load_each(input, &Looking { wanted }, |(inspected, part)| {
            if let Some(part) = part {
                let package = inspected.facts.package();
                let shown = input.files.get(inspected.origin.file as usize).map_or("", |it| it.shown.as_str());
                let new = || PackageGraph { package: package.to_owned(), is_valid: true, ..PackageGraph::default() };
                add(part, &inspected.facts, shown, graphs.entry(package.to_owned()).or_insert_with(new));
            }
            checker.add(inspected);
        });
        Self { report: checker.finish(input), graphs }
    }
}

/// Adds the content of a document to the graph of its package.
fn add(part: Part, facts: &Facts, file: &str, graph: &mut PackageGraph) {
    match (facts, part) {
        (Facts::Package(it), _) => graph.default_channel.clone_from(&it.default_channel),
        (Facts::Channel(it), Part::Channel { start, layout }) => {
            let places = Arc::new(ChannelPlaces::new(file.to_owned(), start, &layout));
            graph.channels.push(GraphChannel { name: it.name.clone(), entries: Arc::clone(&it.entries), places });
        }
        (Facts::Bundle(it), Part::Bundle { package_property }) => {
            graph.bundles.push(GraphBundle { name: it.name.clone(), package_property, ..GraphBundle::default() });
        }
        _ => {}
    }
}

/// The data of a document that a graph needs and the checks do not keep.
enum Part {
    Channel { start: (u32, u32), layout: Vec<u8> },
    Bundle { package_property: Option<String> },
    Other,
}

struct Looking<'w> {
    wanted: &'w BTreeSet<&'w str>,
}

impl Consumer for Looking<'_> {
    type Output = (Inspected, Option<Part>);

    fn wants_places(&self) -> bool {
        true
    }

    fn document(&self, document: fbc::Document<'_>) -> Self::Output {
        let inspected = inspect(&document);
        // A lifecycle may be about any product.
        let is_of_graph = !matches!(inspected.facts, Facts::Broken { .. } | Facts::Lifecycle(_));
        let is_wanted = is_of_graph && self.wanted.contains(inspected.facts.package());
        let part = document.blob.as_ref().ok().filter(|_| is_wanted).map(|blob| match &blob.typed {
            Typed::Channel(_) => {
                let start = fbc::start_in_file(document.origin, document.raw);
                let layout = fbc::layout_of(&document).unwrap_or_default();
                Part::Channel { start: (start.line, start.column), layout }
            }
            Typed::Bundle(bundle) => {
                let property = bundle.properties.iter().find(|it| it.kind == "olm.package");
                let value = property.map(|it| it.value.map_or_else(|| "null".to_owned(), |value| value.compact()));
                Part::Bundle { package_property: value }
            }
            _ => Part::Other,
        });
        (inspected, part)
    }
}
