//! `export --parquet`: read back by the reader of the crate that wrote it, and compared with the views.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::fs::File;
use std::path::Path;

use olmdex::index::Index;
use olmdex::index::query::Cell;
use parquet::basic::{LogicalType, Type as Physical};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;

use crate::support::{olmdex, scratch, write};

fn open(path: &Path) -> SerializedFileReader<File> {
    SerializedFileReader::new(File::open(path).unwrap()).unwrap()
}

/// The columns of a file: names, types, and whether they are texts.
fn columns(file: &SerializedFileReader<File>) -> Vec<(String, Physical, bool)> {
    let schema = file.metadata().file_metadata().schema_descr_ptr();
    let columns = schema.columns().iter();
    columns
        .map(|it| {
            let is_text = it.logical_type_ref() == Some(&LogicalType::String);
            (it.name().to_owned(), it.physical_type(), is_text)
        })
        .collect()
}

#[test]
fn views_are_read_back_as_they_are() {
    let directory = scratch();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let index = directory.path().join("index.db");
    let named = |name: &str, path: &str| format!("{name}={}", fixtures.join(path).display());
    let sources = [named("help", "help/my-catalog"), named("all", "catalogs/all-that-an-index-holds")];
    olmdex(["build", "-q", "-o"]).arg(&index).args(&sources).answer().expect_code(0);
    let export = |name: &str| {
        let run = olmdex(["export", "--parquet", name, "index.db"]).in_directory(directory.path());
        run.answer().expect_code(0).expect_words("wrote ");
        directory.path().join(name)
    };
    let (first, second) = (export("first"), export("second"));
    let index = Index::open(&index).unwrap();
    let views = index.views().unwrap();
    assert!(views.len() > 20, "{views:?}");
    let mut n_cells = 0;
    for view in &views {
        let name = format!("{view}.parquet");
        assert_eq!(std::fs::read(first.join(&name)).unwrap(), std::fs::read(second.join(&name)).unwrap(), "{view}");
        let file = open(&first.join(&name));
        let names: Vec<String> = index.view_columns(view).unwrap().into_iter().map(|it| it.name).collect();
        assert_eq!(columns(&file).into_iter().map(|it| it.0).collect::<Vec<_>>(), names, "{view}");
        let mut rows = file.get_row_iter(None).unwrap();
        index
            .view_rows(view, |cells| {
                let row = rows.next().unwrap().unwrap();
                for (cell, (name, field)) in cells.iter().zip(row.get_column_iter()) {
                    let is_same = match (cell, field) {
                        (Cell::Null, Field::Null) => true,
                        (Cell::Integer(a), Field::Long(b)) => a == b,
                        (Cell::Text(a), Field::Str(b)) => a == b,
                        (Cell::Bytes(a), Field::Bytes(b)) => *a == b.data(),
                        _ => false,
                    };
                    assert!(is_same, "{view}.{name}: {cell:?} {field:?}");
                    n_cells += 1;
                }
                Ok::<(), olmdex::index::IndexError>(())
            })
            .unwrap();
        assert!(rows.next().is_none(), "{view}");
    }
    assert!(n_cells > 1000, "{n_cells}");
}

/// Else the files of many indexes could not be read as one table.
#[test]
fn the_columns_of_an_index_without_anything_are_the_same() {
    let directory = scratch();
    write(directory.path(), "empty.yaml", "");
    let full = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/help/my-catalog");
    let export = |name: &str, source: &Path| {
        olmdex(["export", "--parquet", name]).arg(source).in_directory(directory.path()).answer().expect_code(0);
    };
    export("full", &full);
    export("none", &directory.path().join("empty.yaml"));
    for entry in std::fs::read_dir(directory.path().join("full")).unwrap() {
        let name = entry.unwrap().file_name();
        let of = |directory_name: &str| columns(&open(&directory.path().join(directory_name).join(&name)));
        assert_eq!(of("full"), of("none"), "{name:?}");
    }
}
