let list = "[1, 2,\n  oops]"
let r = json.parse(list)

# error: PM0609 "json.parse(list)"
# message: `json.parse`: the text is not JSON: line 2, column 3: unexpected `o`
