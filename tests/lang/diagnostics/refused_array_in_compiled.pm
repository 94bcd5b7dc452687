# The message has the type of the array, which is a computed value.
print(vmap(fn(s) = nn.mlp_init(random.key(0), s))(ones((2, 3))))
# error: PM0504 "nn.mlp_init(random.key(0), s)"
# message: `nn.mlp_init` needs its sizes as a tuple, as (784, 128, 10), got the array f32[3]
