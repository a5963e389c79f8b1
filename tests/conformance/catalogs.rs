//! `catalogs/`: whole catalogs, rendered, listed and drawn. The catalogs of the whole record are real ones, in
//! `catalogs` beside it; those of the sample are fixtures, `NAME/in` beside it. Answers may be packed (`.zst`).

use std::fs;
use std::path::Path;

use crate::command::olmdex;
use crate::inputs::shared;
use crate::outcome::{Case, Folder, Outcome, entries};

pub(crate) const FOLDER: Folder = Folder { name: "catalogs", run };

fn run(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, path) in entries(&root.join("catalogs"), "", "") {
        let parts = [("render.", ".render."), ("list-", ".list-"), ("graph-", ".graph-")];
        let found = parts.iter().find_map(|(kind, between)| {
            let (catalog, rest) = name.trim_end_matches(".zst").split_once(between)?;
            Some((catalog, format!("{kind}{rest}")))
        });
        let Some((catalog, kind)) = found else {
            cases
                .push(Case::run(format!("catalogs/{name}"), || Outcome::NotRunnable("no such command yet".to_owned())));
            continue;
        };
        let fixture = shared(root, &format!("../{catalog}/in"));
        let input = if fixture.is_dir() { fixture } else { shared(root, &format!("../catalogs/{catalog}")) };
        cases.push(Case::run(format!("catalogs/{name}"), || check(&input, &kind, &path)));
    }
    cases
}

fn check(input: &Path, kind: &str, expected: &Path) -> Outcome {
    if !input.is_dir() {
        return Outcome::NotRunnable("the catalog is absent".to_owned());
    }
    let input = input.to_string_lossy();
    let arguments: Vec<&str> = match kind {
        "render.json" => vec!["render", &input],
        "render.yaml" => vec!["render", &input, "-o", "yaml"],
        "list-packages.txt" => vec!["list", "packages", "-i", &input, "--compat", "opm"],
        "list-channels.txt" => vec!["list", "channels", "-i", &input, "--compat", "opm"],
        "list-bundles.txt" => vec!["list", "bundles", "-i", &input, "--compat", "opm"],
        "graph-plain.mermaid" => vec!["graph", "-i", &input],
        "graph-v0.mermaid" => vec!["graph", "-i", &input, "--draw-v0-semantics"],
        _ => return Outcome::NotRunnable(format!("no such command yet: {kind}")),
    };
    let is_packed = expected.extension().is_some_and(|it| it == "zst");
    let expected = fs::read(expected).and_then(|it| if is_packed { zstd::stream::decode_all(&*it) } else { Ok(it) });
    let expected = expected.expect("a readable recording");
    let answer = olmdex(Path::new("."), &arguments).expect("the program starts");
    if answer.exit_code != 0 {
        return Outcome::Failed(format!("exit code {}: {}", answer.exit_code, answer.stderr));
    }
    // opm numbers edges at random if channels of several packages share a name.
    let comparable = |text: Vec<u8>| -> Vec<u8> {
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        lines.filter(|line| kind != "graph-v0.mermaid" || !line.starts_with(b"linkStyle")).flatten().copied().collect()
    };
    let (expected, stdout) = (comparable(expected), comparable(answer.stdout));
    let n_same = stdout.iter().zip(&expected).take_while(|(ours, theirs)| ours == theirs).count();
    if n_same == expected.len() && n_same == stdout.len() {
        return Outcome::Passed;
    }
    let line = expected[..n_same].iter().filter(|&&byte| byte == b'\n').count() + 1;
    let around = |text: &[u8]| {
        String::from_utf8_lossy(&text[n_same.saturating_sub(60)..text.len().min(n_same + 60)]).into_owned()
    };
    Outcome::Failed(format!("line {line}: expected {:?}\n     got {:?}", around(&expected), around(&stdout)))
}
