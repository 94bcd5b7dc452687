print(tree_map(fn(p, g) = p - g, (1.0, 2.0), (1.0,)))

# error: PM0292 "tree_map(fn(p, g) = p - g, (1.0, 2.0), (1.0,))"
# message: `tree_map` needs trees of one structure, got (f32, f32) and (f32,)
