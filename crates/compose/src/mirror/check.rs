//! The faults of a configuration's file, each at its place: all that oc-mirror would refuse, one after the other, and
//! what it takes without doing what the author expects.

use std::borrow::Cow;

use super::configuration::{Configuration, Operator, Range};
use super::decode::{Dialect, configuration, duplicate_keys, last_key, misfits};
use super::error::Fault;
use super::images::MirrorImages;
use super::purpose::Purpose;
use super::rewrite::differences;
use super::rules;
use super::verify::{PlacedFault, faults, in_operator};
use olmdex_base::diag::{Finding, Place, closest, may_have, printable};
use olmdex_fbc::{Origin, Spot, Syntax, locate_all};
use olmdex_text::gotype::{Field, Form, GoType, Misfit, Problem};
use olmdex_text::json::{self, Kind, Reader, Step, Value, fold_eq};
use olmdex_text::yaml::{self, Document, YamlNode};
use olmdex_version::Version;

/// A configuration's file with its places.
#[derive(Debug)]
pub struct ConfigurationFile<'t> {
    /// Its name for people.
    shown: &'t str,
    raw: &'t [u8],
    /// The configuration, as far as it can be read.
    pub configuration: Configuration,
    /// Its faults.
    pub findings: Vec<Finding>,
}

/// How many bytes a configuration that is checked may have: each of its keys could be a fault.
const MAX_LEN: usize = 4 << 20;

impl<'t> ConfigurationFile<'t> {
    /// Reads a file of either kind.
    pub fn read(shown: &'t str, raw: &'t [u8]) -> Self {
        let configuration = Configuration::default();
        let mut file = Self { shown, raw, configuration, findings: Vec::new() };
        let (spots, findings): (Vec<Spot>, Vec<Finding>) = file.inspect().into_iter().unzip();
        let places = file.places(&spots.iter().collect::<Vec<_>>());
        file.findings = findings.into_iter().zip(places).map(|(finding, place)| finding.at(place)).collect();
        file.findings.sort_by_key(|finding| finding.place.as_ref().map(|place| (place.line, place.column)));
        file
    }

    fn places(&self, spots: &[&Spot]) -> Vec<Place> {
        let len = self.raw.len() as u64;
        let origin = Origin { file: 0, line: 1, column: 1, syntax: Syntax::Yaml, offset: 0, len };
        locate_all(self.raw, origin, spots).into_iter().map(|place| place.in_file(self.shown)).collect()
    }

    /// Findings about values among the wishes, each at its own value or the nearest one above it.
    pub fn placed(&self, found: Vec<(Vec<Step>, Finding)>) -> Vec<Finding> {
        let (spots, findings): (Vec<Spot>, Vec<Finding>) =
            found.into_iter().map(|(path, finding)| (self.spot(&path), finding)).unzip();
        let places = self.places(&spots.iter().collect::<Vec<_>>());
        findings.into_iter().zip(places).map(|(finding, place)| finding.at(place)).collect()
    }

    /// The spot of a value among the wishes.
    fn spot(&self, path: &[Step]) -> Spot {
        Spot::Path([&[self.configuration.purpose.stanza().into()], path].concat())
    }

