# A branch returns two updated copies of one array. For elements that do not take the branch, neither copy is changed.
# devices: 1 2 4
fn f(outer, inner, x) {
    if outer {
        let (a, b) = if inner { (x with [0] = 10.0, x with [1] = 20.0) } else { (x, x) }
        (b, sum(a))
    } else {
        (x, 0.0)
    }
}
let outer = [true, true, false, false]
let inner = [true, false, true, false]
let x = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]
print(vmap(f)(outer, inner, x))
# expect: ([[1, 20], [3, 4], [5, 6], [7, 8]], [12, 7, 0, 0])
print(pmap(f)(outer, inner, x))
# expect: ([[1, 20], [3, 4], [5, 6], [7, 8]], [12, 7, 0, 0])
fn g(turns, x) {
    mut x = x
    mut total = 0.0
    mut k = 0
    while k < turns {
        let (a, b) = if k % 2 == 0 { (x with [0] = 10.0 * k, x with [1] = 20.0 + k) } else { (x, x) }
        x = b
        total += sum(a)
        k += 1
    }
    (x, total)
}
for i in 0..3 { print(g(i, x[i])) }
# expect: ([1, 2], 0.0)
# expect: ([3, 20], 4.0)
# expect: ([5, 20], 31.0)
print(vmap(g)([0, 1, 2], x[:3]))
# expect: ([[1, 2], [3, 20], [5, 20]], [0, 4, 31])
