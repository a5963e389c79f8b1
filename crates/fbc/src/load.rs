//! Reading a catalog: files are cut into documents, documents are decoded in parallel, results come back in order.
//!
//! Memory is bounded by the documents in flight: small files are read whole, one by each worker; large ones arrive in
//! batches of about [`BATCH`] bytes. The order of results never depends on the number of threads.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::Read as _;
use std::sync::Mutex;
use std::sync::mpsc::sync_channel;

use super::blob::{self, Blob, Failure, Typed};
use super::defect::Defect;
use super::input::Input;
use super::input_file::{InputFile, OpenFile, Sight, Source};
use super::objects;
use super::origin::Origin;
use super::stream::{DocumentSplitter, Next, Piece, Syntax, defect_of_head, json_defect, parse};
use super::value_places::ValuePlaces;
use olmdex_text::json::{Expansion, ReadError, ReadErrorKind, Reader, Value};
use olmdex_text::yaml;

/// Files up to this size are one task.
const WHOLE_FILE: u64 = 4 << 20;

/// About how many bytes of a larger file are one task.
const BATCH: usize = 1 << 20;

/// If there are so few files, threads share each file that is larger than a task of [`FEW_BATCH`] bytes: whole files
/// would leave threads without work.
const FEW_FILES: usize = 8;

/// About how many bytes of one of few files are one task.
const FEW_BATCH: usize = 256 << 10;

/// The number of bytes between two documents that are read with them, which costs less than reading twice.
const NEAR: u64 = 16 << 10;

/// The number of bytes that are read from a file at once.
const READ: usize = 256 << 10;

/// A document, decoded or not.
pub struct Document<'d> {
    /// Its origin.
    pub origin: Origin,
    /// Its text, as it is in the file.
    pub raw: &'d [u8],
    /// The line of it, from 1, from which on nothing is read: only the first YAML document of a chunk is read.
    pub unread_from: Option<u32>,
    /// The blob, or its defects.
    pub blob: Result<Blob<'d>, Failure>,
    /// The origins of the blob's values, if the consumer wants them.
    pub places: ValuePlaces<'d>,
}

impl<'d> Document<'d> {
    /// A document that could not be decoded.
    pub fn broken(origin: Origin, raw: &'d [u8], failure: Failure) -> Self {
        Self { origin, raw, unread_from: None, blob: Err(failure), places: ValuePlaces::Unknown }
    }
}

/// Takes each document. Several threads call it at once. A function is one that needs no more than the document.
pub trait Consumer: Sync {
    /// The result of a document.
    type Output: Send;

