fn f(x, w) = "{x:{w}}"
print(f(2, 3.0))

# error: PM0111 "w"
# message: a format needs an integer, got f32
