//! Commands of opm and oc-mirror that other tools no longer have, or that know one kind of catalog only, as commands of
//! olmdex (`docs/behaviour/legacy-index.md` 4.2 to 4.9).

use std::ops::RangeInclusive;

use super::explanation::MessageExplanation;
use super::old_command_line::{NewCommandLine, OldCommandLine, words_of};

/// A command, and the commands of olmdex that do the same.
struct OldCommand {
    path: &'static [&'static str],
    /// Its options of one letter.
    shorts: &'static [(char, &'static str)],
    /// How many words it takes. Another number of words is a sentence about the command.
    n_words: RangeInclusive<usize>,
    instead: fn(&OldCommandLine) -> MessageExplanation,
}

const INDEX: &[(char, &str)] = &[
    ('f', "from-index"),
    ('t', "tag"),
    ('i', "binary-image"),
    ('c', "container-tool"),
    ('u', "build-tool"),
    ('p', "pull-tool"),
    ('d', "out-dockerfile"),
    ('b', "bundles"),
    ('o', "operators"),
];

const INDEX_PRUNE: &[(char, &str)] = &[
    ('f', "from-index"),
    ('t', "tag"),
    ('i', "binary-image"),
    ('c', "container-tool"),
    ('d', "out-dockerfile"),
    ('p', "packages"),
];

const INDEX_EXPORT: &[(char, &str)] =
    &[('i', "index"), ('p', "package"), ('o', "package"), ('f', "download-folder"), ('c', "container-tool")];

const REGISTRY: &[(char, &str)] =
    &[('d', "database"), ('b', "bundle-images"), ('c', "container-tool"), ('p', "packages"), ('o', "packages")];

const SERVE: &[(char, &str)] = &[('d', "database"), ('p', "port"), ('t', "termination-log")];

const COMMANDS: &[OldCommand] = &[
    old(&["opm", "index", "prune"], INDEX_PRUNE, index_prune),
    old(&["opm", "index", "rm"], INDEX, index_rm),
    old(&["opm", "index", "add"], INDEX, index_add),
    old(&["opm", "index", "prune-stranded"], INDEX_PRUNE, index_prune_stranded),
    old(&["opm", "index", "deprecatetruncate"], INDEX, index_deprecate),
    old(&["opm", "index", "export"], INDEX_EXPORT, index_export),
    old(&["opm", "registry", "add"], REGISTRY, registry_add),
    old(&["opm", "registry", "rm"], REGISTRY, registry_rm),
    old(&["opm", "registry", "prune"], REGISTRY, registry_prune),
    old(&["opm", "registry", "prune-stranded"], REGISTRY, registry_prune_stranded),
    old(&["opm", "registry", "deprecatetruncate"], REGISTRY, registry_deprecate),
    old(&["opm", "registry", "serve"], SERVE, registry_serve),
    of_list(&["opm", "alpha", "list", "packages"], |line| alpha_list("packages", line)),
    of_list(&["opm", "alpha", "list", "channels"], |line| alpha_list("channels", line)),
    of_list(&["opm", "alpha", "list", "bundles"], |line| alpha_list("bundles", line)),
    old(&["oc-mirror", "list", "operators"], &[], list_operators),
    old(&["oc-mirror", "list", "releases"], &[], list_releases),
    OldCommand {
        path: &["oc-mirror", "list", "updates"],
        shorts: &[('c', "config")],
        n_words: 0..=1,
        instead: updates,
    },
];

const fn old(
    path: &'static [&'static str],
    shorts: &'static [(char, &'static str)],
    instead: fn(&OldCommandLine) -> MessageExplanation,
) -> OldCommand {
    OldCommand { path, shorts, n_words: 0..=0, instead }
}

const fn of_list(path: &'static [&'static str], instead: fn(&OldCommandLine) -> MessageExplanation) -> OldCommand {
    OldCommand { path, shorts: &[], n_words: 0..=2, instead }
}

