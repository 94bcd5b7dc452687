# The repairs in messages use the notation and the values of the program, and the name that was probably meant.
# session: yes
u64(0xFFFF_FFFF_FFFF_FFFF)
u64(0b1111111111111111111111111111111111111111111111111111111111111111)
0xFFFF_FFFF_FFFF_FFFF_FF
0xFFFFi8
tuple({w: i} for i in range(3))
sum(i for i in range(3))
prin(1)
pint(1)
fn f(x) { y = x + 1; y }
f(1)
let module_name = 1
fn g(x) { module_name = x }
g(1)
total += 1
repeat(arange(3), 10**11)
random.choice(random.key(0), 10**11)
one_hot(3, num_classes=10**11)
take(arange(3), 10**11)
gradient([1.0, 2.0], 10**11)[0] < 1e-10
# error: PM0012 "0xFFFF_FFFF_FFFF_FFFF"
# message: the number `0xFFFF_FFFF_FFFF_FFFF` does not fit i64
# help: write it as a u64: 0xFFFF_FFFF_FFFF_FFFFu64
# error: PM0012
# help: write it as a u64: 0b1111111111111111111111111111111111111111111111111111111111111111u64
# error: PM0012
# message: the number `0xFFFF_FFFF_FFFF_FFFF_FF` does not fit a whole number
# error: PM0012
# message: the number `0xFFFFi8` does not fit i8
# error: PM0001
# help: a comprehension in parentheses is a tuple, without a name in front: (f(x) for x in xs)
# error: PM0001
# help: a comprehension has brackets of its own: f([... for x in xs])
# error: PM0101 "prin"
# caret: did you mean `print`?
# error: PM0101 "pint"
# caret: did you mean `print`?
# error: PM0101 "y"
# help: a new name is made with `let`: let y = ...; one that changes later with `mut`: mut y = ...
# error: PM0108 "module_name"
# help: a name of the function's own is made with `let`: let module_name = ...
# error: PM0101 "total"
# help: declare it first: mut total = ...
# error: PM0111 "10**11"
# message: the `repeats` of `repeat` needs a whole number that fits i32, got 100000000000
# error: PM0111 "10**11"
# message: the `a` of `random.choice` needs a whole number that fits i32, got 100000000000
# error: PM0111 "10**11"
# message: the `num_classes` of `one_hot` needs a whole number that fits i32, got 100000000000
# error: PM0501 "10**11"
# message: index 100000000000 is out of range for axis 0 of size 3
# expect: true
