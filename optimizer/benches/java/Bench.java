import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.LongBinaryOperator;

/**
 * Times the operations of each variant of Subject in one process: `Bench rounds millis folder…`. The variants take turns,
 * and who goes first changes with each round. Prints a line for each operation: for each variant the median and the two
 * quartiles of the nanoseconds that one takes.
 */
public final class Bench {
    private static final String[] NAMES = {
        "Reference.get", "Reference.set", "Reference.lazySet", "Reference.compareAndSet", "Reference.getAndSet",
        "Integer.get", "Integer.compareAndSet", "Integer.getAndIncrement", "Integer.updateAndGet",
        "Long.get", "Long.compareAndSet", "Long.addAndGet",
    };

    private static long sink;

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]);
        double nanos = Double.parseDouble(args[1]) * 1e6;
        LongBinaryOperator[] variants = new LongBinaryOperator[args.length - 2];
        for (int i = 0; i < variants.length; i++) {
            URL[] path = {Path.of(args[i + 2]).toUri().toURL()};
            // Each variant has its own Subject.
            URLClassLoader loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader());
            variants[i] = (LongBinaryOperator) loader.loadClass("Subject").getDeclaredConstructor().newInstance();
        }
        for (int operation = 0; operation < NAMES.length; operation++) {
            long times = 1000;
            // Warms up as well: until each variant takes long enough, several times.
            for (int calm = 0; calm < 5; ) {
                double least = Double.MAX_VALUE;
                for (LongBinaryOperator variant : variants) {
                    least = Math.min(least, time(variant, operation, times));
                }
                if (least < nanos) {
                    times *= 2;
                } else {
                    calm++;
                }
            }
            double[][] results = new double[variants.length][rounds];
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < variants.length; i++) {
                    int at = (i + round) % variants.length;
                    results[at][round] = time(variants[at], operation, times) / times;
                }
            }
            StringBuilder line = new StringBuilder(NAMES[operation]);
            for (double[] result : results) {
                Arrays.sort(result);
                line.append(String.format(" %.3f %.3f %.3f", result[rounds / 2], result[rounds / 4], result[rounds - 1 - rounds / 4]));
            }
            System.out.println(line);
        }
        if (sink == 42) {
            System.out.println();
        }
    }

    private static double time(LongBinaryOperator variant, int operation, long times) {
        long start = System.nanoTime();
        sink += variant.applyAsLong(operation, times);
        return System.nanoTime() - start;
    }
}
