let r = json.parse("{{\"a\": [1, 2,\n  oops]}}")
let e = json.parse("")
let n = json.format({x: (1.0, nan)})
let c = json.format(print)

# error: PM0609 "json.parse("
# message: the text is not JSON: line 2, column 3: unexpected `o`
