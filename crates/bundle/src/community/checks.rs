//! The checks of a version (`docs/behaviour/authoring.md` C.4 and F.2).

use std::collections::BTreeSet;

use super::configuration::TemplateRelease;
use super::fields::FIELDS;
use super::file::{RepositoryFile, Unread};
use super::finding::{LOAD, placed};
use super::graph::NoGraph;
use super::openshift::{Conflict, catalogs, conflicts};
use super::operator::{Operator, VersionDirectory, path};
use super::rules;
use super::schema::{RELEASE, misfits};
use olmdex_base::diag::{Finding, Listed};
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
    pub(super) found: Vec<Finding>,
}

const CHECK_NAME: &str = "check_operator_name";
const CHECK_RELEASE: &str = "check_bundle_release_config";

impl<'o> Checked<'o> {
    fn version(&self) -> &'o VersionDirectory {
        &self.operator.versions[self.number]
    }

    fn shown(&self) -> String {
        self.operator.path.join(&self.version().name).display().to_string()
    }

    fn add(&mut self, check: &'static str, finding: Finding, file: Option<&RepositoryFile>, at: &[Step]) {
        let shown = self.shown();
        self.found.push(placed(finding, check, file, &Spot::Path(at.to_vec()), &shown));
    }

    fn in_csv<const N: usize>(&mut self, check: &'static str, finding: Finding, at: [&str; N]) {
        let version = self.version();
        self.add(check, finding, version.csv.as_ref().ok(), &path(at));
    }

    fn in_annotations<const N: usize>(&mut self, check: &'static str, finding: Finding, at: [&str; N]) {
        let version = self.version();
        self.add(check, finding, version.annotations.as_ref().ok(), &path(at));
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
        let help = if is_csv { self.version().csv_help(&self.operator.path) } else { None };
        self.add(LOAD, Finding { help, ..rules::UNREADABLE.finding(message) }, None, &[]);
    }

    fn name(&mut self) {
        let (operator, version) = (self.operator, self.version());
        if version.facts.package.is_empty() {
            let help = "set `operators.operatorframework.io.bundle.package.v1`";
            let unnamed = rules::NAME.finding("the annotations name no package").help(help);
            self.in_annotations(CHECK_NAME, unnamed, ANNOTATION_PACKAGE);
            return;
        }
        let Some((csv_name, _)) = &version.facts.split_name else {
            let help = version.csv_help(&operator.path);
            let message = match help {
                Some(_) => "without a ClusterServiceVersion the version has no name",
                None => "the name of the ClusterServiceVersion is not NAME.VERSION",
            };
            self.in_csv(CHECK_NAME, Finding { help, ..rules::NAME.finding(message) }, ["metadata", "name"]);
            return;
        };
        let has_others = operator.versions.len() > 1;
        let package = &version.facts.package;
        if has_others {
            self.name_of_others(package, csv_name);
        }
        let rule = if has_others { rules::OTHER_NAME } else { rules::NAME };
        if package != csv_name {
            let message =
                format!("the package is `{package}`, but the ClusterServiceVersion has the name `{csv_name}`");
            self.in_annotations(CHECK_NAME, rule.finding(message), ANNOTATION_PACKAGE);
        }
        if *package != operator.name {
            let message = format!("the package is `{package}`, but its directory is `{}`", operator.name);
            self.in_annotations(CHECK_NAME, rule.finding(message), ANNOTATION_PACKAGE);
        }
    }

    /// Compares the names with those of the operator's other versions.
    fn name_of_others(&mut self, package: &String, csv_name: &String) {
        let versions = self.operator.versions.iter().enumerate();
        let others = || versions.clone().filter(|it| it.0 != self.number).map(|it| &it.1.facts);
        // A version without annotations has an empty name, which counts as one.
        let packages: BTreeSet<&str> = others().map(|it| it.package.as_str()).collect();
        let names: BTreeSet<&str> = others().filter_map(|it| it.split_name.as_ref()).map(|it| it.0.as_str()).collect();
        for (own, others, is_csv) in [(package, packages, false), (csv_name, names, true)] {
            let found = match others.iter().collect::<Vec<_>>().as_slice() {
                [only] if **only == own => continue,
                [only] => {
                    let message = format!("the name is `{own}`, but the other versions have the name `{only}`");
                    rules::NAME.finding(message).help(format!("use `{only}`"))
                }
                several => {
                    let all: BTreeSet<&str> = several.iter().map(|it| **it).chain([own.as_str()]).collect();
                    let listed: Vec<String> = all.iter().map(|it| format!("'{it}'")).collect();
                    let message = format!("the versions of the operator have several names: {}", listed.join(", "));
                    rules::OTHER_NAME.finding(message)
                }
            };
            match is_csv {
                true => self.in_csv(CHECK_NAME, found, ["metadata", "name"]),
                false => self.in_annotations(CHECK_NAME, found, ANNOTATION_PACKAGE),
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
            let message = match field.of(csv) {
                Some(value) if field.fits(value, || file.is_quoted(&at)) => continue,
                Some(_) => format!("`{name}` is not valid"),
                None => format!("`{name}` is missing"),
            };
            let rule = if field.is_required { rules::REQUIRED_FIELD } else { rules::RECOMMENDED_FIELD };
            let unfit = rule.finding(message).help(format!("it is {}", field.help()));
            self.add("check_required_fields", unfit, Some(file), &at);
        }
    }

    fn directory(&mut self) {
        let version = self.version();
        let (own, wanted) = (&version.name, &version.facts.version);
        if own != wanted {
            let message = format!("the directory is `{own}`, but the version is `{wanted}`");
            let help = format!("rename the directory to `{wanted}`, or correct `spec.version`");
            let other = rules::DIRECTORY.finding(message).help(help);
            self.in_csv("check_operator_version_directory_name", other, ["spec", "version"]);
        }
    }

    fn dangling(&mut self) {
        const CHECK: &str = "check_dangling_bundles";
        for channel in self.version().all_channels() {
            let graph = match self.operator.graph(channel) {
                Ok(graph) => graph,
                Err(error) => {
                    let found = no_graph(self.operator, &error);
                    let at = if let NoGraph::Name(number, _) = error { number } else { self.number };
                    let csv = self.operator.versions[at].csv.as_ref().ok();
                    self.add(CHECK, found, csv, &path(["spec", "replaces"]));
                    return;
                }
            };
            let head = graph.members.last().map(|it| &self.operator.versions[*it].facts);
            let is_head = |it: &usize| head.is_some_and(|head| self.operator.versions[*it].facts.order(head).is_eq());
            let dangling: Vec<usize> =
                graph.members.iter().copied().filter(|it| !graph.edges.contains_key(it) && !is_head(it)).collect();
            if let Some(first) = dangling.first() {
                let names = Listed::quoted(dangling.iter().map(|at| &self.operator.versions[*at].name));
                let message = format!("in channel `{channel}`, no version upgrades {names}");
                let help = match self.sorts_below_its_release(*first, &graph.members) {
                    Some((own, release)) => format!(
                        "{own} is a pre-release for semver and sorts below {release}, so it is not the head: give it a \
                         higher version, or let {release} replace or skip it"
                    ),
                    None => "let a later version replace or skip it, or include it in an `olm.skipRange`".to_owned(),
                };
                let annotations = self.operator.versions[*first].annotations.as_ref().ok();
                self.add(CHECK, rules::DANGLING.finding(message).help(help), annotations, &path(ANNOTATION_CHANNELS));
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
            let found = unmet(&conflict);
            match conflict {
                Conflict::BadKubernetes(_) | Conflict::NoOpenShift => {
                    self.in_csv(CHECK, found, ["spec", "minKubeVersion"]);
                }
                _ => self.in_annotations(CHECK, found, ANNOTATION_OPENSHIFT),
            }
        }
    }

    fn replaces(&mut self) {
        const CHECK: &str = "check_replaces_availability";
        let (operator, version) = (self.operator, self.version());
        let Some(replaces) = version.facts.replaces.as_deref().filter(|it| !it.is_empty()) else { return };
        let mut refuse = |finding: Finding| self.in_csv(CHECK, finding, ["spec", "replaces"]);
        let Some((_, wanted)) = replaces.split_once(".v").or_else(|| replaces.split_once('.')) else {
            let message = format!("`spec.replaces` is `{replaces}`, which has no version");
            refuse(rules::BAD_REPLACES.finding(message).help("write it as NAME.vVERSION"));
            return;
        };
        if version.facts.split_name.as_ref().is_some_and(|it| it.1 == wanted) {
            refuse(rules::REPLACES.finding("the version replaces itself"));
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
            let own_version = version.facts.split_name.as_ref().map(|it| it.1.as_str());
            let help = help_for_absent(wanted, there.iter().copied().filter(|it| Some(*it) != own_version));
            let message = format!("the version replaces {wanted}, which is not in the repository");
            refuse(rules::REPLACES.finding(message).help(help));
            return;
        };
        let (mine, of_replaced) = (version.facts.openshift.as_deref(), replaced.facts.openshift.as_deref());
        let (goes_to, has) = (catalogs(mine), catalogs(of_replaced));
        if mine == of_replaced || goes_to.is_subset(&has) {
            return;
        }
        let absent: Vec<String> = goes_to.difference(&has).map(Minor::to_string).collect();
        let (absent, name) = (absent.join(", "), &replaced.name);
        let message = format!("the version goes to OpenShift {absent}, but `{name}`, which it replaces, does not");
        refuse(rules::REPLACES.finding(message).help("align `com.redhat.openshift.versions` of both versions"));
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
            let message = format!("in channel `{channel}`, the version has an `olm.skipRange` but no `replaces`");
            let help = "set `spec.replaces` to the version before it";
            let pruned = rules::PRUNED.finding(message).help(help);
            self.in_csv("check_pruned_graph", pruned, ["metadata", "annotations", "olm.skipRange"]);
        }
    }

    pub(super) fn release(&mut self) {
        let version = self.version();
        let file = match &version.release {
            Ok(file) if file.json != "null" => file,
            Err(Unread::Absent) => {
                // The pipelines look for one name alone.
                let name = format!("{}/release-config.yml", version.name);
                if let Ok(file) = RepositoryFile::read(&self.operator.path, &name) {
                    self.release_name(&file);
                }
                return;
            }
            Ok(_) => return,
            Err(Unread::Unreadable(message) | Unread::Broken(message, _)) => {
                let message = format!("`release-config.yaml` is unreadable: {message}");
                self.add(LOAD, rules::UNREADABLE.finding(message), None, &[]);
                return;
            }
        };
        self.release_schema(file);
        self.release_config(file);
    }

    pub(super) fn release_name(&mut self, file: &RepositoryFile) {
        let unread = rules::RELEASE_NAME.finding("the pipelines do not read `release-config.yml`");
        self.add(CHECK_RELEASE, unread.help("rename it to `release-config.yaml`"), Some(file), &[]);
    }

    pub(super) fn release_schema(&mut self, file: &RepositoryFile) {
        let mut reader = Reader::new();
        if let Ok(value) = reader.read(&file.json) {
            let mut found = Vec::new();
            misfits(&RELEASE, value, &mut Vec::new(), &mut found);
            for misfit in found {
                let refused = rules::SCHEMA.finding(misfit.message);
                self.add("check_validate_schema_bundle_release_config", refused, Some(file), &misfit.path);
            }
        }
    }

    pub(super) fn release_config(&mut self, file: &RepositoryFile) {
        const STREAMS: [&str; 3] = ["Fast", "Candidate", "Stable"];
        let settings = &self.operator.settings;
        if !settings.is_fbc {
            let message =
                "the version has a release configuration, but `ci.yaml` does not enable catalogs from templates";
            let disabled = rules::RELEASE.finding(message).help("set `fbc: {enabled: true}` in ci.yaml");
            self.add(CHECK_RELEASE, disabled, Some(file), &[]);
            return;
        }
        for (number, wanted) in TemplateRelease::read(&file.json).into_iter().enumerate() {
            let at = |key: &str| vec!["catalog_templates".into(), number.into(), key.into()];
            let template = &wanted.template;
            // If several share a name, the last counts here.
            let (key, message, help) = match settings.mapping.iter().rfind(|mapping| mapping.template == *template) {
                None => {
                    let message = format!("the template `{template}` is not in the `catalog_mapping` of ci.yaml");
                    ("template_name", message, "add it there, or correct the name")
                }
                Some(mapping) if mapping.kind == "olm.semver" => {
                    let other = wanted.channels.iter().find(|channel| !STREAMS.contains(&channel.as_str()));
                    let Some(other) = other else { continue };
                    let message = format!("`{other}` is not a channel of a semver template");
                    ("channels", message, "the channels are Fast, Candidate and Stable")
                }
                Some(_) => continue,
            };
            self.add(CHECK_RELEASE, rules::RELEASE.finding(message).help(help), Some(file), &at(key));
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
            let text = |key: &str| value.text_of(key);
            if text("kind") == "NetworkPolicy" && text("apiVersion").starts_with("networking.k8s.io/") {
                let policy = rules::NETWORK_POLICY.finding("the bundle has a NetworkPolicy");
                self.add("check_network_policy_presence", policy, Some(&file), &path(["kind"]));
            }
        }
    }
}

