//! `olmdex serve`

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;

#[cfg(feature = "mcp")]
use super::assistant::AssistantPort;
use super::cache_directory::{look_into_cache, way_to_index};
use super::catalog_pages::CatalogPages;
use super::gates::{Gates, parse_gates};
#[cfg(feature = "mcp")]
use super::mcp::About;
use super::opm::log_line;
use super::planned::Planned;
use crate::ask;
use crate::ask::NamedSource;
use crate::cli::args::cluster::read_cluster;
use crate::cli::args::day::epoch;
#[cfg(feature = "mcp")]
use crate::cli::args::sources::AskOptions;
use crate::cli::args::sources::words_of;
use crate::cli::args::upgrade::parse_minor;
use crate::cli::args::words::SourceOption;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::cli::terminal::report::Reporter;
use crate::constraint::openshift::Minor;
use crate::fbc::Input;
use crate::file::{FileError, Scratch, append};
use crate::index::{Builder, CatalogSpec, Index, IndexError, Mode};
use crate::page::IndexCache;
use crate::serve::memory::budget;
use crate::serve::network::{Event, Grpc, OwnPort, ServeError, Server, TlsFiles};
use crate::serve::registry::{MAX_TAKEN, Registry, TooLarge, refusal};
use crate::serve::snapshot::Snapshot;
use crate::source::{Opener, Source, SourceError};

/// Serve catalogs: gRPC and HTTP for clusters, pages for people
///
/// The gRPC registry answers as `opm serve` does, with health and reflection; each catalog has a port, from `--port`
/// on, unless `--catalog` names one. With `--http` all catalogs are at `/catalogs/NAME/api/v1/all` and `…/metas`, as
/// catalogd serves them, and pages for people begin at `/`, and `/healthz` and `/metrics` report the state of the
/// server; gRPC then needs `--port`. A replaced index, or SIGHUP, brings new answers; SIGTERM ends the server after its
/// present requests.
///
/// The server listens on the local machine only, unless `--listen` says otherwise or it is the first process of a
/// container. Under the name `opm` it takes the command lines of opm and listens everywhere.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex serve my-catalog/
  olmdex serve index.db --catalog community -p 50052
  olmdex serve index.db --http 127.0.0.1:8080")]
