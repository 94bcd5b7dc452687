// Programs that consist of collectives, maps, and control flow that all devices of an axis take together.
#include "tests/fuzz/generator.hpp"

#include <algorithm>
#include <array>

namespace pm::fuzz {

namespace {

constexpr std::size_t most_axes = 3;

} // namespace

Program Generator::exchanging_program() {
    program_.exchanging = true;
    // The first free size is that of the long axis, which only maps use.
    const int longest = chance(60) ? 1 + below(8) : chance(50) ? 1 + below(64) : 8 << below(4);
    std::vector<int> free{longest};
    for (int i = 0; i < 2; ++i) free.push_back(chance(3) ? 0 : 1 + below(3));
    program_.sizes = Sizes(free);
    program_.narrow = chance(12);
    static const std::vector<int> usual{1, 2, 3, 8, 64};
    program_.devices = chance(50) ? any(usual) : 1 + below(64);
    fuel_ = 8 + below(30);
    const Dim axis = program_.sizes.free(0);
    program_.parameters = {{"x", stacked(any_real_type(1), axis)}, {"y", any_real_type(1)}};
    for (const Parameter& p : program_.parameters) add(p.name, p.type);
    std::vector<Type> results;
    for (int i = 1 + below(2); i > 0; --i)
        results.push_back(chance(70) ? stacked(real_type(chance(50) ? Shape{} : Shape{any_dim()}), axis)
                                     : real_type(any_shape()));
    program_.result = tree_type(Kind::tuple, std::move(results));
    program_.body.role = Role::block;
    for (int i = below(3); i > 0; --i) let(program_.body.kids, 3);
    program_.body.kids.push_back(expression(program_.result, 5));
    return program_;
}

Node Generator::exchanging_real(const Shape& shape, int depth) {
    if (scope_.axes.empty() && chance(60)) return bounded(spread(shape, depth - 1), 4);
    if (!scope_.axes.empty() && chance(40)) return bounded(collective(shape, depth - 1), 4);
    static constexpr std::array<Choice, 14> choices{{
        {10, &Generator::leaf},
        {6, &Generator::unary},
        {10, &Generator::binary},
        {4, &Generator::chosen},
        {4, &Generator::reduction},
        {3, &Generator::indexed},
        {2, &Generator::updated},
        {3, &Generator::branches},
        {3, &Generator::looped},
        {2, &Generator::derived},
        {1, &Generator::drawn},
        {2, &Generator::called},
        {10, &Generator::spread},
        {16, &Generator::uniform_control},
    }};
    return one_of(choices, shape, depth);
}

/// Returns the long axis only if no enclosing axis has its size, so that programs stay fast.
Dim Generator::axis_dim(const Shape& existing) {
    const Dim longest = program_.sizes.free(0);
    const bool taken =
        std::count(existing.begin(), existing.end(), longest) != 0 ||
        std::any_of(scope_.axes.begin(), scope_.axes.end(), [&](const Axis& a) { return a.size == longest; });
    return taken || chance(40) ? any_filled_dim() : longest;
}

/// A map over a new axis. Its slices are summed with different weights, so that exchanged slices change the sum.
Node Generator::spread(const Shape& shape, int depth) {
    if (scope_.axes.size() >= most_axes) return collective(shape, depth);
    if (shape.empty() ? chance(30) : chance(60)) return batched(shape, depth);
    Shape all = shape;
    all.insert(all.begin(), axis_dim(shape));
    const Type weights = real_type(all);
    return piece("sum($0 * $1, axis=0)", real_type(shape),
                 {bracketed(batched(all, depth)), constant(weights, number())}, 4.0 * program_.sizes.of(all.front()));
}

std::vector<Generator::Axis> Generator::some_axes() {
    std::vector<Axis> some;
    for (const Axis& a : scope_.axes)
        if (chance(70)) some.push_back(a);
    if (some.empty()) some.push_back(any(scope_.axes));
    return some;
}

namespace {

template <class Axes>
std::string names_of(const Axes& axes) {
    if (axes.size() == 1) return fmt::format("\"{}\"", axes.front().name);
    std::string text;
    for (const auto& a : axes) text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", a.name);
    return "(" + text + ")";
}

} // namespace

Node Generator::agreed(const std::vector<Axis>& among, int depth) {
    const Type type = boolean_type();
    const std::string axes = names_of(among);
    switch (below(7)) {
    case 0: return piece(fmt::format("psum($0, {}) > {}", axes, number()), type, {real({}, depth - 1)});
    case 1: return piece(fmt::format("pmax($0, {}) > {}", axes, number()), type, {real({}, depth - 1)});
    case 2: return piece(fmt::format("pmean($0, {}) < {}", axes, number()), type, {real({}, depth - 1)});
    case 3: return piece(fmt::format("pmin($0, {}) % 2 == 0", axes), type, {integer({}, "5", depth - 1)});
    case 4: return piece(fmt::format("psum(i32($0), {}) > {}", axes, below(4)), type, {condition(depth - 1)});
    case 5: return piece(fmt::format("any(all_gather($0, {}) > {})", axes, number()), type, {real({}, depth - 1)});
    default: return piece(fmt::format("pargmax($0, {}) % 2 == 0", axes), type, {real({}, depth - 1)});
    }
}

Node Generator::uniform_control(const Shape& shape, int depth) {
    if (scope_.axes.empty()) return spread(shape, depth);
    const Type type = real_type(shape);
    const std::vector<Axis> among = some_axes();
    if (chance(50)) return uniform_loop(shape, among, depth);
    Node when = agreed(among, depth);
    const Inside inside(*this);
    scope_.axes = among;
    switch (below(5)) {
    case 0: return piece("(if $0 { $1 } else { $2 })", type, {when, real(shape, depth), real(shape, depth)}, 4);
    case 1: {
        const Type given = any_type(1);
        return piece("cond($0, $1, $2, $3)", type,
                     {when, function({given}, type, depth), function({given}, type, depth), expression(given, depth)},
                     4);
    }
    case 2: {
        Node which = piece(fmt::format("pmax($0, {})", names_of(among)), integer_type(), {integer({}, "3", depth - 1)});
        std::vector<Node> kids{std::move(which)};
        for (int i = 0; i < 3; ++i) kids.push_back(function({type}, type, depth - 1));
        kids.push_back(real(shape, depth - 1));
        return piece("switch($0, ($1, $2, $3), $4)", type, std::move(kids), 4);
    }
    case 3: { // all devices run the code after an early return, or none does
        const std::string p = fresh("a");
        Node given = real(shape, depth - 1);
        add(p, type, 3);
        return piece(fmt::format("(fn({}) {{\n    if $0 {{ return $1 }}\n    $2\n}})($3)", p), type,
                     {when, real(shape, depth), real(shape, depth), std::move(given)}, 4);
    }
    default:
        return piece("(if $0 { $1 } else if $2 { $3 } else { $4 })", type,
                     {when, real(shape, depth), agreed(among, depth - 1), real(shape, depth), real(shape, depth)}, 4);
    }
}

Node Generator::uniform_loop(const Shape& shape, const std::vector<Axis>& among, int depth) {
    const Type type = real_type(shape);
    const std::string axes = names_of(among), n = fresh("n"), t = fresh("m"), p = fresh("a");
    Node first = bounded(real(shape, depth - 1), 1);
    const Inside inside(*this);
    scope_.axes = among;
    for (Variable& v : scope_.variables) v.changes = false;
    add(t, type, 1);
    const auto step = [&] { return bounded(real(shape, depth), 1); };
    const std::string ends = fmt::format("{}(sum({}), {})", one_of({"psum", "pmax", "pmin", "pmean"}), t, axes);
    const int iterations = 1 + below(4);
    switch (below(6)) {
    case 0:
        return piece(fmt::format("(fn({0}) {{\n    mut ({1}, {2}) = (0, {0})\n    while {1} < {3} and {4} < {5} {{\n"
                                 "        {2} = $0\n        {1} += 1\n    }}\n    {2}\n}})($1)",
                                 p, n, t, iterations, ends, number()),
                     type, {step(), std::move(first)}, 1);
    case 1:
        return piece(fmt::format("(fn({0}) {{\n    mut {1} = {0}\n    for {2} in 0..{3} {{\n        {1} = $0\n"
                                 "        if {4} > {5} {{ {6} }}\n        {1} = $1\n    }}\n    {1}\n}})($2)",
                                 p, t, n, iterations, ends, number(), one_of({"break", "continue"})),
                     type, {step(), step(), std::move(first)}, 1);
    case 2: // the trip count is equal on all devices
        return piece(fmt::format("(fn({0}) {{\n    mut {1} = {0}\n    for {2} in 0..pmax($0, {3}) {{ {1} = $1 }}\n"
                                 "    {1}\n}})($2)",
                                 p, t, n, axes),
                     type, {integer({}, "4", 0), step(), std::move(first)}, 1);
    case 3:
        return piece(fmt::format("fori_loop(0, {}, fn({}, {}) = $0, $1)", iterations, n, t), type,
                     {step(), std::move(first)}, 1);
    case 4: {
        const Dim d = any_dim();
        return piece(fmt::format("scan(fn({0}, {1}) = ($0, {2}), $1, arange(#{3};)).0", t, n, ends, d), type,
                     {step(), std::move(first)}, 1);
    }
    default:
        return piece(fmt::format("while_loop(fn({0}) = {0}.0 < {1} and {2}(sum({0}.1), {3}) < {4}, "
                                 "fn({0}) = ({0}.0 + 1, (fn({5}) = $0)({0}.1)), (0, $1)).1",
                                 p, iterations, one_of({"psum", "pmax", "pmin", "pmean"}), axes, number(), t),
                     type, {step(), std::move(first)}, 1);
    }
}

} // namespace pm::fuzz
