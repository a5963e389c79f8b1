//! `olmdex crd-check`

use std::path::{Path, PathBuf};

use clap::Args;

use super::Context;
use super::ask::AskOptions;
use super::asked::Olm;
use super::crd_bundle::{self, Owners, help_for_removed};
use super::error::{CommandError, CommandResult, Exit};
use super::name::NameArgument;
use super::output::FindingsMetadata;
use super::validate::{FindingFormat, print_findings_with};
use crate::cluster::{self, AnyObject};
use crate::crd::classic::Verdict;
use crate::crd::{Crd, CrdError, Resource, bundle_rules, classic, preflight, rules};
use crate::diag::{Finding, Place, Rule, Severity};
use crate::fbc::{self, Typed};
use crate::index::query::Filter;
use crate::index::{Index, IndexError};
use crate::json;

/// Check whether CustomResourceDefinitions may be upgraded: OLM v1's preflight, and OLM Classic's checks
///
/// OLD and NEW are files or directories of manifests (as a bundle has them), or bundles of a catalog that holds their
/// objects, as PKG@VERSION. Definitions that only one of them has are passed over. NEW is checked by itself too: `version`
/// against `versions` in v1beta1, and its definitions against what the ClusterServiceVersion beside them owns. Exits with 1
/// if OLM refuses.
///
/// OLM's documentation says that a definition with a single owner is upgraded right away, and that one with several must
/// keep its served versions and fit all objects. OLM Classic really checks stored versions and objects whoever owns the
/// definition, and never the served versions: their removal is a warning. With a catalog (-i), the packages that own the
/// definitions are named.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex crd-check old/crd.yaml new/crd.yaml
  olmdex crd-check cluster-crds.yaml my-bundle/manifests --instances must-gather/ --olm classic
  olmdex crd-check keda@2.8.1 keda@2.10.1 -i my-catalog/ -o json
  olmdex crd-check keda@2.10.1 my-bundle/manifests -i my-catalog/ --strict")]
pub(crate) struct CrdCheckArgs {
    /// What is on the cluster
    #[arg(value_name = "OLD")]
    old: String,
    /// What shall replace it
    #[arg(value_name = "NEW")]
    new: String,
    /// Existing objects, in a file or directory: OLM Classic validates them against the new schema of every served version
    #[arg(long, value_name = "DIR")]
    instances: Option<PathBuf>,
    /// Which generation of OLM to ask
    #[arg(long, value_enum, default_value_t = Olm::Both)]
    olm: Olm,
    /// Treat warnings as errors
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    ask: AskOptions,
    /// Format of the findings
    #[arg(short, long, value_enum, default_value_t = FindingFormat::Text)]
    output: FindingFormat,
}

/// A definition, and where it is written.
struct Placed {
    crd: Crd,
    place: Place,
}

