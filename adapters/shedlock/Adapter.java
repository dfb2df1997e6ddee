import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** ShedLock on Redis, by Spring Data and Lettuce. It never waits: a wait is one try. */
final class Adapter implements Lockbench.Lock {
    private final Map<Integer, SimpleLock> held = new ConcurrentHashMap<>();
    private final LockProvider provider;
    private final Duration ttl;

    public static void main(String[] args) {
        Lockbench.run(Adapter::new, Map.of("shedlock", "7.10.1", "spring-data-redis",
                LettuceConnectionFactory.class.getPackage().getImplementationVersion()));
    }

    Adapter(Lockbench.Config c) {
        ttl = Duration.ofMillis(c.ttl());
        provider = new RedisLockProvider.Builder(connect(c))
                .safeUpdate(c.option("safe_update").equals("true")).build();
    }

    private static LettuceConnectionFactory connect(Lockbench.Config c) {
        var client = LettuceClientConfiguration.builder();
        if (c.timeout() != null) {
            client.commandTimeout(Duration.ofMillis(c.timeout()));
        }
        LettuceConnectionFactory factory;
        if (c.sentinels() == null) {
            RedisNode node = RedisNode.fromString(c.redis().get(0));
            var server = new RedisStandaloneConfiguration(node.getHost(), node.getPort());
            factory = new LettuceConnectionFactory(server, client.build());
        } else {
            var sentinels = new RedisSentinelConfiguration().master(c.master());
            c.sentinels().forEach(s -> sentinels.sentinel(RedisNode.fromString(s)));
            factory = new LettuceConnectionFactory(sentinels, client.build());
        }
        factory.afterPropertiesSet();
        factory.start();
        factory.getConnection().ping();
        return factory;
    }

    @Override
    public Lockbench.Grant acquire(int n, List<String> keys, Long wait) throws Exception {
        held.put(n, provider
                .lock(new LockConfiguration(Instant.now(), keys.get(0), ttl, Duration.ZERO))
                .orElseThrow(() -> new Lockbench.Refused("taken")));
        return null;
    }

    /** It says nothing of a hold that was over, but after an extend that failed it throws. */
    @Override
    public void release(int n) throws Exception {
        try {
            held.remove(n).unlock();
        } catch (IllegalStateException e) {
            throw new Lockbench.NotOwner(e);
        }
    }

    @Override
    public Lockbench.Grant extend(int n) throws Exception {
        held.put(n, held.get(n).extend(ttl, Duration.ZERO)
                .orElseThrow(() -> new Lockbench.NotOwner(new Exception("extend says empty"))));
        return null;
    }
}
