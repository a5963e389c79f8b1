//! The services and messages that the server speaks, as descriptors for clients that ask (`grpcurl`).
//!
//! A message is a line: its fields in the order of their numbers. `name` is a text, `name:TYPE` something else, `name*` a list, `name@3`
//! has another number than the one after the field before it, and `name|` belongs to the message's choice.
//!
//! What it deliberately does not do: no options but the one that says what a map is.

use prost::Message as _;

/// A file of definitions.
#[derive(Debug)]
pub struct File {
    /// Its name.
    pub name: &'static str,
    package: &'static str,
    /// The names of the files that it uses.
    pub imports: &'static [&'static str],
    messages: &'static [Message],
    /// Name and values.
    enums: &'static [(&'static str, &'static [&'static str])],
    services: &'static [Service],
}

/// A message.
#[derive(Debug)]
struct Message {
    name: &'static str,
    fields: &'static str,
    /// Name of its choice, if it has one.
    choice: &'static str,
    /// The type of the values of its only field, if that is a map with texts as keys.
    map: &'static str,
    enums: &'static [(&'static str, &'static [&'static str])],
}

/// A service with its methods: name, question, answer; a `*` after one says that there are many.
#[derive(Debug)]
struct Service {
    name: &'static str,
    methods: &'static [(&'static str, &'static str, &'static str)],
}

const fn message(name: &'static str, fields: &'static str) -> Message {
    Message { name, fields, choice: "", map: "", enums: &[] }
}

const API: &str = "group version kind plural";

const REGISTRY: File = File {
    name: "registry.proto",
    package: "api",
    imports: &["google/protobuf/struct.proto"],
    messages: &[
        message("Channel", "name csvName deprecation:.api.Deprecation"),
        message("PackageName", "name"),
        message("Package", "name channels*:.api.Channel defaultChannelName deprecation:.api.Deprecation"),
        message("GroupVersionKind", API),
        message("Dependency", "type value"),
        message("Property", "type value"),
        message(
            "Bundle",
            "csvName packageName channelName csvJson object* bundlePath providedApis*:.api.GroupVersionKind \
             requiredApis*:.api.GroupVersionKind version skipRange dependencies*:.api.Dependency \
             properties*:.api.Property replaces skips* deprecation:.api.Deprecation",
        ),
        message("ChannelEntry", "packageName channelName bundleName replaces"),
        message("ListPackageRequest", ""),
        message("ListBundlesRequest", ""),
        message("GetPackageRequest", "name"),
        message("GetBundleRequest", "pkgName channelName csvName"),
        message("GetBundleInChannelRequest", "pkgName channelName"),
        message("GetAllReplacementsRequest", "csvName"),
        message("GetReplacementRequest", "csvName pkgName channelName"),
        message("GetAllProvidersRequest", API),
        message("GetLatestProvidersRequest", API),
        message("GetDefaultProviderRequest", API),
        message("Deprecation", "message"),
        message("ExperimentalListPackageCustomSchemasRequest", "schema packageName"),
    ],
    enums: &[],
    services: &[
        Service {
            name: "Registry",
            methods: &[
                ("ListPackages", ".api.ListPackageRequest", ".api.PackageName*"),
                ("GetPackage", ".api.GetPackageRequest", ".api.Package"),
                ("GetBundle", ".api.GetBundleRequest", ".api.Bundle"),
                ("GetBundleForChannel", ".api.GetBundleInChannelRequest", ".api.Bundle"),
                ("GetChannelEntriesThatReplace", ".api.GetAllReplacementsRequest", ".api.ChannelEntry*"),
                ("GetBundleThatReplaces", ".api.GetReplacementRequest", ".api.Bundle"),
                ("GetChannelEntriesThatProvide", ".api.GetAllProvidersRequest", ".api.ChannelEntry*"),
                ("GetLatestChannelEntriesThatProvide", ".api.GetLatestProvidersRequest", ".api.ChannelEntry*"),
                ("GetDefaultBundleThatProvides", ".api.GetDefaultProviderRequest", ".api.Bundle"),
                ("ListBundles", ".api.ListBundlesRequest", ".api.Bundle*"),
            ],
        },
        Service {
            name: "ExperimentalRegistry",
            methods: &[(
                "ExperimentalListPackageCustomSchemas",
                ".api.ExperimentalListPackageCustomSchemasRequest",
                ".google.protobuf.Struct*",
            )],
        },
    ],
};

