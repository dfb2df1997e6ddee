import java.util.List;
import redis.clients.jedis.Jedis;

/** The document's class, used as its main() does. The option finally is main()'s finally block. */
public final class Posted implements Lockbench.Lock {
    private final DistributedLockHandler handler;
    private final boolean releasesInFinally;
    private String lockKey;

    public Posted(Lockbench.Config c) {
        if (c.ttl() != null) {
            System.setProperty("lock.timeout", c.ttl().toString());
        }
        releasesInFinally = c.option("finally").equals("true");
        String[] at = c.redis().get(0).split(":");
        Jedis jedis = c.timeout() == null ? new Jedis(at[0], Integer.parseInt(at[1]))
                : new Jedis(at[0], Integer.parseInt(at[1]), c.timeout().intValue());
        jedis.ping();
        handler = new DistributedLockHandler().setJedis(jedis);
    }

    /** It says false after its time-out and after any exception alike. 5 s is main()'s. */
    @Override
    public Lockbench.Grant acquire(int n, List<String> keys, Long wait) throws Exception {
        lockKey = keys.get(0);
        if (handler.tryLock(lockKey, wait == null ? Long.valueOf(5) : Long.valueOf(wait / 1000))) {
            return null;
        }
        if (releasesInFinally) {
            try {
                handler.realseLock(lockKey);
            } catch (Exception e) {
                System.err.println("in finally: " + e);
            }
        }
        throw new Lockbench.Refused("gave-up");
    }

    /** Without a key Long.valueOf(null) throws, which is all that it says of a lost hold. */
    @Override
    public void release(int n) throws Exception {
        try {
            handler.realseLock(lockKey);
        } catch (NumberFormatException e) {
            throw new Lockbench.NotOwner(e);
        }
    }
}
