print(sqrt("2"))

# error: PM0111 ""2""
# message: `sqrt` needs a number or an array, got a string
