# A value that is no function is an error at the call that it is passed to, not where its derivative is computed.
# session: yes
let j = jacrev(3)
let k = jacfwd([1.0])
jacobian("a")
hessian(3)(2.0)
jacrev(f32)(2.0)

# expect: 1.0
# error: PM0504 "jacrev(3)"
# message: `jacrev` needs a function, got i32
# error: PM0504 "jacfwd([1.0])"
# message: `jacfwd` needs a function, got f32[1]
# error: PM0504 "jacobian("a")"
# message: `jacobian` needs a function, got str
# error: PM0504 "hessian(3)"
# message: `hessian` needs a function, got i32
