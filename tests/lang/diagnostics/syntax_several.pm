# Several syntax errors of one file are all reported.
let a = [1, 2
fn f(x) = x + ;
let = 3
let ok = 1
print(ok

# error: PM0005
# message: missing `]`
# second: "["
# help: add `]`
# error: PM0001 ";"
# message: expected an expression, found `;`
# error: PM0001 "="
# message: expected a name or a pattern, found `=`
# error: PM0005
# message: missing `)`
# second: "("
# help: add `)`
