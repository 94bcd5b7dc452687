print(concatenate((zeros((2, 3)), zeros((2, 4)))))

# error: PM0240 "concatenate((zeros((2, 3)), zeros((2, 4))))"
# message: cannot concatenate f32[2, 3] and f32[2, 4] along axis 0
