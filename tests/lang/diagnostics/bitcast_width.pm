print(bitcast_convert_type(ones(2), i64))

# error: PM0207 "bitcast_convert_type(ones(2), i64)"
# message: cannot take the bits of f32 as i64: their elements have 4 and 8 bytes
