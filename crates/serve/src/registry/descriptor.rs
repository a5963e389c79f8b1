//! The services and messages that the server speaks, as descriptors for clients that ask (`grpcurl`).
//!
//! They are `schema/grpc/descriptors.binpb`, which `tests/it/grpc_descriptors.rs` makes from the `.proto` files beside
//! it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use prost::Message as _;
use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorProto};

/// All files.
pub static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
    let set = Set::decode(&include_bytes!("../../schema/grpc/descriptors.binpb")[..]);
    set.expect("a test makes the same bytes").files.into_iter().map(File::new).collect()
});

/// A `FileDescriptorSet` whose files stay encoded.
#[derive(Clone, PartialEq, prost::Message)]
struct Set {
    #[prost(bytes = "vec", repeated, tag = "1")]
    files: Vec<Vec<u8>>,
}

/// A file of definitions.
#[derive(Debug)]
pub struct File {
    /// Its name.
    pub name: String,
    /// The names of the files that it uses.
    pub imports: Vec<String>,
    /// Its descriptor.
    pub encoded: Vec<u8>,
    /// The full names of its services.
    pub services: Vec<String>,
    /// The full names of all its definitions.
    symbols: BTreeSet<String>,
}

impl File {
    fn new(encoded: Vec<u8>) -> Self {
        let file = FileDescriptorProto::decode(&*encoded).expect("a test makes the same bytes");
        let package = file.package().to_owned();
        let mut symbols = BTreeSet::new();
        for it in &file.message_type {
            add_message(&mut symbols, &package, it);
        }
        for it in &file.enum_type {
            add_enum(&mut symbols, &package, it);
        }
        let mut services = Vec::new();
        for it in &file.service {
            let service = format!("{package}.{}", it.name());
            symbols.extend(it.method.iter().map(|method| format!("{service}.{}", method.name())));
            symbols.insert(service.clone());
            services.push(service);
        }
        Self { name: file.name().to_owned(), imports: file.dependency, encoded, services, symbols }
    }

    /// Whether something of this full name is defined here.
    pub fn defines(&self, symbol: &str) -> bool {
        self.symbols.contains(symbol)
    }

    /// Whether it has this service, and whether that has this method.
    pub(crate) fn method(&self, service: &str, method: &str) -> Option<bool> {
        self.services.iter().any(|it| it == service).then(|| self.defines(&format!("{service}.{method}")))
    }
}

fn add_message(symbols: &mut BTreeSet<String>, scope: &str, message: &DescriptorProto) {
    let name = format!("{scope}.{}", message.name());
    let fields = message.field.iter().map(|it| it.name());
    let choices = message.oneof_decl.iter().map(|it| it.name());
    symbols.extend(fields.chain(choices).map(|it| format!("{name}.{it}")));
    for it in &message.enum_type {
        add_enum(symbols, &name, it);
    }
    for it in &message.nested_type {
        add_message(symbols, &name, it);
    }
    symbols.insert(name);
}

/// The values of an enumeration are beside it, not in it.
fn add_enum(symbols: &mut BTreeSet<String>, scope: &str, enumeration: &EnumDescriptorProto) {
    let names = enumeration.value.iter().map(|it| it.name()).chain([enumeration.name()]);
    symbols.extend(names.map(|it| format!("{scope}.{it}")));
}
