#include "compiler/stage/check/module_check.hpp"

#include "compiler/stage/check/static_checks.hpp"
#include "compiler/stage/known/annotations.hpp"
#include "compiler/stage/known/options.hpp"
#include "compiler/stage/names/names.hpp"
#include "compiler/stage/transform/prefix_axes.hpp"
#include "compiler/stage/values/tree.hpp"
#include "compiler/transform/core/custom.hpp"
#include "runtime/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace pm::stage {

using runtime::Array;

std::vector<Array> AbstractExecutor::run(const ir::BlockPtr& block, std::vector<Array> arguments) {
    transform::inline_custom_rules(block); // raises the errors that would occur if the block were prepared for a run
    evaluate_known_checks(*block, arguments);
    std::vector<Array> results;
    for (const ir::Value v : block->results) {
        const Type& type = block->type(v);
        results.push_back(Array::abstract(type.dtype, type.shape));
    }
    return results;
}

bool own_words(Stager& stager, const Diagnostic& d) {
    return (d.id == Diag::assertion_failed || d.id == Diag::stopped_by_fail) && stager.places().says_itself(d.span);
}

namespace {

/// The numbers that replace the sizes in one attempt. In the first attempt they are primes. In the second attempt each
/// number divides the next number. In the third attempt each number is a multiple of the next number.
struct Choice {
    std::array<std::int64_t, 12> sizes;
    std::size_t leading; ///< number of axes that replace `...` in an annotation
};
constexpr std::array<Choice, 3> choices{{
    {{1009, 1201, 1409, 1601, 1811, 2003, 2203, 2411, 2609, 2803, 3001, 3251}, 1},
    {{24, 48, 96, 192, 384, 768, 1536, 3072, 6144, 12288, 24576, 49152}, 0},
    {{8192, 4096, 2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4}, 2},
}};

/// The sizes in the annotations of a function, with their names and the numbers that replace these names.
class SampleSizes {
  public:
    explicit SampleSizes(const Choice& choice) : choice_(choice) {}

    std::size_t leading() const { return choice_.leading; }
    std::int64_t named(const std::string& name) {
        const auto [at, fresh] = values_.try_emplace(name, 0);
        if (fresh) at->second = next();
        return at->second;
    }
    void stands(const std::string& name, const std::string& where) { places_.try_emplace(name, where); }
    /// Records a number of slices or blocks that was chosen as an example, because the program does not specify this
    /// number.
    void tried(const std::string& kind, std::int64_t slices) { tried_[slices] = kind; }
    /// A number for an unnamed size.
    std::int64_t next() {
        return used_ < choice_.sizes.size() ? choice_.sizes[used_++] : 7919 + 2 * std::int64_t(used_++);
    }

    /// Returns `text`, with each number that stands for a size replaced by the name of this size.
    std::string in_names(const std::string& text) const {
        std::string out;
        for (std::size_t i = 0; i < text.size();) {
            if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) {
                out += text[i++];
                continue;
            }
            std::size_t end = i;
            while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
            const std::string digits = text.substr(i, end - i);
            const bool alone = (i == 0 || (std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0 &&
                                           text[i - 1] != '.' && text[i - 1] != '_')) &&
                               (end == text.size() || std::isalpha(static_cast<unsigned char>(text[end])) == 0);
            out += alone && digits.size() < 18 ? written(std::stoll(digits)) : digits;
            i = end;
        }
        return out;
    }
    /// Notes that explain the numbers of slices in `text`. They are needed because these numbers do not occur in the
    /// program.
    std::vector<std::string> shown(const std::string& text) const {
        std::vector<std::string> out;
        for (const auto& [slices, kind] : tried_)
            if (names_number(text, slices))
                out.push_back(fmt::format("the size {} is an example: `{}` gets its own from each call", slices, kind));
        return out;
    }
    /// An explanation of the sizes: "n is axis 0 of `x`".
    std::string legend() const {
        std::string out;
        for (const auto& [name, where] : places_)
            out += fmt::format("{}`{}` is {}", out.empty() ? "" : ", ", name, where);
        return out;
    }

