fn f(x, i) = x[i:+3]
print(f(arange(4.0), 2))

# error: PM0501 "i:+3"
# message: the window 2:+3 is out of range for axis 0 of size 4
# help: a window of 3 can begin at 0 to 1