const STRUCT: File = File {
    name: "google/protobuf/struct.proto",
    package: "google.protobuf",
    imports: &[],
    messages: &[
        Message {
            name: "Struct",
            fields: "fields*:.google.protobuf.Struct.FieldsEntry",
            choice: "",
            map: ".google.protobuf.Value",
            enums: &[],
        },
        Message {
            name: "Value",
            fields: "null_value|:=.google.protobuf.NullValue number_value|:double string_value| bool_value|:bool \
                     struct_value|:.google.protobuf.Struct list_value|:.google.protobuf.ListValue",
            choice: "kind",
            map: "",
            enums: &[],
        },
        message("ListValue", "values*:.google.protobuf.Value"),
    ],
    enums: &[("NullValue", &["NULL_VALUE"])],
    services: &[],
};

const HEALTH: File = File {
    name: "grpc/health/v1/health.proto",
    package: "grpc.health.v1",
    imports: &[],
    messages: &[
        message("HealthCheckRequest", "service"),
        Message {
            name: "HealthCheckResponse",
            fields: "status:=.grpc.health.v1.HealthCheckResponse.ServingStatus",
            choice: "",
            map: "",
            enums: &[("ServingStatus", &["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"])],
        },
        message("HealthListRequest", ""),
        Message {
            name: "HealthListResponse",
            fields: "statuses*:.grpc.health.v1.HealthListResponse.StatusesEntry",
            choice: "",
            map: ".grpc.health.v1.HealthCheckResponse",
            enums: &[],
        },
    ],
    enums: &[],
    services: &[Service {
        name: "Health",
        methods: &[
            ("Check", ".grpc.health.v1.HealthCheckRequest", ".grpc.health.v1.HealthCheckResponse"),
            ("List", ".grpc.health.v1.HealthListRequest", ".grpc.health.v1.HealthListResponse"),
            ("Watch", ".grpc.health.v1.HealthCheckRequest", ".grpc.health.v1.HealthCheckResponse*"),
        ],
    }],
};

/// Both versions of the reflection service have the same messages.
macro_rules! reflection {
    ($version:literal) => {
        File {
            name: concat!("grpc/reflection/", $version, "/reflection.proto"),
            package: concat!("grpc.reflection.", $version),
            imports: &[],
            messages: &[
                Message {
                    name: "ServerReflectionRequest",
                    fields: concat!(
                        "host file_by_filename|@3 file_containing_symbol| ",
                        "file_containing_extension|:.grpc.reflection.",
                        $version,
                        ".ExtensionRequest all_extension_numbers_of_type| list_services|"
                    ),
                    choice: "message_request",
                    map: "",
                    enums: &[],
                },
                message("ExtensionRequest", "containing_type extension_number:int32"),
                Message {
                    name: "ServerReflectionResponse",
                    fields: concat!(
                        "valid_host original_request:.grpc.reflection.",
                        $version,
                        ".ServerReflectionRequest file_descriptor_response|@4:.grpc.reflection.",
                        $version,
                        ".FileDescriptorResponse all_extension_numbers_response|:.grpc.reflection.",
                        $version,
                        ".ExtensionNumberResponse list_services_response|:.grpc.reflection.",
                        $version,
                        ".ListServiceResponse error_response|:.grpc.reflection.",
                        $version,
                        ".ErrorResponse"
                    ),
                    choice: "message_response",
                    map: "",
                    enums: &[],
                },
                message("FileDescriptorResponse", "file_descriptor_proto*:bytes"),
                message("ExtensionNumberResponse", "base_type_name extension_number*:int32"),
                message("ListServiceResponse", concat!("service*:.grpc.reflection.", $version, ".ServiceResponse")),
                message("ServiceResponse", "name"),
                message("ErrorResponse", "error_code:int32 error_message"),
            ],
            enums: &[],
            services: &[Service {
                name: "ServerReflection",
                methods: &[(
                    "ServerReflectionInfo",
                    concat!(".grpc.reflection.", $version, ".ServerReflectionRequest*"),
                    concat!(".grpc.reflection.", $version, ".ServerReflectionResponse*"),
                )],
            }],
        }
    };
}

/// All files.
pub const FILES: &[File] = &[REGISTRY, STRUCT, HEALTH, reflection!("v1"), reflection!("v1alpha")];

impl File {
    /// Its descriptor, encoded.
    #[must_use]
    pub fn encoded(&self) -> Vec<u8> {
        let file = wire::File {
            name: self.name.to_owned(),
            package: self.package.to_owned(),
            imports: self.imports.iter().map(|it| (*it).to_owned()).collect(),
            messages: self.messages.iter().map(Message::descriptor).collect(),
            enums: self.enums.iter().map(enum_descriptor).collect(),
            services: self.services.iter().map(Service::descriptor).collect(),
            syntax: "proto3".to_owned(),
        };
        file.encode_to_vec()
    }

