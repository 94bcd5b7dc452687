fn f(n) = zeros(n)
print(f(i32(2)))
print(vmap(f)([1, 2]))

# expect: [0, 0]
# error: PM0274 "n"
# message: a shape must be known before the program runs, but it is computed from the elements of an array
# second: "vmap(f)([1, 2])" here it comes from the elements of an array
# note: through `vmap(f)`
