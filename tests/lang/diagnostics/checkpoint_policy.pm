# session: yes
checkpoint(sin, policy="dots_savable")
checkpoint(sin, policy="product")
checkpoint(sin, policy=3)
checkpoint(sin, policy=("a", 1))
checkpoint(sin, loops=2)
checkpoint_name(1.0, 2)

# error: PM0111 ""dots_savable""
# message: `checkpoint` needs a policy, got a string
# help: did you mean "dots_saveable"?
# error: PM0111 ""product""
# message: `checkpoint` needs a policy, got a string
# note: policies: "nothing_saveable", "everything_saveable", "dots_saveable", "dots_with_no_batch_dims_saveable"
# help: keep what checkpoint_name(x, "product") names: policy=("product",)
# error: PM0111 "3"
# message: `checkpoint` needs a policy or a tuple of names, got an integer
# error: PM0111 "("a", 1)"
# message: `checkpoint` needs a policy or a tuple of names, got a tuple of 2
# error: PM0111 "2"
# message: the `loops` of `checkpoint` needs a bool, got an integer
# error: PM0111 "2"
# message: `checkpoint_name` needs a string, got an integer
