# The message has the layout that the call of lax names, not the name or the layout of an inner function.
print(conv_general_dilated(zeros((1, 3, 5, 5)), zeros((4, 2, 3, 3)), (1, 1), "SAME"))
# error: PM0504 "conv_general_dilated(zeros((1, 3, 5, 5)), zeros((4, 2, 3, 3)), (1, 1), "SAME")"
# message: `conv_general_dilated` needs w that takes the features of x: x f32[1, 3, 5, 5] ("NCHW") has 3, w f32[4, 2, 3, 3] ("OIHW") takes 2 and gives 4
