//! Descriptors: how many slots, and which classes.

use crate::error::{Problem, Result};

/// Slots of a method's arguments (without the receiver) and of its result.
///
/// # Errors
/// It is no method descriptor.
pub fn method_slots(descriptor: &str) -> Result<(u16, u16)> {
    let mut arguments = 0u16;
    let wrong = || Problem::Descriptor(descriptor.to_string());
    let mut parameters = parameters(descriptor)?;
    for parameter in &mut parameters {
        arguments = arguments.saturating_add(slots(parameter?));
    }
    let result = descriptor.rsplit_once(')').map(|(_, result)| result).ok_or_else(wrong)?;
    let result = if result == "V" { 0 } else { field_slots(result)? };
    Ok((arguments, result))
}

/// Slots of a field.
///
/// # Errors
/// It is no field descriptor.
pub fn field_slots(descriptor: &str) -> Result<u16> {
    match split_first(descriptor) {
        Some((first, "")) => Ok(slots(first)),
        _ => Err(Problem::Descriptor(descriptor.to_string()).into()),
    }
}

/// Slots of a type that is known to be well-formed.
fn slots(descriptor: &str) -> u16 {
    if matches!(descriptor, "J" | "D") { 2 } else { 1 }
}

/// The descriptors of a method's parameters, one after the other.
///
/// # Errors
/// It does not begin as a method descriptor does. What is wrong further on is an item of the iterator.
pub fn parameters(descriptor: &str) -> Result<impl Iterator<Item = Result<&str>>> {
    let wrong = || Problem::Descriptor(descriptor.to_string());
    let (list, _) = descriptor.strip_prefix('(').and_then(|rest| rest.split_once(')')).ok_or_else(wrong)?;
    let mut rest = Some(list);
    Ok(std::iter::from_fn(move || {
        let left = rest.filter(|left| !left.is_empty())?;
        match split_first(left) {
            Some((first, after)) => {
                rest = Some(after);
                Some(Ok(first))
            }
            None => {
                rest = None;
                Some(Err(wrong().into()))
            }
        }
    }))
}

/// What a `Class` constant calls a type: the internal name of a class, the descriptor of an array, nothing for others.
#[must_use]
pub fn class_constant(descriptor: &str) -> Option<&str> {
    match descriptor.as_bytes() {
        [b'[', ..] => Some(descriptor),
        [b'L', .., b';'] => Some(&descriptor[1..descriptor.len() - 1]),
        _ => None,
    }
}

/// The first of a row of field descriptors.
fn split_first(descriptors: &str) -> Option<(&str, &str)> {
    let dimensions = descriptors.bytes().take_while(|byte| *byte == b'[').count();
    let length = match descriptors.as_bytes().get(dimensions)? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => 1,
        b'L' => descriptors[dimensions..].find(';').filter(|end| *end > 1)? + 1,
        _ => return None,
    };
    Some(descriptors.split_at(dimensions + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_counted() {
        assert_eq!(method_slots("()V"), Ok((0, 0)));
        assert_eq!(method_slots("(J[[DLa/B;I)D"), Ok((5, 2)));
        assert_eq!(field_slots("[J"), Ok(1));
        let list: Result<Vec<_>> = parameters("(J[[DLa/B;I)D").unwrap().collect();
        assert_eq!(list, Ok(vec!["J", "[[D", "La/B;", "I"]));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for descriptor in ["", "(", "()", "(L;)V", "(V)V", "([)V", "()VV", "(La/B)V", ")("] {
            assert!(method_slots(descriptor).is_err(), "{descriptor}");
        }
        for descriptor in ["", "V", "II", "[", "Lx"] {
            assert!(field_slots(descriptor).is_err(), "{descriptor}");
        }
    }
}
