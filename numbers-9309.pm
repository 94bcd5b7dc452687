# fuzz --only numbers --seed 9309 --count 1: differs without `write_text`
mut whole = 3
let half = 0.5
let both = {a: 2, b: 1.5}
fn smaller(a, b) = 0 + if a < b { a } else { b }
fn larger(a, b) = 0 + if a > b { a } else { b }
fn scaled(name, x) = if name == "half" { x * 0.5 } else if name == "twice" { x * 2 } else { x }
fn optional(x, b=none) = if b == none { x + 1 } else { x * b }
fn adder(k) = fn(x) = x + k
fn factorial(n) = if n < 2 { 1 } else { n * factorial(n - 1) }
fn squared(n) = if n == 0 { zeros(2)[0] } else { n * n }
fn f(n, m, x, b, a) {
    write_text("/dev/null", "")
    let v1 = a[m:]
    mut m2 = len("ab" * m)
    m2 = ((m * x) * (2.5 - m))
    if (n > 0 or n == 2) {
        mut w3 = 0
        while w3 < 1 {
            w3 += 1
            if (n > 2 or b) {
                let v4 = (0.1 % 2)
                return (round(100000), (v4 * 7))
            }
        }
        let (v5, v6) = scan(fn(c, j) = (c * 0.5 + m2, c + j), n, i32(arange((m // 2))))
        return (optional(v5, b=x), m)
    }
    let v7 = (0.1 % 5)
    for k8 in 0..(m // 2) {
        m2 -= 1
        let (v9, v10) = scan(fn(c, j) = (c * 0.5 + 0.1, c + j), k8, i32(arange((if v7 > 0.5 { n } else { 1 }))))
    }
    (sum([v7 for j in 0..(if m > 1 { 2 } else { m })]), half)
}
let result = f(3, 1, bf16(0.5), false, f64([0.5, 1.5]))
print(result)
print(tree_map(fn(x) = (x.dtype, (x * 0 + i8(1)).dtype, (x * 0 + f16(1)).dtype), result))
