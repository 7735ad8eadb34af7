package check;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;

/** Runs the main methods of classes, one after the other, each in a class loader of its own: FOLDER CLASS... */
class Cases {
    public static void main(String[] args) throws Exception {
        URL[] urls = {new File(args[0]).toURI().toURL()};
        ClassLoader platform = ClassLoader.getSystemClassLoader().getParent();
        for (int i = 1; i < args.length; i++) {
            System.out.println("== " + args[i]);
            try (URLClassLoader loader = new URLClassLoader(urls, platform)) {
                Method main = Class.forName(args[i], false, loader).getDeclaredMethod("main", String[].class);
                main.setAccessible(true);
                main.invoke(null, (Object) new String[0]);
            } catch (InvocationTargetException problem) {
                System.out.println("uncaught " + problem.getCause().getClass().getName());
            } catch (Throwable problem) {
                System.out.println("cannot be run: " + problem);
            }
        }
    }
}
