// Elementwise expressions, integers and conditions.
#include "tests/fuzz/generator.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pm::fuzz {

Node Generator::expression(const Type& type, int depth) {
    switch (type.kind) {
    case Kind::real: return real(type.shape, depth);
    case Kind::complex: return complex(type.shape, depth);
    case Kind::integer: return integer(type.shape, "5", depth);
    case Kind::boolean: return type.shape.empty() ? condition(depth) : mask(type.shape, depth);
    default: break;
    }
    if (chance(40)) {
        Node v = variable_of(type, depth);
        if (!v.text.empty()) return v;
    }
    std::string text;
    std::vector<Node> kids;
    for (std::size_t i = 0; i < type.items.size(); ++i) {
        text += i == 0 ? "" : ", ";
        if (type.kind == Kind::record) text += fmt::format("{}: ", static_cast<char>('a' + i));
        text += fmt::format("${}", i);
        kids.push_back(expression(type.items[i], depth - 1));
    }
    if (type.kind == Kind::record) return piece("{" + text + "}", type, std::move(kids), 1);
    text += kids.size() == 1 ? "," : "";
    return piece("(" + text + ")", type, std::move(kids), 1);
}

Node Generator::real(const Shape& shape, int depth) {
    if (depth <= 0 || fuel_ <= 0) return leaf(shape, depth);
    --fuel_;
    if (exchanging_) return exchanging_real(shape, depth);
    static constexpr std::array<Choice, 23> choices{{
        {14, &Generator::leaf},
        {12, &Generator::unary},
        {16, &Generator::binary},
        {5, &Generator::chosen},
        {8, &Generator::reduction},
        {7, &Generator::product},
        {8, &Generator::indexed},
        {8, &Generator::arranged},
        {5, &Generator::updated},
        {3, &Generator::from_tree},
        {2, &Generator::drawn},
        {3, &Generator::matrices},
        {4, &Generator::running},
        {4, &Generator::branches},
        {6, &Generator::looped},
        {5, &Generator::mapped},
        {6, &Generator::called},
        {7, &Generator::derived},
        {9, &Generator::batched},
        {4, &Generator::wrapped},
        {3, &Generator::custom},
        {4, &Generator::from_complex},
        {3, &Generator::chosen_where_possible},
    }};
    if (!scope_.axes.empty() && chance(25)) return bounded(collective(shape, depth - 1), 4);
    return one_of(choices, shape, depth);
}

Node Generator::one_of(std::span<const Choice> choices, const Shape& shape, int depth) {
    int sum = 0;
    for (const Choice& c : choices) sum += c.share;
    int at = below(sum);
    for (const Choice& c : choices) {
        if (at < c.share) return bounded((this->*c.make)(shape, depth - 1), 4);
        at -= c.share;
    }
    return leaf(shape, depth);
}

