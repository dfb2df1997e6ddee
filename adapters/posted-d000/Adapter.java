import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Starts the class Posted with the Jedis that the option jedis names: 2.9.0, which the document
 * had, or the newest. The argument is the folder with a folder for each: lib and classes.
 */
final class Adapter {
    public static void main(String[] args) {
        Map<String, String> versions = new LinkedHashMap<>();
        Lockbench.run(c -> {
            String jedis = c.option("jedis").isEmpty() ? "2.9.0" : c.option("jedis");
            versions.put("jedis", jedis);
            Path dir = Path.of(args[0], jedis);
            var urls = new ArrayList<URL>();
            urls.add(dir.resolve("classes/").toUri().toURL());
            try (var jars = Files.list(dir.resolve("lib"))) {
                for (Path jar : jars.toList()) {
                    urls.add(jar.toUri().toURL());
                }
            }
            var loader = new URLClassLoader(urls.toArray(URL[]::new),
                    Adapter.class.getClassLoader());
            Class<?> posted = loader.loadClass("Posted");
            return (Lockbench.Lock) posted.getConstructor(Lockbench.Config.class).newInstance(c);
        }, versions);
    }
}
