#include "tests/fuzz/laws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

namespace pm::fuzz {
namespace {

/// The definition of the inner product of two trees of this type.
std::string inner_text(const char* name, const Type& type) {
    std::string text;
    for (const auto& [path, kind] : leaf_paths(type))
        text += fmt::format("{}sum(p{} * q{})", text.empty() ? "" : " + ", path, path);
    return fmt::format("fn {}(p, q) = {}\n", name, text);
}

/// The definition of a function from a tree of real arrays to a number, with a derivative that is not constant.
std::string total_text(const Type& type) {
    std::string text;
    for (const auto& [path, kind] : leaf_paths(type))
        text += fmt::format("{}sum(sin(p{}))", text.empty() ? "" : " + ", path);
    return fmt::format("fn total(p) = {}\n", text);
}

/// A name that laws use, and its definition. A program has the definition only if one of its laws uses the name.
struct Definition {
    std::string name;
    std::string text;
};

std::vector<Definition> definitions(const Program& program, const Writing& w) {
    Sizes sizes = program.sizes;
    const Dim three = sizes.sum(0, sizes.sum(0, 0)), two = sizes.sum(0, 0);
    const Type x = program.parameters[0].type, y = program.parameters[1].type;
    const auto let = [&](const char* name, const Type& type, double number) {
        return Definition{name, fmt::format("let {} = {}\n", name, write(constant(type, number), sizes, w))};
    };
    return {
        {"f_steps", write_main(program, w, Main::steps)},
        {"f_batched", write_main(program, w, Main::batched)},
        {"loss", "fn loss(x, y) = inner(f(x, y), weights)\n"},
        {"inner", inner_text("inner", program.result)},
        {"inner_arguments", inner_text("inner_arguments", tree_type(Kind::tuple, {x, y}))},
        {"total", total_text(tree_type(Kind::tuple, {x, y}))},
        {"along", "fn along(t) = f(tree_map(fn(p, d) = p + t * d, x, dx), tree_map(fn(p, d) = p + t * d, y, dy))\n"},
        {"quotient", "fn quotient(h) = tree_map(fn(p, q) = (p - q) / (2 * h), along(h), along(-h))\n"},
        let("x", x, 0.41),
        let("y", y, -0.33),
        let("dx", x, 0.77),
        let("dy", y, -0.59),
        let("weights", program.result, 0.83),
        let("x3", stacked(x, three), 0.29),
        let("y3", stacked(y, three), 0.67),
        let("x2", stacked(x, two), 0.31),
        let("y2", stacked(y, two), 0.61)};
}

bool word_at(const std::string& text, std::size_t at, std::size_t size) {
    const auto part = [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    return (at == 0 || (!part(text[at - 1]) && text[at - 1] != '.')) &&
           (at + size == text.size() || !part(text[at + size]));
}

bool uses(const std::string& text, const std::string& name) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
        if (word_at(text, at, name.size())) return true;
    return false;
}

/// An expression that tells for each real leaf of `call` whether it has the digits of an f32 (of an f64 without
/// `narrow`), and whether its sum with an f16 is an f16.
std::string width_text(const char* call, const Type& type, bool narrow) {
    std::string text;
    for (const auto& [path, kind] : leaf_paths(type))
        if (kind == Kind::real)
            text += fmt::format("\"{{p{0}}}\" == \"{{{1}(p{0})}}\", (p{0} + f16(1)).dtype == f16, ", path,
                                narrow ? "f32" : "f64");
    return fmt::format("if true {{ let p = {}; ({}) }} else {{ () }}", call, text);
}

constexpr const char* direction = "(x, y), (dx, dy)";

void first_order(const Program& p, std::vector<Law>& all) {
    all.push_back({"value", {"f(x, y)"}});
    all.push_back({"statement by statement", {"f(x, y)", "f_steps(x, y)"}});
    if (p.single())
        all.push_back(
            {"width", {width_text("f(x, y)", p.result, p.narrow), width_text("f_steps(x, y)", p.result, p.narrow)}});
    all.push_back({"gradient", {"grad(loss, argnums=(0, 1))(x, y)"}});
    all.push_back({"value and gradient", {"value_and_grad(loss)(x, y)", "(loss(x, y), grad(loss)(x, y))"}});
    all.push_back({"gradient of jit", {"grad(jit(loss))(x, y)", "jit(grad(loss))(x, y)"}});
    all.push_back({"gradient of checkpoint", {"grad(checkpoint(loss))(x, y)", "grad(loss)(x, y)"}});
    if (p.reverse_only) return;
    const std::string jvp = fmt::format("jvp(f, {})", direction);
    if (!p.single() && !p.stopped)
        all.push_back({"differences", {jvp + ".1", "quotient(1e-3)", "quotient(5e-4)"}, true});
    all.push_back({"value of jvp", {jvp + ".0", "f(x, y)"}});
    all.push_back({"transposed",
                   {fmt::format("inner({}.1, weights)", jvp), "inner_arguments(vjp(f, x, y).1(weights), (dx, dy))"}});
    all.push_back({"linearized", {"linearize(f, x, y).1(dx, dy)", jvp + ".1"}});
}

void second_order(const Program& p, std::vector<Law>& all) {
    const std::string twice_reverse =
        "grad(fn(x, y) = inner_arguments(grad(loss, argnums=(0, 1))(x, y), (dx, dy)), argnums=(0, 1))(x, y)";
    all.push_back({"gradient of gradient", {twice_reverse}});
    if (p.reverse_only) return;
    const std::string forward_over = fmt::format("jvp(grad(loss, argnums=(0, 1)), {}).1", direction);
    all.push_back({"jvp of vjp", {forward_over, twice_reverse}});
    all.push_back(
        {"vjp of jvp",
         {forward_over, fmt::format("grad(fn(x, y) = jvp(loss, (x, y), (dx, dy)).1, argnums=(0, 1))(x, y)")}});
}

std::string each(const char* what, const char* batch, int count, const char* rest) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += fmt::format("{}({})(tree_map(fn(a) = a[{}], {}), {})", i == 0 ? "" : ", ", what, i, batch,
                            fmt::format(fmt::runtime(rest), i));
    return "(" + text + ")";
}

std::string parts(const std::string& whole, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += fmt::format("{}tree_map(fn(a) = a[{}], {})", i == 0 ? "" : ", ", i, whole);
    return "(" + text + ")";
}

void batches(const Program& p, std::vector<Law>& all) {
    const char* same = "y";
    const char* own = "tree_map(fn(a) = a[{}], y3)";
    all.push_back({"vmap", {parts("vmap(f)(x3, y3)", 3), each("f", "x3", 3, own)}});
    all.push_back({"vmap of one argument", {parts("vmap(f, in_axes=(0, none))(x3, y)", 3), each("f", "x3", 3, same)}});
    all.push_back({"map", {"map(fn(a) = f(a, y), x3)", "vmap(f, in_axes=(0, none))(x3, y)"}});
    all.push_back({"swapped vmaps",
                   {"tree_map(fn(a) = swapaxes(a, 0, 1), vmap(vmap(f, in_axes=(none, 0)), in_axes=(0, none))(x3, y2))",
                    "vmap(vmap(f, in_axes=(0, none)), in_axes=(none, 0))(x3, y2)"}});
    all.push_back({"gradient of vmap",
                   {"grad(fn(a, b) = sum(vmap(loss)(a, b)), argnums=(0, 1))(x3, y3)",
                    "vmap(grad(loss, argnums=(0, 1)))(x3, y3)"}});
    all.push_back(
        {"gradient of vmap of one argument",
         {"grad(fn(a) = sum(vmap(loss, in_axes=(0, none))(a, y)))(x3)", "vmap(grad(loss), in_axes=(0, none))(x3, y)"}});
    all.push_back({"gradient of scan",
                   {"grad(fn(a) = sum(scan(fn(c, b) = (c, loss(b, y)), 0, a).1))(x3)",
                    "vmap(grad(loss), in_axes=(0, none))(x3, y)"}});
    all.push_back({"vmap of the shared argument",
                   {"grad(fn(b) = sum(vmap(loss, in_axes=(0, none))(x3, b)))(y)",
                    "tree_map(fn(a) = sum(a, axis=0), vmap(grad(loss, argnums=1), in_axes=(0, none))(x3, y))"}});
    all.push_back({"gradient of batched gradients",
                   {"grad(fn(a, b) = total(vmap(grad(loss, argnums=(0, 1)))(a, b)), argnums=(0, 1))(x3, y3)",
                    "vmap(grad(fn(a, b) = total(grad(loss, argnums=(0, 1))(a, b)), argnums=(0, 1)))(x3, y3)"}});
    all.push_back({"pmap", {"pmap(f)(x2, y2)", "vmap(f)(x2, y2)"}});
    all.push_back({"averaged gradient",
                   {"pmap(fn(a, b) = tree_map(fn(g) = pmean(g, \"devices\"), grad(loss, argnums=1)(a, b)), "
                    "axis_name=\"devices\", "
                    "in_axes=(0, none), out_axes=none)(x2, y)",
                    "grad(fn(b) = mean(vmap(loss, in_axes=(0, none))(x2, b)))(y)"}});
    if (p.reverse_only) return;
    all.push_back({"jvp of vmap",
                   {"jvp(fn(a) = vmap(f, in_axes=(0, none))(a, y), (x3,), (x3,)).1",
                    "vmap(fn(a) = jvp(fn(b) = f(b, y), (a,), (a,)).1)(x3)"}});
    all.push_back(
        {"jvp of pmap", {"jvp(pmap(f), (x2, y2), (x2, y2)).1", "vmap(fn(a, b) = jvp(f, (a, b), (a, b)).1)(x2, y2)"}});
}

/// The laws of a program of collectives. The first two are checked for every program, some of the others at random.
void exchanges(std::vector<Law>& all) {
    all.push_back({"value", {"f(x, y)"}});
    all.push_back({"vmap for pmap", {"f(x, y)", "f_batched(x, y)"}});
    all.push_back({"gradient", {"grad(loss, argnums=(0, 1))(x, y)"}});
    all.push_back({"gradient of vmap for pmap",
                   {"grad(loss, argnums=(0, 1))(x, y)",
                    "grad(fn(x, y) = inner(f_batched(x, y), weights), argnums=(0, 1))(x, y)"}});
    all.push_back({"vmap", {parts("vmap(f)(x2, y2)", 2), each("f", "x2", 2, "tree_map(fn(a) = a[{}], y2)")}});
    all.push_back({"pmap", {"pmap(f, uneven=true)(x2, y2)", "vmap(f_batched)(x2, y2)"}});
    all.push_back({"value of jvp", {fmt::format("jvp(f, {}).0", direction), "f(x, y)"}});
    all.push_back({"transposed",
                   {fmt::format("inner(jvp(f, {}).1, weights)", direction),
                    "inner_arguments(vjp(f, x, y).1(weights), (dx, dy))"}});
}

/// The numbers of a printed value. The rest of its text, without blanks, is the structure.
struct Scanned {
    std::string structure;
    std::vector<double> numbers;
};

Scanned scan(const std::string& text) {
    Scanned s;
    for (const char* at = text.c_str(); *at != '\0';) {
        const bool sign = *at == '-' || *at == '+';
        const char next = sign ? at[1] : *at;
        const bool word = s.structure.empty() || std::isalpha(static_cast<unsigned char>(s.structure.back())) == 0;
        if (std::isdigit(static_cast<unsigned char>(next)) != 0 ||
            (word && (std::string_view(at + (sign ? 1 : 0), 3) == "nan" ||
                      std::string_view(at + (sign ? 1 : 0), 3) == "inf"))) {
            char* end = nullptr;
            s.numbers.push_back(std::strtod(at, &end));
            s.structure += '0';
            at = end;
            continue;
        }
        if (std::isspace(static_cast<unsigned char>(*at)) == 0) s.structure += *at;
        ++at;
    }
    return s;
}

double greatest(const std::vector<double>& numbers) {
    double most = 0;
    for (const double x : numbers)
        if (std::isfinite(x)) most = std::max(most, std::abs(x));
    return most;
}

} // namespace