    /// Takes a document.
    fn document(&self, document: Document<'_>) -> Self::Output;

    /// Whether [`Self::recall`] may have an answer.
    fn recalls(&self) -> bool {
        false
    }

    /// Whether the consumer uses [`Document::places`], which cost a little.
    fn wants_places(&self) -> bool {
        false
    }

    /// Asked before a document is decoded, with its raw text: an answer spares the decoding.
    fn recall(&self, _origin: Origin, _raw: &[u8]) -> Option<Self::Output> {
        None
    }
}

impl<O: Send, F: Fn(Document<'_>) -> O + Sync> Consumer for F {
    type Output = O;

    fn document(&self, document: Document<'_>) -> O {
        self(document)
    }
}

/// Memory that one task hands on to the next.
#[derive(Default)]
struct Scratch {
    reader: Reader,
    converted: Vec<u8>,
    origins: yaml::ValueOrigins,
    /// The text of a whole file.
    whole: Vec<u8>,
}

enum Task {
    /// A whole file.
    File(u32),
    /// Some documents of a large file: the text, its offset in the file, and the pieces with places in the text.
    Batch { file: u32, offset: u64, text: Vec<u8>, pieces: Vec<Piece> },
    /// Consecutive documents of a file, with known places.
    Part(Vec<Origin>),
    /// A file that cannot be read (further).
    Failed { file: u32, offset: u64, line: u32, defect: Box<Defect> },
}

/// Decodes every document of `input` with `consumer` on rayon's current pool, and hands the results to `sink` in the
/// order of files and documents. An error of the sink stops the work.
///
/// # Errors
/// The sink's error. Faults of files and documents are not errors here, but in the documents.
pub fn load<C: Consumer, E>(
    input: &Input,
    consumer: &C,
    mut sink: impl FnMut(C::Output) -> Result<(), E>,
) -> Result<(), E> {
    let n_in_flight = rayon::current_num_threads() * 2;
    // On a thread of the pool, waiting for the pool could wait for ever.
    let is_inline = rayon::current_thread_index().is_some();
    let scratches: Mutex<Vec<Scratch>> = Mutex::new(Vec::new());
    input.meter.reset();
    let (sender, receiver) = sync_channel::<(usize, Vec<C::Output>)>(n_in_flight + 1);
    rayon::in_place_scope(|scope| {
        let mut tasks = Tasks::new(input);
        let mut waiting: BTreeMap<usize, Vec<C::Output>> = BTreeMap::new();
        let mut n_started = 0;
        let mut n_done = 0;
        loop {
            while n_started - n_done < n_in_flight {
                if input.meter.expansion.is_spent() {
                    break;
                }
                let Some(task) = tasks.next() else { break };
                let number = n_started;
                n_started += 1;
                let sender = sender.clone();
                let scratches = &scratches;
                let work = move || {
                    let mut scratch = lock(scratches).pop().unwrap_or_default();
                    let outputs = run(task, input, consumer, &mut scratch);
                    lock(scratches).push(scratch);
                    // The receiver is gone only if the sink has failed; then the results are not needed.
                    let _ = sender.send((number, outputs));
                };
                if is_inline {
                    work();
                } else {
                    scope.spawn(move |_| work());
                }
            }
            if n_started == n_done {
                return Ok(());
            }
            let Ok((number, outputs)) = receiver.recv() else { return Ok(()) };
            waiting.insert(number, outputs);
            while let Some(outputs) = waiting.remove(&n_done) {
                n_done += 1;
                for output in outputs {
                    sink(output)?;
                }
            }
        }
    })
}

/// The same with a sink that cannot fail.
pub fn load_each<C: Consumer>(input: &Input, consumer: &C, mut sink: impl FnMut(C::Output)) {
    let Ok(()) = load(input, consumer, |output| {
        sink(output);
        Ok::<(), Infallible>(())
    });
}

/// The results of all documents, in their order.
pub fn load_all<C: Consumer>(input: &Input, consumer: &C) -> Vec<C::Output> {
    let mut outputs = Vec::new();
    load_each(input, consumer, |output| outputs.push(output));
    outputs
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A poisoned pool holds scratch memory only, which every task clears before use.
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn run<C: Consumer>(task: Task, input: &Input, consumer: &C, scratch: &mut Scratch) -> Vec<C::Output> {
    let mut outputs = Vec::new();
    match task {
        Task::File(number) => {
            let Some(file) = input.files.get(number as usize) else { return outputs };
            let mut whole = std::mem::take(&mut scratch.whole);
            match whole_text(file, &mut whole) {
                Ok(text) => run_text(number, text, input, consumer, scratch, &mut outputs),
                Err(defect) => outputs.push(failed(number, 0, 1, defect, consumer)),
            }
            scratch.whole = whole;
            input.meter.add_file();
        }
        Task::Batch { file, offset, text, pieces } => {
            input.meter.add_bytes(text.len());
            for piece in pieces {
                if input.meter.expansion.is_spent() {
                    break;
                }
                outputs.push(decode(Start { file, offset }, &text, piece, consumer, scratch, input));
            }
        }
        Task::Part(origins) => run_part(&origins, input, consumer, scratch, &mut outputs),
        Task::Failed { file, offset, line, defect } => outputs.push(failed(file, offset, line, *defect, consumer)),
    }
    outputs
}

/// Decodes all documents of a file's text.
fn run_text<C: Consumer>(
    file: u32,
    text: &[u8],
    input: &Input,
    consumer: &C,
    scratch: &mut Scratch,
    outputs: &mut Vec<C::Output>,
) {
    let mut splitter = DocumentSplitter::at_line(input.files.get(file as usize).map_or(1, |file| file.first_line));
    // A consumer that wants no raw texts first gets its documents at once, if all of the file is text.
    let valid = if consumer.recalls() { None } else { std::str::from_utf8(text).ok() };
    let mut done = 0;
    while !input.meter.expansion.is_spent() {
        let read = |at: usize, needs_head: bool| {
            let text = valid?.get(done + at..)?;
            let (value, len) = scratch.reader.read_at_within(text, 0, &input.meter.expansion).ok()?;
            let is_good = !needs_head || defect_of_head(value, Syntax::Json).is_none();
            is_good.then_some(at + len)
        };
        let Next::Piece(piece) = splitter.next_or_read(&text[done..], true, read) else { break };
        let (start, consumed) = (Start { file, offset: splitter.offset() }, piece.consumed);
        outputs.push(match valid.filter(|_| piece.is_read) {
            Some(valid) => decode_read(start, &valid[done..], &piece, consumer, &scratch.reader, Care::of(input, file)),
            None => decode(start, &text[done..], piece, consumer, scratch, input),
        });
        splitter.consume(&text[done..], consumed);
        done += consumed;
    }
}

/// Decodes consecutive documents of a file.
fn run_part<C: Consumer>(
    origins: &[Origin],
    input: &Input,
    consumer: &C,
    scratch: &mut Scratch,
    outputs: &mut Vec<C::Output>,
) {
    let (Some(first), Some(last)) = (origins.first(), origins.last()) else { return };
    let Some(file) = input.files.get(first.file as usize) else { return };
    let end = last.offset.saturating_add(last.len);
    let text = file.read_again(first.offset, end.saturating_sub(first.offset));
    for origin in origins {
        if input.meter.expansion.is_spent() {
            break;
        }
        let start = usize::try_from(origin.offset.saturating_sub(first.offset)).unwrap_or(usize::MAX);
        let end = start.saturating_add(usize::try_from(origin.len).unwrap_or(usize::MAX));
        outputs.push(match text.get(start..end) {
            Some(raw) => match consumer.recall(*origin, raw) {
                Some(output) => output,
                None => decode_text(*origin, raw, consumer, scratch, Care::of(input, origin.file)),
            },
            None => {
                let defect = file.read_failed(&std::io::Error::other("it changed in the meantime"));
                failed(origin.file, origin.offset, origin.line, defect, consumer)
            }
        });
    }
    input.meter.add_bytes(text.len());
}

/// The text of a file; one that is not in memory is read into `memory`.
fn whole_text<'t>(file: &'t InputFile, memory: &'t mut Vec<u8>) -> Result<&'t [u8], Defect> {
    memory.clear();
    match file.open()? {
        OpenFile::Bytes(bytes) => return Ok(bytes),
        OpenFile::Made(made) => *memory = made.text().map_err(|error| file.read_failed(&error))?,
        OpenFile::File(mut opened, size) => {
            memory.reserve(usize::try_from(size).unwrap_or(0) + 1);
            opened.read_to_end(memory).map_err(|error| file.read_failed(&error))?;
        }
    }
    Ok(memory)
}

fn failed<C: Consumer>(file: u32, offset: u64, line: u32, defect: Defect, consumer: &C) -> C::Output {
    let origin = Origin { file, line, column: 1, syntax: Syntax::Yaml, offset, len: 0 };
    consumer.document(Document::broken(origin, &[], Failure::of(defect)))
}

/// The state of a file while its documents are decoded.
#[derive(Clone, Copy)]
struct Care<'i> {
    expansion: &'i Expansion,
    sight: Sight,
}

impl<'i> Care<'i> {
    fn of(input: &'i Input, file: u32) -> Self {
        let sight = input.files.get(file as usize).map_or(Sight::Named, |file| file.sight);
        Self { expansion: &input.meter.expansion, sight }
    }

