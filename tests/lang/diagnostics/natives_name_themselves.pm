# The message of an error in a native function has the function's name, and the argument if the argument is wrong.
# session: yes
zeros("a")
zeros(3, dtype=3)
left_shift("a", 2)
bitwise_and(1, "a")
read_text(3)
sum([1, 2], axis="a")
ones(3).sum(axis="a")
roll([1, 2, 3], "a")
max(ones(3), keepdims=3)
hypot("a", 1.0)
shift_right_logical("a", 1)
ones(3) @ 2.0
nonzero("a")
concatenate(3)
concatenate(*3)
associative_scan(add, ones(3), axis="a")
map(fn(x) = zeros("a"), arange(3))
vmap(abs, axis_name=3)(ones(3))
vmap(abs, axis_size="a")(ones(3))
value_and_grad(abs, argnums="a")(3.0)
grad(abs, has_aux=3)(3.0)

# error: PM0111 ""a""
# message: `zeros`: a shape needs an integer, got a string
# error: PM0111 "3"
# message: the `dtype` of `zeros` needs a dtype, got an integer
# error: PM0111 ""a""
# message: `left_shift` needs a number or an array, got a string
# error: PM0111 ""a""
# message: `bitwise_and` needs a number or an array, got a string
# error: PM0111 "3"
# message: `read_text`: the path of a file needs a string, got an integer
# error: PM0111 ""a""
# message: `sum`: an axis needs an integer, got a string
# error: PM0111 ""a""
# message: `sum`: an axis needs an integer, got a string
# error: PM0111 ""a""
# message: `roll`: the shift needs an integer, got a string
# error: PM0111 "3"
# message: the `keepdims` of `max` needs a bool, got an integer
# error: PM0111 ""a""
# message: `hypot` needs a number or an array, got a string
# error: PM0111 ""a""
# message: `shift_right_logical`: a shift needs a number or an array, got a string
# error: PM0111
# message: `@` needs arrays with an axis, got a float
# error: PM0111
# message: `nonzero` needs a number or an array, got a string
# error: PM0111 "3"
# message: `concatenate` needs a tuple or an array, got an integer
# error: PM0117 "3"
# message: `*` spreads a tuple or an array, got an integer
# error: PM0111 ""a""
# message: `associative_scan`: an axis needs an integer, got a string
# error: PM0111 ""a""
# message: `zeros`: a shape needs an integer, got a string
# error: PM0111
# message: the `axis_name` of `vmap` needs a string, got an integer
# error: PM0111
# message: the `axis_size` of `vmap` needs an integer, got a string
# error: PM0111
# message: the `argnums` of `value_and_grad` needs an integer, got a string
# error: PM0111
# message: the `has_aux` of `grad` needs a bool, got an integer
