//! Messages of OLM Classic with a grammar of their own.
//!
//! What it deliberately does not do: contradictions are [`super::unsatisfiable`]'s.

use super::explanation::{MessageExplanation, PartExplanation};
use super::made::{Made, RESOLVE, between, command};
use super::unsatisfiable::no_operators;
use crate::constraint::ConstraintError;

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

/// The name of a CRD after some words, in quotes or without.
fn crd_after<'m>(message: &'m str, before: &str) -> &'m str {
    let rest = between(message, before, "").unwrap_or_default().trim_start_matches(['"', '\'', '`']);
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-')).unwrap_or(rest.len());
    rest[..end].trim_end_matches('.')
}

/// Other messages of OLM Classic.
pub(super) fn classic(message: &str) -> Option<MessageExplanation> {
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
