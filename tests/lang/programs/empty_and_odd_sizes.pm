fn f(x) = tanh(x) * 2 + sum(x)
for n in (0, 1, 3, 17, 64, 65) { print(n, f(arange(float(n)) / 100)[:2], (zeros((n, 3)) @ ones((3, 2))).shape) }
print(sum(ones((7, 0)) @ ones((0, 5))), zeros((3, 0)), concatenate((zeros(0), ones(1))))
