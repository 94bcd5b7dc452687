# How all measurements are taken: seconds, the median of `n` calls after a first one that is given apart.

fn median(times) = sort(array(times))[len(times) // 2]

fn seconds(f) {
    let begin = time()
    let _ = block_until_ready(f())
    time() - begin
}

## Prints "NAME first call SECONDS" and "NAME later call SECONDS".
fn first_and_later(name, f, n) {
    print("{name} first call\t{seconds(f):.9f}")
    mut times = ()
    for _ in 0..n { times += (seconds(f),) }
    print("{name} later call\t{median(times):.9f}")
}

## Prints "NAME SECONDS", the median of n calls after one that is not counted.
fn steady(name, f, n) = steady_of(name, f, n, 1)

## The same for one of `iterations` parts that a call has.
fn steady_of(name, f, n, iterations) {
    let _ = seconds(f)
    mut times = ()
    for _ in 0..n { times += (seconds(f) / iterations,) }
    print("{name}\t{median(times):.9f}")
}
