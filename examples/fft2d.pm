# A two-dimensional Fourier transform of a picture whose rows are split over devices. Each device transforms its own rows. For
# the columns the picture is transposed by one all_to_all: every device cuts its block into pieces and sends piece i to device i.

let (size, parts) = (64, 4)

## Rows of a picture, [size / parts, size] -> as many rows of the transposed picture.
fn transposed(rows) = all_to_all(rows, "rows", split_axis=1, concat_axis=0, tiled=true).T
fn fft2(rows) = transposed(fft.fft(transposed(fft.fft(rows))))

fn on_devices(f) = pmap(f, axis_name="rows", axis_size=parts, tiled=true)

let numbers = arange(size * size).reshape(size, size)
assert(array_equal(on_devices(transposed)(numbers), numbers.T), "not the transposed matrix")

# Two waves, hidden in noise of three times their amplitude.
let (y, x) = (arange(size)[:, none] / size, arange(size) / size)
let waves = cos(2 * pi * (3 * y + 5 * x)) + cos(2 * pi * (20 * y + 2 * x))
let picture = waves + 3 * random.normal(random.key(0), (size, size))
let spectrum = on_devices(fft2)(picture)
assert(
    allclose(spectrum, fft.fft2(picture), atol=1e-2),
    "another transform than that of one device",
)

let power = abs(spectrum[:, :size // 2]) ** 2
for place in flip(argsort(power.ravel()))[:2] {
    let (down, across) = divmod(place, size // 2)
    print("a wave: {down} times down, {across} times across")
}
print("energy {sum(picture ** 2):.0f} of the picture, {mean(abs(spectrum) ** 2):.0f} of its waves")
