print(delete([1, 2, 3], "b"))
# error: PM0504 "delete([1, 2, 3], "b")"
# message: `delete` takes places: whole numbers, one or several, or a mask, got str
