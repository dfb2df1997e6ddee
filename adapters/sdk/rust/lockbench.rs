//! Lockbench's protocol for a lock in Rust. One file; it needs serde_json and libc:
//!
//! ```
//! mod lockbench;
//! fn main() {
//!     lockbench::run(MyLock::new, &[("my-crate", "1.2.3")]) // connect; write no key
//! }
//! ```
//!
//! Orders are carried out one after another by one thread. A client may give up a call, as a future
//! is dropped: the lock asks `given_up(n)`, or selects on `GivenUp(n)`, and returns `CANCELLED`.
#![allow(dead_code)]

use serde_json::{json, Map, Value};
use std::collections::HashSet;
use std::io::{BufRead, Write};
use std::sync::{mpsc, Mutex, OnceLock};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use std::{fs::File, future::Future, os::fd::FromRawFd, pin::Pin, thread};

const PROTOCOL: u64 = 1;
const TICK: i64 = 10_000_000; // ns: the ticker's period,
const LATE: i64 = 20_000_000; // and how late it is a gap

/// A lock under test. n names an acquisition; with a re-entrant lock n=2 is acquired while n=1 is
/// held.
pub trait Lock: Send + 'static {
    /// Waits for so long; zero is one try, None as long as the library does by itself.
    fn acquire(&mut self, n: u64, keys: &[String], wait: Option<Duration>)
        -> Result<Grant, Error>;
    /// As acquire, in the shared mode of a lock that declares one.
    fn acquire_shared(&mut self, _n: u64, _keys: &[String], _wait: Option<Duration>)
        -> Result<Grant, Error> {
        Err(Error::Failed("this lock has no shared mode".into()))
    }
    fn release(&mut self, n: u64) -> Result<(), Error>;
    fn extend(&mut self, _n: u64) -> Result<Grant, Error> {
        Err(Error::Failed("this lock has no extend".into()))
    }
}

/// What the library says of a hold: for how long it is still valid, and a fencing token.
#[derive(Default)]
pub struct Grant {
    pub valid_for: Option<Duration>,
    pub token: Option<u64>,
}

pub enum Error {
    /// Nothing was acquired, for sure: taken (the library said so after replies that left no
    /// doubt), gave-up (it waited in vain), unreachable, server-refused.
    Refused(&'static str),
    /// The library says that the hold was over.
    NotOwner(String),
    /// The outcome is unknown.
    Failed(String),
}

impl<E: std::error::Error> From<E> for Error {
    fn from(e: E) -> Self {
        Error::Failed(format!("{}: {e}", std::any::type_name::<E>()))
    }
}

/// The client gave up the call, and the lock holds nothing.
pub const CANCELLED: Error = Error::Refused("cancelled");

/// The call that the client gave up last, and who waits for that.
static GIVEN_UP: Mutex<(u64, Option<Waker>)> = Mutex::new((0, None));

/// Whether the client has given up call n.
pub fn given_up(n: u64) -> bool {
    GIVEN_UP.lock().unwrap().0 == n
}

/// A future that is ready when the client has given up call n.
pub struct GivenUp(pub u64);

impl Future for GivenUp {
    type Output = ();
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut last = GIVEN_UP.lock().unwrap();
        if last.0 == self.0 {
            return Poll::Ready(());
        }
        last.1 = Some(cx.waker().clone());
        Poll::Pending
    }
}

fn give_up(n: u64) {
    let mut last = GIVEN_UP.lock().unwrap();
    last.0 = n;
    if let Some(w) = last.1.take() {
        w.wake()
    }
}

/// What the harness gives. What is None is left as the library has it.
pub struct Config {
    pub redis: Vec<String>, // host:port, one for each independent Redis
    pub keys: Vec<String>,
    pub ttl: Option<Duration>,
    pub poll: Option<Duration>,
    pub timeout: Option<Duration>,
    pub retries: Option<u64>,
    pub options: Map<String, Value>,
}

impl Config {
    fn of(c: &Value) -> Result<Config, Error> {
        if c["protocol"] != PROTOCOL {
            let was = &c["protocol"];
            let err = format!("this adapter speaks protocol {PROTOCOL}, not {was}");
            return Err(Error::Failed(err));
        }
        let options = c["options"].as_object().cloned().unwrap_or_default();
        let ms = |name: &str| c[name].as_u64().map(Duration::from_millis);
        Ok(Config {
            redis: texts(&c["redis"]),
            keys: texts(&c["keys"]),
            ttl: ms("ttl_ms"),
            poll: ms("poll_ms"),
            timeout: ms("client_timeout_ms"),
            retries: c["client_retries"].as_u64(),
            options,
        })
    }
}

/// Says unasked that the library told its holder that hold n is over, and how: callback, ...
pub fn lost(n: u64, by: &str) {
    say(json!({"is": "lost", "n": n, "t": now(), "by": by}));
}