/// Explains a command line of opm or oc-mirror: the commands of olmdex that do the same, with its values. `None` if the
/// text is something else.
pub(super) fn of_text(text: &str) -> Option<MessageExplanation> {
    old_command(&words_of(text))
}

/// Explains the words of such a command line, the name of the program first.
pub fn old_command(words: &[String]) -> Option<MessageExplanation> {
    let (program, rest) = words.split_first()?;
    let program = program.rsplit('/').next()?;
    let fits = |command: &&OldCommand| {
        command.path.first() == Some(&program)
            && command.path.len() <= words.len()
            && command.path[1..].iter().zip(rest).all(|(name, word)| name == word)
    };
    let command = COMMANDS.iter().find(fits)?;
    let line = OldCommandLine::read(&rest[command.path.len() - 1..], command.shorts);
    if !command.n_words.contains(&line.words.len()) {
        return None;
    }
    let mut explanation = (command.instead)(&line);
    program.clone_into(&mut explanation.system);
    if line.value("ca-file").is_some() {
        explanation.meaning.push_str(" olmdex takes certificates from `/etc/containers/certs.d/HOST`.");
    }
    Some(explanation)
}

fn explained(meaning: &str, next: Vec<NewCommandLine>) -> MessageExplanation {
    let next = next.into_iter().map(NewCommandLine::typed).collect();
    MessageExplanation { meaning: meaning.to_owned(), next, ..MessageExplanation::default() }
}

impl MessageExplanation {
    fn or(mut self, meaning: &str, next: Vec<NewCommandLine>) -> Self {
        self.others.push(explained(meaning, next));
        self
    }
}

/// The reference of an image, with the transport by which olmdex fetches it.
fn image(reference: &str) -> String {
    const TRANSPORTS: [&str; 5] = ["docker://", "oci:", "oci-archive:", "docker-archive:", "dir:"];
    // oc-mirror writes a layout so.
    if let Some(path) = reference.strip_prefix("oci://") {
        return format!("oci:{path}");
    }
    match TRANSPORTS.iter().any(|transport| reference.starts_with(transport)) {
        true => reference.to_owned(),
        false => format!("docker://{reference}"),
    }
}

/// The source that a word of `opm alpha list` names: an image if it begins with a registry, otherwise a path.
pub fn source_of_opm(word: &str) -> String {
    let host = word.split_once('/').map_or("", |it| it.0);
    let is_host = host == "localhost" || host.contains(':') || (host.contains('.') && !host.starts_with('.'));
    if is_host || word.contains("://") { image(word) } else { word.to_owned() }
}

/// The option that makes requests to registries as the old command did.
fn transport(line: &OldCommandLine, new: NewCommandLine) -> NewCommandLine {
    let is_unverified = line.has("skip-tls") || line.has("skip-tls-verify");
    new.switch("--tls-verify=false", is_unverified).switch("--plain-http", line.has("use-http"))
}

/// The images of a command of `opm index`.
struct IndexImage<'l> {
    line: &'l OldCommandLine,
    from: String,
    /// `None` if the old command wrote files only.
    to: Option<String>,
    base: Option<String>,
}

impl<'l> IndexImage<'l> {
    fn of(line: &'l OldCommandLine) -> Self {
        let to = line.value("tag").map_or_else(|| "oci:index:latest".to_owned(), image);
        Self {
            line,
            from: image(line.value("from-index").unwrap_or("IMAGE")),
            to: (!line.has("generate")).then_some(to),
            base: line.value("binary-image").map(image),
        }
    }

    fn based(&self, new: NewCommandLine) -> NewCommandLine {
        transport(self.line, new.option("--base", self.base.as_deref()))
    }

    /// The files of the catalog, changed by one command and sent.
    fn in_files(&self, change: NewCommandLine) -> Vec<NewCommandLine> {
        let files = NewCommandLine::new("migrate").word(&self.from).word(DIRECTORY);
        let mut next = vec![transport(self.line, files), change.option("-i", [DIRECTORY])];
        next.push(match &self.to {
            Some(to) => self.based(NewCommandLine::new("image push").word(DIRECTORY).word(to)),
            None => NewCommandLine::new("image dockerfile").word(DIRECTORY),
        });
        next
    }

