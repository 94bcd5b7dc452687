print(shard(ones(4)))
# error: PM0804 "shard"
# message: `shard` is not available in this version
