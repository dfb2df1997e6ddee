import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/** The call as posted is gone from Jedis since 3.0; this sends the same command. */
final class Set {
    static String nxPx(Jedis jedis, String key, String value, long ms) {
        return jedis.set(key, value, SetParams.setParams().nx().px(ms));
    }
}
