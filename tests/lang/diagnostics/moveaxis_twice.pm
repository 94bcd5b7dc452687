print(moveaxis(zeros((2, 3, 4)), (0, 0), (1, 2)))

# error: PM0111 "(0, 0)"
# message: `moveaxis` needs every axis once, got (i32, i32)
