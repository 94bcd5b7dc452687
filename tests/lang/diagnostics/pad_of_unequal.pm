print(pad_to((zeros(3), zeros(4)), 2))
# error: PM0504 "pad_to((zeros(3), zeros(4)), 2)"
# message: `pad_to` needs arrays of one size along axis 0, got 3 and 4
