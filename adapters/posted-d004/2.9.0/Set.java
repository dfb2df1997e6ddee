import redis.clients.jedis.Jedis;

/** As posted. */
final class Set {
    static String nxPx(Jedis jedis, String key, String value, long ms) {
        return jedis.set(key, value, "NX", "PX", ms);
    }
}
