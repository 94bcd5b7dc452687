fn f(x: f32[n], y: f32[n]) = x + y
print(f(y=ones(3), x=ones(2)))

# error: PM0277 "ones(3)"
# message: the size `n` is 3 here, but 2 elsewhere
# second: "n" `n` is here
