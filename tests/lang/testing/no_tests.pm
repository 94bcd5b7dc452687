# A file without tests says so, and does not run.
print("this is not printed")

# command: test
# expect: tests/lang/testing/no_tests.pm: no tests
# expect: 0 passed, 0 failed
