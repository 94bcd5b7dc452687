# The output of `pm test`. The module runs once, before its tests; its prints are shown only if a test fails.
print("the module runs")
mut counter = 1

fn half(x) {
    assert(x % 2 == 0, "odd")
    x // 2
}

test "assignments stay in their test" {
    counter = 5
    counter += half(4)
    assert(counter == 7)
}
test "the next one does not see them" { assert(counter == 1) }
test "both sides are shown" { assert(counter + 1 == 3) }
test "of `and` the side that fails" { assert(counter == 1 and counter > 1, "counts") }
test "compiled code" {
    print("before")
    half(3)
}
test "arrays" { assert(all([1, 2] * 2 == [2, 5])) }
test "large arrays" { assert(arange(100) < 50) }
test "large arrays in compiled code" { jit(fn(x) { assert(x.reshape(10, 10) != 33) })(arange(100)) }
test "arguments of a function" { assert(allclose([1.0, 2.0], [1.0, 2.5], rtol=1e-2)) }
test "each under vmap" { vmap(fn(x) { assert(x < 2) })(arange(4)) }
test "other errors" { print(zeros(3) + zeros(4)) }
test "not reached twice" { assert(true) }

# command: test
# options: --errors=short
# exit: 1
# expect: FAIL tests/lang/testing/failing.pm "both sides are shown": tests/lang/testing/failing.pm:16:31: error[PM0503]: the assertion does not hold: 2 == 3
# expect: FAIL tests/lang/testing/failing.pm "of `and` the side that fails": tests/lang/testing/failing.pm:17:39: error[PM0503]: counts (1 > 1)
# expect: before
# expect: FAIL tests/lang/testing/failing.pm "compiled code": tests/lang/testing/failing.pm:6:5: error[PM0503]: odd (1 == 0) (called at {*})
# expect: FAIL tests/lang/testing/failing.pm "arrays": tests/lang/testing/failing.pm:22:17: error[PM0503]: the assertion does not hold: [2, 4] == [2, 5]
# expect: FAIL tests/lang/testing/failing.pm "large arrays": tests/lang/testing/failing.pm:23:23: error[PM0503]: the assertion does not hold: at [50]: 50 < 50
# expect: FAIL tests/lang/testing/failing.pm "large arrays in compiled code": tests/lang/testing/failing.pm:24:52: error[PM0503]: the assertion does not hold: at [3, 3]: 33 != 33
# expect: FAIL tests/lang/testing/failing.pm "arguments of a function": tests/lang/testing/failing.pm:25:34: error[PM0503]: the assertion does not hold: allclose([1, 2], [1.0, 2.5], rtol=1e-2)
# expect: FAIL tests/lang/testing/failing.pm "each under vmap": tests/lang/testing/failing.pm:26:39: error[PM0503]: the assertion does not hold: 2 < 2
# expect: FAIL tests/lang/testing/failing.pm "other errors": tests/lang/testing/failing.pm:27:29: error[PM0204]: shapes (3,) and (4,) do not broadcast to one shape
# expect: 3 passed, 9 failed
