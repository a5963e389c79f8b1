//! `olmdex onboard`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::release::valid_catalog;
use crate::calendar::Day;
use crate::check::practice::Profile;
use crate::cli::args::bundle_images::not_rendered;
use crate::cli::args::choice::profiles;
use crate::cli::args::day::{Span, day, parse_day, parse_span};
use crate::cli::args::image_template::parsed;
use crate::cli::args::lifecycles::read_lifecycles;
use crate::cli::args::operators::operators_of;
use crate::cli::args::upgrade::parse_minor;
use crate::cli::catalog::pipelines::{PipelineOptions, Pipelines};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::write_changes::{Change, write_changes};
use crate::community::{
    NewTemplate, Onboarding, OnboardingError, OnboardingWish, Operator, Repository, SupportPolicy, catalog_level,
    onboard,
};
use crate::constraint::openshift::Minor;
use crate::diag::{Finding, Listed, Rule, Severity, counted};
use crate::fbc::{Input, Level};
use crate::file::finish_left;
use crate::openshift::LifecycleVersion;
use crate::scaffold::Dockerfile;
use crate::source::Images;
use crate::template::Template;
use crate::version::Version;

/// Make a file-based catalog of an operator's bundles: templates, catalogs, ci.yaml
///
/// Takes an operator of a repository such as community-operators, or any directory with bundle directories. Each
/// version of OpenShift gets the bundles whose `com.redhat.openshift.versions` choose it; upgrade edges are those of
/// the ClusterServiceVersions, or of `updateGraph: semver-mode`. Then the checks of the pipelines run over the result.
/// Exits with 1 if they would refuse it, and writes nothing if a catalog would not be valid.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex onboard bundles --image-template 'quay.io/k/{{.Package}}:v{{.Version}}' --dry-run
  olmdex onboard bundles --image-template 'quay.io/k/{{.Package}}:v{{.Version}}' --dockerfile
  olmdex onboard bundles --image-template 'quay.io/k/{{.Package}}:v{{.Version}}' --broken 1.1.0")]
