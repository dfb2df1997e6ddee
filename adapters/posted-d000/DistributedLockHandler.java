import redis.clients.jedis.Jedis;

/**
 * D000 lines 83–165, as posted, its comments left out. One line is changed: Lock_Timeout is 3
 * unless the property says otherwise.
 */
public class DistributedLockHandler {

    private static final Integer Lock_Timeout = Integer.getInteger("lock.timeout", 3);
    private Jedis jedis;

    public boolean tryLock(String lockKey, Long timeout) {
        try {
            Long currentTime = System.currentTimeMillis();
            boolean result = false;

            while (true) {
                if ((System.currentTimeMillis() - currentTime) / 1000 > timeout) {
                    System.out.println("Execute DistributedLockHandler.tryLock method, Time out.");
                    break;
                } else {
                    result = innerTryLock(lockKey);
                    if (result) {
                        break;
                    } else {
                        System.out.println("Try to get the Lock,and wait 100 millisecond....");
                        Thread.sleep(100);
                    }
                }
            }
            return result;
        } catch (Exception e) {
            System.out.println("Failed to run DistributedLockHandler.getLock method."+ e);
            return false;
        }
    }

    public void realseLock(String lockKey) {
        if(!checkIfLockTimeout(System.currentTimeMillis(), lockKey)){
            jedis.del(lockKey);
        }
    }

    private boolean innerTryLock(String lockKey) {

        long currentTime = System.currentTimeMillis();
        String lockTimeDuration = String.valueOf(currentTime + Lock_Timeout + 1);
        Long result = jedis.setnx(lockKey, lockTimeDuration);

        if (result == 1) {
            return true;
        } else {
            if (checkIfLockTimeout(currentTime, lockKey)) {
                String preLockTimeDuration = jedis.getSet(lockKey, lockTimeDuration);
                if (currentTime > Long.valueOf(preLockTimeDuration)) {
                    return true;
                }
            }
            return false;
        }

    }

    private boolean checkIfLockTimeout(Long currentTime, String lockKey) {
        if (currentTime > Long.valueOf(jedis.get(lockKey))) {
            return true;
        } else {
            return false;
        }
    }

    public DistributedLockHandler setJedis(Jedis jedis) {
        this.jedis = jedis;
        return this;
    }
}
