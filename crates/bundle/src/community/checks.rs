//! The checks of a version (`docs/behaviour/authoring.md` C.4 and F.2).

use std::collections::BTreeSet;

use super::configuration::TemplateRelease;
use super::fields::FIELDS;
use super::file::{RepositoryFile, Unread};
use super::graph::NoGraph;
use super::openshift::{Conflict, catalogs, conflicts};
use super::operator::{Operator, VersionDirectory, path};
use super::rules;
use super::schema::{RELEASE, misfits};
use super::verdict::{CheckResult, Wording};
use olmdex_constraint::openshift::Minor;
use olmdex_fbc::Spot;
use olmdex_text::json::{Reader, Step};
use olmdex_version::Version;

const ANNOTATION_PACKAGE: [&str; 2] = ["annotations", "operators.operatorframework.io.bundle.package.v1"];
const ANNOTATION_CHANNELS: [&str; 2] = ["annotations", "operators.operatorframework.io.bundle.channels.v1"];
const ANNOTATION_OPENSHIFT: [&str; 2] = ["annotations", "com.redhat.openshift.versions"];

/// A version that is being checked.
pub(super) struct Checked<'o> {
    pub(super) operator: &'o Operator,
    pub(super) number: usize,
    pub(super) verdicts: Vec<CheckResult>,
}

const CHECK_NAME: &str = "check_operator_name";