std::vector<Law> laws_of(const Program& program) {
    std::vector<Law> all;
    if (program.exchanging) {
        exchanges(all);
        return all;
    }
    first_order(program, all);
    second_order(program, all);
    batches(program, all);
    return all;
}

const Law* find_law(const std::vector<Law>& laws, std::string_view name) {
    const auto at = std::find_if(laws.begin(), laws.end(), [&](const Law& l) { return l.name == name; });
    return at == laws.end() ? nullptr : &*at;
}

std::string law_program(const Program& program, const std::vector<Law>& laws, const Writing& writing) {
    std::string end;
    for (const Law& law : laws) {
        end += fmt::format("print(\"@ {}\")\n", law.name);
        for (std::size_t i = 0; i < law.sides.size(); ++i)
            end += fmt::format("{}print({})\n", i == 0 ? "" : "print(\"=\")\n", law.sides[i]);
    }
    std::string between;
    bool more = true;
    std::vector<Definition> left = definitions(program, writing);
    while (more) {
        more = false;
        for (auto at = left.begin(); at != left.end();) {
            if (!uses(between + end, at->name)) {
                ++at;
                continue;
            }
            // Values come first. Functions may use names of the module that are defined later.
            between.insert(at->text.starts_with("let") ? 0 : between.size(), at->text);
            at = left.erase(at);
            more = true;
        }
    }
    return write_functions(program, writing) + write_main(program, writing) + "\n" + between + "\n" + end;
}

