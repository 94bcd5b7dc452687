print(insert([1, 2, 3], [true, false, true], 7))
# error: PM0504 "insert([1, 2, 3], [true, false, true], 7)"
# message: `insert` takes places, not a mask, got bool[3]: flatnonzero(mask) gives them
