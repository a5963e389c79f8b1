//! The places in which OLM Classic looks for an update according to its documentation ("How do operator upgrades work",
//! the order of precedence): also in other sources than the Subscription's. OLM's code does not
//! (`docs/behaviour/olm-classic.md` 2.6), so this answers only on request.

use super::answer::{EngineQuestion, PackageView, channel_words};
use super::classic;
use super::target::{Field, Target};
use super::updates::{Updates, Verdict};
use olmdex_base::olm::Olm;

/// The four places, in the order of their precedence.
const PLACES: [&str; 4] = [
    "the channel's head in the Subscription's source, by skipRange",
    "the replacement in the Subscription's source",
    "the channel's head in another source, by skipRange",
    "the replacement in another source",
];

/// The answer of OLM Classic as it is documented, for a Subscription to `source`. Other sources come by priority, the
/// highest first, then by name.
pub fn classic_updates_as_documented(view: &PackageView, source: &str, asked: &EngineQuestion) -> Updates {
    let mut answer = Updates { version_range: String::new(), ..Updates::new(Olm::Classic, view, asked) };
    let mut graphs: Vec<_> = view.graphs.iter().collect();
    let priority = |name: &str| view.ranks.iter().find(|it| it.catalog == name).map_or(0, |it| it.priority);
    graphs.sort_by_key(|it| (it.catalog != source, std::cmp::Reverse(priority(&it.catalog)), it.catalog.clone()));
    let Some(installed) = &asked.installed else {
        answer.reason = "the documented order applies only to installed operators".to_owned();
        return answer;
    };
    let mut found: Vec<(usize, Target)> = Vec::new();
    let mut heads = Vec::new();
    for graph in graphs {
        let package = classic::Package::new(graph);
        // Without a channel of its own, a Subscription has the package's default channel.
        let channel = asked.channel().unwrap_or(&package.default_channel).to_owned();
        let Some(in_channel) = package.channels_named(&channel).first() else { continue };
        let steps = match package.candidates(Some(&channel), &installed.as_classic()) {
            Ok(steps) => steps,
            Err(error) => return Updates { reason: error.to_string(), ..answer },
        };
        let is_other = usize::from(graph.catalog != source);
        let names = in_channel.heads();
        heads.extend(names.iter().filter(|_| is_other == 0).map(|it| (*it).to_owned()));
        for step in steps.into_iter().filter(|it| it.bundle != installed.name) {
            let by_range = step.permits.iter().any(|it| it.field == Field::SkipRange);
            let by_name = step.permits.iter().any(|it| it.field != Field::SkipRange);
            let place = match (by_range && names.contains(&step.bundle.as_str()), by_name) {
                (true, _) => 0,
                (false, true) => 1,
                // A range of an entry that is not a head does not count.
                (false, false) => continue,
            };
            found.push((place + 2 * is_other, view.step_target(&graph.catalog, step)));
        }
    }
    found.sort_by_key(|it| it.0);
    let mut found = found.into_iter();
    match found.next() {
        Some((place, target)) => {
            answer.verdict = Verdict::Update;
            answer.reason = format!("it is {} (place {} of 4)", PLACES[place], place + 1);
            answer.target = Some(target);
        }
        None if heads.contains(&installed.name) => {
            answer.verdict = Verdict::Current;
            answer.reason = format!("{} is a head, and no other source has a later version", installed.name);
        }
        None => {
            answer.verdict = Verdict::Stuck;
            let place = channel_words(&view.package, &asked.channels);
            answer.reason = format!("no entry in {place} of any source replaces {}", installed.name);
        }
    }
    answer.others = found.map(|it| it.1).collect();
    answer
}
