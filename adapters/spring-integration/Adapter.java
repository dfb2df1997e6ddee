import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** RedisLockRegistry of Spring Integration, on Lettuce. */
final class Adapter implements Lockbench.Lock {
    private final RedisLockRegistry registry;
    private String key; // one lock at a time; a re-entrant acquisition has the same key

    public static void main(String[] args) {
        Lockbench.run(Adapter::new, Map.of(
                "spring-integration-redis", version(RedisLockRegistry.class),
                "spring-data-redis", version(LettuceConnectionFactory.class)));
    }

    private static String version(Class<?> c) {
        return String.valueOf(c.getPackage().getImplementationVersion());
    }

    Adapter(Lockbench.Config c) {
        LettuceConnectionFactory factory = connect(c);
        registry = c.ttl() == null ? new RedisLockRegistry(factory, "lockbench")
                : new RedisLockRegistry(factory, "lockbench", Duration.ofMillis(c.ttl()));
        if (c.poll() != null) {
            registry.setIdleBetweenTries(Duration.ofMillis(c.poll()));
        }
        if (c.option("type").equals("pub-sub")) {
            registry.setRedisLockType(RedisLockRegistry.RedisLockType.PUB_SUB_LOCK);
        }
        if (c.option("renewal").equals("true")) {
            ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
            scheduler.initialize();
            registry.setRenewalTaskScheduler(scheduler);
        }
        try {
            registry.renewLock("warm-up"); // not held: it writes nothing and says so
        } catch (IllegalStateException e) {
            // as it should be
        }
    }

    private static LettuceConnectionFactory connect(Lockbench.Config c) {
        var client = LettuceClientConfiguration.builder();
        if (c.timeout() != null) {
            Duration timeout = Duration.ofMillis(c.timeout());
            var socket = SocketOptions.builder().connectTimeout(timeout).build();
            client.commandTimeout(timeout)
                    .clientOptions(ClientOptions.builder().socketOptions(socket).build());
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
        key = keys.get(0);
        if (wait == null) {
            registry.obtain(key).lockInterruptibly();
        } else if (!registry.obtain(key).tryLock(wait, TimeUnit.MILLISECONDS)) {
            throw new Lockbench.Refused(wait == 0 ? "taken" : "gave-up");
        }
        return null;
    }

    @Override
    public void release(int n) throws Exception {
        try {
            registry.obtain(key).unlock();
        } catch (ConcurrentModificationException e) {
            throw new Lockbench.NotOwner(e);
        }
    }

    @Override
    public Lockbench.Grant extend(int n) throws Exception {
        try {
            registry.renewLock(key);
            return null;
        } catch (IllegalStateException e) {
            throw new Lockbench.NotOwner(e);
        }
    }
}
