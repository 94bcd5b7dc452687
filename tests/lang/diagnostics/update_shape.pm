mut x = zeros((2, 3))
x[0] = ones(2)
print(x)

# error: PM0288 "x[0]"
# message: the value of shape (2,) does not fit the place of shape (3,)