    /// The database of the image, changed by one command into a file and sent.
    fn in_database(&self, verb: &str, change: impl FnOnce(NewCommandLine) -> NewCommandLine) -> Vec<NewCommandLine> {
        let legacy = change(NewCommandLine::new("legacy").word(verb).word(&self.from));
        let legacy = legacy.switch("--permissive", self.line.has("permissive")).option("-O", [DATABASE]);
        let mut next = vec![transport(self.line, legacy)];
        next.extend(self.sent());
        next
    }

    fn sent(&self) -> Option<NewCommandLine> {
        let to = self.to.as_deref()?;
        Some(self.based(NewCommandLine::new("image push").word(DATABASE).word(to)))
    }
}

/// The files that the first of two commands writes and the second one reads.
const DIRECTORY: &str = "catalog";
const DATABASE: &str = "index.db";

const LEGACY: &str = "A SQLite index image stays one with these commands; if it has no label, add `--path \
    /database/index.db` to the first.";

fn or_placeholder<'l>(values: Vec<&'l str>, placeholder: &'l str) -> Vec<&'l str> {
    if values.is_empty() { vec![placeholder] } else { values }
}

fn index_prune(line: &OldCommandLine) -> MessageExplanation {
    let image = IndexImage::of(line);
    let packages = or_placeholder(line.list("packages"), "PKG");
    let filter =
        NewCommandLine::new("mirror filter").option("-p", packages.iter().copied()).option("-i", [&*image.from]);
    let filter = match &image.to {
        Some(to) => image.based(filter.option("--into", [&**to]).word("--full")),
        None => transport(line, filter.option("--into", [DIRECTORY]).word("--full")),
    };
    explained(
        "`opm index prune` kept packages of a SQLite index image; `olmdex mirror filter` keeps them of index images of both \
        kinds, and writes a file-based one.",
        vec![filter],
    )
    .or(LEGACY, image.in_database("prune", |new| new.words(packages)))
}

fn index_rm(line: &OldCommandLine) -> MessageExplanation {
    let image = IndexImage::of(line);
    let packages = or_placeholder(line.list("operators"), "PKG");
    explained(
        "`opm index rm` removed packages from a SQLite index image; olmdex removes them from the files of index images \
        of both kinds.",
        image.in_files(NewCommandLine::new("edit remove").words(packages.iter().copied())),
    )
    .or(LEGACY, image.in_database("rm", |new| new.words(packages)))
}

/// The options of adding bundles to a database.
fn with_bundles(new: NewCommandLine, line: &OldCommandLine, bundles: &[&str]) -> NewCommandLine {
    let new = new.option("-b", bundles.iter().copied()).option("--mode", line.value("mode"));
    new.switch("--overwrite-latest", line.has("overwrite-latest"))
}

fn index_add(line: &OldCommandLine) -> MessageExplanation {
    let image = IndexImage::of(line);
    let bundles = or_placeholder(line.list("bundles"), "BUNDLE-IMAGE");
    if line.value("from-index").is_none() {
        let new = with_bundles(NewCommandLine::new("legacy add").word(DATABASE), line, &bundles);
        let new = new.switch("--permissive", line.has("permissive")).word("--in-place");
        let mut next = vec![transport(line, new)];
        next.extend(image.sent());
        return explained("`opm index add` without an index began a new SQLite index image.", next);
    }
    let next = image.in_database("add", |new| with_bundles(new, line, &bundles));
    let first = bundles.first().map_or_else(String::new, |bundle| self::image(bundle));
    let edit = NewCommandLine::new("edit add").word(&first).option("--channel", ["CHANNEL"]);
    let edit = transport(line, edit);
    explained("`opm index add` added bundles to a SQLite index image; `olmdex legacy add` adds them by the same rules. If the image has no label, add `--path /database/index.db`.", next)
        .or("A file-based index image takes each bundle into the channels that you name.", image.in_files(edit))
}

