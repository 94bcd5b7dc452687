print(zeros([2, 3]))

# error: PM0111 "[2, 3]"
# message: `zeros`: a shape needs a number, got i32[2]
# help: write several in round brackets, (2, 3): square ones make an array
