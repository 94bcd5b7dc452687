let x = arange(3)
print(x with [0] //= 2)

# configs: compiled
# error: PM0031 "//="
# message: `//=` is not an update after `with`
# help: the updates are = += -= *= /= min= max=
