import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Collections;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Links every class of the given jars, which has the JVM verify them, without initialising any. Prints a line for each
 * that could not be linked, and then how many there were.
 */
class LoadAll {
    public static void main(String[] paths) throws Exception {
        URL[] urls = new URL[paths.length];
        for (int i = 0; i < paths.length; i++) {
            urls[i] = new File(paths[i]).toURI().toURL();
        }
        ClassLoader loader = new URLClassLoader(urls, ClassLoader.getSystemClassLoader().getParent());
        int count = 0;
        for (String path : paths) {
            try (JarFile jar = new JarFile(path)) {
                for (JarEntry entry : Collections.list(jar.entries())) {
                    String name = entry.getName();
                    if (!name.endsWith(".class") || name.startsWith("META-INF/") || name.endsWith("-info.class")) {
                        continue;
                    }
                    count++;
                    name = name.substring(0, name.length() - 6).replace('/', '.');
                    try {
                        // To list a class's methods links it.
                        Class.forName(name, false, loader).getDeclaredMethods();
                    } catch (NoClassDefFoundError problem) {
                        // Which of several that are missing is found first differs from run to run.
                        System.out.println(name + " needs a class that is not there");
                    } catch (Throwable problem) {
                        System.out.println(name + ": " + String.valueOf(problem).split("\n")[0]);
                    }
                }
            }
        }
        System.out.println(count + " classes");
    }
}
