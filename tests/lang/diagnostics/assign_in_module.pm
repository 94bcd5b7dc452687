import "_constants.pm" as m
m.count += 1

# error: PM0108 "m.count"
# message: `m.count` cannot be assigned: only the module's own statements change its names
# second: "m" imported here
# help: copy it into a name of your own: mut count = m.count
