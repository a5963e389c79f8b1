//! A real browser, driven by the protocol of WebDriver: Chromium and its driver, from Debian's packages `chromium` and
//! `chromium-driver`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// WebDriver's key for an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser with one window.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    /// How many links and buttons were clicked, and forms sent, since the last [`Browser::open`].
    pub n_clicks: usize,
}

impl Browser {
    /// Starts a browser with its profile in `directory`.
    pub fn start(directory: &Path, has_script: bool) -> Self {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .env("TMPDIR", directory)
            .env("HOME", directory)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is installed");
        let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let mut lines = lines.map_while(Result::ok);
        let port = lines.find_map(|it| it.split_once("successfully on port ")?.1.trim_end_matches('.').parse().ok());
        std::thread::spawn(move || lines.for_each(drop));
        let mut browser = Self { driver, port: port.unwrap(), session: String::new(), n_clicks: 0 };
        let scripts = if has_script { 1 } else { 2 };
        let profile = format!("--user-data-dir={}", directory.join(format!("profile-{has_script}")).display());
        let answer = browser.send(
            "POST",
            "/session",
            &json!({"capabilities": {"alwaysMatch": {"goog:chromeOptions": {
                "args": ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
                    "--disable-background-networking", "--disable-component-update", "--disable-sync", profile],
                "prefs": {"profile.managed_default_content_settings.javascript": scripts},
            }}}}),
        );
        browser.session = answer["sessionId"].as_str().expect("a session").to_owned();
        // A form that a key sends may take a while to answer.
        browser.ask("/timeouts", &json!({"implicit": 5_000}));
        browser
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{body}",
            self.port,
            body.len()
        )
        .unwrap();
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut text = vec![0; length];
        reader.read_exact(&mut text).unwrap();
        let answer: Value = serde_json::from_slice(&text).unwrap();
        assert!(answer["value"].get("error").is_none(), "{method} {path}: {}", answer["value"]);
        answer["value"].clone()
    }

    fn ask(&self, path: &str, body: &Value) -> Value {
        self.send("POST", &format!("/session/{}{path}", self.session), body)
    }

    /// A command of the protocol of Chromium's developer tools.
    fn tools(&self, command: &str, parameters: &Value) {
        self.ask("/goog/cdp/execute", &json!({"cmd": command, "params": parameters}));
    }

    /// The size of the page, and light or dark.
    pub fn look(&self, width: u32, height: u32, scheme: &str) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.tools("Emulation.setDeviceMetricsOverride", &size);
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.tools("Emulation.setEmulatedMedia", &features);
    }

    /// Goes to an address.
    pub fn open(&mut self, url: &str) {
        self.n_clicks = 0;
        self.ask("/url", &json!({"url": url}));
    }

    /// The value that a script returns.
    pub fn run(&self, script: &str) -> Value {
        self.ask("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// The value that a script passes to its last argument, a function.
    pub fn wait_for(&self, script: &str) -> Value {
        self.ask("/execute/async", &json!({"script": script, "args": []}))
    }

    fn find(&self, selector: &str) -> String {
        let found = self.ask("/element", &json!({"using": "css selector", "value": selector}));
        found[ELEMENT].as_str().unwrap().to_owned()
    }

    fn find_link(&self, words: &str) -> String {
        let found = self.ask("/element", &json!({"using": "link text", "value": words}));
        found[ELEMENT].as_str().unwrap().to_owned()
    }

    /// Clicks the first element that a selector finds.
    pub fn click(&mut self, selector: &str) {
        let element = self.find(selector);
        self.click_on(&element);
    }

    /// Clicks the link with these words.
    pub fn follow(&mut self, words: &str) {
        let element = self.find_link(words);
        self.click_on(&element);
    }

    fn click_on(&mut self, element: &str) {
        self.n_clicks += 1;
        self.ask(&format!("/element/{element}/click"), &json!({}));
    }

    /// Types into the first element that a selector finds. A line break sends the form, which counts as a click.
    pub fn type_into(&mut self, selector: &str, text: &str) {
        self.n_clicks += text.matches('\n').count();
        let element = self.find(selector);
        // The code of the Enter key in WebDriver.
        let text = text.replace('\n', "\u{e007}");
        self.ask(&format!("/element/{element}/value"), &json!({"text": text}));
    }

    /// Presses keys, whatever has the focus.
    pub fn press(&self, keys: &str) {
        let each = keys.chars().flat_map(|it| {
            let key = it.to_string();
            [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})]
        });
        let actions = json!({"actions": [{"type": "key", "id": "keys", "actions": each.collect::<Vec<_>>()}]});
        self.ask("/actions", &actions);
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        self.send("GET", &format!("/session/{}/url", self.session), &Value::Null).as_str().unwrap().to_owned()
    }

    /// Whether the page shows some words, as soon as it is there: a form may be on its way when its button was clicked.
    pub fn shows(&self, words: &str) -> bool {
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        loop {
            if self.text().contains(words) {
                return true;
            }
            if std::time::Instant::now() > deadline {
                return false;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }

    /// The text of the page that can be seen.
    pub fn text(&self) -> String {
        // In one step: a page that is on its way would replace an element between two.
        self.run("return document.body.innerText").as_str().unwrap().to_owned()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !std::thread::panicking() && !self.session.is_empty() {
            self.send("DELETE", &format!("/session/{}", self.session), &Value::Null);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
