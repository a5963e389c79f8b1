//! The pipelines of a check: options, the files that a check needs beside a path, and the checks that could not be
//! made.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use clap::Args;

use crate::ask::{JudgedTemplate, TemplateCopies, check_catalog, judge_template};
use crate::bundle::{self, Registration};
use crate::check::pipeline::{
    self, Added, Build, BuildOptions, Checked, DETECT_CHANGES, Dockerfile, Outcome, STATIC_TESTS, Target, Unchecked,
    VALIDATE_CATALOG,
};
use crate::check::practice::Profile;
use crate::cli::args::update_mode::UpdateMode;
use crate::cli::args::upgrade::parse_minor;
use crate::cli::catalog::parts::catalogs_of;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::community::{self, Operator, OperatorCatalog, Repository, Suite};
use crate::constraint::openshift::Minor;
use crate::diag::envelope::PipelineVerdict;
use crate::diag::{Finding, Listed, Place, Rule, Severity, counted, printable};
use crate::fbc::Input;
use crate::file::{Scratch, system_words};
use crate::legacy::{AddOptions, Edit, NewBundle, Trial};
use crate::source::Source;
use crate::template::{BundleImages, CompositePart, template_texts};
use olmdex_text::encoding::shell::word;

/// The heading above these options in the help.
const HEADING: &str = "Pipelines";

fn is_error(finding: &Finding) -> bool {
    finding.rule.severity == Severity::Error
}

/// The options of a pipeline's checks beside the paths.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PipelineOptions {
    /// OpenShift version of the catalogs: decides which metadata bundles must have, and which of `catalogs/vX.Y` is
    /// checked. Default: the tag of the Dockerfile's base image, and all
    #[arg(long, value_name = "VERSION", value_parser = parse_minor, help_heading = HEADING)]
    openshift: Option<Minor>,
    /// Index that fragments or bundles join: shows what they take away from it, and what it has already
    #[arg(long, value_name = "CATALOG", help_heading = HEADING)]
    target_index: Option<PathBuf>,
    /// Source of upgrade edges for bundles that are added to an index
    #[arg(long, value_name = "MODE", value_enum, default_value = "replaces")]
    update_mode: UpdateMode,
    /// Dockerfile from which the image of a catalog is built: the files that it puts below `/configs` are the catalog.
    /// Default: that Dockerfile or Containerfile in the path or above it, up to the root of the repository, that copies
    /// the path
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    dockerfile: Option<PathBuf>,
    /// Directory that Dockerfiles copy from. Default: as a pipeline in `.tekton` says, or the nearest directory that
    /// has what they copy
    #[arg(long, value_name = "DIR", help_heading = HEADING)]
    context: Option<PathBuf>,
    /// Value of an argument of Dockerfiles; may be repeated. Default: as a pipeline in `.tekton` says
    #[arg(long, value_name = "NAME=VALUE", value_parser = argument, help_heading = HEADING)]
    build_arg: Vec<(String, String)>,
    /// Repository before the change: shows whether the pipeline takes the change, and whether upgrades lead to changed
    /// pins
    #[arg(long, value_name = "DIR", help_heading = HEADING)]
    old: Option<PathBuf>,
}

impl PipelineOptions {
    /// How the images of catalogs are built.
    pub(super) fn builds(&self) -> BuildOptions {
        BuildOptions::new(self.context.clone(), self.build_arg.iter().cloned().collect())
    }

    /// The repository before the change.
    pub(super) fn old(&self) -> Option<&Path> {
        self.old.as_deref()
    }
}

/// The value of an argument.
fn argument(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').filter(|it| !it.0.is_empty()).ok_or("write it as NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub(crate) struct CatalogImage {
    pub(crate) dockerfile: Option<Dockerfile>,
    /// Its catalog, if it is known and has a part of the path.
    pub(crate) build: Option<Build>,
    /// Whether there are Dockerfiles, and none is known to copy the path.
    is_unplaced: bool,
}

