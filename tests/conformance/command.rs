//! Runs the program as a user would, with the arguments of a recorded command of opm translated into ours.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

/// The answer of the program.
pub(crate) struct Answer {
    pub(crate) exit_code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

/// Runs the program in a directory.
pub(crate) fn olmdex(directory: &Path, arguments: &[&str]) -> io::Result<Answer> {
    let output = Command::new(env!("CARGO_BIN_EXE_olmdex"))
        .args(arguments)
        .current_dir(directory)
        .env_remove("OLMDEX_INDEX")
        .env_remove("XDG_CACHE_HOME")
        .env_remove("HOME")
        .output()?;
    Ok(Answer {
        exit_code: output.status.code().unwrap_or(-1),
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// Our arguments for a recorded command line; `None` if we do not have the command.
pub(crate) fn translate(command: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = command.split_whitespace().collect();
    match words.as_slice() {
        ["opm", "validate", rest @ ..] => Some([&["validate", "--compat", "opm"], rest].concat()),
        ["opm", "render", rest @ ..] => Some([&["render", "--compat", "opm"], rest].concat()),
        // The catalog is an option of our commands, the package an argument.
        ["opm", "alpha", "list", what, catalog, package @ ..] => {
            Some([&["list", *what], package, &["-i", *catalog, "--compat", "opm"]].concat())
        }
        ["opm", "alpha", "render-graph", catalog, options @ ..] => {
            let options: Vec<&str> = options.iter().map(|it| if *it == "-p" { "--" } else { it }).collect();
            Some([&["graph", "-i", *catalog, "--compat", "opm"], &*package_last(&options)].concat())
        }
        _ => None,
    }
}

/// opm's `-p PACKAGE`, which came as `-- PACKAGE`, becomes the last words, where our argument belongs.
fn package_last<'w>(options: &[&'w str]) -> Vec<&'w str> {
    let Some(at) = options.iter().position(|it| *it == "--") else { return options.to_vec() };
    let package = &options[at..options.len().min(at + 2)];
    [&options[..at], &options[at + package.len()..], package].concat()
}

/// Copies a case into a scratch directory in which links are links again: if the cases were stored without links, a
/// link is a small file with its target.
pub(crate) fn with_links(case: &Path, scratch: &Path) -> io::Result<PathBuf> {
    let copy = scratch.join("case");
    let mut open = vec![(case.to_owned(), copy.clone())];
    while let Some((from, to)) = open.pop() {
        fs::create_dir_all(&to)?;
        for entry in fs::read_dir(&from)? {
            let entry = entry?;
            let target = to.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open.push((entry.path(), target));
            } else if kind.is_symlink() {
                std::os::unix::fs::symlink(fs::read_link(entry.path())?, target)?;
            } else {
                let text = fs::read(entry.path())?;
                match link_target(&text) {
                    Some(path) => std::os::unix::fs::symlink(path, target)?,
                    None => fs::write(target, text)?,
                }
            }
        }
    }
    Ok(copy)
}

/// A link's target is a relative path and nothing else, not even a line end. A catalog contains a colon or a bracket.
fn link_target(text: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(text).ok()?;
    let is_path = !text.is_empty() && text.len() < 200 && !text.contains([':', '{', '[', '\n', ' ', '#', '*', '!']);
    is_path.then_some(text)
}
