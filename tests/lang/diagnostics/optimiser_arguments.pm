# The message of an optimiser names the wrong argument: the rate, or gradients whose tree differs from the parameters'.
# session: yes
optim.adam("x")
optim.sgd([0.1, 0.2])
let o = optim.adam(0.1)
let p = {layers: ({w: zeros((2, 3)), b: zeros(3)}, zeros(2)), scale: 1.0}
let s = o.init(p)
o.update(p, s, {layers: ({w: zeros((2, 3)), b: zeros(3)}, zeros(2))})
o.update(p, s, {layers: ({w: zeros((3, 2)), b: zeros(3)}, zeros(2)), scale: 1.0})
o.update(p, s, {layers: ({w: zeros((2, 3)), b: zeros(3)},), scale: 1.0})
o.update(p, s, p.layers)
o.update(p, p, s)
o.update(p, s)
o.update(zeros(3), s, zeros(3))
let q = optim.sgd(0.1)
q.update(zeros(3), q.init(zeros(3)), ones((2, 3)))
q.update(zeros((2, 3)), q.init(zeros((2, 3))), ones(3))
optim.sgd(fn(step) = ones(3)).update(zeros(3), q.init(zeros(3)), ones(3));
q.update(zeros(3), q.init(zeros(3)), ones(3))[0]

# expect: [-0.1, -0.1, -0.1]
# error: PM0504
# message: the `rate` of `optim.adam` must be a number or a schedule, a function of the step, got str
# error: PM0504
# message: the `rate` of `optim.sgd` must be a number or a schedule, a function of the step, got f32[2]
# error: PM0504
# message: gradients are a tree like the parameters, as grad gives them: the parameters have a record of layers, scale, the gradients a record of layers
# error: PM0504
# message: gradients are a tree like the parameters, as grad gives them: at `layers.0.w` the parameters have f32[2, 3], the gradients f32[3, 2]
# error: PM0504
# message: gradients are a tree like the parameters, as grad gives them: at `layers` the parameters have a tuple of 2, the gradients a tuple of 1
# error: PM0504
# message: gradients are a tree like the parameters, as grad gives them: the parameters have a record of layers, scale, the gradients a tuple of 2
# error: PM0504
# message: `update` of an optimiser takes (params, state, grads) in this order, got no state of this optimiser's init in the second place: a record of layers, scale
# error: PM0103
# message: `update` takes 3 arguments, got 2
# error: PM0504
# message: the state is that of other parameters: make it by init(params) of these
# error: PM0504
# message: gradients are a tree like the parameters, as grad gives them: the parameters have f32[3], the gradients f32[2, 3]
# error: PM0504
# message: gradients are a tree like the parameters, as grad gives them: the parameters have f32[2, 3], the gradients f32[3]
# error: PM0504
# message: a schedule gives one number for each step, got f32[3]
