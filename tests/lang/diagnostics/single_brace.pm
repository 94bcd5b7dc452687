print("a set: {{1, 2}")

# configs: compiled
# error: PM0010 "}"
# message: a single `}` in a text
# help: write `}}` for a brace
