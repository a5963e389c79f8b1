//! The SDK's own client asks the server.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::sync::Arc;

use olmdex_fbc::Input;
use olmdex_index::{Builder, CatalogSpec, Mode};
use olmdex_mcp::{World, serve_streams};
use olmdex_text::calendar::Day;
use rmcp::ServiceExt as _;
use rmcp::model::{CallToolRequestParams, ReadResourceRequestParams};
use serde_json::json;

const CATALOG: &str = "\
schema: olm.package
name: till
defaultChannel: stable
---
schema: olm.channel
package: till
name: stable
entries:
- name: till.v1.0.0
- {name: till.v1.1.0, replaces: till.v1.0.0}
---
schema: olm.bundle
package: till
name: till.v1.0.0
image: example.com/till:1
properties: [{type: olm.package, value: {packageName: till, version: 1.0.0}}]
---
schema: olm.bundle
package: till
name: till.v1.1.0
image: example.com/till:2
properties: [{type: olm.package, value: {packageName: till, version: 1.1.0}}]
";

fn world() -> World {
    let mut builder = Builder::in_memory();
    let spec = CatalogSpec { name: "shop".to_owned(), source: "shop".to_owned(), ..CatalogSpec::default() };
    let input = Input::bytes("till.yaml", Arc::from(CATALOG.as_bytes()));
    builder.add_catalog(&spec, &input, Mode::Tolerant).unwrap();
    World::new(builder.into_index().unwrap(), || Day::of_unix(0))
}

#[tokio::test]
async fn the_client_of_the_sdk_lists_asks_and_reads() {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(ours);
    let server = tokio::spawn(serve_streams(Arc::new(world()), input, output));
    let client = ().serve(theirs).await.unwrap();

    let tools = client.list_all_tools().await.unwrap();
    assert_eq!(tools.iter().map(|it| &*it.name).collect::<Vec<_>>(), olmdex_mcp::names());

    let arguments = json!({"name": "till@1.0.0"}).as_object().cloned().unwrap();
    let asked = CallToolRequestParams::new("updates").with_arguments(arguments);
    let answer = client.call_tool(asked).await.unwrap();
    let structured = answer.structured_content.unwrap();
    assert_eq!(structured["kind"], "Updates");
    assert!(structured["items"].to_string().contains("till.v1.1.0"), "{structured}");
    assert_eq!(structured["page"]["command"], "olmdex updates -o json till@1.0.0");

    assert!(client.call_tool(CallToolRequestParams::new("show")).await.is_err(), "a name is missing");

    let resources = client.list_all_resources().await.unwrap();
    assert_eq!(resources.len(), 2);
    let read = client.read_resource(ReadResourceRequestParams::new("olmdex://catalogs/shop/packages")).await.unwrap();
    assert!(format!("{read:?}").contains("PackageList: 1 item"), "{read:?}");

    client.cancel().await.unwrap();
    server.await.unwrap().unwrap();
}