    /// The failure of a text that is not a value.
    fn unread(self, defect: Defect, raw: &[u8]) -> Failure {
        self.expansion.charge_broken(raw.len());
        self.told(Failure::of(defect), raw)
    }

    /// The failure of a document that cannot be decoded.
    fn told(self, failure: Failure, raw: &[u8]) -> Failure {
        if self.sight.hides(raw) { failure.without_words() } else { failure }
    }
}

/// The start of a buffer.
#[derive(Clone, Copy)]
struct Start {
    file: u32,
    offset: u64,
}

/// Decodes the document at `piece` of `buffer`.
fn decode<C: Consumer>(
    start: Start,
    buffer: &[u8],
    piece: Piece,
    consumer: &C,
    scratch: &mut Scratch,
    input: &Input,
) -> C::Output {
    let origin = origin_of(start, &piece);
    let raw = &buffer[piece.start..piece.end];
    let care = Care::of(input, origin.file);
    if let Some(defect) = piece.defect {
        return consumer.document(Document::broken(origin, raw, care.unread(defect, raw)));
    }
    if let Some(output) = consumer.recall(origin, raw) {
        return output;
    }
    decode_text(origin, raw, consumer, scratch, care)
}

/// Decodes the document at `piece` of `buffer`, which `reader` has read just now.
fn decode_read<C: Consumer>(
    start: Start,
    buffer: &str,
    piece: &Piece,
    consumer: &C,
    reader: &Reader,
    care: Care<'_>,
) -> C::Output {
    let origin = origin_of(start, piece);
    let raw = &buffer.as_bytes()[piece.start..piece.end];
    let text = &buffer[piece.start..piece.end];
    let blob = blob_of(reader.last(text), false, raw.len(), care);
    let blob = blob.map_err(|it| care.told(it, raw));
    let places = if consumer.wants_places() { ValuePlaces::Json(text) } else { ValuePlaces::Unknown };
    consumer.document(Document { origin, raw, unread_from: None, blob, places })
}

/// The blob of a value that was read from `len` bytes. Its input is charged for the values before they get their types,
/// which take more, and then for the objects that a bundle carries.
fn blob_of<'d>(value: Value<'d>, from_yaml: bool, len: usize, care: Care<'_>) -> Result<Blob<'d>, Failure> {
    if care.expansion.charge_document(value, len).is_err() {
        return Err(Failure::of(json_defect(ReadError { offset: 0, kind: ReadErrorKind::TooManyValues })));
    }
    let blob = blob::decode(value, from_yaml)?;
    if let Typed::Bundle(bundle) = &blob.typed
        && let Err(defect) = objects::charge(bundle, care.expansion)
    {
        let (schema, package) = (blob.schema.to_string(), blob.package.to_string());
        return Err(Failure { schema, package, defects: vec![defect] });
    }
    Ok(blob)
}

/// The origin of a piece of a buffer.
fn origin_of(Start { file, offset }: Start, piece: &Piece) -> Origin {
    Origin {
        file,
        line: piece.line,
        column: piece.column,
        syntax: piece.syntax,
        offset: offset + piece.start as u64,
        len: (piece.end - piece.start) as u64,
    }
}

/// Decodes a document once more, from the text that was at `origin`; its input has been charged for its expansion.
pub(super) fn decode_again<C: Consumer>(origin: Origin, raw: &[u8], consumer: &C) -> C::Output {
    decode_text(
        origin,
        raw,
        consumer,
        &mut Scratch::default(),
        Care { expansion: &Expansion::default(), sight: Sight::Named },
    )
}

fn decode_text<C: Consumer>(
    origin: Origin,
    raw: &[u8],
    consumer: &C,
    scratch: &mut Scratch,
    care: Care<'_>,
) -> C::Output {
    let fail = |failure: Failure| consumer.document(Document::broken(origin, raw, failure));
    let chunk = match origin.syntax {
        Syntax::Json => raw.into(),
        Syntax::Yaml => chunk_text(raw),
    };
    let Scratch { reader, converted, origins, .. } = scratch;
    let wants_places = consumer.wants_places();
    let wanted = wants_places.then_some(&mut *origins);
    let (text, unread_from) = match parse(&chunk, origin.syntax, converted, wanted, care.expansion) {
        Ok(text) => text,
        Err(defect) => return fail(care.unread(defect, raw)),
    };
    let places = match origin.syntax {
        _ if !wants_places => ValuePlaces::Unknown,
        Syntax::Json => ValuePlaces::Json(&text),
        Syntax::Yaml => ValuePlaces::Yaml(origins),
    };
    match reader.read_within(&text, care.expansion) {
        Ok(value) => match blob_of(value, origin.syntax == Syntax::Yaml, raw.len(), care) {
            Ok(blob) => consumer.document(Document { origin, raw, unread_from, blob: Ok(blob), places }),
            Err(failure) => fail(care.told(failure, raw)),
        },
        Err(error) => fail(care.unread(json_defect(error), raw)),
    }
}

/// The lines of a YAML document without the separator behind them, line ends made uniform.
pub(super) fn chunk_text(raw: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    let mut splitter = yaml::Splitter::new(1);
    loop {
        match splitter.next(raw, true) {
            Ok(yaml::SplitProgress::Chunk(chunk)) => return chunk.text,
            Ok(_) => return raw.into(),
            // An invalid separator has been reported; the document comes with the next call.
            Err(_) => {}
        }
    }
}

/// The number of documents at the beginning that are in one file with little between them, and have about `n_bytes`
/// bytes.
fn first_together(origins: &[Origin], n_bytes: u64) -> usize {
    let Some(first) = origins.first() else { return 0 };
    let is_near = |pair: &[Origin]| {
        let [before, it] = pair else { return false };
        let between = it.offset.saturating_sub(before.offset.saturating_add(before.len));
        it.file == first.file && between <= NEAR && it.offset.saturating_sub(first.offset) < n_bytes
    };
    1 + origins.windows(2).take_while(|pair| is_near(pair)).count()
}

/// The tasks of an input, in order. Reads large files piece by piece.
struct Tasks<'a> {
    input: &'a Input,
    /// The wanted documents that are left, if not all are wanted.
    part: Option<&'a [Origin]>,
    next_file: usize,
    large: Option<Large<'a>>,
    /// Up to which size a file is one task, and about how many bytes of a larger one are.
    sizes: (u64, usize),
}

