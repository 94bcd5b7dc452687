# The warning of a call that is compiled for ever new arguments: once for each call, with the arguments that differ, at
# the 64th time, or at the 16th if there is much code.
fn smooth(x) = (x[1:] + x[:-1]) / 2
mut log = arange(90.0)
while len(log) > 1 { log = smooth(log) }
fn grid(n, scale) = scale * ones((n, 2))
mut total = 0.0
for n in 1..80 { total += sum(grid(n, scale=2.0)) }
print(log, total)
# Calls of `append` are not compiled at the top level. Calls in a function that is compiled once, and calls for a few sizes, are not reported.
fn all_sums(x) {
    mut sums = ()
    for k in 1..30 { sums = sums + (sum(x[0:k]),) }
    array(sums)
}
for n in 1..80 { log = append(log, log[0] + n) }
for n in 1..12 { total += sum(all_sums(ones(40))) + sum(ones(n)) }
fn large(x) {
    mut x = x
    for i in tuple(0..600) { x = x[::-1] }
    sum(x)
}
for n in 1..18 { total += 0 * large(zeros(n)) }

# exit: 0
# expect: [44.5] 12640.0
# error: PM0119 "smooth(log)"
# message: `smooth` was compiled 64 times for this call, each time for other arguments
# note: `x` was f32[28], and now is f32[27]
# help: keep the size: make the array once for the largest size, and assign its elements, x[i] = v
# error: PM0119 "grid(n, scale=2.0)"
# message: `grid` was compiled 64 times for this call, each time for other arguments
# note: `n` was i32 = 63, and now is i32 = 64
# help: put the loop around the call into a function
# error: PM0119 "large(zeros(n))"
# message: `large` was compiled 16 times for this call, each time for other arguments
# note: `x` was f32[15], and now is f32[16]
# help: keep the size: make the array once for the largest size, and assign its elements, x[i] = v
