//! The places in a text of the values at paths.

use std::collections::BTreeMap;

use super::paths::Paths;
use super::read::Reader;
use super::value::Value;

/// The place of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundOffset {
    /// Offset of its key, if it is the member of an object.
    pub key: Option<usize>,
    /// Its own offset.
    pub value: usize,
}

/// The offset in `text`, which starts with the document, of each of `paths`, by its number; as far as the path can be
/// followed, so an absent member gives the object that lacks it. `None` if the text is not JSON.
pub fn locate_all(text: &str, paths: &Paths) -> Option<Vec<FoundOffset>> {
    let mut reader = Reader::new();
    let (root, _) = reader.read_at(text, 0).ok()?;
    let mut found: Vec<Option<FoundOffset>> = vec![None; paths.n_places()];
    found[0] = Some(FoundOffset { key: None, value: root.offset() });
    let mut open = vec![(0, root)];
    while let Some((place, value)) = open.pop() {
        if !paths.goes_on(place) {
            continue;
        }
        for (idx, item) in value.items().enumerate() {
            if let Some(inner) = paths.item(place, idx) {
                found[inner] = Some(FoundOffset { key: None, value: item.offset() });
                open.push((inner, item));
            }
        }
        // The last of equal keys counts, so nothing is entered before all have been seen.
        let mut members: BTreeMap<usize, Value<'_>> = BTreeMap::new();
        for (key, member) in value.members() {
            if let Some(inner) = key.as_str().and_then(|it| paths.member(place, &it)) {
                found[inner] = Some(FoundOffset { key: Some(key.offset()), value: member.offset() });
                members.insert(inner, member);
            }
        }
        open.extend(members);
    }
    // Places are numbered after the ones above them, so those have been settled.
    let mut settled: Vec<FoundOffset> = Vec::with_capacity(found.len());
    for (place, it) in found.into_iter().enumerate() {
        let above = settled.get(paths.parent(place)).map_or(0, |it| it.value);
        settled.push(it.unwrap_or(FoundOffset { key: None, value: above }));
    }
    Some(settled)
}
