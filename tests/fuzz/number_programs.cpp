#include "tests/fuzz/number_programs.hpp"

#include <fmt/format.h>

#include <random>
#include <span>
#include <string_view>
#include <utility>

namespace pm::fuzz {
namespace {

/// Text with a placeholder for each piece: `$` and a letter, see NumberGenerator::piece.
struct Production {
    int share;
    std::string_view form;
};

using Productions = std::span<const Production>;

constexpr Production common_literals[] = {{1, "1"}, {1, "2"}, {1, "3"}, {1, "0.5"}, {1, "0.1"}, {1, "2.5"}, {1, "7"}};

constexpr Production literals[] = {
    {1, "0"},      {1, "1"},        {1, "2"},          {1, "3"},        {1, "7"},        {1, "0.5"},   {1, "2.5"},
    {1, "0.1"},    {1, "0.25"},     {1, "1.5"},        {1, "100000"},   {1, "2.0"},      {1, "i8(5)"}, {1, "u8(3)"},
    {1, "i64(3)"}, {1, "f16(0.5)"}, {1, "2000000000"}, {1, "f32(0.1)"}, {1, "f64(0.1)"},
};

constexpr Production numbers[] = {
    // of numbers
    {8, "($N + $N)"},
    {4, "($N - $N)"},
    {8, "($N * $N)"},
    {1, "($N / 2)"},
    {1, "($N / 3)"},
    {1, "($N / 7)"},
    {1, "($N / 0.5)"},
    {2, "($N // 2)"},
    {2, "($N // 3)"},
    {2, "($N % 2)"},
    {2, "($N % 3)"},
    {1, "($N % 5)"},
    {1, "(-$N)"},
    {1, "($N ** 2)"},
    {3, "abs($N)"},
    {1, "sqrt(abs($N))"},
    {1, "round($N)"},
    {1, "float($N)"},
    {1, "int($N % 7)"},
    {1, "i32($N % 5)"},
    {1, "i64($N % 5)"},
    {1, "f16($N % 5)"},
    // selections
    {2, "smaller($N, $N)"},
    {2, "larger($N, $N)"},
    {4, "(if $C { $N } else { $N })"},
    {4, "where($C, $N, $N)"},
    {4, "cond($C, fn(u) = $U, fn(u) = $U, $N)"},
    {4, "switch($S % 2, (fn(u) = $u, fn(u) = $u), $N)"},
    {1, "(if $s > 1 { fn(u) = u + 1 } else { fn(u) = u * 0.5 })($N)"},
    {1, "scaled(\"half\", $N)"},
    {1, "scaled(\"twice\", $N)"},
    {1, "scaled(\"same\", $N)"},
    // of sizes, arrays and structures
    {4, "($N + $S)"},
    {3, "len(\"ab\" * $S)"},
    {1, "len(range($S))"},
    {1, "len(range(1, $S + 2, 2))"},
    {1, "len(enumerate(range($S)))"},
    {1, "len(zip(($n, 1), (2, $n)))"},
    {1, "factorial($S)"},
    {1, "factorial(15)"},
    {1, "squared(100000)"},
    {1, "squared(0)"},
    {1, "sum($a)"},
    {1, "sum($a * 0.5)"},
    {1, "len($a)"},
    {1, "$a.shape[0]"},
    {1, "max((len($a), 1))"},
    {2, "$t[0]"},
    {2, "$t[1]"},
    {2, "$r.a"},
    {2, "$r.b"},
    {1, "whole"},
    {1, "half"},
    {1, "both.a"},
    // of functions
    {4, "$F"},
    {4, "(fn(p, q=$N) = $P)($N)"},
    {1, "adder($N)($N)"},
    {1, "optional($N)"},
    {1, "first($N, $a)"},
    {1, "first($N, f64($n))"},
    {1, "sum([$J for j in range(i64(1), 3)])"},
    {1, "optional($N, b=$N)"},
    {4, "sum([$J for j in 0..$S])"},
    {4, "fori_loop(0, $S, fn(j, u) = u * 0.5 + $j, $N)"},
    {1, "grad(fn(u) = u * u * $n + $n)(1.5)"},
    {1, "grad(fn(u) = u * u * $n + $n)(2.0)"},
    {1, "jvp(fn(u) = u * $n, (2.0,), (1.0,))[1]"},
    {1, "sum(vmap(fn(u) = u + $n)([1, 2]))"},
    {1, "sum(map(fn(u) = u * $n, [1, 2]))"},
    {1, "jit(fn(u) = u * $n)($N)"},
};

constexpr Production sizes[] = {
    {5, "$s"},       {1, "($s + 1)"},           {1, "($s // 2)"},      {1, "(if $c { $s } else { 1 })"},
    {1, "($s % 3)"}, {1, "abs($s - $s)"},       {1, "smaller($s, 2)"}, {1, "(if $c { 2 } else { $s })"},
    {1, "1"},        {1, "smaller($s, 3)"},     {1, "larger($s, 1)"},  {1, "2"},
    {1, "whole"},    {1, "smaller($s, whole)"},
};

constexpr Production conditions[] = {
    {3, "$b"},      {1, "($C and $C)"}, {1, "($C or $C)"}, {2, "$S > 0"},   {2, "$S > 1"},
    {2, "$S > 2"},  {1, "$n < 1"},      {1, "$n < 0.5"},   {1, "$n > 2"},   {1, "$n > 0.5"},
    {1, "$n <= 3"}, {1, "$n == 2"},     {1, "$n < $n"},    {1, "$n >= $n"},
};

constexpr Production simple_conditions[] = {
    {2, "$b"},     {2, "$s > 0"},   {2, "$s > 1"},  {2, "$s > 2"},
    {1, "$n < 1"}, {1, "$n > 0.5"}, {1, "$n == 2"}, {1, "$n < $n"},
};

enum class NameKind { number, size, condition, array, pair, record, function };

struct Declared {
    int share;
    std::string_view form;
    NameKind kind;
    bool changes = false;
};

constexpr Declared declarations[] = {
    {5, "$N", NameKind::number},
    {3, "$N", NameKind::number, true},
    {2, "$S", NameKind::size},
    {1, "$C", NameKind::condition},
    {1, "($N, $N)", NameKind::pair},
    {1, "{a: $N, b: $N}", NameKind::record},
    {2, "[$J for j in 0..$S]", NameKind::array},
    {1, "zeros($S)", NameKind::array},
    {1, "ones($S)", NameKind::array},
    {1, "ones($S, f16)", NameKind::array},
    {1, "full($S, 3)", NameKind::array},
    {1, "full($S, $n)", NameKind::array},
    {1, "arange($S)", NameKind::array},
    {1, "i32(arange($S))", NameKind::array},
    {1, "i32(arange($S)) * 0.5", NameKind::array},
    {1, "linspace(0.0, 1.0, $S)", NameKind::array},
    {1, "$a[:$S]", NameKind::array},
    {1, "$a[$S:]", NameKind::array},
    {1, "$a[::$S + 1]", NameKind::array},
};

constexpr Production whole_arguments[] = {
    {2, "2"}, {2, "3"}, {1, "0"}, {1, "1"}, {1, "4"}, {1, "i32(2)"}, {1, "i64(3)"}, {1, "u8(2)"},
};
constexpr Production small_arguments[] = {{1, "0"}, {1, "1"}, {1, "2"}, {1, "3"}};
constexpr Production number_arguments[] = {
    {1, "0.5"},   {1, "2"},  {1, "0.1"},    {1, "-1"},       {1, "3"},         {1, "0.3"},  {1, "100000"},
    {1, "i8(5)"}, {1, "1j"}, {1, "i64(2)"}, {1, "f16(0.5)"}, {1, "bf16(0.5)"}, {1, "true"}, {1, "f32(0.1)"},
};
constexpr Production array_arguments[] = {
    {1, "[1.0, 2.0]"},  {1, "[1, 2, 3]"}, {1, "[0.5]"},          {1, "f16([1, 2])"}, {1, "f64([0.5, 1.5])"},
    {1, "i64([4, 5])"}, {1, "zeros(0)"},  {1, "u8([200, 100])"}, {1, "c64([1])"},
};

constexpr std::string_view module_text = R"(mut whole = 3
let half = 0.5
let both = {a: 2, b: 1.5}
fn smaller(a, b) = 0 + if a < b { a } else { b }
fn larger(a, b) = 0 + if a > b { a } else { b }
fn scaled(name, x) = if name == "half" { x * 0.5 } else if name == "twice" { x * 2 } else { x }
fn optional(x, b=none) = if b == none { x + 1 } else { x * b }
fn adder(k) = fn(x) = x + k
fn first(n, y) = n
)";

/// Generates the parts of an expression from left to right. scope_ has the visible names.
class NumberGenerator {
  public:
    explicit NumberGenerator(std::uint64_t seed) : random_(seed) {}
    NumberProgram program();

