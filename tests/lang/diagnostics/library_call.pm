# An error inside of a library function stands at the user's call; the library's line is at most a note, and what the library
# refuses in its own words has none.
fn layer(x) = nn.dense({w: eye(2), b: zeros(2)}, x)
print(layer(ones(2)))
print(layer(ones(3)))

# expect: [1, 1]
# error: PM0278 "nn.dense({w: eye(2), b: zeros(2)}, x)"
# note: in the library, <stdlib>/nn.pm:
