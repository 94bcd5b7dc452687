#include "tests/fuzz/generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pm::fuzz {

namespace {

/// Whether one pair of brackets encloses the text: true for `(a + b)`, false for `(a) + (b)`.
bool in_brackets(const std::string& text) {
    int open = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '(') ++open;
        if (text[i] == ')') --open;
        if (open == 0) return text.front() == '(' && i + 1 == text.size();
    }
    return false;
}

} // namespace

Program generate(std::uint64_t seed, Draw draw) { return Generator(seed, draw).program(); }

Node Generator::piece(std::string text, Type type, std::vector<Node> kids, double bound) {
    Node n;
    n.text = std::move(text);
    n.type = std::move(type);
    n.kids = std::move(kids);
    n.bound = bound;
    return n;
}

Node Generator::statement(std::string text, std::vector<Node> kids) {
    Node n;
    n.role = Role::statement;
    n.text = std::move(text);
    n.kids = std::move(kids);
    return n;
}

/// The node if its values are at most `most`, else a smooth function of it within that bound.
Node Generator::bounded(Node node, double most) {
    if (node.bound <= most || node.type.kind != Kind::real) return node;
    const Type type = node.type;
    if (node.bound <= 4 * most && most >= 1) return piece("sin($0)", type, {std::move(node)}, 1);
    return piece(most >= 1 ? "tanh($0)" : fmt::format("{} * tanh($0)", most), type, {std::move(node)},
                 std::min(most, 1.0));
}

/// Adds brackets, unless the text is one word or has them, so that it can be an operand or be indexed.
Node Generator::bracketed(Node node) {
    const bool word = node.text.find(' ') == std::string::npos && node.text.front() != '-';
    if (word || in_brackets(node.text)) return node;
    const Type type = node.type;
    const double bound = node.bound;
    return piece("($0)", type, {std::move(node)}, bound);
}

bool Generator::nonempty(const Shape& shape) const {
    return std::all_of(shape.begin(), shape.end(), [&](Dim d) { return nonempty(d); });
}

Dim Generator::any_dim() {
    if (chance(8)) return 0;
    const int skipped = exchanging_ ? 1 : 0; // only maps use the long axis
    return program_.sizes.free(skipped + below(program_.sizes.free_count() - skipped));
}

Dim Generator::any_filled_dim() {
    const Dim d = any_dim();
    return nonempty(d) ? d : 0;
}

std::string Generator::shape(const Shape& s) const {
    std::string text;
    for (const Dim d : s) text += fmt::format("#{};, ", d);
    if (s.size() > 1) text.resize(text.size() - 2);
    if (s.size() == 1) text.pop_back();
    return "(" + text + ")";
}

void Generator::add(const std::string& name, const Type& type, double bound, bool changes) {
    scope_.variables.push_back({name, type, changes, -1, bound});
}

Shape Generator::any_shape() {
    Shape s;
    const int rank = below(10);
    for (int i = 0; i < (rank < 3 ? 0 : rank < 8 ? 1 : 2); ++i) s.push_back(any_dim());
    return s;
}

namespace {

Type without_complex(Type type) {
    if (type.kind == Kind::complex) type.kind = Kind::real;
    for (Type& item : type.items) item = without_complex(std::move(item));
    return type;
}

} // namespace

Type Generator::any_type(int depth) {
    if (depth == 0 || chance(65)) return chance(10) ? complex_type(any_shape()) : real_type(any_shape());
    std::vector<Type> items;
    for (int i = 1 + below(3); i > 0; --i) items.push_back(any_type(depth - 1));
    return tree_type(chance(50) ? Kind::tuple : Kind::record, std::move(items));
}

Type Generator::any_real_type(int depth) { return without_complex(any_type(depth)); }

// ---- statements

Node Generator::block(int statements, const std::optional<Type>& value, int depth) {
    const Inside inside(*this);
    if (statements > 0) scope_.axes.clear(); // later code may not run on every device
    Node b;
    b.role = Role::block;
    for (int i = 0; i < statements; ++i) add_statement(b.kids, depth);
    if (value) b.kids.push_back(expression(*value, depth));
    return b;
}

void Generator::add_statement(std::vector<Node>& to, int depth) {
    switch (below(depth > 0 && fuel_ > 0 ? 17 : 8)) {
    case 0:
    case 1:
    case 2: return let(to, depth);
    case 3:
    case 4:
    case 5: return assign(to, depth);
    case 6: return take_apart(to, depth);
    case 7: return leave(to, depth);
    case 8:
    case 9: return let_function(to, depth);
    case 10:
    case 11:
    case 12: return for_loop(to, depth);
    case 13: return while_loop(to, depth);
    case 14: // an effect that every transformation has to keep
        to.push_back(statement("assert(all(abs($0) < 1e6), \"too large\")", {real(any_shape(), depth - 1)}));
        return;
    default: return if_statement(to, depth);
    }
}