  private:
    /// An expression for the number `n` in terms of the sizes: a multiple of a size, a sum of two sizes, or a product
    /// of sizes. Multiples and products may have a factor below 16 and a small addend. If no such expression is found,
    /// the digits of `n`.
    std::string written(std::int64_t n) const {
        if (n < 16) return std::to_string(n);
        for (std::int64_t most = 0; most < 8; ++most)
            for (std::int64_t times = 1; times < 16; ++times)
                for (const auto& [name, v] : values_) {
                    const std::int64_t more = n - times * v;
                    if (std::abs(more) > most) continue;
                    const std::string multiple = times == 1 ? name : fmt::format("{} * {}", times, name);
                    return more == 0 ? multiple
                                     : fmt::format("{} {} {}", multiple, more < 0 ? '-' : '+', std::abs(more));
                }
        for (const auto& [a, v] : values_)
            for (const auto& [b, w] : values_) {
                if (n == v * w) return fmt::format("{} * {}", a, b);
                if (n == v + w) return fmt::format("{} + {}", a, b);
            }
        if (const std::string product = written_product(n); !product.empty()) return product;
        return std::to_string(n);
    }
    std::string written_product(std::int64_t n) const {
        const auto moved = [](const std::string& text, std::int64_t by) {
            return by == 0 ? text : fmt::format("{} {} {}", text, by < 0 ? '-' : '+', std::abs(by));
        };
        for (const auto& [a, v] : values_) {
            for (std::int64_t times = 1; times < 16; ++times) {
                if (n % (v * times) != 0) continue;
                const std::string factor = times == 1 ? a : fmt::format("{} * {}", times, a);
                const std::int64_t rest = n / (v * times);
                for (const auto& [b, w] : values_) {
                    if (rest == w) return fmt::format("{} * {}", factor, b);
                    if (std::abs(rest - w) < 8) return fmt::format("{} * ({})", factor, moved(b, rest - w));
                    for (const auto& [c, u] : values_)
                        if (rest == w * u) return fmt::format("{} * {} * {}", factor, b, c);
                }
            }
            for (const auto& [b, w] : values_) {
                if (std::abs(n - v * w) < 8) return moved(fmt::format("{} * {}", a, b), n - v * w);
                for (const auto& [c, u] : values_)
                    if (n == v * w + u) return fmt::format("{} * {} + {}", a, b, c);
            }
        }
        return {};
    }

    static bool names_number(const std::string& text, std::int64_t n) {
        const std::string digits = std::to_string(n);
        const auto part_of_more = [&](std::size_t at) {
            return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
        };
        for (std::size_t at = text.find(digits); at != std::string::npos; at = text.find(digits, at + 1))
            if (!part_of_more(at - 1) && !part_of_more(at + digits.size())) return true;
        return false;
    }

    const Choice& choice_;
    std::size_t used_ = 0;
    std::map<std::string, std::int64_t> values_;
    std::map<std::int64_t, std::string> tried_;
    std::map<std::string, std::string> places_;
};

/// Builds arguments for functions from the annotations of the parameters.
class SampleArguments {
  public:
    SampleArguments(Stager& s, SampleSizes& sizes) : s_(s), sizes_(sizes) {}

    /// The arguments for a call of `callee`. Empty if annotations do not specify the types of all arguments.
    std::optional<std::vector<Value>> of(const Value& callee) {
        const Function* f = callee.function();
        if (f && f->transformed()) return of_transformed(*f->transformed());
        if (!f || !f->closure()) return {};
        const syntax::Module& tree = *f->closure()->module;
        std::vector<Value> made;
        for (const syntax::Parameter& p : f->closure()->text().parameters) {
            if (p.rest || (p.otherwise && !p.type)) {
                left_out_ = true;
                break;
            }
            if (!p.type) return {};
            const auto* name = std::get_if<syntax::NamePattern>(&tree[p.pattern].node);
            std::optional<Value> v = of_type(
                tree, p.type, name ? fmt::format("`{}`", name->text) : fmt::format("argument {}", made.size() + 1));
            if (!v) return {};
            made.push_back(std::move(*v));
        }
        return made;
    }

    /// True if arguments were left out. The function then uses the default values, but an `assert` or `fail` of the
    /// function may require these arguments.
    bool left_out() const { return left_out_; }

  private:
    std::optional<Value> of_type(const syntax::Module& tree, syntax::TypeId id, const std::string& what) {
        const auto& node = tree[id].node;
        if (const auto* a = std::get_if<syntax::ArrayType>(&node)) {
            std::optional<Shape> shape = shape_of(tree, *a, what);
            if (!shape) return {};
            return Value(Array::abstract(a->dtype, std::move(*shape)));
        }
        if (const auto* t = std::get_if<syntax::TupleType>(&node)) {
            std::vector<Value> items;
            for (const syntax::TypeId part : t->elements) {
                std::optional<Value> v = of_type(tree, part, fmt::format("part {} of {}", items.size(), what));
                if (!v) return {};
                items.push_back(std::move(*v));
            }
            return Value::tuple(std::move(items));
        }
        if (const auto* r = std::get_if<syntax::RecordType>(&node)) {
            std::vector<std::pair<std::string, Value>> fields;
            for (const auto& entry : r->entries) {
                std::optional<Value> v = of_type(tree, entry.type, fmt::format("`{}` of {}", entry.field.text, what));
                if (!v) return {};
                fields.emplace_back(entry.field.text, std::move(*v));
            }
            return Value::record(std::move(fields));
        }
        return {}; // any, str, fn
    }

