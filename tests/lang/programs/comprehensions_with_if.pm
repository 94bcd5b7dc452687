# A comprehension with `if` leaves out elements. It has the same results at the top level, in compiled and in interpreted functions.
let xs = [3.0, -1.0, 2.0, -4.0]
print([x * 2 for x in xs if x > 0], (x for x in xs if x < 0), [i for i in 0..10 if i % 3 == 1])
print(
    (name for (name, v) in {a: 1, b: -1, c: 2} if v > 0),
    [len(w) for w in ("ab", "c", "def") if len(w) > 1],
)
print(
    [row.y for row in each({x: xs, y: arange(4)}) if row.x > 0],
    [i * x for (i, x) in enumerate(xs) if i > 1],
)
print([[i * j for j in 0..4 if j != i] for i in 0..2], (i for i in 0..3 if true))

# Known conditions in compiled code.
fn known(x, n) = [x ** i for i in 0..n if i % 2 == 0]
print(
    known(2.0, 5),
    grad(fn(x) = sum(known(x, 5)))(2.0),
    vmap(known, in_axes=(0, none))([1.0, 2.0], 4),
)
fn named(p) = sum(array((sum(v) for (name, v) in p if name != "bias")))
print(named({w: [1.0, 2.0], bias: [5.0]}), grad(named)({w: [1.0, 2.0], bias: [5.0]}))
# A condition on the elements decides the length: the function is interpreted. A number becomes known.
fn positive(v) = [x * 2 for x in v if x > 0]
fn up_to(n, limit) = (i for i in 0..n if i < limit)
print(positive(xs), sum(positive(-xs)), up_to(5, 3), len(up_to(9, 2)))

# Nothing is left: the array has the type of the body's results.
print(
    [x for x in xs if x > 9].dtype,
    [[x, x] for x in xs if x > 9].shape,
    ((x, 1) for x in xs if x > 9),
    [{a: i} for i in 0..3 if i > 5],
)
fn none_of(v) = [[i32(x), 1] for x in v if x > 9]
print(none_of(xs).shape, none_of(xs).dtype)

# The names of the element are visible in the condition, and nowhere else.
let x = 7
print([x for x in 0..3 if x > 0], x)

fn counted(v) { print("asked for {v}"); v > 1 }
print([v for v in (1, 2, 3) if counted(v)])
fn none_known(n) = [[0.5 * i, i] for i in 0..n if i > 9]
print(none_known(3).shape, none_known(3).dtype)

# expect: [6, 4] (-1.0, -4.0) [1, 4, 7]
# expect: ("a", "c") [2, 3]
# expect: [0, 2] [4, -12]
# expect: [[0, 0, 0], [0, 2, 3]] (0, 1, 2)
# expect: [1, 4, 16] 36.0 [[1, 1], [1, 4]]
# expect: 3.0 {w: [1, 1], bias: [0]}
# expect: [6, 4] 10.0 (0, 1, 2) 2
# expect: f32 (0, 2) () {a: []}
# expect: (0, 2) i32
# expect: [1, 2] 7
# expect: asked for 1
# expect: asked for 2
# expect: asked for 3
# expect: [2, 3]
# expect: (0, 2) f32
