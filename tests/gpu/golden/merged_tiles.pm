# A row of 5000 f64: tiles of 1024 in shared memory, merges through scratch memory, a launch for each pass.
fn places(x) = argsort(x)
places(zeros(5000, dtype=f64))
