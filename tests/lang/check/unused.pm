# Names and parameters that are never read, and functions that are defined twice, are reported. So is no name that is
# read in a function defined in its scope, in a size, in a text, or through a method.
# command: check
# configs: compiled
let at_top_level = 1
fn f(x) {
    let unread = x + 1
    mut assigned = 0
    assigned = 2
    let {a, b: c} = {a: 1, b: 2}
    let (one, two) = (1, 2)
    let _silent = 3
    a + one
}
f(1)
fn g(x, y, _z) = x
print(g(1, 2, 3))
fn passed(x, y) = x
print(tree_map(passed, (1, 2), (3, 4)))
let stored = {of: passed}
fn g(x) = x
fn local(x: f32[n]) {
    let scale = 2.0
    fn helper(y) = y * scale
    fn other(y) = y
    let again = 1
    let again = again + 1
    let twice = 1
    let twice = 2
    let width = 8
    print("{n:{width}}", again, twice)
    for i in 0..3 { let part = x[i] }
    x.helper() + [0.0 for k in x]
}
fn pair((first, second)) = first
fn heads(x: f32[t, e], w: f32[e, h]) = x.reshape(t, h, e // h)
fn sized(x: f32[t, e], w: f32[t, e]) = x
fn recursive(n, depth) = if n == 0 { 0 } else { recursive(n - 1, depth + 1) }
test "a test" {
    let unused_here = 3
    assert(1 < 2)
}
let anonymous = fn(x, y) = x
fn wrapped(x) = x
let inner = wrapped
fn wrapped(x) = 2 * inner(x)
fn lost(x) = x
fn lost(x) = 2 * x

# exit: 0
# expect: {*}unused.pm: no errors, 9 warnings
# error: PM0124 "unread"
# message: `unread` is never read
# help: remove it, or begin its name with `_`
# error: PM0124 "assigned"
# message: `assigned` is never read
# help: remove it, or begin its name with `_`
# error: PM0124 "c"
# message: `c` is never read
# help: remove it, or begin its name with `_`
# error: PM0125 "y"
# message: the parameter `y` of `g` is never read
# help: remove it, or begin its name with `_`
# error: PM0124 "other"
# message: `other` is never read
# help: remove it, or begin its name with `_`
# error: PM0124 "twice"
# message: `twice` is never read
# help: remove it, or begin its name with `_`
# error: PM0124 "part"
# message: `part` is never read
# help: remove it, or begin its name with `_`
# error: PM0124 "unused_here"
# message: `unused_here` is never read
# help: remove it, or begin its name with `_`
# error: PM0123 "lost"
# message: the function `lost` is defined twice: this definition replaces the first one
# second: "lost" the first definition
# help: give one of them another name
