//! A load for gRPC registries: calls per second, the time of each, and the memory of the server.
//!
//! ```text
//! cargo bench --bench serving                                          our own server, of a fixture
//! cargo bench --bench serving -- --source ../shared/catalogs/community-full
//! cargo bench --bench serving -- --address 127.0.0.1:50051 --pid PID   any server of the protocol
//! ```
//!
//! `--seconds N` sets the time of each measurement, `--clients N` the number of simultaneous connections in the last of
//! them, `--only METHOD` chooses one of the three methods.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "what is wrong ends the measurement; its report goes to the screen"
)]

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http2::SendRequest;
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message;
use tokio::task::JoinSet;

/// The first fields of the messages that the load reads.
#[derive(Clone, PartialEq, Message)]
struct Named {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, repeated, tag = "2")]
    channels: Vec<Channel>,
    #[prost(string, tag = "3")]
    default_channel: String,
}

#[derive(Clone, PartialEq, Message)]
struct Channel {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    head: String,
}

#[derive(Clone, PartialEq, Message)]
struct Question {
    #[prost(string, tag = "1")]
    first: String,
    #[prost(string, tag = "2")]
    second: String,
    #[prost(string, tag = "3")]
    third: String,
}

fn frame(message: &impl Message) -> Bytes {
    let mut out = vec![0];
    out.extend(u32::try_from(message.encoded_len()).unwrap().to_be_bytes());
    message.encode(&mut out).unwrap();
    out.into()
}

/// The messages of a body.
fn messages(mut body: Bytes) -> Vec<Bytes> {
    let mut out = Vec::new();
    while body.len() >= 5 {
        let len = u32::from_be_bytes([body[1], body[2], body[3], body[4]]) as usize;
        out.push(body.slice(5..5 + len));
        body = body.slice(5 + len..);
    }
    out
}

#[derive(Clone)]
struct Client {
    sender: SendRequest<Full<Bytes>>,
    address: Arc<str>,
}

impl Client {
    async fn connect(address: &str) -> Self {
        let stream = tokio::net::TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (sender, connection) = hyper::client::conn::http2::Builder::new(TokioExecutor::new())
            .initial_stream_window_size(4 << 20)
            .initial_connection_window_size(16 << 20)
            .handshake(TokioIo::new(stream))
            .await
            .unwrap();
        tokio::spawn(connection);
        Self { sender, address: address.into() }
    }

    /// One call. Returns its body, if the caller wants it. A failed call ends the whole measurement.
    async fn call(&self, method: &str, question: Bytes, is_kept: bool) -> Bytes {
        let mut sender = self.sender.clone();
        sender.ready().await.unwrap();
        let request = hyper::Request::post(format!("http://{}/api.Registry/{method}", self.address))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .body(Full::new(question))
            .unwrap();
        let (head, mut body) = sender.send_request(request).await.unwrap().into_parts();
        let mut status = head.headers.get("grpc-status").cloned();
        let mut kept = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.unwrap();
            status = frame.trailers_ref().and_then(|it| it.get("grpc-status")).cloned().or(status);
            if let Some(data) = frame.data_ref().filter(|_| is_kept) {
                kept.extend_from_slice(data);
            }
        }
        assert_eq!(status.unwrap(), "0", "{method}");
        kept.into()
    }
}

/// The load of a measurement.
struct Load {
    /// How long each measurement takes.
    time: Duration,
    /// The only method to call; `None` for all of them.
    only: Option<String>,
}

