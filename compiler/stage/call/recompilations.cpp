#include "compiler/stage/call/recompilations.hpp"

#include "compiler/stage/call/library_call.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/printing.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {
namespace {

/// The name of argument `i` in messages: the name of its parameter, or "argument 3" if the parameter has no name.
std::string argument_name(const Function& f, std::size_t i) {
    if (f.closure() && i < f.closure()->text().parameters.size()) {
        const syntax::Parameter& p = f.closure()->text().parameters[i];
        const std::string name = p.rest ? "" : f.closure()->parameter_name(p);
        if (!name.empty()) return fmt::format("`{}`", name);
    }
    return fmt::format("argument {}", i + 1);
}

/// A description of an argument: "f32[15]", or "i32 = 15" for a number that is a constant in the code.
std::string described(const Value& v, std::size_t first, const std::vector<bool>& known) {
    if (v.text()) return "a text";
    std::string text = tree_text(v);
    const std::vector<Value> all = leaves(v);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (const Number* n = all[i].number();
            n && (n->stays_known() || (first + i < known.size() && known[first + i])))
            text += fmt::format(" = {}", printed(all[i]));
    return text;
}

/// Calls visit(v) for each argument, the positional ones first.
template <class Visit>
void each_argument(const Call& call, const Visit& visit) {
    for (const Value& v : call.arguments) visit(v);
    for (const auto& [name, v] : call.named) visit(v);
}

/// The texts among the arguments, one after the other. Empty if there are none.
std::string texts_of(const Call& call) {
    std::string all;
    each_argument(call, [&](const Value& v) {
        if (const std::string* text = v.text()) all += fmt::format("{}:{}", text->size(), *text);
    });
    return all;
}

/// Adds the positions of the functions in a tree, one after the other.
void add_functions(const Value& v, std::string& all) {
    if (const Tuple* t = v.tuple())
        for (const Value& item : t->items) add_functions(item, all);
    if (const Record* r = v.record())
        for (const auto& [name, value] : r->fields) add_functions(value, all);
    const Function* const f = v.function();
    if (!f) return;
    if (const Closure* closure = f->closure())
        all += fmt::format("{}:{} ", closure->module->source(), closure->text().signature.begin);
    else
        all += fmt::format("{} ", builtin_name(*f));
}
/// The positions of the functions among the arguments. Other functions need other code.
std::string functions_of(const Call& call) {
    std::string all;
    each_argument(call, [&](const Value& v) { add_functions(v, all); });
    return all;
}

/// The number of instructions, those of regions included.
std::size_t code_size(const ir::Block& block) {
    std::size_t size = block.insts.size();
    for (const ir::Inst& inst : block.insts)
        for (const ir::BlockPtr& region : inst.regions) size += code_size(*region);
    return size;
}

bool has_array(const Call& call) {
    const auto any = [](const Value& v) {
        const std::vector<Value> all = leaves(v);
        return std::any_of(all.begin(), all.end(), [](const Value& leaf) { return leaf.array() != nullptr; });
    };
    return std::any_of(call.arguments.begin(), call.arguments.end(), any);
}

} // namespace

std::optional<Diagnostic> Recompilations::count(const KeyedCall& call, const StagedFunction& made, Span place) {
    const Function& f = *call.function.function();
    const Span declared = f.closure() ? f.closure()->text().signature : Span{};
    const auto key = std::pair(SourcePlace(place.source, place.begin), SourcePlace(declared.source, declared.begin));
    if (sites_.size() >= most_sites && !sites_.contains(key)) return std::nullopt;
    Site& site = sites_[key];
    if (site.told) return std::nullopt;
    site.code += code_size(*made.block);
    std::size_t leaf = call.leaves.size();
    each_argument(call, [&](const Value& v) { leaf -= leaves(v).size(); });
    Described now;
    const auto add = [&](std::string name, const Value& v) {
        now.emplace_back(std::move(name), described(v, leaf, made.known_leaves));
        leaf += leaves(v).size();
    };
    for (std::size_t i = 0; i < call.arguments.size(); ++i) add(argument_name(f, i), call.arguments[i]);
    for (const auto& [name, v] : call.named) add(fmt::format("`{}`", name), v);
    const Described before = std::exchange(site.last, now);
    const std::string texts = texts_of(call);
    const bool new_text = !texts.empty() && site.texts.insert(std::hash<std::string>{}(texts)).second;
    std::string functions = functions_of(call);
    const bool other_code = functions != site.functions;
    site.functions = std::move(functions);
    if (other_code || (before == now && !new_text)) return std::nullopt;
    site.told = ++site.count >= (site.code > much_code ? few : most);
    if (!site.told) return std::nullopt;
    const std::string name = library_name(f);
    Diagnostic d = diagnose(Diag::compiled_often, place, name.empty() ? "fn" : name, site.count);
    if (before.size() != now.size())
        d.notes.push_back(fmt::format("it had {} arguments, and now has {}", before.size(), now.size()));
    for (std::size_t i = 0; i < std::min(before.size(), now.size()); ++i)
        if (before[i].second != now[i].second)
            d.notes.push_back(
                fmt::format("{} was {}, and now is {}", before[i].first, before[i].second, now[i].second));
    if (new_text) d.notes.emplace_back("it had another text before");
    d.help.emplace_back(
        new_text ? "a text is a constant in the code: write the expression in place of the call, or make numbers "
                   "of all texts before, as by text.indices, and pass these"
        : has_array(call) ? "keep the size: make the array once for the largest size, and assign its elements, x[i] = v"
                          : "put the loop around the call into a function: a loop in a function is compiled once");
    return d;
}

} // namespace pm::stage