pub(crate) struct ServeArgs {
    /// Index or catalogs
    #[arg(value_name = "[NAME=]SOURCE")]
    sources: Vec<String>,
    #[command(flatten)]
    _source_option: SourceOption,
    /// Port of the gRPC registry; 0 for any free port [default: 50051]
    #[arg(short, long, value_name = "PORT")]
    port: Option<u16>,
    /// Address that the gRPC registry listens on
    #[arg(long, value_name = "ADDR")]
    listen: Option<IpAddr>,
    /// Address for HTTP: `8080` and `:8080` are `127.0.0.1:8080`
    #[arg(long, value_name = "ADDR:PORT", value_parser = parse_http)]
    http: Option<SocketAddr>,
    /// Address for assistants on this machine, at `/mcp`: `8081` is `127.0.0.1:8081`
    #[cfg(feature = "mcp")]
    #[arg(long, value_name = "ADDR:PORT", value_parser = parse_loopback)]
    mcp: Option<SocketAddr>,
    /// Offer `all` only over HTTP, as catalogd does unless its gate is open
    #[arg(long)]
    no_metas: bool,
    /// Gates of catalogd: `GraphQLCatalogQueries=true` offers GraphQL over HTTP (in builds with the feature `graphql`),
    /// `APIV1MetasHandler=false` is `--no-metas`
    #[arg(long, value_name = "GATE=BOOL,…", value_parser = parse_gates)]
    feature_gates: Option<Gates>,
    /// No pages over HTTP
    #[arg(long)]
    no_pages: bool,
    /// Hide the places of the catalogs on this machine in pages: for a server that anybody may ask
    #[arg(long, requires = "http", conflicts_with = "no_pages")]
    public: bool,
    /// Manifests of a cluster, or `@` and a context, as `plan` takes them: the page /diagnose shows why its operators
    /// are stuck, /plan the plan of its upgrade if catalogs have versions of OpenShift, and assistants can ask about
    /// it; read once; may be repeated
    #[arg(long, value_name = "FILE|DIR|-|@CONTEXT", conflicts_with = "no_pages")]
    cluster: Vec<PathBuf>,
    /// OpenShift version that the plan leads to if a question names no other. Default: the last one with a catalog
    #[arg(long, value_name = "VERSION", value_parser = parse_minor, requires = "cluster")]
    to: Option<Minor>,
    /// Family of catalogs that a CatalogSource belongs to, as for `plan`; may be repeated
    #[arg(long, value_name = "NS/NAME=CATALOG", requires = "cluster")]
    source_map: Vec<String>,
    /// Host name that HTTP answers to, in addition to localhost and addresses; may be repeated
    #[arg(long, value_name = "HOST")]
    host: Vec<String>,
    /// Origin whose scripts may read the answers of HTTP, as in `https://portal.example.com`; `*` for all
    #[arg(long, value_name = "ORIGIN", value_parser = parse_origin, requires = "http")]
    cors: Option<String>,
    /// Certificate as PEM, with those that lead to a root; all ports are then encrypted (OLM itself connects without)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Key of the certificate, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Catalog that the gRPC registry answers for
    #[arg(long, value_name = "NAME")]
    catalog: Option<String>,
    /// Directory for the index of the sources, so that the next start is faster
    #[arg(long, value_name = "DIR")]
    cache_dir: Option<PathBuf>,
    /// Make the index in `--cache-dir` and end
    #[arg(long)]
    cache_only: bool,
    /// Refuse to start if the index in `--cache-dir` is missing or is not that of the sources
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    cache_enforce_integrity: Option<bool>,
    /// Legacy catalog, as `opm registry serve` takes it
    #[arg(short, long, value_name = "FILE", hide = true)]
    database: Option<PathBuf>,
    /// Taken for opm's sake; nothing is profiled
    #[arg(long, value_name = "ADDR", hide = true)]
    pprof_addr: Option<String>,
    /// Taken for opm's sake; nothing is profiled
    #[arg(long, hide = true)]
    pprof_capture_profiles: bool,
    /// File that gets the reason if the server cannot start; Kubernetes shows a container's /dev/termination-log
    #[arg(short, long, value_name = "FILE", hide = true)]
    termination_log: Option<PathBuf>,
    /// Log each call and request
    #[arg(long, hide = true)]
    debug: bool,
    /// Listen everywhere, and log and fail as opm does
    #[arg(long, hide = true)]
    pub(crate) as_opm: bool,
}

impl ServeArgs {
    /// The address for assistants.
    fn own_address(&self) -> Option<SocketAddr> {
        #[cfg(feature = "mcp")]
        let address = self.mcp;
        #[cfg(not(feature = "mcp"))]
        let address = None;
        address
    }

    /// Whether the server has more than gRPC.
    fn has_http(&self) -> bool {
        self.http.is_some() || self.own_address().is_some()
    }

    fn gates(&self) -> Gates {
        self.feature_gates.unwrap_or_default()
    }
}

/// An origin as browsers send it: a scheme and a host, with a port if it is not the usual one.
fn parse_origin(text: &str) -> Result<String, String> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_host =
        |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphanumeric() || b".-:[]".contains(&it));
    match text == "*" || host.is_some_and(is_host) {
        true => Ok(text.to_owned()),
        false => Err("write it as a browser sends it, without a path, as in `https://portal.example.com`".to_owned()),
    }
}

/// An address with a port; a port alone is on this machine, since only a named address is offered to others.
fn parse_http(text: &str) -> Result<SocketAddr, String> {
    match text.strip_prefix(':').unwrap_or(text).parse::<u16>() {
        Ok(port) => Ok(SocketAddr::from(([127, 0, 0, 1], port))),
        Err(_) => text.parse().map_err(|_| "write it as ADDRESS:PORT, as in `127.0.0.1:8080`, or as a port".to_owned()),
    }
}

