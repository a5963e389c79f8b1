//! What the messages in conditions of OLM mean: those of Subscriptions (Classic) and of ClusterExtensions (v1).
//!
//! The grammar is that of the real systems (`docs/behaviour/olm-classic.md` 2, 4.7, 7; `docs/behaviour/olm-v1.md` 2.3,
//! 2.8, 2.10). A message that is not known is said to be unknown, not guessed at.
//!
//! What it deliberately does not do: no catalog is asked; the commands that it names do that.

mod known;

use schemars::JsonSchema;
use serde::Serialize;

use self::known::KNOWN;
use crate::constraint::ConstraintError;
use crate::version::Version;

/// What a message means.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageExplanation {
    /// Who says it: `OLM Classic`, `OLM v1`, `catalogd`; empty if the message is not known.
    pub system: String,
    /// What it means.
    pub meaning: String,
    /// Its parts, each with what it means.
    pub parts: Vec<PartExplanation>,
    /// The names that it is about.
    pub culprits: Vec<String>,
    /// Commands to run next; of a message that is not known, where its cause may show.
    pub next: Vec<String>,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PartExplanation {
    /// Its text.
    pub text: String,
    /// What it means.
    pub meaning: String,
}

const EXTENSIONS: &str = "kubectl get clusterextensions -o yaml";
const RESOLVE: &str = "olmdex resolve --cluster CLUSTER.yaml -i CATALOG=SOURCE";

/// Decodes a message; `None` if it is not known.
#[must_use]
pub fn decode(message: &str) -> Option<MessageExplanation> {
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = without_frame(&message);
    [unsatisfiable, blocked_upgrade, by_words, classic, v1, catalogd].iter().find_map(|it| it(message))
}

/// Where to look for the cause of a message that is not known, by the words in it; the general places at least.
#[must_use]
pub fn where_to_look(message: &str) -> Vec<String> {
    let lower = message.to_lowercase();
    let places = [
        (
            &["image", "pull", "manifest unknown", "registry"][..],
            "kubectl get events -A --field-selector=reason=Failed",
        ),
        (&["forbidden", "unauthorized", "permission"], "kubectl get operatorgroups -A -o yaml"),
        (&["catalogsource", "catalog source", "grpc", "rpc error"], "kubectl get catalogsources -A"),
        (&["clustercatalog", "catalogd"], "kubectl get clustercatalogs"),
        (&["clusterextension"], EXTENSIONS),
        (&["installplan", "install plan"], "kubectl get installplans -A"),
        (&["channel", "replaces", "bundle", "package", "schema"], "olmdex validate CATALOG"),
    ];
    let fits = |words: &&[&str]| words.iter().any(|it| lower.contains(it));
    let mut found: Vec<String> =
        places.iter().filter(|it| fits(&it.0)).map(|(_, command)| (*command).to_owned()).collect();
    found.push("kubectl get subscriptions,installplans,clusterserviceversions -A".to_owned());
    found.push("kubectl get events -A --sort-by=.lastTimestamp".to_owned());
    found.push(RESOLVE.to_owned());
    found
}

/// Messages that are recognised by their words alone.
fn by_words(message: &str) -> Option<MessageExplanation> {
    let known = KNOWN.iter().find(|it| it.marks.iter().all(|mark| message.contains(mark)))?;
    let name = |(before, after): &(&str, &str)| between(message, before, after).unwrap_or_default().trim().to_owned();
    let names: Vec<String> = known.names.iter().map(name).collect();
    let mut made = Made::new(known.system, known.meaning).about(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for template in known.next {
        let mut command = (*template).to_owned();
        let mut is_whole = true;
        for (idx, name) in names.iter().enumerate() {
            let slot = format!("{{{idx}}}");
            if template.contains(&slot) {
                is_whole &= !name.is_empty();
                command = command.replace(&slot, &quoted(name));
            }
        }
        if is_whole {
            made = made.next(command);
        }
    }
    made.done()
}

/// The name of a CRD after some words, in quotes or without.
fn crd_after<'m>(message: &'m str, before: &str) -> &'m str {
    let rest = between(message, before, "").unwrap_or_default().trim_start_matches(['"', '\'', '`']);
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-')).unwrap_or(rest.len());
    rest[..end].trim_end_matches('.')
}

