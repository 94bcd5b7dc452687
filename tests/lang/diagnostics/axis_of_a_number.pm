# A number has no axes. The message proposes to omit the axis only if one was passed and none is needed.
# session: yes
sum(2.0, axis=0)
cumsum(2.0, 1)
median(2.0, axis=1)
sort(2.0)
sort(2.0, axis=0)
vmap(sort)(ones(2))
sort_key_val(2.0, 1.0)
nn.softmax(1.0)
vmap(fn(x) = psum_scatter(x, "i"), axis_name="i")(ones(2))
vmap(fn(x) = all_to_all(x, "i", 0, 0), axis_name="i")(ones(2))

# error: PM0270 "0"
# help: leave the axis out: one number has none
# error: PM0270 "1"
# help: leave the axis out: one number has none
# error: PM0270 "1"
# help: leave the axis out: one number has none
# error: PM0270 "sort(2.0)"
# help: one number has no axes; in brackets it is an array with one: [x]
# error: PM0270 "0"
# help: one number has no axes; in brackets it is an array with one: [x]
# error: PM0270
# help: one number has no axes; in brackets it is an array with one: [x]
# error: PM0270
# help: one number has no axes; in brackets it is an array with one: [x]
# error: PM0270
# help: one number has no axes; in brackets it is an array with one: [x]
# error: PM0270
# help: one number has no axes; in brackets it is an array with one: [x]
# error: PM0270 "0"
# help: one number has no axes; in brackets it is an array with one: [x]
