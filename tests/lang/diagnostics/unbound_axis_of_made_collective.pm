print(pmap(fn(x) = pargmax(x, "j"), axis_name="i")([1.0, 3.0]))

# error: PM0301 "pargmax(x, "j")"
# message: `pargmax` runs over axis `j`, but no axis of that name is in scope
# help: use the axis that is in scope: pargmax(..., "i")
# devices: 2
