//! `olmdex crd-check`

use crate::cli::args::formats::{FINDINGS, OutputFormat};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::ask::{DefinitionComparison, DefinitionOwners, Definitions, OlmSet, carried_objects, one_of};
use crate::cli::args::choice::{ChoiceOptions, Whole, report};
use crate::cli::args::sources::AskOptions;
use crate::cli::args::two_states::TwoStates;
use crate::cli::dependencies::crd_check_all::AllUpgrades;
use crate::cli::print::findings::print_chosen;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cluster::{self, AnyObject};
use crate::crd::{Resource, bundle_rules, rules};
use crate::diag::baseline::Scope;
use crate::diag::counted;
use crate::diag::envelope::FindingsMetadata;
use crate::fbc::Name;
use crate::index::Index;

/// Check whether OLM allows an upgrade of CustomResourceDefinitions
///
/// OLD and NEW are files or directories of manifests (as a bundle has them), or bundles of a catalog that holds their
/// objects, as PKG@VERSION. Definitions that only one of them has are skipped. NEW is checked by itself too: `version`
/// against `versions` in v1beta1, and its definitions against those that the ClusterServiceVersion beside them owns.
/// Exits with 1 if OLM refuses, or if the input lacks what decides.
///
/// OLM's documentation says that a definition with a single owner is upgraded right away, and that one with several
/// must keep its served versions and fit all objects. OLM Classic really checks stored versions and objects whoever
/// owns the definition, and never the served versions: their removal is a warning. With a catalog (-i), the packages
/// that own the definitions are named.
///
/// With `--all` and without OLD and NEW, the command checks every upgrade in every channel of the catalogs whose
/// bundles are available: in the catalog itself, or in directories of bundles or a repository of operators (`--bundles
/// DIR`, may be repeated). Equal pairs of definitions are compared once. Exits with 1 if OLM refuses one, or some could
/// not be checked.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex crd-check old/crd.yaml new/crd.yaml
  olmdex crd-check cluster-crds.yaml my-bundle/manifests --instances must-gather/ --olm classic
  olmdex crd-check keda@2.8.1 keda@2.10.1 -i my-catalog/ -o json
  olmdex crd-check keda@2.10.1 my-bundle/manifests -i my-catalog/ --strict
  olmdex crd-check --all -i my-catalog/ --bundles operators/")]
pub(crate) struct CrdCheckArgs {
    #[command(flatten)]
    states: TwoStates,
    /// Existing objects, in a file or directory: OLM Classic validates them against the new schema of every served
    /// version
    #[arg(long, value_name = "DIR")]
    instances: Option<PathBuf>,
    /// Which generation of OLM to ask
    #[arg(long, value_parser = one_of::<OlmSet>(), default_value = "both")]
    olm: OlmSet,
    #[command(flatten)]
    choice: ChoiceOptions,
    #[command(flatten)]
    ask: AskOptions,
    /// Format of the findings
    #[arg(short, long, value_parser = FINDINGS, default_value = "table")]
    output: OutputFormat,
}

