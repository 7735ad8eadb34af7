// Handlers: what they see of local variables, order, finally, synchronized, rethrowing.
class Handlers {
    static int stored(int n) {
        int step = 0;
        try {
            step = 1;
            n = 100 / n;
            step = 2;
            n = 100 / (n - 1);
            step = 3;
        } catch (ArithmeticException e) {
            return -step;
        }
        return step + n;
    }

    static String order(Object o) {
        try {
            return ((String) o).concat("!");
        } catch (ClassCastException e) {
            return "cast";
        } catch (RuntimeException e) {
            return "runtime";
        }
    }

    static int counter;

    static int last(int n) {
        try {
            if (n == 0) {
                return 1;
            }
            if (n == 1) {
                throw new IllegalStateException("one");
            }
        } catch (IllegalStateException e) {
            counter += 10;
            throw e;
        } finally {
            counter++;
        }
        return 2;
    }

    static int locked(Object lock, int n) {
        synchronized (lock) {
            return 10 / n;
        }
    }

    static int loop(int n) {
        int failures = 0;
        for (int i = 0; i < n; i++) {
            try {
                counter += 10 / (i % 3);
            } catch (ArithmeticException e) {
                failures++;
                continue;
            }
            counter++;
        }
        return failures;
    }

    static long wide(long a, long b) {
        long c = a;
        try {
            c = c + 1;
            c = c / b;
        } catch (ArithmeticException e) {
            c = c * 2;
        }
        return c;
    }

    // The interpreter starts methods without parameters.
    static void start() {
        main(new String[0]);
    }

    public static void main(String[] args) {
        System.out.println(stored(5));
        System.out.println(stored(0));
        System.out.println(stored(100));
        System.out.println(order("a"));
        System.out.println(order(args));
        System.out.println(order(null));
        System.out.println(last(0));
        System.out.println(last(2));
        try {
            last(1);
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(counter);
        System.out.println(locked(args, 5));
        try {
            locked(args, 0);
        } catch (ArithmeticException e) {
            System.out.println("unlocked");
        }
        System.out.println(loop(7));
        System.out.println(counter);
        System.out.println(wide(7, 2));
        System.out.println(wide(7, 0));
    }
}