    /// Whether something of this full name is defined here.
    #[must_use]
    pub fn defines(&self, symbol: &str) -> bool {
        let Some(rest) = symbol.strip_prefix(self.package).and_then(|it| it.strip_prefix('.')) else { return false };
        let (first, second) = rest.split_once('.').map_or((rest, None), |(first, second)| (first, Some(second)));
        let has_method = |it: &Service, name: &str| it.methods.iter().any(|method| method.0 == name);
        let in_enums = |enums: &[(&str, &[&str])], name: &str| {
            // The values of an enumeration are beside it, not in it.
            enums.iter().any(|(it, values)| *it == name || values.contains(&name))
        };
        in_enums(self.enums, rest)
            || self.services.iter().any(|it| it.name == first && second.is_none_or(|name| has_method(it, name)))
            || self.messages.iter().any(|it| {
                it.name == first
                    && second.is_none_or(|name| {
                        let is_map_entry = it.map_entry().is_some_and(|entry| {
                            name == entry || name.strip_prefix(&entry).is_some_and(|it| matches!(it, ".key" | ".value"))
                        });
                        it.choice == name && !name.is_empty()
                            || is_map_entry
                            || in_enums(it.enums, name)
                            || it.fields.split(' ').any(|field| Field::parse(field, 0).name == name && !name.is_empty())
                    })
            })
    }

    /// The full names of its services.
    pub fn services(&self) -> impl Iterator<Item = String> + '_ {
        self.services.iter().map(|it| format!("{}.{}", self.package, it.name))
    }

    /// Whether it has this service, and whether that has this method.
    pub(crate) fn method(&self, service: &str, method: &str) -> Option<bool> {
        let name = service.strip_prefix(self.package)?.strip_prefix('.')?;
        let found = self.services.iter().find(|it| it.name == name)?;
        Some(found.methods.iter().any(|it| it.0 == method))
    }
}

/// A field as it is written in a line.
struct Field<'t> {
    name: &'t str,
    kind: &'t str,
    number: i32,
    is_list: bool,
    is_choice: bool,
}

impl<'t> Field<'t> {
    fn parse(text: &'t str, before: i32) -> Self {
        let (left, kind) = text.split_once(':').unwrap_or((text, "string"));
        let (left, number) = match left.split_once('@') {
            Some((left, number)) => (left, number.parse().unwrap_or(before + 1)),
            None => (left, before + 1),
        };
        let name = left.trim_end_matches(['*', '|']);
        Self { name, kind, number, is_list: left.ends_with('*'), is_choice: left.ends_with('|') }
    }

    fn descriptor(&self) -> wire::Field {
        let (kind, type_name) = match self.kind {
            "string" => (9, ""),
            "double" => (1, ""),
            "int32" => (5, ""),
            "bool" => (8, ""),
            "bytes" => (12, ""),
            name => name.strip_prefix('=').map_or((11, name), |it| (14, it)),
        };
        wire::Field {
            name: Some(self.name.to_owned()),
            number: Some(self.number),
            label: Some(if self.is_list { 3 } else { 1 }),
            kind: Some(kind),
            type_name: Some(type_name.to_owned()).filter(|it| !it.is_empty()),
            choice: self.is_choice.then_some(0),
            json_name: Some(json_name(self.name)),
        }
    }
}

/// The name of a field in JSON: `null_value` is `nullValue`.
fn json_name(name: &str) -> String {
    let mut out = String::new();
    let mut is_upper = false;
    for c in name.chars() {
        if c == '_' {
            is_upper = true;
        } else {
            out.push(if is_upper { c.to_ascii_uppercase() } else { c });
            is_upper = false;
        }
    }
    out
}