/// A message without the comma and quotes around it, as it is copied out of JSON or YAML. What it quotes itself stays.
fn without_frame(message: &str) -> &str {
    let message = message.trim_end_matches(',');
    for quote in ['"', '\''] {
        let Some(rest) = message.strip_suffix(quote) else { continue };
        return match rest.strip_prefix(quote) {
            Some(inside) => inside,
            None if rest.matches(quote).count() % 2 == 0 => rest,
            None => message,
        };
    }
    message
}

/// A word of a command, as a shell takes it: what comes from a message may be anything.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._/@:+-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// A command of words, each of which stays one word.
fn command<const N: usize>(words: [&str; N]) -> String {
    words.map(quoted).join(" ")
}

/// What stands between `before` and `after`; the rest if `after` is empty.
fn between<'m>(message: &'m str, before: &str, after: &str) -> Option<&'m str> {
    let rest = &message[message.find(before)? + before.len()..];
    if after.is_empty() { Some(rest) } else { rest.split(after).next() }
}

/// A decoder's answer in the making.
struct Made(MessageExplanation);

impl Made {
    fn new(system: &str, meaning: impl Into<String>) -> Self {
        Self(MessageExplanation { system: system.to_owned(), meaning: meaning.into(), ..MessageExplanation::default() })
    }

    fn about(mut self, names: &[&str]) -> Self {
        for name in names.iter().filter(|it| !it.is_empty()) {
            if !self.0.culprits.iter().any(|it| it == name) {
                self.0.culprits.push((*name).to_owned());
            }
        }
        self
    }

    fn next(mut self, command: impl Into<String>) -> Self {
        let command = command.into();
        if !self.0.next.contains(&command) {
            self.0.next.push(command);
        }
        self
    }

    fn done(self) -> Option<MessageExplanation> {
        Some(self.0)
    }
}

/// The beginnings of the constraints that a contradiction is made of.
const STARTS: [&str; 5] = ["subscription ", "bundle ", "no operators found ", "clusterserviceversion ", "@existing/"];

/// `constraints not satisfiable: …`
fn unsatisfiable(message: &str) -> Option<MessageExplanation> {
    let list = between(message, "constraints not satisfiable", "")?;
    let mut made = Made::new(
        "OLM Classic",
        "What the Subscriptions and installed operators of the namespace want contradicts itself. OLM changes nothing in \
         the namespace until that is gone, and puts this message on every Subscription there, not just on the culprit.",
    );
    for text in constraints(list.trim_start_matches(':').trim()) {
        let (meaning, names, next) = constraint(&text);
        made = made.about(&names.iter().map(String::as_str).collect::<Vec<_>>());
        for command in next {
            made = made.next(command);
        }
        made.0.parts.push(PartExplanation { text, meaning });
    }
    made.next(RESOLVE).done()
}

/// Cuts a list at its commas. Constraints have commas themselves, so a cut is where a constraint begins and the one before
/// is whole.
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

