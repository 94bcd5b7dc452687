# Known texts are searched while a function is compiled. A function that reads a file is interpreted.
fn columns(x, names) {
    let wanted = (i for (i, name) in enumerate(names) if regex.test(name, r"^x\d+$"))
    stack((x[i] for i in wanted))
}
print(columns([1.0, 2.0, 3.0], ("x1", "y", "x20")), jit(fn(x) = x * len(regex.find_all("a-b", r"\w")))(2.0))

# The size of a layer is read from its name.
fn layer(name, x) = zeros(int(regex.groups(name, r"dense_(?P<size>\d+)").size)) + x
print(layer("dense_3", 1.5), grad(fn(x) = sum(layer("dense_3", x)))(1.0))

# The number of groups is not limited by the number of references, and large texts are searched in linear time.
let many = "(a)" * 20
print(len(regex.match("a" * 20, many).groups), len(regex.find("a" * 1000000, "(a*)*$").text))
print(len(regex.split("1,2," * 20000, ",")), regex.replace("abcdefghij", "(a)(b)(c)(d)(e)(f)(g)(h)(i)", r"\9\1"))

# expect: [1, 3] 4.0
# expect: [1.5, 1.5, 1.5] 3.0
# expect: 20 1000000
# expect: 40001 iaj
