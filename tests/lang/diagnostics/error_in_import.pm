import "_broken.pm" as broken
print(broken.y)

# error: PM0111 "[1, 2] @ x"
# message: `@` needs arrays with an axis, got an integer
# second: ""_broken.pm"" imported here
