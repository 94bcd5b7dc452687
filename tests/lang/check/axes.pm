# The named axes of mapped functions of the module, and results that out_axes declares equal on all devices.
# command: check
# configs: compiled
fn loss(w: f32[d], x: f32[n, d], y: f32[n]) -> f32 = mean((x @ w - y) ** 2)
fn alone(w: f32[d], x: f32[n, d], y: f32[n]) -> f32[d] = w - 0.1 * grad(loss)(w, x, y)
let unequal = pmap(alone, axis_name="devices", in_axes=(none, 0, 0), out_axes=none)
fn together(w: f32[d], x: f32[n, d], y: f32[n]) -> f32[d] = w - 0.1 * pmean(grad(loss)(w, x, y), "i")
let other = pmap(together, axis_name="devices", in_axes=(none, 0, 0), out_axes=none)
let right = pmap(together, axis_name="i", in_axes=(none, 0, 0), out_axes=none)
let blocks = pmap(together, axis_name="i", in_axes=(none, 0, 0), out_axes=none, tiled=true)
let examples = vmap(vmap(value_and_grad(loss), in_axes=(none, 0, 0)), in_axes=(0, none, none))
fn whole(x: f32[n]) = x * 2
let slope = grad(whole)
let axis = vmap(whole, in_axes=2)
fn branch(x: f32) = if x > 0.0 { psum(x, "i") } else { x }
let hangs = pmap(branch, axis_name="i")
# error: PM0315 "unequal"
# message: output 0 is declared the same on every device, but it differs per device
# second: "w - 0.1 * grad(loss)(w, x, y)"
# note: for any sizes: `d` is axis 0 of `w`, `n` is axis 0 of `x`
# help: combine it: pmean(..., "devices")
# help: or keep one per device: out_axes=0 for it
# error: PM0301 ""i""
# message: `pmean` runs over axis `i`, but no axis of that name is in scope
# caret: no pmap or vmap around names this axis
# second: "other"
# note: in scope here: axis `devices` (size 4) of `pmap`
# note: through `pmap(together)`
# note: for any sizes: `d` is axis 0 of `w`, `n` is axis 0 of `x`
# help: use the axis that is in scope: pmean(..., "devices")
# help: name the axis: pmap(..., axis_name="i")
# error: PM0401 "slope"
# message: `grad` needs a function that returns one number; `whole` returns f32[n]
# note: for any sizes: `n` is axis 0 of `x`
# help: sum it (gradient of the total): grad(fn(x) = sum(whole(x)))
# help: per-row gradients: vmap(grad(row_loss))
# help: all derivatives: jacrev(f)
# error: PM0312 "axis"
# message: `vmap` maps axis 2 of argument 0, `x`, f32[4, n], which has 2 axes
# note: for any sizes: `n` is axis 0 of `x`
# error: PM0320 "psum(x, "i")"
# message: `psum` is in a branch that devices may not all take; the program could hang
# caret: all devices of the axis must reach this together
# second: "x > 0.0"
# note: through `pmap(branch)`
# help: make the condition common to all devices, for example with `pmax` of what it compares
# help: or compute the collective before the branch, and choose with `where`
