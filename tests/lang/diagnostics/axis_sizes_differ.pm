# devices: 2
fn f(x, y) = x + y
print(pmap(f)(zeros((2, 3)), zeros((4, 3))))

# error: PM0311 "zeros((4, 3))"
# message: `pmap` got different sizes for the axes it maps: 2 along axis 0 of argument 0, `x`, f32[2, 3], but 4 along axis 0 of argument 1, `y`, f32[4, 3]
# second: "zeros((2, 3))"
# caret: size 4
# second: "zeros((2, 3))" size 2
# help: cut the longer one to 2
# help: or give every slice the whole of it: in_axes=(0, none)
