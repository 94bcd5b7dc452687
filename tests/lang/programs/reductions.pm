let x = arange(24.0).reshape(2, 3, 4)
print(sum(x), x.sum(axis=1), x.mean(axis=(0, 2)), max(x), x.min(axis=-1), prod(x[0, 0] + 1))
print(argmax(x, axis=2), all(x >= 0), any(x > 23), cumsum(x[0, 0]), x.var(), x.std(axis=0)[0, 0])
print(logsumexp([1000.0, 1000.0]), sum(zeros((0, 3)), axis=0), sort([3, 1, 2]), argsort([3.0, 1.0, 2.0]))
print(sum(arange(100001)) == 5000050000 % 4294967296 - 0, sum(arange(1001.0)))

# expect: 276.0 [[12, 15, 18, 21], [48, 51, 54, 57]] [7.5, 11.5, 15.5] 23.0 [[0, 4, 8], [12, 16, 20]] 24.0
# expect: [[3, 3, 3], [3, 3, 3]] true false [0, 1, 3, 6] 47.916668 6.0
# expect: 1000.6932 [0, 0, 0] [1, 2, 3] [1, 2, 0]
# expect: true 500500.0
