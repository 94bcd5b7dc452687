# devices: 2
# Prints in compiled code are in the order of the program for each device; the devices follow each other in order.
fn f(x) {
    print("x = {x}")
    for i in 0..2 { print("turn {i}: {x * f32(i + 1):.1f}") }
    x
}
print(f(1.5))
let _ = pmap(f)(array([1.0, 2.0]))


# expect: x = 1.5
# expect: turn 0: 1.5
# expect: turn 1: 3.0
# expect: 1.5
# expect: x = 1.0
# expect: turn 0: 1.0
# expect: turn 1: 2.0
# expect: x = 2.0
# expect: turn 0: 2.0
# expect: turn 1: 4.0
