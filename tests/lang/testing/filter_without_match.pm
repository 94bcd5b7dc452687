# A filter that matches no test is an error; otherwise a misspelt filter would seem to succeed.
test "a" { assert(true) }

# command: test
# options: --filter=b
# exit: 1
# expect: no test has `b` in its name
