//! `olmdex crd-check --all`: the definitions along every upgrade of catalogs.

use std::path::PathBuf;

use crate::ask::{DefinitionQuestion, OlmSet};
use crate::cli::args::choice::{ChoiceOptions, Whole, report};
use crate::cli::args::formats::OutputFormat;
use crate::cli::args::operators::operators_of;
use crate::cli::args::sources::AskOptions;
use crate::cli::print::findings::print_chosen;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::progress::Progress;
use crate::cluster;
use crate::crd::rules;
use crate::diag::baseline::Scope;
use crate::diag::counted;
use crate::diag::envelope::FindingsMetadata;
use crate::file::system_words;
use crate::json::{Reader, Step};
use crate::source::Recognized;
use crate::upgrade::{BundleObjects, DefinitionUpgrades};

/// The arguments of `--all`.
pub(super) struct AllUpgrades<'a> {
    pub(super) olm: OlmSet,
    pub(super) bundles: &'a [PathBuf],
    pub(super) ask: &'a AskOptions,
    pub(super) choice: &'a ChoiceOptions,
    pub(super) output: OutputFormat,
}

impl AllUpgrades<'_> {
    pub(super) fn run(&self, context: &Context) -> CommandResult {
        let choice = self.choice.open(context, &[], Whole::Other)?;
        let index = self.ask.open(context)?;
        let mut bundles = BundleObjects::new();
        for path in self.bundles {
            add_bundles(context, path, &mut bundles)?;
        }
        let n_given = bundles.len();
        let progress = Progress::start(context, "comparing definitions".to_owned());
        let question = DefinitionQuestion { olm: self.olm, catalogs: self.ask.catalog.clone(), bundles };
        let DefinitionUpgrades { findings, refused, checks } = question.answer(&index)?;
        drop(progress);
        let (edges, compared) = (checks.edges, checks.compared);
        if edges > 0 && compared == 0 {
            let message = format!(
                "none of the {} could be checked: the objects of the bundles are not available",
                counted(edges as u64, "upgrade")
            );
            let help = match n_given {
                0 => {
                    "a catalog holds the objects of bundles only in `olm.bundle.object` properties; name directories \
                    of bundles with `--bundles`"
                }
                _ => "none of the directories given with `--bundles` holds a bundle of the catalog",
            };
            return Err(CommandError::new(Exit::No, message).help(help));
        }
        let metadata = FindingsMetadata {
            definition_checks: Some(checks.clone()),
            refused_upgrades: Some(refused),
            ..FindingsMetadata::default()
        };
        let chosen = choice.apply(findings, &Scope { rules: rules::ALL, packages: &[], is_whole: true })?;
        print_chosen(context, self.output, rules::ALL, &chosen, self.choice.all, metadata)?;
        report(context, &choice, &chosen);
        let pairs = counted(checks.pairs as u64, "pair");
        let upgrades = counted(compared as u64, "upgrade");
        context.reporter.note(&format!("{upgrades} checked; {pairs} of different definitions compared"));
        if compared < edges {
            let left = counted((edges - compared) as u64, "upgrade");
            let words = format!("{left} not checked: the objects of the bundles are not available");
            context.reporter.warning(&words);
        }
        if checks.unreadable > 0 {
            let definitions = counted(checks.unreadable as u64, "definition");
            context.reporter.warning(&format!("{definitions} could not be read, so their upgrades were not checked"));
        }
        let is_whole = compared == edges && checks.unreadable == 0;
        Ok(if chosen.is_refused() || !is_whole { Exit::No } else { Exit::Yes })
    }
}

/// The objects of bundle directories, by the names of their ClusterServiceVersions.
fn add_bundles(context: &Context, path: &std::path::Path, found: &mut BundleObjects) -> Result<(), CommandError> {
    let recognized = Recognized::at(path).map_err(|error| {
        CommandError::new(Exit::Input, format!("cannot read `{}`: {}", path.display(), system_words(&error)))
    })?;
    let directories = match recognized {
        Recognized::Bundles(all) => all,
        Recognized::Repository => {
            let of_operator = |it: &crate::community::Operator| {
                it.versions.iter().map(|version| it.path.join(&version.name)).collect::<Vec<PathBuf>>()
            };
            operators_of(path)?.iter().flat_map(of_operator).collect()
        }
        _ => {
            let message = format!("`{}` has no bundle directories", path.display());
            return Err(
                CommandError::new(Exit::Input, message).help("name a bundle directory, or an operator repository")
            );
        }
    };
    for directory in directories {
        let manifests = directory.join("manifests");
        let of_bundle = if manifests.is_dir() { manifests } else { directory };
        let (objects, warnings) = cluster::read_objects(&of_bundle, context.opener.archives(), &[])?;
        warnings.iter().for_each(|it| context.reporter.warning(it));
        let mut reader = Reader::new();
        let mut name = None;
        for object in &objects {
            let Ok(value) = reader.read(&object.json) else { continue };
            let text = |key: &str| value.text_of_field(key);
            if text("kind") == "ClusterServiceVersion" {
                let metadata = value.get_field("metadata").and_then(|it| it.get_field("name"));
                name = metadata.and_then(|it| it.as_str()).map(|it| it.into_owned());
            }
        }
        if let Some(name) = name {
            let place_of = |it: crate::cluster::AnyObject| (it.json.clone(), it.place_of(&[] as &[Step]));
            found.insert(name, objects.into_iter().map(place_of).collect());
        }
    }
    Ok(())
}
