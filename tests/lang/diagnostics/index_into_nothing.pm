fn f(x, i) = x[i] * 2
print(f(zeros(0), 0))
# error: PM0501 "i"
# message: index 0 is out of range for axis 0 of size 0
# help: there is nothing to index
