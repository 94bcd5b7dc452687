print(einsum("ij,j->i", zeros((2, 3)), zeros(4)))

# error: PM0291 ""ij,j->i""
# message: einsum "ij,j->i": `j` is 3 in operand 0 and 4 in operand 1
