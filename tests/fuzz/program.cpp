#include "tests/fuzz/program.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace pm::fuzz {

Sizes::Sizes(std::vector<int> free) : free_(static_cast<int>(free.size())) {
    all_.push_back({'=', 1, 0, 0});
    for (const int size : free) all_.push_back({'=', size, 0, 0});
}

int Sizes::of(Dim d) const {
    const Entry& e = all_[static_cast<std::size_t>(d)];
    switch (e.made) {
    case '+': return of(e.a) + of(e.b);
    case '*': return of(e.a) * of(e.b);
    default: return e.size;
    }
}

Dim Sizes::made(char how, Dim a, Dim b) {
    if (how == '*' && (a == 0 || b == 0)) return a + b;
    for (std::size_t i = 0; i < all_.size(); ++i)
        if (all_[i].made == how && all_[i].a == a && all_[i].b == b) return static_cast<Dim>(i);
    all_.push_back({how, 0, a, b});
    return static_cast<Dim>(all_.size()) - 1;
}

Type real_type(Shape shape) { return {Kind::real, std::move(shape), {}}; }
Type complex_type(Shape shape) { return {Kind::complex, std::move(shape), {}}; }
Type integer_type(Shape shape) { return {Kind::integer, std::move(shape), {}}; }
Type boolean_type(Shape shape) { return {Kind::boolean, std::move(shape), {}}; }
Type tree_type(Kind kind, std::vector<Type> items) { return {kind, {}, std::move(items)}; }

Type stacked(const Type& type, Dim front) {
    Type t = type;
    for (Type& item : t.items) item = stacked(item, front);
    if (!t.tree()) t.shape.insert(t.shape.begin(), front);
    return t;
}

namespace {

std::string field(const Type& type, std::size_t i) {
    return type.kind == Kind::record ? std::string(1, static_cast<char>('a' + i)) : fmt::format("{}", i);
}

void add_paths(const Type& type, const std::string& before, std::vector<Leaf>& all) {
    if (!type.tree()) return all.push_back({before, type.kind});
    for (std::size_t i = 0; i < type.items.size(); ++i) add_paths(type.items[i], before + "." + field(type, i), all);
}

/// A number between -1 and 1 that depends on the arguments alone. Neighbours have no simple relation.
double element(double number, std::size_t place) {
    const double x = std::sin(number * 12.9898 + static_cast<double>(place) * 4.137) * 43758.5453;
    return std::round(200 * (x - std::floor(x)) - 100) / 100;
}

std::string number_text(const Type& type, double value, std::size_t place, const Writing& w) {
    switch (type.kind) {
    case Kind::integer: return fmt::format("{}", static_cast<int>(value));
    case Kind::boolean: return value > 0 ? "true" : "false";
    default: break;
    }
    const auto real = [&](double x) {
        std::string text = fmt::format("{}", x * (1 + w.nudge * (1 + element(value, place + 7))));
        if (text.find_first_of(".e") == std::string::npos) text += ".0";
        return text + (w.weak && type.shape.empty() ? "" : w.narrow ? "f32" : "f64");
    };
    if (type.kind != Kind::complex) return real(value);
    return fmt::format("complex({}, {})", real(value), real(element(value, place + 11)));
}

std::string array_text(const Type& type, double number, const Sizes& sizes, const Writing& w, std::size_t axis,
                       std::size_t& place) {
    if (axis == type.shape.size()) {
        const double value = type.shape.empty() ? number : element(number, place);
        ++place;
        if (type.kind == Kind::integer && !type.shape.empty())
            return fmt::format("{}", static_cast<int>(std::abs(value) * 100) % static_cast<int>(number));
        return number_text(type, value, place, w);
    }
    std::string text;
    for (int i = 0; i < sizes.of(type.shape[axis]); ++i)
        text += (i == 0 ? "" : ", ") + array_text(type, number, sizes, w, axis + 1, place);
    return "[" + text + "]";
}

std::string constant_text(const Node& node, const Sizes& sizes, const Writing& w) {
    const Type& t = node.type;
    if (t.tree()) {
        std::string text;
        for (std::size_t i = 0; i < t.items.size(); ++i) {
            const Node item = constant(t.items[i], node.number + 0.37 * static_cast<double>(i));
            text += i == 0 ? "" : ", ";
            if (t.kind == Kind::record) text += field(t, i) + ": ";
            text += constant_text(item, sizes, w);
        }
        if (t.kind == Kind::record) return "{" + text + "}";
        return "(" + text + (t.items.size() == 1 ? ",)" : ")");
    }
    for (const Dim d : t.shape)
        if (sizes.of(d) == 0) {
            const char* dtype = t.kind == Kind::integer   ? "i32"
                                : t.kind == Kind::boolean ? "bool"
                                : t.kind == Kind::complex ? (w.narrow ? "c64" : "c128")
                                : w.narrow                ? "f32"
                                                          : "f64";
            return fmt::format("zeros({}, dtype={})", shape_text(t.shape, sizes), dtype);
        }
    std::size_t place = 0;
    return array_text(t, node.number, sizes, w, 0, place);
}

std::string block_text(const Node& node, const Sizes& sizes, const Writing& w, int indent) {
    std::string text = "{\n";
    for (const Node& kid : node.kids)
        text += std::string(static_cast<std::size_t>(4 * (indent + 1)), ' ') + write(kid, sizes, w, indent + 1) + "\n";
    return text + std::string(static_cast<std::size_t>(4 * indent), ' ') + "}";
}

} // namespace

