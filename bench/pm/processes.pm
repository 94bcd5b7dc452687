# A sum over two processes with one device each. The argument names their connection.
import "sums.pm" as sums
import "timing.pm" as timing

let way = program_arguments()[0]

for (size, bytes, iterations) in (("4 B", 4, 2000), ("4 KB", 2 ** 12, 2000), ("1 MB", 2 ** 20, 100), ("64 MB", 2 ** 26, 4)) {
    let x = random.uniform(random.key(0), (2, bytes // 4))
    let f = pmap(fn(x) = sum(sums.repeated(x, iterations)), axis_name="i", out_axes=0)
    timing.steady_of("psum of {size} over 2 processes, {way}", fn() = f(x), 7, iterations)
}
