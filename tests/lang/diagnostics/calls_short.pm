# The short form has the calls in its one line.
fn double(x) {
    assert(all(x < 3), "too large")
    2 * x
}
fn quadruple(x) = double(double(x))
quadruple(array([1.0, 2.0]))

# options: --errors=short
# exit: 1
# stderr: {*}calls_short.pm:3:5: error[PM0503]: too large ([2, 4] < 3) (called at {*}calls_short.pm:6:19, {*}calls_short.pm:7:1)