impl CatalogImage {
    /// The Dockerfile and the catalog that it makes, if both are known.
    pub(crate) fn made(&self) -> Option<(&Dockerfile, &Build)> {
        self.dockerfile.as_ref().zip(self.build.as_ref())
    }

    /// The OpenShift that it is for, if that is known.
    pub(crate) fn openshift(&self) -> Option<Minor> {
        self.dockerfile.as_ref().and_then(pipeline::openshift_of)
    }
}

/// Runs the checks of the chosen pipelines.
pub(crate) struct Pipelines {
    profiles: Vec<Profile>,
    /// The rules that are wanted.
    rules: Vec<&'static Rule>,
    options: PipelineOptions,
    /// How images are built.
    builds: BuildOptions,
    /// The known Dockerfiles of catalogs, by their paths.
    images: BTreeMap<PathBuf, Option<Rc<(Dockerfile, Build)>>>,
    index: Option<Vec<Input>>,
    /// The things that could not be checked, each once.
    unchecked: Vec<Unchecked>,
    /// How much was checked.
    checked: Checked,
    /// The templates, each with the number of images that nobody has read.
    templates: Vec<(String, usize)>,
    bundles: Vec<Added>,
    /// The same bundles, as they are added.
    new: Vec<NewBundle>,
    /// Where a trial may write.
    scratch: PathBuf,
}

