//! Checks of a package that need all of its documents together (rules 16, 22 to 25, 27 and 28).

use std::cell::OnceCell;
use std::collections::HashSet;

use super::facts::{ChannelFacts, CutAdvice, CutChannel, Draft, Phase};
use super::graph::{GraphDefect, check_chain};
use super::inspect::draft;
use super::model::PackageModel;
use super::rules;
use olmdex_base::diag::{Guesses, closest, closest_of_same_numbers, slip_of};
use olmdex_fbc::Entry;
use olmdex_text::json::Step;
use olmdex_text::tally;
use olmdex_version::{Quoted, Version, by_version, first_of};

/// An absent item that a document names.
pub(super) struct Absence {
    pub(super) number: usize,
    pub(super) draft: Draft,
    /// The name that may be meant instead.
    pub(super) meant: Option<String>,
    /// The name of the absent bundle, if an entry names one.
    pub(super) entry: Option<String>,
}

/// The findings about a package, each with the number of its document.
pub(super) struct Whole {
    pub(super) found: Vec<(usize, Draft)>,
    /// Items that may only seem to be absent, if a document could not be read.
    pub(super) absences: Vec<Absence>,
}

/// Judges a package. `advice` gives the advice about cut channels.
pub(super) fn whole(package: &str, model: &PackageModel<'_>, advice: Option<CutAdvice>) -> Whole {
    let mut absences: Vec<Absence> = missing_channels(package, model).into_iter().collect();
    let mut found: Vec<(usize, Draft)> = Vec::new();
    let last = model.channels.len().saturating_sub(1);
    let names = OnceCell::new();
    for (idx, (number, channel)) in model.channels.iter().enumerate() {
        // Without a package document no bundle can be found; that has been reported.
        if model.document.is_some() {
            absences.extend(missing_bundles(model, &names, *number, channel, idx == last));
        }
        found.extend(misspelt_edges(model, channel).map(|it| (*number, it)));
        // Entries of one name are reported as such, and would be heads of one name.
        let names: HashSet<&str> = channel.entries.iter().map(|it| it.name.as_str()).collect();
        if !channel.entries.is_empty()
            && names.len() == channel.entries.len()
            && let Err(defect) = check_chain(&channel.entries)
        {
            let draft = chain_draft(model, channel, &defect);
            let cut = CutChannel { channel, bundles: &model.bundles };
            let advised = advice
                .filter(|_| matches!(defect, GraphDefect::Stranded(_) | GraphDefect::SeveralHeads(_)))
                .and_then(|it| it(&cut));
            let has_ranges = matches!(defect, GraphDefect::SeveralHeads(_))
                && channel.entries.iter().any(|entry| !entry.skip_range.is_empty());
            let ranges = if has_ranges { "; a `skipRange` does not count here" } else { "" };
            let advised = advised.map(|advised| format!("{advised}{ranges}"));
            found.push((*number, Draft { help: advised.or_else(|| draft.help.clone()), ..draft }));
        }
    }
    found.extend(duplicate_versions(package, model));
    Whole { found, absences }
}

/// A package without channels, or without its default channel.
fn missing_channels(package: &str, model: &PackageModel<'_>) -> Option<Absence> {
    let number = model.document?;
    let default = model.default_channel();
    if model.channels.is_empty() {
        let message = format!("package `{package}` has no channels");
        return Some(Absence {
            number,
            draft: draft(rules::PACKAGE_WITHOUT_CHANNELS, message),
            meant: None,
            entry: None,
        });
    }
    if default.is_empty() || model.has_channel(default) {
        return None;
    }
    let message = format!("package `{package}` has no channel `{default}`, which is its default channel");
    let draft = draft(rules::DEFAULT_CHANNEL_NOT_FOUND, message).at(vec!["defaultChannel".into()]);
    let meant = closest_of_same_numbers(default, model.channels.iter().map(|(_, it)| it.name.as_str()));
    Some(Absence { number, draft, meant: meant.map(str::to_owned), entry: None })
}

