print(conv_general_dilated(zeros((1, 4, 5, 5)), zeros((3, 2, 3, 3)), (1, 1), "SAME", feature_group_count=2))
# error: PM0504 "conv_general_dilated(zeros((1, 4, 5, 5)), zeros((3, 2, 3, 3)), (1, 1), "SAME", feature_group_count=2)"
# message: `conv_general_dilated` needs w that takes the features of x: x f32[1, 4, 5, 5] ("NCHW") has 4 in 2 groups, w f32[3, 2, 3, 3] ("OIHW") takes 2 and gives 3