impl Pipelines {
    pub(crate) fn open(
        context: &Context,
        profiles: &[Profile],
        is_wanted: impl Fn(&&'static Rule) -> bool,
        options: &PipelineOptions,
    ) -> Result<Self, CommandError> {
        let index = options.target_index.as_deref().map(|path| -> Result<Vec<Input>, CommandError> {
            Ok(match context.open(path)? {
                Source::Catalog(input) => vec![input],
                Source::Index(path) => catalogs_of(&path)?.0.into_iter().map(|it| it.1).collect(),
            })
        });
        let is_of_repository = profiles.iter().any(|it| matches!(it, Profile::Community | Profile::Certified));
        if let Some(path) = options.old.as_deref().filter(|it| is_of_repository && !it.join("operators").is_dir()) {
            let shown = printable(&path.to_string_lossy()).into_owned();
            let error = CommandError::new(Exit::Input, format!("`{shown}` is not an operator repository"));
            return Err(error
                .help("`--base` must name a checkout of the repository without the change, with `operators/` in it"));
        }
        Ok(Self {
            profiles: profiles.to_vec(),
            rules: pipeline::rules::ALL.iter().copied().filter(|it| is_wanted(it)).collect(),
            options: options.clone(),
            builds: context.opener.builds.clone(),
            images: BTreeMap::new(),
            index: index.transpose()?,
            unchecked: Vec::new(),
            checked: Checked::default(),
            templates: Vec::new(),
            bundles: Vec::new(),
            new: Vec::new(),
            scratch: context.opener.scratch().to_owned(),
        })
    }

    fn asks(&self, profile: Profile) -> bool {
        self.profiles.contains(&profile)
    }

    /// Whether one of the chosen pipelines gives a verdict.
    pub(crate) fn are_asked(&self) -> bool {
        [Profile::Konflux, Profile::Iib, Profile::Community, Profile::Certified].iter().any(|it| self.asks(*it))
    }

    /// The rules that are wanted.
    pub(crate) fn rules(&self) -> &[&'static Rule] {
        &self.rules
    }

    /// The things that could not be checked, each once.
    pub(crate) fn unchecked(&self) -> Vec<Unchecked> {
        let names: Vec<&String> = self.templates.iter().map(|template| &template.0).collect();
        let render = match names.as_slice() {
            [only] => format!("the catalog that `{only}` renders"),
            _ => format!("the catalogs that {} templates render", names.len()),
        };
        let with_images: Vec<&(String, usize)> = self.templates.iter().filter(|template| template.1 > 0).collect();
        let images = counted(with_images.iter().map(|template| template.1 as u64).sum(), "image");
        let of = match with_images.as_slice() {
            [(only, _)] => format!("`{only}`"),
            all => format!("{} templates", all.len()),
        };
        let rendered =
            (self.are_asked() && !names.is_empty()).then(|| Unchecked::unnamed(format!("{}: {render}", self.names())));
        let read = (!with_images.is_empty()).then(|| {
            Unchecked::unnamed(format!("the bundles in {images} of {of}; `olmdex template render` reads them"))
        });
        rendered.into_iter().chain(read).chain(self.unchecked.iter().cloned()).collect()
    }

    /// Takes note of something that is not checked.
    pub(crate) fn note(&mut self, what: Unchecked) {
        if !self.unchecked.contains(&what) {
            self.unchecked.push(what);
        }
    }

    /// Judges templates, and notes their parts that are not judged; returns those whose graphs can be asked.
    pub(crate) fn add_templates(
        &mut self,
        context: &Context,
        texts: Vec<(String, Arc<[u8]>)>,
        is_repository: bool,
        copies: &mut TemplateCopies,
        findings: &mut Vec<Finding>,
    ) -> Result<Vec<PathBuf>, CommandError> {
        let images = context.opener.images_of_templates()?;
        let bundles = images.as_ref().map(|images| images as &dyn BundleImages);
        let mut graphs = Vec::new();
        let (mut parts, mut followed) = (Vec::new(), BTreeSet::new());
        // Those in a repository are parts of that.
        for (shown, text) in texts.iter().filter(|_| !is_repository) {
            let found = self.parts_of_composite(shown, text);
            followed.extend((!found.is_empty()).then(|| shown.clone()));
            parts.extend(found);
        }
        for (shown, text) in texts.into_iter().chain(parts) {
            let JudgedTemplate { findings: mut found, catalog, images, n_unread, n_names } =
                judge_template(&shown, text, bundles);
            // The catalog that it renders has the same graph.
            if catalog.is_some() {
                self.name_opm(&mut found);
            }
            findings.extend(found);
            self.templates.push((shown.clone(), n_unread));
            self.checked.templates += 1;
            if catalog.is_none() && !followed.contains(&shown) {
                self.note(Unchecked::unnamed(format!("the upgrade graph of `{shown}`")));
            }
            if n_names > 0 {
                let entries = counted(n_names as u64, "entry");
                let what = format!("the upgrades of {entries} of `{shown}` without a version in the name");
                self.note(Unchecked::unnamed(what));
            }
            // A remark says that versions are assumed, and nobody writes the edges of a semver template.
            if let Some(catalog) = catalog.filter(|catalog| catalog.remarks.is_empty()) {
                copies.add_template(&shown, &catalog, &images);
                graphs.push(PathBuf::from(shown));
            }
        }
        Ok(graphs)
    }

    /// How many templates were judged.
    pub(crate) fn n_templates(&self) -> u64 {
        self.checked.templates
    }

    /// The templates that are parts of a composite template; those that cannot be read are noted.
    fn parts_of_composite(&mut self, shown: &str, text: &[u8]) -> Vec<(String, Arc<[u8]>)> {
        let path = Path::new(shown);
        let parts = if path.is_file() { CompositePart::all_of(text) } else { Vec::new() };
        let mut texts = BTreeMap::new();
        for part in parts {
            let why = match part.read(path) {
                Ok((file, text)) if template_texts(&Input::file(&file)).is_some() => {
                    texts.insert(file.display().to_string(), text);
                    continue;
                }
                Ok((file, _)) => {
                    format!("it is no template; `olmdex check {}` checks it", word(&file.to_string_lossy()))
                }
                Err(error) => system_words(&error),
            };
            self.note(Unchecked::unnamed(format!("`{}`, a part of `{shown}`: {why}", part.input)));
        }
        texts.into_iter().collect()
    }

    fn names(&self) -> String {
        self.profiles.iter().map(|it| it.name()).collect::<Vec<&str>>().join(", ")
    }

    /// Takes the wanted findings of an outcome.
    fn take(&mut self, outcome: Outcome) -> Vec<Finding> {
        outcome.unchecked.into_iter().for_each(|it| self.note(it));
        let is_wanted = |finding: &Finding| self.rules.iter().any(|rule| rule.id == finding.rule.id);
        let (findings, hidden): (Vec<Finding>, Vec<Finding>) = outcome.findings.into_iter().partition(is_wanted);
        for finding in hidden.iter().filter(|finding| is_error(finding)) {
            let why = format!("{} is not among the selected rules, and is broken", finding.rule.id);
            self.note(Unchecked { check: finding.check, why });
        }
        findings
    }

    /// Leaves out a catalog of which no image is made.
    pub(crate) fn leave_out(&mut self, path: &Path) {
        if self.are_asked() {
            let path = printable(&path.to_string_lossy()).into_owned();
            let what = format!("{}: `{path}`: no pipeline makes an image of it", self.names());
            self.note(Unchecked::unnamed(what));
        }
    }

    /// Adds the findings of the pipelines about a catalog to the others.
    pub(crate) fn add_catalog(
        &mut self,
        path: &Path,
        image: Option<&CatalogImage>,
        shown: &str,
        input: &Input,
        findings: &mut Vec<Finding>,
    ) -> Result<(), CommandError> {
        self.add_catalog_image(path, image, shown, input, findings)?;
        if self.suites().is_empty() {
            return Ok(());
        }
        match Repository::around(path) {
            Some(repository) => {
                let catalogs = repository.catalogs().into_iter().filter(|it| is_within(&it.path, path)).collect();
                findings.append(&mut self.catalogs(&repository, catalogs));
            }
            None => self.note(Unchecked::new(
                STATIC_TESTS,
                format!(
                    "check_bundle_images_in_fbc, check_olm_bundle_object_in_fbc: `{shown}` does not lie in an \
                    operator repository, as `REPO/catalogs/vX.Y/OPERATOR`"
                ),
            )),
        }
        Ok(())
    }

    /// Adds the findings of the pipelines that build an image of a catalog, and names the check that fails when opm
    /// refuses.
    pub(crate) fn add_catalog_image(
        &mut self,
        path: &Path,
        image: Option<&CatalogImage>,
        shown: &str,
        input: &Input,
        findings: &mut Vec<Finding>,
    ) -> Result<(), CommandError> {
        self.checked.catalogs += 1;
        let has = |profile: Profile| profile.rules().iter().any(|it| self.rules.iter().any(|rule| rule.id == it.id));
        let (konflux, iib) = (has(Profile::Konflux), has(Profile::Iib));
        if konflux || iib {
            let index = self.index.take();
            let dockerfile = image.and_then(|image| image.dockerfile.as_ref());
            let target = Target {
                openshift: self.options.openshift,
                index: index.as_deref(),
                dockerfile,
                build: image.and_then(|image| image.build.as_ref()),
                is_unplaced: image.is_some_and(|image| image.is_unplaced),
                directory: Some(path).filter(|it| it.is_dir()),
            };
            if konflux {
                findings.append(&mut self.take(pipeline::konflux(input, &target, shown)));
            }
            if iib {
                findings.append(&mut self.take(pipeline::iib(input, &target, shown)));
            }
            let of_image = dockerfile.and_then(pipeline::openshift_of);
            pipeline::leave_out_said_twice(findings, self.options.openshift.or(of_image));
            self.index = index;
        }
        self.name_opm(findings);
        Ok(())
    }

    /// Names the check of a pipeline that fails where opm refuses: each pipeline has one.
    fn name_opm(&self, findings: &mut [Finding]) {
        let opm = [
            (Profile::Konflux, pipeline::rules::VALIDATE_FBC),
            (Profile::Iib, "opm_validate"),
            (Profile::Community, VALIDATE_CATALOG),
            (Profile::Certified, VALIDATE_CATALOG),
        ];
        let opm = opm.into_iter().find(|it| self.asks(it.0)).map(|it| it.1);
        for finding in findings.iter_mut().filter(|it| is_error(it) && it.check.is_none()) {
            finding.check = opm;
        }
    }

    /// The image that is built of a path: of a Dockerfile, or by the Dockerfile that copies a directory.
    pub(crate) fn image_of(&mut self, path: &Path) -> Result<Option<CatalogImage>, CommandError> {
        let builds = self.builds.clone();
        if let Some(file) = &self.options.dockerfile {
            let dockerfile = builds.read(file).map_err(|error| {
                let shown = printable(&file.to_string_lossy()).into_owned();
                CommandError::new(Exit::Input, format!("cannot read `{shown}`: {}", system_words(&error)))
                    .help("name the Dockerfile of the catalog")
            })?;
            let build = Build::of(&dockerfile);
            return Ok(Some(self.image(dockerfile, build, path)));
        }
        if !path.is_dir() {
            let made = builds.of_catalog(path).map(|dockerfile| (Build::of(&dockerfile), dockerfile));
            return Ok(made.map(|(build, dockerfile)| self.image(dockerfile, build, path)));
        }
        let near = self.images_near(path);
        let of_path = near.iter().filter_map(|it| Some((it.1.part_of(path)?.files.len() < it.1.files.len(), it)));
        // The one that copies nothing else is meant rather than one of a larger catalog.
        let best = of_path.min_by_key(|it| it.0).map(|it| (**it.1).clone());
        if let Some((dockerfile, build)) = best {
            return Ok(Some(self.image(dockerfile, build, path)));
        }
        let named = named_for(path);
        let own = near.iter().find(|it| named.contains(&it.0.path)).map(|it| (**it).clone());
        Ok(match own {
            Some((dockerfile, build)) => {
                Some(CatalogImage { is_unplaced: true, ..self.image(dockerfile, build, path) })
            }
            None if near.is_empty() => None,
            None => Some(CatalogImage { dockerfile: None, build: None, is_unplaced: true }),
        })
    }

    /// The Dockerfiles of catalogs in a directory and above it, with what they make.
    fn images_near(&mut self, directory: &Path) -> Vec<Rc<(Dockerfile, Build)>> {
        let mut found = Vec::new();
        for path in pipeline::dockerfiles_near(directory) {
            let made = |dockerfile: Dockerfile| Rc::new((dockerfile.clone(), Build::of(&dockerfile)));
            let read = || self.builds.of_catalog(&path).map(made);
            found.extend(self.images.entry(path.clone()).or_insert_with(read).clone());
        }
        found
    }

    /// The image of a Dockerfile, which is to hold a path.
    fn image(&mut self, dockerfile: Dockerfile, build: Build, path: &Path) -> CatalogImage {
        let shown = &dockerfile.shown;
        for why in build.unknown_parts() {
            self.note(Unchecked::unnamed(format!("the catalog that `{shown}` makes: {why}")));
        }
        if dockerfile.n_builds > 1 {
            let n = dockerfile.n_builds - 1;
            self.note(Unchecked::unnamed(format!(
                "{} of `{shown}` by pipelines in `.tekton` with another context or other arguments; give them with \
                `--context` and `--build-arg`",
                counted(n as u64, "more build")
            )));
        }
        if path.is_dir() && build.is_known() {
            self.note_left_out(&build, shown, path);
        }
        let is_itself = path.canonicalize().ok() == dockerfile.path.canonicalize().ok();
        let is_known = build.is_known();
        let part = if is_itself { Some(build) } else { build.part_of(path) };
        if is_known && part.is_none() {
            let path = printable(&path.to_string_lossy()).into_owned();
            let what = format!("the image of `{path}`: `{shown}` copies nothing of it to `/configs`");
            self.note(Unchecked::unnamed(what));
        }
        CatalogImage { build: part.filter(|_| is_known), dockerfile: Some(dockerfile), is_unplaced: false }
    }

    /// Takes note of the documents in a directory that a Dockerfile does not copy.
    fn note_left_out(&mut self, build: &Build, dockerfile: &str, directory: &Path) {
        let Ok(input) = Input::directory(directory) else { return };
        let built = build.real_files();
        let is_document = |shown: &str| [".yaml", ".yml", ".json"].iter().any(|ending| shown.ends_with(ending));
        let is_left = |shown: &str| Path::new(shown).canonicalize().is_ok_and(|path| !built.contains(&path));
        let names = input.files.iter().map(|file| file.shown.as_str());
        let left: Vec<&str> = names.filter(|shown| is_document(shown) && is_left(shown)).collect();
        if !left.is_empty() && left.len() < input.files.len() {
            let what = format!("files that `{dockerfile}` does not copy: {}", Listed::quoted(&left).at_most(3));
            self.note(Unchecked::unnamed(what));
        }
    }

    /// Whether a chosen pipeline looks at bundles.
    pub(crate) fn judge_bundles(&self) -> bool {
        [Profile::Iib, Profile::Community, Profile::Certified].iter().any(|it| self.asks(*it))
    }

    fn suites(&self) -> Vec<Suite> {
        let of = [(Profile::Community, Suite::Community), (Profile::Certified, Suite::Certified)];
        of.into_iter().filter(|it| self.asks(it.0)).map(|it| it.1).collect()
    }

    /// The Kubernetes for which the community checks bundles: that of the chosen OpenShift, or of the newest.
    pub(crate) fn kubernetes_of_bundles(&self) -> Option<String> {
        self.asks(Profile::Community).then(|| community::kubernetes_of(self.options.openshift))
    }

    /// The bundles of an operator that were not in the repository before the change: a hosted pipeline looks at these.
    pub(crate) fn unpublished(&self, operator: &Path, bundles: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
        let old = self.options.old.as_deref().filter(|_| !self.suites().is_empty());
        let root = || Repository::around(operator)?.root.canonicalize().ok();
        let Some((old, root)) = old.and_then(|old| Some((old, root()?))) else { return bundles.collect() };
        let is_published = |bundle: &PathBuf| {
            let real = bundle.canonicalize().ok();
            real.and_then(|real| Some(old.join(real.strip_prefix(&root).ok()?))).is_some_and(|path| path.is_dir())
        };
        bundles.filter(|bundle| !is_published(bundle)).collect()
    }

    /// Whether a path is a repository, or all of its catalogs, for a chosen pipeline.
    pub(crate) fn takes_for_repository(&self, path: &Path) -> bool {
        let is_taken = |repository: Repository| repository.is_at(path) || path.ends_with("catalogs");
        !self.suites().is_empty() && Repository::around(path).is_some_and(is_taken)
    }

    /// The findings of a repository's checks about catalogs in it.
    fn catalogs(&mut self, repository: &Repository, mut catalogs: Vec<OperatorCatalog>) -> Vec<Finding> {
        if let Some(openshift) = self.options.openshift {
            catalogs.retain(|it| it.catalog == format!("v{openshift}"));
        }
        self.checked.catalogs += catalogs.len() as u64;
        community::check_catalogs(repository, &catalogs)
    }

    /// The findings of the pipelines about an operator; `None` if no chosen pipeline checks operators.
    pub(crate) fn operator(&mut self, path: &Path, operator: &Operator) -> Option<Vec<Finding>> {
        self.checked.operators += 1;
        self.checked.operators_of_fbc += u64::from(operator.is_of_fbc());
        let repository = Repository::around(path);
        let mut findings: Vec<Finding> = Vec::new();
        let suites = self.suites();
        for suite in &suites {
            for finding in community::suite_findings(operator, repository.as_ref(), *suite) {
                if !findings.contains(&finding) {
                    findings.push(finding);
                }
            }
        }
        (!suites.is_empty()).then_some(findings)
    }

    /// The findings of the pipelines about the catalogs of a repository, or about those of one of its operators, and
    /// about the change to it. With the number of catalogs.
    pub(crate) fn repository(&mut self, path: &Path) -> Result<(Vec<Finding>, u64), CommandError> {
        let Some(repository) = Repository::around(path).filter(|_| !self.suites().is_empty()) else {
            return Ok((Vec::new(), 0));
        };
        let is_whole = repository.is_at(path) || path.ends_with("operators") || path.ends_with("catalogs");
        let operator = path.file_name().map(|it| it.to_string_lossy().into_owned());
        let mut catalogs = repository.catalogs();
        catalogs.retain(|it| is_whole || Some(&it.operator) == operator.as_ref());
        let is_of_target = |it: &OperatorCatalog, target: Minor| it.catalog == format!("v{target}");
        catalogs.retain(|it| self.options.openshift.is_none_or(|target| is_of_target(it, target)));
        let mut findings = self.catalogs(&repository, catalogs.clone());
        for catalog in &catalogs {
            let input = Input::directory(&catalog.path).map_err(|error| {
                let shown = printable(&catalog.path.to_string_lossy()).into_owned();
                CommandError::new(Exit::Input, format!("cannot read `{shown}`: {}", system_words(&error)))
                    .help("check the permissions")
            })?;
            let said = check_catalog(&input, None).findings.into_iter();
            findings.extend(said.map(|it| Finding { check: Some(VALIDATE_CATALOG).filter(|_| is_error(&it)), ..it }));
        }
        match &self.options.old {
            Some(old) => {
                findings.extend(community::check_change(old, &repository).map_err(|error| {
                    let message = format!("cannot compare the repositories: {}", system_words(&error));
                    CommandError::new(Exit::Input, message).help("check the permissions of both")
                })?);
                self.checked.changes += 1;
            }
            None => self.note(Unchecked::new(
                DETECT_CHANGES,
                "whether a pull request mixes bundles and catalogs is unknown without the repository before the \
                change; name it with `--base`",
            )),
        }
        Ok((findings, catalogs.len() as u64))
    }

    /// Names the checks behind the findings about a bundle directory, and keeps the bundle for [`Self::added`].
    pub(crate) fn add_bundle(
        &mut self,
        directory: &Path,
        is_lone: bool,
        findings: &mut Vec<Finding>,
    ) -> Result<(), CommandError> {
        self.checked.bundles += 1;
        // Preflight names the check for certified operators, the SDK for the others.
        let check = match (self.asks(Profile::Community), self.asks(Profile::Certified)) {
            (true, _) => Some("check_osdk_bundle_validate_operator_framework"),
            (false, true) => Some("ValidateOperatorBundle"),
            (false, false) => None,
        };
        let is_of_suite = !self.suites().is_empty();
        for finding in findings.iter_mut().filter(|it| is_error(it) && it.check.is_none()) {
            let is_of_versions = is_of_suite && finding.rule.id == bundle::rules::table::OPENSHIFT_VERSIONS.id;
            finding.check = if is_of_versions { Some(community::SUPPORTED_VERSIONS) } else { check };
        }
        if is_of_suite {
            let checks = community::hosted_checks(directory, self.asks(Profile::Certified)).map_err(|error| {
                let shown = printable(&directory.to_string_lossy()).into_owned();
                let message = format!("cannot read `{shown}`: {}", system_words(&error));
                CommandError::new(Exit::Input, message).help("check the permissions")
            })?;
            findings.extend(checks.findings);
            checks.unchecked.into_iter().for_each(|(task, why)| self.note(Unchecked::new(task, why)));
            if is_lone {
                // Most static tests compare the bundles of an operator.
                let why = format!("the tests of an operator: `{}` is by itself", directory.display());
                self.note(Unchecked::new(STATIC_TESTS, why));
            }
        }
        if !self.asks(Profile::Iib) {
            return Ok(());
        }
        match Registration::read(directory) {
            Ok(it) => {
                let place = Place::at_line(&directory.join("manifests").display().to_string(), 1);
                let replaces = Some(it.replaces.clone()).filter(|it| !it.is_empty());
                let (package, name) = (it.package.clone(), it.name.clone());
                self.bundles.push(Added { package, name, replaces, place });
                self.new.push(NewBundle { bundle: it, image: String::new() });
            }
            Err(_) => self.note(Unchecked::new(
                pipeline::rules::REGISTRY_ADD,
                format!("`{}` cannot be read as a bundle", directory.display()),
            )),
        }
        Ok(())
    }

    /// The findings of adding the bundles.
    ///
    /// # Errors
    /// If there is no room for a trial.
    pub(crate) fn added(&mut self) -> Result<Vec<Finding>, CommandError> {
        let mut outcome = pipeline::added(&self.bundles, self.index.as_deref());
        let is_wanted = self.rules.iter().any(|it| it.id == pipeline::rules::NOT_ADDED.id);
        if is_wanted && outcome.findings.is_empty() && !self.new.is_empty() {
            outcome.findings.extend(self.tried(&mut outcome.unchecked)?);
        }
        Ok(self.take(outcome))
    }

    /// Tries to add the bundles to a copy of their packages.
    fn tried(&self, unchecked: &mut Vec<Unchecked>) -> Result<Option<Finding>, CommandError> {
        let Some(index) = &self.index else { return Ok(None) };
        let options = AddOptions { mode: self.options.update_mode.into(), ..AddOptions::default() };
        let scratch = Scratch::make(&self.scratch)?;
        match Edit::try_to_add(index, &self.new, options, scratch.path())? {
            Trial::Added => Ok(None),
            Trial::Refused(error) => {
                let help =
                    error.help().unwrap_or_else(|| "correct the bundle, or choose another `--update-mode`".to_owned());
                Ok(pipeline::not_added(&self.bundles, error.to_string(), &help))
            }
            Trial::Unknown(findings) => {
                let why = findings.first().map(|it| format!(": {}", it.message)).unwrap_or_default();
                let why = format!("the packages of the index cannot be written as a database{why}");
                unchecked.push(Unchecked::new(pipeline::rules::REGISTRY_ADD, why));
                Ok(None)
            }
        }
    }

    /// The verdicts of the pipelines.
    pub(crate) fn verdicts(&self, findings: &[Finding]) -> Vec<PipelineVerdict> {
        let unchecked = self.unchecked();
        let verdict = |profile: &Profile| pipeline::verdict(*profile, &self.checked, findings, &unchecked);
        self.profiles.iter().filter_map(verdict).collect()
    }
}

/// Whether two paths are equal or one is below the other.
fn is_within(one: &Path, other: &Path) -> bool {
    let (Ok(one), Ok(other)) = (one.canonicalize(), other.canonicalize()) else { return false };
    one.starts_with(&other) || other.starts_with(&one)
}

/// The Dockerfiles that are by their names those of a directory.
fn named_for(directory: &Path) -> Vec<PathBuf> {
    let Some(name) = directory.file_name() else { return Vec::new() };
    let beside = directory.parent().unwrap_or(Path::new(""));
    let own = format!("{}.Dockerfile", name.to_string_lossy());
    [own.as_str(), "catalog.Dockerfile", "Dockerfile"].iter().map(|name| beside.join(name)).collect()
}
