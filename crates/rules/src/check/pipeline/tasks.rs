//! The tasks of each pipeline, in its order, and their results: Konflux's `fbc-builder` (build-definitions 6904ca20),
//! `operator-hosted-pipeline` (operator-pipelines 422dfd6e), and IIB.

use super::super::practice::Profile;
use super::outcome::Unchecked;
use super::rules::{
    FBC_OPERATIONS, INJECT_LIFECYCLE, JSON_CONFIG_DIR, PRUNING_CHECK, REGISTRY_ADD, VALIDATE_FBC, check_of,
};
use olmdex_base::diag::envelope::{PipelineVerdict, TaskResult, TaskVerdict};
use olmdex_base::diag::{Finding, Severity, counted};

/// The names under which the pipelines run `opm validate`.
const OPM_VALIDATE: [&str; 3] = [VALIDATE_FBC, "opm_validate", VALIDATE_CATALOG];

/// The task in which the hosted pipelines run `opm validate`.
pub const VALIDATE_CATALOG: &str = "validate-catalog-format";

/// The task of the hosted pipelines whose checks are functions called `check_…`.
pub const STATIC_TESTS: &str = "static-tests";

/// The task of the hosted pipelines that looks at the extent of a change.
pub const DETECT_CHANGES: &str = "detect-changes";

/// The checks of `detect-changes`.
const CHANGE_CHECKS: [&str; 6] = [
    "check_added_bundles",
    "check_affected_catalog_operators",
    "check_affected_operators",
    "check_deleted_bundles",
    "check_extra_files",
    "check_modified_bundles",
];

/// The checks of `operator-sdk`, which the community runs as a static test and preflight by another name.
const SDK_CHECKS: [&str; 2] = ["check_osdk_bundle_validate_operator_framework", "ValidateOperatorBundle"];

/// The static tests that the other of the two hosted pipelines does not have.
const OF_COMMUNITY: [&str; 9] = [
    "check_api_version_constraints",
    "check_ci_upgrade_graph",
    "check_dangling_bundles",
    "check_operator_name_unique",
    "check_osdk_bundle_validate_operator_framework",
    "check_osdk_bundle_validate_operatorhub",
    "check_required_fields",
    "check_upgrade_graph_loop",
    "check_using_fbc",
];
/// See [`OF_COMMUNITY`].
const OF_CERTIFIED: [&str; 2] = ["check_marketplace_annotation", "check_pruned_graph"];

const NAME_THE_OPERATOR: &str = "it needs the directory of the operator in its repository";
const NO_IMAGES: &str = "olmdex builds no images";
const ONLY_RED_HAT_KNOWS: &str = "Red Hat's services know this";

/// The row of errors that a profile knows, and no task.
const OTHER_RULES: &str = "rules of olmdex";

/// The number of things of each kind that a check looked at.
#[derive(Debug, Clone, Copy, Default)]
pub struct Checked {
    /// Repositories that were compared with their state before a change.
    pub changes: u64,
    /// Catalogs.
    pub catalogs: u64,
    /// Templates, whose catalogs nobody has rendered.
    pub templates: u64,
    /// Bundles.
    pub bundles: u64,
    /// Operators of a repository.
    pub operators: u64,
    /// Those with `fbc.enabled`.
    pub operators_of_fbc: u64,
}

/// A thing without which a pipeline leaves a task out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    Any,
    Change,
    Bundle,
    /// A bundle of an operator with catalogs of its own, or without.
    BundleOfFbc(bool),
    Catalog,
    /// The pipeline always has one, a check may not.
    Operator,
}

impl Subject {
    /// The result of a task whose subject was not there.
    fn absent(self, checked: &Checked) -> Option<(TaskResult, &'static str)> {
        let Checked { changes, catalogs, templates, bundles, operators, operators_of_fbc } = *checked;
        let unrendered = Some((TaskResult::NotChecked, "the templates are not rendered"));
        match self {
            _ if catalogs + templates + bundles + operators == 0 => {
                Some((TaskResult::NotRun, "nothing is here for it"))
            }
            Self::Change if changes == 0 => {
                Some((TaskResult::NotChecked, "it needs the repository before the change (`--base`)"))
            }
            Self::Any if catalogs + bundles + operators == 0 => unrendered,
            Self::Catalog if catalogs == 0 && templates > 0 => unrendered,
            Self::Catalog if catalogs == 0 => Some((TaskResult::NotRun, "no catalog")),
            Self::Bundle | Self::BundleOfFbc(_) if bundles == 0 => Some((TaskResult::NotRun, "no bundle")),
            Self::BundleOfFbc(true) if operators > 0 && operators_of_fbc == 0 => {
                Some((TaskResult::NotRun, "`fbc.enabled` is not set"))
            }
            Self::BundleOfFbc(false) if operators > 0 && operators_of_fbc == operators => {
                Some((TaskResult::NotRun, "`fbc.enabled` is set"))
            }
            Self::Operator if operators == 0 => Some((TaskResult::NotChecked, NAME_THE_OPERATOR)),
            _ => None,
        }
    }
}