  private:
    struct Variable {
        std::string name;
        NameKind kind;
        bool changes = false;
    };
    struct Scope {
        std::vector<Variable> variables;
        bool loop = false;    ///< break and continue are allowed
        bool returns = false; ///< a pair of numbers may be returned
    };
    /// Restores the scope when it is destroyed. Lines within it are indented.
    class Within {
      public:
        explicit Within(NumberGenerator& g, std::size_t blanks = 4) : g_(g), scope_(g.scope_), blanks_(blanks) {
            g_.indent_ += blanks_;
        }
        ~Within() {
            g_.scope_ = std::move(scope_);
            g_.indent_ -= blanks_;
        }
        Within(const Within&) = delete;
        Within& operator=(const Within&) = delete;

      private:
        NumberGenerator& g_;
        Scope scope_;
        std::size_t blanks_;
    };

    // chance
    int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
    bool chance(int percent) { return below(100) < percent; }
    template <class Entry>
    const Entry& chosen(std::span<const Entry> entries);
    /// A name. With the number it must not be a name of the language, such as i8.
    std::string fresh(const char* prefix) { return prefix + std::to_string(next_++); }

    // expressions
    std::string filled(std::string_view form, int depth);
    std::string chosen_text(Productions all, int depth) { return filled(chosen(all).form, depth); }
    std::string piece(char letter, int depth);
    std::string number(int depth);
    std::string simple_number();
    std::string number_with(std::vector<Variable> more, int depth);
    std::string literal() { return chosen_text(chance(40) ? Productions(literals) : Productions(common_literals), 0); }
    std::string condition(int depth);
    std::string variable(NameKind kind, std::string_view otherwise);
    std::string call(int depth);

