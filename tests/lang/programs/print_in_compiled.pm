# devices: 2
# Prints inside compiled code keep their order: per device, in device order.
fn f(x) {
    print("x = {x}")
    for i in 0..2 { print("turn {i}: {x * f32(i + 1):.1f}") }
    x
}
print(f(1.5))
let _ = pmap(f)(array([1.0, 2.0]))