/// What a constraint means, what it is about, and what to run.
fn constraint(text: &str) -> (String, Vec<String>, Vec<String>) {
    let own = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let places = |ids: &[&str]| ids.iter().map(|it| place(it)).collect::<Vec<_>>().join("; ");
    if let Some(name) = text.strip_prefix("subscription ").and_then(|it| it.strip_suffix(" exists")) {
        return (format!("There is the Subscription {name}; it must be fulfilled."), own(&[name]), Vec::new());
    }
    if let Some((name, ids)) =
        text.strip_prefix("subscription ").and_then(|it| it.split_once(" requires at least one of "))
    {
        let ids = listed(ids, " or ");
        let meaning = format!("The Subscription {name} can only have one of these: {}.", places(&ids));
        return (meaning, own(&[name]), Vec::new());
    }
    if let Some((name, id)) = text.strip_prefix("subscription ").and_then(|it| it.split_once(" requires ")) {
        return (
            format!("The Subscription {name} can only have {}.", place(id)),
            own(&[name, name_of(id)]),
            Vec::new(),
        );
    }
    if let Some(name) = between(text, "clusterserviceversion ", " exists and is not referenced") {
        let meaning = format!(
            "{name} is installed and no Subscription speaks of it, so OLM keeps it as it is. It may be left over from an \
             upgrade that is still going on, or from a Subscription that was deleted."
        );
        return (meaning, own(&[name]), vec![command(["kubectl", "get", "clusterserviceversion", name, "-o", "yaml"])]);
    }
    if let Some((name, demand)) = text.strip_prefix("bundle ").and_then(|it| it.split_once(" requires an operator ")) {
        let mut next = Vec::new();
        if let Some(package) = between(demand, "with package: ", " and with version") {
            next.push(command(["olmdex", "list", "bundles", package]));
        }
        if let (Some(group), Some(version), Some(kind)) =
            (between(demand, "with group: ", ","), between(demand, "version: ", ","), between(demand, "kind: ", " "))
        {
            next.push(command(["olmdex", "provides", &format!("{group}/{version}/{kind}")]));
        }
        let meaning = format!(
            "{name} needs another operator, {demand}. Either no catalog that the namespace sees has one in a channel where \
             it counts, or what has it is ruled out by the other facts."
        );
        return (meaning, own(&[name]), next);
    }
    if let Some(id) = text.strip_prefix("bundle ").and_then(|it| it.strip_suffix(" is deprecated")) {
        let meaning = format!("{} has the property `olm.deprecated`, so OLM never installs it.", place(id));
        return (meaning, own(&[name_of(id)]), Vec::new());
    }
    if let Some((ids, api)) = text.split_once(" provide ") {
        let ids = listed(ids, " and ");
        let names: Vec<&str> = ids.iter().map(|it| name_of(it)).collect();
        let meaning = match ids.as_slice() {
            [a, b] if a == b => format!("{} lists the API {api} twice, which OLM takes for two providers.", place(a)),
            _ => {
                format!("An API may be provided once in a namespace, and all of these provide {api}: {}.", places(&ids))
            }
        };
        let api = api.rsplit_once(" (").map(|(kind, group)| format!("{}/{kind}", group.trim_end_matches(')')));
        let next = api.map(|it| command(["olmdex", "provides", &it]));
        return (meaning, own(&names), next.into_iter().collect());
    }
    if let Some((ids, package)) = text.split_once(" originate from package ") {
        let ids = listed(ids, " and ");
        let names: Vec<&str> = ids.iter().map(|it| name_of(it)).collect();
        let meaning =
            format!("A package may be installed once in a namespace, and these are all {package}: {}.", places(&ids));
        let next = vec![command(["olmdex", "graph", package])];
        return (meaning, [own(&[package]), own(&names)].concat(), next);
    }
    if let Some((new, old)) = text.split_once(" conflicts with ") {
        let meaning = format!("{} would take the place of {}; they are not there together.", place(new), name_of(old));
        return (meaning, own(&[name_of(new), name_of(old)]), Vec::new());
    }
    if text.starts_with("no operators found") {
        return no_operators(text);
    }
    ("This part is not known.".to_owned(), Vec::new(), Vec::new())
}

/// A Subscription that names something that is not there.
fn no_operators(text: &str) -> (String, Vec<String>, Vec<String>) {
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
        ("the catalog has nothing that fits".to_owned(), RESOLVE.to_owned())
    };
    (format!("The Subscription {subscription} asks for something that is not there: {what}."), names, vec![next])
}

/// What stands after each occurrence of `before`, up to `after`.
fn each<'m>(message: &'m str, before: &str, after: &str) -> Vec<&'m str> {
    message.split(before).skip(1).filter_map(|it| it.split(after).next()).collect()
}