fn enum_descriptor((name, values): &(&'static str, &'static [&'static str])) -> wire::Enum {
    let value = |(number, name): (usize, &&str)| wire::EnumValue {
        name: Some((*name).to_owned()),
        number: Some(number as i32),
    };
    wire::Enum { name: Some((*name).to_owned()), values: values.iter().enumerate().map(value).collect() }
}

impl Message {
    /// The message that a map is a list of.
    fn map_entry(&self) -> Option<String> {
        let field = Field::parse(self.fields, 0).name;
        let (first, rest) = field.split_at_checked(1)?;
        (!self.map.is_empty()).then(|| format!("{}{rest}Entry", first.to_ascii_uppercase()))
    }

    fn descriptor(&self) -> wire::Message {
        let mut before = 0;
        let mut fields = Vec::new();
        for text in self.fields.split(' ').filter(|it| !it.is_empty()) {
            let field = Field::parse(text, before);
            before = field.number;
            fields.push(field.descriptor());
        }
        let entry = self.map_entry().map(|name| wire::Message {
            name: Some(name),
            fields: ["key", &format!("value:{}", self.map)]
                .iter()
                .zip(0..)
                .map(|(text, before)| Field::parse(text, before).descriptor())
                .collect(),
            options: Some(wire::MessageOptions { is_map_entry: Some(true) }),
            ..wire::Message::default()
        });
        let choice = Some(self.choice).filter(|it| !it.is_empty());
        wire::Message {
            name: Some(self.name.to_owned()),
            fields,
            nested: entry.into_iter().collect(),
            enums: self.enums.iter().map(enum_descriptor).collect(),
            options: None,
            choices: choice.map(|it| wire::Choice { name: Some(it.to_owned()) }).into_iter().collect(),
        }
    }
}

impl Service {
    fn descriptor(&self) -> wire::Service {
        let method = |(name, question, answer): &(&str, &str, &str)| wire::Method {
            name: Some((*name).to_owned()),
            question: Some(question.trim_end_matches('*').to_owned()),
            answer: Some(answer.trim_end_matches('*').to_owned()),
            asks_many: question.ends_with('*').then_some(true),
            answers_many: answer.ends_with('*').then_some(true),
        };
        wire::Service { name: Some(self.name.to_owned()), methods: self.methods.iter().map(method).collect() }
    }
}

/// Descriptors as they go over the wire; what is never set is left out.
mod wire {
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct File {
        #[prost(string, tag = "1")]
        pub(super) name: String,
        #[prost(string, tag = "2")]
        pub(super) package: String,
        #[prost(string, repeated, tag = "3")]
        pub(super) imports: Vec<String>,
        #[prost(message, repeated, tag = "4")]
        pub(super) messages: Vec<Message>,
        #[prost(message, repeated, tag = "5")]
        pub(super) enums: Vec<Enum>,
        #[prost(message, repeated, tag = "6")]
        pub(super) services: Vec<Service>,
        #[prost(string, tag = "12")]
        pub(super) syntax: String,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Message {
        #[prost(string, optional, tag = "1")]
        pub(super) name: Option<String>,
        #[prost(message, repeated, tag = "2")]
        pub(super) fields: Vec<Field>,
        #[prost(message, repeated, tag = "3")]
        pub(super) nested: Vec<Message>,
        #[prost(message, repeated, tag = "4")]
        pub(super) enums: Vec<Enum>,
        #[prost(message, optional, tag = "7")]
        pub(super) options: Option<MessageOptions>,
        #[prost(message, repeated, tag = "8")]
        pub(super) choices: Vec<Choice>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct MessageOptions {
        #[prost(bool, optional, tag = "7")]
        pub(super) is_map_entry: Option<bool>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Field {
        #[prost(string, optional, tag = "1")]
        pub(super) name: Option<String>,
        #[prost(int32, optional, tag = "3")]
        pub(super) number: Option<i32>,
        #[prost(int32, optional, tag = "4")]
        pub(super) label: Option<i32>,
        #[prost(int32, optional, tag = "5")]
        pub(super) kind: Option<i32>,
        #[prost(string, optional, tag = "6")]
        pub(super) type_name: Option<String>,
        #[prost(int32, optional, tag = "9")]
        pub(super) choice: Option<i32>,
        #[prost(string, optional, tag = "10")]
        pub(super) json_name: Option<String>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Choice {
        #[prost(string, optional, tag = "1")]
        pub(super) name: Option<String>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Enum {
        #[prost(string, optional, tag = "1")]
        pub(super) name: Option<String>,
        #[prost(message, repeated, tag = "2")]
        pub(super) values: Vec<EnumValue>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct EnumValue {
        #[prost(string, optional, tag = "1")]
        pub(super) name: Option<String>,
        #[prost(int32, optional, tag = "2")]
        pub(super) number: Option<i32>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Service {
        #[prost(string, optional, tag = "1")]
        pub(super) name: Option<String>,
        #[prost(message, repeated, tag = "2")]
        pub(super) methods: Vec<Method>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Method {
        #[prost(string, optional, tag = "1")]
        pub(super) name: Option<String>,
        #[prost(string, optional, tag = "2")]
        pub(super) question: Option<String>,
        #[prost(string, optional, tag = "3")]
        pub(super) answer: Option<String>,
        #[prost(bool, optional, tag = "5")]
        pub(super) asks_many: Option<bool>,
        #[prost(bool, optional, tag = "6")]
        pub(super) answers_many: Option<bool>,
    }
}
