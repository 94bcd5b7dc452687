# A text that writes no number of the dtype is refused. The message shows the text and how to write it.
# session: yes
f32("3.5 kg")
float("nan(0)")
c64("1+j")
f64("1e999")
i32("3.5")
int("+-3")
i8("128")
u64("18446744073709551616")
bool("True")

# error: PM0111 "f32("3.5 kg")"
# message: `f32` needs the text of a number, got "3.5 kg"
# help: write the number alone, as in a program: -2.5e3
# error: PM0111 "float("nan(0)")"
# message: `float` needs the text of a number, got "nan(0)"
# error: PM0111 "c64("1+j")"
# message: `c64` needs the text of a number, got "1+j"
# error: PM0012 "f64("1e999")"
# message: the number `1e999` does not fit f64
# help: infinity is the text inf
# error: PM0111 "i32("3.5")"
# message: `i32` needs the text of an integer, got "3.5"
# help: read a float, and convert it: i32(float(s))
# error: PM0111 "int("+-3")"
# help: write decimal digits alone: -12
# error: PM0012 "i8("128")"
# message: the number `128` does not fit i8
# note: i8 holds -128 to 127
# error: PM0012 "u64("18446744073709551616")"
# message: the number `18446744073709551616` does not fit u64
# help: read it with a dtype that holds it: f64(s)
# error: PM0111 "bool("True")"
# message: `bool` needs the text true or false, got "True"
# help: compare the text: s == "yes"
