fn f(x) = pmean(x, "batch")
print(f(3.0))

# error: PM0301 ""batch""
# message: `pmean` runs over axis `batch`, but no axis of that name is in scope
# caret: no pmap or vmap around names this axis
# note: no axis is in scope: the function is not called under pmap or vmap with an axis_name
# help: name the axis: pmap(..., axis_name="batch")
