import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.IntUnaryOperator;

/** Some of everything that code can have. Prints what it does; two builds that print the same do the same. */
public class Sample {
    static final long START;
    static int counter;
    int[] numbers = {3, 1, 2};
    volatile long wide = 1L << 40;

    static {
        long start = 0;
        do {
            start = start * 31 + 7;
        } while (start < 1000);
        START = start;
    }

    interface Shape {
        double area();
    }

    enum Color {
        RED, GREEN, BLUE
    }

    static class Circle implements Shape {
        final double radius;

        Circle(double radius) {
            this.radius = radius < 0 ? -radius : radius;
        }

        public double area() {
            return Math.round(radius * radius * 314) / 100.0;
        }
    }

    static class Square extends Circle {
        Square(double side, boolean twice) {
            super(twice ? side * 2 : new Circle(side).radius);
        }

        @Override
        public double area() {
            return radius * radius;
        }
    }

    static String dense(int value) {
        switch (value) {
            case -1: return "minus one";
            case 0: return "zero";
            case 1: counter++;
            case 2: return "small";
            case 3: break;
            default: return "other";
        }
        return "three";
    }

    static int sparse(int value) {
        switch (value) {
            case Integer.MIN_VALUE: return 1;
            case -1000: return 2;
            case 77: return 3;
            case Integer.MAX_VALUE: return 4;
            default: return 5;
        }
    }

    static int words(String word) {
        switch (word) {
            case "Aa": return 1;
            case "BB": return 2;
            case "C": return 3;
            default: return -1;
        }
    }

    static int finallyNested(int depth, List<String> log) {
        try {
            if (depth == 0) {
                throw new IllegalStateException("bottom");
            }
            return finallyNested(depth - 1, log) + 1;
        } catch (IllegalStateException e) {
            log.add("caught " + e.getMessage() + " at " + e.getStackTrace()[0].getLineNumber());
            if (depth < 2) {
                throw e;
            }
            return 100;
        } finally {
            log.add("leaving " + depth);
        }
    }

    synchronized long locked(Object lock) {
        long sum = 0;
        synchronized (lock) {
            for (int number : numbers) {
                if (number == 2) continue;
                sum += number * wide;
            }
        }
        return sum;
    }

    static Object created(boolean first) {
        // Something is uninitialised while there are branches.
        return new StringBuilder(first ? new String(first ? "a" : "b") : "c").append(first ? 1L : 2.5);
    }

    static <T extends Comparable<T>> T largest(T[] values) {
        T best = null;
        outer:
        for (T value : values) {
            for (T other : values) {
                if (other.compareTo(value) > 0) continue outer;
            }
            best = value;
        }
        return best;
    }

    static float arithmetic(byte b, short s, char c, int i, long l, float f, double d) {
        i += 1000;
        l ^= i << b;
        f = (float) (d % 3) - (c >>> 2);
        return f + (l > 0 ? s : -s) + (d == d ? 1 : 0) + (int) l % 7;
    }

    public static void main(String[] args) throws Exception {
        System.out.println(START);
        for (int i = -2; i < 6; i++) {
            System.out.print(dense(i) + sparse(i == 5 ? 77 : i * 1000) + ", ");
        }
        System.out.println(words("Aa") + words("BB") + words("C") + words("D"));
        List<String> log = new ArrayList<>();
        System.out.println(finallyNested(3, log) + " " + log);
        Sample sample = new Sample();
        System.out.println(sample.locked(new Object()));
        System.out.println(created(true) + " " + created(false));
        System.out.println(largest(new Integer[] {4, 9, 2}) + largest(new String[] {"x", "z", "y"}));
        System.out.println(arithmetic((byte) 3, (short) -4, 'x', 17, -5L, 2.5f, 8.25));
        Shape[] shapes = {new Circle(-2), new Square(3, false), new Square(3, true)};
        for (Shape shape : shapes) {
            System.out.print(shape.area() + " ");
        }
        IntUnaryOperator twice = value -> value * 2 + counter;
        Callable<String> call = () -> Arrays.toString(sample.numbers) + Color.valueOf("GREEN").ordinal();
        System.out.println(twice.andThen(Sample::sparse).applyAsInt(38) + call.call());
        int[][][] grid = new int[2][3][];
        grid[1][2] = new int[] {5};
        try {
            System.out.println(grid[1][2][0] + grid[0][0][0]);
        } catch (NullPointerException e) {
            System.out.println("null at line " + e.getStackTrace()[0].getLineNumber());
        }
        Object object = args.length == 0 ? "text" : Integer.valueOf(1);
        if (object instanceof String && ((String) object).length() == 4) {
            System.out.println(object + " " + (char) (((String) object).charAt(0) + 1));
        }
    }
}
