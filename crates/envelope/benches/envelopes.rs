//! Counting, splitting and joining.

fn main() {
    divan::main();
}
