import java.util.List;
import redis.clients.jedis.Jedis;

/**
 * The lock that D000 §4 describes, written anew: it sends the document's commands in the document's
 * order and compares as the document does. The key holds the time at which the lease ends. The
 * option finally releases after a refused call, too, as the finally block of the document's main().
 */
public final class Posted implements Lockbench.Lock {
    /** The document adds its constant of 3, meant as seconds, to milliseconds (line 136). */
    private static final long POSTED_LEASE = 3;
    private static final long POSTED_WAIT_SECONDS = 5;
    private static final long PAUSE = 100;

    private final Jedis jedis;
    private final long lease;
    private final boolean releasesAfterRefusal;
    private String key;

    public Posted(Lockbench.Config c) {
        String[] at = c.redis().get(0).split(":");
        int port = Integer.parseInt(at[1]);
        jedis = c.timeout() == null ? new Jedis(at[0], port)
                : new Jedis(at[0], port, c.timeout().intValue());
        jedis.ping();
        lease = c.ttl() == null ? POSTED_LEASE : c.ttl();
        releasesAfterRefusal = c.option("finally").equals("true");
    }

    /** Refuses after its time-out and after any error alike, as the document does (line 112). */
    @Override
    public Lockbench.Grant acquire(int n, List<String> keys, Long wait) throws Exception {
        key = keys.get(0);
        if (takes(wait == null ? POSTED_WAIT_SECONDS : wait / 1000)) {
            return null;
        }
        if (releasesAfterRefusal) {
            try {
                free();
            } catch (Exception e) {
                System.err.println("release after a refusal: " + e);
            }
        }
        throw new Lockbench.Refused("gave-up");
    }

    /** A key that is gone makes the comparison throw: that is how this lock tells of a lost hold. */
    @Override
    public void release(int n) throws Exception {
        try {
            free();
        } catch (NumberFormatException e) {
            throw new Lockbench.NotOwner(e);
        }
    }

    private boolean takes(long seconds) {
        long start = System.currentTimeMillis();
        try {
            while ((System.currentTimeMillis() - start) / 1000 <= seconds) {
                if (takesOnce()) {
                    return true;
                }
                Thread.sleep(PAUSE);
            }
        } catch (Exception e) {
            System.out.println("the attempt failed: " + e);
        }
        return false;
    }

    private boolean takesOnce() {
        long now = System.currentTimeMillis();
        String end = String.valueOf(now + lease + 1);
        if (jedis.setnx(key, end) == 1) {
            return true;
        }
        return over(now) && now > Long.parseLong(jedis.getSet(key, end));
    }

    private void free() {
        if (!over(System.currentTimeMillis())) {
            jedis.del(key);
        }
    }

    private boolean over(long now) {
        return now > Long.parseLong(jedis.get(key));
    }
}