/// The part of a task that olmdex judges.
#[derive(Debug, Clone, Copy)]
enum Judged {
    All,
    /// Nothing, or not all of it.
    Not(&'static str),
    /// There is nothing to judge.
    Nothing,
}

/// A task of a pipeline.
#[derive(Debug, Clone, Copy)]
struct Task {
    name: &'static str,
    subject: Subject,
    judged: Judged,
    /// The names of its checks beside its own.
    checks: &'static [&'static str],
    /// The static tests that it does not have.
    foreign: &'static [&'static str],
}

impl Task {
    const fn of(name: &'static str, subject: Subject, judged: Judged) -> Self {
        Self { name, subject, judged, checks: &[], foreign: &[] }
    }

    const fn with(self, checks: &'static [&'static str]) -> Self {
        Self { checks, ..self }
    }

    const fn without(self, foreign: &'static [&'static str]) -> Self {
        Self { foreign, ..self }
    }

    const fn preparing(name: &'static str) -> Self {
        Self::of(name, Subject::Any, Judged::Nothing)
    }

    /// Whether a check is one of its checks.
    fn has(&self, check: &str) -> bool {
        let is_static_test = self.name == STATIC_TESTS && check.starts_with("check_");
        let is_foreign = CHANGE_CHECKS.contains(&check) || self.foreign.contains(&check);
        self.name == check || self.checks.contains(&check) || (is_static_test && !is_foreign)
    }

    /// Whether it fails because of an error.
    fn is_refused_by(&self, error: &Finding) -> bool {
        let Some(check) = error.check.filter(|_| !matches!(self.judged, Judged::Nothing)) else { return false };
        // The first of several pipelines names the check of opm.
        let is_of_opm = OPM_VALIDATE.contains(&check) && check_of(error.rule).is_none();
        self.has(check) || (is_of_opm && OPM_VALIDATE.iter().any(|name| self.has(name)))
    }

    fn verdict(&self, checked: &Checked, errors: usize, unchecked: &[Unchecked]) -> TaskVerdict {
        let is_own = |unchecked: &&Unchecked| unchecked.check.is_some_and(|check| self.has(check));
        let noted: Vec<String> = unchecked.iter().filter(is_own).map(|unchecked| unchecked.why.clone()).collect();
        let (result, reasons) = match (errors, self.judged, self.subject.absent(checked)) {
            (1.., ..) => (TaskResult::Failed, noted),
            (_, Judged::Nothing, _) => (TaskResult::JudgesNothing, Vec::new()),
            (_, _, Some((result, why))) => (result, vec![why.to_owned()]),
            _ if !noted.is_empty() => (TaskResult::NotChecked, noted),
            (_, Judged::Not(why), _) => (TaskResult::NotChecked, vec![why.to_owned()]),
            (_, Judged::All, _) => (TaskResult::Passed, Vec::new()),
        };
        TaskVerdict { task: self.name.to_owned(), result, errors, reasons }
    }
}

/// `fbc-builder`.
const KONFLUX: &[Task] = &[
    Task::preparing("init"),
    Task::preparing("clone-repository"),
    Task::of(INJECT_LIFECYCLE, Subject::Catalog, Judged::All),
    Task::preparing("run-opm-command"),
    Task::preparing("prefetch-dependencies"),
    Task::of("build-images", Subject::Catalog, Judged::Not(NO_IMAGES)),
    Task::preparing("build-image-index"),
    Task::of("deprecated-base-image-check", Subject::Catalog, Judged::Not(ONLY_RED_HAT_KNOWS)),
    Task::preparing("apply-tags"),
    Task::of(VALIDATE_FBC, Subject::Catalog, Judged::All),
    Task::of(PRUNING_CHECK, Subject::Catalog, Judged::All),
    Task::of("fbc-fips-check-oci-ta", Subject::Catalog, Judged::Not("it scans the images of the bundles")),
];

