# Updates change only their elements: elements are narrower than a word, and the array's size is no multiple of a word.
print(zeros(3, i8) with [[0, 2]] += i8([1, 2]))
print(zeros(1, u8) with [[0, 0]] += u8([200, 100]))
print(zeros(5, i8) with [[4, 4]] max= i8([-3, 7]))
print(ones(1, i16) with [[0, 0]] *= i16([7, 11]))
print(zeros(1, f16) with [[0]] += f16([0.5]))
print(zeros(3, bf16) with [[2, 0]] min= bf16([-1.5, 2.0]))
print(segment_sum(f16([1.0, 2.0, 3.0]), [0, 0, 2], 3))
print(grad(fn(t) = f32(sum(t[[0, 4, 4]] ** 2)))(bf16(ones((5, 3)))))
print(vmap(fn(v) = zeros(3, i8) with [[2]] += v)(i8([[1], [2], [3]])))
# expect: [1, 0, 2]
# expect: [44]
# expect: [0, 0, 0, 0, 7]
# expect: [77]
# expect: [0.5]
# expect: [0.0, 0.0, -1.5]
# expect: [3, 0, 3]
# expect: [[2, 2, 2], [0, 0, 0], [0, 0, 0], [0, 0, 0], [4, 4, 4]]
# expect: [[0, 0, 1], [0, 0, 2], [0, 0, 3]]
