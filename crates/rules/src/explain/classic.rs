//! Messages of OLM Classic with a grammar of their own.

use super::builder::{Made, RESOLVE, between, command};
use super::explanation::{MessageExplanation, PartExplanation};
use super::rule::{MessagePattern, Rule, by_rules};
use super::unsatisfiable::{Meaning, no_operators};
use olmdex_constraint::ConstraintError;

const SYSTEM: &str = "OLM Classic";
const NO_OPERATORS: &str = "no operators found ";
const CSVS: &str = "kubectl get clusterserviceversions";

/// The first that fits counts.
const RULES: &[Rule] = &[
    Rule::Grammar(&[NO_OPERATORS], nothing_there),
    Rule::Grammar(&["expected 1 OperatorGroup in the namespace", " operatorGroups, expected 1"], not_one_group),
    Rule::Words(MessagePattern {
        system: SYSTEM,
        marks: &[" instead of Replacing"],
        meaning: "With the fail-forward upgrade strategy, every operator that is being replaced must be in phase \
            Replacing, but one is not.",
        names: &[("csv ", " in phase")],
        next: &[CSVS],
    }),
    Rule::Grammar(&["error using catalogsource "], broken_catalog),
    Rule::Grammar(
        &["replacement chains were found in channel", "no channel heads", "a cycle exists in the chain of replacement"],
        without_order,
    ),
    Rule::Grammar(&["parse olm.constraint:", "convert olm.constraint to resolver predicate:"], unreadable_constraint),
    Rule::Words(MessagePattern {
        system: SYSTEM,
        marks: &["expected exactly one operator, got"],
        meaning: "Two packages of a catalog have a channel and a bundle with the same names, and OLM cannot \
            distinguish them.",
        names: &[],
        next: &[RESOLVE],
    }),
    Rule::Words(MessagePattern {
        system: SYSTEM,
        marks: &["error determining origin of operator"],
        meaning: "The name of a channel or bundle has a slash, which OLM cannot handle.",
        names: &[("unable to parse identifier ", " for")],
        next: &["olmdex validate CATALOG"],
    }),
    Rule::Words(MessagePattern {
        system: SYSTEM,
        marks: &["multiple name matches for status.installedCSV"],
        meaning: "Several installed operators have the name in the Subscription's status.installedCSV.",
        names: &[("of subscription ", ":")],
        next: &[CSVS],
    }),
    Rule::Grammar(&["risk of data loss updating"], lost_version),
    Rule::Grammar(&["error validating existing CRs against new CRD's schema"], unfit_objects),
    Rule::Words(MessagePattern {
        system: SYSTEM,
        marks: &["pre-existing CRD owners found"],
        meaning: "Another installed operator owns the CRD that this one brings: remove one of the two.",
        names: &[("dependent CSV ", " ")],
        next: &["kubectl get clusterserviceversions -A"],
    }),
    Rule::Words(MessagePattern {
        system: SYSTEM,
        marks: &["bundle unpacking failed"],
        meaning: "OLM could not unpack the image of the bundle: the pull failed, the image is not a bundle, or the job \
            took too long.",
        names: &[],
        next: &["kubectl get jobs,pods -n openshift-marketplace"],
    }),
];

/// Other messages of OLM Classic.
pub(super) fn classic(message: &str) -> Option<MessageExplanation> {
    deprecation(message).or_else(|| by_rules(RULES, message))
}

/// The explanation of `olm.deprecations` messages: those in the conditions of a Subscription, or the one that joins
/// them.
fn deprecation(message: &str) -> Option<MessageExplanation> {
    const KINDS: [(&str, &str, &str); 3] =
        [("olm.package/", "package", "show"), ("olm.channel/", "channel", ""), ("olm.bundle/", "bundle", "show")];
    let of = |text: &str| {
        let (prefix, kind, verb) = KINDS.iter().find(|it| text.starts_with(it.0))?;
        let (name, wording) = text[prefix.len()..].split_once(": ")?;
        Some((*kind, *verb, name.to_owned(), wording.to_owned()))
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
        SYSTEM,
        "The catalog marks the installed bundle, its channel or its package as deprecated (`olm.deprecations`). This \
        is advice only: OLM still installs and upgrades it.",
    );
    for text in parts {
        let Some((kind, verb, name, wording)) = of(&text) else { continue };
        made = made.about(&[&name]);
        if !verb.is_empty() {
            made = made.next(command(["olmdex", verb, &name]));
        }
        made.0.parts.push(PartExplanation {
            text,
            meaning: format!("The {kind} {name} is deprecated; its author says: {wording}"),
        });
    }
    made.next("kubectl get subscriptions -A").done()
}