/// The steps of IIB, which adds fragments of catalogs and bundles to an index.
const IIB: &[Task] = &[
    Task::of(FBC_OPERATIONS, Subject::Catalog, Judged::All),
    Task::of(JSON_CONFIG_DIR, Subject::Catalog, Judged::All),
    Task::of("opm_validate", Subject::Catalog, Judged::All),
    Task::of("verify_labels", Subject::Bundle, Judged::Not("only the configuration of the service lists the labels")),
    Task::of(
        "inspect_related_images",
        Subject::Bundle,
        Judged::Not("whether related images exist in their registries; `olmdex images --verify` asks"),
    ),
    Task::of(REGISTRY_ADD, Subject::Bundle, Judged::All),
];

/// `operator-hosted-pipeline`, with the parameters of the community or of certified operators.
fn hosted(is_certified: bool) -> Vec<Task> {
    // Community operators have no certification project, so these tasks do nothing or do not run.
    let certified = |task: Task| match is_certified {
        true => task,
        false => Task::preparing(task.name),
    };
    let (preflight, foreign) = match is_certified {
        true => ("its other checks need a cluster and images", &OF_COMMUNITY[..]),
        false => ("it needs a cluster and images", &OF_CERTIFIED[..]),
    };
    let prepared = |names: &'static [&'static str]| names.iter().map(|name| Task::preparing(name));
    let pyxis = Judged::Not(ONLY_RED_HAT_KNOWS);
    let mut tasks: Vec<Task> = prepared(&[
        "get-pr-number",
        "acquire-lease",
        "set-github-started-label",
        "set-github-status-pending",
        "set-env",
        "clone-repository",
        "clone-repository-base",
    ])
    .collect();
    tasks.extend([
        Task::of(DETECT_CHANGES, Subject::Change, Judged::All).with(&CHANGE_CHECKS),
        Task::preparing("record-merge-base-lane-snapshot"),
        Task::of("yaml-lint", Subject::Bundle, Judged::All),
        Task::of("check-permissions", Subject::Any, Judged::Not("GitHub knows who may change the operator")),
        Task::preparing("set-github-pr-title"),
        Task::of("read-config", Subject::Operator, Judged::All),
        Task::preparing("apply-test-waivers"),
        Task::of(STATIC_TESTS, Subject::Any, Judged::All).without(foreign),
        Task::preparing("content-hash"),
        certified(Task::of("certification-project-check", Subject::Operator, Judged::All)),
        Task::preparing("get-organization"),
        certified(Task::of("get-pyxis-certification-data", Subject::Any, pyxis)),
        Task::of(VALIDATE_CATALOG, Subject::Catalog, Judged::All),
        Task::of("build-fragment-images", Subject::Catalog, Judged::Not(NO_IMAGES)),
        certified(Task::of("verify-project", Subject::Any, pyxis)),
        Task::preparing("update-cert-project-status"),
        certified(Task::of("reserve-operator-name", Subject::Bundle, pyxis)),
        Task::preparing("merge-registry-credentials"),
        certified(Task::of("digest-pinning", Subject::Bundle, Judged::All)),
        Task::of("dockerfile-creation", Subject::Bundle, Judged::Not(NO_IMAGES)),
        Task::of("build-bundle", Subject::Bundle, Judged::Not(NO_IMAGES)),
    ]);
    tasks.extend(prepared(&["tag-bundle-image", "make-bundle-repo-public"]));
    let supported = "which versions of OpenShift have catalogs today";
    let iib = Judged::Not("`--pipeline iib` makes the checks of this service");
    let preflight = Task::of("preflight-trigger", Subject::Bundle, Judged::Not(preflight));
    tasks.extend([
        Task::of("get-supported-versions", Subject::Any, Judged::Not(supported)),
        Task::of("build-fbc-index-images", Subject::Catalog, iib),
        Task::of("add-bundle-to-index", Subject::BundleOfFbc(false), iib),
        Task::of("build-fbc-scratch-catalog", Subject::BundleOfFbc(true), Judged::Not(NO_IMAGES)),
        Task::preparing("make-index-repo-public"),
        Task::preparing("get-ci-results-attempt"),
        if is_certified { preflight.with(&SDK_CHECKS) } else { preflight },
    ]);
    tasks.extend(prepared(&["upload-artifacts", "evaluate-preflight-result", "get-ci-results"]));
    tasks.push(Task::preparing("link-pull-request-with-open-status"));
    tasks.push(certified(Task::of("query-publishing-checklist", Subject::Bundle, pyxis)));
    let released = Judged::Not("`olmdex edit release` does this once the image exists");
    tasks.push(Task::of("add-bundle-to-fbc-dryrun", Subject::Bundle, released));
    tasks.extend(prepared(&["merge-pr", "link-pull-request-with-merged-status"]));
    tasks
}

