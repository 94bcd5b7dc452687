# If data of 64 bits is an operand, a number is an f64, and so are the number's tangent and cotangent.
fn f(x, y) = x * y / 3
let x = f64([1.0])
print(jvp(f, (x, 0.3), (x, 0.1)), linearize(f, x, 0.3).1(x, 0.1))
print(vjp(fn(x, y) = (x, y / 3), x, 0.3).1((x, 0.1)), vjp(f, x, 0.3).1(x))
print(jvp(fn(x, p) = x * p.a + p.b, (x, {a: 0.1, b: 2}), (x, {a: 0.2, b: none})).1)

# expect: ([0.09999999999999999], [0.13333333333333333]) [0.13333333333333333]
# expect: ([1], 0.03333333333333333) ([0.09999999999999999], 0.3333333333333333)
# expect: [0.30000000000000004]
