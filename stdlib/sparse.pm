# Sparse matrices, and iterative solvers of linear systems. A matrix is a record {data f[k], indices i32[k],
# indptr i32[n + 1], columns bool[0, m]} in the format CSR. The elements of row i are data[indptr[i]:indptr[i + 1]], in
# the columns indices[indptr[i]:indptr[i + 1]]. `columns` has no elements. Its shape has the number of columns, which so
# is known in compiled code. Elements with equal places count as their sum. Elements after indptr[n] are padding: their
# index is m. Functions have derivatives with respect to data. To differentiate or map over it, give data alone:
# fn(d) = sparse.matmul({..a, data: d}, x).

## sparse.csr(data, indices, indptr, shape): The matrix of this shape (n, m) from its parts, which are checked: data
## f[k], indices i32[k] from 0 to m - 1, and indptr i32[n + 1], which rises from 0 to k.
fn csr(data, indices, indptr, shape) {
    let (n, m) = _sizes(shape, "sparse.csr")
    let data = _elements(_vector(data, "sparse.csr"))
    let indices = _places_of(indices, data, m, "the `indices` of `sparse.csr`")
    let indptr = _of_rank(indptr, 1, "sparse.csr", "indptr i32[{n + 1}]")
    if indptr.shape != (n + 1,) or not _is_integer(indptr) {
        _refuse("`sparse.csr` needs indptr i32[{n + 1}] for {_counted(n, "row", "rows")}, got {_type(indptr)}")
    }
    assert(
        indptr[0] == 0 and indptr[-1] == len(data) and all(diff(indptr) >= 0),
        "the `indptr` of `sparse.csr` must rise from 0 to {len(data)}",
    )
    {data: data, indices: indices, indptr: i32(indptr), columns: _columns(m)}
}
## Bools become integers.
fn _elements(x) = if x.dtype == bool { i32(x) } else { x }
fn _sizes(shape, what) {
    if kind(shape) != "tuple" or len(shape) != 2 {
        _refuse("`{what}` needs the shape as a pair (n, m), got {_type(shape)}")
    }
    (_count(size, "a size of the `shape` of `{what}`") for size in shape)
}
## The indices i32[k] of rows or columns of the elements of data f[k], which must be from 0 to n - 1.
fn _places_of(indices, data, n, what) {
    if not _is_numeric(indices) or
            not _is_integer(array(indices)) or
            array(indices).shape != data.shape {
        _refuse("{what} must be integers, one for each of {_type(data)}, got {_type(indices)}")
    }
    assert(all(indices >= 0) and all(indices < n), "{what} must be from 0 to {n - 1}")
    i32(indices)
}
fn _matrix_fits(a, what) {
    if not _is_csr(a) {
        _refuse("`{what}` needs a sparse matrix, a record of data, indices, indptr and columns, got {_type(a)}")
    }
    a
}
fn _is_csr(a) =
    kind(a) == "record" and "data" in a and "indices" in a and "indptr" in a and "columns" in a

