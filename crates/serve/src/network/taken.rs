//! The body of a request. Only GraphQL has one: as much is read as it looks at, from a client that sends it soon.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::Body as _;
use hyper::body::Incoming;

use super::budget::Full;
use super::connections::Connection;
use super::state::Shared;
use crate::catalogd::MAX_BODY;

/// The time that a client may take to send a body; catalogd's limit.
const PATIENCE: Duration = Duration::from_secs(5);

/// The beginning of a body. A reader notices by itself that a body was cut, by its length or by time.
pub(super) async fn taken(
    shared: &Arc<Shared>,
    connection: &Arc<Connection>,
    mut body: Incoming,
) -> Result<Vec<u8>, Full> {
    let announced = body.size_hint().exact().and_then(|it| usize::try_from(it).ok());
    let max = announced.unwrap_or(MAX_BODY).min(MAX_BODY);
    let _held = shared.budget.hold(connection, max).await?;
    let mut bytes = Vec::new();
    let reading = async {
        while let Some(Ok(frame)) = body.frame().await {
            let Ok(data) = frame.into_data() else { continue };
            let room = MAX_BODY - bytes.len();
            bytes.extend_from_slice(data.get(..room).unwrap_or(&data));
            if bytes.len() == MAX_BODY {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(PATIENCE, reading).await;
    Ok(bytes)
}
