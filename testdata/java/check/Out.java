package check;

/** How cases print what they do. */
public final class Out {
    private Out() {}

    public interface Work {
        Object run() throws Throwable;
    }

    /** Prints what some work gives, or the exception that ends it. */
    public static void show(String label, Work work) {
        String result;
        try {
            result = String.valueOf(work.run());
        } catch (Throwable thrown) {
            result = name(thrown);
        }
        System.out.println(label + ": " + result);
    }

    /** The class of an exception, and of its cause where newUpdater or a class initialiser wrapped it. */
    public static String name(Throwable thrown) {
        String name = thrown.getClass().getName();
        boolean wraps = thrown instanceof ExceptionInInitializerError || thrown.getClass() == RuntimeException.class;
        return wraps && thrown.getCause() != null ? name + " of " + name(thrown.getCause()) : name;
    }

    public static void line(Object text) {
        System.out.println(text);
    }

    /** Says that an argument is evaluated, and gives it. */
    public static <T> T say(String text, T value) {
        System.out.println("  " + text);
        return value;
    }

    public static int say(String text, int value) {
        System.out.println("  " + text);
        return value;
    }

    public static long say(String text, long value) {
        System.out.println("  " + text);
        return value;
    }

    public static boolean say(String text, boolean value) {
        System.out.println("  " + text);
        return value;
    }
}