pub(crate) struct OnboardArgs {
    /// The directory of the operator: it holds a bundle directory for each version
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// The references of the bundles' images, with `{{.Package}}`, `{{.Name}}` and `{{.Version}}`
    #[arg(long, value_name = "TEMPLATE")]
    image_template: String,
    /// The versions of OpenShift that get a catalog. Default: those of `catalogs/` in the repository, else those that
    /// the pipelines know
    #[arg(long, value_name = "VERSION", value_delimiter = ',', value_parser = parse_minor)]
    openshift: Vec<Minor>,
    /// Deprecate the versions before this one
    #[arg(long, value_name = "VERSION", help_heading = "Support")]
    oldest_supported: Option<Version>,
    /// Deprecate versions that were made longer ago: 90d, 18m, 2y
    #[arg(long, value_name = "SPAN", value_parser = parse_span, help_heading = "Support")]
    support_window: Option<Span>,
    /// Deprecate the versions whose support has ended by these lifecycles; may be repeated
    #[arg(long, value_name = "FILE", help_heading = "Support")]
    lifecycles: Vec<PathBuf>,
    /// The day on which support is judged. Default: that of $SOURCE_DATE_EPOCH, else today (UTC)
    #[arg(long, value_name = "DAY", value_parser = parse_day, help_heading = "Support")]
    date: Option<Day>,
    /// Leave this version out, and let the next one skip it; may be repeated
    #[arg(long, value_name = "VERSION", value_delimiter = ',', help_heading = "Support")]
    broken: Vec<String>,
    /// This version is not published yet: write its `release-config.yaml`, and leave it out of the templates
    #[arg(long, value_name = "VERSION")]
    unreleased: Option<String>,
    /// Also write a Dockerfile for each catalog, beside its directory
    #[arg(long)]
    dockerfile: bool,
    /// The pipelines whose checks run. Default: `community` or `certified` in a repository
    #[arg(long, value_name = "PIPELINE,…", value_delimiter = ',', value_parser = profiles())]
    pipeline: Vec<Profile>,
    /// Show the changes, and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(context: &Context, args: &OnboardArgs) -> CommandResult {
    let place = Place::of(&args.directory)?;
    let image = parsed(&args.image_template)?;
    let wish = OnboardingWish {
        openshift: if args.openshift.is_empty() { place.minors() } else { args.openshift.clone() },
        image: &|package, name, version| image.fill_with(package, name, version),
        policy: policy(context, args, &place)?,
        unreleased: args.unreleased.clone(),
    };
    let ci = place.of_operator("ci.yaml");
    let onboarding = onboard(&place.operator, &wish).inspect_err(|error| {
        // A run that was killed after its last rename is refused here. Its hidden directories are removed first, since
        // no later run would do so.
        if matches!(error, OnboardingError::HasTemplates(_)) && !args.dry_run {
            finish_left(std::iter::once(place.root.join(&ci).as_path()));
        }
    })?;
    onboarding.notes.iter().for_each(|it| context.reporter.warning(it));
    let mut changes = files(args, &place, &onboarding);
    for template in &onboarding.templates {
        changes.extend(catalogs(context, &place, &onboarding, template)?);
    }
    // This file comes last: until it names the templates, an interrupted run can be repeated.
    changes.push(place.change(ci, onboarding.ci_before.clone(), onboarding.ci_after.clone()));
    let n_catalogs: usize = onboarding.templates.iter().map(|it| it.catalogs.len()).sum();
    let n_written = write_changes(context, changes, args.dry_run)?;
    if args.dry_run {
        return Ok(Exit::Yes);
    }
    let what = format!(
        "{}: {} of {}, all valid",
        onboarding.package,
        counted(n_catalogs as u64, "catalog"),
        counted(onboarding.templates.len() as u64, "template")
    );
    context.reporter.note(&if n_written == 0 { format!("{what}; no file changes") } else { what });
    check(context, args, &place, &onboarding)
}

/// The places of an operator's files.
struct Place {
    /// The directory that paths are relative to: the repository, or the operator itself.
    root: PathBuf,
    /// The operator's directory, below the root; empty if it is the root.
    below: String,
    operator: Operator,
    repository: Option<Repository>,
}

impl Place {
    fn of(directory: &Path) -> Result<Self, CommandError> {
        let mut operators = operators_of(directory)?;
        if operators.len() > 1 {
            let names: Vec<String> = operators.iter().take(3).map(|it| it.path.display().to_string()).collect();
            let message = format!("`{}` has {}", directory.display(), counted(operators.len() as u64, "operator"));
            return Err(
                CommandError::usage(message).help(format!("name one of them, such as {}", Listed::quoted(names)))
            );
        }
        let Some(operator) = operators.pop() else {
            let error = CommandError::new(Exit::Input, format!("`{}` holds no operator", directory.display()));
            return Err(error.help("name the directory that holds a bundle directory for each version"));
        };
        let is_operator = operator.path.canonicalize().ok();
        let is_in = |it: &Repository| {
            let parent = is_operator.as_deref().and_then(Path::parent);
            parent.is_some() && it.root.join("operators").canonicalize().ok().as_deref() == parent
        };
        Ok(match Repository::around(&operator.path).filter(is_in) {
            Some(repository) => Self {
                root: repository.root.clone(),
                below: format!("operators/{}", operator.name),
                operator,
                repository: Some(repository),
            },
            None => Self { root: operator.path.clone(), below: String::new(), operator, repository: None },
        })
    }

    /// The versions of OpenShift that the repository has catalogs for.
    fn minors(&self) -> Vec<Minor> {
        self.repository.as_ref().map(Repository::openshift_versions).unwrap_or_default()
    }