    std::optional<Shape> shape_of(const syntax::Module& tree, const syntax::ArrayType& a, const std::string& what) {
        Shape shape;
        for (const syntax::SizeExpr& size : a.sizes) {
            if (size.kind == syntax::SizeExpr::Kind::ellipsis) {
                for (std::size_t i = 0; i < sizes_.leading(); ++i) shape.push_back(2 + static_cast<std::int64_t>(i));
                continue;
            }
            if (size.kind == syntax::SizeExpr::Kind::wildcard) {
                shape.push_back(sizes_.next());
                continue;
            }
            const bool alone = std::holds_alternative<syntax::NameRef>(tree[size.value].node);
            const auto n = size_value(tree, size.value, [&](const std::string& name) {
                if (alone) sizes_.stands(name, fmt::format("axis {} of {}", shape.size(), what));
                return std::optional(sizes_.named(name));
            });
            if (!n || *n < 0) return {};
            shape.push_back(*n);
        }
        return shape;
    }

    /// The arguments for a derived function. grad(f), jit(f) and similar functions have the arguments of f. The
    /// arguments of vmap(f) and pmap(f) have one more axis, at in_axes. With `tiled`, an axis is longer instead.
    std::optional<std::vector<Value>> of_transformed(const Transformed& t) {
        std::optional<std::vector<Value>> given = of(t.function());
        if (!given) return {};
        if (t.kind != Transformation::vmap && t.kind != Transformation::pmap) return given;
        const Value* fixed = option(t, "static_broadcasted_argnums");
        if (fixed && !(fixed->tuple() && fixed->tuple()->items.empty())) return {};
        const Value* tiled = option(t, "tiled");
        const Value* count = option(t, "axis_size");
        const Value* asked = option(t, "devices");
        const std::int64_t devices = asked && asked->number()  ? std::max<std::int64_t>(asked->number()->i, 1)
                                     : asked && asked->tuple() ? static_cast<std::int64_t>(asked->tuple()->items.size())
                                                               : s_.host().devices;
        const bool stated = count && count->number();
        const std::int64_t size = stated ? count->number()->i : 4 * devices;
        if (!stated) sizes_.tried(std::string(name(t.kind)), size);
        const bool blocks = tiled && tiled->number() && tiled->number()->i != 0;

        const Value* spec = option(t, "in_axes");
        std::vector<std::optional<std::int64_t>> axes;
        const auto part = [&](const std::string& path) { return fmt::format("`{}` of the arguments", path); };
        prefix_axes(spec ? *spec : Value::integer(0), Value::tuple(*given),
                    {"in_axes", std::string(name(t.kind)), t.span, part, all_leaves}, axes);
        std::size_t leaf = 0;
        const auto mapped = [&](const Value& v) -> Value {
            const std::optional<std::int64_t> axis = axes[leaf++];
            if (!axis) return v;
            Shape shape = v.array()->shape();
            const auto rank = static_cast<std::int64_t>(shape.size()) + (blocks ? 0 : 1);
            std::int64_t at = *axis < 0 ? *axis + rank : *axis;
            if (at < 0 || at >= rank) { // the call itself raises the error
                if (blocks) return v;
                at = 0;
            }
            if (blocks)
                shape[static_cast<std::size_t>(at)] *= size;
            else
                shape.insert(shape.begin() + at, size);
            return Array::abstract(v.array()->dtype(), std::move(shape));
        };
        for (Value& v : *given) v = map_leaves(v, mapped);
        return given;
    }

    Stager& s_;
    SampleSizes& sizes_;
    bool left_out_ = false;
};

/// Whether the error occurs in all runs and for all callers.
bool is_certain(Stager& stager, const Diagnostic& d, bool mapped) {
    switch (d.id) {
    case Diag::unbound_axis: return mapped; // a caller of the function may define the named axis
    case Diag::deadline_passed:
    case Diag::out_of_memory: return false;
    default: return !own_words(stager, d);
    }
}

} // namespace

