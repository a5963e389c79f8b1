//! The use of registries: options, and the settings in the environment and in the files of other tools.

use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args};

use crate::cli::args::cache;
use crate::file::BlobCache;
use crate::oci::registry::{BlobLimits, CredentialFile, HttpOptions, Pace, RegistryOptions};
use crate::oci::{ImageOptions, MirrorFile};

/// Options for the use of registries.
#[derive(Debug, Clone, Args)]
pub(crate) struct RegistryArgs {
    /// File of credentials, before those of docker and podman
    #[arg(long, global = true, value_name = "FILE")]
    authfile: Option<PathBuf>,
    /// Manifests of mirror sets or a registries.conf, which take precedence over those of this machine; may be repeated
    #[arg(long, global = true, value_name = "FILE")]
    mirrors: Vec<PathBuf>,
    /// Whether certificates of registries are verified
    #[arg(
        long,
        global = true,
        value_name = "BOOL",
        default_value = "true",
        hide_default_value = true,
        hide_possible_values = true,
        value_parser = BoolishValueParser::new(),
        action = ArgAction::Set
    )]
    tls_verify: bool,
    /// As `--tls-verify=false`
    #[arg(long, global = true, hide = true)]
    skip_tls_verify: bool,
    /// Speak to registries without TLS
    #[arg(long, global = true, alias = "use-http")]
    plain_http: bool,
    /// Fetch nothing: read images from the cache
    #[arg(long, global = true)]
    offline: bool,
}

impl RegistryArgs {
    pub(crate) fn options(self, images: &ImageOptions) -> RegistryOptions {
        let mut http = HttpOptions {
            verifies: self.tls_verify && !self.skip_tls_verify,
            is_plain: self.plain_http,
            certificates: config_home()
                .map(|it| it.join("containers/certs.d"))
                .into_iter()
                .chain(["/etc/containers/certs.d", "/etc/docker/certs.d"].map(PathBuf::from))
                .collect(),
            ..HttpOptions::default()
        };
        // Lets tests cover retries.
        if cfg!(debug_assertions)
            && let Some(wait) = std::env::var("OLMDEX_TEST_RETRY_MS").ok().and_then(|it| it.parse().ok())
        {
            http.first_wait = std::time::Duration::from_millis(wait);
        }
        // Lets tests cover timeouts.
        if cfg!(debug_assertions)
            && let Some(window) = std::env::var("OLMDEX_TEST_PACE_MS").ok().and_then(|it| it.parse().ok())
        {
            let window = std::time::Duration::from_millis(window);
            http.pace = Pace { window, document: window, ..http.pace };
        }
        let conf = variable("CONTAINERS_REGISTRIES_CONF").or_else(|| {
            let own = config_home().map(|it| it.join("containers/registries.conf")).filter(|it| it.exists());
            own.or_else(|| Some(PathBuf::from("/etc/containers/registries.conf")))
        });
        let system = [PathBuf::from("/etc/containers/registries.conf.d")];
        let found = conf.into_iter().chain(system).map(|path| MirrorFile { path, is_named: false });
        let named = self.mirrors.into_iter().map(|path| MirrorFile { path, is_named: true });
        let policies = config_home().map(|it| it.join("containers/policy.json")).into_iter();
        RegistryOptions {
            http,
            credentials: credential_files(self.authfile),
            mirrors: found.chain(named).collect(),
            policies: policies.chain([PathBuf::from("/etc/containers/policy.json")]).collect(),
            cache: blob_cache(),
            is_offline: self.offline,
            scratch: images.scratch.clone(),
            limits: BlobLimits::of(images),
        }
    }
}

/// The cache of blobs of images.
pub(crate) fn blob_cache() -> Option<BlobCache> {
    cache::directory().map(|it| BlobCache::at(&it.join("blobs")))
}

/// The files in podman's and docker's order.
fn credential_files(named: Option<PathBuf>) -> Vec<CredentialFile> {
    let file = |path: PathBuf| CredentialFile { path, is_flat: false, is_named: false };
    if let Some(path) = named {
        return vec![CredentialFile { is_named: true, ..file(path) }];
    }
    let home = variable("HOME");
    let docker = || home.as_ref().map(|it| it.join(".docker/config.json"));
    let first = variable("REGISTRY_AUTH_FILE")
        .or_else(|| variable("DOCKER_CONFIG").map(|it| it.join("config.json")))
        .or_else(docker);
    let runtime = variable("XDG_RUNTIME_DIR")
        .unwrap_or_else(|| PathBuf::from(format!("/run/containers/{}", rustix::process::getuid().as_raw())));
    let runtime = if variable("XDG_RUNTIME_DIR").is_some() { runtime.join("containers") } else { runtime };
    let mut files: Vec<CredentialFile> = first.into_iter().map(file).collect();
    files.push(file(runtime.join("auth.json")));
    files.extend(config_home().map(|it| file(it.join("containers/auth.json"))));
    files.extend(docker().map(file));
    files.extend(home.map(|it| CredentialFile { is_flat: true, ..file(it.join(".dockercfg")) }));
    files
}

fn config_home() -> Option<PathBuf> {
    variable("XDG_CONFIG_HOME").or_else(|| variable("HOME").map(|it| it.join(".config")))
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from)
}