/// Absolute values stay below about 4.
Node Generator::complex(const Shape& shape, int depth) {
    const Type type = complex_type(shape);
    if (chance(depth <= 0 || fuel_ <= 0 ? 80 : 25)) {
        Node v = variable_of(type, depth);
        if (!v.text.empty()) return v;
    }
    if (depth <= 0 || fuel_ <= 0) return constant(type, number());
    --fuel_;
    const auto part = [&](const Shape& s) { return bounded(real(s, depth - 1), 2); };
    const auto inner = [&](const Shape& s) { return bracketed(complex(s, depth - 1)); };
    const auto small = [&](const Shape& s) {
        return piece("($0 / (1 + abs(real($0)) + abs(imag($0))))", complex_type(s), {complex(s, depth - 1)});
    };
    const auto with_last = [&](Dim d) {
        Shape s = shape;
        s.push_back(d);
        return s;
    };
    if (!scope_.axes.empty() && chance(20)) {
        const auto [axis, size] = any(scope_.axes);
        return piece(fmt::format("{}($0, \"{}\")", one_of({"pmean", "pmean", "psum"}), axis), type, {small(shape)}, 4);
    }
    switch (below(14)) {
    case 0:
    case 1: return piece("complex($0, $1)", type, {part(shape), part(shape)}, 3);
    case 2: return piece("exp(1j * ($0))", type, {part(shape)}, 1);
    case 3: return piece("$0 * $1", type, {small(shape), inner(shape)}, 4);
    case 4: return piece("$0 * $1", type, {small(shape), bracketed(part(shape))}, 2);
    case 5: return piece(one_of({"conj($0)", "-$0", "$0 * 1j"}), type, {inner(shape)}, 4);
    case 6: return piece(one_of({"$0 + $1", "$0 - $1"}), type, {small(shape), small(shape)}, 2);
    case 7: return piece("$0 / (2.5 + $1)", type, {inner(shape), small(shape)}, 4);
    case 8:
        return piece(one_of({"sin($0)", "cos($0)", "exp($0)", "sqrt(2 + $0)", "log(2 + $0)", "tanh($0)", "($0) ** 3"}),
                     type, {small(shape)}, 2);
    case 9: {
        Node m = shape.empty() ? condition(depth - 1) : mask(shape, depth - 1);
        return piece("where($0, $1, $2)", type, {std::move(m), inner(shape), inner(shape)}, 4);
    }
    case 10: {
        Shape from = shape;
        const Dim d = any_filled_dim();
        from.insert(from.begin(), d);
        return piece("($0)[$1]", type, {inner(from), index(d, depth - 1)}, 4);
    }
    case 11: {
        Shape from = shape;
        from.insert(from.begin(), any_filled_dim());
        return piece(one_of({"mean($0, axis=0)", "mean($0, axis=0)", "prod($0, axis=0)", "cumsum($0, axis=0)[0]"}),
                     type, {small(from)}, 4);
    }
    case 12: {
        if (shape.size() != 1 && shape.size() != 2)
            return piece("mean($0, axis=-1)", type, {small(with_last(any_filled_dim()))}, 1);
        const Dim d = any_filled_dim();
        Shape left{shape[0], d}, right(shape.begin() + 1, shape.end());
        right.insert(right.begin(), d);
        return piece("tanh($0 @ $1)", type, {piece("(0.2 * $0)", complex_type(left), {small(left)}), small(right)}, 1);
    }
    default: {
        const Type given = any_type(1);
        return piece("jit($0)($1)", type, {function({given}, type, depth - 1), expression(given, depth - 1)}, 4);
    }
    }
}

Node Generator::from_complex(const Shape& shape, int depth) {
    const char* how =
        one_of({"real($0)", "imag($0)", "abs(6 + $0)", "angle(6 + $0)", "sqrt(1.5 + real($0 * conj($0)))"});
    return piece(how, real_type(shape), {bracketed(complex(shape, depth))}, 4);
}

namespace {

struct Found {
    std::string text;
    Type type;
};

void parts_of(const std::string& text, const Type& type, std::vector<Found>& all) {
    all.push_back({text, type});
    for (std::size_t i = 0; i < type.items.size(); ++i)
        parts_of(type.kind == Kind::record ? fmt::format("{}.{}", text, static_cast<char>('a' + i))
                                           : fmt::format("{}.{}", text, i),
                 type.items[i], all);
}

} // namespace

/// A variable of this type, or a part of a variable. Without text if there is none.
Node Generator::variable_of(const Type& type, int) {
    std::vector<Node> fitting;
    for (const Variable& v : scope_.variables) {
        std::vector<Found> parts;
        parts_of(v.name, v.type, parts);
        for (const Found& f : parts)
            if (f.type == type) fitting.push_back(piece(f.text, type, {}, v.bound));
    }
    if (fitting.empty()) return {};
    return chance(50) ? fitting.back() : any(fitting); // prefers parameters and loop variables
}

