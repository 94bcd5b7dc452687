# command: check
# configs: compiled
let x = [1.0]
test "near" { allclose(x, [1.0]) }
# error: PM0110 "allclose(x, [1.0])"
# message: the value of this statement is lost, and it does nothing else
# help: keep it: let y = allclose(x, [1.0])