pub(crate) fn run(context: &Context, args: &CrdCheckArgs) -> CommandResult {
    if args.output == FindingFormat::Yaml {
        return Err(CommandError::usage("`crd-check` prints text, JSON, SARIF or workflow commands"));
    }
    let index = if args.ask.is_given() || [&args.old, &args.new].into_iter().any(|it| bundle_name(it).is_some()) {
        Some(args.ask.open(context)?)
    } else {
        None
    };
    let index = index.as_ref();
    let (old, _) = definitions(context, args, index, &args.old)?;
    let (new, objects_of_new) = definitions(context, args, index, &args.new)?;
    let compared: Vec<&Crd> =
        new.iter().map(|it| &it.crd).filter(|it| old.iter().any(|old| old.crd.name == it.name)).collect();
    let owners = index.map(|it| Owners::find(it, &args.ask, &compared)).transpose()?;
    let objects = match &args.instances {
        None => Vec::new(),
        Some(path) => resources(context, path)?,
    };
    let (mut findings, mut notes) = (crd_bundle::check(&objects_of_new), Vec::new());
    let (mut n_compared, mut n_objects) = (0, 0);
    for next in &new {
        let Some(before) = old.iter().find(|it| it.crd.name == next.crd.name) else { continue };
        n_compared += 1;
        if args.olm != Olm::Classic && next.crd.api_version == "v1" {
            findings.extend(of_preflight(before, next));
        }
        if args.olm != Olm::V1 {
            n_objects += classic::count(&next.crd, &objects);
            let (found, unknown) = of_classic(before, next, &objects, owners.as_ref().map(|it| it.of(&next.crd.name)));
            findings.extend(found);
            notes.extend(unknown);
        }
    }
    if n_compared == 0 {
        let error =
            CommandError::new(Exit::Input, format!("`{}` and `{}` have no definition in common", args.old, args.new));
        let names: Vec<&str> = old.iter().chain(&new).map(|it| it.crd.name.as_str()).collect();
        return Err(error.help(format!("they have {}", names.join(", "))));
    }
    let looked_at = args.instances.as_ref().map(|_| n_objects);
    let applied = [rules::ALL, bundle_rules::ALL].concat();
    let owned_by = owners.as_ref().map(|it| it.by_definition().clone());
    let metadata = FindingsMetadata { objects: looked_at, owners: owned_by, ..FindingsMetadata::default() };
    print_findings_with(context, args.output, &applied, &findings, metadata)?;
    if let Some(owners) = &owners {
        owners.report(context);
    }
    notes.iter().for_each(|it| context.reporter.note(it));
    if let Some(path) = &args.instances {
        let path = path.display();
        if args.olm == Olm::V1 {
            context.reporter.warning(&format!("OLM v1 looks at no objects: those of `{path}` were not looked at"));
        } else if n_objects == 0 {
            let all = objects.len();
            context.reporter.warning(&format!(
                "none of the {all} objects of `{path}` is of a definition that was compared: no object was looked at"
            ));
        } else {
            context.reporter.note(&format!("{} looked at", counted(n_objects, "object")));
        }
    }
    if findings.is_empty() {
        let definitions = counted(n_compared, "definition");
        context.reporter.note(&format!("{definitions} compared, nothing is refused"));
    }
    let is_refused = findings.iter().any(|it| args.strict || it.rule.severity == Severity::Error);
    Ok(if is_refused { Exit::No } else { Exit::Yes })
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn finding(rule: &'static Rule, next: &Placed, message: String, help: Option<String>) -> Finding {
    Finding { rule, message, place: Some(next.place.clone()), help, package: None }
}

fn of_preflight(before: &Placed, next: &Placed) -> Vec<Finding> {
    let refusals = preflight::preflight(&before.crd, &next.crd).into_iter();
    refusals
        .map(|it| finding(rules::PREFLIGHT, next, format!("OLM v1 refuses {}: {it}", next.crd.name), None))
        .collect()
}

/// What OLM Classic says to a definition, and what cannot be known.
fn of_classic(
    before: &Placed,
    next: &Placed,
    objects: &[Resource],
    owners: Option<&[String]>,
) -> (Vec<Finding>, Vec<String>) {
    let name = &next.crd.name;
    let mut unknown = Vec::new();
    let verdicts = classic::check(&before.crd, &next.crd, objects).into_iter();
    let findings = verdicts
        .filter_map(|verdict| {
            Some(match verdict {
                Verdict::StoredVersionRemoved { version } => {
                    let known = if before.crd.is_stored_known {
                        ""
                    } else {
                        " (taken from the old definition, which has no status)"
                    };
                    let message = format!(
                        "OLM Classic refuses {name}: version {version} is gone, in which objects are stored{known}"
                    );
                    let help = format!("keep {version} with `served: false` until status.storedVersions is without it");
                    finding(rules::STORED_VERSION, next, message, Some(help))
                }
                Verdict::ServedVersionRemoved { version } => {
                    let message = format!("{name} no longer has version {version}, which is served");
                    let help = help_for_removed(&version, owners);
                    finding(rules::SERVED_VERSION, next, message, Some(help))
                }
                Verdict::ObjectInvalid { api, object, reason, is_exempt } => {
                    let (rule, who) = match is_exempt {
                        false => (rules::OBJECT, format!("OLM Classic refuses {name}")),
                        true => (
                            rules::OBJECT_CONVERTED,
                            format!("OLM Classic warns about {name}, which a webhook converts"),
                        ),
                    };
                    finding(rule, next, format!("{who}: {object} ({api}) does not fit: {reason}"), None)
                }
                Verdict::SchemaUnusable { version, reason } => {
                    let message = format!("objects of {name} cannot be checked against version {version}: {reason}");
                    finding(rules::NO_VALIDATOR, next, message, None)
                }
                Verdict::NotConverted { version, count } => {
                    unknown.push(format!(
                        "{name}: whether {} at version {version} cannot be known without the webhook that converts",
                        if count == 1 { "1 object fits".to_owned() } else { format!("{count} objects fit") }
                    ));
                    return None;
                }
            })
        })
        .collect();
    (findings, unknown)
}

/// The package and version that a text names, unless it is a path.
fn bundle_name(text: &str) -> Option<(String, String)> {
    match NameArgument::parse(text) {
        NameArgument::Version(package, version) if !Path::new(text).exists() => Some((package, version)),
        _ => None,
    }
}

/// The definitions that a path or a bundle has, and all its objects.
fn definitions(
    context: &Context,
    args: &CrdCheckArgs,
    index: Option<&Index>,
    text: &str,
) -> Result<(Vec<Placed>, Vec<AnyObject>), CommandError> {
    let objects = match (bundle_name(text), index) {
        (Some((package, version)), Some(index)) => objects_of_bundle(args, index, &package, &version)?,
        _ => {
            let (objects, warnings) = cluster::read_objects(Path::new(text))
                .map_err(|error| CommandError::new(Exit::Input, error.to_string()))?;
            warnings.iter().for_each(|it| context.reporter.warning(it));
            objects
        }
    };
    let mut found = Vec::new();
    for AnyObject { json, place } in &objects {
        match Crd::from_json(json) {
            Ok(crd) => {
                let place = Place { file: place.file.clone(), line: place.line, column: 1, ..Place::default() };
                found.push(Placed { crd, place });
            }
            Err(CrdError::OtherKind) => {}
            Err(error) => {
                let message = format!("{}:{}: {error}", place.file, place.line);
                return Err(CommandError::new(Exit::Input, message));
            }
        }
    }
    if found.is_empty() {
        let error = CommandError::new(Exit::Input, format!("`{text}` has no CustomResourceDefinition"));
        return Err(error.help("bundles have theirs in a catalog only if it carries olm.bundle.object properties"));
    }
    Ok((found, objects))
}

/// The objects that a catalog carries for a bundle.
fn objects_of_bundle(
    args: &CrdCheckArgs,
    index: &Index,
    package: &str,
    version: &str,
) -> Result<Vec<AnyObject>, CommandError> {
    let filter = Filter { catalogs: args.ask.catalog.clone(), package: Some(package.to_owned()), channel: None };
    let bundles = index.bundles(&filter)?;
    if bundles.is_empty() {
        return Err(super::name::unknown_package(index, package)?);
    }
    let Some(bundle) = bundles.iter().find(|it| it.version == version || it.bundle == version) else {
        let names: Vec<String> = bundles.iter().flat_map(|it| [it.version.clone(), it.bundle.clone()]).collect();
        let error = CommandError::new(Exit::NotFound, format!("package `{package}` has no version `{version}`"));
        return Err(super::name::with_guess(error, version, &names, "`olmdex list bundles` shows what there is"));
    };
    Ok(carried_objects(index, &bundle.catalog, &bundle.bundle)?)
}

/// The objects that a catalog carries for a bundle in `olm.bundle.object` properties.
fn carried_objects(index: &Index, catalog: &str, bundle: &str) -> Result<Vec<AnyObject>, IndexError> {
    let mut objects = Vec::new();
    let Some(text) = index.bundle_document(catalog, bundle)? else { return Ok(objects) };
    let mut reader = json::Reader::new();
    if let Ok(value) = reader.read(&text)
        && let Ok(blob) = fbc::blob::decode(value, false)
        && let Typed::Bundle(found) = &blob.typed
    {
        let place = cluster::Place { file: bundle.to_owned(), line: 1 };
        // What cannot be read was a finding when the catalog was checked.
        let _ = fbc::for_each_object(found, |object| {
            objects.push(AnyObject { json: String::from_utf8_lossy(object).into_owned(), place: place.clone() });
        });
    }
    Ok(objects)
}

/// What the generation of OLM that follows Subscriptions refuses, or warns of, about the definitions that a step from one
/// bundle of a catalog to another changes. Without the objects in the cluster, which are not known here.
pub(crate) fn unsafe_definitions(
    index: &Index,
    catalog: &str,
    (from, to): (&str, &str),
) -> Result<Vec<String>, IndexError> {
    let definitions = |bundle: &str| -> Result<Vec<Crd>, IndexError> {
        Ok(carried_objects(index, catalog, bundle)?.iter().filter_map(|it| Crd::from_json(&it.json).ok()).collect())
    };
    let (old, mut words) = (definitions(from)?, Vec::new());
    if old.is_empty() {
        return Ok(words);
    }
    let place = Place { file: to.to_owned(), line: 1, column: 1, ..Place::default() };
    for crd in definitions(to)? {
        if let Some(before) = old.iter().find(|it| it.name == crd.name) {
            let (before, next) =
                (Placed { crd: before.clone(), place: place.clone() }, Placed { crd, place: place.clone() });
            words.extend(of_classic(&before, &next, &[], None).0.into_iter().map(|it| it.message));
        }
    }
    Ok(words)
}

fn resources(context: &Context, path: &Path) -> Result<Vec<Resource>, CommandError> {
    let (objects, warnings) =
        cluster::read_objects(path).map_err(|error| CommandError::new(Exit::Input, error.to_string()))?;
    warnings.iter().for_each(|it| context.reporter.warning(it));
    let mut found = Vec::new();
    for AnyObject { json, place } in objects {
        match Resource::from_json(&json) {
            Ok(resource) => found.extend(resource),
            Err(error) => context.reporter.warning(&format!("{}:{}: {error}", place.file, place.line)),
        }
    }
    Ok(found)
}
