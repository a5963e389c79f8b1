//! Reads the state of a live cluster with the user's own `oc` or `kubectl`.
//!
//! For the safety of the cluster, this file runs no other verb than `get`, starts no shell, reads no kubeconfig and no
//! token, asks for no Secret, and writes nothing.

use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::oci::OciError;
use olmdex_base::archive::LIFT_LIMITS;
use olmdex_base::diag::{printable, shortened};
use olmdex_base::file::system_words;
use olmdex_rules::cluster::{self, Cluster, ClusterError};

/// The first letter of the name of a live cluster, which is `@`, or `@` and a context.
const MARK: char = '@';

/// The programs that ask the cluster; the first one that exists is used.
const PROGRAMS: [&str; 2] = ["oc", "kubectl"];

/// The resources to read: the resource with its group, the usual name of its objects, and the words that choose among
/// them.
const RESOURCES: &[(&str, &str, &[&str])] = &[
    ("clusterversions.config.openshift.io", "ClusterVersions", &[]),
    ("infrastructures.config.openshift.io", "Infrastructures", &[]),
    ("clusteroperators.config.openshift.io", "ClusterOperators", &[]),
    ("apirequestcounts.apiserver.openshift.io", "APIRequestCounts", &[]),
    ("machineconfigpools.machineconfiguration.openshift.io", "MachineConfigPools", &[]),
    ("nodes", "Nodes", &[]),
    ("configmaps", "the ConfigMap admin-gates", &["admin-gates", "--namespace", "openshift-config-managed"]),
    ("configmaps", "the ConfigMap admin-acks", &["admin-acks", "--namespace", "openshift-config"]),
    ("subscriptions.operators.coreos.com", "Subscriptions", &["--all-namespaces"]),
    ("clusterserviceversions.operators.coreos.com", "ClusterServiceVersions", &["--all-namespaces"]),
    ("installplans.operators.coreos.com", "InstallPlans", &["--all-namespaces"]),
    ("catalogsources.operators.coreos.com", "CatalogSources", &["--all-namespaces"]),
    ("operatorgroups.operators.coreos.com", "OperatorGroups", &["--all-namespaces"]),
    ("operatorconditions.operators.coreos.com", "OperatorConditions", &["--all-namespaces"]),
    ("customresourcedefinitions.apiextensions.k8s.io", "CustomResourceDefinitions", &[]),
    ("clusterextensions.olm.operatorframework.io", "ClusterExtensions", &[]),
    ("clustercatalogs.olm.operatorframework.io", "ClusterCatalogs", &[]),
    ("clusterobjectsets.olm.operatorframework.io", "ClusterObjectSets", &[]),
    ("clusterextensionrevisions.olm.operatorframework.io", "ClusterExtensionRevisions", &[]),
];

/// How much patience there is with a cluster.
#[derive(Debug, Clone, Copy)]
struct Patience {
    /// How long one call may take: the program gets a signal, and is killed if it does not obey.
    call: Duration,
    /// How many bytes one call may print.
    bytes: u64,
}

impl Default for Patience {
    fn default() -> Self {
        Self { call: Duration::from_secs(60), bytes: 256 << 20 }
    }
}

/// How much longer than its own limit a program may take, so that it can report the error itself.
const GRACE: Duration = Duration::from_secs(5);

/// The highest number of bytes kept of a program's error message.
const MAX_COMPLAINT: u64 = 4096;

/// The context that an argument names if it names a live cluster; it is empty for the current one.
pub(super) fn context_of(argument: &str) -> Option<&str> {
    argument.strip_prefix(MARK)
}

