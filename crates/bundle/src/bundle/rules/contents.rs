//! The files of a bundle directory, and the first document of each.
//!
//! For safety, this module deliberately follows no link out of the two directories, and opens nothing but regular
//! files. It fails for nothing in them; a file that cannot be read is marked.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::bundle::error::BundleError;
use olmdex_fbc::{self as fbc, Api, BundleFiles, MANIFESTS, MAX_BUNDLE_FILE, METADATA};
use olmdex_fbc::{Origin, Syntax};
use olmdex_text::json::Expansion;
use olmdex_text::json::{self, Kind, Reader, Value};
use olmdex_text::yaml;

/// A bundle directory with its files.
#[derive(Debug)]
pub struct Contents {
    /// The directory as the user named it.
    pub directory: PathBuf,
    pub(super) has_manifests: bool,
    pub(super) has_metadata: bool,
    /// The entries of `manifests/` by name, then those of `metadata/`.
    pub(super) files: Vec<File>,
}

/// An entry of one of the directories.
#[derive(Debug)]
pub(super) struct File {
    /// Below the bundle, for example `manifests/csv.yaml`.
    pub(super) path: String,
    pub(super) name: String,
    pub(super) is_manifest: bool,
    pub(super) entry: Entry,
    pub(super) text: Vec<u8>,
    /// The origin of its first document, if it is a file.
    pub(super) origin: Option<Origin>,
    /// The first document.
    pub(super) document: Result<Text, Undecodable>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    File,
    Directory,
    /// A pipe, a link that leads nowhere, a file without permission.
    Other,
}

/// A document as JSON with sorted keys, and its tree.
pub(super) struct Text {
    text: String,
    reader: Reader,
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl Text {
    fn new(text: String) -> Option<Self> {
        let mut reader = Reader::new();
        reader.read(&text).ok()?;
        Some(Self { text, reader })
    }

    pub(super) fn value(&self) -> Value<'_> {
        self.reader.last(&self.text)
    }

    pub(super) fn json(&self) -> &str {
        &self.text
    }
}

/// The reason why a file has no document, or no object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Undecodable {
    pub(super) reason: String,
    /// The line and column in the document, if they are known.
    pub(super) line: Option<(u32, u32)>,
}

impl Undecodable {
    fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), line: None }
    }
}

impl Contents {
    /// Reads a bundle directory. Absent directories are no error.
    ///
    /// # Errors
    /// The directory itself cannot be read, or one of its files is too large.
    pub fn read(directory: &Path) -> Result<Self, BundleError> {
        let unreadable = |path: &Path, error: io::Error| BundleError::Unreadable { path: path.to_owned(), error };
        fs::read_dir(directory).map_err(|error| unreadable(directory, error))?;
        let is_directory = |name: &str| directory.join(name).symlink_metadata().is_ok_and(|it| it.is_dir());
        let (has_manifests, has_metadata) = (is_directory(MANIFESTS), is_directory(METADATA));
        let mut files = Vec::new();
        let expansion = Expansion::default();
        for (name, is_there) in [(MANIFESTS, has_manifests), (METADATA, has_metadata)] {
            if !is_there {
                continue;
            }
            let path = directory.join(name);
            let mut entries = Vec::new();
            for entry in fs::read_dir(&path).map_err(|error| unreadable(&path, error))? {
                let entry = entry.map_err(|error| unreadable(&path, error))?;
                entries.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
            }
            entries.sort();
            for (file, at) in entries {
                files.push(read_entry(directory, name, file, &at, &expansion)?);
            }
        }
        Ok(Self { directory: directory.to_owned(), has_manifests, has_metadata, files })
    }

    /// A bundle whose files are in memory, named by their paths below `directory`.
    pub fn of_files(directory: &Path, files: &BundleFiles) -> Self {
        let expansion = Expansion::default();
        let of = |(is_manifest, (name, text)): (bool, &(String, Vec<u8>))| {
            let (origin, document) = decode(text, &expansion);
            File {
                path: format!("{}/{name}", if is_manifest { MANIFESTS } else { METADATA }),
                name: name.clone(),
                is_manifest,
                entry: Entry::File,
                text: text.clone(),
                origin: Some(origin),
                document,
            }
        };
        let all = files.manifests.iter().map(|it| (true, it)).chain(files.metadata.iter().map(|it| (false, it)));
        Self { directory: directory.to_owned(), has_manifests: true, has_metadata: true, files: all.map(of).collect() }
    }