void Generator::let(std::vector<Node>& to, int depth) {
    const bool changes = chance(50);
    Type type = chance(12) ? integer_type() : any_type(1);
    Node value = type.kind == Kind::integer ? integer({}, "5", depth) : bounded(expression(type, depth), 3);
    const std::string name = fresh(changes ? "m" : "v");
    const double bound = changes ? 4 : value.bound;
    to.push_back(statement(fmt::format("{} {} = $0", changes ? "mut" : "let", name), {std::move(value)}));
    add(name, type, bound, changes);
}

void Generator::take_apart(std::vector<Node>& to, int depth) {
    std::vector<Type> items;
    std::string pattern;
    const bool record = chance(50);
    std::vector<std::string> names;
    for (int i = 0; i < 2; ++i) {
        items.push_back(real_type(any_shape()));
        names.push_back(fresh("v"));
        pattern +=
            (i == 0 ? "" : ", ") + (record ? fmt::format("{}: {}", i == 0 ? "a" : "b", names.back()) : names.back());
    }
    const Type type = tree_type(record ? Kind::record : Kind::tuple, items);
    to.push_back(statement(fmt::format("let {}{}{} = $0", record ? "{" : "(", pattern, record ? "}" : ")"),
                           {expression(type, depth)}));
    for (std::size_t i = 0; i < 2; ++i) add(names[i], items[i], 3);
}

void Generator::assign(std::vector<Node>& to, int depth) {
    std::vector<Variable> candidates;
    for (const Variable& v : scope_.variables)
        if (v.changes) candidates.push_back(v);
    if (candidates.empty()) return let(to, depth);
    const Variable v = any(candidates);
    if (v.type.kind == Kind::integer) {
        to.push_back(statement(fmt::format("{} = $0", v.name), {integer({}, "5", depth)}));
        return;
    }
    // Assigns the whole variable or one leaf.
    const bool whole = chance(30);
    std::string path;
    Type type = v.type;
    while (!whole && type.tree()) {
        const std::size_t i = static_cast<std::size_t>(below(static_cast<int>(type.items.size())));
        path += type.kind == Kind::record ? fmt::format(".{}", static_cast<char>('a' + i)) : fmt::format(".{}", i);
        const Type item = type.items[i];
        type = item;
    }
    std::vector<Node> kids;
    while (!whole && !type.shape.empty() && nonempty(type.shape.front()) && chance(60)) {
        const Dim d = type.shape.front();
        path += fmt::format("[${}]", kids.size());
        kids.push_back(index(d, depth - 1));
        type.shape.erase(type.shape.begin());
    }
    const bool sums = !type.tree() && chance(50);
    Node value = bounded(expression(type, depth), sums ? 0.5 : 3);
    const char* how = !sums ? "=" : one_of({"+=", "-=", "+="});
    if (!type.tree() && chance(8)) how = "*=";
    path += fmt::format(" {} ${}", how, kids.size());
    kids.push_back(std::move(value));
    to.push_back(statement(v.name + path, std::move(kids)));
}

void Generator::let_function(std::vector<Node>& to, int depth) {
    std::vector<Type> parameters;
    for (int i = 1 + below(2); i > 0; --i) parameters.push_back(any_type(1));
    const Type result = any_type(1);
    const std::string name = fresh("g");
    Node value = divergent_function(parameters, result, depth - 1); // any code may call it
    to.push_back(statement(fmt::format("let {} = $0", name), {std::move(value)}));
    scope_.functions.push_back({name, parameters, result});
}

void Generator::for_loop(std::vector<Node>& to, int depth) {
    const Inside inside(*this);
    scope_.loop = true;
    std::string head;
    std::vector<Node> kids;
    const std::string name = fresh("k");
    const Dim d = any_dim();
    switch (below(7)) {
    case 0:
    case 1:
        head = fmt::format("{} in 0..#{};", name, d);
        scope_.variables.push_back({name, integer_type(), false, d, 8});
        break;
    case 2: // a number of iterations that depends on data
        head = fmt::format("{} in 0..$0", name);
        kids.push_back(integer({}, "4", depth - 1));
        scope_.variables.push_back({name, integer_type(), false, -1, 8});
        break;
    case 3:
        head = fmt::format("{} in $0", name);
        kids.push_back(expression(real_type({d}), depth - 1));
        add(name, real_type(), 3);
        break;
    case 4: {
        const std::string place = fresh("k");
        head = fmt::format("({}, {}) in enumerate($0)", place, name);
        kids.push_back(expression(real_type({d, any_dim()}), depth - 1));
        scope_.variables.push_back({place, integer_type(), false, d, 8});
        add(name, real_type({kids.back().type.shape[1]}), 3);
        break;
    }
    case 5:
        head = fmt::format("{} in ($0, $1)", name);
        kids.push_back(expression(real_type(any_shape()), depth - 1));
        kids.push_back(expression(kids.front().type, depth - 1));
        add(name, kids.front().type, 3);
        break;
    default:
        head = fmt::format("{} in reversed(0..#{};)", name, d);
        scope_.variables.push_back({name, integer_type(), false, d, 8});
        break;
    }
    Node body = block(1 + below(3), {}, depth - 1);
    head = fmt::format("for {} ${}", head, kids.size());
    kids.push_back(std::move(body));
    to.push_back(statement(head, std::move(kids)));
}