/// The tasks of a pipeline; none if a profile is no pipeline.
fn tasks(profile: Profile) -> Vec<Task> {
    match profile {
        Profile::Community => hosted(false),
        Profile::Certified => hosted(true),
        Profile::Konflux => KONFLUX.to_vec(),
        Profile::Iib => IIB.to_vec(),
        Profile::Disconnected => Vec::new(),
    }
}

/// The verdict of a pipeline about all that was checked; `None` if a profile is no pipeline.
///
/// `findings` are all of them: a pipeline knows nothing of a baseline, or of the severities that a user chooses. An
/// error that is of no task, but of a rule of the profile, counts as one of "rules of olmdex".
pub fn verdict(
    profile: Profile,
    checked: &Checked,
    findings: &[Finding],
    unchecked: &[Unchecked],
) -> Option<PipelineVerdict> {
    let tasks = Some(tasks(profile)).filter(|tasks| !tasks.is_empty())?;
    // The number of a task, the name of its check, and the number of errors.
    let mut refusals: Vec<(usize, &str, u64)> = Vec::new();
    for error in findings.iter().filter(|finding| finding.rule.severity == Severity::Error) {
        let task = tasks.iter().position(|task| task.is_refused_by(error));
        let is_of_profile = || profile.rules().iter().any(|rule| rule.id == error.rule.id);
        let (task, check) = match (task, error.check) {
            (Some(task), check) => (task, check.unwrap_or(tasks[task].name)),
            (None, _) if is_of_profile() => (tasks.len(), OTHER_RULES),
            (None, _) => continue,
        };
        match refusals.iter_mut().find(|refusal| (refusal.0, refusal.1) == (task, check)) {
            Some(refusal) => refusal.2 += 1,
            None => refusals.push((task, check, 1)),
        }
    }
    refusals.sort_by_key(|refusal| refusal.0);
    let errors_of = |number: usize| {
        let own = refusals.iter().filter(|refusal| refusal.0 == number);
        usize::try_from(own.map(|refusal| refusal.2).sum::<u64>()).unwrap_or(usize::MAX)
    };
    let each = tasks.iter().enumerate();
    let mut verdicts: Vec<TaskVerdict> =
        each.map(|(number, task)| task.verdict(checked, errors_of(number), unchecked)).collect();
    if errors_of(tasks.len()) > 0 {
        let (task, errors) = (OTHER_RULES.to_owned(), errors_of(tasks.len()));
        verdicts.push(TaskVerdict { task, result: TaskResult::Failed, errors, reasons: Vec::new() });
    }
    let has_more_unchecked = unchecked.iter().any(|unchecked| unchecked.check.is_none());
    let verdict = words(profile, &verdicts, &refusals, has_more_unchecked);
    Some(PipelineVerdict { pipeline: profile.name().to_owned(), verdict, tasks: verdicts })
}

fn words(
    profile: Profile,
    verdicts: &[TaskVerdict],
    refusals: &[(usize, &str, u64)],
    has_more_unchecked: bool,
) -> String {
    let of = |wanted: TaskResult| verdicts.iter().filter(move |verdict| verdict.result == wanted);
    let (passed, open) = (of(TaskResult::Passed).count(), of(TaskResult::NotChecked).count());
    let failed: Vec<String> =
        refusals.iter().map(|(_, check, n)| format!("{check} ({})", counted(*n, "error"))).collect();
    let what = match (failed.is_empty(), passed + open > 0) {
        (false, _) => format!("would fail in {}", failed.join(", ")),
        (true, false) => format!("has nothing to judge here: it takes {}", taken(profile)),
        (true, true) if open == 0 && !has_more_unchecked => "would pass".to_owned(),
        (true, true) if open == 0 => "no failure found, but not everything was checked".to_owned(),
        (true, true) if passed == 0 => {
            format!("no failure found, but none of its {} was checked completely", counted(open as u64, "task"))
        }
        (true, true) => format!("no failure found in {passed} of {}", counted((passed + open) as u64, "task")),
    };
    format!("{}: {what}", profile.name())
}

