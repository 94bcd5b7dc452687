fn f(x) = if x { 1 } else { 2 }
print(f(3))

# error: PM0279 "x"
# message: a condition is a bool, got i32
# help: compare it: `... != 0`
