// Straight code, branches, loops, switches and wide values.
class Branches {
    static int max(int a, int b) {
        return a > b ? a : b;
    }

    static long sum(int[] numbers, long start) {
        long total = start;
        for (int number : numbers) {
            total += number;
        }
        return total;
    }

    static int nested(int n) {
        int found = 0;
        outer:
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < i; j++) {
                if (i * j == 42) {
                    break outer;
                }
                if ((i + j) % 3 == 0) {
                    continue outer;
                }
                found++;
            }
        }
        return found;
    }

    static String day(int day) {
        switch (day) {
            case 0: return "sunday";
            case 1: case 2: case 3: return "early";
            case 6: return "saturday";
            default: return "late";
        }
    }

    static int sparse(int key) {
        switch (key) {
            case -1000000: return 1;
            case 7: return 2;
            case 1000000: return 3;
            default: return 4;
        }
    }

    static int compare(double a, double b, float c, long d) {
        int result = 0;
        if (a < b) result += 1;
        if (a >= b) result += 2;
        if (c > 1.5f) result += 4;
        if (d == 1L << 40) result += 8;
        return result;
    }

    static int narrow(int n) {
        byte b = (byte) n;
        char c = (char) n;
        short s = (short) n;
        return b + c * 3 + s * 7 + (int) (long) (float) n;
    }

    static long bits(long x, int by) {
        return (x << by) ^ (x >>> by) ^ (x >> by) ^ ~x & 0xffL | -x;
    }

    static boolean both(Object a, Object b) {
        return a != null && b != null && a == b;
    }

    // The interpreter starts methods without parameters.
    static void start() {
        main(new String[0]);
    }

    public static void main(String[] args) {
        System.out.println(max(3, 5));
        System.out.println(sum(new int[] {1, 2, 3, -10}, 1L << 40));
        System.out.println(nested(20));
        for (int day = 0; day < 8; day++) {
            System.out.println(day(day));
        }
        System.out.println(sparse(-1000000) + sparse(7) * 10 + sparse(1000000) * 100 + sparse(0) * 1000);
        System.out.println(compare(1.0, 2.0, 1.0f, 5L));
        System.out.println(compare(0.0 / 0.0, 2.0, 2.0f, 1L << 40));
        System.out.println(narrow(70000));
        System.out.println(narrow(-129));
        System.out.println(bits(0x123456789abcdefL, 13));
        System.out.println(both("a", "a"));
        System.out.println(both(null, "a"));
    }
}
