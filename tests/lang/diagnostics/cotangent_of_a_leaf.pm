let (y, back) = vjp(fn(x) = {s: x, t: (x, x)}, ones(2))
print(back({s: ones(2), t: (ones(3), ones(2))}))

# error: PM0429
# message: a pullback needs a cotangent like the result of the function: f32[3] against f32[2]
# note: it belongs to `.t.0` of the result
