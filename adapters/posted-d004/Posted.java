import java.util.List;
import redis.clients.jedis.Jedis;

/**
 * The ways to lock and unlock that D004 describes, written anew: each sends the document's commands
 * with the document's constants, and reads the replies as it does. The name of the lock and the lease
 * are variables here. The options lock and unlock choose. The document tries once; a wait is made of
 * tries every 100 ms.
 */
public final class Posted implements Lockbench.Lock {
    private final Jedis jedis;
    private final String lock, unlock;
    private final Long ttl;
    private final long poll;
    private String lockKey;

    public Posted(Lockbench.Config c) {
        String[] at = c.redis().get(0).split(":");
        jedis = c.timeout() == null ? new Jedis(at[0], Integer.parseInt(at[1]))
                : new Jedis(at[0], Integer.parseInt(at[1]), c.timeout().intValue());
        jedis.ping();
        lock = c.option("lock");
        unlock = c.option("unlock");
        ttl = c.ttl();
        poll = c.poll() == null ? 100 : c.poll();
    }

    @Override
    public Lockbench.Grant acquire(int n, List<String> keys, Long wait) throws Exception {
        lockKey = keys.get(0);
        long end = System.nanoTime() + (wait == null ? 0 : wait * 1_000_000);
        while (!lock()) {
            if (System.nanoTime() + poll * 1_000_000 > end) {
                boolean sure = (wait == null || wait == 0) && !lock.equals("script");
                throw new Lockbench.Refused(sure ? "taken" : "gave-up");
            }
            Thread.sleep(poll);
        }
        return null;
    }

    private boolean lock() {
        switch (lock) {
            case "setnx-expire": { // §1.2, lines 34–38
                boolean taken = jedis.setnx(lockKey, "App1Lock") == 1;
                if (taken) {
                    jedis.expire(lockKey, ttl == null ? 10000 : seconds());
                }
                return taken;
            }
            case "script": { // §1.3, lines 45–57
                String script = "if redis.call('setnx', KEYS[1], KEYS[2]) == 1 then "
                        + "return redis.call('expire', ARGV[1], ARGV[2]) else return 0 end";
                String lease = ttl == null ? "20" : String.valueOf(seconds());
                return saysOne(jedis.eval(script, List.of(lockKey, "app-1-lock"),
                        List.of(lockKey, lease)));
            }
            default: // §1.1, lines 26–30
                return "OK".equals(Set.nxPx(jedis, lockKey, "requesId", ttl == null ? 20000 : ttl));
        }
    }

    /** Compares the reply with a string, as the document does: Jedis gives a number, never equal. */
    private static boolean saysOne(Object reply) {
        return "1".equals(reply);
    }

    private int seconds() {
        return (int) Math.ceil(ttl / 1000.0);
    }

    @Override
    public void release(int n) throws Exception {
        switch (unlock) {
            case "get-del": // §2.2, lines 68–71
                if ("app-1-lockKey".equals(jedis.get(lockKey))) {
                    jedis.del(lockKey);
                    return;
                }
                throw new Lockbench.NotOwner(new Exception("the value is not app-1-lockKey"));
            case "script": { // §2.3, lines 75–85
                String script = "if redis.call('get', KEYS[1]) == KEYS[2] then "
                        + "return redis.call('del', KEYS[1]) else return 0 end";
                if (!saysOne(jedis.eval(script, List.of(lockKey, "app-1-lock"), List.of()))) {
                    throw new Lockbench.NotOwner(new Exception("the reply is not \"1\""));
                }
                return;
            }
            default: // §2.1, line 64
                jedis.del(lockKey);
        }
    }
}
