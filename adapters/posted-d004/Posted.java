import java.util.LinkedList;
import java.util.List;
import redis.clients.jedis.Jedis;

/**
 * The ways to lock and unlock of D004, as posted, with its constants; the name of the lock and the
 * lease are variables here. The options lock and unlock choose. The document tries once; a wait is
 * made of tries every 100 ms.
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
                Long result = jedis.setnx(lockKey, "App1Lock");
                if (result == 1) {
                    jedis.expire(lockKey, ttl == null ? 10000 : seconds());
                    return true;
                }
                return false;
            }
            case "script": { // §1.3, lines 45–57
                String script = "if redis.call('setnx', KEYS[1], KEYS[2]) == 1 then "
                        + "return redis.call('expire', ARGV[1], ARGV[2]) else return 0 end";
                LinkedList<String> setnxMsg = new LinkedList<>();
                LinkedList<String> expireMsg = new LinkedList<>();
                setnxMsg.add(lockKey);
                setnxMsg.add("app-1-lock");
                expireMsg.add(lockKey);
                expireMsg.add(ttl == null ? "20" : String.valueOf(seconds())); // This is second.

                Object result = jedis.eval(script, setnxMsg, expireMsg);
                if ("1".equals(result)) {
                    return true;
                }
                return false;
            }
            default: { // §1.1, lines 26–30
                String result = Set.nxPx(jedis, lockKey, "requesId", ttl == null ? 20000 : ttl);
                if ("OK".equals(result)) {
                    return true;
                }
                return false;
            }
        }
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
                LinkedList<String> msgList = new LinkedList<>();
                msgList.add(lockKey);
                msgList.add("app-1-lock");

                Object result = jedis.eval(script, msgList, new LinkedList<>());
                if ("1".equals(result)) {
                    return;
                }
                throw new Lockbench.NotOwner(new Exception("\"1\".equals(result) is false"));
            }
            default: // §2.1, line 64
                jedis.del(lockKey);
        }
    }
}