/// Calls for some time over so many streams of so many connections.
async fn measure(
    load: &Load,
    (clients, n_streams): (&[Client], usize),
    method: &'static str,
    questions: &Arc<Vec<Bytes>>,
) {
    if load.only.as_deref().is_some_and(|it| it != method) {
        return;
    }
    let time = load.time;
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for (idx, client) in clients.iter().enumerate() {
        for stream in 0..n_streams {
            let (client, questions) = (client.clone(), Arc::clone(questions));
            tasks.spawn(async move {
                let mut took = Vec::new();
                let mut n = idx * 31 + stream * 7;
                while start.elapsed() < time {
                    let before = Instant::now();
                    client.call(method, questions[n % questions.len()].clone(), false).await;
                    took.push(before.elapsed());
                    n += 1;
                }
                took
            });
        }
    }
    let mut took: Vec<Duration> = tasks.join_all().await.into_iter().flatten().collect();
    let elapsed = start.elapsed();
    took.sort_unstable();
    let at = |share: f64| took[((took.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!(
        "{method:<12} {:>3} connections x {n_streams:<3} {:>9.0}/s   median {:>8.2} ms   p99 {:>8.2} ms   {} calls",
        clients.len(),
        took.len() as f64 / elapsed.as_secs_f64(),
        at(0.5),
        at(0.99),
        took.len(),
    );
}

/// Resident memory of a process now and at most, in MiB.
fn memory(pid: u32) -> Option<(u64, u64)> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| -> Option<u64> {
        let line = status.lines().find_map(|it| it.strip_prefix(name))?;
        Some(line.split_whitespace().next()?.parse::<u64>().ok()? / 1024)
    };
    Some((field("VmRSS:")?, field("VmHWM:")?))
}

fn show_memory(pid: Option<u32>, when: &str) {
    if let Some((now, most)) = pid.and_then(memory) {
        println!("memory {when}: {now} MiB, at most {most} MiB");
    }
}

/// Our own server, which ends with the measurement.
struct Own(Child);

impl Drop for Own {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts our server, and returns its address.
fn start(source: &str) -> (Own, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_olmdex"))
        .args(["serve", source, "-p", "0"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let address = loop {
        let line = lines.next().expect("it serves").unwrap();
        if let Some((_, rest)) = line.split_once("gRPC on ") {
            break rest.split(' ').next().unwrap().to_owned();
        }
    };
    std::thread::spawn(move || lines.for_each(drop));
    (Own(child), address)
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let option = |name: &str| words.iter().position(|it| it == name).and_then(|at| words.get(at + 1)).cloned();
    let seconds: f64 = option("--seconds").map_or(1.0, |it| it.parse().unwrap());
    let n_clients: usize = option("--clients").map_or(16, |it| it.parse().unwrap());
    let load = Load { time: Duration::from_secs_f64(seconds), only: option("--only") };
    let begin = Instant::now();
    let mut own = None;
    let (address, pid) = match option("--address") {
        Some(address) => (address, option("--pid").map(|it| it.parse().unwrap())),
        None => {
            let (server, address) = start(&option("--source").unwrap_or_else(|| "fixtures/shop/in".to_owned()));
            let pid = server.0.id();
            own = Some(server);
            (address, Some(pid))
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = Client::connect(&address).await;
        let listed = messages(client.call("ListPackages", frame(&()), true).await);
        println!(
            "first answer {:.0} ms after the start, {} packages",
            begin.elapsed().as_secs_f64() * 1e3,
            listed.len()
        );
        show_memory(pid, "then");
        let (mut packages, mut bundles) = (Vec::new(), Vec::new());
        for bytes in listed {
            let name = Named::decode(bytes).unwrap().name;
            let question = frame(&Question { first: name.clone(), ..Question::default() });
            let answer = messages(client.call("GetPackage", question.clone(), true).await);
            packages.push(question);
            let package = Named::decode(answer[0].clone()).unwrap();
            if let Some(channel) = package.channels.iter().find(|it| it.name == package.default_channel) {
                let (second, third) = (channel.name.clone(), channel.head.clone());
                bundles.push(frame(&Question { first: name, second, third }));
            }
        }
        let (packages, bundles) = (Arc::new(packages), Arc::new(bundles));
        let list = Arc::new(vec![frame(&())]);
        for n_streams in [1, 16] {
            let one = std::slice::from_ref(&client);
            measure(&load, (one, n_streams), "GetPackage", &packages).await;
            measure(&load, (one, n_streams), "GetBundle", &bundles).await;
            measure(&load, (one, n_streams.min(4)), "ListBundles", &list).await;
        }
        let mut clients = vec![client];
        while clients.len() < n_clients {
            clients.push(Client::connect(&address).await);
        }
        measure(&load, (&clients, 1), "GetBundle", &bundles).await;
        measure(&load, (&clients, 1), "ListBundles", &list).await;
        show_memory(pid, "at the end");
    });
    drop(own);
}
