print(conv_general_dilated(zeros((1, 2, 3, 5)), zeros((4, 2, 5, 3)), (1, 1), "VALID"))
# error: PM0504 "conv_general_dilated(zeros((1, 2, 3, 5)), zeros((4, 2, 5, 3)), (1, 1), "VALID")"
# message: `conv_general_dilated`: a window of 5 does not fit into axis 2 of size 3
