//! Files and texts to objects.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::collect::Collector;
use super::object::Object;
use super::reading::{Archives, ClusterError, Reading, ReadingLimits};
use super::{Cluster, ClusterServiceVersion};
use olmdex_base::archive::{self, ArchiveError, Limits, PathTarget, TreeEntry};
use olmdex_base::diag::Place;
use olmdex_base::file::{open_regular, read_named_of, read_regular_of};
use olmdex_fbc::{self as fbc, Origin, Spot, Syntax};
use olmdex_text::json::{self, Kind, Step, Value};
use olmdex_text::yaml;

/// The number of bytes that a file of manifests may have.
const MAX_FILE: u64 = 1 << 30;

/// The longest line of YAML, in bytes. An API server keeps no object of more than some megabytes, and parsing a text
/// without lines would take four times its size.
const MAX_LINE: usize = 64 << 20;

/// Reads manifests: a file, or all files of a directory or an archive and those below, by name.
///
/// # Errors
/// If the path, or the one file that it names, cannot be read. An error within a directory or an archive is a warning.
pub fn read(path: &Path, archives: Archives<'_>) -> Result<Cluster, ClusterError> {
    read_within(path, archives, ReadingLimits::of(archives.limits))
}

fn read_within(path: &Path, archives: Archives<'_>, limits: ReadingLimits) -> Result<Cluster, ClusterError> {
    let (mut reading, mut collector) = (Reading::new(limits), Collector::new(limits));
    let warnings = each_text(path, archives, tells_of_cluster, &mut |file, text| {
        each_object(file, text, &mut reading, &mut |_, value, place, _| collector.add(value, place))
    })?;
    collector.cluster.warnings.splice(0..0, warnings);
    collector.finish()
}

/// Whether a file may describe a cluster's operators or its platform. In a must-gather the path shows the content of a
/// file, and most files are logs and pods; everywhere else every file may.
fn tells_of_cluster(path: &[u8]) -> bool {
    let parts: Vec<&[u8]> = path.split(|it| *it == b'/').collect();
    let root = parts.iter().position(|it| matches!(*it, b"namespaces" | b"cluster-scoped-resources"));
    let Some(root) = root.filter(|it| it + 2 < parts.len()) else { return true };
    let is_namespaced = parts[root] == b"namespaces";
    let below = &parts[root + 1 + usize::from(is_namespaced)..];
    let stem = |it: &[u8]| -> Vec<u8> {
        let end = it.iter().rposition(|byte| *byte == b'.').unwrap_or(it.len());
        it[..end].to_vec()
    };
    // A file that no group of a must-gather holds may be anything.
    let (Some(group), Some(kind)) = (below.first(), below.get(1)) else { return true };
    // A kind is a directory, or a file with a list.
    let kind = if below.len() == 2 { stem(kind) } else { kind.to_vec() };
    match (*group, kind.as_slice()) {
        (b"operators.coreos.com" | b"olm.operatorframework.io", _) => true,
        (b"config.openshift.io", kind) => matches!(kind, b"clusterversions" | b"clusteroperators" | b"infrastructures"),
        (b"apiserver.openshift.io", kind) => kind == b"apirequestcounts",
        (b"machineconfiguration.openshift.io", kind) => kind == b"machineconfigpools",
        (b"core", b"nodes") | (b"apiextensions.k8s.io", b"customresourcedefinitions") => true,
        (b"core", b"configmaps") => matches!(parts[root + 1], b"openshift-config" | b"openshift-config-managed"),
        _ => false,
    }
}

/// An object of any kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnyObject {
    /// Its content, as compact JSON.
    pub json: String,
    /// The place where it is written.
    pub place: Place,
    /// The text that contains it, for definitions and ClusterServiceVersions, into which findings point.
    pub text: Option<ObjectText>,
}

/// The text of an object, or of the list that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectText {
    text: Arc<[u8]>,
    origin: Origin,
    /// The steps from the text to the object.
    path: Vec<Step>,
}

