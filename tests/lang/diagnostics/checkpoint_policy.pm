# session: yes
checkpoint(sin, policy="dots_savable")
checkpoint(sin, policy="product")
checkpoint(sin, policy=3)
checkpoint(sin, policy=("a", 1))
checkpoint(sin, loops=2)
checkpoint_name(1.0, 2)