/// Installed operators that keep the cluster from being upgraded: both generations of OLM report them.
fn blocked_upgrade(message: &str) -> Option<MessageExplanation> {
    const COMPAT: &str = "olmdex compat --openshift VERSION --cluster CLUSTER.yaml -i CATALOG=SOURCE";
    let why = "says with `olm.maxOpenShiftVersion` that it does not run on the next version of OpenShift, so the cluster is not \
               upgraded until it is upgraded or removed";
    if message.contains("Found ClusterExtensions that require upgrades prior to upgrading cluster") {
        let mut made = Made::new("OLM v1", format!("Each of these bundles {why}."));
        for item in each(message, "bundle \"", "\"") {
            made =
                made.about(&[item]).next(command(["olmdex", "compat", "--openshift", "VERSION", "--installed", item]));
        }
        return made.about(&each(message, "for ClusterExtension \"", "\"")).next(EXTENSIONS).done();
    }
    if message.contains("error converting to semver for version ")
        || message.contains("more than one olm.maxOpenShiftVersion found in bundle")
    {
        let bundle = between(message, "error in bundle ", ":").unwrap_or_default();
        let extension = between(message, "error(s) with cluster extension ", ":").unwrap_or_default();
        let meaning = format!(
            "The property `olm.maxOpenShiftVersion` of {} cannot be read, which keeps the cluster from being upgraded as well.",
            if bundle.is_empty() { "a bundle" } else { bundle }
        );
        return Made::new("OLM v1", meaning).about(&[bundle, extension]).next(EXTENSIONS).done();
    }
    let marks = [
        "ClusterServiceVersions blocking minor version upgrades",
        "maximum supported OCP version for ",
        " has invalid olm.maxOpenShiftVersion properties",
    ];
    if marks.iter().any(|it| message.contains(it)) {
        let mut made =
            Made::new("OLM Classic", format!("Each of these operators {why}; or what it says cannot be read."));
        // OLM writes a line for each; here they are one text.
        for item in message.split(" - ").map(|it| it.trim_start_matches("- ")) {
            let maximum = item.strip_prefix("maximum supported OCP version for ").and_then(|it| it.split_once(" is "));
            let (name, meaning) = match (maximum, item.split_once(" has invalid olm.maxOpenShiftVersion properties")) {
                (Some((name, version)), _) => (name, format!("{name} runs up to OpenShift {version}.")),
                (None, Some((name, why))) => {
                    (name, format!("What {name} says cannot be read{why}, and counts as if it ran on no next version."))
                }
                (None, None) => continue,
            };
            made = made.about(&[name]);
            made.0.parts.push(PartExplanation { text: item.to_owned(), meaning });
        }
        return made.next(COMPAT).next("kubectl get clusterserviceversions -A").done();
    }
    None
}

/// What `olm.deprecations` says: the conditions of a Subscription, or the one that joins them.
fn deprecation(message: &str) -> Option<MessageExplanation> {
    const KINDS: [(&str, &str, &str); 3] =
        [("olm.package/", "package", "show"), ("olm.channel/", "channel", ""), ("olm.bundle/", "bundle", "show")];
    let of = |text: &str| {
        let (prefix, kind, verb) = KINDS.iter().find(|it| text.starts_with(it.0))?;
        let (name, said) = text[prefix.len()..].split_once(": ")?;
        Some((*kind, *verb, name.to_owned(), said.to_owned()))
    };
    of(message)?;
    // Advice may have semicolons too.
    let mut parts: Vec<String> = Vec::new();
    for piece in message.split("; ") {
        match parts.last_mut() {
            Some(last) if of(piece).is_none() => {
                last.push_str("; ");
                last.push_str(piece);
            }
            _ => parts.push(piece.to_owned()),
        }
    }
    let mut made = Made::new(
        "OLM Classic",
        "The catalog marks what is installed, or where it comes from, as deprecated (`olm.deprecations`). That is advice: OLM \
         installs and upgrades all the same.",
    );
    for text in parts {
        let Some((kind, verb, name, said)) = of(&text) else { continue };
        made = made.about(&[&name]);
        if !verb.is_empty() {
            made = made.next(command(["olmdex", verb, &name]));
        }
        made.0.parts.push(PartExplanation {
            text,
            meaning: format!("The {kind} {name} is deprecated; its author says: {said}"),
        });
    }
    made.next("kubectl get subscriptions -A").done()
}

