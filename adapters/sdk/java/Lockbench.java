import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Lockbench's protocol for a lock in Java 17. One file, no dependency:
 *
 * <pre>public static void main(String[] args) {
 *     Lockbench.run(MyLock::new, Map.of("my-library", "1.2.3")); // connect; write no key
 * }</pre>
 *
 * <p>Orders are carried out one after another by an owner thread: one that is kept, or with the
 * option {"owner": "new-thread"} a new one whenever nothing is held. The order stop interrupts it
 * if it waits, and so does a client that gives up the call (cancel). An acquire that then throws
 * InterruptedException is taken to hold nothing.
 */
public final class Lockbench {
    static final long PROTOCOL = 1;
    static final long TICK = 10_000_000, LATE = 20_000_000; // ns: a gap is a tick that late

    /**
     * A lock under test. n names an acquisition; with a re-entrant lock n=2 is acquired while n=1
     * is held. An exception that is neither Refused nor NotOwner means that the outcome is unknown.
     */
    public interface Lock {
        /** Waits for so many ms; 0: one try, null: as long as the library does. May return null. */
        Grant acquire(int n, List<String> keys, Long wait) throws Exception;

        /** As acquire, in the shared mode of a lock that declares one. */
        default Grant acquireShared(int n, List<String> keys, Long wait) throws Exception {
            throw new UnsupportedOperationException("this lock has no shared mode");
        }

        void release(int n) throws Exception;

        default Grant extend(int n) throws Exception {
            throw new UnsupportedOperationException("this lock has no extend");
        }
    }

    /** What the library says: the end of the validity (System.nanoTime) and a token, or null. */
    public record Grant(Long validUntil, Object token) {}

    /** Makes the lock. */
    public interface Maker {
        Lock make(Config config) throws Exception;
    }

    /**
     * Nothing was acquired, for sure. why: taken (the library said so after replies that left no
     * doubt), gave-up (it waited in vain), unreachable, server-refused.
     */
    public static final class Refused extends Exception {
        public Refused(String why) {
            super(why);
        }
    }

    /** The library says that the hold was over. */
    public static final class NotOwner extends Exception {
        public NotOwner(Throwable cause) {
            super(describe(cause), cause);
        }
    }

    /** What the harness gives; null is left as the library has it. Another system has servers. */
    public record Config(List<String> redis, List<String> servers, List<String> sentinels,
            String master, List<String> keys, Long ttl, Long poll, Long timeout, Long retries,
            Map<String, Object> options) {

        @SuppressWarnings("unchecked")
        static Config of(Map<String, Object> c) {
            if (!Long.valueOf(PROTOCOL).equals(c.get("protocol"))) {
                throw new IllegalArgumentException("this adapter speaks protocol " + PROTOCOL
                        + ", not " + c.get("protocol"));
            }
            Map<String, Object> options = (Map<String, Object>) c.getOrDefault("options", Map.of());
            return new Config((List<String>) c.getOrDefault("redis", List.of()),
                    (List<String>) c.getOrDefault("servers", List.of()),
                    (List<String>) c.get("sentinels"), (String) c.get("master"),
                    (List<String>) c.get("keys"), (Long) c.get("ttl_ms"), (Long) c.get("poll_ms"),
                    (Long) c.get("client_timeout_ms"), (Long) c.get("client_retries"), options);
        }

        public String option(String name) {
            return String.valueOf(options.getOrDefault(name, ""));
        }
    }

    /** Says unasked that the library told its holder that hold n is over, and how: callback, ... */
    public static void lost(int n, String by) {
        say("lost", "n", n, "t", System.nanoTime(), "by", by);
    }

