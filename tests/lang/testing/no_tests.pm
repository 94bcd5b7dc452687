# A file without tests is reported and does not run. If no test ran at all, that is an error.
print("this is not printed")

# command: test
# exit: 1
# expect: tests/lang/testing/no_tests.pm: no tests
# expect: no tests
