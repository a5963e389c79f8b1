//! The descriptors that the server gives to clients agree with its `.proto` files.
//!
//! The parser knows as much of the language as these files need.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::HashMap;
use std::iter::Peekable;
use std::path::Path;
use std::str::SplitWhitespace;

use prost::Message as _;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
    FileDescriptorSet, MessageOptions, MethodDescriptorProto, OneofDescriptorProto, ServiceDescriptorProto,
};

use crate::support::recording::expect_recorded;

const FILES: [&str; 5] = [
    "google/protobuf/struct.proto",
    "registry.proto",
    "grpc/health/v1/health.proto",
    "grpc/reflection/v1/reflection.proto",
    "grpc/reflection/v1alpha/reflection.proto",
];

#[test]
fn descriptors_are_those_of_the_proto_files() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/grpc");
    let parse = |name: &str| parse(name, &std::fs::read_to_string(directory.join(name)).unwrap());
    let mut set = FileDescriptorSet { file: FILES.iter().map(|name| parse(name)).collect() };
    resolve(&mut set.file);
    expect_recorded("grpc_descriptors", &[(directory.join("descriptors.binpb"), set.encode_to_vec())]);
}

/// The words of a file.
struct Words<'t>(Peekable<SplitWhitespace<'t>>);

impl<'t> Words<'t> {
    fn next(&mut self) -> &'t str {
        self.0.next().unwrap()
    }

    fn name(&mut self) -> Option<String> {
        Some(self.next().to_owned())
    }

    fn expect(&mut self, word: &str) {
        assert_eq!(self.next(), word);
    }

    fn has(&mut self, word: &str) -> bool {
        self.0.next_if_eq(&word).is_some()
    }

    /// `= NUMBER ;`
    fn number(&mut self) -> Option<i32> {
        self.expect("=");
        let number = self.next().parse().ok();
        self.expect(";");
        number
    }
}

fn parse(name: &str, text: &str) -> FileDescriptorProto {
    let mut spaced = String::new();
    for line in text.lines().map(|it| it.split("//").next().unwrap()) {
        for c in line.chars().chain(['\n']) {
            if "{}()<>=,;".contains(c) { spaced.extend([' ', c, ' ']) } else { spaced.push(c) }
        }
    }
    let mut words = Words(spaced.split_whitespace().peekable());
    let mut file = FileDescriptorProto { name: Some(name.to_owned()), ..Default::default() };
    while let Some(word) = words.0.next() {
        match word {
            "message" => file.message_type.push(message(&mut words)),
            "enum" => file.enum_type.push(enumeration(&mut words)),
            "service" => file.service.push(service(&mut words)),
            ";" | "=" => {}
            "package" => file.package = words.name(),
            "import" => file.dependency.push(words.next().trim_matches('"').to_owned()),
            "syntax" => {
                words.expect("=");
                file.syntax = Some(words.next().trim_matches('"').to_owned());
            }
            other => panic!("{name}: {other}"),
        }
    }
    file
}

fn message(words: &mut Words<'_>) -> DescriptorProto {
    let mut message = DescriptorProto { name: words.name(), ..Default::default() };
    words.expect("{");
    while !words.has("}") {
        if words.has("enum") {
            message.enum_type.push(enumeration(words));
        } else if words.has("oneof") {
            let choice = Some(message.oneof_decl.len() as i32);
            message.oneof_decl.push(OneofDescriptorProto { name: words.name(), options: None });
            words.expect("{");
            while !words.has("}") {
                message.field.push(FieldDescriptorProto { oneof_index: choice, ..field(words) });
            }
        } else if words.has("map") {
            let (field, entry) = map(words);
            message.field.push(field);
            message.nested_type.push(entry);
        } else {
            message.field.push(field(words));
        }
    }
    message
}

/// `[repeated] TYPE NAME = NUMBER;`
fn field(words: &mut Words<'_>) -> FieldDescriptorProto {
    let label = if words.has("repeated") { Label::Repeated } else { Label::Optional };
    let type_name = words.name();
    let name = words.next();
    new_field(name, words.number(), label, type_name)
}

