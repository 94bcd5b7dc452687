# devices: 2
print(pmap(fn(x, o) = x + o.a, static_broadcasted_argnums=1)(arange(2.0), {a: 1, b: ones(2)}))

# error: PM0111 "{a: 1, b: ones(2)}"
# message: what is static (argument 1, `o.b`, f32[2]) needs a number, text, a function or a tree of these, got f32[2]
# help: leave it out of static_broadcasted_argnums; with `none` in in_axes every slice gets the whole of it
