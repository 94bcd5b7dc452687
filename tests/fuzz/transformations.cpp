// Transformations within the program.
#include "tests/fuzz/generator.hpp"

#include <algorithm>

namespace pm::fuzz {

namespace {

constexpr int most_derivatives = 2;

} // namespace

Node Generator::derived(const Shape& shape, int depth) {
    if (order_ >= most_derivatives || (order_ > 0 && chance(60))) return unary(shape, depth);
    const Type type = real_type(shape), scalar = real_type();
    const Type other = any_type(1);
    ++order_;
    const auto made = [&]() -> Node {
        switch (below(program_.reverse_only ? 5 : 12)) {
        case 0:
        case 1: return piece("grad($0)($1)", type, {function({type}, scalar, depth), real(shape, depth)}, 9);
        case 2:
            return piece("grad($0, argnums=1)($1, $2)", type,
                         {function({other, type}, scalar, depth), expression(other, depth), real(shape, depth)}, 9);
        case 3: {
            Node f = function({tree_type(Kind::tuple, {type, other})}, scalar, depth);
            return piece("value_and_grad($0)(($1, $2)).1.0", type,
                         {std::move(f), real(shape, depth), expression(other, depth)}, 9);
        }
        case 4:
            return piece("vjp($0, $1, $2).1($3).1", type,
                         {function({other, type}, other, depth), expression(other, depth), real(shape, depth),
                          expression(other, depth)},
                         9);
        case 5:
        case 6:
            return piece("jvp($0, ($1,), ($2,)).1", type,
                         {function({other}, type, depth), expression(other, depth), expression(other, depth)}, 9);
        case 7:
            return piece("jvp($0, ($1, $2), ($3, $4)).0", type,
                         {function({other, type}, type, depth), expression(other, depth), real(shape, depth),
                          expression(other, depth), real(shape, depth)},
                         4);
        case 8:
            return piece("linearize($0, $1).1($2)", type,
                         {function({other}, type, depth), expression(other, depth), expression(other, depth)}, 9);
        case 9:
            return piece("hvp($0, $1, $2)", type,
                         {function({type}, scalar, depth), real(shape, depth), real(shape, depth)}, 9);
        default: break;
        }
        if (shape.empty()) return piece("grad($0)($1)", type, {function({type}, scalar, depth), real(shape, depth)}, 9);
        const Shape last(shape.end() - 1, shape.end()), before(shape.begin(), shape.end() - 1);
        if (shape.size() == 2 && shape[0] == shape[1])
            return piece("hessian($0)($1)", type, {function({real_type(last)}, scalar, depth), real(last, depth)}, 9);
        return piece(one_of({"jacfwd($0)($1)", "jacrev($0)($1)"}), type,
                     {function({real_type(last)}, real_type(before), depth), real(last, depth)}, 9);
    };
    Node n = made();
    --order_;
    return n;
}

Node Generator::batched(const Shape& shape, int depth) {
    const Type type = real_type(shape);
    const std::string axis = fresh("batch");
    const auto named = [&](bool name) { return name ? fmt::format(", axis_name=\"{}\"", axis) : std::string(); };
    const auto body = [&](const std::vector<Type>& parameters, const Type& result, Dim size, bool name) {
        const Inside inside(*this);
        if (name) scope_.axes.push_back({axis, size});
        return function(parameters, result, depth);
    };
    const auto shares_out = [&](Dim d) {
        const int n = program_.sizes.of(d);
        const bool even = n <= program_.devices || n % program_.devices == 0;
        return even && chance(70) ? "" : ", uneven=true";
    };
    const bool name = chance(exchanging_ ? 85 : 60);
    const Type one = any_type(1), other = any_type(1);
    if (shape.empty() || chance(12)) { // a collective combines the results
        const Dim d = exchanging_ ? axis_dim(shape) : any_filled_dim();
        Node f = body({one}, type, d, true);
        const std::string x = fresh("a");
        return piece(fmt::format("pmap(fn({0}) = {1}(($0)({0}), \"{2}\"), axis_name=\"{2}\", out_axes=none{3})($1)", x,
                                 one_of({"psum", "pmean", "pmax"}), axis, shares_out(d)),
                     type, {std::move(f), expression(stacked(one, d), depth)}, 12);
    }
    if (!nonempty(shape[0])) return unary(shape, depth);
    const Type part = real_type(Shape(shape.begin() + 1, shape.end()));
    const bool devices = chance(exchanging_ ? 60 : 40);
    const char* how = devices ? "pmap" : "vmap";
    const std::string options = named(name) + (devices ? shares_out(shape[0]) : "");
    switch (below(6)) {
    case 5: { // in_axes is a tree
        Node f = body({tree_type(Kind::tuple, {one, other})}, part, shape[0], name);
        return piece(fmt::format("{}($0, in_axes=((0, none),){})(($1, $2))", how, options), type,
                     {std::move(f), expression(stacked(one, shape[0]), depth), expression(other, depth)}, 4);
    }
    case 0:
    case 1:
        return piece(fmt::format("{}($0{})($1)", how, options), type,
                     {body({one}, part, shape[0], name), expression(stacked(one, shape[0]), depth)}, 4);
    case 2:
        return piece(fmt::format("{}($0, in_axes=(0, none){})($1, $2)", how, options), type,
                     {body({one, other}, part, shape[0], name), expression(stacked(one, shape[0]), depth),
                      expression(other, depth)},
                     4);
    case 3: {
        const Dim d = any_dim();
        return piece(fmt::format("{}($0, in_axes=1{})($1)", how, options), type,
                     {body({real_type({d})}, part, shape[0], name), real({d, shape[0]}, depth)}, 4);
    }
    default:
        if (shape.size() != 2 || !nonempty(shape[1])) return looped(shape, depth);
        return piece(fmt::format("vmap($0, out_axes=1{})($1)", named(name)), type,
                     {body({one}, real_type({shape[0]}), shape[1], name), expression(stacked(one, shape[1]), depth)},
                     4);
    }
}

/// Transformations that change no value.
Node Generator::wrapped(const Shape& shape, int depth) {
    const Type type = real_type(shape), given = any_type(1);
    switch (below(5)) {
    case 0: program_.stopped = true; return piece("stop_gradient($0)", type, {real(shape, depth)}, 4);
    case 1: return piece("checkpoint($0)($1)", type, {function({given}, type, depth), expression(given, depth)}, 4);
    default: return piece("jit($0)($1)", type, {function({given}, type, depth), expression(given, depth)}, 4);
    }
}

/// Functions with custom rules that compute what the default rules would. Neither function nor rule may capture
/// differentiated values, so the function belongs to the module.
Node Generator::custom(const Shape& shape, int depth) {
    if (order_ >= most_derivatives) return unary(shape, depth);
    const Type type = real_type(shape);
    const std::string name = fresh("h");
    const Type other = any_type(1);
    const bool two = chance(40);
    std::vector<Node> given{real(shape, depth)};
    std::vector<Type> types{type};
    if (two) {
        given.push_back(expression(other, depth));
        types.push_back(other);
    }
    Node f;
    {
        const Inside inside(*this);
        scope_ = {};
        ++order_;
        f = function(types, type, std::min(depth, 2));
        --order_;
    }
    f.role = Role::statement;
    f.text.insert(2, " " + name);
    program_.functions.push_back(std::move(f));
    const char* to = two ? "$0, $1" : "$0";
    if (!two && !program_.reverse_only && chance(35)) { // linear in b; the rule applies it to the tangent of b
        given.push_back(real(shape, depth));
        program_.functions.push_back(statement(fmt::format(
            "fn {1}(s, b) = custom_jvp(fn(s, b) = custom_jvp({0}, fn(p, t) = jvp({0}, p, t))(s) * b, fn(p, t) "
            "= ({1}(p.0, p.1), {1}(p.0, t.1) + jvp({0}, (p.0,), (t.0,)).1 * p.1))(s, b)",
            name, name + "_times")));
        return piece(fmt::format("{}_times($0, tanh($1))", name), type, std::move(given), 4);
    }
    if (!program_.reverse_only)
        return piece(fmt::format("custom_jvp({0}, fn(p, t) = jvp({0}, p, t))({1})", name, to), type, std::move(given),
                     4);
    if (two)
        return piece(
            fmt::format("custom_vjp({0}, fn(p, q) = ({0}(p, q), (p, q)), fn(r, g) = vjp({0}, *r).1(g))({1})", name, to),
            type, std::move(given), 4);
    return piece(fmt::format("custom_vjp({0}, fn(p) = ({0}(p), p), fn(r, g) = vjp({0}, r).1(g))({1})", name, to), type,
                 std::move(given), 4);
}

Node Generator::over_two_axes(const Shape& shape, int depth) {
    const Type type = real_type(shape);
    const auto [outer, inner] =
        chance(50) ? std::pair(scope_.axes[0], scope_.axes[1]) : std::pair(scope_.axes[1], scope_.axes[0]);
    const std::string axes = fmt::format("(\"{}\", \"{}\")", outer.name, inner.name);
    const Dim size = program_.sizes.product(outer.size, inner.size);
    Shape all = shape;
    all.insert(all.begin(), size);
    switch (below(5)) {
    case 0:
        return piece(fmt::format("ppermute($0, {0}, ((i, (i + 1) % #{1};) for i in range(#{1};)))", axes, size), type,
                     {real(shape, depth)}, 4);
    case 1: return piece(fmt::format("psum_scatter($0, {})", axes), type, {real(all, depth)}, 12);
    case 2:
        return piece(fmt::format("all_gather($0, {})[$1]", axes), type, {real(shape, depth), index(size, depth)}, 4);
    case 3:
        return piece(fmt::format("all_to_all($0, {}, 0, 0)[$1]", axes), type,
                     {bracketed(real(all, depth)), index(size, depth)}, 4);
    default: return piece(fmt::format("psum($0, {})", axes), type, {real(shape, depth)}, 12);
    }
}

/// Collectives within groups. The groups have the positions of one axis, or of two, in random order.
Node Generator::in_groups(const Shape& shape, int depth) {
    const Type type = real_type(shape);
    const Axis one = any(scope_.axes), other = any(scope_.axes);
    const bool two = one.name != other.name;
    const std::string axes = two ? fmt::format("(\"{}\", \"{}\")", one.name, other.name) : '"' + one.name + '"';
    const int size = program_.sizes.of(one.size) * (two ? program_.sizes.of(other.size) : 1);
    std::vector<int> places(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) { // a random order
        const int at = below(i + 1);
        places[static_cast<std::size_t>(i)] = places[static_cast<std::size_t>(at)];
        places[static_cast<std::size_t>(at)] = i;
    }
    int members = 1 + below(size);
    const bool equal = chance(70);
    while (equal && size % members != 0) --members;
    std::string groups;
    for (int i = 0; i < size; ++i)
        groups += fmt::format("{}{},",
                              i % members != 0 ? " "
                              : i == 0         ? "("
                                               : "), (",
                              places[static_cast<std::size_t>(i)]);
    const std::string end = fmt::format("{}, axis_index_groups=({}),)", axes, groups);
    Node e = real(shape, depth);
    const double bound = e.bound;
    const std::string k = fresh("k");
    switch (below(equal ? 7 : 4)) {
    case 4:
        return piece(fmt::format("all_gather($0, {})[$1]", end), type,
                     {std::move(e), integer({}, std::to_string(members), depth)}, bound);
    case 5:
        return piece(fmt::format("psum_scatter([$0 * ~({0} + 1) for {0} in range({1})], {2})", k, members, end), type,
                     {bracketed(std::move(e))}, bound * members * members);
    case 6:
        return piece(fmt::format("all_to_all([$0 * ~({0} + 1) for {0} in range({1})], {2}[$1]", k, members,
                                 fmt::format("{}, 0, 0, axis_index_groups=({}),))", axes, groups)),
                     type, {bracketed(std::move(e)), integer({}, std::to_string(members), depth)}, bound * members);
    default:
        return piece(fmt::format("{}($0, {})", one_of({"psum", "pmean", "pmax", "pmin"}), end), type, {std::move(e)},
                     bound * members);
    }
}

Node Generator::collective(const Shape& shape, int depth) {
    const Type type = real_type(shape);
    const auto [axis, size] = any(scope_.axes);
    Node e = real(shape, depth);
    const double bound = e.bound;
    const auto in_front = [&] {
        Shape s = shape;
        s.insert(s.begin(), size);
        return s;
    };
    if (chance(15)) return in_groups(shape, depth);
    switch (below(18)) {
    case 12:
        return piece(
            fmt::format("pshuffle($0, \"{0}\", ((i + {1}) % #{2}; for i in range(#{2};)))", axis, below(4), size), type,
            {std::move(e)}, bound);
    case 13:
        return piece(fmt::format("pbroadcast($0, \"{}\", {} % #{};)", axis, below(7), size), type, {std::move(e)},
                     bound);
    case 14:
        return piece(fmt::format("$0 * ~({}($1, \"{}\") + 1)", one_of({"pargmax", "pargmin"}), axis), type,
                     {bracketed(std::move(e)), real({}, depth)}, bound * program_.sizes.of(size));
    case 15:
        return piece(fmt::format("{}(($0, {{a: $1}}), \"{}\").0", one_of({"psum", "pmean", "pmax"}), axis), type,
                     {std::move(e), real(any_shape(), depth)}, bound * program_.sizes.of(size));
    case 16:
        return piece(fmt::format("pswapaxes($0, \"{}\", 0)[$1]", axis), type,
                     {bracketed(real(in_front(), depth)), index(size, depth)}, 4);
    case 17: // most devices receive nothing
        return piece(fmt::format("ppermute($0, \"{}\", (({} % #{};, #{}; - 1),))", axis, below(7), size, size), type,
                     {std::move(e)}, bound);
    case 9:
        return piece(fmt::format("all_to_all($0, \"{}\", 0, 0)[$1]", axis), type,
                     {bracketed(real(in_front(), depth)), index(size, depth)}, 4);
    case 10:
        if (shape.empty()) break;
        return piece(
            fmt::format("sum(all_gather($0, \"{}\", tiled=true).reshape({}), axis=0)", axis, this->shape(in_front())),
            type, {std::move(e)}, bound * program_.sizes.of(size));
    case 11: {
        if (shape.empty()) break;
        Shape s = shape;
        s[0] = program_.sizes.product(size, s[0]);
        if (chance(50))
            return piece(fmt::format("psum_scatter($0, \"{}\", tiled=true)", axis), type, {real(s, depth)}, 9);
        return piece(fmt::format("all_to_all($0, \"{0}\", 0, 0, tiled=true)[:#{1};]", axis, shape[0]), type,
                     {bracketed(real(s, depth))}, 4);
    }
    case 7:
        return piece(fmt::format("ppermute($0, \"{0}\", ((i, (i + 1) % #{1};) for i in range(#{1};)))", axis, size),
                     type, {std::move(e)}, bound);
    case 8: {
        return piece(fmt::format("psum_scatter($0, \"{}\")", axis), type, {real(in_front(), depth)}, 9);
    }
    case 0:
    case 1: return piece(fmt::format("psum($0, \"{}\")", axis), type, {std::move(e)}, bound * program_.sizes.of(size));
    case 2:
    case 3: return piece(fmt::format("pmean($0, \"{}\")", axis), type, {std::move(e)}, bound);
    case 4: return piece(fmt::format("{}($0, \"{}\")", one_of({"pmax", "pmin"}), axis), type, {std::move(e)}, bound);
    case 5:
        return piece(fmt::format("all_gather($0, \"{}\")[$1]", axis), type, {std::move(e), index(size, depth)}, bound);
    default: break;
    }
    if (scope_.axes.size() > 1 && chance(60)) return over_two_axes(shape, depth);
    return piece(fmt::format("$0 * ~(axis_index(\"{}\") + 1)", axis), type, {bracketed(std::move(e))}, 4 * bound);
}

} // namespace pm::fuzz
