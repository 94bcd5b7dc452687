# Leaves of different shapes are an error; if they were broadcast, elements would be counted several times.
print(tree.dot({a: [1.0, 2.0]}, {a: [3.0, 4.0]}), tree.norm(()), tree.size({name: "x", w: [1.0]}))
print(tree.dot({a: [1.0, 2.0]}, {a: ones((2, 2))}))
# expect: 11.0 0.0 1
# error: PM0504 "tree.dot({a: [1.0, 2.0]}, {a: ones((2, 2))})"
# message: `tree.dot` needs leaves of the same shapes, got f32[2] and f32[2, 2]
