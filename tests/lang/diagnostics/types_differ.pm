fn f(x) = if sum(x) > 0.0 { x } else { 0.0 }
print(f(ones(3)))

# error: PM0272 "if sum(x) > 0.0 { x } else { 0.0 }"
# message: `if` gives f32[3] on one side and f32 on the other
# note: both sides of a condition that is computed in compiled code give the same type