/// The rest of a large file.
enum Rest<'a> {
    File(Source),
    Bytes(&'a [u8]),
}

/// A large file that is being cut.
struct Large<'a> {
    file: &'a InputFile,
    number: u32,
    rest: Rest<'a>,
    splitter: DocumentSplitter,
    buffer: Vec<u8>,
    is_last: bool,
    batch: usize,
}

impl<'a> Tasks<'a> {
    fn new(input: &'a Input) -> Self {
        let are_few = input.files.len() <= FEW_FILES;
        let sizes = if are_few { (FEW_BATCH as u64, FEW_BATCH) } else { (WHOLE_FILE, BATCH) };
        Self { input, part: input.part.as_deref(), next_file: 0, large: None, sizes }
    }

    fn next(&mut self) -> Option<Task> {
        if let Some(rest) = &mut self.part {
            let (task, behind) = rest.split_at(first_together(rest, FEW_BATCH as u64));
            *rest = behind;
            return (!task.is_empty()).then(|| Task::Part(task.to_vec()));
        }
        loop {
            if let Some(large) = &mut self.large {
                if let Some(task) = large.next_task() {
                    return Some(task);
                }
                self.large = None;
            }
            let file = self.input.files.get(self.next_file)?;
            let number = u32::try_from(self.next_file).unwrap_or(u32::MAX);
            self.next_file += 1;
            let (whole, batch) = self.sizes;
            match file.open() {
                Ok(OpenFile::File(source, size)) if size > whole => {
                    self.large = Some(Large::new(file, number, Rest::File(source), batch));
                }
                Ok(OpenFile::Bytes(bytes)) if bytes.len() as u64 > whole => {
                    self.large = Some(Large::new(file, number, Rest::Bytes(bytes), batch));
                }
                Ok(_) => return Some(Task::File(number)),
                Err(defect) => {
                    return Some(Task::Failed { file: number, offset: 0, line: 1, defect: Box::new(defect) });
                }
            }
        }
    }
}

