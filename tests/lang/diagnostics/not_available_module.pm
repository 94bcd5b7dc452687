import shard
# error: PM0804 "shard"