    /// A path below the root, of a file of the operator.
    fn of_operator(&self, file: &str) -> String {
        if self.below.is_empty() { file.to_owned() } else { format!("{}/{file}", self.below) }
    }

    fn change(&self, relative: String, before: Option<Vec<u8>>, after: Vec<u8>) -> Change {
        Change { root: self.root.clone(), shown: self.root.join(&relative), relative, before, after }
    }

    /// The content of a file before the change.
    fn before(&self, relative: &str) -> Option<Vec<u8>> {
        let path = self.root.join(relative);
        path.symlink_metadata().is_ok_and(|it| it.is_file()).then(|| crate::file::read_regular(&path).ok()).flatten()
    }

    /// The directory of a catalog, below the root.
    fn catalog(&self, catalog: &str, package: &str) -> String {
        let name = if self.repository.is_some() { &self.operator.name } else { package };
        format!("catalogs/{catalog}/{name}")
    }
}

fn policy(context: &Context, args: &OnboardArgs, place: &Place) -> Result<SupportPolicy, CommandError> {
    let today = day(args.date)?;
    let mut ended = BTreeMap::new();
    let package = place.operator.package().unwrap_or(&place.operator.name);
    for (_, lifecycle) in read_lifecycles(context, None, &[], &args.lifecycles)? {
        let versions = lifecycle.versions.iter().filter(|_| lifecycle.package == package);
        let last = |it: &LifecycleVersion| it.phases.iter().map(|it| it.end).max();
        let over = versions.filter_map(|it| Some((it.name.clone(), last(it).filter(|it| *it < today)?)));
        ended.extend(over);
    }
    Ok(SupportPolicy {
        oldest_supported: args.oldest_supported.clone(),
        made_since: args.support_window.map(|it| it.before(today)),
        ended,
        broken: args.broken.clone(),
    })
}

/// The files in addition to the catalogs.
fn files(args: &OnboardArgs, place: &Place, onboarding: &Onboarding) -> Vec<Change> {
    let mut changes = Vec::new();
    for NewTemplate { name, text, catalogs } in &onboarding.templates {
        let relative = place.of_operator(&format!("catalog-templates/{name}"));
        changes.push(place.change(relative.clone(), place.before(&relative), text.clone()));
        for catalog in catalogs.iter().filter(|_| args.dockerfile) {
            let relative = format!("catalogs/{catalog}.Dockerfile");
            let text = dockerfile(catalog).into_bytes();
            changes.push(place.change(relative.clone(), place.before(&relative), text));
        }
    }
    if let Some((file, text)) = &onboarding.release {
        let relative = place.of_operator(file);
        changes.push(place.change(relative.clone(), place.before(&relative), text.clone()));
    }
    changes
}

/// The Dockerfile of a catalog for a version of OpenShift.
fn dockerfile(catalog: &str) -> String {
    let base = format!("registry.redhat.io/openshift4/ose-operator-registry-rhel9:{catalog}");
    let base = match catalog.strip_prefix("v4.") {
        // The images of RHEL 9 begin with 4.15.
        Some(minor) if minor.parse().is_ok_and(|it: u64| it < 15) => {
            format!("registry.redhat.io/openshift4/ose-operator-registry:{catalog}")
        }
        Some(_) => base,
        None => format!("registry.redhat.io/openshift5/ose-operator-registry-rhel9:{catalog}"),
    };
    Dockerfile { builder: &base, base: &base, labels: &BTreeMap::new() }.text(catalog)
}

