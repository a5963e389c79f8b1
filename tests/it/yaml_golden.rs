//! Reading and writing YAML compared with opm's output: for the recorded sample, and for real catalogs if the whole
//! record is at hand.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::fs::File;
use std::path::{Path, PathBuf};

use olmdex::json::{Reader, write_compact};
use olmdex::yaml::{split, to_json, write};

/// The sample, and the whole record if it is beside the repository or one of its work trees.
fn recorded() -> Vec<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let whole = package.ancestors().map(|it| it.join("shared/golden")).find(|it| it.is_dir());
    [package.join("fixtures/recorded")].into_iter().chain(whole).collect()
}

/// The text of a recording, packed or not.
fn read(path: &Path) -> Option<Vec<u8>> {
    if let Ok(text) = std::fs::read(path) {
        return Some(text);
    }
    let packed = File::open(format!("{}.zst", path.display())).ok()?;
    Some(zstd::decode_all(packed).unwrap())
}

/// Catalogs as opm rendered them: JSON and YAML.
fn rendered() -> impl Iterator<Item = (String, String, Vec<u8>)> {
    let names = ["shop", "community-v4.12", "community-v4.16", "community-v4.20"];
    recorded().into_iter().flat_map(move |root| {
        names.into_iter().filter_map(move |name| {
            let read = |kind: &str| read(&root.join(format!("catalogs/{name}.render.{kind}")));
            Some((name.to_owned(), String::from_utf8(read("json")?).unwrap(), read("yaml")?))
        })
    })
}

/// Panics with the surroundings of the first difference.
fn assert_same(what: &str, found: &[u8], expected: &[u8]) {
    if found != expected {
        let at = found.iter().zip(expected).take_while(|(a, b)| a == b).count();
        let part =
            |text: &[u8]| String::from_utf8_lossy(&text[at.saturating_sub(200)..text.len().min(at + 100)]).into_owned();
        panic!("{what}: byte {at}\n--- found\n{}\n--- expected\n{}", part(found), part(expected));
    }
}

#[test]
fn writes_the_same_bytes_as_opm() {
    for (name, json, yaml) in rendered() {
        let mut reader = Reader::new();
        let mut out = Vec::with_capacity(yaml.len());
        let mut at = 0;
        while !json[at..].trim_start().is_empty() {
            let (value, end) = reader.read_at(&json, at).unwrap();
            out.extend_from_slice(b"---\n");
            write(value, &mut out).unwrap();
            at = end;
        }
        assert_same(&name, &out, &yaml);
    }
}

#[test]
fn reads_the_same_documents_from_both_forms() {
    for (name, json, yaml) in rendered() {
        let mut at = 0;
        for chunk in split(&yaml, 1) {
            let chunk = chunk.unwrap();
            let mut text = Vec::new();
            to_json(&chunk.text, &mut text).unwrap();
            let text = String::from_utf8(text).unwrap();
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            write_compact(Reader::new().read_at(&text, 0).unwrap().0, &mut found);
            let mut reader = Reader::new();
            let (value, end) = reader.read_at(&json, at).unwrap();
            write_compact(value, &mut expected);
            at = end;
            assert_same(&format!("{name}, line {}", chunk.first_line), &found, &expected);
        }
        assert_eq!(json[at..].trim(), "", "{name}");
    }
}

#[test]
fn writes_the_nasty_document_as_opm() {
    let case = recorded().swap_remove(0).join("fbc/05-render/r02");
    let json = std::fs::read_to_string(case.join("in/a.json")).unwrap();
    let observed = std::fs::read_to_string(case.join("observed.txt")).unwrap();
    let expected = observed.split("--- stdout:\n---\n").nth(1).unwrap().split("--- stderr:").next().unwrap();
    let mut reader = Reader::new();
    let (value, _) = reader.read_at(&json, 0).unwrap();
    let mut out = Vec::new();
    write(value, &mut out).unwrap();
    assert_same("r02", &out, expected.as_bytes());
}

/// We give every recorded message of a YAML error for a document of the same input.
#[test]
fn words_errors_as_opm() {
    let cases = recorded().into_iter().flat_map(|it| std::fs::read_dir(it.join("fbc/01-loading")).unwrap());
    for case in cases {
        let case = case.unwrap().path();
        let observed = std::fs::read_to_string(case.join("observed.txt")).unwrap();
        let Some((_, message)) = observed.split_once("error converting YAML to JSON: ") else { continue };
        let message = message.lines().next().unwrap();
        let errors: Vec<String> = std::fs::read_dir(case.join("in"))
            .unwrap()
            .map(|file| std::fs::read(file.unwrap().path()).unwrap())
            .flat_map(|text| {
                split(&text, 1)
                    .filter_map(|chunk| to_json(&chunk.unwrap().text, &mut Vec::new()).err())
                    .map(|error| error.to_string())
                    .collect::<Vec<_>>()
            })
            .collect();
        assert!(errors.iter().any(|error| error == message), "{}: {message}: {errors:?}", case.display());
    }
}
