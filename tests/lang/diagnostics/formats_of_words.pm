# Formats that are errors in Python are errors.
# session: yes
print("{true:.3}")
print("{none:d}")
print("{f32:.2f}")
print("{-1:c}")
print("{(65, 1114112):c}")

# error: PM0116 "{true:.3}"
# message: `.3` is not a format for bool
# note: it is Python's format language: ">8", ".4f", "05d" ...
# error: PM0116 "{none:d}"
# message: `d` is not a format for `none`
# note: it is Python's format language: ">8", ".4f", "05d" ...
# error: PM0116 "{f32:.2f}"
# message: `.2f` is not a format for the dtype f32
# note: it is Python's format language: ">8", ".4f", "05d" ...
# error: PM0116 "{-1:c}"
# message: `c` is not a format for -1
# note: `c` shows the character of a number from 0 to 1114111, but for 55296 to 57343
# error: PM0116 "{(65, 1114112):c}"
# message: `c` is not a format for 1114112
# note: `c` shows the character of a number from 0 to 1114111, but for 55296 to 57343