/// The reason why a channel has no graph.
pub(super) fn no_graph(operator: &Operator, error: &NoGraph) -> Finding {
    match error {
        NoGraph::Mode(mode) => rules::UPDATE_GRAPH
            .finding(format!("`updateGraph` is `{mode}`"))
            .help("use `replaces-mode` or `semver-mode`"),
        NoGraph::Name(number, name) => {
            let version = &operator.versions[*number].name;
            let message = format!("`{version}` replaces or skips `{name}`, which has no version");
            rules::BAD_REPLACES.finding(message).help("write it as NAME.vVERSION")
        }
        NoGraph::Version(text) => {
            let message = format!("`{text}` is not a version, but the channel has an `olm.skipRange`");
            rules::UNREADABLE.finding(message).help("rename the ClusterServiceVersion to NAME.vVERSION")
        }
    }
}

/// The objection to the OpenShift versions of a bundle, or to its lowest Kubernetes.
fn unmet(conflict: &Conflict) -> Finding {
    match conflict {
        Conflict::BadKubernetes(text) => {
            rules::KUBERNETES.finding(format!("`minKubeVersion` is `{text}`, which is not a version"))
        }
        Conflict::NoOpenShift => {
            let message = "`minKubeVersion` is set, but `com.redhat.openshift.versions` is not";
            let help = "set it in `metadata/annotations.yaml` to the first OpenShift version with that Kubernetes";
            rules::KUBERNETES.finding(message).help(help)
        }
        Conflict::BadOpenShift(text) => {
            let message = format!("`com.redhat.openshift.versions` has `{text}`, which is not a version");
            rules::KUBERNETES.finding(message)
        }
        Conflict::List => {
            let help = "write the lowest version, which includes all later ones, or write a range";
            rules::OPENSHIFT_LIST.finding("`com.redhat.openshift.versions` is a list").help(help)
        }
        Conflict::Older(versions, lowest) => {
            let versions = versions.replace(',', ", ");
            let message = format!("OpenShift {versions} has a Kubernetes version below {lowest}");
            rules::KUBERNETES.finding(message).help("correct `minKubeVersion` or `com.redhat.openshift.versions`")
        }
    }
}

/// The advice for a version that replaces one that is not there; `others` are those that are.
fn help_for_absent<'v>(wanted: &str, others: impl Iterator<Item = &'v str>) -> String {
    match olmdex_version::nearest(Version::parse(wanted).ok().as_ref(), others) {
        Some(nearest) => format!("add that version first, or replace one that is there: {nearest}"),
        None => "add that version first: the repository has no other one".to_owned(),
    }
}
