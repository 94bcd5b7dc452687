# A file without tests is reported and does not run; it is an error if no test ran at all.
print("this is not printed")

# command: test
# exit: 1
# expect: tests/lang/testing/no_tests.pm: no tests
# expect: no tests