impl AnyObject {
    /// The place of one of its values, as far as it has the parts of the path; its own place if its text is not known.
    pub fn place_of(&self, path: &[Step]) -> Place {
        self.places_of(&[path]).pop().unwrap_or_else(|| self.place.clone())
    }

    /// The places of many values: the text is read once.
    pub fn places_of(&self, paths: &[&[Step]]) -> Vec<Place> {
        let unknown = || vec![self.place.clone(); paths.len()];
        let Some(ObjectText { text, origin, path: to_object }) = &self.text else { return unknown() };
        let mut reader = json::Reader::new();
        let Ok(object) = reader.read(&self.json) else { return unknown() };
        let spot = |path: &&[Step]| {
            let (mut value, mut whole) = (object, to_object.clone());
            for step in *path {
                let next = match step {
                    Step::Key(key) => value.get(key),
                    Step::Index(idx) => value.items().nth(*idx),
                };
                let Some(next) = next else { break };
                value = next;
                whole.push(step.clone());
            }
            let is_below_key = matches!(value.kind(), Kind::Object | Kind::Array)
                && whole.len() > to_object.len()
                && matches!(whole.last(), Some(Step::Key(_)));
            if is_below_key { Spot::Key(whole) } else { Spot::Path(whole) }
        };
        let spots: Vec<Spot> = paths.iter().map(spot).collect();
        let found = fbc::locate_all(text, *origin, &spots.iter().collect::<Vec<_>>()).into_iter();
        found.map(|located| located.in_file(&self.place.file)).collect()
    }
}

/// Reads the objects of these kinds, or of all, like [`read`], and warnings about the parts that could not be read.
///
/// # Errors
/// The errors of [`read`].
pub fn read_objects(
    path: &Path,
    archives: Archives<'_>,
    kinds: &[&str],
) -> Result<(Vec<AnyObject>, Vec<String>), ClusterError> {
    let (mut objects, mut reading) = (Vec::new(), Reading::new(ReadingLimits::of(archives.limits)));
    let warnings = each_text(path, archives, |_| true, &mut |file, text| {
        each_object(file, text, &mut reading, &mut |reading, value, place, text_of| {
            let kind = value.text_of("kind");
            if (kinds.contains(&kind.as_str()) && defines(value)) || (kinds.is_empty() && !kind.is_empty()) {
                reading.keep(&mut objects, || AnyObject::with_len(value, place, text_of));
            }
        })?;
        reading.check_kept()
    })?;
    Ok((objects, warnings))
}

/// The kinds that tell of definitions.
pub const DEFINING_KINDS: [&str; 2] = ["CustomResourceDefinition", "ClusterServiceVersion"];

/// Whether an object is no copy of a ClusterServiceVersion: there may be thousands, and the original tells the same.
fn defines(value: Value<'_>) -> bool {
    !ClusterServiceVersion::is_copy(&Object { value, place: Place::default() })
}

/// Reads the state of a cluster and its definitions, once, and the parts that could not be read, in words.
///
/// # Errors
/// The errors of [`read_objects`].
pub fn read_with_definitions(
    path: &Path,
    archives: Archives<'_>,
) -> Result<(Cluster, Vec<AnyObject>, Vec<String>), ClusterError> {
    let mut gathered = Gathered::new(ReadingLimits::of(archives.limits));
    let warnings = each_text(path, archives, |_| true, &mut |file, text| gathered.add(file, text))?;
    Ok((gathered.collector.finish()?, gathered.objects, warnings))
}

/// Like [`read_with_definitions`], from texts with their names.
///
/// # Errors
/// If one is neither YAML nor JSON.
pub fn read_texts_with_definitions<'t>(
    texts: impl IntoIterator<Item = (&'t str, Cow<'t, [u8]>)>,
) -> Result<(Cluster, Vec<AnyObject>), ClusterError> {
    let mut gathered = Gathered::new(ReadingLimits::default());
    texts.into_iter().try_for_each(|(file, text)| gathered.add(file, &text))?;
    Ok((gathered.collector.finish()?, gathered.objects))
}