/// An address of this machine, which no other can reach.
#[cfg(feature = "mcp")]
fn parse_loopback(text: &str) -> Result<SocketAddr, String> {
    let address = parse_http(text)?;
    match address.ip().is_loopback() {
        true => Ok(address),
        false => Err("olmdex answers assistants on this machine only: write a port, or `127.0.0.1:PORT`".to_owned()),
    }
}

pub(crate) fn run(context: &Context, args: &ServeArgs) -> CommandResult {
    let log = Log { reporter: context.reporter, is_opm: args.as_opm };
    let result = serve(context, args, &log);
    // Only a pod has this file.
    let of_pod = Path::new("/dev/termination-log");
    let usual = (args.as_opm && of_pod.exists()).then_some(of_pod);
    if let (Err(error), Some(path)) = (&result, args.termination_log.as_deref().or(usual))
        && let Err(why) = append(path, &(error.message() + "\n"))
    {
        log.warn(&why.to_string());
    }
    match result {
        Err(error) if args.as_opm => {
            log.line("fatal", &error.message(), &[]);
            Ok(Exit::No)
        }
        result => result,
    }
}

#[derive(Clone, Copy)]
struct Log {
    reporter: Reporter,
    is_opm: bool,
}

impl Log {
    #[expect(clippy::print_stderr, reason = "the log of opm has a form of its own")]
    fn line(self, level: &str, message: &str, fields: &[(&str, String)]) {
        eprintln!("{}", log_line(level, message, fields));
    }

    fn say(self, ours: &str, opm: &str, fields: &[(&str, String)]) {
        if self.is_opm {
            self.line("info", opm, fields);
        } else {
            self.reporter.note(ours);
        }
    }

    fn warn(self, message: &str) {
        if self.is_opm { self.line("warning", message, &[]) } else { self.reporter.warning(message) }
    }

    fn tell(self, event: &Event) {
        match event {
            Event::Listening { protocol, address, catalog } => {
                let of = catalog.as_ref().map(|it| format!(" for catalog `{it}`")).unwrap_or_default();
                let port = [("port", address.port().to_string())];
                self.say(&format!("{protocol} on {address}{of}"), "serving registry", &port);
            }
            Event::Reloaded => self.say("reloaded the catalogs", "reloaded", &[]),
            Event::NotReloaded(why) => self.warn(&format!("keeping the old catalogs: {why}")),
            Event::Answered { protocol, what, took } => {
                let took = format!("{:.3} ms", took.as_secs_f64() * 1e3);
                let fields = [("protocol", (*protocol).to_owned()), ("call", what.clone()), ("took", took.clone())];
                self.say(&format!("{protocol} {what} in {took}"), "finished call", &fields);
            }
            Event::Renewed => self.say("reloaded the certificate", "certificate reloaded", &[]),
            Event::NotRenewed(why) => self.warn(&format!("keeping the old certificate: {why}")),
            Event::OutOfDate(why) => self.warn(&format!("clients will refuse the certificate: {why}")),
            Event::Stopping => self.say("ending", "shutting down server", &[]),
        }
    }
}