void Generator::while_loop(std::vector<Node>& to, int depth) {
    const std::string iterations = fresh("n");
    to.push_back(statement(fmt::format("mut {} = 0", iterations)));
    const Inside inside(*this);
    scope_.loop = true;
    Node until = condition(depth - 1);
    Node body = block(1 + below(3), {}, depth - 1);
    body.kids.insert(body.kids.begin(), statement(iterations + " += 1"));
    to.push_back(statement(fmt::format("while {} < {} and $0 $1", iterations, 1 + below(5)),
                           {std::move(until), std::move(body)}));
}

void Generator::if_statement(std::vector<Node>& to, int depth) {
    const Inside inside(*this);
    std::vector<Node> kids{condition(depth - 1)};
    kids.push_back(block(1 + below(2), {}, depth - 1));
    std::string text = "if $0 $1";
    if (chance(50)) {
        kids.push_back(block(1 + below(2), {}, depth - 1));
        text += " else $2";
    }
    to.push_back(statement(text, std::move(kids)));
}

void Generator::leave(std::vector<Node>& to, int depth) {
    Node when = condition(depth - 1);
    if (scope_.loop && chance(70)) {
        to.push_back(statement(fmt::format("if $0 {{ {} }}", one_of({"break", "continue"})), {std::move(when)}));
    } else if (scope_.returns && chance(60)) {
        const Type returned = *scope_.returns; // a copy: expression() changes scope_
        to.push_back(statement("if $0 { return $1 }", {std::move(when), expression(returned, depth - 1)}));
    } else {
        return assign(to, depth);
    }
}

Program Generator::program() {
    if (exchanging_) return exchanging_program();
    std::vector<int> free;
    for (int i = 0; i < 3; ++i) free.push_back(chance(4) ? 0 : 1 + below(4));
    program_.sizes = Sizes(free);
    program_.narrow = chance(12);
    program_.reverse_only = chance(10);
    program_.devices = 1 + below(4);
    fuel_ = chance(30) ? 60 + below(120) : 15 + below(60);
    // Functions of the module. Each may call those before it.
    for (int i = below(3); i > 0; --i) {
        std::vector<Type> parameters;
        for (int k = 1 + below(2); k > 0; --k) parameters.push_back(any_type(1));
        const Type result = any_type(1);
        const std::string name = fresh("h");
        Node f = function(parameters, result, 2);
        f.role = Role::statement;
        f.text.insert(2, " " + name); // fn h(a, b) ...
        program_.functions.push_back(std::move(f));
        scope_.functions.push_back({name, parameters, result});
    }
    program_.parameters = {{"x", any_real_type(2)}, {"y", any_real_type(1)}};
    for (const Parameter& p : program_.parameters) add(p.name, p.type);
    program_.result = any_real_type(2);
    scope_.returns = program_.result;
    fuel_ += 20;
    program_.body = main_block();
    program_.weak = chance(program_.narrow ? 70 : 15);
    program_.host_line = static_cast<std::size_t>(below(1000));
    return program_;
}

/// Statements, and a value that depends on every variable.
Node Generator::main_block() {
    Node b;
    b.role = Role::block;
    for (int i = 2 + below(6); i > 0; --i) add_statement(b.kids, 4);
    Node all = constant(real_type(), number());
    for (const Variable& v : scope_.variables)
        for (const auto& [path, kind] : leaf_paths(v.type)) {
            const char* part_of =
                kind == Kind::complex ? "sum(sin(real({0}{1})) * cos(imag({0}{1})))" : "sum(sin(~({}{})))";
            Node part = piece(fmt::format(fmt::runtime(part_of), v.name, path), real_type(), {});
            all = piece("$0 + $1", real_type(), {std::move(all), std::move(part)});
        }
    const std::string name = fresh("v");
    b.kids.push_back(statement(fmt::format("let {} = $0", name), {std::move(all)}));
    Node value = expression(program_.result, 3);
    b.kids.push_back(with_added(std::move(value), name));
    return b;
}

/// Adds the variable to a value, or to each leaf of a tree. A tree that is a variable stays unchanged.
Node Generator::with_added(Node value, const std::string& name) {
    if (value.type.tree()) {
        for (Node& kid : value.kids) kid = with_added(std::move(kid), name); // a variable has no kids
        return value;
    }
    const Type type = value.type;
    return piece("$0 + $1", type, {std::move(value), piece(name, real_type(), {})}, 4);
}

} // namespace pm::fuzz
