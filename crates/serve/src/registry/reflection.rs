//! The reflection service: the list of services, and the descriptors of their messages. Both versions of it have the
//! same messages.

use std::collections::{BTreeSet, VecDeque};

use serde::Serialize;

use super::descriptor::{FILES, File};
use super::refusal::Refusal;

/// The real server's message for something unknown; its non-breaking space belongs to it.
const NOT_FOUND: &str = "proto:\u{a0}not found";

/// The code for something that was not found.
const CODE_NOT_FOUND: i32 = 5;

/// A question.
#[derive(Clone, PartialEq, Eq, Serialize, prost::Message)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// The server that is meant; it is ignored.
    #[prost(string, tag = "1")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// The question.
    #[prost(oneof = "Question", tags = "3, 4, 5, 6, 7")]
    #[serde(flatten)]
    pub question: Option<Question>,
}

/// The kinds of questions.
#[derive(Clone, PartialEq, Eq, Serialize, prost::Oneof)]
#[serde(rename_all = "camelCase")]
pub enum Question {
    /// A file by its name.
    #[prost(string, tag = "3")]
    FileByFilename(String),
    /// The file that defines a name.
    #[prost(string, tag = "4")]
    FileContainingSymbol(String),
    /// The file that defines an extension.
    #[prost(message, tag = "5")]
    FileContainingExtension(Extension),
    /// The extensions of a message.
    #[prost(string, tag = "6")]
    AllExtensionNumbersOfType(String),
    /// The services.
    #[prost(string, tag = "7")]
    ListServices(String),
}

/// An extension of a message.
#[derive(Clone, PartialEq, Eq, Serialize, prost::Message)]
#[serde(rename_all = "camelCase")]
pub struct Extension {
    /// The message.
    #[prost(string, tag = "1")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub containing_type: String,
    /// Its number.
    #[prost(int32, tag = "2")]
    pub extension_number: i32,
}

/// An answer.
#[derive(Clone, PartialEq, Eq, Serialize, prost::Message)]
#[serde(rename_all = "camelCase")]
pub struct Response {
    /// The server that was meant.
    #[prost(string, tag = "1")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub valid_host: String,
    /// The question.
    #[prost(message, optional, tag = "2")]
    pub original_request: Option<Request>,
    /// The answer.
    #[prost(oneof = "Answer", tags = "4, 5, 6, 7")]
    #[serde(flatten)]
    pub answer: Option<Answer>,
}

/// The kinds of answers.
#[derive(Clone, PartialEq, Eq, Serialize, prost::Oneof)]
#[serde(rename_all = "camelCase")]
pub enum Answer {
    /// Files: first the requested one, then those that it uses.
    #[prost(message, tag = "4")]
    FileDescriptorResponse(Descriptors),
    /// The extensions of a message: there are none.
    #[prost(message, tag = "5")]
    AllExtensionNumbersResponse(Extensions),
    /// The services.
    #[prost(message, tag = "6")]
    ListServicesResponse(Services),
    /// The reason why there is no answer.
    #[prost(message, tag = "7")]
    ErrorResponse(Error),
}

/// Files.
#[derive(Clone, PartialEq, Eq, Serialize, prost::Message)]
#[serde(rename_all = "camelCase")]
pub struct Descriptors {
    /// Each encoded.
    #[prost(bytes = "vec", repeated, tag = "1")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub file_descriptor_proto: Vec<Vec<u8>>,
}

/// The extensions of a message.
#[derive(Clone, PartialEq, Eq, Serialize, prost::Message)]
#[serde(rename_all = "camelCase")]
pub struct Extensions {
    /// The message.
    #[prost(string, tag = "1")]
    pub base_type_name: String,
}

/// Services.
#[derive(Clone, PartialEq, Eq, Serialize, prost::Message)]
pub struct Services {
    /// By their names.
    #[prost(message, repeated, tag = "1")]
    pub service: Vec<ServiceName>,
}

/// A service.
#[derive(Clone, PartialEq, Eq, Serialize, prost::Message)]
pub struct ServiceName {
    /// Its full name.
    #[prost(string, tag = "1")]
    pub name: String,
}

/// The reason why there is no answer.
#[derive(Clone, PartialEq, Eq, Serialize, prost::Message)]
#[serde(rename_all = "camelCase")]
pub struct Error {
    /// The code of a status.
    #[prost(int32, tag = "1")]
    pub error_code: i32,
    /// The message.
    #[prost(string, tag = "2")]
    pub error_message: String,
}

/// One stream of questions: a file that another one uses is sent once.
#[derive(Debug, Default)]
pub struct Reflection {
    sent: BTreeSet<&'static str>,
}

impl Reflection {
    /// Answers a question.
    ///
    /// # Errors
    /// [`Refusal::NoQuestion`].
    pub fn answer(&mut self, request: Request) -> Result<Response, Refusal> {
        let defining = |symbol: &str| FILES.iter().find(|it| it.defines(symbol));
        let answer = match request.question.as_ref().ok_or(Refusal::NoQuestion)? {
            Question::FileByFilename(name) => self.files(FILES.iter().find(|it| it.name == *name)),
            Question::FileContainingSymbol(symbol) => self.files(defining(symbol)),
            // No message here has extensions.
            Question::FileContainingExtension(_) => not_found(),
            Question::AllExtensionNumbersOfType(name) => match defining(name) {
                Some(_) => Answer::AllExtensionNumbersResponse(Extensions { base_type_name: name.clone() }),
                None => not_found(),
            },
            Question::ListServices(_) => {
                let names: BTreeSet<&String> = FILES.iter().flat_map(|it| &it.services).collect();
                let service = names.into_iter().map(|name| ServiceName { name: name.clone() }).collect();
                Answer::ListServicesResponse(Services { service })
            }
        };
        let valid_host = request.host.clone();
        Ok(Response { valid_host, original_request: Some(request), answer: Some(answer) })
    }

    fn files(&mut self, file: Option<&'static File>) -> Answer {
        let Some(file) = file else { return not_found() };
        let mut found = Descriptors::default();
        let mut queue = VecDeque::from([file]);
        while let Some(file) = queue.pop_front() {
            let is_new = self.sent.insert(&file.name);
            if found.file_descriptor_proto.is_empty() || is_new {
                found.file_descriptor_proto.push(file.encoded.clone());
            }
            queue.extend(file.imports.iter().filter_map(|name| FILES.iter().find(|it| it.name == *name)));
        }
        Answer::FileDescriptorResponse(found)
    }
}

fn not_found() -> Answer {
    Answer::ErrorResponse(Error { error_code: CODE_NOT_FOUND, error_message: NOT_FOUND.to_owned() })
}
