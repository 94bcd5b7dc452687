# An error inside of a library function stands at the user's call; the library's line is at most a note.
import linalg
fn factor(a) = linalg.cholesky(a)
print(factor(eye(2)))
print(factor(zeros((2, 3))))

# expect: [[1, 0], [0, 1]]
# error: PM0204 "linalg.cholesky(a)"
# note: in the library, <stdlib>/linalg.pm:
