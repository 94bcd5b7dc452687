fn f(x) = tanh(x) * 2 + sum(x)
for n in (0, 1, 3, 17, 64, 65) { print(n, f(arange(float(n)) / 100)[:2], (zeros((n, 3)) @ ones((3, 2))).shape) }
print(sum(ones((7, 0)) @ ones((0, 5))), zeros((3, 0)), concatenate((zeros(0), ones(1))))

# expect: 0 [] (0, 2)
# expect: 1 [0] (1, 2)
# expect: 3 [0.03, 0.049999334] (3, 2)
# expect: 17 [1.3599999, 1.3799993] (17, 2)
# expect: 64 [20.16, 20.179998] (64, 2)
# expect: 65 [20.8, 20.819998] (65, 2)
# expect: 0.0 [[], [], []] [1]