/// The catalogs that a template makes, or an error if one of them is not valid.
fn catalogs(
    context: &Context,
    place: &Place,
    onboarding: &Onboarding,
    made: &NewTemplate,
) -> Result<Vec<Change>, CommandError> {
    let shown = place.root.join(place.of_operator(&format!("catalog-templates/{}", made.name))).display().to_string();
    let template = Template::read(&shown, Arc::from(made.text.clone()), None)
        .map_err(|findings| not_rendered(context, &shown, &findings))?;
    let mut images = Images::new(&context.opener, false);
    for (version, image) in &onboarding.images {
        images.give(image, &place.operator.path.join(version))?;
    }
    let mut changes = Vec::new();
    // Catalogs of one level have the same text.
    let mut texts: Vec<(Level, Vec<u8>)> = Vec::new();
    for catalog in &made.catalogs {
        let relative = format!("{}/catalog.yaml", place.catalog(catalog, &onboarding.package));
        let level = catalog_level(catalog);
        let text = match texts.iter().find(|it| it.0 == level) {
            Some((_, text)) => text.clone(),
            None => {
                let file = place.root.join(&relative).display().to_string();
                let help = "correct the edges in the ClusterServiceVersions, or list the faulty versions with \
                            `--broken`; nothing was written";
                let text = valid_catalog(context, (&template, &shown), &images, level, &file, help)?;
                texts.push((level, text.clone()));
                text
            }
        };
        changes.push(place.change(relative.clone(), place.before(&relative), text));
    }
    Ok(changes)
}

/// Runs the checks of the pipelines over the written files.
fn check(context: &Context, args: &OnboardArgs, place: &Place, onboarding: &Onboarding) -> CommandResult {
    let of_repository = place.repository.as_ref().map(|it| match it.is_certified() {
        true => Profile::Certified,
        false => Profile::Community,
    });
    let asked: Vec<Profile> =
        if args.pipeline.is_empty() { of_repository.into_iter().collect() } else { args.pipeline.clone() };
    if asked.is_empty() {
        return Ok(Exit::Yes);
    }
    let is_wanted =
        |it: &&'static Rule| asked.iter().any(|pipeline| pipeline.rules().iter().any(|rule| rule.id == it.id));
    let mut pipelines = Pipelines::open(context, &asked, is_wanted, &PipelineOptions::default())?;
    let mut findings = Vec::new();
    if place.repository.is_some() {
        let operator = Operator::open(&place.operator.path)?;
        // The change does not touch the bundles, so the pipelines do not check them.
        let of_settings = |it: &Finding| it.place.as_ref().is_some_and(|it| it.file.ends_with("ci.yaml"));
        findings
            .extend(pipelines.operator(&operator.path, &operator).unwrap_or_default().into_iter().filter(of_settings));
        findings.extend(pipelines.repository(&operator.path)?.0);
    }
    for catalog in onboarding.templates.iter().flat_map(|it| &it.catalogs) {
        let path = place.root.join("catalogs").join(catalog);
        let own = place.root.join(place.catalog(catalog, &onboarding.package));
        let input = Input::directory(&own)?;
        let shown = own.display().to_string();
        let mut found = Vec::new();
        let image = pipelines.image_of(&path)?;
        match place.repository {
            // The checks of the repository have covered it already.
            Some(_) => pipelines.add_catalog_image(&path, image.as_ref(), &shown, &input, &mut found)?,
            None => pipelines.add_catalog(&path, image.as_ref(), &shown, &input, &mut found)?,
        }
        // Findings without a place are the same in each catalog.
        for finding in found {
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
    }
    findings.iter().for_each(|it| context.reporter.finding(it));
    pipelines.unchecked().iter().for_each(|it| context.reporter.note(&format!("not checked: {it}")));
    pipelines.verdicts(&findings).iter().for_each(|verdict| context.reporter.note(&verdict.verdict));
    let is_refused = findings.iter().any(|it| it.rule.severity == Severity::Error);
    Ok(if is_refused { Exit::No } else { Exit::Yes })
}

impl From<OnboardingError> for CommandError {
    fn from(error: OnboardingError) -> Self {
        let exit = match error {
            OnboardingError::HasTemplates(_) => Exit::Usage,
            OnboardingError::NoVersion { .. } => Exit::NotFound,
            _ => Exit::Input,
        };
        Self::new(exit, error.to_string()).help(error.help())
    }
}
