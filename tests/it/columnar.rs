//! `export --parquet`: its files, read back by the crate that wrote them, are compared with the views.
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

/// Without the same columns, the files of many indexes could not be read as one table.
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
    let (full, none) = (all_files(&directory.path().join("full")), all_files(&directory.path().join("none")));
    let catalog = |name: &str| format!("catalog={name}/month=__HIVE_DEFAULT_PARTITION__/bundles.parquet");
    assert!(full.contains(&catalog("my-catalog")) && none.contains(&catalog("empty")), "{full:?} {none:?}");
    for name in ["bundles", "history", "findings"] {
        let of = |directory_name: &str, of_catalog: &str| {
            let name = format!("{}/{name}.parquet", Path::new(&catalog(of_catalog)).parent().unwrap().display());
            columns(&open(&directory.path().join(directory_name).join(name)))
        };
        assert_eq!(of("full", "my-catalog"), of("none", "empty"), "{name}");
    }
    for name in full.iter().filter(|it| !it.contains('/')) {
        let of = |directory_name: &str| columns(&open(&directory.path().join(directory_name).join(name)));
        assert_eq!(of("full"), of("none"), "{name:?}");
    }
}

/// All files below a directory, by their paths.
fn all_files(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for name in files_of(directory) {
        match directory.join(&name).is_dir() {
            true => found.extend(all_files(&directory.join(&name)).into_iter().map(|it| format!("{name}/{it}"))),
            false => found.push(name),
        }
    }
    found
}

/// The names in a directory, sorted.
fn files_of(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(directory).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn names_of_a_catalog_are_values_and_nothing_else() {
    let directory = scratch();
    let long = "n".repeat(300_000);
    let hostile =
        ["../../escaped", "/etc/passwd", "a\u{0}b", "a\nb\u{1b}[31m", "'; DROP TABLE bundle; --", "..", "", &long];
    let mut catalog = String::new();
    for name in hostile {
        let [package, bundle] = [name.to_owned(), format!("{name}.v1.0.0")].map(|it| serde_json::json!(it));
        catalog.push_str(&format!(
            r#"{{"schema":"olm.package","name":{package},"defaultChannel":{package}}}
            {{"schema":"olm.channel","package":{package},"name":{package},"entries":[{{"name":{bundle}}}]}}
            {{"schema":"olm.bundle","package":{package},"name":{bundle},"image":{package},"properties":[
             {{"type":"olm.package","value":{{"packageName":{package},"version":"1.0.0"}}}},{{"type":{package},"value":{package}}}]}}"#
        ));
    }
    write(directory.path(), "hostile.json", &catalog);
    write(directory.path(), "empty.yaml", "");
    let export = |name: &str, source: &str| {
        olmdex(["export", "-q", "--parquet", name, source]).in_directory(directory.path()).answer()
    };
    export("hostile", "hostile.json").expect_code(0);
    export("none", "empty.yaml").expect_code(0);
    // Files have the names of views, whatever the catalog contains, and directories that of the catalog.
    let of = |name: &str, catalog: &str| -> Vec<String> {
        let catalog = format!("catalog={catalog}/");
        all_files(&directory.path().join(name)).into_iter().map(|it| it.replace(&catalog, "")).collect()
    };
    assert_eq!(of("hostile", "hostile"), of("none", "empty"));
    assert_eq!(files_of(directory.path()), ["empty.yaml", "hostile", "hostile.json", "none"]);
    let mut found = String::new();
    for row in open(&directory.path().join("hostile/v_bundle.parquet")).get_row_iter(None).unwrap() {
        let row = row.unwrap();
        for (_, field) in row.get_column_iter() {
            if let Field::Str(text) = field {
                found.push_str(text);
                found.push('|');
            }
        }
    }
    for name in hostile.into_iter().filter(|it| !it.is_empty()) {
        assert!(found.contains(name), "{name:.40}");
    }
}

#[test]
fn huge_columns_are_written_in_groups() {
    let directory = scratch();
    let text = "large and larger ".repeat(60_000);
    let mut catalog = r#"{"schema":"olm.package","name":"big","defaultChannel":"stable"}"#.to_owned();
    for at in 0..40 {
        catalog.push_str(&format!(
            r#"{{"schema":"olm.bundle","package":"big","name":"big.v1.0.{at}","image":"example.com/big:{at}","properties":[
             {{"type":"olm.package","value":{{"packageName":"big","version":"1.0.{at}"}}}},{{"type":"x","value":"{at} {text}"}}]}}"#
        ));
    }
    write(directory.path(), "big.json", &catalog);
    olmdex(["build", "-q", "--keep-going", "-o", "big.db", "big.json"]).in_directory(directory.path()).answer();
    let export = || {
        let mut command = std::process::Command::new("sh");
        // Four times the largest group and the program's own need, and far less than the column.
        command.args(["-c", "ulimit -v 700000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_olmdex")]);
        command.args(["export", "-q", "--parquet", "big", "big.json"]).current_dir(directory.path());
        command.output().unwrap()
    };
    let run = export();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let largest = all_files(&directory.path().join("big"))
        .into_iter()
        .map(|name| {
            let file = open(&directory.path().join("big").join(name));
            let groups = file.metadata().row_groups().iter();
            let sizes: Vec<i64> = groups.map(|it| it.total_byte_size()).collect();
            (sizes.len(), sizes.into_iter().max().unwrap_or_default())
        })
        .fold((0, 0), |a, b| (a.0.max(b.0), a.1.max(b.1)));
    assert!(largest.0 >= 3 && largest.1 < 20 << 20, "{largest:?}");
}