    // statements
    void line(const std::string& text, bool place = true);
    void end_of_loop();
    void block(int statements, int depth);
    void statement(int depth);
    void declare();
    void assign();
    void scanned();
    void if_statement(int depth);
    void for_loop(int depth);
    void while_loop(int depth);
    void function(const std::string& name, int depth);
    void helper(const char* name, const char* value);
    void main_function();
    NumberCall call_of_main();

    std::mt19937_64 random_;
    NumberProgram program_;
    Scope scope_;
    std::size_t indent_ = 0;
    int next_ = 1;
};

template <class Entry>
const Entry& NumberGenerator::chosen(std::span<const Entry> entries) {
    int all = 0;
    for (const Entry& e : entries) all += e.share;
    int at = below(all);
    std::size_t i = 0;
    while (at >= entries[i].share) at -= entries[i++].share;
    return entries[i];
}

// ---- expressions

std::string NumberGenerator::filled(std::string_view form, int depth) {
    std::string text;
    for (std::size_t i = 0; i < form.size(); ++i) {
        if (form[i] == '$')
            text += piece(form[++i], depth);
        else
            text += form[i];
    }
    return text;
}

std::string NumberGenerator::piece(char letter, int depth) {
    const Variable u{"u", NameKind::number}, j{"j", NameKind::size};
    switch (letter) {
    case 'N': return number(depth - 1);
    case 'n': return simple_number();
    case 'U': return number_with({u}, depth - 1);
    case 'u': return number_with({u}, 0);
    case 'J': return number_with({j}, depth - 1);
    case 'j': return number_with({j}, 0);
    case 'P': return number_with({{"p", NameKind::number}, {"q", NameKind::number}}, depth - 1);
    case 'S': return chosen_text(sizes, 0);
    case 's': return variable(NameKind::size, "2");
    case 'C': return condition(depth - 1);
    case 'c': return condition(0);
    case 'b': return variable(NameKind::condition, "true");
    case 'a': return variable(NameKind::array, "[1, 0.5]");
    case 't': return variable(NameKind::pair, "(1, 0.5)");
    case 'r': return variable(NameKind::record, "both");
    default: return call(depth - 1); // F
    }
}

std::string NumberGenerator::number(int depth) {
    return depth <= 0 || chance(28) ? simple_number() : chosen_text(numbers, depth);
}

std::string NumberGenerator::simple_number() {
    std::vector<std::string> names;
    for (const Variable& v : scope_.variables)
        if (v.kind == NameKind::number || v.kind == NameKind::size) names.push_back(v.name);
    if (names.empty() || chance(30)) return literal();
    return names[static_cast<std::size_t>(below(static_cast<int>(names.size())))];
}

std::string NumberGenerator::number_with(std::vector<Variable> more, int depth) {
    const Within within(*this, 0);
    for (Variable& v : more) scope_.variables.push_back(std::move(v));
    return number(depth);
}

std::string NumberGenerator::condition(int depth) {
    return chosen_text(depth <= 0 ? Productions(simple_conditions) : Productions(conditions), depth);
}

std::string NumberGenerator::variable(NameKind kind, std::string_view otherwise) {
    std::vector<std::string> names;
    for (const Variable& v : scope_.variables)
        if (v.kind == kind) names.push_back(v.name);
    return names.empty() ? std::string(otherwise)
                         : names[static_cast<std::size_t>(below(static_cast<int>(names.size())))];
}

std::string NumberGenerator::call(int depth) {
    std::string text = variable(NameKind::function, "optional");
    text += "(" + number(depth);
    if (chance(50)) text += ", " + number(depth);
    return text + ")";
}

// ---- statements

void NumberGenerator::line(const std::string& text, bool place) {
    program_.lines.push_back({std::string(indent_, ' ') + text, place && indent_ > 0, indent_});
}

/// Host work may also be inserted at the end of an iteration.
void NumberGenerator::end_of_loop() {
    line("}", false);
    program_.lines.back().place = true;
    program_.lines.back().indent = indent_ + 4;
}

void NumberGenerator::block(int statements, int depth) {
    for (int i = 0; i < statements; ++i) statement(depth);
}

void NumberGenerator::statement(int depth) {
    switch (below(depth > 0 ? 23 : 16)) {
    case 0:
    case 1:
    case 2:
    case 3: return assign();
    case 4: return scanned();
    case 16:
    case 17:
    case 18: return if_statement(depth);
    case 19:
    case 20: return for_loop(depth);
    case 21: return while_loop(depth);
    case 22: {
        const std::string name = fresh("g");
        return function(name, depth);
    }
    default: return declare();
    }
}

void NumberGenerator::declare() {
    const Declared& d = chosen(std::span<const Declared>(declarations));
    const std::string value = filled(d.form, 2 + below(2));
    const std::string name = fresh(d.changes ? "m" : "v");
    line(fmt::format("{} {} = {}", d.changes ? "mut" : "let", name, value));
    scope_.variables.push_back({name, d.kind, d.changes});
}

void NumberGenerator::assign() {
    static constexpr Production how[] = {{2, "="}, {3, "+="}, {1, "-="}, {1, "*="}};
    std::vector<std::string> names;
    for (const Variable& v : scope_.variables)
        if (v.changes) names.push_back(v.name);
    if (names.empty()) return declare();
    std::string text = names[static_cast<std::size_t>(below(static_cast<int>(names.size())))];
    text += " " + std::string(chosen(Productions(how).first(scope_.loop ? 3 : 4)).form);
    line(text + " " + number(2));
}

void NumberGenerator::scanned() {
    const std::string last = fresh("v"), all = fresh("v");
    const std::string step = number_with({{"j", NameKind::number}}, 0), first = simple_number();
    line(filled(fmt::format("let ({}, {}) = scan(fn(c, j) = (c * 0.5 + {}, c + j), {}, i32(arange($S)))", last, all,
                            step, first),
                1));
    scope_.variables.push_back({last, NameKind::number});
    scope_.variables.push_back({all, NameKind::array});
}

void NumberGenerator::if_statement(int depth) {
    line("if " + condition(1) + " {");
    {
        const Within within(*this);
        block(1 + below(2), depth - 1);
        if (scope_.loop && chance(25))
            line(chance(50) ? "break" : "continue");
        else if (scope_.returns && chance(25))
            line(filled("return ($N, $N)", 2));
    }
    if (chance(50)) {
        line("} else {", false);
        const Within within(*this);
        block(1 + below(2), depth - 1);
    }
    line("}", false);
}

void NumberGenerator::for_loop(int depth) {
    const std::string name = fresh("k");
    const bool range = chance(75);
    line(fmt::format("for {} in {} {{", name, filled(range ? "0..$S" : "$a", 1)));
    {
        const Within within(*this);
        scope_.variables.push_back({name, range ? NameKind::size : NameKind::number});
        scope_.loop = true;
        block(1 + below(3), depth - 1);
    }
    end_of_loop();
}

void NumberGenerator::while_loop(int depth) {
    const std::string name = fresh("w");
    line(fmt::format("mut {} = 0", name));
    line(filled(fmt::format("while {} < $S {{", name), 1));
    {
        const Within within(*this);
        line(name + " += 1");
        scope_.variables.push_back({name, NameKind::size});
        scope_.loop = true;
        block(1 + below(2), depth - 1);
    }
    end_of_loop();
    scope_.variables.push_back({name, NameKind::number});
}

void NumberGenerator::function(const std::string& name, int depth) {
    line(fmt::format("fn {}(p, q={}) {{", name, literal()));
    {
        const Within within(*this);
        std::erase_if(scope_.variables, [](const Variable& v) { return v.changes; });
        scope_.variables.push_back({"p", NameKind::number});
        scope_.variables.push_back({"q", NameKind::number});
        scope_.loop = scope_.returns = false;
        block(1 + below(2), depth - 1);
        if (chance(30)) line(filled("if $c { return $N }", 2));
        line(number(1));
    }
    line("}", false);
    scope_.variables.push_back({name, NameKind::function});
}

void NumberGenerator::main_function() {
    line("fn f(n, m, x, b, a) {");
    const Within within(*this);
    for (const auto& [name, kind] :
         {std::pair("n", NameKind::size), std::pair("m", NameKind::size), std::pair("x", NameKind::number),
          std::pair("b", NameKind::condition), std::pair("a", NameKind::array)})
        scope_.variables.push_back({name, kind});
    scope_.returns = chance(35);
    const int statements = 3 + below(5);
    block(statements, chance(25) ? 1 : 3);
    if (scope_.returns) return line(filled("($N, $N)", 2));
    std::string all;
    for (const Variable& v : scope_.variables)
        if (v.kind != NameKind::function) all += (all.empty() ? "" : ", ") + v.name;
    line("(" + all + ")");
}

NumberCall NumberGenerator::call_of_main() {
    const std::string n = chosen_text(whole_arguments, 0), m = chosen_text(small_arguments, 0);
    const std::string x = chosen_text(number_arguments, 0), b = chance(50) ? "true" : "false";
    return {fmt::format("{}, {}", n, m), x, b, chosen_text(array_arguments, 0)};
}

/// Adds a function of the module, in some programs with a place for host work.
void NumberGenerator::helper(const char* name, const char* value) {
    if (!chance(25)) return line(fmt::format("fn {}(n) = {}", name, value));
    line(fmt::format("fn {}(n) {{", name));
    {
        const Within within(*this);
        line(value);
    }
    line("}", false);
}

NumberProgram NumberGenerator::program() {
    program_.module = module_text;
    helper("factorial", "if n < 2 { 1 } else { n * factorial(n - 1) }");
    helper("squared", "if n == 0 { zeros(2)[0] } else { n * n }"); // its value is not known for 0
    if (chance(25)) function("h", 2);
    main_function();
    line("}", false);
    for (int i = 0; i < 3; ++i) program_.calls.push_back(call_of_main());
    return std::move(program_);
}

} // namespace

std::string NumberCall::text() const { return fmt::format("f({}, {}, {}, {})", sizes, number, condition, array); }

std::string NumberCall::batched() const {
    const bool typed = number.find('(') != std::string::npos;
    return fmt::format("vmap(f, in_axes=(none, none, {}, none, 0))({}, {}, {}, [{}])", typed ? "0" : "none", sizes,
                       typed ? "[" + number + "]" : number, condition, array);
}

NumberProgram generate_numbers(std::uint64_t seed) { return NumberGenerator(seed).program(); }

std::string definitions_text(const NumberProgram& program, std::optional<std::size_t> before) {
    std::string text = program.module;
    for (std::size_t i = 0; i < program.lines.size(); ++i) {
        const NumberLine& line = program.lines[i];
        if (before == i) text += std::string(line.indent, ' ') + "write_text(\"/dev/null\", \"\")\n";
        text += line.text + "\n";
    }
    return text;
}

} // namespace pm::fuzz
