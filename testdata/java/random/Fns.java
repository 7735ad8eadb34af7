import java.util.function.BinaryOperator;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.function.UnaryOperator;

/** What random programs use: functions for updaters, and numbers for objects. */
public class Fns {
    public static int count;

    public static final UnaryOperator<Object>[] UNARY = functions();
    public static final BinaryOperator<Object> LATER = (old, given) -> given;
    public static final IntUnaryOperator INT_UNARY = old -> old * 3 + 1;
    public static final IntBinaryOperator INT_BINARY = (old, given) -> old ^ given;
    public static final LongUnaryOperator LONG_UNARY = old -> old * 5 - 1;
    public static final LongBinaryOperator LONG_BINARY = (old, given) -> given - old;

    @SuppressWarnings("unchecked")
    private static UnaryOperator<Object>[] functions() {
        return new UnaryOperator[] {
            old -> old, old -> null, old -> "new", old -> 7, null, old -> { throw new IllegalStateException(); }
        };
    }

    public static UnaryOperator<Object> unary(int number) {
        return UNARY[number];
    }

    /** A number for anything, the same in every run. */
    public static int mix(Object value) {
        count++;
        return value == null ? 0 : value instanceof String ? value.hashCode() : value.getClass().getName().hashCode();
    }
}