    fn inspect(&mut self) -> Vec<(Spot, Finding)> {
        if self.raw.len() > MAX_LEN {
            let message = format!("the file has more than {} MiB, and olmdex does not check it", MAX_LEN >> 20);
            return vec![(Spot::Start, rules::UNREADABLE.finding(message))];
        }
        let mut converted = Vec::new();
        match yaml::to_json(self.raw, &mut converted) {
            Ok(_) => {}
            Err(error) => {
                let at = Spot::Line(error.line.unwrap_or(1), error.column.unwrap_or(1));
                return vec![(at, rules::UNREADABLE.finding(format!("the file is not valid YAML: {}", error.message)))];
            }
        }
        // Only a text within the limits of the reader has few enough levels.
        let text = yaml::utf16_text(self.raw).map_or_else(|| String::from_utf8_lossy(self.raw), Cow::Owned);
        let mut found = repeated_keys(&yaml::nodes(&text).unwrap_or_default());
        let converted = json::decode_utf8(&converted);
        let mut reader = Reader::new();
        let value = reader.read(&converted).ok().filter(|value| value.kind() == Kind::Object);
        let Some(value) = value else {
            let help = "write `kind: ImageSetConfiguration`, and the wishes below `mirror:`";
            found.push((Spot::Start, rules::UNREADABLE.finding("the file is not a mapping").help(help)));
            return found;
        };
        let kind = value.get_field("kind").and_then(|kind| kind.as_str()).unwrap_or_default();
        let is_deletion = kind == Purpose::Delete.kind();
        let purpose = if is_deletion { Purpose::Delete } else { Purpose::Mirror };
        if kind != purpose.kind() {
            let message = match &*kind {
                "" => "the file has no `kind`".to_owned(),
                kind => format!("oc-mirror knows no kind `{}`", printable(kind)),
            };
            let help = "write `kind: ImageSetConfiguration`, or `kind: DeleteImageSetConfiguration` in a file for \
                        `oc-mirror delete`";
            found.push((Spot::Path(vec!["kind".into()]), rules::KIND.finding(message).help(help)));
        }
        let (of, misfits) = misfits(value, purpose);
        let has_stanza = check_stanza(value, purpose, &mut found);
        let is_known = |misfit: &Misfit| {
            let key = last_key(&misfit.path);
            misfit.path.len() == 1 && !has_stanza && [purpose.other().stanza(), "spec", "metadata"].contains(&key)
        };
        found.extend(misfits.iter().filter(|misfit| !is_known(misfit)).map(|misfit| of_misfit(of, misfit)));
        self.configuration = configuration(value, Dialect::Named, purpose);
        let wishes = value.get_field(purpose.stanza());
        found.extend(self.wishes(wishes));
        found.extend(self.second_document());
        let n_kept = (0..found.len()).take_while(|n| may_have(*n)).count();
        found.truncate(n_kept);
        found
    }

    fn second_document(&self) -> Option<(Spot, Finding)> {
        let chunks = yaml::split(self.raw, 1).filter_map(Result::ok);
        let has_content =
            |text: &[u8]| yaml::to_json(text, &mut Vec::new()).is_ok_and(|document| document != Document::Null);
        let second = chunks.filter(|chunk| has_content(&chunk.text)).nth(1)?;
        let message = "oc-mirror ignores this document: it reads only the first of the file";
        let finding = rules::SECOND_DOCUMENT.finding(message).help("move the document to a file of its own");
        Some((Spot::Line(second.first_line, 1), finding))
    }

    /// The faults of the values.
    fn wishes(&self, wishes: Option<Value<'_>>) -> Vec<(Spot, Finding)> {
        let configuration = &self.configuration;
        let mut found = Vec::new();
        for (path, fault) in faults(configuration).into_iter().flatten().chain(own_faults(configuration)) {
            found.push((self.spot(&path), of_fault(&fault)));
        }
        let operators = wishes.and_then(|wishes| wishes.members().find(|member| is_key(member.0, "operators")));
        let values = operators.into_iter().flat_map(|member| member.1.items());
        for (number, (operator, value)) in configuration.operators.iter().zip(values).enumerate() {
            let has_packages = value.members().any(|member| is_key(member.0, "packages"));
            if has_packages && operator.packages.is_empty() {
                let message = format!(
                    "`packages` is empty, so oc-mirror takes every package of `{}`",
                    printable(&operator.catalog)
                );
                let help = "name the packages, or remove `packages` if all of them are wanted";
                found.push((
                    Spot::Key(
                        [&[configuration.purpose.stanza().into()], &in_operator(number, &["packages".into()])[..]]
                            .concat(),
                    ),
                    rules::WHOLE_CATALOG.finding(message).help(help),
                ));
            }
        }
        for (number, image) in configuration.additional_images.iter().enumerate() {
            let alone = Configuration { additional_images: vec![image.clone()], ..Configuration::default() };
            for error in MirrorImages::of(&alone, [], None).refused {
                let finding = rules::IMAGE.finding(format!("oc-mirror leaves an image out: {error}"));
                let help = error.help().unwrap_or("write a reference such as `quay.io/org/image:v1`");
                found.push((self.spot(&["additionalImages".into(), number.into()]), finding.help(help)));
            }
        }
        let old = differences(configuration).into_iter().map(|words| rules::OLD_VERSION.finding(words));
        found.extend(old.map(|finding| (Spot::Path(vec!["apiVersion".into()]), finding)));
        found
    }
}

