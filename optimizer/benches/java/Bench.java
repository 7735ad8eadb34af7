import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongBinaryOperator;

/**
 * Times the operations of each variant of a class in one process: `Bench rounds millis class path…`, with a class path for
 * each variant. Its text names its operations. The variants take turns, and who goes first changes with each round. Prints a line for each operation: for each variant the median and the two
 * quartiles of the nanoseconds that one takes.
 */
public final class Bench {
    private static long sink;

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]);
        double nanos = Double.parseDouble(args[1]) * 1e6;
        LongBinaryOperator[] variants = new LongBinaryOperator[args.length - 3];
        for (int i = 0; i < variants.length; i++) {
            List<URL> path = new ArrayList<>();
            for (String part : args[i + 3].split(File.pathSeparator)) {
                path.add(Path.of(part).toUri().toURL());
            }
            // Each variant has its own classes.
            URLClassLoader loader = new URLClassLoader(path.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
            variants[i] = (LongBinaryOperator) loader.loadClass(args[2]).getDeclaredConstructor().newInstance();
        }
        String[] names = variants[0].toString().split(" ");
        for (int operation = 0; operation < names.length; operation++) {
            long times = 100;
            // Warms up as well: what takes long at first is short once it is compiled.
            for (double spent = 0; spent < 30 * nanos * variants.length; ) {
                double least = Double.MAX_VALUE;
                for (LongBinaryOperator variant : variants) {
                    double took = time(variant, operation, times);
                    least = Math.min(least, took);
                    spent += took;
                }
                if (least < nanos) {
                    times *= 2;
                }
            }
            double[][] results = new double[variants.length][rounds];
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < variants.length; i++) {
                    int at = (i + round) % variants.length;
                    results[at][round] = time(variants[at], operation, times) / times;
                }
            }
            StringBuilder line = new StringBuilder(names[operation]);
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
