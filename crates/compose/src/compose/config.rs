//! Reads `olmdex.toml`. An unknown key is an error: otherwise a mistyped option would silently have no effect.

use std::path::{Path, PathBuf};

use super::catalogs::{self, NamedCatalog};
use super::composite::of_composite;
use super::destination::Reach;
use super::error::{At, ConfigError};
use super::find::is_link_out;
use super::form::{FindingsForm, Form, Word};
use super::reader::Reader;
use olmdex_base::diag::Rule;
use olmdex_base::diag::selection::{Layer, check_word};
use olmdex_base::file;
use olmdex_rules::check::practice::Profile;

/// How many bytes the file may have.
const MAX_LEN: u64 = 1 << 20;

/// The options of a file.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// The file, under its name in messages.
    pub path: PathBuf,
    /// The layer of the choice of findings.
    pub layer: Layer,
    /// The profiles of good practice that hold.
    pub profiles: Vec<Profile>,
    /// Whether warnings count as errors.
    pub strict: bool,
    /// The file of known findings, with its place; [`Config::baseline()`] checks whether it may be read.
    pub(super) baseline: Option<(PathBuf, At)>,
    /// The catalogs, by name.
    pub catalogs: Vec<NamedCatalog>,
    /// The directories in which it may make a command read and write.
    pub reach: Reach,
    /// The `olmdex.toml` with the same meaning as the composite file that was read.
    pub converted: Option<String>,
    /// The file and its content; `None` for a text from elsewhere.
    pub(super) content: Option<(PathBuf, Vec<u8>)>,
}

impl Config {
    /// Whether the file still has the content that was read.
    pub fn is_current(&self) -> bool {
        let is_same =
            |(path, old): &(PathBuf, Vec<u8>)| file::read_regular_of(path, MAX_LEN).is_ok_and(|it| it == *old);
        self.content.as_ref().is_none_or(is_same)
    }
}

/// The text after the name of a composite file in messages.
const AS_OPTIONS: &str = " (as olmdex.toml)";