/// The bundles that a channel lists and the package does not have.
fn missing_bundles<'a>(
    model: &PackageModel<'a>,
    names: &OnceCell<(Guesses<'a>, Option<&'a str>)>,
    number: usize,
    channel: &ChannelFacts,
    is_last: bool,
) -> Vec<Absence> {
    let dangling = dangling_entries(model, channel);
    if dangling.is_empty() {
        return Vec::new();
    }
    let listed: HashSet<&str> = channel.entries.iter().map(|it| it.name.as_str()).collect();
    let (bundles, unlisted) = names.get_or_init(|| (Guesses::new(model.bundles.keys().copied()), only_unlisted(model)));
    let mut names: Vec<&str> = dangling.iter().map(|(_, it)| it.name.as_str()).collect();
    names.sort_unstable();
    let absence = |(place, (idx, entry)): (usize, &(usize, &Entry))| {
        let message = format!(
            "channel `{}` of package `{}` lists `{}`, which is not a bundle of the package",
            channel.name, channel.package, entry.name
        );
        let path = vec!["entries".into(), (*idx).into(), "name".into()];
        let mut draft = draft(rules::DANGLING_ENTRY, message).at(path);
        // The real tool remembers the last channel only; the others fail later, in the tree.
        if is_last && place == 0 {
            let text = format!(
                "no olm.bundle blobs found in package {} for olm.channel entries [{}]",
                Quoted(&channel.package),
                names.join(" ")
            );
            draft = draft.opm(Phase::Entries, 16, text);
        }
        // A bundle that the channel lists already cannot be the one that was meant.
        let meant = bundles.closest_of_same_numbers(&entry.name, |it| !listed.contains(it));
        let meant = meant.or_else(|| unlisted.filter(|_| dangling.len() == 1));
        Absence { number, draft, meant: meant.map(str::to_owned), entry: Some(entry.name.clone()) }
    };
    dangling.iter().enumerate().map(absence).collect()
}

/// The bundle of a package that no channel lists, if there is one such bundle.
fn only_unlisted<'a>(model: &PackageModel<'a>) -> Option<&'a str> {
    let entries = model.channels.iter().flat_map(|(_, it)| it.entries.iter()).inspect(|_| tally::step(1));
    let listed: HashSet<&str> = entries.map(|it| it.name.as_str()).collect();
    let mut unlisted = model.bundles.keys().copied().filter(|it| !listed.contains(it));
    unlisted.next().filter(|_| unlisted.next().is_none())
}

/// Bundles of a package that share a version, each reported at the last of them.
fn duplicate_versions(package: &str, model: &PackageModel<'_>) -> Vec<(usize, Draft)> {
    let mut found = Vec::new();
    for (version, names) in model.duplicate_versions() {
        // Entries without bundle have been reported as such.
        let bundles: Vec<_> =
            names.iter().filter_map(|it| model.bundles.get(it).map(|(number, _)| (it, number))).collect();
        if let [.., (name, number)] = bundles.as_slice()
            && bundles.len() > 1
        {
            let list = first_of(bundles.iter().map(|(name, _)| format!("`{name}`")), bundles.len());
            let message = format!("package `{package}`: the bundles {list} all have version {version}");
            let it = draft(rules::DUPLICATE_VERSION, message).at(vec!["name".into()]);
            found.push((**number, it.help(format!("give `{name}` a different version"))));
        }
    }
    found
}

/// Entries that name no bundle of the package, with their places.
fn dangling_entries<'a>(model: &PackageModel<'_>, channel: &'a ChannelFacts) -> Vec<(usize, &'a Entry)> {
    let entries = channel.entries.iter().enumerate();
    entries.filter(|(_, it)| !model.bundles.contains_key(it.name.as_str())).collect()
}

/// The number of names missing in a package that are compared with the names that it has.
const MAX_DANGLING: usize = 200;

/// Edges from names that nothing in the package has, and that differ from an entry of the channel by a slip. Other
/// names are versions that were pruned, which is normal.
fn misspelt_edges<'a>(model: &'a PackageModel<'_>, channel: &'a ChannelFacts) -> impl Iterator<Item = Draft> + 'a {
    let entries: HashSet<&str> = channel.entries.iter().map(|it| it.name.as_str()).collect();
    let edges = channel.entries.iter().enumerate().flat_map(|(idx, entry)| {
        let skips = entry.skips.iter().enumerate().map(move |(item, it)| (idx, entry, it, Some(item)));
        std::iter::once((idx, entry, &entry.replaces, None)).chain(skips)
    });
    let is_known = move |name: &str| name.is_empty() || entries.contains(name) || model.bundles.contains_key(name);
    let dangling = edges.filter(move |(_, _, name, _)| !is_known(name)).take(MAX_DANGLING);
    dangling.filter_map(|(idx, entry, name, item)| {
        let field = if item.is_none() { "replaces" } else { "skips" };
        let others = channel.entries.iter().map(|it| it.name.as_str()).filter(|it| *it != entry.name);
        let meant = slip_of(name, others)?;
        let message = format!(
            "`{}` {field} `{name}`, which neither channel `{}` nor package `{}` has",
            entry.name, channel.name, channel.package
        );
        let mut path: Vec<Step> = vec!["entries".into(), idx.into(), field.into()];
        path.extend(item.map(Step::from));
        Some(draft(rules::MISSPELT_EDGE, message).at(path).help(format!("did you mean `{meant}`?")))
    })
}

/// The number of heads, and of names that a channel does not have, which are compared for a slip.
const MAX_COMPARED: usize = 20;

