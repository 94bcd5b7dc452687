# options: --check-nans
fn f(z) = z * z
print(f(complex([1.0, inf], [2.0, 1.0])))
print(f(complex([1.0, inf], [2.0, inf])) / complex(f64([0, 1]), f64([0, 1])))

# expect: [-3+4j, inf+infj]
# error: PM0505 "z * z"
# message: `*` makes a NaN at [1]: (inf+infj) * (inf+infj)