/// Speaks the protocol until stdin ends, which ends the process.
pub fn run<L: Lock>(make: impl FnOnce(Config) -> Result<L, Error>, versions: &[(&str, &str)]) -> ! {
    open_out();
    let mut lines = std::io::stdin().lock().lines().map_while(Result::ok);
    let Some(first) = lines.next() else { end(0) };
    let config = serde_json::from_str(&first).map_err(Error::from);
    let lock = match config.and_then(|c| Config::of(&c)).and_then(make) {
        Ok(lock) => lock,
        Err(Error::Refused(err)) => broken(err),
        Err(Error::NotOwner(err) | Error::Failed(err)) => broken(&err),
    };
    let versions: Map<String, Value> =
        versions.iter().map(|(k, v)| (k.to_string(), json!(v))).collect();
    say(json!({"is": "ready", "pid": std::process::id(), "versions": versions}));
    if std::env::var_os("LOCKBENCH_PAGE").is_none() {
        thread::spawn(watch); // virtual time has no gaps
    }
    let (orders, owner) = mpsc::channel::<Value>();
    thread::spawn(move || own(lock, owner));
    for line in lines {
        let order: Value = serde_json::from_str(&line).unwrap_or_default();
        match order["do"].as_str() {
            Some("touch") => say(json!({"is": "touched", "n": order["n"], "t": now()})),
            Some("stop") => {}
            Some("cancel") => give_up(order["n"].as_u64().unwrap_or(0)),
            Some("acquire" | "release" | "extend") => orders.send(order).unwrap_or(()),
            _ => say(json!({"is": "unsupported", "op": order["do"]})),
        }
    }
    end(0) // the harness is gone: an acquire under way ends, too
}

/// The thread that acquires and releases.
fn own(mut lock: impl Lock, orders: mpsc::Receiver<Value>) {
    let mut held = HashSet::new();
    for order in orders {
        let (op, n) = (order["do"].as_str().unwrap_or(""), order["n"].as_u64().unwrap_or(0));
        say(json!({"is": "begun", "n": n, "op": op, "t": now()}));
        let done = match op {
            "acquire" => {
                let wait = order["wait_ms"].as_u64().map(Duration::from_millis);
                let keys = texts(&order["keys"]);
                match order["mode"].as_str() {
                    Some("shared") => lock.acquire_shared(n, &keys, wait),
                    _ => lock.acquire(n, &keys, wait),
                }
                .map(|g| ("acquired", g))
            }
            _ if !held.contains(&n) => Err(Error::Failed(format!("nothing is held under {n}"))),
            "release" => lock.release(n).map(|_| ("released", Grant::default())),
            _ => lock.extend(n).map(|g| ("extended", g)),
        };
        let t = now();
        match &done {
            Ok(("acquired", _)) => held.insert(n),
            _ => op != "extend" && held.remove(&n),
        };
        say(match done {
            Ok((is, g)) => granted(is, n, t, g),
            Err(Error::Refused(why)) => json!({"is": "refused", "n": n, "t": t, "why": why}),
            Err(Error::NotOwner(e)) => json!({"is": "not_owner", "n": n, "t": t, "err": cut(&e)}),
            Err(Error::Failed(e)) => json!({"is": "failed", "n": n, "t": t, "err": cut(&e)}),
        });
    }
}

fn granted(is: &str, n: u64, t: i64, g: Grant) -> Value {
    let mut answer = json!({"is": is, "n": n, "t": t});
    if let Some(d) = g.valid_for {
        answer["valid_until"] = json!(t + d.as_nanos() as i64);
    }
    if let Some(token) = g.token {
        answer["token"] = json!(token);
    }
    answer
}

/// Reports when the process did not run.
fn watch() {
    let mut last = now();
    loop {
        thread::sleep(Duration::from_nanos(TICK as u64));
        let t = now();
        if t - last - TICK > LATE {
            say(json!({"is": "gap", "t": t, "ns": t - last - TICK}));
        }
        last = t;
    }
}

/// CLOCK_MONOTONIC in nanoseconds, which all processes of a machine share.
pub fn now() -> i64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut t) };
    t.tv_sec * 1_000_000_000 + t.tv_nsec
}

static OUT: OnceLock<Mutex<File>> = OnceLock::new();

/// Only answers go to stdout: what a library prints goes to stderr.
fn open_out() {
    let out = unsafe { File::from_raw_fd(libc::dup(1)) };
    unsafe { libc::dup2(2, 1) };
    OUT.get_or_init(|| Mutex::new(out));
}

fn say(answer: Value) {
    let mut out = OUT.get().unwrap().lock().unwrap();
    if out.write_all(format!("{answer}\n").as_bytes()).is_err() {
        end(0)
    }
}

fn broken(err: &str) -> ! {
    say(json!({"is": "broken", "err": cut(err)}));
    end(1)
}

fn end(code: i32) -> ! {
    unsafe { libc::_exit(code) }
}

fn texts(v: &Value) -> Vec<String> {
    let all = v.as_array().into_iter().flatten();
    all.filter_map(|s| s.as_str().map(String::from)).collect()
}

fn cut(s: &str) -> String {
    s.chars().take(300).collect()
}