#[test]
fn what_stands_at_the_target_stays() {
    let directory = scratch();
    let outside = scratch();
    write(outside.path(), "kept", "kept");
    let path = |name: &str| directory.path().join(name);
    write(directory.path(), "empty.yaml", "");
    std::fs::create_dir(path("full")).unwrap();
    write(directory.path(), "full/kept", "kept");
    write(directory.path(), "file", "kept");
    std::os::unix::fs::symlink(outside.path(), path("link")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("none"), path("dangling")).unwrap();
    std::os::unix::fs::symlink(outside.path(), path("way")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(path("fifo")).status().unwrap().success());
    let before = files_of(directory.path());
    for target in ["full", "file", "link", "dangling", "fifo", "/dev/full", "/dev/null", "/proc/self/x"] {
        let run = olmdex(["export", "-q", "--parquet", target, "empty.yaml"]).in_directory(directory.path());
        let answer = run.answer();
        assert!([Some(2), Some(3)].contains(&answer.code), "{target} {}", answer.both());
        assert_eq!(files_of(directory.path()), before, "{target}");
    }
    assert_eq!(files_of(outside.path()), ["kept"]);
    assert_eq!(std::fs::read_to_string(path("full/kept")).unwrap(), "kept");
    assert_eq!(std::fs::read_to_string(path("file")).unwrap(), "kept");
}

/// The values of a column, as texts.
fn values(path: &Path, column: &str) -> Vec<String> {
    let file = open(path);
    let rows = file.get_row_iter(None).unwrap();
    let value = |it: parquet::record::Row| {
        let field = it.get_column_iter().find(|it| it.0 == column).unwrap().1.clone();
        match field {
            Field::Str(text) => text,
            other => other.to_string(),
        }
    };
    rows.map(|it| value(it.unwrap())).collect()
}

