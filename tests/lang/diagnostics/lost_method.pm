# The result of a library function without effects must be used; a function of the program may be called for its prints.
fn shown(x) { print(x); x }
mut x = [1, 2]
shown(x)
block_until_ready(x)
x.append(4)
print(x)
# expect: [1, 2]
# error: PM0110 "x.append(4)"
# message: the value of this statement is lost, and it does nothing else
# note: `append` gives a new value and leaves `x` as it is
# help: keep it: x = x.append(4)
