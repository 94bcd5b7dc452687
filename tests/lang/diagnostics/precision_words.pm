# The precision of a product must be one of three words if it is specified.
# session: yes
matmul(ones((3, 4)), ones((4, 2)), precision="fast")
dot(ones(3), ones(3), precision="float32")
einsum("ij,jk->ik", ones((3, 4)), ones((4, 2)), precision=3)
nn.conv(ones((1, 4, 3)), ones((2, 3, 3)), precision="exact")
convolve(ones(3), ones(2), precision=("high", "high"))
matmul(ones((3, 4)), ones((4, 2)), precision="high").shape

# error: PM0111 ""fast""
# message: the `precision` of `matmul` needs "default", "high" or "highest", got "fast"
# error: PM0111 ""float32""
# message: the `precision` of `dot` needs "default", "high" or "highest", got "float32"
# error: PM0111 "3"
# message: the `precision` of `einsum` needs "default", "high" or "highest", got an integer
# error: PM0111 ""exact""
# message: the `precision` of `nn.conv` needs "default", "high" or "highest", got "exact"
# error: PM0111 "("high", "high")"
# message: the `precision` of `convolve` needs "default", "high" or "highest", got a tuple of 2
# expect: (3, 2)