namespace {

class Checker {
  public:
    explicit Checker(Stager& s) : s_(s) {}

    std::optional<Diagnostic> check(const Value& callee, Span span) {
        std::optional<Diagnostic> first;
        for (const Choice& choice : choices) {
            SampleSizes sizes(choice);
            std::optional<Diagnostic> found = attempt(callee, span, sizes);
            if (!found) return {};
            if (!first)
                first = worded(std::move(*found), sizes);
            else if (first->id != found->id || first->span != found->span)
                return {};
        }
        return first;
    }

  private:
    std::optional<Diagnostic> attempt(const Value& callee, Span span, SampleSizes& sizes) {
        SampleArguments made(s_, sizes);
        try {
            std::optional<std::vector<Value>> arguments = made.of(callee);
            if (arguments) s_.calls().call({callee, std::move(*arguments), {}, span});
        } catch (const Error& e) {
            const Diag id = e.diagnostic().id;
            if (id == Diag::interrupted) throw;
            if (made.left_out() && (id == Diag::stopped_by_fail || id == Diag::assertion_failed)) return {};
            if (is_certain(s_, e.diagnostic(), callee.function()->is_derived())) return e.diagnostic();
        } catch (const runtime::AbstractRead&) { // the function needs the elements of an array
        } catch (const runtime::Failure&) {      // an array with these sizes fits no memory
        }
        return {};
    }

    static Diagnostic worded(Diagnostic d, const SampleSizes& sizes) {
        d.message = sizes.in_names(d.message);
        d.caret = sizes.in_names(d.caret);
        for (Label& label : d.labels) label.text = sizes.in_names(label.text);
        std::erase_if(d.notes, [](const std::string& note) { return note.starts_with("sizes here: "); });
        for (std::string& note : d.notes) note = sizes.in_names(note);
        for (std::string& help : d.help) help = sizes.in_names(help);
        std::string all = d.message + "\n" + d.caret;
        for (const Label& label : d.labels) all += "\n" + label.text;
        for (const std::string& note : d.notes) all += "\n" + note;
        for (std::string& note : sizes.shown(all)) d.notes.push_back(std::move(note));
        if (const std::string legend = sizes.legend(); !legend.empty())
            d.notes.push_back(fmt::format("for any sizes: {}", legend));
        return d;
    }

    Stager& s_;
};

} // namespace

CheckedLoop::CheckedLoop(Stager& stager, syntax::BlockId body)
    : s_(stager), names_(assigned_names(stager.tree(), body)) {}

bool CheckedLoop::enough() {
    constexpr int most = 20;
    Digester values;
    std::set<std::string> counting;
    for (const std::string& name : names_) {
        const Cell* cell = s_.scopes().cell_of(name);
        if (!cell || cell->unknown) continue;
        std::vector<Value> leaves;
        append_key(values, cell->value, leaves);
        if (!std::all_of(leaves.begin(), leaves.end(), [](const Value& v) { return v.array() != nullptr; }))
            counting.insert(name);
    }
    const Digest now = values.end();
    const bool same = iterations_ > 0 && now == before_;
    before_ = now;
    if (!same && ++iterations_ < most) return false;
    for (const std::string& name : same ? counting : names_)
        if (Cell* cell = s_.scopes().cell_of(name)) cell->unknown = true;
    return true;
}

void check_test(Stager& stager, const std::shared_ptr<const syntax::Module>& tree,
                const std::shared_ptr<ModuleScope>& scope, const syntax::Test& test) {
    try {
        stager.run_test(tree, scope, test);
    } catch (const runtime::AbstractRead&) {
    } catch (const Error& e) {
        if (e.diagnostic().id == Diag::interrupted || e.diagnostic().id == Diag::deadline_passed) throw;
        if (is_certain(stager, e.diagnostic(), true)) stager.host().problem(e.diagnostic());
    }
}

std::vector<Diagnostic> check_functions(Stager& stager, const ModuleScope& scope) {
    std::vector<std::pair<std::string, Cell>> functions;
    for (const auto& [name, cell] : scope.names)
        if (!cell.unknown && cell.value.function()) functions.emplace_back(name, cell);
    std::sort(functions.begin(), functions.end(),
              [](const auto& a, const auto& b) { return a.second.span.begin < b.second.span.begin; });
    std::vector<Diagnostic> found;
    for (const auto& [name, cell] : functions)
        if (std::optional<Diagnostic> d = Checker(stager).check(cell.value, cell.span)) found.push_back(std::move(*d));
    stager.poll(); // a cancelled check has no result
    return found;
}

} // namespace pm::stage
