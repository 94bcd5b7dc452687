# session: yes
print(repeat([1, 2, 3], [1, 2]))
print(repeat([1, 2, 3], [1, -1, 2]))
print(repeat([1, 2, 3], (1, -1, 2)))
fn in_compiled(x, counts) = repeat(x, counts, total_repeat_length=3)
print(in_compiled([1, 2, 3], [2, -1, 2]))

# error: PM0504 "repeat([1, 2, 3], [1, 2])"
# message: `repeat` needs a whole number, or one for each of 3 elements, got i32[2]
# error: PM0503 "repeat([1, 2, 3], [1, -1, 2])"
# message: no element of the `repeats` of `repeat` may be negative, got [1, -1, 2]
# error: PM0503 "repeat([1, 2, 3], (1, -1, 2))"
# message: no element of the `repeats` of `repeat` may be negative, got [1, -1, 2]
# error: PM0503 "repeat(x, counts, total_repeat_length=3)"
# message: no element of the `repeats` of `repeat` may be negative, got [2, -1, 2]
