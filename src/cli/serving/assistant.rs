//! The port of assistants that `olmdex serve --mcp` opens.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use super::mcp::About;
use crate::cli::terminal::error::CommandError;
use crate::index::Index;
use crate::mcp::HttpAssistant;
use crate::serve::network::{Answering, OwnPort, body};

/// The port for assistants that ask about the served catalogs.
pub(super) struct AssistantPort {
    about: About,
    address: SocketAddr,
    assistant: Mutex<Option<Arc<HttpAssistant>>>,
}

impl AssistantPort {
    pub(super) fn new(about: About, address: SocketAddr) -> Self {
        Self { about, address, assistant: Mutex::default() }
    }

    /// Answers about these catalogs from now on.
    pub(super) fn ask(&self, index: Index) -> Result<(), CommandError> {
        let world = self.about.world(index)?;
        let mut assistant = self.assistant.lock().unwrap_or_else(PoisonError::into_inner);
        match &*assistant {
            Some(assistant) => assistant.replace(world),
            None => *assistant = Some(Arc::new(HttpAssistant::new(world))),
        }
        Ok(())
    }

    /// The port, once there are catalogs.
    pub(super) fn port(&self) -> Option<OwnPort> {
        let assistant = self.assistant.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let respond = move |request| -> Answering {
            let assistant = Arc::clone(&assistant);
            Box::pin(async move { assistant.respond(request).await.map(body) })
        };
        Some(OwnPort { protocol: "MCP", address: self.address, option: "--mcp", respond: Arc::new(respond) })
    }
}
