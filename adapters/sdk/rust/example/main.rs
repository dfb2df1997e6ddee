//! The smallest lock that is right on one Redis: SET NX PX, then compare and delete.
mod lockbench;

use lockbench::{Config, Error, Grant};
use std::time::{Duration, Instant};
use std::{collections::HashMap, thread};

const DELETE: &str = "if redis.call('get', KEYS[1]) == ARGV[1] then
    return redis.call('del', KEYS[1]) end return 0";

struct Example {
    redis: redis::Client, // opens a connection for each command
    ttl: Duration,
    poll: Duration,
    held: HashMap<u64, (String, String)>,
}

fn main() {
    lockbench::run(Example::new, &[("redis-rs", "1.8.1")])
}

impl Example {
    fn new(c: Config) -> Result<Self, Error> {
        let mut redis = redis::Client::open(format!("redis://{}", c.redis[0]))?;
        redis::cmd("PING").exec(&mut redis)?;
        let ttl = c.ttl.unwrap_or(Duration::from_secs(10));
        let poll = c.poll.unwrap_or(Duration::from_millis(100));
        Ok(Example { redis, ttl, poll, held: HashMap::new() })
    }
}

impl lockbench::Lock for Example {
    fn acquire(&mut self, n: u64, keys: &[String], wait: Option<Duration>)
        -> Result<Grant, Error> {
        let end = Instant::now() + wait.unwrap_or_default();
        let token = format!("{}-{}", std::process::id(), lockbench::now()); // new for each acquire
        let mut set = redis::cmd("SET");
        set.arg(&keys[0]).arg(&token).arg("NX").arg("PX").arg(self.ttl.as_millis() as u64);
        while set.query::<Option<String>>(&mut self.redis)?.is_none() {
            if Instant::now() + self.poll > end {
                let once = wait.unwrap_or_default().is_zero();
                return Err(Error::Refused(if once { "taken" } else { "gave-up" }));
            }
            thread::sleep(self.poll);
        }
        self.held.insert(n, (keys[0].clone(), token));
        Ok(Grant::default())
    }

    fn release(&mut self, n: u64) -> Result<(), Error> {
        let (key, token) = self.held.remove(&n).unwrap();
        match redis::Script::new(DELETE).key(key).arg(token).invoke::<i64>(&mut self.redis)? {
            1 => Ok(()),
            _ => Err(Error::NotOwner("the key has another owner, or none".into())),
        }
    }
}
