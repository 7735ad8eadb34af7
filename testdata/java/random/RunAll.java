import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;

/** Runs random programs: calls `run` of each class with several arguments, and prints what comes of it. */
public class RunAll {
    public static void main(String[] names) {
        for (String name : names) {
            StringBuilder line = new StringBuilder(name);
            try {
                Class<?> type = Class.forName(name);
                Method run = type.getDeclaredMethod("run", type, type, Object.class, String.class);
                Constructor<?> make = type.getDeclaredConstructor();
                for (int round = 0; round < 4; round++) {
                    Object first = make.newInstance();
                    Object second = round % 2 == 0 ? null : make.newInstance();
                    Object[] others = {first, "text", null, second};
                    try {
                        line.append(' ').append(run.invoke(null, first, second, others[round], "t" + round));
                    } catch (java.lang.reflect.InvocationTargetException problem) {
                        line.append(' ').append(problem.getCause().getClass().getSimpleName());
                    }
                    for (String field : new String[] {"i", "l", "o", "s", "p"}) {
                        Field found = type.getDeclaredField(field);
                        line.append(' ').append(show(found.get(first)));
                    }
                    line.append(' ').append(Fns.count);
                }
            } catch (Throwable problem) {
                line.append(' ').append(problem.getClass().getName());
                if (problem instanceof VerifyError || problem instanceof ClassFormatError) {
                    line.append(": ").append(problem.getMessage().replace('\n', ' '));
                }
            }
            System.out.println(line);
        }
    }

    private static String show(Object value) {
        boolean plain = value == null || value instanceof String || value instanceof Number;
        return plain ? String.valueOf(value) : value.getClass().getName();
    }
}