fn serve(context: &Context, args: &ServeArgs, log: &Log) -> CommandResult {
    let mut named: Vec<NamedSource> = args.sources.iter().map(|it| NamedSource::parse(it)).collect();
    named.extend(args.database.iter().map(|path| NamedSource::parse(&path.to_string_lossy())));
    if named.is_empty() {
        let error = CommandError::usage("no catalog given");
        return Err(error.help("name an index or catalogs with `-i PATH`, as in `olmdex serve my-catalog/`"));
    }
    if args.cache_enforce_integrity == Some(true) && args.cache_dir.is_none() {
        return Err(CommandError::usage("--cache-dir must be specified with --cache-enforce-integrity"));
    }
    if args.pprof_capture_profiles || args.pprof_addr.as_ref().is_some_and(|it| !it.is_empty()) {
        log.warn("olmdex has no Go profiles: --pprof-addr and --pprof-capture-profiles have no effect");
    }
    let grpc = args.port.is_some() || !args.has_http();
    if !args.cluster.is_empty() && !args.has_http() {
        let error = CommandError::usage("`--cluster` is for pages and assistants, but olmdex serves neither here");
        return Err(error.help("add `--http 8080`"));
    }
    let maker = Arc::new(Maker::new(context, named, args, *log, grpc)?);
    let (snapshot, watched) = maker.make()?;
    if args.cache_only {
        maker.settle(&snapshot);
        return Ok(Exit::Yes);
    }
    let catalogs = &snapshot.catalogs;
    let wanted: Vec<Option<String>> = match &args.catalog {
        Some(name) if catalogs.contains(name) => vec![Some(name.clone())],
        Some(name) => {
            let error = CommandError::new(Exit::NotFound, format!("no catalog `{name}`"));
            return Err(error.help(format!("the catalogs are: {}", catalogs.join(", "))));
        }
        None if catalogs.len() < 2 => vec![None],
        None => catalogs.iter().cloned().map(Some).collect(),
    };
    // The first process of a container serves others; a server on a desk serves nobody else.
    let is_everywhere = args.as_opm || std::process::id() == 1;
    let ip = args.listen.unwrap_or(match is_everywhere {
        true if Path::new("/proc/net/if_inet6").exists() => Ipv6Addr::UNSPECIFIED.into(),
        true => Ipv4Addr::UNSPECIFIED.into(),
        false => Ipv4Addr::LOCALHOST.into(),
    });
    let first = args.port.unwrap_or(50051);
    let mut ports = Vec::new();
    for (catalog, n) in wanted.into_iter().zip(0_u16..).filter(|_| grpc) {
        let port = if first == 0 { Some(0) } else { first.checked_add(n) };
        let port = port.ok_or_else(|| CommandError::usage("not enough ports for all catalogs"))?;
        ports.push(Grpc { address: SocketAddr::new(ip, port), catalog });
    }
    let log = *log;
    let settler = Arc::clone(&maker);
    let tls = match (&args.tls_cert, &args.tls_key) {
        (Some(certificate), Some(key)) => Some(TlsFiles { certificate: certificate.clone(), key: key.clone() }),
        _ => None,
    };
    let server = Server {
        grpc: ports,
        http: args.http,
        own: maker.own_port(),
        has_metas: !args.no_metas && args.gates().metas != Some(false),
        #[cfg(feature = "graphql")]
        has_graphql: args.gates().graphql == Some(true),
        tells_calls: args.debug,
        hosts: args.host.clone(),
        cors: args.cors.clone(),
        tls,
        snapshot,
        watched,
        settle: Arc::new(move |snapshot| settler.settle(snapshot)),
        reload: Box::new(move || maker.make().map(|it| it.0).map_err(|error| error.message())),
        tell: Arc::new(move |event| log.tell(&event)),
    };
    interrupt::leave_to_server();
    server.run().map_err(|error| match error {
        ServeError::Listen { option, .. } => {
            CommandError::new(Exit::Input, error.to_string()).help(format!("choose another port with `{option}`"))
        }
        ServeError::Start(_) | ServeError::Tls(_) => CommandError::new(Exit::Input, error.to_string()),
    })?;
    Ok(Exit::Yes)
}

/// The memory for answers from `GOMEMLIMIT`, which OLM sets in the pod of a CatalogSource with a `memoryTarget`.
fn answers_bytes(log: Log) -> Option<usize> {
    let limit = std::env::var("GOMEMLIMIT").ok().filter(|it| !it.is_empty() && it != "off")?;
    let bytes = budget(&limit);
    if bytes.is_none() {
        log.warn("ignoring GOMEMLIMIT: it is not a number of bytes, such as 50MiB");
    }
    bytes
}