/// The reasons why the state of a cluster cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ClusterSourceError {
    /// Manifests cannot be read.
    #[error(transparent)]
    Manifests(#[from] ClusterError),
    /// A name could be an option, or no tool would write it.
    #[error("`{MARK}{name}` is not a valid name of a context")]
    NotAContext { name: String },
    /// No program that asks clusters is there.
    #[error("olmdex asks a live cluster with `{}`, which is not on PATH", PROGRAMS.join("` or `"))]
    NoProgram,
    /// A program does not start.
    #[error("cannot run `{program}`: {reason}")]
    NotRun { program: String, reason: String },
    /// The user may not read what the answer is about.
    #[error("not known: the cluster does not let this user read {kinds}")]
    Forbidden { kinds: String },
    /// A program prints too much.
    #[error("`{call}` prints more than {bytes} bytes")]
    TooLong { call: String, bytes: u64 },
    /// A program failed.
    #[error("`{call}` failed: {said}")]
    Failed { call: String, said: String, help: String },
    /// A program takes too long.
    #[error("olmdex stopped `{program}` after {seconds} seconds")]
    TooSlow { program: String, seconds: u64 },
    /// A program has ended, but its output has not.
    #[error(
        "`{program}` ended, but a process that it started keeps its output open; olmdex waited {seconds} seconds for it"
    )]
    StillOpen { program: String, seconds: u64 },
}

impl ClusterSourceError {
    /// The way out.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::Manifests(ClusterError::Archive { error, .. }) => OciError::help_of(error),
            Self::Manifests(ClusterError::Limit(_)) => LIFT_LIMITS.to_owned(),
            Self::Manifests(ClusterError::Syntax { .. }) => {
                "manifests are YAML or JSON, as `kubectl get … -o yaml` prints them".to_owned()
            }
            Self::NotAContext { .. } => "the name of a context consists of letters, digits and ._-:/@+=, and does not \
                begin with a dash; `kubectl config get-contexts` lists them"
                .to_owned(),
            Self::NoProgram => {
                "or save the objects to a file, `kubectl get … -o yaml > cluster.yaml`, and name the file".to_owned()
            }
            Self::Forbidden { .. } => {
                "ask for the right to `get` and `list` them in all namespaces, or for a must-gather".to_owned()
            }
            Self::Failed { help, .. } => help.clone(),
            Self::TooSlow { .. } => "the cluster may be unreachable from this machine".to_owned(),
            Self::StillOpen { .. } => "a plugin for credentials may have started it; end it and try again".to_owned(),
            Self::Manifests(_) | Self::NotRun { .. } | Self::TooLong { .. } => return None,
        })
    }

    /// Whether a limit is in the way.
    pub fn is_limit(&self) -> bool {
        match self {
            Self::Manifests(error) => error.is_limit(),
            Self::TooLong { .. } | Self::TooSlow { .. } | Self::StillOpen { .. } => true,
            _ => false,
        }
    }
}

/// The objects of a live cluster that an answer is about. Without the right to read them, the answer is not known:
/// "nothing is installed" would be made up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The operators of OLM Classic that are installed.
    Operators,
    /// The version of OpenShift.
    Platform,
}

impl Asked {
    /// The kinds of these objects, as [`RESOURCES`] calls them.
    fn kinds(self) -> &'static [&'static str] {
        match self {
            Self::Operators => &["Subscriptions", "ClusterServiceVersions"],
            Self::Platform => &["ClusterVersions"],
        }
    }
}

/// The objects of a live cluster, and the kinds that this user may not read, in words.
pub(super) fn read_live(name: &str, asked: Asked) -> Result<(Cluster, Vec<String>), ClusterSourceError> {
    must_be_a_context(name)?;
    ClusterClient { name, patience: Patience::default(), programs: &PROGRAMS }.read(asked)
}

/// A name that could be an option, or that no tool would write, is not handed to a program.
fn must_be_a_context(name: &str) -> Result<(), ClusterSourceError> {
    let is_usual = |it: char| it.is_ascii_alphanumeric() || "._-:/@+=".contains(it);
    if !name.starts_with('-') && name.len() <= 512 && name.chars().all(is_usual) {
        return Ok(());
    }
    Err(ClusterSourceError::NotAContext { name: printable(&shortened(name, 80)).into_owned() })
}

/// Calls of a program about one cluster.
struct ClusterClient<'a> {
    name: &'a str,
    patience: Patience,
    programs: &'a [&'a str],
}