/// As [`read()`], for a file that was found and not named: unless `reach` allows more, it can make a command read only
/// below its directory.
///
/// # Errors
/// The errors of [`read()`], and if it is a link that leads out of its directory.
pub fn read_found(path: &Path, known: &[&'static Rule], reach: Reach) -> Result<Config, ConfigError> {
    if reach == Reach::Inside && is_link_out(path) {
        return Err(ConfigError::LinkOut { path: path.to_owned() });
    }
    Ok(Config { reach, ..read(path, known)? })
}

/// Reads a file of options that the user named, or a composite file of an old form. `known` are all rules that it may
/// name.
///
/// # Errors
/// If it cannot be read, is larger than a mebibyte or not a regular file, or something in it is not valid.
pub fn read(path: &Path, known: &[&'static Rule]) -> Result<Config, ConfigError> {
    let content =
        file::read_regular_of(path, MAX_LEN).map_err(|source| ConfigError::Io { path: path.to_owned(), source })?;
    if path.extension().is_none_or(|it| it != "toml")
        && let Some(toml) = of_composite(&path.display().to_string(), &content)
    {
        // Places are those of the converted text, which nobody has seen yet.
        let mut name = path.as_os_str().to_owned();
        name.push(AS_OPTIONS);
        let config = parse(Path::new(&name), toml.as_bytes(), known)?;
        return Ok(Config { converted: Some(toml), content: Some((path.to_owned(), content)), ..config });
    }
    let config = parse(path, &content, known)?;
    Ok(Config { content: Some((path.to_owned(), content)), ..config })
}

/// As [`read()`], for a text in memory.
///
/// # Errors
/// If something in it is not valid.
pub fn parse(path: &Path, content: &[u8], known: &[&'static Rule]) -> Result<Config, ConfigError> {
    let reader = Reader { path, content };
    let text = std::str::from_utf8(content).map_err(|error| {
        let at = error.valid_up_to();
        reader.wrong(at..at, "the file is not UTF-8".to_owned(), None)
    })?;
    let form: Form = toml::from_str(text).map_err(|error| reader.misfit(&error))?;
    let FindingsForm { select, ignore, severity, profile, strict, baseline } = form.findings;
    for word in select.iter().chain(&ignore).chain(severity.keys()) {
        check_word(known, word.text())
            .map_err(|error| reader.wrong(word.span(), error.to_string(), Some(error.help())))?;
    }
    let texts = |words: Vec<Word>| words.into_iter().map(|it| it.0.into_inner()).collect();
    let severity = severity.into_iter().map(|(word, level)| (word.0.into_inner(), level)).collect();
    let layer = Layer { select: texts(select), ignore: texts(ignore), severity };
    let profiles = profile.iter().map(|it| reader.profile(it)).collect::<Result<_, ConfigError>>()?;
    let baseline = baseline.map(|it| Ok((reader.path(&it)?, reader.at(it.span())))).transpose()?;
    let catalogs = catalogs::read(&reader, form.catalogs)?;
    let (path, reach) = (path.to_owned(), Reach::Anywhere);
    Ok(Config { path, layer, profiles, strict, baseline, catalogs, reach, converted: None, content: None })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::compose::{At, Origin};
    use crate::mirror::Range;
    use olmdex_base::diag::Severity;
    use olmdex_base::diag::selection::Level;
    use olmdex_fbc::Format;

    static RULE: Rule =
        Rule { id: "W0805", name: "example", severity: Severity::Warning, summary: "", explanation: "", example: "" };

    fn parsed(text: &str) -> Result<Config, ConfigError> {
        parse(Path::new("../olmdex.toml"), text.as_bytes(), &[&RULE])
    }

    #[test]
    fn everything_that_a_file_may_say_is_read() {
        let text = "[findings]\nselect = ['W']\nignore = ['example']\nseverity = { W0805 = 'error' }\nprofile = ['konflux']\nstrict = true
baseline = 'b.json'\n[catalogs.b]\nsource = '/b'\nimage = 'quay.io/b:v1'\n[catalogs.a]\nsource = 'x/a'\npriority = -3\nlabels = { k = 'v' }\n";
        let config = parsed(text).unwrap();
        assert_eq!((config.strict, config.baseline().unwrap()), (true, Some(Path::new("../b.json"))));
        assert_eq!((config.layer.select, config.layer.ignore), (vec!["W".to_owned()], vec!["example".to_owned()]));
        assert_eq!(config.layer.severity, [("W0805".to_owned(), Level::Error)]);
        assert_eq!(config.profiles, [Profile::Konflux]);
        let labels = BTreeMap::from([("k".to_owned(), "v".to_owned())]);
        let [a, b] = config.catalogs.as_slice() else { panic!("{:?}", config.catalogs) };
        assert_eq!((a.name.as_str(), a.source(), a.priority), ("a", Some(Path::new("../x/a")), -3));
        assert_eq!((&a.labels, &a.image), (&labels, &None));
        assert_eq!((b.name.as_str(), b.source(), b.priority), ("b", Some(Path::new("/b")), 0));
        assert_eq!(b.image.as_deref(), Some("quay.io/b:v1"));
        assert!(parsed("").unwrap().catalogs.is_empty());
    }

    #[test]
    fn what_is_wrong_has_a_place_and_a_way_out() {
        for (text, message, help) in [
            ("\n[findings]\n selct = []", "3:2: unknown key `selct`", "did you mean `select`?"),
            ("x = 1", "1:1: unknown key `x`", "there are `findings`, `catalogs`"),
            ("[findings]\nignore = ['W0805', 'W0806']", "2:20: no rule `W0806`", "did you mean `W0805`?"),
            ("[findings.severity]\nW0805 = 'wraning'", "2:9: unknown value `wraning`", "did you mean `warning`?"),
            ("[findings.severity]\nexmaple = 'off'", "2:1: no rule `exmaple`", "did you mean `example`?"),
            ("[catalogs.'a b']\nsource = 'x'", "1:11: `a b` is not a valid catalog name", "use letters"),
            ("[catalogs.a]\nsource = '-'", "2:10: `-` is not a valid path", "name a directory"),
            ("[catalogs.a]\npriority = 1", "1:11: the key `source` is missing", "add `source`"),
            ("[findings]\nstrict = 1", "2:10: invalid type: integer `1`, expected a boolean", ""),
            ("é = ", "1:", ""),
        ] {
            let error = parsed(text).unwrap_err();
            let shown = error.to_string();
            assert!(shown.starts_with(&format!("../olmdex.toml:{message}")), "{text}: {shown}");
            assert!(error.help().unwrap_or_default().starts_with(help), "{text}: {:?}", error.help());
        }
    }

    #[test]
    fn compositions_are_read() {
        let text = "[catalogs.ours]
destination = 'out/ours'
format = 'yaml'
base-image = 'scratch'
components = [
  { source = 'a', packages = ['till', { name = 'ledger', channels = ['stable', 'fast'], range = '>=1.0.0', default-channel = 'fast' }] },
  { source = 'docker://quay.io/b', path = 'b' },
  { source = 'oci:layout:v1' },
  { template = 't.yaml', bundles = ['oci:x', 'bundles'], from = ['index.db'], pull = true },
  { source = 'index.db', catalog = 'community' },
]
";
        let config = parsed(text).unwrap();
        let [ours] = config.catalogs.as_slice() else { panic!("{:?}", config.catalogs) };
        assert_eq!((ours.source(), ours.format, ours.base_image.as_deref()), (None, Format::Yaml, Some("scratch")));
        let destination = ours.destination.as_ref().unwrap();
        assert_eq!(
            (destination.path.as_path(), destination.at),
            (Path::new("../out/ours"), At { line: 2, column: 15 })
        );
        let [a, b, c, d, e] = ours.components.as_slice() else { panic!("{:?}", ours.components) };
        let paths: Vec<&Path> = [a, b, c, d, e].iter().map(|it| it.origin_path()).collect();
        assert_eq!(
            paths,
            ["../a", "docker://quay.io/b", "oci:../layout:v1", "../t.yaml", "../index.db"].map(Path::new)
        );
        assert_eq!((a.at, b.path.as_deref()), (At { line: 6, column: 14 }, Some(Path::new("b"))));
        let [till, ledger] = a.packages.as_slice() else { panic!("{:?}", a.packages) };
        assert_eq!((till.name.as_str(), till.channels.len()), ("till", 0));
        assert_eq!((ledger.range.clone(), ledger.default_channel.as_str()), (Range::new("1.0.0", ""), "fast"));
        assert_eq!(ledger.channels.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["stable", "fast"]);
        let Origin::Template { bundles, from, pulls, .. } = &d.origin else { panic!("{d:?}") };
        assert_eq!(
            (bundles.as_slice(), *pulls),
            ([PathBuf::from("oci:../x"), PathBuf::from("../bundles")].as_slice(), true)
        );
        assert_eq!(from.as_slice(), [PathBuf::from("../index.db")]);
        assert!(matches!(&e.origin, Origin::Source { catalog: Some(it), .. } if it == "community"));
    }

    #[test]
    fn what_is_wrong_with_a_composition_has_its_place() {
        for (text, message, help) in [
            (
                "source = 'a'\ntemplate = 't'",
                "1:11: the component has both a `source` and a `template`",
                "make them two components",
            ),
            ("source = 'a'\ncomponents = []", "1:11: catalog `x` has both `components` and `source`", "move `source`"),
            ("components = []", "1:11: catalog `x` has no components", "name a source"),
            ("components = [{ path = 'a' }]", "2:15: the key `source` is missing", "add `source`"),
            ("components = [\n  { source = 'a', pth = 'a' }]", "3:19: unknown key `pth`", "did you mean `path`?"),
            ("source = 'a'\nbundles = ['b']", "1:11: `bundles` is for templates", "leave it out"),
            ("template = 'a'\ncatalog = 'b'", "1:11: `catalog` is for indexes", "leave it out"),
            ("source = 'a'\nmigrate-level = 'all'", "1:11: `migrate-level` is for templates", "leave it out"),
            ("template = 'a'\nmigrate-level = 'al'", "3:17: unknown value `al`", "did you mean `all`?"),
            ("source = 'a'\npackages = []", "1:11: `packages` is empty", "name packages"),
            ("source = 'a'\npackages = ['b', 'b']", "3:18: `b` is requested twice", "leave out one"),
            ("source = 'a'\npackages = ['b', 'c@x']", "3:18: `x` is not a range", "write `1.2.0`"),
            (
                "source = 'a'\npackages = ['b', { name = 'c/d' }]",
                "3:18: `c/d` is not a valid package name",
                "name a package",
            ),
            ("source = 'a'\npackages = ['b', { nam = 'c' }]", "3:20: unknown key `nam`", "did you mean `name`?"),
            ("source = 'a'\npackages = [1]", "3:13: invalid type: integer `1`, expected `PKG[/CHANNEL][@RANGE]`", ""),
            (
                "source = 'a'\npackages = ['b/c', 'b/d@1.0.0']",
                "3:13: some channels of package `b`",
                "give each channel",
            ),
            ("source = 'a'\nformat = 'xml'", "3:10: unknown value `xml`", "there are `json`, `yaml`"),
            ("source = 'a'\nbase-image = 'b RUN c'", "3:14: `b RUN c` is not a valid image name", "name an image"),
            ("components = [{ source = 'a', path = '../b' }]", "2:38: `../b` is not a valid path", "name a directory"),
            ("components = [{ source = 'a', path = '.git' }]", "2:38: `.git` is not a valid path", "name a directory"),
            (
                "components = [{ source = 'a', path = 'b' }, { source = 'c', path = 'b/d' }]",
                "2:45: the path `b/d` overlaps",
                "give each",
            ),
            (
                "source = 'a'\ndestination = 'b/c'\n[catalogs.y]\nsource = 'a'\ndestination = 'b'",
                "6:15: the destination `b` overlaps that of catalog `x`",
                "give each",
            ),
        ] {
            let error = parsed(&format!("[catalogs.x]\n{text}")).unwrap_err();
            let shown = error.to_string();
            assert!(shown.starts_with(&format!("../olmdex.toml:{message}")), "{text}: {shown}");
            assert!(error.help().unwrap_or_default().starts_with(help), "{text}: {:?}", error.help());
        }
    }

    #[test]
    fn hostile_texts_are_errors() {
        let deep = format!("x = {}", "[".repeat(100_000));
        let dotted = format!("{}a = 1", "a.".repeat(100_000));
        let tables = format!("x = {}", "{a=".repeat(100_000));
        for text in [deep.as_bytes(), dotted.as_bytes(), tables.as_bytes(), b"\xff", b"a = \"\0\"", b"[[[["] {
            assert!(parse(Path::new("olmdex.toml"), text, &[&RULE]).is_err());
        }
    }
}
