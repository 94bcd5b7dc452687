# A filter that matches no test is an error, so that a wrong name does not look like success.
test "a" { assert(true) }

# command: test
# options: --filter=b
# exit: 1
# expect: no test has `b` in its name
