# options: --explain
# configs: compiled
# --explain reports calls of the program, not calls within the library.
fn f(x) = std(x)
print(f(ones(3)))
print(linalg.norm([3.0, 4.0]))

# expect: 0.0
# expect: 5.0
# stderr: {*}explain_of_library.pm:4:11: note: the function `std` is compiled for (f32[3])
# stderr: {*}explain_of_library.pm:5:7: note: the function `f` is compiled for (f32[3])
# stderr: {*}explain_of_library.pm:6:7: note: the function `norm` is compiled for (f32[2])
