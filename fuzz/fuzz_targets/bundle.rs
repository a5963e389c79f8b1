//! The files of a bundle directory: making a blob, finding places, and all validators. Nothing panics, and every
//! finding can be printed.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use olmdex::bundle::rules::{Contents, Options, Validation, Validator};
use olmdex::bundle::{Bundle, SourceFile, made_of};
use olmdex::diag::text;
use olmdex::fbc::{BundleFiles, Format, Level};

const CSV: &str = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: a.v1.0.0}\nspec: ";
const CRD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b}\nspec: ";
const ANNOTATIONS: &str = "annotations: {operators.operatorframework.io.bundle.package.v1: a}\n";

fuzz_target!(|data: (u8, &[u8], &[u8], &[u8])| {
    let (how, first, second, metadata) = data;
    // A known start lets arbitrary bytes get further.
    let with = |bit: u8, start: &str, rest: &[u8]| {
        let start = if how & bit != 0 { start.as_bytes() } else { b"" };
        [start, rest].concat()
    };
    let files = BundleFiles {
        manifests: vec![("a.yaml".to_owned(), with(1, CSV, first)), ("b.yaml".to_owned(), with(2, CRD, second))],
        metadata: vec![
            ("annotations.yaml".to_owned(), with(4, ANNOTATIONS, if how & 8 != 0 { b"" } else { metadata })),
            ("dependencies.yaml".to_owned(), metadata.to_vec()),
        ],
    };
    if let Ok(bundle) = Bundle::of_files(&files.manifests, &files.metadata) {
        let mut blob = Vec::new();
        for (level, format) in [(Level::None, Format::Json), (Level::CsvMetadata, Format::Yaml)] {
            let _ = bundle.write("quay.io/a/b:v1", level, format, &mut blob);
        }
        let called = files.called_below("bundle");
        let called: Vec<SourceFile<'_>> = called.iter().map(|(shown, text)| SourceFile { shown, text }).collect();
        let from = made_of(&bundle, "quay.io/a/b:v1", &called);
        assert!(from.parts().iter().all(|it| it.1.line > 0 && it.1.column > 0 && it.1.file.starts_with("bundle/")));
    }
    let contents = Contents::of_files(Path::new("bundle"), &files);
    let validation = Validation::new(&contents);
    for validator in Validator::ALL {
        for found in validation.ask(validator, &Options::default()) {
            let elsewhere = text::Elsewhere { names: "`--all`", findings: "`--all`" };
            let shown = text::finding_of_many(&found.finding(&contents), 0, elsewhere, text::Color::Off);
            assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
        }
    }
});