/// The state of a cluster, and its definitions.
struct Gathered {
    collector: Collector,
    objects: Vec<AnyObject>,
    reading: Reading,
}

impl Gathered {
    fn new(limits: ReadingLimits) -> Self {
        Self { collector: Collector::new(limits), objects: Vec::new(), reading: Reading::new(limits) }
    }

    fn add(&mut self, file: &str, text: &[u8]) -> Result<(), ClusterError> {
        each_object(file, text, &mut self.reading, &mut |reading, value, place, text_of| {
            self.collector.add(value, place.clone());
            if DEFINING_KINDS.contains(&value.text_of("kind").as_str()) && defines(value) {
                reading.keep(&mut self.objects, || AnyObject::with_len(value, place, text_of));
            }
        })?;
        self.reading.check_kept()
    }
}

impl AnyObject {
    /// An object with the number of bytes of its text.
    fn with_len(value: Value<'_>, place: Place, text_of: &dyn Fn() -> ObjectText) -> (Self, usize) {
        let is_pointed_into = DEFINING_KINDS.contains(&value.text_of("kind").as_str());
        let json = value.compact();
        let len = json.len();
        (Self { json, place, text: is_pointed_into.then(text_of) }, len)
    }
}

/// Takes the name of a file and its text.
type TextSink<'s> = dyn FnMut(&str, &[u8]) -> Result<(), ClusterError> + 's;

/// Hands over the text of a file, or of all manifests of a directory and those below. Errors within a directory are
/// returned as words.
fn each_text(
    path: &Path,
    archives: Archives<'_>,
    is_wanted: fn(&[u8]) -> bool,
    sink: &mut TextSink<'_>,
) -> Result<Vec<String>, ClusterError> {
    let unreadable = |path: &Path, error: io::Error| ClusterError::Unreadable { path: path.to_owned(), error };
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(path, error))?;
    let mut warnings = Vec::new();
    if !metadata.is_dir() {
        if let Some(warnings) = each_archived(path, archives, is_wanted, sink)? {
            return Ok(warnings);
        }
        let text = read_named_of(path, MAX_FILE).map_err(|error| unreadable(path, error))?;
        sink(&path.to_string_lossy(), &text)?;
        return Ok(warnings);
    }
    let directory_given = path;
    // `must-gather/namespaces` itself may be given.
    let root = path.parent().unwrap_or(path);
    let mut open = vec![path.to_owned()];
    let mut files = Vec::new();
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).map_err(|error| unreadable(&directory, error))? {
            let entry = entry.map_err(|error| unreadable(&directory, error))?;
            let kind = entry.file_type().map_err(|error| unreadable(&directory, error))?;
            let path = entry.path();
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_symlink() && !leads_below(&path, directory_given) {
                if is_manifest(path.as_os_str().as_encoded_bytes()) {
                    warnings.push(format!("left out `{}`, a symbolic link out of the directory", path.display()));
                }
            } else if is_manifest(path.as_os_str().as_encoded_bytes())
                && is_wanted(path.strip_prefix(root).unwrap_or(&path).as_os_str().as_encoded_bytes())
                && std::fs::metadata(&path).is_ok_and(|it| it.is_file())
            {
                files.push(path);
            }
        }
    }
    files.sort();
    warnings.sort();
    for file in files {
        let read = read_regular_of(&file, MAX_FILE).map_err(|error| unreadable(&file, error));
        warn_of(read.and_then(|text| sink(&file.to_string_lossy(), &text)), &mut warnings)?;
    }
    Ok(warnings)
}

/// Takes an error about one of several files as a warning, unless a limit for all of them is reached.
fn warn_of(read: Result<(), ClusterError>, warnings: &mut Vec<String>) -> Result<(), ClusterError> {
    match read {
        Err(error @ ClusterError::Limit(_)) => return Err(error),
        Err(error) => warnings.push(error.to_string()),
        Ok(()) => {}
    }
    Ok(())
}