fn index_prune_stranded(line: &OldCommandLine) -> MessageExplanation {
    let image = IndexImage::of(line);
    explained(
        "`opm index prune-stranded` removed the bundles of a SQLite index image that no channel has; `olmdex legacy \
        prune-stranded` removes them from its database. If the image has no label, add `--path /database/index.db`.",
        image.in_database("prune-stranded", |new| new),
    )
    .or(
        "The bundles of a file-based index image are never stranded: it would not be valid.",
        vec![transport(line, NewCommandLine::new("validate").word(&image.from))],
    )
}

fn index_deprecate(line: &OldCommandLine) -> MessageExplanation {
    let image = IndexImage::of(line);
    let bundles = or_placeholder(line.list("bundles"), "BUNDLE-IMAGE");
    let removes = line.has("allow-package-removal");
    let next = image
        .in_database("deprecate-truncate", |new| new.option("-b", bundles).switch("--allow-package-removal", removes));
    let edit = NewCommandLine::new("edit deprecate").word("BUNDLE").option("-m", ["TEXT"]);
    explained(
        "`opm index deprecatetruncate` cut channels of a SQLite index image off at bundles; `olmdex legacy \
        deprecate-truncate` cuts them by the same rules. If the image has no label, add `--path /database/index.db`.",
        next,
    )
    .or("A file-based index image states deprecations, and keeps what lies below.", image.in_files(edit))
}

fn index_export(line: &OldCommandLine) -> MessageExplanation {
    let from = image(line.value("index").unwrap_or("IMAGE"));
    let folder = line.value("download-folder").unwrap_or("downloaded");
    let packages = line.list("package");
    let next = match packages.is_empty() {
        true => NewCommandLine::new("migrate").word(&from).word(folder),
        false => {
            let filter = NewCommandLine::new("mirror filter").option("-p", packages).option("-i", [&*from]);
            filter.option("--into", [folder]).word("--full")
        }
    };
    explained(
        "`opm index export` wrote package manifests, which nothing reads any more; olmdex writes the packages as a \
        file-based catalog. The manifests of a bundle are in its image.",
        vec![transport(line, next)],
    )
}

fn database(line: &OldCommandLine) -> &str {
    line.value("database").unwrap_or("bundles.db")
}

/// A step of `olmdex legacy` in the file itself, as `opm registry` did it.
fn in_place(
    line: &OldCommandLine,
    verb: &str,
    file: &str,
    change: impl FnOnce(NewCommandLine) -> NewCommandLine,
) -> MessageExplanation {
    let new = change(NewCommandLine::new("legacy").word(verb).word(file));
    let new = new.switch("--permissive", line.has("permissive")).word("--in-place");
    // `opm registry` spoke plain HTTP then.
    let new = new.switch("--plain-http", line.has("skip-tls") || line.has("use-http"));
    let new = new.switch("--tls-verify=false", line.has("skip-tls-verify"));
    explained(
        "`olmdex legacy` takes the verbs of `opm registry` and follows its rules; `-O FILE` writes another file.",
        vec![new],
    )
}

fn registry_add(line: &OldCommandLine) -> MessageExplanation {
    in_place(line, "add", database(line), |new| {
        with_bundles(new, line, &or_placeholder(line.list("bundle-images"), "BUNDLE-IMAGE"))
    })
}

fn registry_rm(line: &OldCommandLine) -> MessageExplanation {
    in_place(line, "rm", database(line), |new| new.words(or_placeholder(line.list("packages"), "PKG")))
}

fn registry_prune(line: &OldCommandLine) -> MessageExplanation {
    in_place(line, "prune", database(line), |new| new.words(or_placeholder(line.list("packages"), "PKG")))
}

