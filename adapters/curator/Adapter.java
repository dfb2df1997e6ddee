import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** InterProcessMutex of Apache Curator, or its lock that is not re-entrant. */
final class Adapter implements Lockbench.Lock {
    private final Map<String, InterProcessLock> locks = new ConcurrentHashMap<>();
    private final Map<Integer, InterProcessLock> held = new ConcurrentHashMap<>();
    private final CuratorFramework client;

    public static void main(String[] args) {
        Lockbench.run(Adapter::new, Map.of("curator", "5.9.0"));
    }

    Adapter(Lockbench.Config c) throws Exception {
        int session = c.ttl() == null || c.ttl() == 0 ? 60_000 : Math.toIntExact(c.ttl());
        int timeout = c.timeout() == null ? 15_000 : Math.toIntExact(c.timeout());
        client = CuratorFrameworkFactory.builder()
                .connectString(String.join(",", c.servers()))
                .sessionTimeoutMs(session).connectionTimeoutMs(Math.max(timeout, session))
                .retryPolicy(new ExponentialBackoffRetry(50, 3)).build();
        Set<ConnectionState> ends = c.option("ends").equals("suspended")
                ? Set.of(ConnectionState.SUSPENDED, ConnectionState.LOST)
                : Set.of(ConnectionState.LOST);
        client.getConnectionStateListenable().addListener((curator, state) -> {
            if (ends.contains(state)) {
                held.keySet().forEach(n -> Lockbench.lost(n, state.name()));
            }
        });
        client.start();
        if (!client.blockUntilConnected(30, TimeUnit.SECONDS)) {
            throw new Exception("no server of ZooKeeper can be reached");
        }
        for (String key : c.keys()) {
            locks.put(key, c.option("recipe").equals("semaphore")
                    ? new InterProcessSemaphoreMutex(client, "/" + key)
                    : new InterProcessMutex(client, "/" + key));
        }
    }

    @Override
    public Lockbench.Grant acquire(int n, List<String> keys, Long wait) throws Exception {
        InterProcessLock lock = locks.get(keys.get(0));
        if (wait == null) {
            lock.acquire();
        } else if (!lock.acquire(wait, TimeUnit.MILLISECONDS)) {
            throw new Lockbench.Refused("gave-up");
        }
        held.put(n, lock);
        return null;
    }

    /** A node that is gone is no error of Curator's: only a lock that it does not know is. */
    @Override
    public void release(int n) throws Exception {
        try {
            held.remove(n).release();
        } catch (IllegalMonitorStateException | IllegalStateException e) {
            throw new Lockbench.NotOwner(e);
        }
    }
}