/// Whether a link leads to something below a directory. Directories of manifests come from other people, like archives:
/// they must not show files outside of them.
fn leads_below(link: &Path, directory: &Path) -> bool {
    let whole = |it: &Path| std::fs::canonicalize(it).ok();
    whole(link).zip(whole(directory)).is_some_and(|(to, root)| to.starts_with(root))
}

/// Whether a name is that of YAML or JSON.
fn is_manifest(name: &[u8]) -> bool {
    [&b".yaml"[..], b".yml", b".json"].iter().any(|it| name.ends_with(it))
}

/// Hands over the texts of an archive's manifests, by name; `None` if the file is no archive.
fn each_archived(
    path: &Path,
    archives: Archives<'_>,
    is_wanted: fn(&[u8]) -> bool,
    sink: &mut TextSink<'_>,
) -> Result<Option<Vec<String>>, ClusterError> {
    let Ok(file) = open_regular(path) else { return Ok(None) };
    if !archive::is_archive(&file) {
        return Ok(None);
    }
    let wrong = |error: ArchiveError| ClusterError::Archive { path: path.to_owned(), error };
    let tree = archive::read(&Arc::new(file), archives.limits, archives.scratch, |it| is_manifest(it) && is_wanted(it))
        .map_err(wrong)?;
    let mut warnings = Vec::new();
    let mut names: Vec<Vec<&[u8]>> = Vec::new();
    for (name, node) in tree.below(b"") {
        if is_manifest(name) && is_wanted(name) && !matches!(node, TreeEntry::Directory) {
            names.push(name.split(|&byte| byte == b'/').collect());
        }
    }
    // The same order as in a directory.
    names.sort_unstable();
    for name in names {
        let name = name.join(&b'/');
        let Ok(PathTarget::File(text)) = tree.find(&name) else { continue };
        let shown = format!("{}!/{}", path.display(), archive::shown(&name));
        let read = text.whole(MAX_FILE).map_err(|error| ClusterError::Unreadable { path: shown.clone().into(), error });
        warn_of(read.and_then(|text| sink(&shown, &text)), &mut warnings)?;
    }
    Ok(Some(warnings))
}

/// Reads manifests from a text; `file` is its name.
///
/// # Errors
/// If it is neither YAML nor JSON.
pub fn read_text(file: &str, text: &[u8]) -> Result<Cluster, ClusterError> {
    read_text_within(file, text, Limits::default())
}

/// As [`read_text`]. Without limits of archives, the manifests have none either.
///
/// # Errors
/// The errors of [`read_text`].
pub fn read_text_within(file: &str, text: &[u8], limits: Limits) -> Result<Cluster, ClusterError> {
    let limits = ReadingLimits::of(limits);
    let mut collector = Collector::new(limits);
    each_object(file, text, &mut Reading::new(limits), &mut |_, value, place, _| collector.add(value, place))?;
    collector.finish()
}

/// Takes an object, its place, and a function that keeps its text.
type Sink<'s> = dyn FnMut(&mut Reading, Value<'_>, Place, &dyn Fn() -> ObjectText) + 's;