/// Makes the served catalogs, at the start and after changes.
struct Maker {
    opener: Arc<Opener>,
    named: Vec<NamedSource>,
    /// The index to make; `None` if an existing one is served, or nothing can be written.
    target: Option<PathBuf>,
    /// Whether the index of the sources must exist already.
    must_match: bool,
    /// The cluster that the pages plan for.
    planned: Option<Planned>,
    /// Whether there are pages in addition to catalogd's paths.
    has_pages: bool,
    /// Whether pages hide the places of the catalogs.
    is_public: bool,
    /// The assistants that are answered about the same catalogs.
    #[cfg(feature = "mcp")]
    assistant: Option<AssistantPort>,
    /// Whether HTTP offers GraphQL.
    #[cfg(feature = "graphql")]
    has_graphql: bool,
    /// Whether there is gRPC, which refuses documents that catalogd serves.
    has_grpc: bool,
    log: Log,
    /// How many bytes of answers may be kept, if the environment sets a limit.
    answers_bytes: Option<usize>,
    epoch: Option<u64>,
    /// The last served catalogs, with their time.
    last: Mutex<Option<Served>>,
    /// The place of the index if the user names none; it goes with the program.
    _scratch: Option<Scratch>,
}

/// The catalogs that are served.
struct Made {
    snapshot: Snapshot,
    /// The file to watch for new catalogs.
    watched: Option<PathBuf>,
    /// The same index once more, for questions of others.
    own: Option<Index>,
}

/// The catalogs that were served at a time.
struct Served {
    /// The catalogs, each with its digest.
    digests: Vec<(String, Vec<u8>)>,
    /// The time of their last change that clients got, in seconds since 1970.
    modified: u64,
}

/// The time of a source's last change: that of its newest file, of its only file, or of its image; `None` if unknown.
fn changed(path: &Path, source: &Source) -> Option<SystemTime> {
    let of_path = |path: &Path| std::fs::metadata(path).and_then(|it| it.modified()).ok();
    match source {
        Source::Catalog(Input { image: Some(image), .. }) => {
            image.created.map(|it| UNIX_EPOCH + std::time::Duration::from_secs(it))
        }
        Source::Catalog(input) => {
            let newest = input.files.iter().filter_map(|it| it.path()).filter_map(of_path).max();
            newest.or_else(|| of_path(path).filter(|_| path.is_file()))
        }
        Source::Index(path) => of_path(path),
    }
}

impl Maker {
    fn new(
        context: &Context,
        named: Vec<NamedSource>,
        args: &ServeArgs,
        log: Log,
        grpc: bool,
    ) -> Result<Self, CommandError> {
        let opener = Arc::new(context.opener.with_bundle_image(None));
        let mut scratch = None;
        if let Some(directory) = &args.cache_dir {
            let found = look_into_cache(directory)?;
            if args.as_opm {
                log.line("info", found.line(), &[("cache", directory.display().to_string())]);
            }
        }
        let target = match &args.cache_dir {
            Some(directory) => match way_to_index(directory) {
                Ok(path) => Some(path),
                Err(error) if args.cache_only || args.cache_enforce_integrity == Some(true) => return Err(error.into()),
                Err(_) => None,
            },
            None => None,
        };
        // If nothing can be written, the index is in memory.
        let target = target.or_else(|| {
            let made: Result<Scratch, FileError> = Scratch::make(context.opener.scratch());
            scratch = made.ok();
            scratch.as_ref().map(|it| it.path().join("index.db"))
        });
        let must_match = args.cache_enforce_integrity == Some(true);
        let has_pages = args.http.is_some() && !args.no_pages;
        let cluster = read_cluster(context, &args.cluster)?;
        cluster.warnings.iter().for_each(|it| context.reporter.warning(it));
        let cluster = Some(cluster).filter(|_| !args.cluster.is_empty());
        #[cfg(feature = "mcp")]
        let assistant = args.mcp.map(|address| {
            let mut words = args.sources.clone();
            words.extend(args.database.iter().map(|it| it.to_string_lossy().into_owned()));
            let about = About {
                ask: AskOptions::of_words(&words),
                cluster: cluster.clone(),
                cluster_paths: args.cluster.clone(),
                source_map: args.source_map.clone(),
                scratch: context.opener.scratch().to_owned(),
            };
            AssistantPort::new(about, address)
        });
        Ok(Self {
            opener,
            named,
            target,
            must_match,
            planned: cluster
                .filter(|_| has_pages)
                .map(|cluster| Planned::new(cluster, &args.cluster, args.to, &args.source_map))
                .transpose()?,
            has_pages,
            is_public: args.public,
            #[cfg(feature = "mcp")]
            assistant,
            #[cfg(feature = "graphql")]
            has_graphql: args.http.is_some() && args.gates().graphql == Some(true),
            has_grpc: grpc,
            log,
            answers_bytes: answers_bytes(log),
            epoch: epoch()?.and_then(|it| u64::try_from(it).ok()),
            last: Mutex::default(),
            _scratch: scratch,
        })
    }

