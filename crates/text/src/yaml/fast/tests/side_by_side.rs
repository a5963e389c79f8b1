//! The events of this scanner and of libyaml, side by side, for tests and fuzzing.

use libyaml_safer::{EventData, MappingStyle, Mark, ScalarStyle, SequenceStyle};

use super::super::events::Source;
use super::block::scan;
use super::event::{Declined, Event, EventBody, Sink, Style};

/// An event as text, with its places.
#[derive(Default)]
struct Transcript(Vec<(String, Mark, Mark)>);

impl Sink for Transcript {
    fn take(&mut self, event: &Event<'_>) -> Result<(), Declined> {
        let (start, end) = (event.start_mark(), event.end_mark());
        let shown = match event.body {
            EventBody::Document { is_marked } => {
                // The end of a document's start is not used.
                self.0.push((format!("document {is_marked}"), start, start));
                return Ok(());
            }
            EventBody::Scalar { text, style } => format!("{} {text:?}", shown_style(style)),
            EventBody::Mapping { is_flow } => format!("mapping {is_flow}"),
            EventBody::Sequence { is_flow } => format!("sequence {is_flow}"),
            EventBody::MappingEnd => "end of mapping".to_owned(),
            EventBody::SequenceEnd => "end of sequence".to_owned(),
            EventBody::DocumentEnd => "end of document".to_owned(),
            EventBody::StreamEnd => "end".to_owned(),
        };
        self.0.push((shown, start, end));
        Ok(())
    }
}

fn shown_style(style: Style) -> &'static str {
    match style {
        Style::Plain => "plain",
        Style::SingleQuoted => "single",
        Style::DoubleQuoted => "double",
        Style::Literal => "literal",
        Style::Folded => "folded",
    }
}

/// The events of libyaml for a text; `None` if it finds an error.
fn told_by_libyaml(text: &[u8]) -> Option<Vec<(String, Mark, Mark)>> {
    let source = Source::whole(text).ok()?;
    let mut events = source.events();
    let mut transcript = Vec::new();
    loop {
        let event = events.next().ok()?;
        let (start, mut end) = (event.start_mark, event.end_mark);
        let shown = match event.data {
            EventData::StreamStart { .. } => continue,
            EventData::StreamEnd => {
                transcript.push(("end".to_owned(), start, end));
                return Some(transcript);
            }
            EventData::DocumentStart { implicit, version_directive: None, .. } => {
                end = start;
                format!("document {}", !implicit)
            }
            EventData::DocumentEnd { implicit: true } => "end of document".to_owned(),
            EventData::Scalar { anchor: None, tag: None, value, style, .. } => {
                let style = match style {
                    ScalarStyle::SingleQuoted => Style::SingleQuoted,
                    ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
                    ScalarStyle::Literal => Style::Literal,
                    ScalarStyle::Folded => Style::Folded,
                    _ => Style::Plain,
                };
                format!("{} {value:?}", shown_style(style))
            }
            EventData::SequenceStart { anchor: None, tag: None, style, .. } => {
                format!("sequence {}", style == SequenceStyle::Flow)
            }
            EventData::MappingStart { anchor: None, tag: None, style, .. } => {
                format!("mapping {}", style == MappingStyle::Flow)
            }
            EventData::MappingEnd => "end of mapping".to_owned(),
            EventData::SequenceEnd => "end of sequence".to_owned(),
            // This scanner never emits such an event.
            other => format!("{other:?}"),
        };
        transcript.push((shown, start, end));
    }
}

/// Compares the events of both scanners for a text; returns whether the fast one read it.
///
/// # Panics
/// If the events differ.
#[track_caller]
#[cfg_attr(not(fuzzing), expect(unreachable_pub, reason = "only a fuzz target is outside of this crate"))]
pub fn compare(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let mut transcript = Transcript::default();
    if scan(text, &mut transcript).is_err() {
        return false;
    }
    // (libyaml's events count as none if it reports an error.)
    let expected = told_by_libyaml(text).unwrap_or_default();
    let at = transcript.0.iter().zip(&expected).take_while(|(a, b)| a == b).count();
    assert_eq!(
        transcript.0.get(at),
        expected.get(at),
        "event {at} of {:?}, and libyaml's",
        String::from_utf8_lossy(text)
    );
    true
}
