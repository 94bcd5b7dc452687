# Runs only tests whose name contains the text. A long message is shown as in `pm run`.
fn square(x) = x * x

test "squares of numbers" { assert(square(3) == 10) }
test "squares of arrays" { assert(square([1, 2])[1] == 4) }
test "something else" { fail("not asked for") }

# command: test
# options: --filter=squares
# exit: 1
# expect: FAIL tests/lang/testing/filtered.pm "squares of numbers"
# expect: error[PM0503]: the assertion does not hold: 9 == 10
# expect:  --> tests/lang/testing/filtered.pm:4:29
# expect: 4 | test "squares of numbers" { assert(square(3) == 10) }
# expect:   |                             ^^^^^^^^^^^^^^^^^^^^^^^
# expect: 1 passed, 1 failed
