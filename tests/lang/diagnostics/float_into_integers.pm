mut x = zeros(4, i32)
x[1] = 2.5

# error: PM0111 "x[1]"
# message: a place in an array of i32 needs values that fit i32, got a float
# help: convert it: i32(...)