/// Other messages of OLM Classic.
fn classic(message: &str) -> Option<MessageExplanation> {
    const SYSTEM: &str = "OLM Classic";
    let of = |before: &str, after: &str| between(message, before, after).unwrap_or_default();
    if let Some(decoded) = deprecation(message) {
        return Some(decoded);
    }
    if message.contains("no operators found ") {
        let text = &message[message.find("no operators found ")?..];
        let (meaning, names, next) = no_operators(text);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        return next.into_iter().fold(Made::new(SYSTEM, meaning).about(&names), Made::next).done();
    }
    if message.contains("expected 1 OperatorGroup in the namespace") || message.contains(" operatorGroups, expected 1")
    {
        let meaning = "A namespace with Subscriptions needs exactly one OperatorGroup; here are none, or several.";
        return Made::new(SYSTEM, meaning).next("kubectl get operatorgroups -A").done();
    }
    if message.contains(" instead of Replacing") {
        let meaning = "With the strategy to fail forward, every operator that another replaces must be in phase Replacing, and one is not.";
        return Made::new(SYSTEM, meaning)
            .about(&[of("csv ", " in phase")])
            .next("kubectl get clusterserviceversions")
            .done();
    }
    if message.contains("error using catalogsource ") {
        let (catalog, cause) = (of("error using catalogsource ", ":"), of("error using catalogsource ", ""));
        let cause = cause.split_once(": ").map_or("", |it| it.1);
        let meaning = format!(
            "The catalog {catalog} cannot be asked ({cause}). OLM then resolves nothing at all in the namespaces that see it, \
             even where nobody uses that catalog."
        );
        let (namespace, name) = catalog.split_once('/').unwrap_or(("", catalog));
        return Made::new(SYSTEM, meaning)
            .about(&[catalog])
            .next(command(["kubectl", "get", "catalogsource", name, "-n", namespace, "-o", "yaml"]))
            .next(command(["kubectl", "get", "pods", "-n", namespace, "-l", &format!("olm.catalogSource={name}")]))
            .done();
    }
    if message.contains("replacement chains were found in channel")
        || message.contains("no channel heads")
        || message.contains("a cycle exists in the chain of replacement")
    {
        let (channel, package) = (of("in channel \"", "\""), of("of package \"", "\""));
        let meaning = if channel.is_empty() {
            format!(
                "Two installed operators of the package {package} meet the same demand, and OLM cannot order them: mostly an \
                 upgrade that is still going on. It passes when the old one is gone."
            )
        } else {
            format!(
                "The channel {channel} of package {package} is broken: its entries do not form one chain from one head."
            )
        };
        return Made::new(SYSTEM, meaning)
            .about(&[package])
            .next(command(["olmdex", "check-graph", package]))
            .next(command(["olmdex", "graph", package]))
            .done();
    }
    if message.contains("parse olm.constraint:") || message.contains("convert olm.constraint to resolver predicate:") {
        let what = message.split_once("olm.constraint").map_or("", |it| it.1);
        let what = what.split_once(": ").map_or(what, |it| it.1);
        let meaning = format!(
            "A bundle within reach has an `olm.constraint` that OLM cannot read ({what}). That stops the whole namespace, even \
             if the bundle is an old one that nobody would install."
        );
        let meaning = if message.contains("unknown field \"name\"") {
            let hint = ConstraintError::UnknownField("name".to_owned());
            format!("{meaning} A hint: {}.", hint.help().unwrap_or_default())
        } else {
            meaning
        };
        return Made::new(SYSTEM, meaning).next(RESOLVE).next("olmdex validate CATALOG").done();
    }
    if message.contains("expected exactly one operator, got") {
        let meaning = "Two packages of a catalog have bundles of one name in channels of one name, and OLM cannot tell them apart.";
        return Made::new(SYSTEM, meaning).next(RESOLVE).done();
    }
    if message.contains("error determining origin of operator") {
        let meaning = "The name of a channel or bundle has a slash, which OLM cannot cope with.";
        return Made::new(SYSTEM, meaning)
            .about(&[of("unable to parse identifier ", " for")])
            .next("olmdex validate CATALOG")
            .done();
    }
    if message.contains("multiple name matches for status.installedCSV") {
        let meaning = "Several installed operators have the name that the Subscription says it installed.";
        return Made::new(SYSTEM, meaning)
            .about(&[of("of subscription ", ":")])
            .next("kubectl get clusterserviceversions")
            .done();
    }
    if message.contains("risk of data loss updating") {
        let (crd, version) = (crd_after(message, "risk of data loss updating "), of("removes version ", " that"));
        let meaning = format!(
            "The new CRD {crd} no longer has the version {version}, in which objects may still be stored. Store them in another \
             version, and take {version} out of status.storedVersions of the CRD."
        );
        let made = Made::new(SYSTEM, meaning).about(&[crd, version]);
        let next = match crd {
            "" => "kubectl get crds".to_owned(),
            crd => command(["kubectl", "get", "crd", crd, "-o", "jsonpath={.status.storedVersions}"]),
        };
        return made.next(next).done();
    }
    if message.contains("error validating existing CRs against new CRD's schema") {
        let crd = crd_after(message, "schema for ");
        let meaning = format!(
            "Objects that exist would not be valid any more under the new schema of the CRD {crd}: change or delete them first."
        );
        return Made::new(SYSTEM, meaning)
            .about(&[crd, of("error validating ", "\"").split(' ').next_back().unwrap_or_default()])
            .next(if crd.is_empty() { "kubectl get crds".to_owned() } else { command(["kubectl", "get", crd, "-A"]) })
            .done();
    }
    if message.contains("pre-existing CRD owners found") {
        let meaning = "Another installed operator owns the CRD that this one brings: one of them must go.";
        return Made::new(SYSTEM, meaning)
            .about(&[of("dependent CSV ", " ")])
            .next("kubectl get clusterserviceversions -A")
            .done();
    }
    if message.contains("bundle unpacking failed") {
        let meaning = "The image of the bundle could not be unpacked: it cannot be pulled, or is no bundle, or the job took too long.";
        return Made::new(SYSTEM, meaning).next("kubectl get jobs,pods -n openshift-marketplace").done();
    }
    None
}