std::vector<Leaf> leaf_paths(const Type& type) {
    std::vector<Leaf> all;
    add_paths(type, "", all);
    return all;
}

Node constant(const Type& type, double number) {
    Node n;
    n.type = type;
    n.number = number;
    n.bound = type.scalar() ? std::abs(number) : 1;
    return n;
}

std::size_t count_nodes(const Node& node) {
    std::size_t n = 1;
    for (const Node& kid : node.kids) n += count_nodes(kid);
    return n;
}

std::string shape_text(const Shape& shape, const Sizes& sizes) {
    std::string text;
    for (const Dim d : shape) text += fmt::format("{}, ", sizes.of(d));
    if (shape.size() > 1) text.resize(text.size() - 2);
    if (shape.size() == 1) text.pop_back();
    return "(" + text + ")";
}

std::string write(const Node& node, const Sizes& sizes, const Writing& w, int indent) {
    if (node.role == Role::block) return block_text(node, sizes, w, indent);
    if (node.text.empty()) return constant_text(node, sizes, w);
    std::string out;
    for (std::size_t i = 0; i < node.text.size(); ++i) {
        const char c = node.text[i];
        if (c == '$') {
            out += write(node.kids.at(static_cast<std::size_t>(node.text.at(++i) - '0')), sizes, w, indent);
        } else if (c == '#') {
            const std::size_t end = node.text.find(';', i);
            out += fmt::format("{}", sizes.of(std::stoi(node.text.substr(i + 1, end - i - 1))));
            i = end;
        } else if (c == '~') { // the dtype of reals
            out += w.narrow ? "f32" : "f64";
        } else if (c == '\n') {
            out += "\n" + std::string(static_cast<std::size_t>(4 * indent), ' ');
        } else {
            out += c;
        }
    }
    return out;
}

std::string write_functions(const Program& program, const Writing& writing) {
    std::string text;
    for (const Node& f : program.functions) text += write(f, program.sizes, writing) + "\n\n";
    return text;
}

namespace {

void replace_all(std::string& text, const std::string& what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

} // namespace

namespace {

/// Appends the blocks that an interpreted function runs statement by statement.
void add_interpreted(Node& block, std::vector<Node*>& all) {
    all.push_back(&block);
    for (Node& kid : block.kids) {
        const auto begins = [&](const char* word) { return kid.text.starts_with(word); };
        if (kid.role != Role::statement || !(begins("for ") || begins("if ") || begins("while "))) continue;
        for (Node& inner : kid.kids)
            if (inner.role == Role::block) add_interpreted(inner, all);
    }
}

void insert_host_line(Node& body, std::size_t place) {
    std::vector<Node*> blocks;
    add_interpreted(body, blocks);
    Node now;
    now.role = Role::statement;
    now.text = "let _ = time()";
    std::vector<Node>& kids = blocks[place % blocks.size()]->kids;
    const std::size_t at = kids.empty() ? 0 : place / blocks.size() % kids.size();
    kids.insert(kids.begin() + static_cast<std::ptrdiff_t>(at), std::move(now));
}

} // namespace

std::string write_main(const Program& program, const Writing& writing, Main main) {
    std::string parameters;
    for (const Parameter& p : program.parameters) parameters += (parameters.empty() ? "" : ", ") + p.name;
    Node body = program.body;
    if (main == Main::steps) insert_host_line(body, program.host_line);
    const char* name = main == Main::steps ? "f_steps" : main == Main::batched ? "f_batched" : "f";
    std::string text = fmt::format("fn {}({}) {}\n", name, parameters, write(body, program.sizes, writing));
    if (main == Main::batched) {
        replace_all(text, "pmap(", "vmap(");
        replace_all(text, ", uneven=true", "");
    }
    return text;
}

} // namespace pm::fuzz
