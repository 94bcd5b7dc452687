# options: --explain
# configs: compiled
# A number of a `mut` global is a parameter of compiled code, except a number that must be known.
mut lr = 0.5
mut n = 2
fn inner(x) = x * lr
fn step(x) = x - inner(x)
fn sized(x) = x + ones(n)
mut x = 16.0
for i in 0..4 {
    lr = 1 / (i + 2)
    x = step(x)
}
print(x, sized(1))
n = 3
print(sized(1))

# expect: 3.1999998 [2, 2]
# expect: [2, 2, 2]
# stderr: {*}.pm:7:18: note: the function `inner` is compiled for (f32)
# stderr: {*}.pm:12:9: note: the function `step` is compiled for (f32)
# stderr: {*}.pm:14:10: note: the function `sized` is compiled for (i32)
# stderr: {*}.pm:16:7: note: the function `sized` is compiled for (i32)
