//! `olmdex serve` as a process, and questions to it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};

/// A server on free ports.
pub struct Server {
    child: Child,
    /// The address of gRPC.
    pub grpc: String,
    /// The address of HTTP.
    pub http: String,
}

impl Server {
    pub fn start(scratch: &Path, arguments: &[&str]) -> Self {
        Self::start_in(scratch, arguments, None)
    }

    /// Starts a server with a variable of the environment.
    pub fn start_in(scratch: &Path, arguments: &[&str], variable: Option<(&str, &str)>) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_olmdex"))
            .arg("serve")
            .args(arguments)
            .args(["-p", "0", "--http", "127.0.0.1:0"])
            .env("TMPDIR", scratch)
            .envs(variable)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut address = |protocol: &str| {
            let line = lines.next().unwrap().unwrap();
            line.split_once(protocol).unwrap().1.split(' ').next().unwrap().to_owned()
        };
        let (grpc, http) = (address("gRPC on "), address("HTTP on "));
        // The server would end if it wrote to a closed pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, grpc, http }
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its own resident memory, in MiB. The program's pages are not counted: they depend on how it was built (56 MiB
    /// without optimisation).
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status.lines().find_map(|it| it.strip_prefix("RssAnon:")).unwrap();
        line.split_whitespace().next().unwrap().parse::<u64>().unwrap() >> 10
    }

    /// An answer over HTTP: head and body.
    pub fn get(&self, target: &str, headers: &str) -> (String, String) {
        self.send("GET", target, "localhost", headers)
    }

    pub fn send(&self, method: &str, target: &str, host: &str, headers: &str) -> (String, String) {
        self.send_body(method, target, host, headers, b"")
    }

    pub fn send_body(&self, method: &str, target: &str, host: &str, headers: &str, body: &[u8]) -> (String, String) {
        let mut stream = TcpStream::connect(&self.http).unwrap();
        write!(stream, "{method} {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n").unwrap();
        // The server may close the connection before it has read the whole body.
        let _ = stream.write_all(body);
        let mut text = Vec::new();
        stream.read_to_end(&mut text).unwrap();
        let text = String::from_utf8_lossy(&text).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }

    /// An answer over gRPC: the status, and the messages with their frames.
    pub fn call(&self, path: &str, message: &[u8]) -> (String, Vec<u8>) {
        self.call_with(path, message, None)
    }

    /// The same with a header more.
    pub fn call_with(&self, path: &str, message: &[u8], header: Option<(&str, &str)>) -> (String, Vec<u8>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            call_over(tokio::net::TcpStream::connect(&self.grpc).await.unwrap(), path, message, header).await
        })
    }

    /// An answer over gRPC of the server at an address.
    pub fn call_at(address: &str, path: &str, message: &[u8]) -> (String, Vec<u8>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            call_over(tokio::net::TcpStream::connect(address).await.unwrap(), path, message, None).await
        })
    }

    /// Tells it to read the catalogs again.
    pub fn hang_up(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::HUP).unwrap();
    }

    /// Ends it as a cluster does.
    pub fn terminate(mut self) -> Option<i32> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer over gRPC, over an existing connection.
pub async fn call_over<S>(stream: S, path: &str, message: &[u8], header: Option<(&str, &str)>) -> (String, Vec<u8>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut frame = vec![0];
    frame.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
    frame.extend(message);
    let (mut client, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let mut request = hyper::Request::post(format!("http://localhost{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers");
    if let Some((name, value)) = header {
        request = request.header(name, value);
    }
    let request = request.body(Full::new(Bytes::from(frame))).unwrap();
    let (head, body) = client.send_request(request).await.unwrap().into_parts();
    let body = body.collect().await.unwrap();
    let status = body.trailers().and_then(|it| it.get("grpc-status")).or(head.headers.get("grpc-status"));
    let status = status.unwrap().to_str().unwrap().to_owned();
    (status, body.to_bytes().to_vec())
}
