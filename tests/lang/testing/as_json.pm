# With --errors=json every line of standard error is a JSON object; standard output has text for people.
test "fails" { fail("so") }

# command: test
# options: --errors=json
# exit: 1
# expect: FAIL tests/lang/testing/as_json.pm "fails"
# expect: 0 passed, 1 failed
# stderr: {"code":"PM0504","name":"stopped_by_fail","severity":"error","message":"so","file":"tests/lang/testing/as_json.pm","spans":[{"file":"tests/lang/testing/as_json.pm","line":2,"column":16,"end_line":2,"end_column":26}],"labels":[""],"notes":[],"fixes":[],"calls":[],"more_calls":0}