/// How a call ended.
enum Called {
    Said(Vec<u8>),
    /// The cluster does not have it.
    Absent,
    /// This user may not read it.
    Forbidden,
}

impl ClusterClient<'_> {
    fn read(&self, asked: Asked) -> Result<(Cluster, Vec<String>), ClusterSourceError> {
        let program = self.program()?;
        let (mut all, mut unknown, mut missing) = (Cluster::default(), Vec::new(), Vec::new());
        for (resource, objects, which) in RESOURCES {
            match self.call(program, resource, which)? {
                Called::Said(text) => {
                    let file = format!("{MARK}{}/{resource}", self.name);
                    all.add(cluster::read_text(&file, &text)?);
                }
                Called::Absent => {}
                Called::Forbidden => {
                    if asked.kinds().contains(objects) {
                        missing.push(*objects);
                    }
                    unknown.push(format!("unknown: {objects}; the cluster does not let this user read them"));
                }
            }
        }
        if !missing.is_empty() {
            return Err(ClusterSourceError::Forbidden { kinds: missing.join(" and ") });
        }
        all.warnings.extend(unknown.iter().cloned());
        Ok((all, unknown))
    }

    /// The first program that can be started.
    fn program(&self) -> Result<&str, ClusterSourceError> {
        for program in self.programs {
            let mut command = quiet(program);
            command.args(["version", "--client"]).stdout(Stdio::null()).stderr(Stdio::null());
            match command.spawn() {
                Ok(child) => {
                    self.wait(program, child)?;
                    return Ok(program);
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(not_run(program, &error)),
            }
        }
        Err(ClusterSourceError::NoProgram)
    }

    fn call(&self, program: &str, resource: &str, which: &[&str]) -> Result<Called, ClusterSourceError> {
        let mut command = quiet(program);
        command.args(["get", resource]).args(which).args(["--output", "json", "--chunk-size", "500"]);
        command.args(["--request-timeout", &format!("{}s", self.patience.call.as_secs().max(1))]);
        if !self.name.is_empty() {
            command.args(["--context", self.name]);
        }
        let spawned = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|error| not_run(program, &error))?;
        let out = child.stdout.take().map(|it| drained(it, self.patience.bytes));
        let complaint = child.stderr.take().map(|it| drained(it, MAX_COMPLAINT));
        let is_good = self.wait(program, child)?;
        let text = |read: Option<Receiver<(Vec<u8>, bool)>>| match read.map(|it| it.recv_timeout(GRACE)) {
            Some(Ok(read)) => Ok(read),
            None | Some(Err(_)) => {
                Err(ClusterSourceError::StillOpen { program: program.to_owned(), seconds: GRACE.as_secs() })
            }
        };
        let ((out, is_whole), (complaint, _)) = (text(out)?, text(complaint)?);
        if is_good {
            if !is_whole {
                let call = format!("{program} get {resource}");
                return Err(ClusterSourceError::TooLong { call, bytes: self.patience.bytes });
            }
            return Ok(Called::Said(out));
        }
        let complaint = String::from_utf8_lossy(&complaint);
        let says = |words: &str| complaint.contains(words);
        if says("the server doesn't have a resource type") || says("(NotFound)") {
            return Ok(Called::Absent);
        }
        if says("(Forbidden)") || says(" is forbidden") {
            return Ok(Called::Forbidden);
        }
        let last = complaint.lines().rfind(|it| !it.trim().is_empty()).unwrap_or("it printed no error");
        let said = printable(&shortened(last.trim(), 500)).into_owned();
        let help = if says("context") && (says("was not found") || says("does not exist")) {
            format!("`{program} config get-contexts` lists the contexts")
        } else {
            let context = if self.name.is_empty() { String::new() } else { format!(" --context {}", self.name) };
            format!("`{program} get {resource}{context}` shows whether the cluster can be reached")
        };
        Err(ClusterSourceError::Failed { call: format!("{program} get {resource}"), said, help })
    }

    /// Waits for a program as long as it may take, then ends it. Returns whether it ended well.
    fn wait(&self, program: &str, mut child: Child) -> Result<bool, ClusterSourceError> {
        let until = Instant::now() + self.patience.call + GRACE;
        let mut nap = Duration::from_millis(1);
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Ok(status.success()),
                Ok(None) if Instant::now() < until => thread::sleep(nap),
                _ => break,
            }
            nap = (nap * 2).min(Duration::from_millis(50));
        }
        // It may have ended just now.
        let _ = child.kill();
        let _ = child.wait();
        let seconds = (self.patience.call + GRACE).as_secs();
        Err(ClusterSourceError::TooSlow { program: program.to_owned(), seconds })
    }
}