Node Generator::leaf(const Shape& shape, int depth) {
    const Type type = real_type(shape);
    if (chance(90)) {
        Node v = variable_of(type, depth);
        if (!v.text.empty()) return v;
    }
    if (chance(90)) { // any real variable, reduced to a scalar and multiplied by a constant of the shape
        std::vector<Found> parts, reals;
        for (const Variable& v : scope_.variables) parts_of(v.name, v.type, parts);
        for (Found& f : parts)
            if (f.type.kind == Kind::real && nonempty(f.type.shape)) reals.push_back(f);
        if (!reals.empty()) {
            const Found f = chance(50) ? reals.back() : any(reals);
            Node v = piece(f.text, f.type, {}, 3);
            if (!f.type.scalar())
                v = piece(one_of({"sum($0)", "mean($0)", "max($0)", "sum(sin($0))"}), real_type(), {v}, 6);
            v = bounded(std::move(v), 1);
            if (shape.empty()) return v;
            return piece("$0 * $1", type, {std::move(v), constant(type, number())}, 1);
        }
    }
    return constant(type, number());
}

Node Generator::unary(const Shape& shape, int depth) {
    const Type type = real_type(shape);
    Node e = bracketed(bounded(real(shape, depth), 4));
    if (chance(6)) { // kinks
        const double bound = e.bound;
        return piece(one_of({"abs($0)", "nn.relu($0)", "clip($0, -0.7, 0.9)"}), type, {std::move(e)}, bound);
    }
    struct Smooth {
        const char* text;
        double most;
    };
    static constexpr std::array<Smooth, 30> functions{{{"sin($0)", 1},
                                                       {"cos($0)", 1},
                                                       {"tanh($0)", 1},
                                                       {"sin($0)", 1},
                                                       {"tanh($0)", 1},
                                                       {"sigmoid($0)", 1},
                                                       {"exp(-$0 * $0)", 1},
                                                       {"exp(tanh($0))", 3},
                                                       {"log1p($0 * $0)", 3},
                                                       {"sqrt(1.5 + sin($0))", 1.6},
                                                       {"arctan($0)", 1.6},
                                                       {"nn.softplus($0)", 4.1},
                                                       {"erf($0)", 1},
                                                       {"1 / (2 + cos($0))", 1},
                                                       {"tanh($0) ** 2", 1},
                                                       {"tanh($0) ** 3", 1},
                                                       {"(2 + sin($0)) ** -1.5", 1},
                                                       {"log(2.5 + sin($0))", 1.3},
                                                       {"expm1(tanh($0))", 2},
                                                       {"sinh(tanh($0))", 1.2},
                                                       {"cosh(sin($0))", 1.6},
                                                       {"arcsinh($0)", 2.1},
                                                       {"-$0", 4},
                                                       {"rsqrt(2.5 + cos($0))", 0.9},
                                                       {"cbrt(2 + sin($0))", 1.5},
                                                       {"square(sin($0))", 1},
                                                       {"arcsin(0.9 * sin($0))", 1.2},
                                                       {"arctanh(0.7 * sin($0))", 1},
                                                       {"tan(0.5 * tanh($0))", 0.6},
                                                       {"lgamma(2.5 + sin($0))", 1.3}}};
    const Smooth& f = functions[static_cast<std::size_t>(below(static_cast<int>(functions.size())))];
    return piece(f.text, type, {std::move(e)}, f.most);
}