    /// The catalogs, and the file to watch for new ones.
    fn make(&self) -> Result<(Snapshot, Option<PathBuf>), CommandError> {
        let Made { snapshot, watched, own } = self.snapshot()?;
        #[cfg(feature = "mcp")]
        if let (Some(assistant), Some(index)) = (&self.assistant, own) {
            assistant.ask(index)?;
        }
        #[cfg(not(feature = "mcp"))]
        drop(own);
        let snapshot = match self.answers_bytes {
            Some(bytes) => snapshot.keeping_answers(bytes),
            None => snapshot,
        };
        if !self.has_pages {
            return Ok((snapshot, watched));
        }
        let cache = snapshot.ask(|index| self.cache(index))?;
        Ok((snapshot.with_pages(Box::new(CatalogPages(cache))), watched))
    }

    /// Makes the cache of the answers that pages need again and again.
    fn cache(&self, index: &Index) -> Result<IndexCache, CommandError> {
        let cache = IndexCache::new(index, words_of(&self.named))?;
        let cache = if self.is_public { cache.for_the_public() } else { cache };
        match &self.planned {
            Some(planned) => planned.add_to(cache, index, &self.named),
            None => Ok(cache),
        }
    }

    /// Does the work that can wait until the ports are open.
    fn settle(&self, snapshot: &Snapshot) {
        let result = self.warn_of_large_bundles(snapshot).and_then(|()| Ok(snapshot.prepare_pages()?));
        #[cfg(feature = "graphql")]
        let result = result.and_then(|()| self.warn_of_collisions(snapshot));
        if let Err(error) = result {
            self.log.warn(&error.message());
        }
    }

    /// Makes the data for GraphQL. catalogd does not store a catalog without it.
    #[cfg(feature = "graphql")]
    fn warn_of_collisions(&self, snapshot: &Snapshot) -> Result<(), CommandError> {
        let problems = if self.has_graphql { snapshot.prepare_graphql()? } else { Vec::new() };
        problems.iter().for_each(|it| self.log.warn(it));
        Ok(())
    }

    fn warn_of_large_bundles(&self, snapshot: &Snapshot) -> Result<(), CommandError> {
        for catalog in snapshot.catalogs.iter().filter(|_| self.has_grpc) {
            let found = snapshot.ask(|index| Registry { index, catalog }.too_large());
            let found = found.map_err(|it| CommandError::new(Exit::Input, it.to_string()))?;
            for TooLarge { package, bundle, size } in found {
                let clients = format!("more than the {MAX_TAKEN} that OLM accepts: OLM cannot install this bundle");
                self.log.warn(&format!("bundle `{bundle}` of package `{package}` takes {size} bytes, {clients}"));
            }
        }
        Ok(())
    }

