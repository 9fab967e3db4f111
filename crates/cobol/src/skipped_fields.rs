//! When a field is left out of JSON.

pub(crate) fn is_zero(count: &usize) -> bool {
    *count == 0
}

pub(crate) fn is_true(value: &bool) -> bool {
    *value
}

pub(crate) fn is_empty<T>(list: &[T]) -> bool {
    list.is_empty()
}
