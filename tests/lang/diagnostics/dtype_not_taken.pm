print(bitcast_convert_type(array((true, false)), u8))

# error: PM0203 "bitcast_convert_type(array((true, false)), u8)"
# message: `bitcast_convert_type` takes integers, floats and keys, not bool
# help: convert it first: u8(x)
