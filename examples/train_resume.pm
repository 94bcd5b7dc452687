# Data-parallel training that goes on from its last checkpoint. A job that loses a process starts again from there:
#   pm run --processes=2 --restarts=3 examples/train_resume.pm [FOLDER [STEPS]]
let given = program_arguments()
let folder = if len(given) > 0 { given[0] } else { "checkpoints" }
let steps = if len(given) > 1 { i32(given[1]) } else { 200 }

let adam = optim.adam(0.01)

fn loss(w, x, y) = mean((tanh(x @ w.hidden) @ w.out - y) ** 2)

# One step of all devices, each with its slice of the data.
fn update(w, state, x, y) {
    let (value, g) = value_and_grad(loss)(w, x, y)
    let (w, state) = adam.update(w, state, pmean(g, "devices"))
    (w, state, pmean(value, "devices"))
}
let on_devices = pmap(update, axis_name="devices", in_axes=(none, none, 0, 0), out_axes=none)

let (k_x, k_hidden, k_out) = random.split(random.key(0), 3)
let x = random.normal(k_x, (8, 32, 4))
let y = sin(sum(x, axis=-1, keepdims=true))

# The parameters and the state of the optimiser: from the last checkpoint, or new.
let last = checkpoints.restore(folder)
let begin = if last == none { 0 } else { last.step }
if begin > 0 { print("goes on at step {begin}") }
mut w = if last == none {
    {hidden: random.normal(k_hidden, (4, 16)), out: 0.2 * random.normal(k_out, (16, 1))}
} else {
    last.tree.w
}
mut state = if last == none { adam.init(w) } else { last.tree.state }

for step in begin..steps {
    mut value = 0.0
    (w, state, value) = on_devices(w, state, x, y)
    if (step + 1) % 50 == 0 {
        checkpoints.save(folder, {w, state}, step=step + 1)
        print("step {step + 1}  loss {value:.6f}")
    }
}