/// Hands over every object of a text, those of lists one by one.
fn each_object(file: &str, text: &[u8], reading: &mut Reading, sink: &mut Sink<'_>) -> Result<(), ClusterError> {
    let syntax = |line: u32, error: String| ClusterError::Syntax { file: file.to_owned(), line, error };
    let mut reader = json::Reader::new();
    if text.iter().find(|it| !it.is_ascii_whitespace()).is_some_and(|it| matches!(it, b'{' | b'[')) {
        let text = json::decode_utf8(text);
        let mut at = 0;
        // Lists may have thousands of objects, all in one line, so places are counted from the last one that was asked
        // for.
        let last = Cell::new((0_usize, (1_u32, 1_u32)));
        let place = |offset: usize| {
            let (from, (line, column)) = if last.get().0 <= offset { last.get() } else { (0, (1, 1)) };
            let place = fbc::advance(line, column, &text.as_bytes()[from..offset]);
            last.set((offset, place));
            place
        };
        while !text[at..].trim_start().is_empty() {
            reading.add_document()?;
            let (value, end) = reader.read_at(&text, at).map_err(|error| syntax(place(at).0, error.to_string()))?;
            add(value, &mut |it, _| {
                let start = it.offset();
                let (line, column) = place(start);
                let origin = origin(Syntax::Json, line, column);
                let text_of = || {
                    let text = text.get(start..it.end()).unwrap_or_default().as_bytes();
                    ObjectText { text: text.into(), origin, path: Vec::new() }
                };
                sink(reading, it, Place::at_line(file, line), &text_of);
            });
            at = end;
        }
        return Ok(());
    }
    if text.len() > MAX_LINE
        && let Some(at) = text.split(|it| *it == b'\n').position(|it| it.len() > MAX_LINE)
    {
        return Err(syntax(u32::try_from(at + 1).unwrap_or(u32::MAX), "it is longer than 64 MiB".to_owned()));
    }
    let expansion = olmdex_text::json::Expansion::default();
    for chunk in yaml::split(text, 1) {
        reading.add_document()?;
        let chunk = chunk.map_err(|error| syntax(error.line, error.to_string()))?;
        let mut converted = Vec::new();
        yaml::to_json_within(&chunk.text, &mut converted, &expansion)
            .map_err(|error| syntax(chunk.first_line, error.to_string()))?;
        let converted = String::from_utf8_lossy(&converted);
        if converted.trim().is_empty() {
            continue;
        }
        let value = reader.read(&converted).map_err(|error| syntax(chunk.first_line, error.to_string()))?;
        let lines = item_lines(&chunk.text, value);
        let text: OnceCell<Arc<[u8]>> = OnceCell::new();
        add(value, &mut |it, path| {
            let line = match path.last() {
                Some(Step::Index(number)) => lines.get(*number).copied().unwrap_or(1),
                _ => 1,
            };
            let text_of = || {
                // The items of a list share its text.
                let text = Arc::clone(text.get_or_init(|| (*chunk.text).into()));
                ObjectText { text, origin: origin(Syntax::Yaml, chunk.first_line, 1), path: path.to_vec() }
            };
            sink(reading, it, Place::at_line(file, chunk.first_line + line - 1), &text_of);
        });
    }
    Ok(())
}

/// A text that starts at a line and column.
fn origin(syntax: Syntax, line: u32, column: u32) -> Origin {
    Origin { file: 0, line, column, syntax, offset: 0, len: 0 }
}

/// The lines of a list's items in a chunk of YAML, from 1.
fn item_lines(chunk: &[u8], list: Value<'_>) -> Vec<u32> {
    let Some(items) = list.get("items").filter(|it| it.kind() == Kind::Array) else { return Vec::new() };
    let mut paths = json::Paths::default();
    let ends: Vec<usize> = (0..items.items().count()).map(|idx| paths.add(&["items".into(), idx.into()])).collect();
    let found = yaml::locate_all(chunk, &paths).unwrap_or_default();
    ends.into_iter().map(|it| found.get(it).map_or(1, |it| it.value.line)).collect()
}

