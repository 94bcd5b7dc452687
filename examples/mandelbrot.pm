# The Mandelbrot set as an SVG picture: every point iterates until it escapes, in one compiled program. Rows are split over devices.

let (width, height, most) = (120, 80, 200)

## The iterations of z = z^2 + c until z leaves the circle of radius 2, at most `most`.
fn escape(cx, cy) {
    mut (x, y) = (0.0, 0.0)
    mut n = 0
    while n < most and x * x + y * y <= 4.0 {
        (x, y) = (x * x - y * y + cx, 2 * x * y + cy)
        n += 1
    }
    n
}

let xs = linspace(-2.2, 0.8, width)
let ys = linspace(-1.0, 1.0, height)
let rows = pmap(fn(y) = vmap(escape, in_axes=(0, none))(xs, y))
let iterations = rows(ys)
print("turns {iterations.shape}: {sum(iterations)} in all, {sum(i32(iterations == most))} points never left")

# A quick look, every second row and column.
let shades = text.characters(" .:-=+*%@#")
let level = clip(i32(2.2 * log(f32(iterations))), 0, 9)
for row in level[4:height:8] { print(text.join((shades[int(v)] for v in row[::2]), "")) }

# The picture: one rectangle for each run of equal colour.
fn rectangles(y, row) {
    mut parts = ()
    mut start = 0
    for x in tuple(1..width + 1) {
        if x == width or row[x] != row[start] {
            let c = row[start]
            parts += (
                "<rect x='{start}' y='{y}' width='{x - start}' height='1' fill='hsl({240 - 25 * c},80%,{70 - 7 * c}%)'/>",
            )
            start = x
        }
    }
    text.join(parts, "\n")
}
let body = (rectangles(y, (int(c) for c in level[y])) for y in tuple(0..height))
let head =
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' shape-rendering='crispEdges'>"
write_text("mandelbrot.svg", text.join((head, *body, "</svg>"), "\n"))
print("mandelbrot.svg: {len(text.lines(read_text("mandelbrot.svg")))} lines")
