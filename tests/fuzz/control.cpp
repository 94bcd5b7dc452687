// Expressions with control flow, and calls.
#include "tests/fuzz/generator.hpp"

#include <algorithm>

namespace pm::fuzz {

Node Generator::function(const std::vector<Type>& parameters, const Type& result, int depth) {
    const Inside inside(*this);
    for (Variable& v : scope_.variables) v.changes = false; // captured variables cannot be assigned
    scope_.loop = false;
    scope_.returns = result;
    std::string head;
    for (const Type& type : parameters) {
        const std::string name = fresh("a");
        head += (head.empty() ? "" : ", ") + name;
        add(name, type, 3);
    }
    if (depth > 0 && fuel_ > 0 && chance(40))
        return piece(fmt::format("fn({}) $0", head), {}, {block(1 + below(2), result, depth)});
    return piece(fmt::format("fn({}) = $0", head), {}, {expression(result, depth)});
}

Node Generator::divergent_function(const std::vector<Type>& parameters, const Type& result, int depth) {
    const Inside inside(*this);
    scope_.axes.clear();
    return function(parameters, result, depth);
}

Node Generator::branches(const Shape& shape, int depth) {
    const Type type = real_type(shape);
    Node when = bracketed(condition(depth));
    const Inside inside(*this);
    scope_.axes.clear();
    switch (below(5)) {
    case 0:
    case 1: return piece("(if $0 { $1 } else { $2 })", type, {when, real(shape, depth), real(shape, depth)}, 4);
    case 2: {
        const Type given = any_type(1);
        return piece("cond($0, $1, $2, $3)", type,
                     {when, divergent_function({given}, type, depth), divergent_function({given}, type, depth),
                      expression(given, depth)},
                     4);
    }
    case 3: {
        const Type given = any_type(1);
        std::vector<Node> kids{integer({}, "3", depth)};
        for (int i = 0; i < 3; ++i) kids.push_back(divergent_function({given}, type, depth - 1));
        kids.push_back(expression(given, depth));
        return piece("switch($0, ($1, $2, $3), $4)", type, std::move(kids), 4);
    }
    default:
        return piece(
            "(if $0 { $1 } else if $2 { $3 } else { $4 })", type,
            {when, real(shape, depth), bracketed(condition(depth - 1)), real(shape, depth), real(shape, depth)}, 4);
    }
}

Node Generator::looped(const Shape& shape, int depth) {
    const Type type = real_type(shape);
    const auto kept = [&](Node f) { // bounds the loop-carried value
        Node& value = f.kids.front().role == Role::block ? f.kids.front().kids.back() : f.kids.front();
        value = type == value.type ? bounded(value, 1) : value;
        return f;
    };
    switch (below(7)) {
    case 6: { // the loop carries a tree
        const Type carried = tree_type(Kind::tuple, {type, any_type(1)});
        Node step = divergent_function({carried}, carried, depth);
        const std::string name = fresh("s");
        return piece(
            fmt::format(
                "while_loop(fn({0}) = {0}.0 < {1}, fn({0}) = ({0}.0 + 1, tree_map(tanh, ($0)({0}.1))), (0, $1)).1.0",
                name, below(5)),
            type, {std::move(step), expression(carried, depth)}, 4);
    }
    case 0:
        return piece(fmt::format("fori_loop(0, #{};, $0, $1)", any_dim()), type,
                     {kept(divergent_function({integer_type(), type}, type, depth)), real(shape, depth)}, 4);
    case 1: { // the trip count depends on the values
        const std::string name = fresh("s");
        Node step = kept(divergent_function({type}, type, depth));
        return piece(
            fmt::format(
                "while_loop(fn({0}) = {0}.0 < {1} and sum({0}.1) < 2.3, fn({0}) = ({0}.0 + 1, ($0)({0}.1)), (0, $1)).1",
                name, 1 + below(5)),
            type, {std::move(step), real(shape, depth)}, 4);
    }
    case 2: { // the carried value of a scan over elements of a tree
        const Dim d = any_dim();
        const Type given = any_type(1);
        const std::string c = fresh("w"), a = fresh("a");
        Node step = kept(function({type, given}, type, depth));
        return piece(fmt::format("scan(fn({0}, {1}) = (($0)({0}, {1}), none), $1, $2).0", c, a), type,
                     {std::move(step), real(shape, depth), expression(stacked(given, d), depth)}, 4);
    }
    case 3:
    case 4: {
        if (shape.empty()) return called(shape, depth);
        // the outputs of the iterations
        const Type carried = any_type(1), given = real_type(any_shape()),
                   out = real_type(Shape(shape.begin() + 1, shape.end()));
        Node step = function({carried, given}, tree_type(Kind::tuple, {carried, out}), depth);
        return piece("scan($0, $1, $2).1", type,
                     {std::move(step), expression(carried, depth), expression(stacked(given, shape[0]), depth)}, 4);
    }
    default: {
        const std::string c = fresh("w"), a = fresh("k");
        Node step = kept(function({type, integer_type()}, type, depth));
        return piece(fmt::format("scan(fn({0}, {1}) = (($0)({0}, {1}), none), $1, arange(#{2};){3}).0", c, a, any_dim(),
                                 chance(30) ? ", reverse=true" : ""),
                     type, {std::move(step), real(shape, depth)}, 4);
    }
    }
}

Node Generator::mapped(const Shape& shape, int depth) {
    const Type type = real_type(shape);
    if (shape.empty()) {
        const std::string name = fresh("a");
        Node xs = expression(real_type({any_dim()}), depth);
        const Inside inside(*this);
        for (Variable& v : scope_.variables) v.changes = false;
        add(name, real_type(), 3);
        return piece(fmt::format("sum([$1 for {} in $0])", name), type, {std::move(xs), bracketed(real({}, depth))},
                     12);
    }
    if (!nonempty(shape[0])) return unary(shape, depth);
    const Type one = real_type(Shape(shape.begin() + 1, shape.end()));
    if (chance(50)) {
        const Type given = any_type(1);
        return piece("map($0, $1)", type, {function({given}, one, depth), expression(stacked(given, shape[0]), depth)},
                     4);
    }
    const std::string name = fresh(chance(50) ? "a" : "k");
    const bool range = name[0] == 'k';
    Node xs = range ? piece(fmt::format("0..#{};", shape[0]), integer_type({shape[0]}), {})
                    : expression(real_type({shape[0], any_dim()}), depth);
    const Inside inside(*this);
    for (Variable& v : scope_.variables) v.changes = false;
    if (range)
        scope_.variables.push_back({name, integer_type(), false, shape[0], 4});
    else
        add(name, real_type({xs.type.shape[1]}), 3);
    return piece(fmt::format("[$1 for {} in $0]", name), type, {std::move(xs), bracketed(expression(one, depth))}, 4);
}

namespace {

struct Access {
    std::size_t function;
    std::string path;
};

void accesses_to(const Type& wanted, const Type& type, const std::string& path, std::size_t function,
                 std::vector<Access>& all) {
    if (type == wanted) all.push_back({function, path});
    for (std::size_t i = 0; i < type.items.size(); ++i)
        accesses_to(
            wanted, type.items[i],
            path + (type.kind == Kind::record ? fmt::format(".{}", static_cast<char>('a' + i)) : fmt::format(".{}", i)),
            function, all);
}

} // namespace

Node Generator::called(const Shape& shape, int depth) {
    const Type type = real_type(shape);
    std::vector<Access> accesses;
    for (std::size_t i = 0; i < scope_.functions.size(); ++i)
        accesses_to(type, scope_.functions[i].result, "", i, accesses);
    if (accesses.empty() || chance(15)) {
        const Type given = any_type(1);
        return piece("($0)($1)", type, {function({given}, type, depth), expression(given, depth)}, 4);
    }
    const Access access = any(accesses);
    const Callable f = scope_.functions[access.function];
    std::string text = f.name + "(";
    std::vector<Node> kids;
    for (const Type& p : f.parameters) {
        text += fmt::format("{}${}", kids.empty() ? "" : ", ", kids.size());
        kids.push_back(expression(p, depth));
    }
    return piece(text + ")" + access.path, type, std::move(kids), 4);
}

} // namespace pm::fuzz
