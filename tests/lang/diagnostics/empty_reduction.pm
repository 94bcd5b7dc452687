print(max(zeros((3, 0)), axis=1))

# error: PM0289 "max(zeros((3, 0)), axis=1)"
# message: `max` of f32[3, 0] has no value: its axis 1 is empty
# help: say what it is then: max(x, initial=...)
