# An error inside of a library function stands at the user's call; the library's line is at most a note, and what the library
# refuses in its own words has none.
fn layer(x) = nn.layer_norm(x, ones(2), zeros(2))
print(layer(ones(2)))
print(layer(ones(3)))

# expect: [0, 0]
# error: PM0204 "nn.layer_norm(x, ones(2), zeros(2))"
# note: in the library, <stdlib>/nn.pm:
