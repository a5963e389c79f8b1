//! Catalogs: those of the fixtures, and real ones.

use std::path::Path;
use std::time::Instant;

use super::super::super::split;
use super::generated::{Dice, mutate, run};
use super::{compare, to_json};

/// The texts of all YAML files below a directory.
fn texts(root: &Path) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        let mut entries: Vec<_> = std::fs::read_dir(directory).unwrap().map(|it| it.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|it| it == "yaml" || it == "yml") {
                found.push(std::fs::read(path).unwrap());
            }
        }
    }
    found
}

/// The directory of the fixtures.
pub(super) const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures");

/// The documents of all YAML files below a directory.
pub(super) fn documents_under(root: &str) -> Vec<Vec<u8>> {
    let texts = texts(Path::new(root));
    texts.iter().flat_map(|text| split(text, 1)).filter_map(Result::ok).map(|it| it.text.into_owned()).collect()
}

#[test]
fn fixtures_are_told_alike() {
    let texts = texts(Path::new(FIXTURES));
    let mut dice = Dice(5);
    let (mut n_chunks, mut n_read) = (0, 0);
    for chunk in texts.iter().flat_map(|text| split(text, 1)).filter_map(Result::ok) {
        n_chunks += 1;
        n_read += usize::from(compare(&chunk.text));
        for _ in 0..2 {
            let mut text = chunk.text.to_vec();
            mutate(&mut dice, &mut text);
            compare(&text);
        }
    }
    assert!(n_read * 10 > n_chunks * 8 && n_chunks > 100, "{n_read} of {n_chunks}");
}

/// `OLMDEX_CATALOGS` is a directory of catalogs, or the branch `data` of the YAML test suite; `OLMDEX_BYTES` is how
/// many bytes of mutated and generated texts to compare.
#[test]
#[ignore = "needs ../shared/catalogs and minutes"]
fn real_catalogs_are_told_alike() {
    let root = std::env::var("OLMDEX_CATALOGS").unwrap();
    let budget: usize = std::env::var("OLMDEX_BYTES").ok().and_then(|it| it.parse().ok()).unwrap_or(0);
    let seed: u64 = std::env::var("OLMDEX_SEED").ok().and_then(|it| it.parse().ok()).unwrap_or(1);
    let texts = texts(Path::new(&root));
    let n_whole = texts.iter().filter(|text| compare(text)).count();
    eprintln!("{n_whole} of {} files are read here as they are", texts.len());
    let chunks: Vec<_> = texts.iter().flat_map(|text| split(text, 1)).filter_map(Result::ok).collect();
    let (mut n_read, mut read_bytes, mut bytes) = (0, 0, 0);
    for chunk in &chunks {
        bytes += chunk.text.len();
        if compare(&chunk.text) {
            n_read += 1;
            read_bytes += chunk.text.len();
        } else if chunk.text.len() > 200 {
            eprintln!("declined: {}", String::from_utf8_lossy(&chunk.text[..200]));
        }
    }
    eprintln!("{n_read} of {} documents, {read_bytes} of {bytes} bytes are read here", chunks.len());
    let (mut dice, mut done, mut n, mut n_read) = (Dice(seed), 0, 0, 0);
    while done < budget / 2 {
        let mut text = chunks[dice.roll(chunks.len())].text.to_vec();
        if text.len() > 20_000 {
            let from = dice.roll(text.len() - 10_000);
            let from = text[from..].iter().position(|it| *it == b'\n').map_or(from, |it| from + it + 1);
            text = text[from..text.len().min(from + 10_000)].to_vec();
        }
        mutate(&mut dice, &mut text);
        done += text.len();
        n += 1;
        n_read += usize::from(compare(&text));
    }
    eprintln!("{n} mutated documents of {done} bytes, {n_read} read here");
    eprintln!("(texts, read here) of generated ones: {:?}", run(seed, budget / 2));
}

/// The time that it takes to make catalogs JSON, best of nine.
#[test]
#[ignore = "needs ../shared/catalogs"]
fn what_json_costs() {
    let texts = texts(Path::new(&std::env::var("OLMDEX_CATALOGS").unwrap()));
    let mut out = Vec::new();
    let bytes: usize = texts.iter().map(Vec::len).sum();
    let best = (0..9).map(|_| {
        let start = Instant::now();
        for chunk in texts.iter().flat_map(|text| split(text, 1)).filter_map(Result::ok) {
            out.clear();
            to_json(&chunk.text, &mut out).unwrap();
        }
        start.elapsed()
    });
    let best = best.min().unwrap().as_secs_f64();
    eprintln!("{:.1} MB/s", bytes as f64 / best / 1e6);
}