#[test]
fn a_past_is_written_month_by_month() {
    let directory = scratch();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_BIN_EXE_olmdex"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut build = std::process::Command::new("sh");
    let build = build.arg(root.join("fixtures/past/build.sh")).current_dir(directory.path()).env("PATH", path);
    assert!(build.status().unwrap().success());
    let export = |name: &str| {
        let run = olmdex(["export", "--parquet", name, "past.db"]).in_directory(directory.path());
        run.answer().expect_code(0).expect_words("3 months of catalogs");
        directory.path().join(name)
    };
    let (first, second) = (export("first"), export("second"));
    let names = all_files(&first);
    assert_eq!(names, all_files(&second));
    for name in &names {
        assert_eq!(std::fs::read(first.join(name)).unwrap(), std::fs::read(second.join(name)).unwrap(), "{name}");
    }
    let months = ["2026-01", "2026-02", "2026-03"];
    let of = |month: &str, name: &str| first.join(format!("catalog=shop/month={month}/{name}.parquet"));
    let column = |name: &str, column: &str| months.map(|it| values(&of(it, name), column));
    let texts = |it: [&[&str]; 3]| it.map(|it| it.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>());
    assert_eq!(
        column("bundles", "bundle"),
        texts([&["keda.v2.8.1", "keda.v2.10.1"], &["keda.v2.11.0"], &["keda.v2.12.0"]]),
        "2.8.1 stands before 2.10.1, since keys of versions are sorted"
    );
    assert_eq!(column("bundles", "is_current"), texts([&["false", "false"], &["false"], &["true"]]));
    assert_eq!(column("bundles", "channels")[2], ["[\"stable\"]"]);
    let days = column("history", "day");
    for (month, days) in months.iter().zip(&days) {
        assert!(!days.is_empty() && days.is_sorted() && days.iter().all(|it| it.starts_with(month)), "{days:?}");
    }
    // The past in the form of `blame`.
    let blamed = olmdex(["blame", "keda", "-i", "past.db", "-o", "json"]).in_directory(directory.path()).answer().out();
    let blamed: serde_json::Value = serde_json::from_str(&blamed).unwrap();
    let told = |field: &str| -> Vec<String> {
        let mut told: Vec<String> =
            blamed["items"].as_array().unwrap().iter().map(|it| it[field].as_str().unwrap().to_owned()).collect();
        told.sort();
        told
    };
    for (ours, theirs) in
        [("day", "day"), ("name", "name"), ("what", "what"), ("commit", "commit"), ("change", "change")]
    {
        let mut found = column("history", ours).concat();
        found.sort();
        assert_eq!(found, told(theirs), "{ours}");
    }
}

/// With this order, an engine that looks for one package reads one group of many.
#[test]
fn groups_of_sorted_rows_do_not_overlap() {
    let directory = scratch();
    let mut catalog = String::new();
    for package in 0..25 {
        let entry = |it: usize| match it {
            0 => format!("{{\"name\":\"p{package:02}.v1.0.0\"}}"),
            it => format!("{{\"name\":\"p{package:02}.v1.0.{it}\",\"replaces\":\"p{package:02}.v1.0.{}\"}}", it - 1),
        };
        let entries: Vec<String> = (0..1_000).map(entry).collect();
        catalog.push_str(&format!(
            r#"{{"schema":"olm.package","name":"p{package:02}","defaultChannel":"a"}}
            {{"schema":"olm.channel","package":"p{package:02}","name":"a","entries":[{}]}}"#,
            entries.join(",")
        ));
        for version in 0..1_000 {
            catalog.push_str(&format!(
                r#"{{"schema":"olm.bundle","package":"p{package:02}","name":"p{package:02}.v1.0.{version}","image":"example.com/p:{version}","properties":[
                 {{"type":"olm.package","value":{{"packageName":"p{package:02}","version":"1.0.{version}"}}}}]}}"#
            ));
        }
    }
    write(directory.path(), "many.json", &catalog);
    olmdex(["build", "-q", "--keep-going", "-o", "many.db", "many.json"]).in_directory(directory.path()).answer();
    let export = olmdex(["export", "-q", "--parquet", "out", "many.db"]).in_directory(directory.path()).answer();
    export.expect_code(0);
    let path = directory.path().join("out/catalog=many/month=__HIVE_DEFAULT_PARTITION__/bundles.parquet");
    let file = open(&path);
    let mut before: Vec<u8> = Vec::new();
    for group in file.metadata().row_groups() {
        let statistics = group.column(0).statistics().unwrap();
        let (least, greatest) = (statistics.min_bytes_opt().unwrap(), statistics.max_bytes_opt().unwrap());
        assert!(before.as_slice() <= least && least <= greatest, "{before:?} {least:?}");
        assert!(group.sorting_columns().is_some_and(|it| it.len() == 3));
        before = greatest.to_vec();
    }
    let n_groups = file.metadata().num_row_groups();
    assert!(n_groups >= 3, "{n_groups}");
}