/// Messages of OLM v1.
fn v1(message: &str) -> Option<MessageExplanation> {
    const SYSTEM: &str = "OLM v1";
    let of = |before: &str, after: &str| between(message, before, after).unwrap_or_default();
    let (installed, package) = (of("currently installed version \"", "\""), of("for package \"", "\""));
    if message.contains("found bundles for package ") {
        let catalogs = of("same priority [", "]");
        let meaning = format!(
            "Several catalogs have a bundle of {package} that would do ({catalogs}), and none of them has the highest priority by \
             itself. Give one of them a higher spec.priority, or choose with spec.source.catalog.selector."
        );
        return Made::new(SYSTEM, meaning)
            .about(&[package])
            .about(&catalogs.split(' ').collect::<Vec<_>>())
            .next("kubectl get clustercatalogs")
            .done();
    }
    if message.contains("no bundles found for package ") {
        let (version, channels) = (of("matching version \"", "\""), of("in channels [", "]"));
        let range = if version.is_empty() { String::new() } else { format!(", in the version range {version}") };
        let within = if channels.is_empty() { String::new() } else { format!(", in the channels {channels}") };
        let meaning = if installed.is_empty() {
            format!(
                "No catalog that is selected has a bundle of {package}{range}{within}. OLM does not say whether the package, the channel or the version is missing."
            )
        } else {
            format!(
                "Nothing of {package}{range}{within} may follow the installed version {installed}. The version may exist all the \
                 same: an entry must name the installed bundle in `replaces` or `skips`, or have its version in `skipRange`. OLM \
                 does not say which of these is missing."
            )
        };
        let mut made = Made::new(SYSTEM, meaning).about(&[package, version, installed]);
        let with = if installed.is_empty() { String::new() } else { format!(" --installed {}", quoted(installed)) };
        let name = quoted(package);
        if !version.is_empty() {
            made = made.next(if Version::parse(version).is_ok() {
                format!("olmdex why-not {}{with} --olm v1", quoted(&format!("{package}@{version}")))
            } else {
                format!("olmdex updates {name}{with} --version {} --olm v1", quoted(version))
            });
        }
        return made.next(format!("olmdex updates {name}{with} --olm v1")).done();
    }
    if message.contains("has a dependency declared via property") {
        let (bundle, property) = (of("validating bundle \"", "\""), of("via property \"", "\""));
        let meaning = format!(
            "OLM v1 knows no dependencies: it would take {bundle}, sees its {property}, and gives up; it tries no other bundle. \
             Such an operator cannot be installed with OLM v1 as it is."
        );
        return Made::new(SYSTEM, meaning).about(&[bundle, property]).next(command(["olmdex", "deps", bundle])).done();
    }
    if message.contains("desired version range ") {
        let range = of("desired version range \"", "\"");
        let meaning = format!("spec.source.catalog.version is no version range: {range}.");
        return Made::new(SYSTEM, meaning)
            .about(&[range])
            .next(format!("olmdex updates PACKAGE --version {} --olm v1", quoted(range)))
            .next(EXTENSIONS)
            .done();
    }
    if message.contains("desired catalog selector is invalid") {
        return Made::new(SYSTEM, "spec.source.catalog.selector is no label selector.").next(EXTENSIONS).done();
    }
    if message.contains("error finding upgrade edges") {
        return Made::new(
            SYSTEM,
            "The version that is recorded for the installed bundle cannot be read, so nothing can follow it.",
        )
        .next(EXTENSIONS)
        .done();
    }
    if message.contains("error walking catalogs: error getting package ") {
        let (package, catalog) = (of("error getting package \"", "\""), of("from catalog \"", "\""));
        let meaning = format!(
            "The catalog {catalog} cannot be read. OLM then resolves nothing of {package}, even if another catalog has it."
        );
        return Made::new(SYSTEM, meaning)
            .about(&[catalog, package])
            .next(command(["kubectl", "get", "clustercatalog", catalog, "-o", "yaml"]))
            .done();
    }
    if message.contains("error getting resolved bundle version for bundle") {
        let bundle = of("for bundle \"", "\"");
        return Made::new(SYSTEM, format!("The version of {bundle} cannot be read."))
            .about(&[bundle])
            .next(command(["olmdex", "show", bundle]))
            .done();
    }
    if message.contains("deprecation status unknown") {
        return Made::new(SYSTEM, "Whether something is deprecated cannot be said, because no catalog could be asked.")
            .next("kubectl get clustercatalogs")
            .done();
    }
    if ["package not deprecated", "channel not deprecated", "bundle not deprecated"]
        .iter()
        .any(|it| message.contains(it))
        || message == "not deprecated"
    {
        return Made::new(SYSTEM, "All is well: nothing that is used is deprecated.").done();
    }
    None
}

/// Messages of ClusterCatalogs.
fn catalogd(message: &str) -> Option<MessageExplanation> {
    const SYSTEM: &str = "catalogd";
    let meaning = [
        ("Successfully unpacked and stored content from resolved source", "All is well: the catalog was read."),
        ("Serving desired content from resolved source", "All is well: the catalog is served."),
        (
            "Catalog availability mode is set to Unavailable",
            "Somebody switched the catalog off with spec.availabilityMode.",
        ),
        ("source catalog content:", "The image of the catalog cannot be had or read; it is tried again."),
        ("error storing fbc:", "The catalog is not valid; the one before it is still served."),
    ];
    let (_, meaning) = meaning.iter().find(|it| message.contains(it.0))?;
    Made::new(SYSTEM, *meaning).next("kubectl get clustercatalogs").done()
}

#[cfg(test)]
mod tests;