fn not_run(program: &str, error: &io::Error) -> ClusterSourceError {
    ClusterSourceError::NotRun { program: program.to_owned(), reason: system_words(error) }
}

/// A program that asks nothing back, and complains in English.
fn quiet(program: &str) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).env("LC_ALL", "C");
    command
}

/// Reads all output of a program in the background, and keeps at most this many bytes of it. Also tells whether that is
/// all.
fn drained(mut from: impl Read + Send + 'static, at_most: u64) -> Receiver<(Vec<u8>, bool)> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut kept = Vec::new();
        let is_read = from.by_ref().take(at_most).read_to_end(&mut kept).is_ok();
        // A program that cannot print goes on waiting.
        let rest = io::copy(&mut from, &mut io::sink()).unwrap_or(1);
        // Nobody waits any more for a program that was stopped.
        let _ = sender.send((kept, is_read && rest == 0));
    });
    receiver
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::time::{Duration, Instant};

    use super::{Asked, ClusterClient, ClusterSourceError, GRACE, Patience, must_be_a_context};

    #[test]
    fn only_names_of_contexts_reach_a_program() {
        for name in [
            "",
            "prod",
            "default/api-shop-example-com:6443/kube:admin",
            "arn:aws:eks:eu-1:1:cluster/a",
            "a@b",
            "gke_a_b",
        ] {
            assert!(must_be_a_context(name).is_ok(), "{name}");
        }
        let long = "a".repeat(513);
        for name in ["-o", "--token=x", "a b", "a;b", "a\nb", "$(id)", "a\u{202e}b", "ä", long.as_str()] {
            assert!(must_be_a_context(name).is_err(), "{name}");
        }
    }

    fn fake_client(script: &str, bytes: u64) -> (tempfile::TempDir, String, Patience) {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("kubectl");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let patience = Patience { call: Duration::from_millis(100), bytes };
        (directory, program.to_str().unwrap().to_owned(), patience)
    }

    #[test]
    fn a_program_that_hangs_is_stopped() {
        let (_directory, program, patience) = fake_client("exec sleep 600", 1000);
        let started = Instant::now();
        let error = ClusterClient { name: "", patience, programs: &[&program] }.read(Asked::Operators).unwrap_err();
        assert!(error.is_limit() && started.elapsed() < GRACE * 3, "{error}");
    }

    /// Finding S20: olmdex said that it had stopped the program after 65 seconds.
    #[test]
    fn output_that_a_grandchild_holds_is_told_as_that() {
        let (_directory, program, patience) = fake_client("sleep 30 & echo '{}'", 1000);
        let error = ClusterClient { name: "", patience, programs: &[&program] }.read(Asked::Platform).unwrap_err();
        assert!(error.to_string().contains("keeps its output open; olmdex waited 5 seconds"), "{error}");
    }

    #[test]
    fn a_program_that_prints_without_end_is_not_kept() {
        let (_directory, program, patience) = fake_client("head -c 3000000 /dev/zero", 1000);
        let error = ClusterClient { name: "", patience, programs: &[&program] }.read(Asked::Operators).unwrap_err();
        assert!(error.is_limit(), "{error}");
    }

    #[test]
    fn without_a_program_there_is_no_answer() {
        let error = ClusterClient { name: "", patience: Patience::default(), programs: &["/nowhere/oc"] }
            .read(Asked::Operators)
            .unwrap_err();
        assert!(matches!(error, ClusterSourceError::NoProgram), "{error}");
    }
}