impl<'o> Checked<'o> {
    fn version(&self) -> &'o VersionDirectory {
        &self.operator.versions[self.number]
    }

    /// The name that the pipelines give it.
    fn bundle(&self) -> String {
        bundle(self.operator, self.number)
    }

    fn shown(&self) -> String {
        self.operator.path.join(&self.version().name).display().to_string()
    }

    fn add(&mut self, check: &'static str, wording: Wording, file: Option<&RepositoryFile>, at: &[Step]) {
        let (version, shown) = (self.version().name.clone(), self.shown());
        self.verdicts.push(wording.at(check, Some(&version), file, &Spot::Path(at.to_vec()), &shown));
    }

    fn in_csv<const N: usize>(&mut self, check: &'static str, wording: Wording, at: [&str; N]) {
        let version = self.version();
        self.add(check, wording, version.csv.as_ref().ok(), &path(at));
    }

    fn in_annotations<const N: usize>(&mut self, check: &'static str, wording: Wording, at: [&str; N]) {
        let version = self.version();
        self.add(check, wording, version.annotations.as_ref().ok(), &path(at));
    }

    /// All checks.
    pub(super) fn run(&mut self) {
        self.name();
        if let (Err(error), is_csv) = match (&self.version().csv, &self.version().annotations) {
            (Err(error), _) => (Err(error), true),
            (_, Err(error)) => (Err(error), false),
            _ => (Ok(()), true),
        } {
            self.unreadable(error.clone(), is_csv);
        }
        if self.version().csv.is_ok() {
            self.fields();
            self.directory();
        }
        self.network_policy();
        self.release();
        if self.operator.settings.is_fbc || self.version().facts.split_name.is_none() {
            return;
        }
        self.dangling();
        self.kubernetes();
        self.replaces();
        self.pruned();
    }

    fn unreadable(&mut self, error: Unread, is_csv: bool) {
        let what = if is_csv { "ClusterServiceVersion" } else { "`metadata/annotations.yaml`" };
        let message = match error {
            Unread::Absent => format!("the version has no {what}"),
            Unread::Unreadable(message) => format!("{what} is unreadable: {message}"),
            Unread::Broken(message, line) => format!("{what} is unreadable: line {line}: {message}"),
        };
        let mut wording = Wording::new(rules::UNREADABLE, message, "EXC");
        wording.help = if is_csv { self.version().csv_help(&self.operator.path) } else { None };
        self.add("load", wording, None, &[]);
    }

    fn name(&mut self) {
        let (operator, version) = (self.operator, self.version());
        if version.facts.package.is_empty() {
            let wording = Wording::new(
                rules::NAME,
                "the annotations name no package",
                "Bundle does not define the operator name in annotations.yaml",
            );
            self.in_annotations(
                CHECK_NAME,
                wording.help("set `operators.operatorframework.io.bundle.package.v1`"),
                ANNOTATION_PACKAGE,
            );
            return;
        }
        let Some((csv_name, _)) = &version.facts.split_name else {
            let help = version.csv_help(&operator.path);
            let message = match help {
                Some(_) => "without a ClusterServiceVersion the version has no name",
                None => "the name of the ClusterServiceVersion is not NAME.VERSION",
            };
            let theirs = format!("Invalid operator name in CSV for {}", self.bundle());
            let wording = Wording { help, ..Wording::new(rules::NAME, message, theirs) };
            self.in_csv(CHECK_NAME, wording, ["metadata", "name"]);
            return;
        };
        let has_others = operator.versions.len() > 1;
        let package = &version.facts.package;
        if has_others {
            self.name_of_others(package, csv_name);
        }
        let rule = if has_others { rules::OTHER_NAME } else { rules::NAME };
        if package != csv_name {
            let wording = Wording::new(
                rule,
                format!("the package is `{package}`, but the ClusterServiceVersion has the name `{csv_name}`"),
                format!(
                    "Operator name from annotations.yaml ({package}) does not match the name defined in the CSV ({csv_name})"
                ),
            );
            self.in_annotations(CHECK_NAME, wording, ANNOTATION_PACKAGE);
        }
        if *package != operator.name {
            let directory = &operator.name;
            let wording = Wording::new(
                rule,
                format!("the package is `{package}`, but its directory is `{directory}`"),
                format!(
                    "Operator name from annotations.yaml ({package}) does not match the operator's directory name \
                     ({directory})"
                ),
            );
            self.in_annotations(CHECK_NAME, wording, ANNOTATION_PACKAGE);
        }
    }

    /// Compares the names with those of the operator's other versions.
    fn name_of_others(&mut self, package: &String, csv_name: &String) {
        let versions = self.operator.versions.iter().enumerate();
        let others = || versions.clone().filter(|it| it.0 != self.number).map(|it| &it.1.facts);
        // A version without annotations has an empty name, which counts as one.
        let packages: BTreeSet<&str> = others().map(|it| it.package.as_str()).collect();
        let names: BTreeSet<&str> = others().filter_map(|it| it.split_name.as_ref()).map(|it| it.0.as_str()).collect();
        for (own, others, place, is_csv) in
            [(package, packages, "from annotations.yaml", false), (csv_name, names, "from the CSV", true)]
        {
            let wording = match others.iter().collect::<Vec<_>>().as_slice() {
                [only] if **only == own => continue,
                [only] => Wording::new(
                    rules::NAME,
                    format!("the name is `{own}`, but the other versions have the name `{only}`"),
                    format!("Operator name {place} ({own}) does not match the name defined in other bundles ({only})"),
                )
                .help(format!("use `{only}`")),
                several => {
                    let all: BTreeSet<&str> = several.iter().map(|it| **it).chain([own.as_str()]).collect();
                    let listed: Vec<String> = all.iter().map(|it| format!("'{it}'")).collect();
                    let listed = listed.join(", ");
                    Wording::new(
                        rules::OTHER_NAME,
                        format!("the versions of the operator have several names: {listed}"),
                        format!("Operator name {place} is not consistent across bundles: [{listed}]"),
                    )
                }
            };
            match is_csv {
                true => self.in_csv(CHECK_NAME, wording, ["metadata", "name"]),
                false => self.in_annotations(CHECK_NAME, wording, ANNOTATION_PACKAGE),
            }
        }
    }

    fn fields(&mut self) {
        let version = self.version();
        let Ok(file) = &version.csv else { return };
        let mut reader = Reader::new();
        let Ok(csv) = reader.read(&file.json) else { return };
        for field in FIELDS {
            let name = field.path.join(".");
            let at: Vec<Step> = field.path.iter().map(|it| Step::Key((*it).to_owned())).collect();
            let (message, theirs) = match field.of(csv) {
                Some(value) if field.fits(value, || file.is_quoted(&at)) => continue,
                Some(_) => (format!("`{name}` is not valid"), format!("CSV contains an invalid value for {name}")),
                None => (format!("`{name}` is missing"), format!("CSV does not define {name}")),
            };
            let rule = if field.is_required { rules::REQUIRED_FIELD } else { rules::RECOMMENDED_FIELD };
            let wording = Wording::new(rule, message, theirs).help(format!("it is {}", field.help()));
            self.add("check_required_fields", wording, Some(file), &at);
        }
    }

    fn directory(&mut self) {
        let (operator, version) = (self.operator, self.version());
        let (own, wanted) = (&version.name, &version.facts.version);
        if own != wanted {
            let name = &operator.name;
            let file = version.csv.as_ref().map(|it| it.shown.clone()).unwrap_or_default();
            let below = file.find("operators/").map_or(file.as_str(), |at| &file[at..]);
            let wording = Wording::new(
                rules::DIRECTORY,
                format!("the directory is `{own}`, but the version is `{wanted}`"),
                format!(
                    "Bundle directory name '{name}/{own}' does not match the expected operator CSV version '{wanted}' \
                     from ./{below}."
                ),
            );
            let help = format!("rename the directory to `{wanted}`, or correct `spec.version`");
            self.in_csv("check_operator_version_directory_name", wording.help(help), ["spec", "version"]);
        }
    }

    fn dangling(&mut self) {
        const CHECK: &str = "check_dangling_bundles";
        for channel in self.version().all_channels() {
            let graph = match self.operator.graph(channel) {
                Ok(graph) => graph,
                Err(error) => {
                    let wording = no_graph(self.operator, &error);
                    let at = if let NoGraph::Name(number, _) = error { number } else { self.number };
                    let csv = self.operator.versions[at].csv.as_ref().ok();
                    self.add(CHECK, wording, csv, &path(["spec", "replaces"]));
                    return;
                }
            };
            let head = graph.members.last().map(|it| &self.operator.versions[*it].facts);
            let is_head = |it: &usize| head.is_some_and(|head| self.operator.versions[*it].facts.order(head).is_eq());
            let dangling: Vec<usize> =
                graph.members.iter().copied().filter(|it| !graph.edges.contains_key(it) && !is_head(it)).collect();
            if let Some(first) = dangling.first() {
                let theirs: Vec<String> = dangling.iter().map(|it| bundle(self.operator, *it)).collect();
                let names: Vec<String> =
                    dangling.iter().map(|it| format!("`{}`", self.operator.versions[*it].name)).collect();
                let wording = Wording::new(
                    rules::DANGLING,
                    format!("in channel `{channel}`, no version upgrades {}", names.join(", ")),
                    format!("Channel {channel} has dangling bundles: {{{}}}", theirs.join(", ")),
                );
                let help = match self.sorts_below_its_release(*first, &graph.members) {
                    Some((own, release)) => format!(
                        "{own} is a pre-release for semver and sorts below {release}, so it is not the head: give it a \
                         higher version, or let {release} replace or skip it"
                    ),
                    None => "let a later version replace or skip it, or include it in an `olm.skipRange`".to_owned(),
                };
                let annotations = self.operator.versions[*first].annotations.as_ref().ok();
                self.add(CHECK, wording.help(help), annotations, &path(ANNOTATION_CHANNELS));
            }
        }
    }

    /// A version with a suffix that sorts below a version of the channel with the same numbers, and the latter.
    fn sorts_below_its_release(&self, at: usize, members: &[usize]) -> Option<(Version, Version)> {
        let version_of = |at: usize| Version::parse(&self.operator.versions.get(at)?.facts.split_name.as_ref()?.1).ok();
        let own = version_of(at)?;
        let numbers = |it: &Version| (it.major(), it.minor(), it.patch());
        let mut others = members.iter().filter_map(|it| version_of(*it));
        let release = others.find(|it| numbers(it) == numbers(&own) && own.cmp_precedence(it).is_lt())?;
        Some((own, release))
    }

    fn kubernetes(&mut self) {
        const CHECK: &str = "check_api_version_constraints";
        let facts = &self.version().facts;
        let Some(kubernetes) = facts.min_kubernetes.as_deref() else { return };
        for conflict in conflicts(kubernetes, facts.openshift.as_deref()) {
            let wording = match &conflict {
                Conflict::BadKubernetes(text) => Wording::new(
                    rules::KUBERNETES,
                    format!("`minKubeVersion` is `{text}`, which is not a version"),
                    format!("Invalid minKubeVersion: {text} is not valid SemVer string"),
                ),
                Conflict::NoOpenShift(lowest) => Wording::new(
                    rules::KUBERNETES,
                    "`minKubeVersion` is set, but `com.redhat.openshift.versions` is not",
                    format!("minKubeVersion is set to {lowest} but com.redhat.openshift.versions is not set"),
                )
                .help("set it in `metadata/annotations.yaml` to the first OpenShift version with that Kubernetes"),
                Conflict::BadOpenShift(text) => Wording::new(
                    rules::KUBERNETES,
                    format!("`com.redhat.openshift.versions` has `{text}`, which is not a version"),
                    format!("Invalid com.redhat.openshift.versions: {text} is not valid SemVer string"),
                ),
                Conflict::List => Wording::new(
                    rules::OPENSHIFT_LIST,
                    "`com.redhat.openshift.versions` is a list",
                    "Comma separated list of versions in com.redhat.openshift.versions is only supported for v4.5 and v4.6",
                )
                .help("write the lowest version, which includes all later ones, or write a range"),
                Conflict::Older(versions, lowest) => Wording::new(
                    rules::KUBERNETES,
                    format!("OpenShift {} has a Kubernetes version below {lowest}", versions.replace(',', ", ")),
                    format!("OCP version(s) {versions} conflict with minKubeVersion={lowest}"),
                )
                .help("correct `minKubeVersion` or `com.redhat.openshift.versions`"),
            };
            match conflict {
                Conflict::BadKubernetes(_) | Conflict::NoOpenShift(_) => {
                    self.in_csv(CHECK, wording, ["spec", "minKubeVersion"]);
                }
                _ => self.in_annotations(CHECK, wording, ANNOTATION_OPENSHIFT),
            }
        }
    }

    fn replaces(&mut self) {
        const CHECK: &str = "check_replaces_availability";
        let (operator, version) = (self.operator, self.version());
        let Some(replaces) = version.facts.replaces.as_deref().filter(|it| !it.is_empty()) else { return };
        let own = self.bundle();
        let mut refuse = |wording: Wording| self.in_csv(CHECK, wording, ["spec", "replaces"]);
        let Some((_, wanted)) = replaces.split_once(".v").or_else(|| replaces.split_once('.')) else {
            let message = format!("`spec.replaces` is `{replaces}`, which has no version");
            refuse(Wording::new(rules::BAD_REPLACES, message, "EXC IndexError").help("write it as NAME.vVERSION"));
            return;
        };
        if version.facts.split_name.as_ref().is_some_and(|it| it.1 == wanted) {
            refuse(Wording::new(
                rules::REPLACES,
                "the version replaces itself",
                format!(
                    "{own} attempts to replace itself. Please set 'spec.replaces' field to a different version in the CSV."
                ),
            ));
            return;
        }
        let named = |it: &&VersionDirectory| it.facts.split_name.as_ref().is_some_and(|it| it.1 == wanted);
        let Some(replaced) = operator.versions.iter().find(named) else {
            let mut there: Vec<&str> = operator
                .versions
                .iter()
                .filter_map(|it| it.facts.split_name.as_ref())
                .map(|it| it.1.as_str())
                .collect();
            there.sort_unstable();
            let listed: Vec<String> = there.iter().map(|it| format!("'{it}'")).collect();
            let own_version = version.facts.split_name.as_ref().map(|it| it.1.as_str());
            let help = help_for_absent(wanted, there.iter().copied().filter(|it| Some(*it) != own_version));
            refuse(
                Wording::new(
                    rules::REPLACES,
                    format!("the version replaces {wanted}, which is not in the repository"),
                    format!(
                        "{own} attempts to replace version '{wanted}' which does not exist in the submitted PR branch. \
                         Available versions: [{}]. If you are submitting multiple versions in sequence, make sure your \
                         fork is up to date with origin (rebased) before each submission to include all previously \
                         merged versions.",
                        listed.join(", ")
                    ),
                )
                .help(help),
            );
            return;
        };
        let (mine, theirs) = (version.facts.openshift.as_deref(), replaced.facts.openshift.as_deref());
        let (goes_to, has) = (catalogs(mine), catalogs(theirs));
        if mine == theirs || goes_to.is_subset(&has) {
            return;
        }
        let list = |it: &BTreeSet<Minor>| {
            let names: Vec<String> = it.iter().map(|it| format!("'{it}'")).collect();
            format!("[{}]", names.join(", "))
        };
        let absent: Vec<String> = goes_to.difference(&has).map(Minor::to_string).collect();
        let replaced_name = format!("Bundle({}/{})", operator.name, replaced.name);
        let shown = |it: Option<&str>| it.unwrap_or("None").to_owned();
        refuse(
            Wording::new(
                rules::REPLACES,
                format!("the version goes to OpenShift {}, but `{}`, which it replaces, does \
                    not", absent.join(", "), replaced.name),
                format!(
                    "Replaces bundle {replaced_name} {} does not support the same OCP versions as bundle {own} {}. In order \
                     to fix this issue, align the OCP version range to match the range of the replaced bundle. This can be \
                     done by setting the `com.redhat.openshift.versions` annotation in the `metadata/annotations.yaml` \
                     file.\n`{own}` - `{}`\n`{replaced_name}` - `{}`",
                    list(&has),
                    list(&goes_to),
                    shown(mine),
                    shown(theirs)
                ),
            )
            .help("align `com.redhat.openshift.versions` of both versions"),
        );
    }

    fn pruned(&mut self) {
        let facts = &self.version().facts;
        let is = |it: &Option<String>| it.as_ref().is_some_and(|it| !it.is_empty());
        if !is(&facts.skip_range) || is(&facts.replaces) {
            return;
        }
        for channel in &facts.channels {
            if self.operator.members(channel).len() == 1 {
                continue;
            }
            let wording = Wording::new(
                rules::PRUNED,
                format!("in channel `{channel}`, the version has an `olm.skipRange` but no `replaces`"),
                "olm.skipRange annotation is set but replaces field is not set in the CSV. The definition may lead to \
                 unintentional pruning of the update graph. \
                 https://olm.operatorframework.io/docs/concepts/olm-architecture/operator-catalog/creating-an-update-graph/#skiprange. \
                 If this is intentional, you can skip the check by adding `/test skip check_pruned_graph` comment to a \
                 pull request.",
            );
            let help = "set `spec.replaces` to the version before it";
            self.in_csv("check_pruned_graph", wording.help(help), ["metadata", "annotations", "olm.skipRange"]);
        }
    }

    fn release(&mut self) {
        let version = self.version();
        let file = match &version.release {
            Ok(file) if file.json != "null" => file,
            Ok(_) | Err(Unread::Absent) => return,
            Err(Unread::Unreadable(message) | Unread::Broken(message, _)) => {
                let message = format!("`release-config.yaml` is unreadable: {message}");
                self.add("load", Wording::new(rules::UNREADABLE, message, "EXC"), None, &[]);
                return;
            }
        };
        let mut reader = Reader::new();
        if let Ok(value) = reader.read(&file.json) {
            let mut found = Vec::new();
            misfits(&RELEASE, value, &mut Vec::new(), &mut found);
            for it in found {
                let theirs = format!(
                    "Bundle's 'release-config.yaml' contains invalid data which does not comply with the schema: {}",
                    it.theirs
                );
                let wording = Wording::new(rules::SCHEMA, it.message, theirs);
                self.add("check_validate_schema_bundle_release_config", wording, Some(file), &it.path);
            }
        }
        self.release_config(file);
    }

    fn release_config(&mut self, file: &RepositoryFile) {
        const CHECK: &str = "check_bundle_release_config";
        const STREAMS: [&str; 3] = ["Fast", "Candidate", "Stable"];
        let settings = &self.operator.settings;
        if !settings.is_fbc {
            let wording = Wording::new(
                rules::RELEASE,
                "the version has a release configuration, but `ci.yaml` does not enable catalogs from templates",
                "Bundle's 'release-config.yaml' is used but FBC is not enabled for the operator. Update the 'fbc.enabled' \
                 field in the ci.yaml file.",
            );
            self.add(CHECK, wording.help("set `fbc: {enabled: true}` in ci.yaml"), Some(file), &[]);
            return;
        }
        for (number, wanted) in TemplateRelease::read(&file.json).into_iter().enumerate() {
            let at = |key: &str| vec!["catalog_templates".into(), number.into(), key.into()];
            let template = &wanted.template;
            // If several share a name, the last counts here.
            let wording = match settings.mapping.iter().rfind(|it| it.template == *template) {
                None => Wording::new(
                    rules::RELEASE,
                    format!("the template `{template}` is not in the `catalog_mapping` of ci.yaml"),
                    format!(
                        "Bundle's 'release-config.yaml' contains a catalog template '{template}' that is not defined in \
                         the ci.yaml file under 'catalog_mapping'. Add the template to the 'catalog_mapping."
                    ),
                )
                .help("add it there, or correct the name"),
                Some(mapping) if mapping.kind == "olm.semver" => {
                    let others: Vec<&String> =
                        wanted.channels.iter().filter(|it| !STREAMS.contains(&it.as_str())).collect();
                    let Some(first) = others.first() else { continue };
                    let listed: Vec<String> = wanted.channels.iter().map(|it| format!("'{it}'")).collect();
                    Wording::new(
                        rules::RELEASE,
                        format!("`{first}` is not a channel of a semver template"),
                        format!(
                            "Bundle's 'release-config.yaml' contains a semver catalog template '{template}' with invalid \
                             channels: [{}]. Allowed channels are: ['Fast', 'Candidate', 'Stable']. Follow olm \
                             [documentation](https://olm.operatorframework.io/docs/reference/catalog-templates/#specification) \
                             to see more details about semver template.",
                            listed.join(", ")
                        ),
                    )
                    .help("the channels are Fast, Candidate and Stable")
                }
                Some(_) => continue,
            };
            let key = if wording.message.contains("channel of a") { "channels" } else { "template_name" };
            self.add(CHECK, wording, Some(file), &at(key));
        }
    }

    fn network_policy(&mut self) {
        let operator = self.operator;
        let manifests = operator.path.join(&self.version().name).join("manifests");
        let mut names: Vec<String> = std::fs::read_dir(&manifests)
            .into_iter()
            .flatten()
            .flatten()
            .map(|it| it.file_name().to_string_lossy().into_owned())
            .filter(|it| it.ends_with(".yaml") || it.ends_with(".yml"))
            .collect();
        names.sort();
        for name in names {
            let Ok(file) = RepositoryFile::read(&manifests, &name) else { continue };
            // Reading all of a definition again for one word would cost more than looking for it.
            let mut reader = Reader::new();
            let Ok(value) = reader.read(&file.json) else { continue };
            let text = |key: &str| value.get(key).and_then(|it| it.as_str()).unwrap_or_default();
            if text("kind") == "NetworkPolicy" && text("apiVersion").starts_with("networking.k8s.io/") {
                let wording = Wording::new(
                    rules::NETWORK_POLICY,
                    "the bundle has a NetworkPolicy",
                    format!(
                        "Bundle contains a NetworkPolicy in {name}. Network policies are not a supported resource that \
                         Operator Lifecycle Manager(OLM) can install and manage."
                    ),
                );
                self.add("check_network_policy_presence", wording, Some(&file), &path(["kind"]));
            }
        }
    }
}