/// Whether the field of the wishes is there, and that of the other kind is not.
fn check_stanza(value: Value<'_>, purpose: Purpose, found: &mut Vec<(Spot, Finding)>) -> bool {
    let (own, other) = (purpose.stanza(), purpose.other().stanza());
    let has = |field: &str| value.get(field).is_some();
    let kind = purpose.kind();
    let (at, message, help) = if has(other) {
        let message = format!("`{other}` is not a field of `{kind}`");
        let help = match has(own) {
            true => format!("move `{other}` to a file of `kind: {}`", purpose.other().kind()),
            false => format!(
                "write `{own}:`, or `kind: {}` if the images are to be {}",
                purpose.other().kind(),
                if purpose == Purpose::Mirror { "removed from the mirror" } else { "mirrored" }
            ),
        };
        (vec![other.into()], message, help)
    } else if has(own) {
        return true;
    } else if value.get_field("spec").is_some_and(|spec| spec.get_field(own).is_some()) {
        let help = format!("move `{own}` to the top of the file, and remove `spec` and `metadata`");
        (vec!["spec".into(), own.into()], format!("`{own}` is inside of `spec`, where oc-mirror does not look"), help)
    } else {
        let help = format!("write the wishes below `{own}:` at the top of the file");
        (vec!["kind".into()], format!("the file has no `{own}`"), help)
    };
    found.push((Spot::Key(at), rules::STANZA.finding(message).help(help)));
    false
}

/// Keys that a mapping has twice.
fn repeated_keys(nodes: &[YamlNode]) -> Vec<(Spot, Finding)> {
    let repeated = duplicate_keys(nodes).into_iter().map(|(at, key)| {
        let message = format!("the mapping has the key `{}` twice", printable(&key));
        let help = "put the items of both below one key";
        (Spot::Offset(at), rules::REPEATED_KEY.finding(message).help(help))
    });
    repeated.collect()
}

/// The finding about a value that oc-mirror does not decode.
fn of_misfit(of: GoType, misfit: &Misfit) -> (Spot, Finding) {
    let key = printable(last_key(&misfit.path)).into_owned();
    if misfit.problem != Problem::Unknown {
        let finding = rules::WRONG_TYPE.finding(format!("`{}` {}", printable(&misfit.field()), misfit.message()));
        let help = misfit.wants_quotes().then_some("put quotes around the value");
        let finding = match help {
            Some(help) => finding.help(help),
            None => finding,
        };
        return (Spot::Path(misfit.path.clone()), finding);
    }
    let parents = &misfit.path[..misfit.path.len().saturating_sub(1)];
    let owner = owner(parents);
    let message = match owner.as_str() {
        "" => format!("a configuration has no field `{key}`"),
        owner => format!("`{owner}` has no field `{key}`"),
    };
    let known = fields_at(of.fields(), parents);
    let finding = rules::UNKNOWN_FIELD.finding(message).help(advice(of, &key, known));
    (Spot::Key(misfit.path.clone()), finding)
}

