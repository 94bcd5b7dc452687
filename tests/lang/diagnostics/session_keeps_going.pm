# session: yes
let a = 3
a + nothing
let a = [1, 2
]
a
fn f(x) = x * 2
f(a)
f()
f(a) + 1

# expect: [1, 2]
# expect: [2, 4]
# expect: [3, 5]
# error: PM0101 "nothing"
# message: unknown name `nothing`
# error: PM0103 "f()"
# message: `f` takes 1 argument, got 0
# second: "fn f(x)"