Node Generator::binary(const Shape& shape, int depth) {
    const Type type = real_type(shape);
    Node a = real(shape, depth);
    // The second operand may be broadcast.
    Shape other = shape;
    if (!shape.empty() && chance(40)) {
        if (chance(50))
            other.erase(other.begin());
        else
            other[static_cast<std::size_t>(below(static_cast<int>(other.size())))] = 0;
    }
    Node b = real(other, depth);
    if (chance(25)) b = constant(real_type(), number());
    if (chance(20) && b.type == type) std::swap(a, b);
    const double sum = a.bound + b.bound, product = a.bound * b.bound, most = std::max(a.bound, b.bound);
    switch (below(12)) {
    case 0:
    case 1:
    case 2: return piece("$0 + $1", type, {a, b}, sum);
    case 3: return piece("$0 - $1", type, {a, bracketed(b)}, sum);
    case 4:
    case 5:
    case 6: return piece("$0 * $1", type, {bracketed(a), bracketed(b)}, product);
    case 7: return piece("($0) / (2.5 + sin($1))", type, {a, b}, a.bound);
    case 8: return piece(one_of({"maximum($0, $1)", "minimum($0, $1)"}), type, {a, b}, most);
    case 9: return piece("arctan2($0, 2.5 + cos($1))", type, {a, b}, 1.6);
    case 10: return piece(one_of({"logaddexp($0, $1)", "hypot($0, 1 + ($1) ** 2)"}), type, {a, b}, 2 * most * most + 1);
    default: return piece("(2 + sin($0)) ** tanh($1)", type, {a, b}, 3);
    }
}

/// Selects elements of two values by a condition.
Node Generator::chosen(const Shape& shape, int depth) {
    Node m = chance(50) || shape.empty() ? condition(depth) : mask(shape, depth);
    Node a = real(shape, depth), b = chance(60) ? real(shape, depth) : real({}, depth);
    const double most = std::max(a.bound, b.bound);
    return piece("where($0, $1, $2)", real_type(shape), {std::move(m), std::move(a), std::move(b)}, most);
}

/// A selection whose unselected operand may be invalid: an index out of range, a division by zero.
Node Generator::chosen_where_possible(const Shape& shape, int depth) {
    const Type type = real_type(shape);
    Node other = real(shape, depth);
    if (chance(40)) {
        Node divisor = integer(shape, "3", depth), whole = integer(shape, "9", depth);
        const char* how = one_of({"where($0 != 0, ~($1 // $0), $2)", "where($0 == 0, $2, ~($1 % $0))"});
        return piece(how, type, {std::move(divisor), std::move(whole), std::move(other)}, 9);
    }
    const Dim d = any_dim();
    const bool each = shape.size() == 1 && chance(60);
    Shape from = each ? Shape{} : shape;
    from.insert(from.begin(), d);
    Node at = integer(each ? shape : Shape{}, "7", depth), x = bracketed(real(from, depth));
    const double most = std::max(x.bound, other.bound);
    return piece(fmt::format("where($0 < #{};, $1[$0], $2)", d), type, {std::move(at), std::move(x), std::move(other)},
                 most);
}

Node Generator::mask(const Shape& shape, int depth) {
    const Type type = boolean_type(shape);
    switch (below(depth > 0 ? 6 : 3)) {
    case 0: return piece("($0 > 0.13)", type, {piece("($0)", real_type(shape), {real(shape, depth - 1)})});
    case 1:
    case 2:
        return piece("($0 < $1)", type,
                     {piece("($0)", real_type(shape), {real(shape, depth - 1)}), constant(real_type(), number())});
    case 3: return piece("not $0", type, {mask(shape, depth - 1)});
    case 4: return piece(one_of({"($0 and $1)", "($0 or $1)"}), type, {mask(shape, depth - 1), mask(shape, depth - 1)});
    default: return piece("($0 % 2 == 0)", type, {integer(shape, "5", depth - 1)});
    }
}

Node Generator::condition(int depth) {
    const Type type = boolean_type();
    switch (below(depth > 0 ? 8 : 4)) {
    case 0:
    case 1: return piece("$0 > $1", type, {real({}, depth - 1), constant(real_type(), number())});
    case 2: return piece("$0 < 0.71", type, {real({}, depth - 1)});
    case 3: return piece("$0 % 2 == 0", type, {integer({}, "5", depth - 1)});
    case 4: return piece(one_of({"any($0)", "all($0)"}), type, {mask({any_dim()}, depth - 1)});
    case 5: return piece(fmt::format("#{}; > 2", any_dim()), type, {}); // known
    case 6: return piece("not ($0)", type, {condition(depth - 1)});
    default: return piece(one_of({"($0 and $1)", "($0 or $1)"}), type, {condition(depth - 1), condition(depth - 1)});
    }
}

