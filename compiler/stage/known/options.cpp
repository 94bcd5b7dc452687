// The leaves of calls of transformed functions, and the options of these functions.
#include "compiler/stage/known/options.hpp"

#include "compiler/base/count.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {

bool all_known(const CallLeaves& given) {
    return std::all_of(given.all.begin(), given.all.end(), [](const Value& leaf) { return leaf.number() != nullptr; });
}

CallLeaves call_leaves(const Call& call) {
    CallLeaves found;
    Digester key;
    append_key(key, call.function, found.all);
    for (const Value& a : call.arguments) {
        const std::size_t begin = found.all.size();
        append_key(key, a, found.all);
        found.arguments.emplace_back(begin, found.all.size());
    }
    found.named_begin = found.all.size();
    for (const auto& [name, v] : call.named) append_key(key, v, found.all);
    return found;
}

const Value* option(const Transformed& t, const std::string& name) {
    for (const auto& [key, value] : t.options)
        if (key == name) return &value;
    return nullptr;
}

Span option_place(const Transformed& t, const std::string& name, Span otherwise) {
    for (std::size_t i = 0; i < t.option_spans.size(); ++i)
        if (t.options[i].first == name) return t.option_spans[i];
    return otherwise;
}

std::vector<std::size_t> argument_numbers(Stager& s, const Transformed& t, const std::string& name, std::size_t count,
                                          Span span) {
    std::set<std::size_t> numbers;
    const Value* spec = option(t, name);
    if (!spec || spec->is_none()) return {};
    const std::vector<Value> list = spec->tuple() ? spec->tuple()->items : std::vector<Value>{*spec};
    for (const Value& v : list) {
        const std::int64_t i = need_integer(s, v, span, name);
        const auto n = static_cast<std::int64_t>(count);
        if (i < -n || i >= n)
            raise(diagnose(Diag::bad_axes, span, name, stage::name(t.kind), i,
                           fmt::format("the call has {:positional argument|positional arguments}", Count{count})));
        numbers.insert(static_cast<std::size_t>(i < 0 ? i + n : i));
    }
    return {numbers.begin(), numbers.end()};
}

} // namespace pm::stage
