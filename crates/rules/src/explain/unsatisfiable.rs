//! `constraints not satisfiable: …`, cut into its constraints.

use super::builder::{Made, RESOLVE, between, command};
use super::explanation::{MessageExplanation, PartExplanation};

/// The beginnings of the constraints that a contradiction is made of.
const STARTS: [&str; 5] = ["subscription ", "bundle ", "no operators found ", "clusterserviceversion ", "@existing/"];

/// `constraints not satisfiable: …`
pub(super) fn unsatisfiable(message: &str) -> Option<MessageExplanation> {
    let list = between(message, "constraints not satisfiable", "").or_else(|| cut_off(message))?;
    let mut made = Made::new(
        "OLM Classic",
        "The Subscriptions and installed operators of the namespace contradict each other. OLM changes nothing in the \
        namespace until you resolve this, and puts this message on every Subscription there, not just on the one at \
        fault.",
    );
    for text in constraints(list.trim_start_matches(':').trim()) {
        let Meaning { meaning, names, next } = constraint(&text);
        made = made.about(&names.iter().map(String::as_str).collect::<Vec<_>>());
        for command in next {
            made = made.next(command);
        }
        made.0.parts.push(PartExplanation { text, meaning });
    }
    made.next(RESOLVE).done()
}

/// A list of constraints whose beginning was not pasted.
fn cut_off(message: &str) -> Option<&str> {
    let facts =
        [" exists and is not referenced by a subscription", " requires at least one of ", " originate from package "];
    (message.contains("subscription ") && facts.iter().any(|it| message.contains(it))).then_some(message)
}

/// Cuts a list at its commas. Constraints have commas themselves, so a cut is where a constraint begins and the one
/// before is whole.
fn constraints(list: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for piece in list.split(", ").filter(|it| !it.is_empty()) {
        let begins = STARTS.iter().any(|it| piece.starts_with(it)) || identifier(piece).is_some();
        let is_whole = |text: &str| {
            if text.contains(" requires at least one of ") {
                return text.contains(" or ");
            }
            let is_list = identifier(text).is_some();
            !is_list || [" provide ", " originate from package ", " conflicts with "].iter().any(|it| text.contains(it))
        };
        match found.last_mut() {
            Some(last) if !begins || !is_whole(last) => {
                last.push_str(", ");
                last.push_str(piece);
            }
            _ => found.push(piece.to_owned()),
        }
    }
    found
}

/// The parts of `<catalog>/<namespace>/<channel>/<name>` at the beginning of a text.
fn identifier(text: &str) -> Option<[&str; 4]> {
    let word = text.split(' ').next()?.trim_end_matches(',');
    let parts: Vec<&str> = word.split('/').collect();
    <[&str; 4]>::try_from(parts).ok().filter(|it| !it[0].is_empty() && !it[3].is_empty())
}

/// An identifier in words.
fn place(text: &str) -> String {
    match identifier(text) {
        Some(["@existing", _, _, name]) => format!("{name}, which is installed"),
        Some([catalog, _, channel, name]) => format!("{name} from channel {channel} of catalog {catalog}"),
        None => text.to_owned(),
    }
}

fn places(ids: &[&str]) -> String {
    ids.iter().map(|it| place(it)).collect::<Vec<_>>().join("; ")
}

fn name_of(text: &str) -> &str {
    identifier(text).map_or(text, |it| it[3])
}

/// The identifiers of a list with commas, and a word before the last.
fn listed<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    let mut found = Vec::new();
    for piece in text.split(", ") {
        found.extend(piece.split(word));
    }
    found
}

/// The meaning of a constraint.
pub(super) struct Meaning {
    pub(super) meaning: String,
    /// The names that it is about.
    pub(super) names: Vec<String>,
    /// The commands to run.
    pub(super) next: Vec<String>,
}

impl Meaning {
    fn new(meaning: String, names: &[&str]) -> Self {
        Self { meaning, names: names.iter().map(|it| (*it).to_owned()).collect(), next: Vec::new() }
    }

    fn next(mut self, command: impl IntoIterator<Item = String>) -> Self {
        self.next.extend(command);
        self
    }
}

fn constraint(text: &str) -> Meaning {
    let readers = [of_subscription, of_unreferenced, of_bundle, same_api, same_package, replaced, nothing_there];
    readers
        .iter()
        .find_map(|it| it(text))
        .unwrap_or_else(|| Meaning::new("olmdex does not know this part.".to_owned(), &[]))
}

fn of_subscription(text: &str) -> Option<Meaning> {
    let text = text.strip_prefix("subscription ")?;
    if let Some(name) = text.strip_suffix(" exists") {
        return Some(Meaning::new(format!("Subscription {name} exists and must be satisfied."), &[name]));
    }
    if let Some((name, ids)) = text.split_once(" requires at least one of ") {
        let ids = listed(ids, " or ");
        let meaning = format!("The Subscription {name} can only have one of these: {}.", places(&ids));
        return Some(Meaning::new(meaning, &[name]));
    }
    let (name, id) = text.split_once(" requires ")?;
    Some(Meaning::new(format!("The Subscription {name} can only have {}.", place(id)), &[name, name_of(id)]))
}

