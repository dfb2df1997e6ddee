import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/**
 * The smallest lock that is right on one Redis: SET NX PX, then compare and delete. Readers are
 * fields of a hash, whose lease each new one prolongs: a writer may wait for ever.
 */
final class Adapter implements Lockbench.Lock {
    private static final String SHARE = """
            if redis.call('type', KEYS[1]).ok == 'string' then return 0 end
            redis.call('hset', KEYS[1], ARGV[1], 1)
            return redis.call('pexpire', KEYS[1], ARGV[2])""";
    private static final String DELETE = """
            if redis.call('type', KEYS[1]).ok == 'hash' then
              return redis.call('hdel', KEYS[1], ARGV[1]) end
            if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
            return 0""";

    private record Hold(String key, String token) {}

    private final Map<Integer, Hold> held = new ConcurrentHashMap<>();
    private final RedisClient redis;
    private final long ttl, poll;

    public static void main(String[] args) {
        Lockbench.run(Adapter::new, Map.of("jedis", "8.0.2"));
    }

    Adapter(Lockbench.Config c) {
        redis = RedisClient.builder().hostAndPort(HostAndPort.from(c.redis().get(0))).build();
        redis.ping();
        ttl = c.ttl() == null ? 10_000 : c.ttl();
        poll = c.poll() == null ? 100 : c.poll();
    }

    @Override
    public Lockbench.Grant acquire(int n, List<String> keys, Long wait) throws Exception {
        return take(n, keys.get(0), wait, token ->
                redis.set(keys.get(0), token, SetParams.setParams().nx().px(ttl)) != null);
    }

    @Override
    public Lockbench.Grant acquireShared(int n, List<String> keys, Long wait) throws Exception {
        return take(n, keys.get(0), wait, token -> Long.valueOf(1).equals(
                redis.eval(SHARE, keys, List.of(token, Long.toString(ttl)))));
    }

    private Lockbench.Grant take(int n, String key, Long wait, Predicate<String> attempt)
            throws Exception {
        long end = System.nanoTime() + (wait == null ? 0 : wait * 1_000_000);
        String token = UUID.randomUUID().toString();
        while (!attempt.test(token)) {
            if (System.nanoTime() + poll * 1_000_000 > end) {
                throw new Lockbench.Refused(wait == null || wait == 0 ? "taken" : "gave-up");
            }
            Thread.sleep(poll);
        }
        held.put(n, new Hold(key, token));
        return null;
    }

    @Override
    public void release(int n) throws Exception {
        Hold h = held.remove(n);
        if (!Long.valueOf(1).equals(redis.eval(DELETE, List.of(h.key), List.of(h.token)))) {
            throw new Lockbench.NotOwner(new Exception("the key has another owner, or none"));
        }
    }
}