    /** Speaks the protocol until stdin ends, which ends the process. */
    public static void run(Maker maker, Map<String, String> versions) {
        try (var in = new BufferedReader(
                new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            Owner owner = configure(in.readLine(), maker, versions);
            for (String line; (line = in.readLine()) != null; ) {
                Map<String, Object> o = Json.object(line);
                switch ((String) o.get("do")) {
                    case "touch" -> say("touched", "n", o.get("n"), "t", System.nanoTime());
                    case "stop" -> owner.stop();
                    case "cancel" -> owner.cancel(o.get("n"));
                    case "acquire", "release", "extend" -> owner.give(o);
                    default -> say("unsupported", "op", o.get("do"));
                }
            }
        } catch (Throwable e) {
            say("broken", "err", describe(e));
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(0); // the harness is gone: an acquire under way ends, too
    }

    private static Owner configure(String line, Maker maker, Map<String, String> versions)
            throws Exception {
        if (line == null) {
            rehearse(maker);
        }
        Config config = Config.of(Json.object(line));
        Owner owner = new Owner(maker.make(config), config.option("owner").equals("new-thread"));
        Map<String, Object> all = new LinkedHashMap<>(versions);
        all.put("java", System.getProperty("java.version"));
        say("ready", "pid", ProcessHandle.current().pid(), "versions", all);
        if (System.getenv("LOCKBENCH_PAGE") == null) { // virtual time has no gaps
            daemon(Lockbench::watch);
        }
        return owner;
    }

    /**
     * Makes a lock of servers that are not there, and ends after a moment. The setup does this so that
     * Java can archive the classes that a start needs: -XX:ArchiveClassesAtExit.
     */
    private static void rehearse(Maker maker) throws InterruptedException {
        var nowhere = List.of("127.0.0.1:1");
        var config = new Config(nowhere, nowhere, null, null, List.of("rehearsal"), 1000L, null, 100L,
                0L, Map.of());
        daemon(() -> {
            try {
                maker.make(config);
            } catch (Throwable e) {
                // as it must be: its classes are loaded
            }
        });
        Thread.sleep(3000);
        Runtime.getRuntime().halt(0);
    }

    /** The thread that acquires and releases. */
    private static final class Owner {
        private final Lock lock;
        private final boolean newThreads;
        private final Set<Object> holds = ConcurrentHashMap.newKeySet();
        private BlockingQueue<Map<String, Object>> orders;
        private volatile Thread acquiring;
        private Thread calling;
        private Object called; // n of the call that is under way

        Owner(Lock lock, boolean newThreads) {
            this.lock = lock;
            this.newThreads = newThreads;
        }

        /** Holds are counted when orders come, so that an inner acquisition meets its owner. */
        void give(Map<String, Object> order) {
            if (orders == null || newThreads && holds.isEmpty()) {
                if (orders != null) {
                    orders.add(Map.of());
                }
                var mine = new LinkedBlockingQueue<Map<String, Object>>();
                orders = mine;
                daemon(() -> work(mine));
            }
            if (order.get("do").equals("acquire")) {
                holds.add(order.get("n"));
            }
            orders.add(order);
        }

        void stop() {
            Thread t = acquiring;
            if (t != null) {
                t.interrupt();
            }
        }

        synchronized void cancel(Object n) {
            if (n.equals(called)) {
                calling.interrupt();
            }
        }

        /** Says which call is under way. A late interrupt does not reach the next one. */
        private synchronized void calls(Object n) {
            calling = Thread.currentThread();
            called = n;
            Thread.interrupted();
        }

        private void work(BlockingQueue<Map<String, Object>> mine) {
            try {
                for (Map<String, Object> o; !(o = mine.take()).isEmpty(); ) {
                    carryOut((String) o.get("do"), ((Long) o.get("n")).intValue(), o);
                }
            } catch (InterruptedException e) {
                say("broken", "err", describe(e));
            }
        }

        @SuppressWarnings("unchecked")
        private void carryOut(String op, int n, Map<String, Object> o) {
            say("begun", "n", n, "op", op, "t", System.nanoTime());
            calls(o.get("n"));
            try {
                Grant said = null;
                switch (op) {
                    case "acquire" -> {
                        acquiring = Thread.currentThread();
                        var keys = (List<String>) o.get("keys");
                        Long wait = (Long) o.get("wait_ms");
                        said = "shared".equals(o.get("mode"))
                                ? lock.acquireShared(n, keys, wait) : lock.acquire(n, keys, wait);
                    }
                    case "release" -> lock.release(n);
                    default -> said = lock.extend(n);
                }
                answer(op, op.equals("release") ? "released" : op.equals("extend") ? "extended"
                        : "acquired", n, said, null, null);
            } catch (Refused e) {
                answer(op, "refused", n, null, "why", e.getMessage());
            } catch (NotOwner e) {
                answer(op, "not_owner", n, null, "err", e.getMessage());
            } catch (InterruptedException e) {
                boolean held = !op.equals("acquire");
                answer(op, held ? "failed" : "refused", n, null, held ? "err" : "why",
                        held ? describe(e) : "cancelled");
            } catch (Throwable e) {
                answer(op, "failed", n, null, "err", describe(e));
            } finally {
                acquiring = null;
                calls(null);
            }
        }

        private void answer(String op, String is, int n, Grant said, String key, String value) {
            long t = System.nanoTime();
            if (!op.equals("extend") && !is.equals("acquired")) {
                holds.remove((long) n);
            }
            say(is, "n", n, "t", t, "valid_until", said == null ? null : said.validUntil,
                    "token", said == null ? null : said.token, key, value);
        }
    }

    /** Reports when the process did not run. */
    private static void watch() {
        for (long last = System.nanoTime(); ; ) {
            try {
                Thread.sleep(TICK / 1_000_000);
            } catch (InterruptedException e) {
                return;
            }
            long t = System.nanoTime();
            if (t - last - TICK > LATE) {
                say("gap", "t", t, "ns", t - last - TICK);
            }
            last = t;
        }
    }

    private static void daemon(Runnable r) {
        Thread t = new Thread(r, "lockbench");
        t.setDaemon(true);
        t.start();
    }

    // Only answers go to stdout: what a library prints goes to stderr.
    private static final PrintStream OUT = new PrintStream(
            new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);

    static {
        System.setOut(System.err);
    }

    private static synchronized void say(String is, Object... fields) {
        Map<String, Object> o = new LinkedHashMap<>();
        o.put("is", is);
        for (int i = 0; i < fields.length; i += 2) {
            if (fields[i] != null && fields[i + 1] != null) {
                o.put((String) fields[i], fields[i + 1]);
            }
        }
        OUT.print(Json.text(o) + "\n");
        OUT.flush();
        if (OUT.checkError()) {
            Runtime.getRuntime().halt(0);
        }
    }

    static String describe(Throwable e) {
        String s = e.getClass().getName() + ": " + e.getMessage();
        for (Throwable c = e.getCause(); c != null; c = c.getCause()) {
            s += " <- " + c.getClass().getName() + ": " + c.getMessage();
        }
        return s.substring(0, Math.min(s.length(), 300));
    }

    /** As much of JSON as the protocol needs; whole numbers are Long. */
    private static final class Json {
        private final String s;
        private int at;

        private Json(String s) {
            this.s = s;
        }

        @SuppressWarnings("unchecked")
        static Map<String, Object> object(String s) {
            return (Map<String, Object>) new Json(s).value();
        }

        private char next() {
            while (Character.isWhitespace(s.charAt(at))) {
                at++;
            }
            return s.charAt(at);
        }

        private Object value() {
            switch (next()) {
                case '{' -> {
                    Map<String, Object> o = new LinkedHashMap<>();
                    for (at++; next() != '}'; ) {
                        String key = (String) value();
                        next();
                        at++; // the colon
                        o.put(key, value());
                        at += next() == ',' ? 1 : 0;
                    }
                    at++;
                    return o;
                }
                case '[' -> {
                    List<Object> l = new ArrayList<>();
                    for (at++; next() != ']'; at += next() == ',' ? 1 : 0) {
                        l.add(value());
                    }
                    at++;
                    return l;
                }
                case '"' -> {
                    return string();
                }
                default -> {
                    int from = at;
                    while (at < s.length() && ",]} \t".indexOf(s.charAt(at)) < 0) {
                        at++;
                    }
                    String word = s.substring(from, at);
                    return switch (word) {
                        case "null" -> null;
                        case "true", "false" -> Boolean.valueOf(word);
                        default -> word.matches("-?\\d+") ? (Object) Long.valueOf(word)
                                : (Object) Double.valueOf(word);
                    };
                }
            }
        }

        private String string() {
            StringBuilder b = new StringBuilder();
            for (at++; s.charAt(at) != '"'; at++) {
                char c = s.charAt(at);
                if (c == '\\') {
                    c = s.charAt(++at);
                    int known = "nrtbf".indexOf(c);
                    if (known >= 0) {
                        c = "\n\r\t\b\f".charAt(known);
                    } else if (c == 'u') {
                        c = (char) Integer.parseInt(s.substring(at + 1, at + 5), 16);
                        at += 4;
                    }
                }
                b.append(c);
            }
            at++;
            return b.toString();
        }

        static String text(Object v) {
            if (v instanceof Map<?, ?> m) {
                List<String> l = new ArrayList<>();
                m.forEach((k, e) -> l.add(text(k) + ":" + text(e)));
                return "{" + String.join(",", l) + "}";
            }
            if (v instanceof Number || v instanceof Boolean) {
                return v.toString();
            }
            StringBuilder b = new StringBuilder("\"");
            for (char c : String.valueOf(v).toCharArray()) {
                if (c < ' ' || c == '"' || c == '\\') {
                    b.append(String.format("\\u%04x", (int) c));
                } else {
                    b.append(c);
                }
            }
            return b + "\"";
        }
    }

    private Lockbench() {}
}