/// Hands over an object, or those of a list, with the steps to it.
fn add(value: Value<'_>, sink: &mut dyn FnMut(Value<'_>, &[Step])) {
    let is_list = value.get("kind").and_then(|it| it.as_str()).is_some_and(|it| it.ends_with("List"));
    match value.get("items") {
        Some(items) if is_list || value.get("kind").is_none() => {
            items.items().enumerate().for_each(|(idx, it)| sink(it, &["items".into(), idx.into()]));
        }
        _ if value.kind() == Kind::Array => value.items().enumerate().for_each(|(idx, it)| sink(it, &[idx.into()])),
        _ => sink(value, &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::reading::OBJECT;
    use super::*;
    use olmdex_fbc::Property;

    const LIST: &str = "apiVersion: v1
kind: List
items:
- apiVersion: operators.coreos.com/v1alpha1
  kind: Subscription
  metadata: {name: a, namespace: ns}
  spec: {name: a, channel: stable, source: shop, sourceNamespace: olm}
  status: {installedCSV: a.v1, currentCSV: a.v2}
- apiVersion: messaging.knative.dev/v1
  kind: Subscription
  metadata: {name: other}
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata:
    name: a.v1
    namespace: ns
    annotations:
      operatorframework.io/properties: '{\"properties\":[null,{\"type\":\"olm.package\",\"value\":{\"packageName\":\"a\", \"version\":\"1.0.0\"}}]}'
  spec: {version: 1.0.0}
---
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: {name: group, namespace: ns}
spec: {upgradeStrategy: TechPreviewUnsafeFailForward}
";

    #[test]
    fn lists_and_documents_are_read_with_their_places() {
        let cluster = read_text("cluster.yaml", LIST.as_bytes()).unwrap();
        let [subscription] = cluster.subscriptions.as_slice() else { panic!("{cluster:?}") };
        assert_eq!((subscription.installed.as_str(), subscription.current.as_str()), ("a.v1", "a.v2"));
        assert_eq!(subscription.place.line, 4);
        let [csv] = cluster.csvs.as_slice() else { panic!("{cluster:?}") };
        assert_eq!(csv.place.line, 12);
        let expected = Property::new("olm.package", r#"{"packageName":"a","version":"1.0.0"}"#);
        assert_eq!(csv.properties, Some(vec![expected]));
        assert!(cluster.operator_groups[0].fails_forward);
        assert_eq!(cluster.operator_groups[0].place.line, 21);
        assert_eq!(cluster.namespaces(), ["ns"]);
    }

    #[test]
    fn no_manifests_hold_more_than_a_cluster_does() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("cluster.json");
        let archives = Archives { scratch: directory.path(), limits: Limits::default() };
        let limits =
            ReadingLimits { documents: 9, objects: 3, namespaces: 1, operators: 2, pairs: 1, copies: 5, mebibytes: 1 };
        let object = |kind: &str, number: usize| {
            let names = format!("{{\"name\":\"{number}\",\"labels\":{{\"olm.copiedFrom\":\"x\"}}}}");
            format!("{{\"apiVersion\":\"operators.coreos.com/v1\",\"kind\":\"{kind}\",\"metadata\":{names}}}\n")
        };
        let many = |kind: &str, n: usize| (0..n).map(|number| object(kind, number)).collect::<String>();
        let cases = [
            (many("Subscription", 2), None),
            (many("Subscription", 3), Some("2 Subscriptions and ClusterServiceVersions in a namespace")),
            (
                many("Subscription", 2).replacen("{\"name\"", "{\"namespace\":\"a\",\"name\"", 1),
                Some("1 namespaces with Subscriptions or ClusterServiceVersions"),
            ),
            (many("Subscription", 1) + &many("CatalogSource", 1), None),
            (many("Subscription", 1) + &many("CatalogSource", 2), Some("1 pairs of a namespace and a CatalogSource")),
            (many("CatalogSource", 3), None),
            (many("CatalogSource", 4), Some("3 objects of OLM and the platform")),
            (many("ClusterServiceVersion", 5), None),
            (many("ClusterServiceVersion", 6), Some("5 copies of ClusterServiceVersions")),
            ("{}\n".repeat(9), None),
            ("{}\n".repeat(10), Some("9 documents")),
            ("---\n".repeat(20), Some("9 documents")),
        ];
        for (text, limit) in cases {
            std::fs::write(&file, text).unwrap();
            // An error about one of several files is a warning, but a limit is none.
            for path in [&file, directory.path()] {
                let error =
                    read_within(path, archives, limits).err().map(|error| (error.is_limit(), error.to_string()));
                assert_eq!(error, limit.map(|limit| (true, format!("the manifests have more than {limit}"))));
            }
            read_within(&file, archives, ReadingLimits::NONE).unwrap();
        }
        let mut reading = Reading::new(limits);
        let mut objects = Vec::new();
        for _ in 0..10_000 {
            reading.keep(&mut objects, || ((), 0));
        }
        assert_eq!(objects.len(), (2 << 20) / OBJECT);
        assert_eq!(reading.check_kept().unwrap_err().to_string(), "the manifests have more than 1 MiB of objects");
    }

    #[test]
    fn copies_are_kept_apart() {
        let text = "kind: ClusterServiceVersion\napiVersion: operators.coreos.com/v1alpha1\nmetadata: {name: b.v2, \
                    namespace: ns, labels: {olm.copiedFrom: olm}}\nspec: {replaces: b.v1}\n";
        let cluster = read_text("cluster.yaml", format!("{LIST}---\n{text}").as_bytes()).unwrap();
        let [copy] = cluster.copies["ns"].as_slice() else { panic!("{cluster:?}") };
        assert!(copy.is_copied && copy.replaces == "b.v1" && cluster.csvs.len() == 1 && cluster.has_service_versions());
    }

    #[test]
    fn json_is_read_too() {
        let text = "{\"items\":[\n{\"apiVersion\":\"operators.coreos.com/v1alpha1\",\"kind\":\"CatalogSource\",\
                    \"metadata\":{\"name\":\"shop\"},\"spec\":{\"priority\":-5}}]}\n{}";
        let cluster = read_text("cluster.json", text.as_bytes()).unwrap();
        assert_eq!((cluster.catalog_sources[0].priority, cluster.catalog_sources[0].place.line), (-5, 2));
    }

    #[test]
    fn what_is_no_manifest_is_refused_with_its_line() {
        for text in ["a: [", "{\"a\": ", "\t- x: {", "--- x\ny: 1"] {
            assert!(read_text("x", text.as_bytes()).is_err(), "{text:?}");
        }
        for text in ["", "# nothing", "just text", "- a\n- b", "null", "{}", "[1, 2]"] {
            assert_eq!(read_text("x", text.as_bytes()).unwrap(), Cluster::default(), "{text:?}");
        }
    }

    #[test]
    fn values_of_definitions_are_found_in_every_form() {
        let crd = "{\"kind\": \"CustomResourceDefinition\",\n \"spec\": {\"scope\": \"Cluster\"}}";
        let list =
            "kind: List\nitems:\n- kind: Namespace\n- kind: CustomResourceDefinition\n  spec:\n    scope: Cluster\n";
        let path = |it: &str| -> Vec<Step> { it.split('.').map(Step::from).collect() };
        for (text, scope, spec) in [
            (crd.to_owned(), (2, 20), (2, 2)),
            (format!("{{}}\n  {crd}"), (3, 20), (3, 2)),
            (format!("{{\"items\": [1, {crd}]}}"), (2, 20), (2, 2)),
            (list.to_owned(), (6, 12), (5, 3)),
            (format!("# ü\n---\n\n{list}"), (9, 12), (8, 3)),
            (list.replace("kind: List\nitems:\n", ""), (4, 12), (3, 3)),
        ] {
            let directory = tempfile::tempdir().unwrap();
            let file = directory.path().join("crd.yaml");
            std::fs::write(&file, &text).unwrap();
            let (objects, _) =
                read_objects(&file, Archives { scratch: directory.path(), limits: Limits::default() }, &[]).unwrap();
            let crd = objects.iter().find(|it| it.json.contains("CustomResourceDefinition")).unwrap();
            let at = |it: &str| Some(crd.place_of(&path(it))).map(|it| (it.line, it.column)).unwrap();
            assert_eq!((at("spec.scope"), at("spec.names.kind")), (scope, spec), "{text}");
        }
    }
}
