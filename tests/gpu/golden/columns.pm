# One thread for each column, down all rows in order.
fn columns(x) = sum(x * x, axis=0)
columns(zeros((1000, 40)))