std::vector<Printed> read_output(const std::string& output) {
    std::vector<Printed> all;
    std::istringstream in(output);
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("@ "))
            all.push_back({line.substr(2), {""}});
        else if (all.empty())
            continue;
        else if (line == "=")
            all.back().sides.emplace_back();
        else
            all.back().sides.back() += line + "\n";
    }
    return all;
}

double distance(const std::string& a, const std::string& b) {
    const Scanned left = scan(a), right = scan(b);
    if (left.structure != right.structure) return std::numeric_limits<double>::infinity();
    const double scale = 1e-3 + std::max(greatest(left.numbers), greatest(right.numbers));
    double most = 0;
    for (std::size_t i = 0; i < left.numbers.size(); ++i) {
        const double x = left.numbers[i], y = right.numbers[i];
        if (x == y || (std::isnan(x) && std::isnan(y))) continue;
        if (!std::isfinite(x) || !std::isfinite(y)) return std::numeric_limits<double>::infinity();
        most = std::max(most, std::abs(x - y) / scale);
    }
    return most;
}

bool alike(const std::string& a, const std::string& b, double tolerance) { return distance(a, b) <= tolerance; }

bool alike_each(const std::string& a, const std::string& b, double tolerance) {
    const Scanned left = scan(a), right = scan(b);
    const auto close = [&](double x, double y) {
        if (x == y || (std::isnan(x) && std::isnan(y))) return true;
        return std::abs(x - y) <= tolerance * std::min(std::abs(x), std::abs(y));
    };
    return left.structure == right.structure &&
           std::equal(left.numbers.begin(), left.numbers.end(), right.numbers.begin(), right.numbers.end(), close);
}

Verdict compare_differences(const std::string& derivative, const std::string& coarse, const std::string& fine) {
    const Scanned d = scan(derivative), c = scan(coarse), f = scan(fine);
    if (d.structure != c.structure || c.structure != f.structure) return Verdict::fails;
    const double scale = 1e-3 + std::max(greatest(d.numbers), greatest(f.numbers));
    bool unsure = false;
    for (std::size_t i = 0; i < d.numbers.size(); ++i) {
        const double moved = std::abs(c.numbers[i] - f.numbers[i]);
        if (!(moved <= 1e-3 * scale)) {
            unsure = true; // a kink, a jump or NaN
            continue;
        }
        const double limit = (4 * f.numbers[i] - c.numbers[i]) / 3; // Richardson extrapolation
        if (!(std::abs(limit - d.numbers[i]) <= moved + 1e-7 * scale)) return Verdict::fails;
    }
    return unsure ? Verdict::unsure : Verdict::holds;
}

} // namespace pm::fuzz
