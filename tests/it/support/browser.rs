//! A real browser, driven by the protocol of WebDriver: Chromium and its driver, from Debian's packages `chromium` and
//! `chromium-driver`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// WebDriver's key for an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// The code of the Shift key.
pub const SHIFT: &str = "\u{e008}";

/// The code of the Enter key.
pub const ENTER: &str = "\u{e007}";

/// Whether something becomes true within 20 seconds, a hundred times what it takes on an idle machine.
pub fn comes_true(is_true: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        if is_true() {
            return true;
        }
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

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
        let answer = self.answer_to(method, path, body);
        assert!(answer.get("error").is_none(), "{method} {path}: {answer}");
        answer
    }

    /// The driver's answer, which may be an error.
    fn answer_to(&self, method: &str, path: &str, body: &Value) -> Value {
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
        let mut answer: Value = serde_json::from_slice(&text).unwrap();
        answer["value"].take()
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

    /// Clicks the first element that a selector finds. The page stays.
    pub fn click(&mut self, selector: &str) {
        let element = self.find(selector);
        self.click_on(&element);
    }

    /// Clicks the button that a selector finds, which sends a form.
    pub fn submit(&mut self, selector: &str) {
        let element = self.find(selector);
        self.leave(|browser| browser.click_on(&element));
    }

    /// Clicks the link with these words.
    pub fn follow(&mut self, words: &str) {
        let element = self.find_link(words);
        self.leave(|browser| browser.click_on(&element));
    }

    /// Does what leads to another page, and waits until that page is complete: the driver returns from keys, and from
    /// some clicks, while the old page is still there.
    pub fn leave(&mut self, action: impl FnOnce(&mut Self)) {
        let before = self.address();
        self.run("document.isOld = true");
        action(self);
        let script = json!({"script": "return !document.isOld && document.readyState === 'complete'", "args": []});
        let path = format!("/session/{}/execute/sync", self.session);
        // A page that goes while the script runs is an error of the driver.
        assert!(comes_true(|| self.answer_to("POST", &path, &script) == true), "nothing leads from {before}");
    }

    fn click_on(&mut self, element: &str) {
        self.n_clicks += 1;
        self.ask(&format!("/element/{element}/click"), &json!({}));
    }

    /// Types into the first element that a selector finds, and sends its form, which counts as a click.
    pub fn send_form(&mut self, selector: &str, text: &str) {
        self.n_clicks += 1;
        let element = self.find(selector);
        let text = format!("{text}{ENTER}");
        self.leave(|browser| drop(browser.ask(&format!("/element/{element}/value"), &json!({"text": text}))));
    }

    /// Presses keys, whatever has the focus. The first one is held meanwhile if it is [`SHIFT`].
    pub fn press(&self, keys: &str) {
        let action = |kind: &str, key: &str| json!({"type": kind, "value": key});
        let held = keys.strip_prefix(SHIFT).map(|_| SHIFT);
        let keys = keys.strip_prefix(SHIFT).unwrap_or(keys).chars().map(String::from);
        let each = keys.flat_map(|key| [action("keyDown", &key), action("keyUp", &key)]);
        let each = held.map(|key| action("keyDown", key)).into_iter().chain(each);
        let all: Vec<Value> = each.chain(held.map(|key| action("keyUp", key))).collect();
        let actions = json!({"actions": [{"type": "key", "id": "keys", "actions": all}]});
        self.ask("/actions", &actions);
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        self.send("GET", &format!("/session/{}/url", self.session), &Value::Null).as_str().unwrap().to_owned()
    }

    /// Whether the page shows some words, which its script may add.
    pub fn shows(&self, words: &str) -> bool {
        comes_true(|| self.text().contains(words))
    }

    /// The text of the page that can be seen.
    pub fn text(&self) -> String {
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
