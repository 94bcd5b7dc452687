# What depends on the device is no constant, in a function and a loop neither.
fn lane(c) = c + axis_index("i")
fn body(x) = sum(x[lane(arange(4) * 0) == 0])
print(pmap(body, axis_name="i")(ones((4, 4))))
# error: PM0286 "lane(arange(4) * 0) == 0"
