# All forms of an index and of an update have the same results at the top level and in a compiled function.

let x = arange(24).reshape(2, 3, 4)
print((x[1, 2, 3], x[-1, -1, -1], x[1:3, :, ::2].shape, x[..., 0], x[none].shape, x[:, none, 1].shape, x[0, ..., 1:3].shape))
fn case1() {
    let x = arange(24).reshape(2, 3, 4)
    (x[1, 2, 3], x[-1, -1, -1], x[1:3, :, ::2].shape, x[..., 0], x[none].shape, x[:, none, 1].shape, x[0, ..., 1:3].shape)
}
print(case1())

let x = arange(5)
print(x.take(7, mode="clip"))
fn case2() {
    let x = arange(5)
    x.take(7, mode="clip")
}
print(case2())

let x = zeros(3)
print(x with [[0, 0, 2]] += 1.0 with [1] = 5)
fn case3() {
    let x = zeros(3)
    x with [[0, 0, 2]] += 1.0 with [1] = 5
}
print(case3())

let x = zeros(4)
print((x with [[0, 0]] -= [1.0, 2], ones(4) with [[1, 1]] *= [2.0, 3], x with [[0, 0]] max= [1.0, -2], x with [[0, 0]] min= [1.0, -2]))
fn case4() {
    let x = zeros(4)
    (x with [[0, 0]] -= [1.0, 2], ones(4) with [[1, 1]] *= [2.0, 3], x with [[0, 0]] max= [1.0, -2], x with [[0, 0]] min= [1.0, -2])
}
print(case4())

let r = {w: zeros(2), b: 0}
print(r with .w = 1 with .b = 2)
fn case5() {
    let r = {w: zeros(2), b: 0}
    r with .w = 1 with .b = 2
}
print(case5())

let t = (1, 2)
print(t with [0] = 5 with .1 = 6)
fn case6() {
    let t = (1, 2)
    t with [0] = 5 with .1 = 6
}
print(case6())

let x = arange(6).reshape(2, 3)
print(x[..., none].shape)
fn case7() {
    let x = arange(6).reshape(2, 3)
    x[..., none].shape
}
print(case7())

let x = zeros(3, dtype=bf16)
print((x with [0] = 1.5).dtype)
fn case8() {
    let x = zeros(3, dtype=bf16)
    (x with [0] = 1.5).dtype
}
print(case8())

let x = arange(4)
print(x[(1)])
fn case9() {
    let x = arange(4)
    x[(1)]
}
print(case9())

let x = random.split(random.key(0), 3)
print(x[1:].shape)
fn case10() {
    let x = random.split(random.key(0), 3)
    x[1:].shape
}
print(case10())

let x = arange(6)
print(x[i32(2)])
fn case11() {
    let x = arange(6)
    x[i32(2)]
}
print(case11())

let x = arange(6)
print(x[u8(2)])
fn case12() {
    let x = arange(6)
    x[u8(2)]
}
print(case12())

let x = arange(6)
print(x[array([0, 1], dtype=u8)])
fn case13() {
    let x = arange(6)
    x[array([0, 1], dtype=u8)]
}
print(case13())

# expect: (23, 23, (1, 3, 2), [[0, 4, 8], [12, 16, 20]], (1, 2, 3, 4), (2, 1, 4), (3, 2))
# expect: (23, 23, (1, 3, 2), [[0, 4, 8], [12, 16, 20]], (1, 2, 3, 4), (2, 1, 4), (3, 2))
# expect: 4
# expect: 4
# expect: [2, 5, 1]
# expect: [2, 5, 1]
# expect: ([-3, 0, 0, 0], [1, 6, 1, 1], [1, 0, 0, 0], [-2, 0, 0, 0])
# expect: ([-3, 0, 0, 0], [1, 6, 1, 1], [1, 0, 0, 0], [-2, 0, 0, 0])
# expect: {w: 1, b: 2}
# expect: {w: 1, b: 2}
# expect: (5, 6)
# expect: (5, 6)
# expect: (2, 3, 1)
# expect: (2, 3, 1)
# expect: bf16
# expect: bf16
# expect: 1
# expect: 1
# expect: (2,)
# expect: (2,)
# expect: 2
# expect: 2
# expect: 2
# expect: 2
# expect: [0, 1]
# expect: [0, 1]