    /// The port of assistants.
    fn own_port(&self) -> Option<OwnPort> {
        #[cfg(feature = "mcp")]
        let port = self.assistant.as_ref().and_then(AssistantPort::port);
        #[cfg(not(feature = "mcp"))]
        let port = None;
        port
    }

    /// Whether others than the servers ask the index, and need a connection of their own.
    fn needs_own_index(&self) -> bool {
        #[cfg(feature = "mcp")]
        let needs = self.assistant.is_some();
        #[cfg(not(feature = "mcp"))]
        let needs = false;
        needs
    }

    fn open(&self, path: &Path) -> Result<(Snapshot, Option<Index>), IndexError> {
        let own = self.needs_own_index().then(|| Index::open(path)).transpose()?;
        Ok((Snapshot::open(path)?, own))
    }

    fn keeping(&self, builder: Builder) -> Builder {
        if self.has_grpc { builder } else { builder.keeping_all() }
    }

    fn in_memory(&self, sources: &[(&NamedSource, Source)]) -> Result<Index, CommandError> {
        let mut builder = self.keeping(ask::builder());
        self.fill(&mut builder, sources)?;
        Ok(builder.into_index()?)
    }

    fn snapshot(&self) -> Result<Made, CommandError> {
        let mut sources = Vec::new();
        for source in &self.named {
            let opened = self.opener.open(&source.path, &mut std::io::stdin().lock()).map_err(|error| match error {
                // opm goes into the directory before it looks for it, and names it as seen from inside.
                SourceError::NotFound(path) if self.log.is_opm => {
                    refused(&path.display().to_string(), Some("stat .: no such file or directory".to_owned()))
                }
                error => error.into(),
            })?;
            if matches!(&opened, Source::Catalog(input) if input.skips_git) {
                let message = "the source is a git checkout: olmdex does not read its `.git`";
                self.log.line("info", message, &[("source", source.path.display().to_string())]);
            }
            sources.push((source, opened));
        }
        let only = if let [(source, Source::Index(path))] = &sources[..] { Some((source, path)) } else { None };
        if let Some((_, path)) = only.filter(|(source, _)| !source.is_named) {
            let (snapshot, own) = self.open(path)?;
            return Ok(Made { snapshot, watched: Some(path.clone()), own });
        }
        let watched = only.map(|(_, path)| path.clone());
        if let Some(target) = &self.target {
            match self.build(&sources, target) {
                Ok(()) => {
                    let (snapshot, own) = self.open(target)?;
                    return Ok(Made { snapshot: self.dated(snapshot, &sources)?, watched, own });
                }
                // A read-only file system, for example.
                Err(IndexFailure::Index(IndexError::File(_) | IndexError::Write { .. })) if !self.must_match => {}
                Err(trouble) => return Err(trouble.into()),
            }
        }
        // An index in memory has only one connection.
        let own = self.needs_own_index().then(|| self.in_memory(&sources)).transpose()?;
        let snapshot = Snapshot::in_memory(self.in_memory(&sources)?)?;
        Ok(Made { snapshot: self.dated(snapshot, &sources)?, watched, own })
    }

