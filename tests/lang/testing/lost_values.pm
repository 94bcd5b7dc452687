# An unused value fails the test that contains it; outside of tests it fails the file. The other tests run.
let x = 3
x + 1
test "one" { x + 2 }
test "two" { assert(x == 3) }
test "three" { [v + x for v in 0..3] }
test "four" { assert(x == 3) }

# command: test
# options: --errors=short
# exit: 1
# expect: FAIL tests/lang/testing/lost_values.pm: tests/lang/testing/lost_values.pm:3:1: error[PM0110]: the value of this statement is lost, and it does nothing else
# expect: FAIL tests/lang/testing/lost_values.pm "one": tests/lang/testing/lost_values.pm:4:14: error[PM0110]: the value of this statement is lost, and it does nothing else
# expect: FAIL tests/lang/testing/lost_values.pm "three": tests/lang/testing/lost_values.pm:6:16: error[PM0110]: the value of this statement is lost, and it does nothing else
# expect: 2 passed, 3 failed