Node Generator::integer(const Shape& shape, const std::string& limit, int depth) {
    const Type type = integer_type(shape);
    const std::string modulo = " % " + limit + ")";
    if (shape.empty()) {
        std::vector<Node> fitting;
        for (const Variable& v : scope_.variables) {
            if (v.type != type) continue;
            const bool fits = v.below >= 0 && fmt::format("#{};", v.below) == limit;
            fitting.push_back(fits ? piece(v.name, type, {}) : piece("(" + v.name + modulo, type, {}));
        }
        if (!fitting.empty() && chance(70)) return any(fitting);
        if (depth <= 0 || fuel_ <= 0 || chance(30)) return constant(type, 0);
    } else if (depth <= 0 || fuel_ <= 0 || chance(20)) {
        if (shape.size() == 1 && chance(60)) return piece(fmt::format("(arange(#{};)", shape[0]) + modulo, type, {});
        return piece("($0" + modulo, type, {constant(type, 5)});
    }
    --fuel_;
    switch (below(7)) {
    case 0:
    case 1: return piece("(i32(floor(3 * ($0)))" + modulo, type, {bounded(real(shape, depth - 1), 4)});
    case 2:
        return piece("(($0 + $1)" + modulo, type, {integer(shape, limit, depth - 1), integer(shape, limit, depth - 1)});
    case 3: return piece("(i32($0)" + modulo, type, {shape.empty() ? condition(depth - 1) : mask(shape, depth - 1)});
    case 4:
        if (!shape.empty()) break;
        return piece("(argmax($0)" + modulo, type, {real({any_filled_dim()}, depth - 1)});
    case 5:
        if (shape.empty()) return piece("(sum(i32($0))" + modulo, type, {mask({any_dim()}, depth - 1)});
        if (!nonempty(shape)) break;
        return piece("(argsort($0)" + modulo, type, {real(shape, depth - 1)});
    default: break;
    }
    return piece(fmt::format("random.randint(random.key({}), {}, 0, {})", below(9), this->shape(shape), limit), type,
                 {});
}

/// Elements of trees that the expression builds, and calls over trees.
Node Generator::from_tree(const Shape& shape, int depth) {
    const Type type = real_type(shape);
    switch (below(4)) {
    case 0: return piece("($0, $1).1", type, {real(any_shape(), depth), real(shape, depth)}, 4);
    case 1: return piece("{a: $0, b: $1}.a", type, {real(shape, depth), real(any_shape(), depth)}, 4);
    case 2: {
        const std::string name = fresh("t");
        return piece(fmt::format("tree_map(fn({0}) = sin({0}), ($0, {{a: $1}})).0", name), type,
                     {real(shape, depth), real(any_shape(), depth)}, 1);
    }
    default: return from_integers(shape, depth);
    }
}

Node Generator::from_integers(const Shape& shape, int depth) {
    const Type type = real_type(shape);
    if (chance(50)) return piece("~($0)", type, {integer(shape, "4", depth)}, 3);
    return piece("~($0)", type, {shape.empty() ? condition(depth) : mask(shape, depth)}, 1);
}

Node Generator::drawn(const Shape& shape, int depth) {
    const std::string s = this->shape(shape);
    if (chance(50))
        return piece(fmt::format("random.uniform(random.fold_in(random.key({}), $0), {}, dtype=~)", below(9), s),
                     real_type(shape), {integer({}, "5", depth)}, 1);
    return piece(fmt::format("random.normal(random.split(random.key($0))[1], {}, dtype=~)", s), real_type(shape),
                 {integer({}, "5", depth)}, 3);
}

} // namespace pm::fuzz