/// An edge to a name that the channel does not have and that looks like one of its heads: it is probably the reason why
/// that entry is a head. Names that differ in numbers only are other versions, not slips.
fn misspelt_edge(channel: &ChannelFacts, heads: &[String]) -> Option<String> {
    let entries: HashSet<&str> = channel.entries.iter().map(|it| it.name.as_str()).collect();
    let has_entry = |name: &str| entries.contains(name);
    let without_digits = |name: &str| name.replace(|c: char| c.is_ascii_digit(), "");
    let edges = channel.entries.iter().flat_map(|entry| {
        let replaces = std::iter::once(("replaces", &entry.replaces));
        replaces.chain(entry.skips.iter().map(|it| ("skips", it))).map(move |(field, name)| (entry, field, name))
    });
    let dangling = edges.filter(|(_, _, name)| !name.is_empty() && !has_entry(name)).take(MAX_COMPARED);
    dangling.into_iter().find_map(|(entry, field, name)| {
        let is_slip = |it: &&str| *it != entry.name && without_digits(it) != without_digits(name);
        let others = heads.iter().take(MAX_COMPARED).map(String::as_str).filter(is_slip);
        let meant = closest(name, others)?;
        Some(format!("`{}` {field} `{name}`, which the channel does not have: did you mean `{meant}`?", entry.name))
    })
}

fn chain_draft(model: &PackageModel<'_>, channel: &ChannelFacts, defect: &GraphDefect) -> Draft {
    let version = |name: &str| {
        let (_, bundle) = model.bundles.get(name)?;
        Version::parse(bundle.version.as_deref()?).ok()
    };
    let sorted = |names: &[String]| by_version(names.iter().map(|it| (it.clone(), version(it))).collect());
    let shown = |names: &[String]| first_of(names.iter().map(|it| format!("`{it}`")), names.len());
    let entry_of = |name: &str| channel.entries.iter().position(|it| it.name == name);
    let at = |name: &str, field: &'static str| match entry_of(name) {
        Some(idx) => vec!["entries".into(), idx.into(), field.into()],
        None => vec!["entries".into()],
    };
    let of = format!("channel `{}` of package `{}`", channel.name, channel.package);
    match defect {
        GraphDefect::NoHead => {
            draft(rules::NO_CHANNEL_HEAD, format!("{of} has no head: every entry is replaced or skipped"))
                .at(vec!["entries".into()])
                .help("let the newest entry replace the others, and let no entry replace or skip it")
        }
        GraphDefect::SeveralHeads(heads) => {
            let heads = sorted(heads);
            let message = format!("{of} has {} heads: {}", heads.len(), shown(&heads));
            let it = draft(rules::MULTIPLE_CHANNEL_HEADS, message).at(at(&heads[0], "name"));
            match misspelt_edge(channel, &heads) {
                Some(cause) => it.help(cause),
                None => it.help("let the newest replace or skip the others; a `skipRange` does not count here"),
            }
        }
        GraphDefect::Cycle(cycle) => {
            let closing = cycle.len().checked_sub(2).and_then(|idx| cycle.get(idx)).map_or("", String::as_str);
            let message = format!("{of}: `replaces` forms a cycle: {}", round(cycle));
            draft(rules::REPLACES_CYCLE, message).at(at(closing, "replaces"))
        }
        GraphDefect::Stranded(stranded) => {
            let stranded = sorted(stranded);
            let message = format!("{of}: no edge leads from {} to the head", shown(&stranded));
            draft(rules::STRANDED_ENTRIES, message)
                .at(at(&stranded[0], "name"))
                .help("let an entry of the chain replace or skip them; a `skipRange` does not count here")
        }
    }
}

/// The number of names that are shown of a long cycle.
const SHOWN_OF_CYCLE: usize = 6;

/// The names of a cycle in their order, of many the first and the last.
fn round(cycle: &[String]) -> String {
    let Some(([.., last], n_left)) = cycle.get(SHOWN_OF_CYCLE..).map(|it| (it, it.len() - usize::from(!it.is_empty())))
    else {
        return cycle.join(" -> ");
    };
    match n_left {
        0 | 1 => cycle.join(" -> "),
        n_left => format!("{} -> … {n_left} more … -> {last}", cycle[..SHOWN_OF_CYCLE].join(" -> ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_without_their_bundles_are_judged_in_so_many_steps() {
        tally::assert_grows_with_input(100, |n| {
            let entries = |at: usize| vec![Entry { name: format!("p.v1.0.{at}"), ..Entry::default() }];
            let channel = |at: usize| ChannelFacts {
                name: format!("c{at}"),
                package: "p".to_owned(),
                entries: entries(at).into(),
            };
            let channels: Vec<ChannelFacts> = (0..n).map(channel).collect();
            move || {
                let channels = channels.iter().enumerate().collect();
                let model = PackageModel { document: Some(0), channels, ..PackageModel::default() };
                assert_eq!(whole("p", &model, None).absences.len(), n);
            }
        });
    }
}