fn of_unreferenced(text: &str) -> Option<Meaning> {
    let name = between(text, "clusterserviceversion ", " exists and is not referenced")?;
    let meaning = format!(
        "{name} is installed and no Subscription names it, so OLM keeps it as it is. It may be left over from \
         an upgrade still in progress, or from a Subscription that was deleted. If no upgrade is in progress, delete \
         this ClusterServiceVersion: definitions and objects stay, and OLM installs the operator again for its \
         Subscription."
    );
    let look = command(["kubectl", "get", "clusterserviceversion", name, "-o", "yaml"]);
    Some(Meaning::new(meaning, &[name]).next([look]))
}

fn of_bundle(text: &str) -> Option<Meaning> {
    let text = text.strip_prefix("bundle ")?;
    if let Some((name, demand)) = text.split_once(" requires an operator ") {
        let meaning = format!(
            "{name} needs another operator, {demand}. Either no catalog that the namespace sees has one that OLM may \
             install, or the other facts rule it out."
        );
        return Some(Meaning::new(meaning, &[name]).next(who_meets(demand)));
    }
    let id = text.strip_suffix(" is deprecated")?;
    let meaning = format!("{} has the property `olm.deprecated`, so OLM never installs it.", place(id));
    Some(Meaning::new(meaning, &[name_of(id)]))
}

/// The commands that show the providers for a demand for a package, or for an API.
fn who_meets(demand: &str) -> Vec<String> {
    let mut next = Vec::new();
    if let Some(package) = between(demand, "with package: ", " and with version") {
        next.push(command(["olmdex", "list", "bundles", package]));
    }
    if let (Some(group), Some(version), Some(kind)) =
        (between(demand, "with group: ", ","), between(demand, "version: ", ","), between(demand, "kind: ", " "))
    {
        next.push(command(["olmdex", "provides", &format!("{group}/{version}/{kind}")]));
    }
    next
}

fn same_api(text: &str) -> Option<Meaning> {
    let (ids, api) = text.split_once(" provide ")?;
    let ids = listed(ids, " and ");
    let names: Vec<&str> = ids.iter().map(|it| name_of(it)).collect();
    let meaning = match ids.as_slice() {
        [a, b] if a == b => format!("{} lists the API {api} twice, which OLM counts as two providers.", place(a)),
        _ => format!(
            "Only one operator in a namespace may provide an API, and all of these provide {api}: {}.",
            places(&ids)
        ),
    };
    let api = api.rsplit_once(" (").map(|(kind, group)| format!("{}/{kind}", group.trim_end_matches(')')));
    Some(Meaning::new(meaning, &names).next(api.map(|it| command(["olmdex", "provides", &it]))))
}

fn same_package(text: &str) -> Option<Meaning> {
    let (ids, package) = text.split_once(" originate from package ")?;
    let ids = listed(ids, " and ");
    let names: Vec<&str> = std::iter::once(package).chain(ids.iter().map(|it| name_of(it))).collect();
    let meaning = format!(
        "A package may be installed only once in a namespace, and these all belong to {package}: {}.",
        places(&ids)
    );
    Some(Meaning::new(meaning, &names).next([command(["olmdex", "graph", package])]))
}

fn replaced(text: &str) -> Option<Meaning> {
    let (new, old) = text.split_once(" conflicts with ")?;
    let meaning = format!("{} would replace {}, so OLM cannot install both.", place(new), name_of(old));
    Some(Meaning::new(meaning, &[name_of(new), name_of(old)]))
}

fn nothing_there(text: &str) -> Option<Meaning> {
    text.starts_with("no operators found").then(|| no_operators(text))
}

/// A Subscription that names something that is not there.
pub(super) fn no_operators(text: &str) -> Meaning {
    let subscription = between(text, "referenced by subscription ", "").unwrap_or_default();
    let of = |before: &str, after: &str| between(text, before, after).unwrap_or_default().to_owned();
    let mut names = vec![subscription.to_owned()];
    let (what, next) = if text.starts_with("no operators found from catalog ") {
        let (catalog, namespace) = (of("from catalog ", " in namespace"), of("in namespace ", " referenced"));
        names.push(catalog.clone());
        let what =
            format!("the catalog {catalog} of namespace {namespace} does not exist, is not visible, or is empty");
        (what, command(["kubectl", "get", "catalogsource", &catalog, "-n", &namespace, "-o", "yaml"]))
    } else if text.starts_with("no operators found with name ") {
        let (bundle, channel, package) =
            (of("with name ", " in channel"), of("in channel ", " of package"), of("of package ", " in the catalog"));
        names.extend([bundle.clone(), package.clone()]);
        (
            format!("channel {channel} of package {package} has no {bundle}, which `startingCSV` names"),
            command(["olmdex", "show", &format!("{package}/{channel}")]),
        )
    } else if text.starts_with("no operators found in channel ") {
        let (channel, package) = (of("in channel ", " of package"), of("of package ", " in the catalog"));
        names.push(package.clone());
        (
            format!("package {package} has no channel {channel} (any more)"),
            command(["olmdex", "list", "channels", &package]),
        )
    } else if text.starts_with("no operators found in package ") {
        let package = of("in package ", " in the catalog");
        names.push(package.clone());
        (format!("the catalog has no package {package} (any more)"), command(["olmdex", "show", &package]))
    } else {
        ("the catalog has no matching bundle".to_owned(), RESOLVE.to_owned())
    };
    let meaning = format!("The Subscription {subscription} asks for something that does not exist: {what}.");
    Meaning { meaning, names, next: vec![next] }
}
