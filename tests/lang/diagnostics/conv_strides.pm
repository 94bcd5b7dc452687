print(conv_general_dilated(zeros((1, 2, 5, 5)), zeros((4, 2, 3, 3)), (0, 1), "SAME"))
# error: PM0504 "conv_general_dilated(zeros((1, 2, 5, 5)), zeros((4, 2, 3, 3)), (0, 1), "SAME")"
# message: the `window_strides` of `conv_general_dilated` must be an integer of at least 1, got 0
