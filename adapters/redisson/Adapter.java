import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;

/**
 * The locks of Redisson. The option lock names one; watchdog gives no lease but a watchdog's time.
 */
final class Adapter implements Lockbench.Lock {
    private final List<RedissonClient> clients = new ArrayList<>();
    private final Map<Integer, RLock> held = new ConcurrentHashMap<>();
    private final String kind;
    private final long lease; // -1: none, so that the watchdog renews

    public static void main(String[] args) {
        Lockbench.run(Adapter::new,
                Map.of("redisson", Redisson.class.getPackage().getImplementationVersion()));
    }

    /** What a lock needs of each pool; a search looks at each thread after each message. */
    private static final int THREADS = 4;

    Adapter(Lockbench.Config c) {
        kind = c.option("lock");
        boolean watchdog = c.option("watchdog").equals("true") || c.ttl() == null;
        lease = watchdog ? -1 : c.ttl();
        int places = c.sentinels() == null ? c.redis().size() : 1;
        for (int i = 0; i < places; i++) {
            Config config = new Config();
            if (c.ttl() != null) { // not all of the library's defaults
                config.setThreads(THREADS).setNettyThreads(THREADS);
            }
            if (watchdog && c.ttl() != null) {
                config.setLockWatchdogTimeout(c.ttl());
            }
            if (c.sentinels() == null) {
                given(c, config.useSingleServer().setAddress("redis://" + c.redis().get(i)));
            } else {
                given(c, config.useSentinelServers().setMasterName(c.master()).addSentinelAddress(
                        c.sentinels().stream().map(s -> "redis://" + s).toArray(String[]::new)));
            }
            clients.add(Redisson.create(config));
        }
        warmUp();
    }

    private static void given(Lockbench.Config c, BaseConfig<?> config) {
        if (c.timeout() != null) {
            config.setTimeout(c.timeout().intValue());
            config.setConnectTimeout(c.timeout().intValue());
        }
        if (c.retries() != null) {
            config.setRetryAttempts(c.retries().intValue());
        }
    }

    /** The release of a lock that is not held writes nothing; it loads what an acquire needs. */
    private void warmUp() {
        for (RedissonClient client : clients) {
            try {
                client.getLock("lockbench:warm-up").unlock();
            } catch (IllegalMonitorStateException e) {
                // as it should be
            }
        }
    }

    private RLock lock(List<String> keys) {
        RedissonClient first = clients.get(0);
        return switch (kind) {
            case "fair" -> first.getFairLock(keys.get(0));
            case "spin" -> first.getSpinLock(keys.get(0));
            case "fenced" -> first.getFencedLock(keys.get(0));
            case "read-write" -> first.getReadWriteLock(keys.get(0)).writeLock();
            case "multi" -> first.getMultiLock(all(keys));
            case "red" -> first.getRedLock(all(keys));
            default -> first.getLock(keys.get(0));
        };
    }

    private RLock[] all(List<String> keys) {
        return keys.stream().flatMap(k -> clients.stream().map(c -> c.getLock(k)))
                .toArray(RLock[]::new);
    }

    @Override
    public Lockbench.Grant acquireShared(int n, List<String> keys, Long wait) throws Exception {
        return acquire(n, clients.get(0).getReadWriteLock(keys.get(0)).readLock(), wait);
    }

    @Override
    public Lockbench.Grant acquire(int n, List<String> keys, Long wait) throws Exception {
        return acquire(n, lock(keys), wait);
    }

    private Lockbench.Grant acquire(int n, RLock lock, Long wait) throws Exception {
        Long token = null;
        if (wait == null) {
            lock.lockInterruptibly(lease, TimeUnit.MILLISECONDS);
        } else if (lock instanceof RFencedLock fenced) {
            token = fenced.tryLockAndGetToken(wait, lease, TimeUnit.MILLISECONDS);
            if (token == null) {
                throw new Lockbench.Refused(wait == 0 ? "taken" : "gave-up");
            }
        } else if (!lock.tryLock(wait, lease, TimeUnit.MILLISECONDS)) {
            // A lock of several locks takes errors for refusals.
            boolean sure = wait == 0 && !kind.equals("multi") && !kind.equals("red");
            throw new Lockbench.Refused(sure ? "taken" : "gave-up");
        }
        held.put(n, lock);
        return new Lockbench.Grant(null, token);
    }

    @Override
    public void release(int n) throws Exception {
        try {
            held.remove(n).unlock();
        } catch (IllegalMonitorStateException e) {
            throw new Lockbench.NotOwner(e);
        }
    }
}
