# Static arguments are constants of compiled code: functions, numbers, text, trees. Each value is compiled once.
# devices: 2
# configs: compiled
# options: --explain
fn apply(x, f, k) = f(x) * k
let g = pmap(apply, axis_name="i", static_broadcasted_argnums=(1, 2))
print(g(arange(2.0), negative, 3))
print(g(arange(2.0), square, 3))
print(g(arange(2.0), negative, 3))
print(g(arange(2.0), negative, 4))
print(g(arange(2.0), square, 3))

# expect: [-0, -3]
# expect: [0, 3]
# expect: [-0, -3]
# expect: [-0, -4]
# expect: [0, 3]
# stderr: {*}static_arguments.pm:7:7: note: the function `pmap(apply)` is compiled for (f32[2], function, i32), with numbers that decide how it is compiled
# stderr: {*}static_arguments.pm:8:7: note: the function `pmap(apply)` is compiled for (f32[2], function, i32), with numbers that decide how it is compiled
# stderr: {*}static_arguments.pm:10:7: note: the function `pmap(apply)` is compiled for (f32[2], function, i32), with numbers that decide how it is compiled
