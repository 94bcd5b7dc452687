fn f(x) = x * 2
print(grad(f)(ones(3)))

# error: PM0401 "grad(f)(ones(3))"
# message: `grad` needs a function that returns one number; `f` returns f32[3]
# help: sum it (gradient of the total): grad(fn(x) = sum(f(x)))
# help: per-row gradients: vmap(grad(row_loss))
# help: all derivatives: jacrev(f)
# second: "fn f(x)" returns f32[3]
