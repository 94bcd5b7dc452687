let f = custom_vjp(sin, cos, 3)

# error: PM0102 "3"
# message: an integer is not a function