impl<'a> Large<'a> {
    fn new(file: &'a InputFile, number: u32, rest: Rest<'a>, batch: usize) -> Self {
        let splitter = DocumentSplitter::at_line(file.first_line);
        Self { file, number, rest, splitter, buffer: Vec::new(), is_last: false, batch }
    }

    fn next_task(&mut self) -> Option<Task> {
        let offset = self.splitter.offset();
        let mut pieces: Vec<Piece> = Vec::new();
        let mut used = 0;
        loop {
            match self.splitter.next(&self.buffer[used..], self.is_last) {
                Next::Piece(mut piece) => {
                    let consumed = piece.consumed;
                    piece.start += used;
                    piece.end += used;
                    pieces.push(piece);
                    self.splitter.consume(&self.buffer[used..], consumed);
                    used += consumed;
                    if used >= self.batch {
                        break;
                    }
                }
                Next::NeedMore if used > 0 => break,
                Next::NeedMore => {
                    if let Err(defect) = self.fill() {
                        let line = self.splitter.line();
                        self.is_last = true;
                        self.buffer.clear();
                        return Some(Task::Failed { file: self.number, offset, line, defect: Box::new(defect) });
                    }
                }
                Next::End => break,
            }
        }
        if pieces.is_empty() {
            return None;
        }
        let rest = self.buffer.split_off(used);
        let text = std::mem::replace(&mut self.buffer, rest);
        Some(Task::Batch { file: self.number, offset, text, pieces })
    }