fn registry_prune_stranded(line: &OldCommandLine) -> MessageExplanation {
    in_place(line, "prune-stranded", database(line), |new| new)
}

fn registry_deprecate(line: &OldCommandLine) -> MessageExplanation {
    // The only command of opm with this default.
    let file = line.value("database").unwrap_or(DATABASE);
    in_place(line, "deprecate-truncate", file, |new| {
        let new = new.option("-b", or_placeholder(line.list("bundle-images"), "BUNDLE-IMAGE"));
        new.switch("--allow-package-removal", line.has("allow-package-removal"))
    })
}

fn registry_serve(line: &OldCommandLine) -> MessageExplanation {
    let serve =
        NewCommandLine::new("serve").word(database(line)).option("--port", [line.value("port").unwrap_or("50051")]);
    explained("`olmdex serve` answers the same gRPC calls from catalogs of any kind.", vec![serve])
}

fn alpha_list(what: &str, line: &OldCommandLine) -> MessageExplanation {
    let mut words = line.words.iter();
    let source = words.next().map_or_else(|| "INDEX".to_owned(), |word| source_of_opm(word));
    let packages = words.map(String::as_str).filter(|_| what != "packages");
    let list = NewCommandLine::new("list").word(what).words(packages).option("-i", [&*source]);
    explained(
        "`olmdex list` lists packages, channels and bundles of any catalog; `--as opm` prints the columns of opm.",
        vec![transport(line, list)],
    )
}

fn list_operators(line: &OldCommandLine) -> MessageExplanation {
    const FAMILIES: [&str; 4] = ["redhat-operator", "certified-operator", "community-operator", "redhat-marketplace"];
    let packages = |source: &str| NewCommandLine::new("list packages").option("-i", [source]);
    let Some(catalog) = line.value("catalog").map(image) else {
        let version = line.value("version").unwrap_or("4.Y").trim_start_matches('v');
        let reference = |family: &&str| format!("docker://registry.redhat.io/redhat/{family}-index:v{version}");
        return explained(
            "oc-mirror lists the catalogs of a version of OpenShift; olmdex lists what is in each of them.",
            FAMILIES.iter().map(|family| packages(&reference(family))).collect(),
        );
    };
    let next = match (line.value("package"), line.value("channel")) {
        (None, _) => packages(&catalog),
        (Some(package), None) => NewCommandLine::new("list channels").word(package).option("-i", [&*catalog]),
        (Some(package), Some(channel)) => {
            NewCommandLine::new("list bundles").word(&format!("{package}/{channel}")).option("-i", [&*catalog])
        }
    };
    explained("`olmdex list` lists the packages, channels and bundles of any catalog.", vec![next])
}

fn list_releases(line: &OldCommandLine) -> MessageExplanation {
    let of_channel = line.value("channel").and_then(|channel| channel.rsplit_once('-')).map(|it| it.1);
    let version = line.value("version").or(of_channel).unwrap_or("4.Y");
    explained(
        "Releases of OpenShift are in no catalog, so olmdex does not list or mirror them; it shows the updates from one \
        to another, which it reads from a saved answer of the update service, graph.json.",
        vec![
            NewCommandLine::new("plan")
                .option("--cluster", ["CLUSTER"])
                .option("--to", [version])
                .option("--only", ["platform"])
                .option("--graph", ["graph.json"]),
        ],
    )
}

fn updates(line: &OldCommandLine) -> MessageExplanation {
    let given = line.words.first().map(String::as_str).filter(|word| !word.starts_with('-'));
    let configuration = given.or_else(|| line.value("config")).unwrap_or("imageset-config.yaml");
    let filter = NewCommandLine::new("mirror filter").option("-c", [configuration]).word("--explain");
    let status = NewCommandLine::new("mirror status").option("-c", [configuration]).option("--at", ["docker://MIRROR"]);
    explained(
        "olmdex shows which bundles each channel keeps now, and which images a mirror lacks; it does not list releases \
        of OpenShift.",
        vec![filter, status],
    )
}
