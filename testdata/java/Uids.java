import java.io.File;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Collections;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Prints the serialVersionUID of each class in the given jars that leaves it to the JVM. */
class Uids {
    public static void main(String[] paths) throws Exception {
        URL[] urls = new URL[paths.length];
        for (int i = 0; i < paths.length; i++) {
            urls[i] = new File(paths[i]).toURI().toURL();
        }
        ClassLoader loader = new URLClassLoader(urls, ClassLoader.getSystemClassLoader().getParent());
        for (String path : paths) {
            try (JarFile jar = new JarFile(path)) {
                for (JarEntry entry : Collections.list(jar.entries())) {
                    String name = entry.getName();
                    if (!name.endsWith(".class") || name.startsWith("META-INF/") || name.endsWith("-info.class")) {
                        continue;
                    }
                    name = name.substring(0, name.length() - 6);
                    try {
                        Class<?> type = Class.forName(name.replace('/', '.'), false, loader);
                        if (Serializable.class.isAssignableFrom(type) && !declares(type)
                                && !Enum.class.isAssignableFrom(type)) {
                            System.out.println(name + " " + ObjectStreamClass.lookup(type).getSerialVersionUID());
                        }
                    } catch (LinkageError problem) {
                        // It needs a class that is not there.
                    }
                }
            }
        }
    }

    static boolean declares(Class<?> type) {
        try {
            type.getDeclaredField("serialVersionUID");
            return true;
        } catch (NoSuchFieldException none) {
            return false;
        }
    }

    /** Shapes of which some are rare in jars. */
    interface Empty extends Serializable {}

    interface WithMethod extends Serializable, Comparable<String>, Cloneable {
        int LENGTH = "four".length();
        void method(int[] numbers, String text);
    }

    protected static abstract class Flags implements WithMethod, Runnable {
        public volatile int shared;
        transient long skipped;
        private transient long skippedToo;
        private static int counted = 7;
        private final String kept = null;
        protected static final Object CONSTANT = new Object();
        Flags(String... texts) {}
        protected Flags() {}
        private Flags(int number) {}
        public synchronized native void slow();
        public static strictfp double exact(float value) { return value; }
        public final void overloaded(int a) {}
        void overloaded(Object a) {}
        private void hidden() {}
    }

    private final class Inner implements Serializable {
        Runnable lambda = () -> System.out.println(Uids.this);
        private class Deeper implements Serializable {}
    }

    static Object local() {
        class Local implements Serializable {}
        return new Local() { int field; };
    }
}
