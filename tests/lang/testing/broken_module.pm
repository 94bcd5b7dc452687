# An error outside of the tests counts as one failure, and the tests of the file do not run.
let x = [1, 2][3]
test "a" { assert(x == 1) }

# command: test
# options: --errors=short
# exit: 1
# expect: FAIL tests/lang/testing/broken_module.pm: tests/lang/testing/broken_module.pm:2:{*}: error[PM0501]: index 3 is out of range for axis 0 of size 2
# expect: 0 passed, 1 failed
