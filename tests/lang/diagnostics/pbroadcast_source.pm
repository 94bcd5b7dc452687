# The call is an error while the function is compiled, although the result of the call is not used.
# devices: 2
fn f(x) {
    let unused = pbroadcast(x, "i", 2)
    x
}
print(pmap(f, axis_name="i")(arange(2.0)))

# error: PM0504
# message: `source` is a place from 0 to 1 along the axis, not 2