/// The name that the pipelines give a version.
pub(super) fn bundle(operator: &Operator, number: usize) -> String {
    format!("Bundle({}/{})", operator.name, operator.versions[number].name)
}

/// The reason why a channel has no graph.
pub(super) fn no_graph(operator: &Operator, error: &NoGraph) -> Wording {
    match error {
        NoGraph::Mode(mode) => Wording::new(
            rules::UPDATE_GRAPH,
            format!("`updateGraph` is `{mode}`"),
            format!("Operator({}): unsupported updateGraph value: {mode}", operator.name),
        )
        .help("use `replaces-mode` or `semver-mode`"),
        NoGraph::Name(number, name) => Wording::new(
            rules::BAD_REPLACES,
            format!("`{}` replaces or skips `{name}`, which has no version", operator.versions[*number].name),
            format!("{} has invalid 'replaces' field: '{name}'", bundle(operator, *number)),
        )
        .help("write it as NAME.vVERSION"),
        NoGraph::Version(text) => Wording::new(
            rules::UNREADABLE,
            format!("`{text}` is not a version, but the channel has an `olm.skipRange`"),
            format!("Invalid version string: '{text}'"),
        )
        .help("rename the ClusterServiceVersion to NAME.vVERSION"),
    }
}

/// The advice for a version that replaces one that is not there; `others` are those that are.
fn help_for_absent<'v>(wanted: &str, others: impl Iterator<Item = &'v str>) -> String {
    match olmdex_version::nearest(Version::parse(wanted).ok().as_ref(), others) {
        Some(nearest) => format!("add that version first, or replace one that is there: {nearest}"),
        None => "add that version first: the repository has no other one".to_owned(),
    }
}
