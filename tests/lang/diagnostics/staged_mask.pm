fn f(x) = x[x > 1.0]
print(f(arange(4.0)), sum(jit(f)(arange(4.0))))
print(vmap(f)([[1.0, 2.0]]))

# expect: [2, 3] 5.0
# error: PM0286 "x > 1.0"
# message: a mask that is computed in compiled code gives a result of unknown size
# help: keep the size: where(mask, x, 0)
# help: or say how many there are at most: x[nonzero(mask, size=n)[0]]
