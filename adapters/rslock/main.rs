//! rslock over one Redis or several. Its refusal means a quorum that said no or did not answer
//! alike, so that it is "gave-up", never "taken"; its release says nothing.
mod lockbench;

use lockbench::{Config, Error, Grant};
use rslock::{Lock, LockError, LockManager};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

struct RsLock {
    runtime: Runtime,
    manager: LockManager,
    once: LockManager, // tries once
    ttl: Duration,
    held: HashMap<u64, Lock>,
}

fn main() {
    lockbench::run(RsLock::new, &[("rslock", "0.10.0"), ("redis-rs", "1.8.1")])
}

impl RsLock {
    fn new(c: Config) -> Result<Self, Error> {
        let runtime = Runtime::new()?;
        for address in &c.redis {
            std::net::TcpStream::connect(address)?; // rslock keeps it to itself
        }
        let uris: Vec<_> = c.redis.iter().map(|address| format!("redis://{address}")).collect();
        let mut manager = LockManager::new(uris);
        if let Some(poll) = c.poll {
            manager.set_retry(3, poll);
        }
        runtime.block_on(manager.query_redis_for_key_value(b"warm-up"))?;
        let mut once = manager.clone();
        once.set_retry(1, Duration::ZERO);
        let ttl = c.ttl.unwrap_or(Duration::from_secs(10)); // lock demands one
        Ok(RsLock { runtime, manager, once, ttl, held: HashMap::new() })
    }
}

impl lockbench::Lock for RsLock {
    /// lock() tries three times; acquire() calls it for ever, and this until the wait is over.
    fn acquire(&mut self, n: u64, keys: &[String], wait: Option<Duration>)
        -> Result<Grant, Error> {
        let begun = Instant::now();
        let manager = if wait == Some(Duration::ZERO) { &self.once } else { &self.manager };
        loop {
            match self.runtime.block_on(manager.lock(keys[0].as_bytes(), self.ttl)) {
                Ok(lock) => {
                    let grant = grant(&lock);
                    self.held.insert(n, lock);
                    return Ok(grant);
                }
                Err(LockError::Unavailable) if wait.is_some_and(|w| begun.elapsed() >= w) => {
                    return Err(Error::Refused("gave-up"));
                }
                Err(LockError::Unavailable) => {}
                Err(e) => return Err(e.into()), // TtlExceeded: keys may be left behind
            }
        }
    }

    fn release(&mut self, n: u64) -> Result<(), Error> {
        let lock = self.held.remove(&n).unwrap();
        self.runtime.block_on(lock.release());
        Ok(())
    }

    /// When it fails the library releases the lock.
    fn extend(&mut self, n: u64) -> Result<Grant, Error> {
        match self.runtime.block_on(self.manager.extend(&self.held[&n], self.ttl)) {
            Ok(lock) => {
                let grant = grant(&lock);
                self.held.insert(n, lock);
                Ok(grant)
            }
            Err(LockError::Unavailable) => Err(Error::NotOwner("LockError::Unavailable".into())),
            Err(e) => Err(e.into()),
        }
    }
}

fn grant(lock: &Lock) -> Grant {
    let valid_for = Some(Duration::from_millis(lock.validity_time as u64));
    Grant { valid_for, token: None }
}
