let t = {city: ("Bern", "Chur"), rain: [1.0, 2.0]}
print(table.sort_by(t, "town"))

# error: PM0504 "table.sort_by(t, "town")"
# message: the table has no column town, only city, rain