    /// Replaces the text of a file, which is named by its path with that of the bundle; a file that is not there is
    /// added. A path that is not an entry of one of the two directories is ignored.
    pub fn set_text(&mut self, path: &Path, text: Vec<u8>) {
        let Ok(inner) = path.strip_prefix(&self.directory) else { return };
        let mut parts = inner.components().map(|it| it.as_os_str().to_string_lossy().into_owned());
        let (Some(directory), Some(name), None) = (parts.next(), parts.next(), parts.next()) else { return };
        let is_manifest = directory == MANIFESTS;
        if !is_manifest && directory != METADATA {
            return;
        }
        let (origin, document) = decode(&text, &Expansion::default());
        let path = format!("{directory}/{name}");
        let file = File { path, name, is_manifest, entry: Entry::File, text, origin: Some(origin), document };
        match self.files.iter_mut().find(|it| it.path == file.path) {
            // An entry that is not a file of the bundle does not become one because of an editor.
            Some(before) if before.entry == Entry::File => *before = file,
            Some(_) => {}
            None => {
                let key = |it: &File| (!it.is_manifest, it.name.clone());
                let at = self.files.partition_point(|it| key(it) < key(&file));
                self.files.insert(at, file);
            }
        }
    }

    /// The entries of `manifests/`, with their numbers.
    pub(super) fn manifests(&self) -> impl Iterator<Item = (usize, &File)> {
        self.files.iter().enumerate().filter(|(_, it)| it.is_manifest)
    }

    /// The entries of `metadata/`, with their numbers.
    pub(super) fn metadata(&self) -> impl Iterator<Item = (usize, &File)> {
        self.files.iter().enumerate().filter(|(_, it)| !it.is_manifest)
    }

    /// A path below the bundle, as the user would write it.
    pub(super) fn shown(&self, path: &str) -> String {
        if path.is_empty() {
            self.directory.display().to_string()
        } else {
            self.directory.join(path).display().to_string()
        }
    }
}

/// Whether a link leads to something outside of the bundle.
fn leads_out(bundle: &Path, at: &Path) -> bool {
    let is_link = at.symlink_metadata().is_ok_and(|it| it.is_symlink());
    is_link && !matches!((bundle.canonicalize(), at.canonicalize()), (Ok(bundle), Ok(at)) if at.starts_with(&bundle))
}

fn read_entry(
    bundle: &Path,
    directory: &str,
    name: String,
    at: &Path,
    expansion: &Expansion,
) -> Result<File, BundleError> {
    let kind = fs::metadata(at);
    let entry = match &kind {
        _ if leads_out(bundle, at) => Entry::Other,
        // A link to a directory is none for those who list the directory.
        Ok(it) if it.is_dir() => Entry::Directory,
        // Opening a pipe would wait for a writer.
        Ok(it) if it.is_file() => Entry::File,
        _ => Entry::Other,
    };
    let mut file = File {
        path: format!("{directory}/{name}"),
        name,
        is_manifest: directory == MANIFESTS,
        entry,
        text: Vec::new(),
        origin: None,
        document: Err(Undecodable::new("it is not a file")),
    };
    if entry != Entry::File {
        return Ok(file);
    }
    let opened = fs::File::open(at).and_then(|it| it.take(MAX_BUNDLE_FILE + 1).read_to_end(&mut file.text));
    if let Err(error) = opened {
        file.entry = Entry::Other;
        file.document = Err(Undecodable::new(error.to_string()));
        return Ok(file);
    }
    if file.text.len() as u64 > MAX_BUNDLE_FILE {
        return Err(BundleError::Unreadable { path: at.to_owned(), error: io::Error::other("larger than 64 MiB") });
    }
    let (origin, document) = decode(&file.text, expansion);
    (file.origin, file.document) = (Some(origin), document);
    Ok(file)
}

impl File {
    /// The line of the first document with content behind the first one, which opm and OLM do not read.
    pub(super) fn second_document(&self) -> Option<u32> {
        let syntax = self.origin?.syntax;
        let has_content = |text: &[u8]| {
            let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
            lines.into_iter().any(|line| !line.is_empty() && !line.starts_with(b"#"))
        };
        let chunks = (syntax == Syntax::Yaml).then(|| yaml::split(&self.text, 1));
        let mut later = chunks.into_iter().flatten().skip(1).filter_map(Result::ok);
        later.find(|chunk| has_content(&chunk.text)).map(|chunk| chunk.first_line)
    }
}

/// The number of bytes that decide whether a file is JSON or YAML.
const PEEK: usize = 30;

