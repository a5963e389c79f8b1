//! Splitting a stream of YAML: pieces give the same result as the whole, every byte is in one chunk, and nothing
//! panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olmdex::json::{ObjectEnd, ObjectScanner};
use olmdex::yaml::{self, Chunk, SplitProgress, Splitter};

fuzz_target!(|data: (u8, &[u8])| {
    let (size, text) = data;
    let size = usize::from(size % 16) + 1;
    let whole: Vec<_> = yaml::split(text, 1).collect();
    let consumed: usize = whole.iter().flatten().map(|it| it.consumed).sum();
    assert_eq!(consumed, text.len(), "bytes are lost");
    let mut splitter = Splitter::new(1);
    let mut buffer: Vec<u8> = Vec::new();
    let mut pieces = text.chunks(size);
    let mut is_last = false;
    let mut found = Vec::new();
    loop {
        match splitter.next(&buffer, is_last) {
            Ok(SplitProgress::Chunk(chunk)) => {
                let consumed = chunk.consumed;
                found.push(Ok(Chunk { text: chunk.text.into_owned().into(), ..chunk }));
                buffer.drain(..consumed);
            }
            Ok(SplitProgress::NeedMore) => match pieces.next() {
                Some(piece) => buffer.extend_from_slice(piece),
                None => is_last = true,
            },
            Ok(SplitProgress::End) => break,
            Err(error) => found.push(Err(error)),
        }
    }
    assert_eq!(found, whole);
    if text.first() == Some(&b'{') {
        let whole = ObjectScanner::new().scan(text);
        let mut scanner = ObjectScanner::new();
        let in_pieces = (0..=text.len()).map(|end| scanner.scan(&text[..end])).find(|it| *it != ObjectEnd::NeedMore);
        assert_eq!(in_pieces.unwrap_or(ObjectEnd::NeedMore), whole);
    }
});