fn is_key(key: Value<'_>, name: &str) -> bool {
    key.as_str().is_some_and(|key| fold_eq(&key, name))
}

/// The object that has fields, in words: `packages[]` for an item of a list.
fn owner(path: &[Step]) -> String {
    match path {
        [.., Step::Key(key), Step::Index(_)] => format!("{key}[]"),
        [.., Step::Key(key)] => key.clone(),
        _ => String::new(),
    }
}

/// The fields of the object at a path of a type.
fn fields_at(root: &'static [Field], path: &[Step]) -> &'static [Field] {
    path.iter().fold(root, |fields, step| match step {
        Step::Key(key) => fields.iter().find(|field| fold_eq(field.name, key)).map_or(&[], fields_of),
        Step::Index(_) => fields,
    })
}

fn fields_of(field: &'static Field) -> &'static [Field] {
    match &field.form {
        Form::List(item) => item.fields(),
        form => form.fields(),
    }
}

/// The objects of a type that have a field of this name, in words. The types of configurations contain no circles.
fn owners_of(name: &str, fields: &'static [Field], above: &str, found: &mut Vec<String>) {
    for field in fields {
        let is_list = matches!(field.form, Form::List(_));
        if field.name == name && !above.is_empty() {
            found.push(format!("`{above}`"));
        }
        let below = format!(
            "{above}{}{}{}",
            if above.is_empty() { "" } else { "." },
            field.name,
            if is_list { "[]" } else { "" }
        );
        owners_of(name, fields_of(field), &below, found);
    }
}

/// The remedy for a field that an object does not have.
fn advice(of: GoType, name: &str, known: &'static [Field]) -> String {
    match name {
        "bundles" | "selectedBundles" => {
            return "oc-mirror no longer supports single bundles; use `minVersion` and `maxVersion` with the same version"
                .to_owned();
        }
        "storageConfig" => {
            return "v2 of oc-mirror has no `storageConfig`; name the workspace on its command line".to_owned();
        }
        "targetName" => {
            return "v2 of oc-mirror has no `targetName`; write `targetCatalog`, with the whole path: \
                    `targetCatalog: NAMESPACE/NAME`"
                .to_owned();
        }
        "minBundle" => return "v2 of oc-mirror has no `minBundle`; write `minVersion`".to_owned(),
        "originalRef" => return "remove it: it has no effect since oc-mirror 4.13".to_owned(),
        "metadata" | "spec" => {
            return format!("remove `{name}`: a configuration is no object of Kubernetes");
        }
        _ => {}
    }
    if let Some(meant) = closest(name, known.iter().map(|field| field.name)) {
        return format!("did you mean `{meant}`?");
    }
    let mut owners = Vec::new();
    owners_of(name, of.fields(), "", &mut owners);
    if !owners.is_empty() && owners.len() <= 4 {
        return format!("it is a field of {}", owners.join(", "));
    }
    let known: Vec<String> = known.iter().map(|field| format!("`{}`", field.name)).collect();
    if known.is_empty() { "remove it".to_owned() } else { format!("the fields are {}", known.join(", ")) }
}

/// Faults that oc-mirror finds only when it filters a catalog.
fn own_faults(configuration: &Configuration) -> Vec<PlacedFault> {
    let mut found = Vec::new();
    for (number, operator) in configuration.operators.iter().enumerate() {
        for (of_package, package) in operator.packages.iter().enumerate() {
            let at = in_operator(number, &["packages".into(), of_package.into()]);
            if package.name.is_empty() {
                found.push((at.clone(), Fault::Nameless { what: "package" }));
            }
            found
                .extend(of_range(operator, &package.range).map(|(field, fault)| ([&at[..], &[field]].concat(), fault)));
            for (of_channel, channel) in package.channels.iter().enumerate() {
                let at = [&at[..], &["channels".into(), of_channel.into()]].concat();
                if channel.name.is_empty() {
                    found.push((at.clone(), Fault::Nameless { what: "channel" }));
                }
                let faults = of_range(operator, &channel.range);
                found.extend(faults.map(|(field, fault)| ([&at[..], &[field]].concat(), fault)));
            }
        }
    }
    found
}

fn of_range(operator: &Operator, range: &Range) -> impl Iterator<Item = (Step, Fault)> {
    let parse = |bound: &str| Version::parse_tolerant(bound).ok();
    let is_swapped = match (parse(&range.min), parse(&range.max)) {
        (Some(min), Some(max)) => min > max,
        _ => false,
    };
    let (min, max) = (range.min.clone(), range.max.clone());
    let field = if min.is_empty() { "maxVersion" } else { "minVersion" };
    let swapped = is_swapped.then(|| ("minVersion".into(), Fault::Swapped { min, max }));
    let full = (operator.full && !range.is_empty()).then(|| (field.into(), Fault::FullWithRange));
    swapped.into_iter().chain(full)
}

/// The finding about a fault.
fn of_fault(fault: &Fault) -> Finding {
    let plain = |text: &str| printable(text).into_owned();
    match fault {
        Fault::NoReference => rules::CATALOG.finding("`catalog` is empty").help(
            "write the reference of the catalog's image: `registry.redhat.io/redhat/redhat-operator-index:v4.20`",
        ),
        Fault::NoTag(reference) => rules::CATALOG
            .finding(format!("the catalog `{}` has neither a tag nor a digest", plain(reference)))
            .help(format!("name a tag: `{}:v4.20`", plain(reference))),
        Fault::BadDigest(reference) => rules::CATALOG
            .finding(format!("the digest of the catalog `{}` is not valid", plain(reference)))
            .help("write `sha256:` and 64 hexadecimal digits behind the `@`"),
        Fault::BadTarget(target) => {
            rules::CATALOG.finding(format!("`targetCatalog: {}` is not a path", plain(target))).help(
                "write path components without registry, tag and digest: `team/catalog`; the tag goes to `targetTag`",
            )
        }
        Fault::CatalogTwice(name) => rules::REPEATED_ENTRY
            .finding(format!("two entries are mirrored as `{}`", plain(name)))
            .help("put the packages of both into one entry, or tell them apart with `targetCatalog` or `targetTag`"),
        Fault::PackageTwice { package, .. } => rules::REPEATED_ENTRY
            .finding(format!("the catalog has two entries for package `{}`", plain(package)))
            .help("put the channels of both into one entry")
            .of_package(package.clone()),
        Fault::ChannelTwice { package, channel, .. } => rules::REPEATED_ENTRY
            .finding(format!("package `{}` has two entries for channel `{}`", plain(package), plain(channel)))
            .help("remove one of them")
            .of_package(package.clone()),
        Fault::ReleaseChannelTwice(channel) => rules::REPEATED_ENTRY
            .finding(format!("the platform has two entries for channel `{}`", plain(channel)))
            .help("remove one of them, or join their bounds"),
        Fault::NotAVersion { package, field, version, .. } => rules::RANGE
            .finding(format!("`{field}: {}` is not a version", plain(version)))
            .help("write a version such as `1.2.3`")
            .of_package(package.clone()),
        Fault::BothLevels { package, .. } => rules::RANGE
            .finding(format!("package `{}` has bounds, and so does one of its channels", plain(package)))
            .help("set the bounds on the channels only; `olmdex mirror filter --repair` does this")
            .of_package(package.clone()),
        Fault::BadExpression { expression, error } => rules::EXPRESSION
            .finding(format!("`{}` is not a regular expression: {error}", plain(expression)))
            .help("put a backslash before characters that mean themselves"),
        Fault::PlatformsAndArchitectures => rules::PLATFORMS
            .finding("the platform has both `platforms` and `architectures`")
            .help("remove `architectures`"),
        Fault::Nameless { what } => {
            rules::NAMELESS.finding(format!("a {what} has no name")).help("write `name:`, or remove the entry")
        }
        Fault::Swapped { min, max } => rules::RANGE
            .finding(format!("no version is between `{}` and `{}`", plain(min), plain(max)))
            .help("swap the bounds; `olmdex mirror filter --repair` does this"),
        Fault::FullWithRange => rules::RANGE
            .finding("bounds have no meaning beside `full: true`, and oc-mirror refuses both together")
            .help("remove `full: true`, or the bounds; `olmdex mirror filter --repair` does this"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules and places of the findings about a text.
    fn found(text: &str) -> Vec<String> {
        let findings = ConfigurationFile::read("x.yaml", text.as_bytes()).findings;
        let place = |finding: &Finding| finding.place.as_ref().map(|it| (it.line, it.column)).unwrap_or_default();
        findings.iter().map(|it| format!("{} {}:{}", it.rule.id, place(it).0, place(it).1)).collect()
    }

    /// A configuration of v2 with these lines in `mirror`.
    fn mirror(lines: &str) -> String {
        format!("kind: ImageSetConfiguration\nmirror:\n{lines}")
    }

    /// The same with these lines in a catalog's entry.
    fn operator(lines: &str) -> String {
        mirror(&format!("  operators:\n  - catalog: a.example.com/b:v1\n{lines}"))
    }

    #[test]
    fn each_fault_has_its_rule_and_place() {
        for (text, wanted) in [
            ("kind: ImageSetConfiguration\nmirror: [".to_owned(), vec!["E2101 2:1"]),
            ("- kind: ImageSetConfiguration\n".to_owned(), vec!["E2101 1:1"]),
            ("mirror: {}\n".to_owned(), vec!["E2103 1:1"]),
            ("kind: ImageSet\nmirror: {}\n".to_owned(), vec!["E2103 1:7"]),
            (mirror("  operators: []\n  helm: {}\n  operators: []\n"), vec!["E2102 5:3"]),
            ("kind: ImageSetConfiguration\n".to_owned(), vec!["E2104 1:1"]),
            ("kind: ImageSetConfiguration\nmetadata: {}\nspec:\n  mirror: {}\n".to_owned(), vec!["E2104 4:3"]),
            ("kind: ImageSetConfiguration\ndelete: {}\n".to_owned(), vec!["E2104 2:1"]),
            ("kind: DeleteImageSetConfiguration\nmirror: {}\n".to_owned(), vec!["E2104 2:1"]),
            ("kind: DeleteImageSetConfiguration\ndelete: {}\nmirror: {}\n".to_owned(), vec!["E2104 3:1"]),
            ("kind: DeleteImageSetConfiguration\ndelete: {blockedImages: []}\n".to_owned(), vec!["E2105 2:10"]),
            (mirror("  operator: []\n"), vec!["E2105 3:3"]),
            (operator("    targetName: c\n"), vec!["E2105 5:5"]),
            (operator("    packages: [{name: a, minVersion: 1.10}]\n"), vec!["E2106 5:38"]),
            (mirror("  operators: [{catalog: ''}]\n"), vec!["E2107 3:25"]),
            (mirror("  operators: [{packages: [{name: a}]}]\n"), vec!["E2107 3:15"]),
            (mirror("  operators: [{catalog: a.example.com/b}]\n"), vec!["E2107 3:25"]),
            (mirror("  operators: [{catalog: 'a.example.com/b@sha256:1'}]\n"), vec!["E2107 3:25"]),
            (operator("    targetCatalog: c:v1\n"), vec!["E2107 5:20"]),
            (operator("  - catalog: a.example.com/b:v1\n"), vec!["E2108 5:14"]),
            (operator("    packages: [{name: a}, {name: a}]\n"), vec!["E2108 5:27"]),
            (operator("    packages: [{name: a, channels: [{name: b}, {name: b}]}]\n"), vec!["E2108 5:48"]),
            (mirror("  platform: {channels: [{name: a}, {name: a}]}\n"), vec!["E2108 3:36"]),
            (operator("    packages: [{name: a, maxVersion: x}]\n"), vec!["E2109 5:38"]),
            (
                operator("    packages: [{name: a, minVersion: '2', channels: [{name: b, maxVersion: '1'}]}]\n"),
                vec!["E2109 5:54"],
            ),
            (operator("    packages: [{name: a, minVersion: 2.0.0, maxVersion: 1.0.0}]\n"), vec!["E2109 5:38"]),
            (operator("    full: true\n    packages: [{name: a, maxVersion: 1.0.0}]\n"), vec!["E2109 6:38"]),
            (mirror("  blockedImages: [{name: '('}]\n"), vec!["E2110 3:26"]),
            (mirror("  platform: {architectures: [a], platforms: [{os: b}]}\n"), vec!["E2111 3:29"]),
            (operator("    packages: [{channels: [{name: ''}]}]\n"), vec!["E2112 5:16", "E2112 5:28"]),
            (operator("    packages:\n"), vec!["W2113 5:5"]),
            (operator("    packages: []\n"), vec!["W2113 5:5"]),
            (operator("") + "---\n# nothing\n---\nkind: x\n", vec!["W2114 8:1"]),
            (
                operator("    targetName: c\n    originalRef: d\n") + "apiVersion: mirror.openshift.io/v1alpha2\n",
                vec!["W2115 7:13", "W2115 7:13"],
            ),
            (mirror("  additionalImages: [{name: 'a.example.com/b@c'}]\n"), vec!["W2116 3:22"]),
            // The case of keys does not matter to a decoder of Go.
            (mirror("  Operators: [{Catalog: a.example.com/b}]\n"), vec!["E2107 3:25"]),
            (operator("    packages: [{name: a, minVersion: 1.0.0, maxVersion: 1.0.0}]\n"), vec![]),
            (operator(""), vec![]),
            ("{\"kind\": \"ImageSetConfiguration\", \"mirror\": {\"operators\": [{}]}}".to_owned(), vec!["E2107 1:60"]),
        ] {
            assert_eq!(found(&text), wanted, "{text}");
        }
    }

    #[test]
    fn a_field_in_the_wrong_place_is_shown_the_right_one() {
        let help = |text: &str| ConfigurationFile::read("x.yaml", text.as_bytes()).findings[0].help.clone();
        assert_eq!(help(&operator("    package: []\n")).unwrap(), "did you mean `packages`?");
        let owners = "it is a field of `mirror.platform.channels[]`, `mirror.operators[]`";
        assert_eq!(help(&operator("    packages: [{name: a, full: true}]\n")).unwrap(), owners);
    }

    #[test]
    fn hostile_files_are_refused_in_a_line() {
        let aliases: String =
            (1..40).map(|n| format!("a{n}: &a{n} [{}]\n", format!("*a{}, ", n - 1).repeat(9))).collect();
        let bomb = format!("kind: ImageSetConfiguration\na0: &a0 [x]\n{aliases}mirror: {{}}\n");
        let deep = format!("kind: ImageSetConfiguration\nmirror: {}", "[".repeat(100_000));
        let large = format!("kind: ImageSetConfiguration\n#{}", " ".repeat(MAX_LEN));
        for text in [&bomb, &deep, &large] {
            let found = found(text);
            assert!(found.len() == 1 && found[0].starts_with("E2101"), "{found:?}");
        }
        // Each of many faults is found in one pass.
        let many: String = (0..20_000).map(|n| format!("  a{n}: 1\n")).collect();
        assert_eq!(found(&mirror(&many)).len(), 20_000);
        let findings = ConfigurationFile::read("x.yaml", b"kind: ImageSetConfiguration\nmirror: {\xff: 1}\n").findings;
        assert!(!findings.is_empty());
    }
}