/// `map<KEY, VALUE> NAME = NUMBER;` is a list of messages with two fields.
fn map(words: &mut Words<'_>) -> (FieldDescriptorProto, DescriptorProto) {
    words.expect("<");
    let key = new_field("key", Some(1), Label::Optional, words.name());
    words.expect(",");
    let value = new_field("value", Some(2), Label::Optional, words.name());
    words.expect(">");
    let name = words.next();
    let (first, rest) = name.split_at(1);
    let entry = DescriptorProto {
        name: Some(format!("{}{rest}Entry", first.to_uppercase())),
        field: vec![key, value],
        options: Some(MessageOptions { map_entry: Some(true), ..Default::default() }),
        ..Default::default()
    };
    (new_field(name, words.number(), Label::Repeated, entry.name.clone()), entry)
}

fn new_field(name: &str, number: Option<i32>, label: Label, type_name: Option<String>) -> FieldDescriptorProto {
    let mut parts = name.split('_');
    let first = parts.next().unwrap().to_owned();
    let json_name = parts.fold(first, |json, part| {
        let (first, rest) = part.split_at(1);
        json + &first.to_uppercase() + rest
    });
    FieldDescriptorProto {
        name: Some(name.to_owned()),
        number,
        label: Some(label.into()),
        type_name,
        json_name: Some(json_name),
        ..Default::default()
    }
}

fn enumeration(words: &mut Words<'_>) -> EnumDescriptorProto {
    let mut found = EnumDescriptorProto { name: words.name(), ..Default::default() };
    words.expect("{");
    while !words.has("}") {
        found.value.push(EnumValueDescriptorProto { name: words.name(), number: words.number(), options: None });
    }
    found
}

fn service(words: &mut Words<'_>) -> ServiceDescriptorProto {
    /// `([stream] TYPE)`
    fn side(words: &mut Words<'_>) -> (Option<bool>, Option<String>) {
        words.expect("(");
        let found = (words.has("stream").then_some(true), words.name());
        words.expect(")");
        found
    }
    let mut found = ServiceDescriptorProto { name: words.name(), ..Default::default() };
    words.expect("{");
    while !words.has("}") {
        words.expect("rpc");
        let name = words.name();
        let (client_streaming, input_type) = side(words);
        words.expect("returns");
        let (server_streaming, output_type) = side(words);
        words.expect(";");
        found.method.push(MethodDescriptorProto {
            name,
            input_type,
            output_type,
            options: None,
            client_streaming,
            server_streaming,
        });
    }
    found
}

/// Gives each field its type, and each named type its full name.
fn resolve(files: &mut [FileDescriptorProto]) {
    let mut known = HashMap::new();
    for file in &*files {
        let package = format!(".{}", file.package());
        known.extend(file.enum_type.iter().map(|it| (format!("{package}.{}", it.name()), Type::Enum)));
        for message in &file.message_type {
            let name = format!("{package}.{}", message.name());
            known.extend(message.enum_type.iter().map(|it| (format!("{name}.{}", it.name()), Type::Enum)));
            known.extend(message.nested_type.iter().map(|it| (format!("{name}.{}", it.name()), Type::Message)));
            known.insert(name, Type::Message);
        }
    }
    // A name is looked up from the innermost scope to the root.
    let full = |scope: &str, name: &mut Option<String>| {
        let written = name.take().unwrap();
        let dots = scope.rmatch_indices('.').map(|it| &scope[..it.0]);
        let mut names = [scope].into_iter().chain(dots).map(|scope| format!("{scope}.{written}"));
        let found = names.find(|it| known.contains_key(it)).unwrap_or_else(|| panic!("{scope} uses {written}"));
        let kind = known[&found];
        *name = Some(found);
        kind
    };
    let field = |scope: &str, field: &mut FieldDescriptorProto| {
        let scalar = match field.type_name() {
            "string" => Some(Type::String),
            "double" => Some(Type::Double),
            "int32" => Some(Type::Int32),
            "bool" => Some(Type::Bool),
            "bytes" => Some(Type::Bytes),
            _ => None,
        };
        let kind = match scalar {
            Some(kind) => {
                field.type_name = None;
                kind
            }
            None => full(scope, &mut field.type_name),
        };
        field.r#type = Some(kind.into());
    };
    for file in files {
        let package = format!(".{}", file.package());
        for message in &mut file.message_type {
            let scope = format!("{package}.{}", message.name());
            let nested = message.nested_type.iter_mut().flat_map(|it| &mut it.field);
            message.field.iter_mut().chain(nested).for_each(|it| field(&scope, it));
        }
        for method in file.service.iter_mut().flat_map(|it| &mut it.method) {
            full(&package, &mut method.input_type);
            full(&package, &mut method.output_type);
        }
    }
}
