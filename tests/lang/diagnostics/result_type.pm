print(associative_scan(fn(a, b) = sum(a) + sum(b), ones(4)))

# error: PM0293 "associative_scan(fn(a, b) = sum(a) + sum(b), ones(4))"
# message: the function under `associative_scan` must give what it is given, f32[2], but gives f32