fn nothing_there(message: &str) -> Made {
    let text = message.find(NO_OPERATORS).map_or(message, |it| &message[it..]);
    let Meaning { meaning, names, next } = no_operators(text);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    next.into_iter().fold(Made::new(SYSTEM, meaning).about(&names), Made::next)
}

fn not_one_group(_: &str) -> Made {
    let meaning = "A namespace with Subscriptions needs exactly one OperatorGroup; this one has none, or several.";
    Made::new(SYSTEM, meaning).next("kubectl get operatorgroups -A")
}

fn broken_catalog(message: &str) -> Made {
    let catalog = between(message, "error using catalogsource ", ":").unwrap_or_default();
    let cause = between(message, "error using catalogsource ", "").unwrap_or_default();
    let cause = cause.split_once(": ").map_or("", |it| it.1);
    let meaning = format!(
        "OLM cannot reach the catalog {catalog} ({cause}). OLM then resolves nothing at all in the namespaces that see \
        the catalog, even if no operator there uses it."
    );
    let (namespace, name) = catalog.split_once('/').unwrap_or(("", catalog));
    Made::new(SYSTEM, meaning)
        .about(&[catalog])
        .next(command(["kubectl", "get", "catalogsource", name, "-n", namespace, "-o", "yaml"]))
        .next(command(["kubectl", "get", "pods", "-n", namespace, "-l", &format!("olm.catalogSource={name}")]))
}

/// A channel that has no order, or installed operators that have none.
fn without_order(message: &str) -> Made {
    let channel = between(message, "in channel \"", "\"").unwrap_or_default();
    let package = between(message, "of package \"", "\"").unwrap_or_default();
    let meaning = if channel.is_empty() {
        format!(
            "Two installed operators of the package {package} meet the same requirement, and OLM cannot order them: \
            usually an upgrade is still in progress. The message disappears once the old one is removed."
        )
    } else {
        format!(
            "The channel {channel} of package {package} is broken: its entries do not form one chain from one head."
        )
    };
    Made::new(SYSTEM, meaning)
        .about(&[package])
        .next(command(["olmdex", "check-graph", package]))
        .next(command(["olmdex", "graph", package]))
}

fn unreadable_constraint(message: &str) -> Made {
    let what = message.split_once("olm.constraint").map_or("", |it| it.1);
    let what = what.split_once(": ").map_or(what, |it| it.1);
    let mut meaning = format!(
        "A bundle that the namespace can reach has an `olm.constraint` that OLM cannot read ({what}). This stops \
        resolution in the whole namespace, even if it is an old bundle that OLM would never install."
    );
    if message.contains("unknown field \"name\"") {
        let hint = ConstraintError::UnknownField("name".to_owned());
        meaning = format!("{meaning} A hint: {}.", hint.help().unwrap_or_default());
    }
    Made::new(SYSTEM, meaning).next(RESOLVE).next("olmdex validate CATALOG")
}

fn lost_version(message: &str) -> Made {
    let crd = crd_after(message, "risk of data loss updating ");
    let version = between(message, "removes version ", " that").unwrap_or_default();
    let meaning = format!(
        "The new CRD {crd} no longer has the version {version}, but objects may still be stored in it. Migrate them to another \
         version, then remove {version} from status.storedVersions of the CRD."
    );
    let next = match crd {
        "" => "kubectl get crds".to_owned(),
        crd => command(["kubectl", "get", "crd", crd, "-o", "jsonpath={.status.storedVersions}"]),
    };
    Made::new(SYSTEM, meaning).about(&[crd, version]).next(next)
}

fn unfit_objects(message: &str) -> Made {
    let crd = crd_after(message, "schema for ");
    let object = between(message, "error validating ", "\"").unwrap_or_default();
    let meaning = format!(
        "Existing objects would no longer be valid under the new schema of the CRD {crd}: change or delete them first."
    );
    let next = match crd {
        "" => "kubectl get crds".to_owned(),
        crd => command(["kubectl", "get", crd, "-A"]),
    };
    Made::new(SYSTEM, meaning).about(&[crd, object.split(' ').next_back().unwrap_or_default()]).next(next)
}

/// The name of a CRD after some words, in quotes or without.
fn crd_after<'m>(message: &'m str, before: &str) -> &'m str {
    let rest = between(message, before, "").unwrap_or_default().trim_start_matches(['"', '\'', '`']);
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-')).unwrap_or(rest.len());
    rest[..end].trim_end_matches('.')
}