/// The first document of a file.
fn decode(bytes: &[u8], expansion: &Expansion) -> (Origin, Result<Text, Undecodable>) {
    let mut origin = Origin { file: 0, line: 1, column: 1, syntax: Syntax::Yaml, offset: 0, len: bytes.len() as u64 };
    let peeked = bytes.get(..PEEK).unwrap_or(bytes);
    let mut skipped = 0;
    if json::looks_like_object(peeked) {
        let text = json::decode_utf8(bytes);
        let start = text.len() - text.trim_start().len();
        let mut reader = Reader::new();
        if let Ok((value, end)) = reader.read_at(&text, start) {
            origin.syntax = Syntax::Json;
            origin.len = (start + end) as u64;
            return (origin, document(value));
        }
        // A text that is not JSON may still be YAML in flow style.
        if let yaml::AfterJson::At(start) = yaml::after_json(bytes, true) {
            skipped = start;
        }
    }
    let (first_line, column) = fbc::advance(1, 1, &bytes[..skipped]);
    origin.column = column;
    let chunk = match yaml::split(&bytes[skipped..], first_line).next() {
        Some(Ok(chunk)) => chunk,
        Some(Err(error)) => {
            let (reason, line) = (format!("invalid YAML document separator: {}", error.rest), Some((error.line, 1)));
            return (origin, Err(Undecodable { reason, line }));
        }
        None => return (origin, Err(Undecodable::new("it is empty"))),
    };
    origin.line = chunk.first_line;
    origin.offset = chunk.offset + skipped as u64;
    origin.len = chunk.consumed as u64;
    if chunk.text.is_empty() {
        return (origin, Err(Undecodable::new("it is empty")));
    }
    let mut converted = Vec::new();
    if let Err(error) = yaml::to_json_within(&chunk.text, &mut converted, expansion) {
        let line = error.line.map(|it| (it + first_line - 1, error.column.unwrap_or(1)));
        return (origin, Err(Undecodable { reason: error.to_string(), line }));
    }
    let converted = String::from_utf8(converted).unwrap_or_default();
    let mut reader = Reader::new();
    let document = match reader.read(&converted) {
        Ok(value) => document(value),
        Err(error) => Err(Undecodable::new(error.to_string())),
    };
    (origin, document)
}

fn document(value: Value<'_>) -> Result<Text, Undecodable> {
    let mut sorted = Vec::new();
    json::write_unstructured(value, &mut sorted);
    String::from_utf8(sorted).ok().and_then(Text::new).ok_or_else(|| Undecodable::new("it is empty"))
}

/// An object of Kubernetes: a document with a kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct Object<'a> {
    /// The number of its file.
    pub(super) file: usize,
    pub(super) value: Value<'a>,
}

impl<'a> Object<'a> {
    fn word(&self, key: &str) -> String {
        self.value.text_of(key)
    }

    pub(super) fn kind(&self) -> String {
        self.word("kind")
    }

    pub(super) fn api_version(&self) -> String {
        self.word("apiVersion")
    }

    /// `metadata.name`.
    pub(super) fn name(&self) -> String {
        let name = self.value.get("metadata").and_then(|it| it.get("name")).and_then(|it| it.as_str());
        name.unwrap_or_default().into_owned()
    }

    pub(super) fn gvk(&self) -> Api {
        api_of(&self.api_version(), &self.kind())
    }
}

impl File {
    /// The object that the file holds.
    ///
    /// # Errors
    /// Why it holds none.
    pub(super) fn object(&self, number: usize) -> Result<Object<'_>, Undecodable> {
        let text = self.document.as_ref().map_err(Clone::clone)?;
        let value = text.value();
        if !matches!(value.kind(), Kind::Object | Kind::Null) {
            return Err(Undecodable::new(format!("it is {}", value.kind().words())));
        }
        let object = Object { file: number, value };
        if object.kind().is_empty() {
            return Err(Undecodable::new("it has no `kind`"));
        }
        Ok(object)
    }
}

/// The API of an `apiVersion` and a kind. With more than one slash the result is empty.
pub(super) fn api_of(api_version: &str, kind: &str) -> Api {
    let (group, version) = match api_version.split_once('/') {
        Some((_, version)) if version.contains('/') => return Api::default(),
        Some((group, version)) => (group, version),
        None => ("", api_version),
    };
    Api { group: group.to_owned(), version: version.to_owned(), kind: kind.to_owned() }
}

/// The form that Go prints.
pub(super) fn go_form(api: &Api) -> String {
    format!("{}/{}, Kind={}", api.group, api.version, api.kind)
}