## sparse.from_coo(data, rows, columns, shape): The matrix of this shape (n, m) with data[i] in row rows[i] and column
## columns[i]. data f[k], rows and columns i32[k] in any order. Places outside of the matrix are an error.
fn from_coo(data, rows, columns, shape) {
    let (n, m) = _sizes(shape, "sparse.from_coo")
    let data = _elements(_vector(data, "sparse.from_coo"))
    let rows = _places_of(rows, data, n, "the `rows` of `sparse.from_coo`")
    let columns = _places_of(columns, data, m, "the `columns` of `sparse.from_coo`")
    let order = lexsort((columns, rows))
    _by_rows(data[order], rows[order], columns[order], n, m)
}
## The matrix of elements in the order of their rows. Rows n are those of padding.
fn _by_rows(data, rows, columns, n, m) = {
    data: data,
    indices: columns,
    indptr: i32(searchsorted(rows, arange(n + 1))),
    columns: _columns(m),
}
fn _columns(m) = zeros((0, _known(m)), dtype=bool)
## sparse.from_dense(a, nnz=none): The matrix of the elements of a f[n, m] that are not 0. `nnz` is the number of stored
## elements. More elements than that are dropped from the end, for fewer there is padding. If it is none, the elements
## are counted, which is possible outside of compiled code only.
fn from_dense(a, nnz=none) {
    let a = _elements(_of_rank(a, 2, "sparse.from_dense", "a matrix f[n, m]"))
    let (n, m) = a.shape
    let flat = a.reshape(-1)
    let at = if nnz == none {
        flatnonzero(flat != 0)
    } else {
        flatnonzero(
            flat != 0,
            size=_count(nnz, "the `nnz` of `sparse.from_dense`"),
            fill_value=n * m,
        )
    }
    let real = at < n * m
    let width = if m == 0 { 1 } else { m }
    let data = if n * m == 0 {
        zeros(len(at), dtype=a.dtype)
    } else {
        where(real, flat.take(at, mode="clip"), 0)
    }
    _by_rows(data, where(real, at // width, n), where(real, at % width, m), n, m)
}
## sparse.shape(a): The pair (n, m) of the sizes of a sparse matrix.
fn shape(a) {
    let a = _matrix_fits(a, "sparse.shape")
    (len(a.indptr) - 1, a.columns.shape[1])
}
## The row of each element, n for padding.
fn _rows(a) {
    let k = len(a.data)
    let starts = zeros(k + 1, dtype=i32) with [a.indptr[1:]] += 1
    cumsum(starts)[:k]
}
## sparse.to_dense(a): The matrix as an array f[n, m].
fn to_dense(a) {
    let (n, m) = shape(_matrix_fits(a, "sparse.to_dense"))
    let places = where(a.indices < m, _rows(a) * m + a.indices, n * m)
    segment_sum(a.data, places, n * m).reshape((n, m))
}
## sparse.transpose(a): The transposed sparse matrix, without conjugation.
fn transpose(a) {
    let (n, m) = shape(_matrix_fits(a, "sparse.transpose"))
    let order = argsort(a.indices, stable=true)
    _by_rows(a.data[order], a.indices[order], _rows(a)[order], m, n)
}
## sparse.diagonal(a): The diagonal of a square sparse matrix, f[n].
fn diagonal(a) {
    let (n, m) = shape(_matrix_fits(a, "sparse.diagonal"))
    if n != m { _refuse("`sparse.diagonal` needs a square matrix, got one of {n} by {m}") }
    let rows = _rows(a)
    segment_sum(a.data, where(rows == a.indices, rows, n), n)
}
## sparse.matmul(a, b, nnz=none): The product a @ b of a sparse matrix a and an array b f[m] or f[m, k], of an array a
## f[n] or f[k, n] and a sparse matrix b, or of two sparse matrices. The product of two is sparse, sorted, without equal
## places. `nnz` is then the largest number of products of two elements, which the memory follows. If it is none they are
## counted, which is possible outside of compiled code only. Sizes that do not fit are an error.
fn matmul(a, b, nnz=none) {
    if _is_csr(a) and _is_csr(b) { return _sparse_product(a, b, nnz) }
    if nnz != none {
        _refuse("the `nnz` of `sparse.matmul` is for a product of two sparse matrices")
    }
    if _is_csr(a) and _is_numeric(b) { return _product(a, b) }
    if _is_numeric(a) and _is_csr(b) {
        let x = array(a)
        return if x.ndim == 2 { _transposed_product(b, x.T).T } else { _transposed_product(b, x) }
    }
    _refuse(
        "`sparse.matmul` needs sparse matrices, or one and an array, got {_type(a)} and {_type(b)}",
    )
}
## The product of sparse matrices: each element of a, in column j, times all elements in row j of b.
fn _sparse_product(a, b, nnz) {
    let ((n, m), (rows, k)) = (shape(a), shape(b))
    if m != rows {
        _refuse("`sparse.matmul` cannot multiply a matrix of {n} by {m} by one of {rows} by {k}")
    }
    let dtype = result_type(a.data, b.data)
    if len(a.data) == 0 or len(b.data) == 0 {
        let size = if nnz == none { 0 } else { _count(nnz, "the `nnz` of `sparse.matmul`") }
        let padding = zeros(size, dtype=i32)
        return _by_rows(zeros(size, dtype=dtype), padding + n, padding + k, n, k)
    }
    let counts = where(a.indices < m, diff(b.indptr).take(a.indices, mode="clip"), 0)
    let ends = cumsum(i64(counts))
    let size = if nnz == none {
        _measured(ends[-1], "sparse.matmul", "nnz=n")
    } else {
        _count(nnz, "the `nnz` of `sparse.matmul`")
    }
    assert(
        ends[-1] <= size,
        "`sparse.matmul` needs an `nnz` of all products of two elements, not {size}",
    )
    let product = arange(size)
    let real = product < ends[-1]
    let element = minimum(searchsorted(ends, product, side="right"), len(counts) - 1)
    let first = b.indptr.take(a.indices[element], mode="clip")
    let other = first + i32(product - ends[element]) + counts[element]
    let values = a.data[element] * b.data.take(other, mode="clip")
    let places = (
        where(real, _rows(a)[element], n),
        where(real, b.indices.take(other, mode="clip"), k),
    )
    _summed_places(
        where(real, values, 0).astype(dtype),
        places,
        (n, k),
        nnz,
    )
}

## sparse.sum_duplicates(a, nnz=none): The matrix a with elements of equal places summed, sorted by rows and columns.
## `nnz` is the number of stored elements. More elements than that are an error, for fewer there is padding. If it is
## none, the places are counted, which is possible outside of compiled code only.
fn sum_duplicates(a, nnz=none) {
    let (n, m) = shape(_matrix_fits(a, "sparse.sum_duplicates"))
    _summed_places(a.data, (_rows(a), a.indices), (n, m), nnz)
}
## The matrix of these elements, those of rows n left out and those of equal places summed.
fn _summed_places(data, (rows, columns), (n, m), nnz) {
    let order = lexsort((columns, rows))
    let (data, rows, columns) = (data[order], rows[order], columns[order])
    let differs = (rows[1:] != rows[:-1]) or (columns[1:] != columns[:-1])
    let first = (rows < n) and concatenate((ones(len(data[:1]), dtype=bool), differs))
    let count = sum(first)
    let size = if nnz == none {
        _measured(count, "sparse.sum_duplicates", "nnz=n")
    } else {
        _count(nnz, "the `nnz` of `sparse.sum_duplicates`")
    }
    assert(count <= size, "`sparse.sum_duplicates` needs an `nnz` of all places, not {size}")
    let to = where(rows < n, cumsum(i32(first)) - 1, size)
    let at = flatnonzero(first, size=size, fill_value=len(data))
    let padded = fn(x, last) = concatenate((x, array(last, dtype=i32).reshape(1)))[at]
    _by_rows(segment_sum(data, to, size), padded(rows, n), padded(columns, m), n, m)
}
fn _product(a, x) {
    let (n, m) = shape(a)
    _summed(a.data, _factor(x, m, n, m), a.indices, _rows(a), n)
}
fn _transposed_product(a, x) {
    let (n, m) = shape(a)
    _summed(a.data, _factor(x, n, n, m), _rows(a), a.indices, m)
}
fn _factor(x, size, n, m) {
    let x = array(x)
    if x.ndim < 1 or x.ndim > 2 or x.shape[0] != _known(size) {
        _refuse("`sparse.matmul` with a sparse matrix of {n} by {m} cannot take {_type(x)}")
    }
    x
}
## The sums of data[i] x[from[i]] over the elements i with equal to[i]. Those with to[i] = n are padding.
fn _summed(data, x, from, to, n) {
    if len(x) == 0 or len(data) == 0 {
        return zeros((_known(n),) + x.shape[1:], dtype=result_type(data, x))
    }
    let chosen = x.take(from, axis=0, mode="clip")
    segment_sum((if x.ndim == 1 { data } else { data[:, none] }) * chosen, to, n)
}

# ---- iterative solvers

## The linear map of a matrix f[n, n], a sparse matrix or a function.
fn _map_of(a, what) {
    if kind(a) == "function" { return a }
    if _is_csr(a) {
        let (n, m) = shape(a)
        let rows = _rows(a)
        return fn(x) = _summed(a.data, _factor(x, m, n, m), a.indices, rows, n)
    }
    let a = _of_rank(a, 2, what, "a matrix f[n, n], a sparse matrix or a linear function")
    fn(x) = a @ x
}
## |x| of a vector
fn _size(x) = sqrt(sum(_squares(x)))
fn _inner(x, y) = sum(conj(x) * y)
## a / b, and 0 for b = 0, where a method breaks down
fn _quotient(a, b) = where(b == 0, 0, a / where(b == 0, 1, b))

## The result of an iterative method for a(x) = b, as vectors. iterate(product, b, m, allowed, most) returns x, the
## number of iterations and whether the residual is at most `allowed`.
fn _solved(iterate, a, b, {x0, tol, atol, most, preconditioner}, what) {
    let map = _map_of(a, what)
    let b = tree_map(fn(x) = _number(array(x)), b)
    let (flat, back) = tree.ravel(b)
    let vector = fn(y) {
        let v = tree.ravel(y)[0]
        if v.shape != flat.shape {
            _refuse("`{what}` needs a map of {_type(flat)} to itself, got one to {_type(v)}")
        }
        v
    }
    let applied = fn(f) = fn(v) = vector(f(back(v)))
    let dtype = _wide(zeros((), dtype=result_type(flat, vector(map(back(flat)))))).dtype
    let (like, back) = tree.ravel(tree_map(fn(x) = zeros(x.shape, dtype=dtype), b))
    let flat = flat.astype(dtype)
    let n = len(flat)
    let most = if most == none { 10 * n } else { _count(most, "the `most` of `{what}`") }
    let product = fn(v) = applied(map)(v).astype(dtype)
    let m = if preconditioner == none {
        fn(v) = v
    } else {
        let map = _map_of(preconditioner, what)
        fn(v) = applied(map)(v).astype(dtype)
    }
    let start = if x0 == none { like } else { stop_gradient(vector(x0).astype(dtype)) }
    let rest = if x0 == none { flat } else { flat - product(start) }
    let solver = fn(m) = fn(f, b) {
        let allowed = maximum(tol * _size(b), atol).astype(real(b).dtype)
        let (x, iterations, converged) = iterate(f, b, m, allowed, most)
        (x, (iterations, converged))
    }
    let (x, (iterations, converged)) = custom_linear_solve(
        product,
        rest,
        solver(m),
        transpose_solve=solver(fn(v) = _transpose(m, v)),
        has_aux=true,
    )
    let x = start + x
    {
        x: back(x),
        residual: stop_gradient(_size(flat - product(x))),
        iterations: iterations,
        converged: converged,
    }
}

## sparse.cg(a, b, x0=none, tol=1e-5, atol=0.0, most=none, preconditioner=none): The solution x of a x = b by conjugate
## gradients (Hestenes and Stiefel 1952), for a positive definite a, symmetric or complex with a = a.H. `a` is a matrix
## f[n, n], a sparse matrix or a linear function. b is f[n] or f[n, k]; for a function it is a tree, and a(x) is a tree
## like b. The result is {x, residual, iterations, converged}: x like b, the norm of b - a x, the number of iterations
## i32, and whether the norm of the residual that the method carries is at most max(tol |b|, atol). It ends after `most`
## iterations, 10 times the number of elements of b if it is none. `preconditioner` is an approximate inverse of a, also
## a matrix, a sparse matrix or a function. From x0 the method solves the system of x - x0, so `tol` is relative to
## |b - a x0|. x has the derivatives of the linear system with respect to b and a, of every order. They solve systems
## with a and its transpose by the same method and tolerance. Those with respect to x0 and the preconditioner are 0.
fn cg(a, b, x0=none, tol=1e-5, atol=0.0, most=none, preconditioner=none) =
    _solved(_cg, a, b, {x0, tol, atol, most, preconditioner}, "sparse.cg")
fn _cg(f, b, m, allowed, most) {
    mut (x, r) = (zeros_like(b), b)
    mut p = m(b)
    mut rz = _inner(r, p)
    mut (k, failed) = (0i32, false)
    while k < most and _size(r) > allowed and not failed {
        let q = f(p)
        let pq = _inner(p, q)
        let a = _quotient(rz, pq)
        x = x + a * p
        r = r - a * q
        let z = m(r)
        let next = _inner(r, z)
        p = z + _quotient(next, rz) * p
        failed = pq == 0 or rz == 0
        rz = next
        k += 1
    }
    (x, k, _size(r) <= allowed)
}

## sparse.bicgstab(a, b, x0=none, tol=1e-5, atol=0.0, most=none, preconditioner=none): The solution x of a x = b by
## stabilized biconjugate gradients (van der Vorst 1992), for general a. An iteration has two products with a.
## Arguments, result and derivatives are those of sparse.cg.
fn bicgstab(a, b, x0=none, tol=1e-5, atol=0.0, most=none, preconditioner=none) =
    _solved(_bicgstab, a, b, {x0, tol, atol, most, preconditioner}, "sparse.bicgstab")
fn _bicgstab(f, b, m, allowed, most) {
    let one = ones((), dtype=b.dtype)
    mut (x, r, p, v) = (zeros_like(b), b, zeros_like(b), zeros_like(b))
    mut (rho, alpha, omega) = (one, one, one)
    mut (k, failed) = (0i32, false)
    while k < most and _size(r) > allowed and not failed {
        let rho_new = _inner(b, r)
        p = r + rho_new / rho * (alpha / omega) * (p - omega * v)
        let y = m(p)
        v = f(y)
        alpha = _quotient(rho_new, _inner(b, v))
        let s = r - alpha * v
        let z = m(s)
        let t = f(z)
        # t is 0 if the first half of the step ends at the solution
        omega = _quotient(_inner(t, s), _inner(t, t))
        x = x + alpha * y + omega * z
        r = s - omega * t
        rho = rho_new
        failed = rho == 0 or alpha == 0 or omega == 0
        k += 1
    }
    (x, k, _size(r) <= allowed)
}

## sparse.gmres(a, b, x0=none, tol=1e-5, atol=0.0, most=none, preconditioner=none, restart=20): The solution x of a x =
## b by generalized minimal residuals (Saad and Schultz 1986), for general a. It keeps `restart` vectors, then begins
## again from the x that it has reached. `most` is the number of products with a. Vectors are orthogonalized twice. The
## preconditioner is applied from the right, so the norm of the residual decreases. Arguments, result and derivatives
## are those of sparse.cg.
fn gmres(a, b, x0=none, tol=1e-5, atol=0.0, most=none, preconditioner=none, restart=20) {
    let restart = _count(restart, "the `restart` of `sparse.gmres`", least=1)
    let iterate = fn(f, b, m, allowed, most) = _gmres(f, b, m, allowed, most, restart)
    _solved(iterate, a, b, {x0, tol, atol, most, preconditioner}, "sparse.gmres")
}
fn _gmres(f, b, m, allowed, most, restart) {
    let size = if restart < len(b) { restart } else { len(b) }
    mut (x, r) = (zeros_like(b), b)
    mut (k, stuck) = (0i32, false)
    while k < most and _size(r) > allowed and not stuck {
        let (step, count) = _arnoldi(fn(v) = f(m(v)), r, allowed, most - k, size)
        let next = x + m(step)
        let rest = b - f(next)
        stuck = not (_size(rest) < _size(r))
        x = where(stuck, x, next)
        r = where(stuck, r, rest)
        k += count
    }
    (x, k, _size(r) <= allowed)
}
## The vector of a Krylov space of at most `size` dimensions for which |r - f(vector)| is least, and the dimension.
## The columns of the Hessenberg matrix become those of a triangle by rotations.
fn _arnoldi(f, r, allowed, most, size) {
    let start = _size(r)
    mut basis = zeros((size + 1, len(r)), dtype=r.dtype) with [0] = r / start
    mut triangle = eye(size, dtype=r.dtype)
    mut right = zeros(size + 1, dtype=r.dtype) with [0] = start.astype(r.dtype)
    mut (cosines, sines) = (ones(size, dtype=start.dtype), zeros(size, dtype=r.dtype))
    mut (j, rest) = (0i32, start)
    while j < size and j < most and rest > allowed {
        let w = f(basis[j])
        let h = conj(basis) @ w
        let w1 = w - h @ basis
        let more = conj(basis) @ w1
        let w2 = w1 - more @ basis
        let (length, whole) = (_size(w2), _size(w))
        let new = length > finfo(start).eps * whole
        mut column = h + more
        for i in 0..size {
            let (c, s, a, b) = (cosines[i], sines[i], column[i], column[i + 1])
            column = column with [i] = c * a + s * b with [i + 1] = c * b - conj(s) * a
        }
        let below = where(new, length, 0)
        let a = column[j]
        let top = sqrt(_squares(a) + below * below)
        let phase = where(a == 0, 1, a / where(a == 0, 1, abs(a)).astype(r.dtype))
        let c = where(top == 0, 1, abs(a) / where(top == 0, 1, top))
        let s = where(top == 0, 0, phase * below / where(top == 0, 1, top)).astype(r.dtype)
        (cosines, sines) = (cosines with [j] = c, sines with [j] = s)
        triangle = triangle
            with [:, j] = where(
                arange(size) < j,
                column[:size],
                where(arange(size) == j, where(top == 0, 1, phase * top), 0),
            ).astype(r.dtype)
        right = right with [j + 1] = -conj(s) * right[j] with [j] = c * right[j]
        basis = basis with [j + 1] = where(new, w2 / where(new, length, 1), 0)
        rest = abs(right[j + 1])
        j += 1
    }
    let y = linalg.solve_triangular(triangle, where(arange(size) < j, right[:size], 0))
    (y @ basis[:size], j)
}

test "sparse matrices have the products of dense ones, with derivatives and padding" {
    let d = f64([[4, 1, 0, 0], [2, 3, 0, 0.5], [0, 0, 0, 0]])
    let a = from_dense(d, nnz=8)
    let (x, y) = (f64([1, 2, 3, 4]), f64([3, -1, 2]))
    assert(array_equal(to_dense(a), d) and shape(a) == (3, 4))
    assert(
        array_equal(to_dense(transpose(a)), d.T) and
        array_equal(diagonal(from_dense(d[:, :3])), [4, 3, 0]),
    )
    assert(array_equal(matmul(a, stack((x, y[[0, 1, 2, 0]]), axis=1))[:, 0], d @ x))
    assert(array_equal(matmul(y, a), y @ d) and array_equal(matmul(y[none], a)[0], y @ d))
    let whole = from_coo([16777217, 5], [0, 1], [1, 0], (2, 2))
    assert(matmul(whole, [0, 1])[0] == 16777217 and to_dense(whole).dtype == i32)
    assert(cg(from_coo([2, 4], [0, 1], [0, 1], (2, 2)), [1, 1]).converged)
    let b = from_coo(f64([3, 1, 5]), [1, 0, 1], [2, 0, 2], (2, 3))
    assert(array_equal(to_dense(b), [[1, 0, 0], [0, 0, 8]]))
    let slopes = grad(fn(v) = sum(matmul({..a, data: v}, x) ** 2))(a.data)
    assert(
        array_equal(slopes, f64([2 * 6 * 1, 2 * 6 * 2, 2 * 10, 2 * 10 * 2, 2 * 10 * 4, 0, 0, 0])),
    )
    let two = vmap(fn(v) = matmul({..a, data: v}, x))(stack((a.data, 2 * a.data)))
    assert(array_equal(two[1], 2 * d @ x))
}

test "products of two sparse matrices have summed and sorted places, padding and derivatives" {
    let (d, e) = (
        f64([[4, 1, 0, 0], [2, 3, 0, 0.5], [0, 0, 0, 0]]),
        f64([[0, 1], [2, 0], [0, 0], [3, 0]]),
    )
    let (a, b) = (from_dense(d, nnz=8), from_dense(e, nnz=6))
    let c = matmul(a, b)
    assert(array_equal(to_dense(c), d @ e) and array_equal(c.indices, [0, 1, 0, 1]))
    let product = fn(x, y) = matmul({..a, data: x}, {..b, data: y}, nnz=9)
    let padded = product(a.data, b.data)
    assert(array_equal(padded.indices, [0, 1, 0, 1, 2, 2, 2, 2, 2]))
    assert(array_equal(padded.indptr, c.indptr) and array_equal(to_dense(padded), d @ e))
    let slopes = grad(fn(x) = sum(to_dense(product(x, b.data)) ** 2))(a.data)
    let dense = grad(fn(d) = sum((d @ e) ** 2))(d)
    assert(array_equal(slopes, where(a.data != 0, dense.reshape(-1)[[0, 1, 4, 5, 7, 0, 0, 0]], 0)))
    let two = vmap(fn(x) = product(x, b.data).data)(stack((a.data, 2 * a.data)))
    assert(array_equal(two, stack((padded.data, 2 * padded.data))))
    assert(not attempt(matmul, a, b, 4).ok and not attempt(matmul, a, a).ok)
    let none_at_all = matmul(from_dense(zeros((2, 3))), from_dense(ones((3, 4))))
    assert(shape(none_at_all) == (2, 4) and len(none_at_all.data) == 0)
    assert(len(matmul(from_dense(zeros((2, 3))), from_dense(ones((3, 4))), nnz=4).data) == 4)
    let sums = sum_duplicates(from_coo([1, 2, 3], [0, 0, 1], [1, 1, 0], (2, 2)), nnz=3)
    assert(array_equal(sums.data, [3, 3, 0]) and array_equal(sums.indices, [1, 0, 2]))
}

test "iterative solvers have the solution of a dense system, and its derivatives" {
    let d = f64([[4, 1, 0], [1, 3, 0.5], [0, 0.5, 5]])
    let (a, b) = (from_dense(d, nnz=7), f64([1, 2, 3]))
    for f in (cg, bicgstab) {
        let r = f(a, b, tol=1e-12)
        assert(r.converged and r.iterations <= 4 and allclose(r.x, linalg.solve(d, b), rtol=1e-12))
    }
    # x = d^-1 b: the gradient of sum(x^2) is y = 2 d^-T x with respect to b, and -y x^T with respect to d
    let x = linalg.solve(d, b)
    let y = 2 * linalg.solve(d.T, x)
    let loss = fn(v, b) = sum(gmres({..a, data: v}, b, tol=1e-12).x ** 2)
    let (value, (g, h)) = value_and_grad(loss, argnums=(0, 1))(a.data, b)
    assert(allclose(value, sum(x ** 2)) and allclose(h, y, rtol=1e-11))
    assert(allclose(g, -[y[0], y[0], y[1], y[1], y[1], y[2], y[2]] * x[a.indices], rtol=1e-11))
    let none_such = cg(f64([[0, 0], [0, 0]]), f64([1, 0]))
    assert(not none_such.converged and all(none_such.x == 0))
}
