//! Floats in decimal, as `Float.toString` and `Double.toString` lay them out since JDK 19.

/// The text of an `f32`.
pub(super) fn f32_to_string(value: f32) -> String {
    let magnitude = value.abs();
    let two_digits = format!("{magnitude:.1e}");
    let exact = two_digits.parse() == Ok(magnitude);
    java_text(
        value.is_nan(),
        value.is_sign_negative(),
        value.is_infinite(),
        &format!("{magnitude:e}"),
        two_digits,
        exact,
    )
}

/// The text of an `f64`.
pub(super) fn f64_to_string(value: f64) -> String {
    let magnitude = value.abs();
    let two_digits = format!("{magnitude:.1e}");
    let exact = two_digits.parse() == Ok(magnitude);
    java_text(
        value.is_nan(),
        value.is_sign_negative(),
        value.is_infinite(),
        &format!("{magnitude:e}"),
        two_digits,
        exact,
    )
}

/// Rust and Java agree on the shortest decimal that reads back the same, except that Java asks for two digits at least
/// and then takes the closest of that length: `4.9E-324`, not `5.0E-324`.
fn java_text(
    nan: bool,
    negative: bool,
    infinite: bool,
    shortest: &str,
    two_digits: String,
    two_digits_are_exact: bool,
) -> String {
    if nan {
        return "NaN".to_owned();
    }
    let sign = if negative { "-" } else { "" };
    if infinite {
        return format!("{sign}Infinity");
    }
    let single = !shortest.contains('.');
    let scientific = if single && two_digits_are_exact { &two_digits } else { shortest };
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: String = mantissa.chars().filter(|&c| c != '.').collect();
    let digits = digits.trim_end_matches('0');
    if digits.is_empty() {
        return format!("{sign}0.0");
    }
    let text = match exponent {
        0..7 => {
            // `exponent + 1` digits stand before the point.
            let before = exponent as usize + 1;
            let padded = format!("{digits:0<before$}");
            let (whole, fraction) = padded.split_at(before);
            format!("{whole}.{}", or_zero(fraction))
        }
        -3..0 => format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize)),
        _ => {
            let (whole, fraction) = digits.split_at(1);
            format!("{whole}.{}E{exponent}", or_zero(fraction))
        }
    };
    format!("{sign}{text}")
}

fn or_zero(fraction: &str) -> &str {
    if fraction.is_empty() { "0" } else { fraction }
}

#[cfg(test)]
mod tests {
    use super::{f32_to_string, f64_to_string};

    #[test]
    fn doubles_are_laid_out_as_in_java() {
        let cases = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (0.001, "0.001"),
            (0.0001, "1.0E-4"),
            (123456.789, "123456.789"),
            (9999999.0, "9999999.0"),
            (1e7, "1.0E7"),
            (1.5e300, "1.5E300"),
            (2e23, "2.0E23"),
            (f64::MIN_POSITIVE, "2.2250738585072014E-308"),
            (5e-324, "4.9E-324"),
            (f64::MAX, "1.7976931348623157E308"),
            (100.0, "100.0"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ];
        for (value, text) in cases {
            assert_eq!(f64_to_string(value), text);
        }
    }

    #[test]
    fn floats_are_laid_out_as_in_java() {
        let cases =
            [(1.1, "1.1"), (1e10, "1.0E10"), (1.4e-45, "1.4E-45"), (3.4028235e38, "3.4028235E38"), (0.5, "0.5")];
        for (value, text) in cases {
            assert_eq!(f32_to_string(value), text);
        }
    }
}
