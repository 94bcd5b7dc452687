# A file without tests says so, and does not run; that no test ran at all is an error.
print("this is not printed")

# command: test
# exit: 1
# expect: tests/lang/testing/no_tests.pm: no tests
# expect: no tests