pub(crate) fn run(context: &Context, args: &CrdCheckArgs) -> CommandResult {
    if args.choice.all && args.states.both().is_none() {
        if args.instances.is_some() {
            let error = CommandError::usage("`--instances` belongs to one upgrade, but `--all` checks every upgrade");
            return Err(error.help("name the old and the new definitions: `olmdex diff OLD NEW --only crd`"));
        }
        let CrdCheckArgs { olm, ask, choice, output, .. } = args;
        let bundles = ask.bundles();
        return AllUpgrades { olm: *olm, bundles, ask, choice, output: *output }.run(context);
    }
    #[cfg(not(feature = "jsonschema"))]
    if args.instances.is_some() {
        return Err(CommandError::lacks_feature("--instances", "jsonschema"));
    }
    let Some((old_name, new_name)) = args.states.both() else {
        let error = CommandError::usage("no definitions given: two states are compared, an old and a new one");
        return Err(error.help("name the old and the new definitions: `olmdex diff OLD NEW --only crd`"));
    };
    let (old_name, new_name) = (old_name.path.to_string_lossy(), new_name.path.to_string_lossy());
    let choice = args.choice.open(context, &[], Whole::Other)?;
    let index = if args.ask.is_given() || [&old_name, &new_name].into_iter().any(|it| bundle_name(it).is_some()) {
        Some(args.ask.open(context)?)
    } else {
        None
    };
    let index = index.as_ref();
    let old = definitions(context, args, index, &old_name)?;
    let new = definitions(context, args, index, &new_name)?;
    let owners = index.map(|it| DefinitionOwners::find(it, &args.ask.catalog, &old, &new)).transpose()?;
    let objects = match &args.instances {
        None => Vec::new(),
        Some(path) => resources(context, path)?,
    };
    let question =
        DefinitionComparison { olm: args.olm, old: &old, new: &new, objects: &objects, owners: owners.as_ref() };
    let compared = question.answer().map_err(|error| {
        let help = "leave the object out, or use `--olm v1`, which checks no objects";
        CommandError::new(Exit::Limit, error.to_string()).help(help)
    })?;
    if compared.n_definitions == 0 {
        let error =
            CommandError::new(Exit::Input, format!("`{old_name}` and `{new_name}` have no definition in common"));
        let names: Vec<&str> = old.names().chain(new.names()).collect();
        return Err(error.help(format!("they have {}", names.join(", "))));
    }
    let metadata = FindingsMetadata {
        objects: args.instances.as_ref().map(|_| compared.n_objects),
        owners: owners.as_ref().map(|it| it.by_definition().clone()),
        ..FindingsMetadata::default()
    };
    let applied = [rules::ALL, bundle_rules::ALL].concat();
    let chosen = choice.apply(compared.findings, &Scope { rules: &applied, packages: &[], is_whole: true })?;
    print_chosen(context, args.output, &applied, &chosen, args.choice.all, metadata)?;
    report(context, &choice, &chosen);
    if let Some(owners) = &owners {
        owners.words().iter().for_each(|it| context.reporter.note(it));
    }
    compared.notes.iter().for_each(|it| context.reporter.note(it));
    if let Some(path) = &args.instances {
        remark(context, args.olm, path, compared.n_objects, objects.len());
    }
    if chosen.findings.is_empty() && chosen.hidden.is_empty() {
        let definitions = counted(compared.n_definitions, "definition");
        let unknown = match compared.notes.len() as u64 {
            0 => String::new(),
            n => format!(", {} not known", counted(n, "point")),
        };
        context.reporter.note(&format!("{definitions} compared, none refused{unknown}"));
    }
    // An answer that is not known is not a yes.
    Ok(if chosen.is_refused() || !compared.notes.is_empty() { Exit::No } else { Exit::Yes })
}

/// Reports how many of the objects of a path were checked.
fn remark(context: &Context, olm: OlmSet, path: &Path, n_objects: usize, n_all: usize) {
    let path = path.display();
    if olm == OlmSet::V1 {
        context.reporter.warning(&format!("OLM v1 does not check objects: those of `{path}` were not checked"));
    } else if n_objects == 0 {
        context.reporter.warning(&format!(
            "none of the {n_all} objects of `{path}` belongs to a definition that was compared: no object was checked"
        ));
    } else {
        context.reporter.note(&format!("{} checked", counted(n_objects as u64, "object")));
    }
}

/// The package and version that a text names, unless it is a path.
fn bundle_name(text: &str) -> Option<(String, String)> {
    match Name::parse(text) {
        Name::Version(package, version) if !Path::new(text).exists() => Some((package, version)),
        _ => None,
    }
}

/// The definitions of a path or a bundle.
fn definitions(
    context: &Context,
    args: &CrdCheckArgs,
    index: Option<&Index>,
    text: &str,
) -> Result<Definitions, CommandError> {
    let objects = match (bundle_name(text), index) {
        (Some((package, version)), Some(index)) => carried_objects(index, &args.ask.catalog, &package, &version)?,
        _ => {
            let kinds = &cluster::DEFINING_KINDS;
            let (objects, warnings) = cluster::read_objects(Path::new(text), context.opener.archives(), kinds)?;
            warnings.iter().for_each(|it| context.reporter.warning(it));
            objects
        }
    };
    let found = Definitions::of(objects)
        .map_err(|(place, error)| CommandError::new(Exit::Input, format!("{}:{}: {error}", place.file, place.line)))?;
    if found.names().next().is_none() {
        let error = CommandError::new(Exit::Input, format!("`{text}` holds no CustomResourceDefinition"));
        return Err(error.help("a catalog holds the definitions of a bundle only in `olm.bundle.object` properties"));
    }
    Ok(found)
}

fn resources(context: &Context, path: &Path) -> Result<Vec<Resource>, CommandError> {
    let (objects, warnings) = cluster::read_objects(path, context.opener.archives(), &[])?;
    warnings.iter().for_each(|it| context.reporter.warning(it));
    let mut found = Vec::new();
    for AnyObject { json, place, .. } in objects {
        match Resource::from_json(&json) {
            Ok(resource) => found.extend(resource),
            Err(error) => context.reporter.warning(&format!("{}:{}: {error}", place.file, place.line)),
        }
    }
    Ok(found)
}