    /// The catalogs with the time of their last change, so that replicas agree and a server that starts again leaves
    /// caches valid. It is the time of `SOURCE_DATE_EPOCH`, else that of the newest source. Catalogs that replace
    /// others are newer than those.
    fn dated(&self, snapshot: Snapshot, sources: &[(&NamedSource, Source)]) -> Result<Snapshot, CommandError> {
        let now = SystemTime::now();
        let newest = sources.iter().map(|(named, source)| changed(&named.path, source).unwrap_or(now)).max();
        let seconds = |it: SystemTime| it.duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
        let mut modified = self.epoch.unwrap_or_else(|| seconds(newest.unwrap_or(now)));
        let mut digests = Vec::new();
        for catalog in &snapshot.catalogs {
            let digest = snapshot.ask(|index| index.served_digest(catalog))?;
            digests.push((catalog.clone(), digest.unwrap_or_default()));
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = &*last
            && before.digests != digests
            && modified <= before.modified
        {
            // A removed file, for example, has no time of its own.
            modified = seconds(now).max(before.modified.saturating_add(1));
        }
        *last = Some(Served { digests, modified });
        Ok(snapshot.made_at(modified))
    }

    fn build(&self, sources: &[(&NamedSource, Source)], target: &Path) -> Result<(), IndexFailure> {
        if self.must_match && !target.exists() {
            let message = format!(
                "integrity check failed: read existing cache digest: open {}: no such file or directory",
                target.display()
            );
            return Err(CommandError::new(Exit::No, message).into());
        }
        let mut builder = self.keeping(ask::builder_of(target)?);
        let has_changed = self.fill(&mut builder, sources)?;
        if self.must_match && has_changed {
            let message = "integrity check failed: cache requires rebuild: the index is not that of the sources";
            return Err(CommandError::new(Exit::No, message).into());
        }
        builder.finish()?;
        Ok(())
    }

    /// Whether there was something new.
    fn fill(&self, builder: &mut Builder, sources: &[(&NamedSource, Source)]) -> Result<bool, IndexFailure> {
        let mut has_changed = false;
        let (names, has_new_updates) = ask::load_into(builder, sources, |builder, source, catalog| {
            let input = catalog.input()?;
            let spec = CatalogSpec { source: source.path.display().to_string(), ..catalog.spec.clone() };
            let mode = if !self.has_grpc { Mode::Tolerant } else { Mode::Strict };
            let import = builder.add_catalog(&spec, &input, mode)?;
            // opm refuses more than its validation does.
            let has_opm_judged = self.log.is_opm && (import.refused || import.changed);
            let refusal = has_opm_judged.then(|| refusal(&input, import.report.opm.as_deref())).flatten();
            if import.refused || refusal.is_some() {
                return Err(IndexFailure::from(refused(&spec.source, refusal.or(import.report.opm))));
            }
            has_changed |= import.changed;
            Ok(())
        })?;
        for name in builder.catalogs()? {
            if !names.contains(&name) {
                builder.remove_catalog(&name)?;
                has_changed = true;
            }
        }
        Ok(has_changed || has_new_updates)
    }
}

/// Why there is no index.
enum IndexFailure {
    Index(IndexError),
    Said(CommandError),
}

impl From<IndexError> for IndexFailure {
    fn from(error: IndexError) -> Self {
        Self::Index(error)
    }
}

impl From<ask::LoadError> for IndexFailure {
    fn from(error: ask::LoadError) -> Self {
        match error {
            ask::LoadError::Index(error) => Self::Index(error),
            error => Self::Said(error.into()),
        }
    }
}

impl From<CommandError> for IndexFailure {
    fn from(error: CommandError) -> Self {
        Self::Said(error)
    }
}

impl From<IndexFailure> for CommandError {
    fn from(trouble: IndexFailure) -> Self {
        match trouble {
            IndexFailure::Index(error) => error.into(),
            IndexFailure::Said(error) => error,
        }
    }
}

/// A catalog with errors is not served, as with opm.
fn refused(source: &str, opm: Option<String>) -> CommandError {
    let why = opm.unwrap_or_else(|| format!("`{source}` has errors"));
    let message = format!("failed to load or rebuild cache: failed to rebuild cache: {why}");
    CommandError::new(Exit::No, message).help(format!("`olmdex validate {source}` shows where"))
}

#[cfg(test)]
mod tests {
    use super::parse_http;

    #[test]
    fn a_port_alone_is_one_of_this_machine() {
        for (text, meant) in [
            ("8080", Some("127.0.0.1:8080")),
            (":8080", Some("127.0.0.1:8080")),
            ("0.0.0.0:80", Some("0.0.0.0:80")),
            ("[::1]:80", Some("[::1]:80")),
            ("localhost", None),
            ("80800", None),
            ("", None),
        ] {
            assert_eq!(parse_http(text).ok().map(|it| it.to_string()).as_deref(), meant, "{text}");
        }
    }
}