    /// Reads on. The requested size grows with the document, so that a large one is not looked at too often.
    fn fill(&mut self) -> Result<(), Defect> {
        let wanted = (self.batch + READ).max(self.buffer.len());
        self.buffer.reserve(wanted);
        let n_read = match &mut self.rest {
            Rest::File(source) => source.read_some(wanted as u64, &mut self.buffer),
            Rest::Bytes(bytes) => bytes.take(wanted as u64).read_to_end(&mut self.buffer),
        }
        .map_err(|error| self.file.read_failed(&error))?;
        if n_read < wanted {
            self.is_last = true;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// The origin of each document, and its name, if it has one.
    fn names(input: &Input) -> Vec<(Origin, Option<String>)> {
        load_all(input, &|document: Document<'_>| (document.origin, document.blob.ok().map(|it| it.name.into_owned())))
    }

    #[test]
    fn a_part_is_read_as_it_stands_in_the_whole() {
        let directory = tempfile::tempdir().unwrap();
        let yaml: String =
            (0..400).map(|it| format!("schema: a\nname: ä{it} # {}\n---\n", "x".repeat(it * 60))).collect();
        let json: String = (0..200).map(|it| format!("{{\"schema\": \"a\", \"name\": \"j{it}\"}} \n")).collect();
        std::fs::write(directory.path().join("a.yaml"), yaml + "- no object\n").unwrap();
        std::fs::write(directory.path().join("b.json"), json).unwrap();
        let input = Input::directory(directory.path()).unwrap();
        let all = names(&input);
        assert_eq!(all.len(), 601);
        for step in [1, 2, 7, 250] {
            let wanted: Vec<_> = all.iter().step_by(step).cloned().collect();
            // The order in which they are named does not matter.
            let origins = wanted.iter().rev().map(|it| it.0).collect();
            assert_eq!(names(&input.only_documents(origins)), wanted, "{step}");
        }
        assert!(names(&input.only_documents(Vec::new())).is_empty());
    }

    #[test]
    fn what_is_gone_cannot_be_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.yaml");
        std::fs::write(&path, "schema: a\nname: b\n").unwrap();
        let input = Input::file(&path);
        let all = names(&input);
        std::fs::write(&path, "schema: a\n").unwrap();
        let part = input.only_documents(all.iter().map(|it| it.0).collect());
        assert_eq!(names(&part).into_iter().map(|it| it.1).collect::<Vec<_>>(), [None]);
    }

    #[test]
    fn bytes_have_parts_too() {
        let text = "schema: a\nname: b\n---\nschema: a\nname: c\n";
        let input = Input::bytes("c.yaml", Arc::from(text.as_bytes()));
        let all = names(&input);
        let part = input.only_documents(vec![all[1].0]);
        assert_eq!(names(&part), all[1..]);
    }
}
