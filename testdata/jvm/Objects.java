// Objects: fields of every type, constructors with choices in their arguments, arrays, interfaces, inner classes.
class Objects {
    interface Shape {
        double area();

        default String show() {
            return "shape";
        }
    }

    static class Square implements Shape {
        final double side;

        Square(double side, boolean twice) {
            this.side = twice ? side * 2 : side;
        }

        public double area() {
            return side * side;
        }
    }

    static class Named extends Square {
        private final String name;

        Named(String name) {
            super(name.length() > 3 ? name.length() : 1.5, name.isEmpty());
            this.name = name;
        }

        @Override
        public String show() {
            return name.concat(super.show());
        }
    }

    enum Color { RED, GREEN }

    boolean flag;
    byte small = -1;
    char letter = 'x';
    short middle = 300;
    int number = 1 << 20;
    long large = 1L << 50;
    float fraction = 0.5f;
    double real = 1e10;
    static final int CONSTANT = 7;
    static final String TEXT = "text";

    int post(int[] numbers, int at) {
        return numbers[at]++ + (number += 2);
    }

    long postLong(long[] numbers) {
        return numbers[0]++ * (large -= 1);
    }

    static Shape choose(int n) {
        return n == 0 ? new Named("first") : n == 1 ? new Square(3, true) : null;
    }

    static int[][] grid(int width, int height) {
        int[][] grid = new int[width][height];
        grid[1][2] = 5;
        return grid;
    }

    // The interpreter starts methods without parameters.
    static void start() {
        main(new String[0]);
    }

    public static void main(String[] args) {
        Objects o = new Objects();
        o.flag = !o.flag;
        o.small += 200;
        System.out.println(o.flag);
        System.out.println(o.small);
        System.out.println(o.letter);
        System.out.println(o.post(new int[] {4, 5}, 1));
        System.out.println(o.postLong(new long[] {3}));
        System.out.println(o.real * o.fraction + o.middle);
        for (int i = 0; i < 2; i++) {
            Shape shape = choose(i);
            System.out.println(shape.area());
            System.out.println(shape.show());
            System.out.println(shape instanceof Named);
        }
        System.out.println(choose(2) == null);
        System.out.println(grid(3, 4)[1][2]);
        System.out.println(grid(3, 4).clone()[0].length);
        byte[] bytes = {1, 2, (byte) 200};
        boolean[] flags = {true, false};
        System.out.println(bytes[2]);
        System.out.println(flags[0]);
        System.out.println(Color.GREEN.name());
        System.out.println(CONSTANT);
        System.out.println(TEXT);
    }
}