/// The things that a pipeline takes.
fn taken(profile: Profile) -> &'static str {
    match profile {
        Profile::Konflux => "fragments of catalogs",
        Profile::Iib => "fragments of catalogs, and bundles",
        _ => "operators of a repository, bundles and catalogs",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::pipeline::rules::BUNDLE_NOT_PINNED;

    #[test]
    fn a_verdict_says_how_many_tasks_were_judged() {
        let nothing = Checked::default();
        let catalog = Checked { catalogs: 1, ..nothing };
        let template = Checked { templates: 1, ..nothing };
        let bundle = Checked { bundles: 1, ..nothing };
        let operator = Checked { operators: 1, bundles: 1, changes: 1, ..nothing };
        for (profile, checked, expected) in [
            (Profile::Konflux, nothing, "konflux: has nothing to judge here: it takes fragments of catalogs"),
            (Profile::Konflux, bundle, "konflux: has nothing to judge here: it takes fragments of catalogs"),
            (Profile::Konflux, template, "konflux: no failure found, but none of its 6 tasks was checked completely"),
            (Profile::Konflux, catalog, "konflux: no failure found in 3 of 6 tasks"),
            (Profile::Iib, catalog, "iib: would pass"),
            (Profile::Iib, bundle, "iib: no failure found in 1 of 3 tasks"),
            (Profile::Community, catalog, "community: no failure found in 2 of 8 tasks"),
            (Profile::Community, bundle, "community: no failure found in 2 of 12 tasks"),
            (Profile::Community, operator, "community: no failure found in 4 of 11 tasks"),
            (Profile::Certified, operator, "certified: no failure found in 6 of 17 tasks"),
        ] {
            let verdict = verdict(profile, &checked, &[], &[]).map(|verdict| verdict.verdict);
            assert_eq!(verdict.as_deref(), Some(expected), "{profile:?} {checked:?}");
        }
        assert_eq!(verdict(Profile::Disconnected, &catalog, &[], &[]), None);
    }

    #[test]
    fn each_error_is_of_the_task_that_it_ends() {
        let catalog = Checked { catalogs: 1, ..Checked::default() };
        let pinned = BUNDLE_NOT_PINNED.finding("a").check(VALIDATE_FBC);
        let of_opm = super::super::super::rules::ALL[0].finding("b").check(VALIDATE_FBC);
        let unchecked = Unchecked::new(VALIDATE_FBC, "the base image");
        let findings = [pinned, of_opm];
        let of = |profile: Profile| verdict(profile, &catalog, &findings, std::slice::from_ref(&unchecked)).unwrap();
        let task = |verdict: &PipelineVerdict, name: &str| {
            verdict.tasks.iter().find(|task| task.task == name).map(|task| (task.result, task.errors)).unwrap()
        };
        let konflux = of(Profile::Konflux);
        assert_eq!(konflux.verdict, "konflux: would fail in validate-fbc (2 errors)");
        assert_eq!(task(&konflux, VALIDATE_FBC), (TaskResult::Failed, 2));
        assert!(konflux.tasks.iter().any(|task| task.reasons == ["the base image"]));
        // The first of several pipelines names the check of opm, which the other runs, too.
        assert_eq!(task(&of(Profile::Iib), "opm_validate"), (TaskResult::Failed, 1));
    }

    #[test]
    fn the_hosted_pipelines_do_not_fail_for_each_other() {
        let checked = Checked { operators: 1, bundles: 1, ..Checked::default() };
        let errors = [
            "certification-project-check",
            "digest-pinning",
            "check_required_fields",
            "check_operator_name",
            "check_marketplace_annotation",
            "check_osdk_bundle_validate_operator_framework",
        ];
        let findings = errors.map(|check| BUNDLE_NOT_PINNED.finding("a").check(check));
        let of = |profile: Profile| verdict(profile, &checked, &findings, &[]).unwrap().verdict;
        assert_eq!(
            of(Profile::Community),
            "community: would fail in check_required_fields (1 error), check_operator_name (1 error), \
             check_osdk_bundle_validate_operator_framework (1 error)"
        );
        assert_eq!(
            of(Profile::Certified),
            "certified: would fail in check_operator_name (1 error), check_marketplace_annotation (1 error), \
             certification-project-check (1 error), digest-pinning (1 error), \
             check_osdk_bundle_validate_operator_framework (1 error)"
        );
        assert!(of(Profile::Konflux).starts_with("konflux: would fail in rules of olmdex (6 errors)"));
    }
}
