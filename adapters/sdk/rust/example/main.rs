//! The smallest lock that is right on one Redis: SET NX PX, then compare and delete. Readers are
//! fields of a hash, whose lease each new one prolongs: a writer may wait for ever.
mod lockbench;

use lockbench::{Config, Error, Grant};
use std::time::{Duration, Instant};
use std::{collections::HashMap, thread};

const SHARE: &str = "if redis.call('type', KEYS[1]).ok == 'string' then return 0 end
    redis.call('hset', KEYS[1], ARGV[1], 1)
    return redis.call('pexpire', KEYS[1], ARGV[2])";
const DELETE: &str = "if redis.call('type', KEYS[1]).ok == 'hash' then
    return redis.call('hdel', KEYS[1], ARGV[1]) end
    if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
    return 0";

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

    fn take(&mut self, n: u64, key: &str, wait: Option<Duration>,
        attempt: impl Fn(&mut redis::Client, &str) -> redis::RedisResult<bool>)
        -> Result<Grant, Error> {
        let end = Instant::now() + wait.unwrap_or_default();
        let token = format!("{}-{}", std::process::id(), lockbench::now()); // new for each acquire
        while !attempt(&mut self.redis, &token)? {
            if Instant::now() + self.poll > end {
                let once = wait.unwrap_or_default().is_zero();
                return Err(Error::Refused(if once { "taken" } else { "gave-up" }));
            }
            thread::sleep(self.poll);
        }
        self.held.insert(n, (key.to_string(), token));
        Ok(Grant::default())
    }
}

impl lockbench::Lock for Example {
    fn acquire(&mut self, n: u64, keys: &[String], wait: Option<Duration>)
        -> Result<Grant, Error> {
        let ttl = self.ttl.as_millis() as u64;
        self.take(n, &keys[0], wait, |redis, token| {
            let mut set = redis::cmd("SET");
            set.arg(&keys[0]).arg(token).arg("NX").arg("PX").arg(ttl);
            Ok(set.query::<Option<String>>(redis)?.is_some())
        })
    }

    fn acquire_shared(&mut self, n: u64, keys: &[String], wait: Option<Duration>)
        -> Result<Grant, Error> {
        let (script, ttl) = (redis::Script::new(SHARE), self.ttl.as_millis() as u64);
        self.take(n, &keys[0], wait, |redis, token| {
            script.key(&keys[0]).arg(token).arg(ttl).invoke(redis)
        })
    }

    fn release(&mut self, n: u64) -> Result<(), Error> {
        let (key, token) = self.held.remove(&n).unwrap();
        match redis::Script::new(DELETE).key(key).arg(token).invoke::<i64>(&mut self.redis)? {
            1 => Ok(()),
            _ => Err(Error::NotOwner("the key has another owner, or none".into())),
        }
    }
}
