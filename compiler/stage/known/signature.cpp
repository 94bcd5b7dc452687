#include "compiler/stage/known/signature.hpp"

#include "compiler/base/count.hpp"
#include "compiler/stage/known/foreign.hpp"

#include "compiler/base/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace pm::stage {
namespace {

/// Parses a default: none, true, false, an integer, a float, a string in quotes, () or a dtype.
Value read_default(std::string_view text) {
    if (text == "none") return {};
    if (text == "true" || text == "false") return Value::boolean(text == "true");
    if (text == "()") return Value::tuple({});
    if (text == "\"\\n\"") return Value(std::string("\n")); // the only escape in a signature
    if (text.front() == '"') return Value(std::string(text.substr(1, text.size() - 2)));
    for (int d = 0; d < runtime::named_dtype_count; ++d)
        if (runtime::name(static_cast<DType>(d)) == text) return Value(static_cast<DType>(d));
    std::int64_t i = 0;
    const auto whole = std::from_chars(text.data(), text.data() + text.size(), i);
    if (whole.ec == std::errc() && whole.ptr == text.data() + text.size()) return Value::integer(i);
    double f = 0;
    const auto real = std::from_chars(text.data(), text.data() + text.size(), f);
    PM_CHECK(real.ec == std::errc() && real.ptr == text.data() + text.size(), std::string(text));
    return Value::floating(f);
}

Signature read_signature(std::string_view text) {
    Signature s;
    while (!text.empty()) {
        // The text is split at commas outside of quotes and parentheses.
        std::size_t end = 0;
        int depth = 0;
        bool quoted = false;
        for (; end < text.size(); ++end) {
            if (text[end] == '"') quoted = !quoted;
            if (text[end] == '(') ++depth;
            if (text[end] == ')') --depth;
            if (text[end] == ',' && depth == 0 && !quoted) break;
        }
        std::string_view item = text.substr(0, end);
        text.remove_prefix(std::min(text.size(), end + 1));
        while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
        Signature::Parameter p;
        if (item.front() == '*') {
            p.rest = true;
            item.remove_prefix(1);
        }
        const std::size_t equals = item.find('=');
        p.name = std::string(item.substr(0, equals));
        if (equals != std::string_view::npos) p.otherwise = read_default(item.substr(equals + 1));
        s.parameters.push_back(std::move(p));
    }
    const auto rest = std::ranges::find_if(s.parameters, &Signature::Parameter::rest);
    s.rest = static_cast<std::size_t>(rest - s.parameters.begin());
    PM_CHECK(s.parameters.size() <= Arguments::most);
    return s;
}

std::string arity(const Signature& s) {
    const auto least = std::ranges::count_if(s.parameters, [](const auto& p) { return !p.rest && !p.otherwise; });
    return argument_count(static_cast<std::size_t>(least), s.rest, s.rest < s.parameters.size());
}

/// The form of a call with the required parameters: `name(x, y)`.
std::string call_form(const Native& n, const Signature& signature) {
    std::vector<std::string> names;
    for (const auto& p : signature.parameters)
        if (!p.rest && !p.otherwise) names.push_back(p.name);
    return fmt::format("{}({})", n.name, fmt::join(names, ", "));
}

/// Raises the error that the call has more positional arguments than the native has parameters.
[[noreturn]] void refuse_more(const Native& n, const Signature& signature, const CallArguments& given) {
    const std::size_t count = signature.parameters.size();
    auto d = diagnose(Diag::wrong_argument_count, given.span, n.name, arity(signature),
                      given.positional.size() + given.named.size());
    const bool sizes = count > 0 && signature.parameters[0].name == "shape" &&
                       std::ranges::all_of(given.positional, [](const Value& v) { return v.number() != nullptr; });
    if (sizes) raise(std::move(d).fix(fmt::format("a shape of several sizes is one tuple: {}((2, 3, 4))", n.name)));
    raise(std::move(d)
              .note(fmt::format("it is {}({})", n.name, n.signature))
              .fix(count == 0 ? fmt::format("call it as {}()", n.name)
                              : fmt::format("leave out the arguments after argument {}", count)));
}

} // namespace

std::string argument_count(std::size_t least, std::size_t most, bool rest) {
    if (rest) return fmt::format("at least {:argument|arguments}", Count{least});
    if (least == most) return least == 0 ? "no arguments" : fmt::format("{:argument|arguments}", Count{least});
    return fmt::format("{} to {:argument|arguments}", least, Count{most});
}

void refuse_name(std::string_view callee, const std::vector<std::string>& parameters, const CallArguments& given,
                 std::size_t at, const std::function<Diagnostic(Diagnostic)>& otherwise) {
    const std::string& name = given.named[at].first;
    auto d = diagnose(Diag::unknown_argument, given.name_place(at), callee, name);
    if (const std::string near = argument_meant(name, parameters); !near.empty())
        raise(std::move(d).fix(fmt::format("did you mean `{}`?", near)));
    if (const auto repair = foreign_name("argument", name); !repair.empty())
        raise(std::move(d).fix(std::string(repair)));
    raise(otherwise(std::move(d)));
}

const Signature& signature_of(const Native& n) {
    // Signatures are constants. A signature is parsed at its first use, so the start of the program takes less time.
    // Each thread has a separate copy, so no locks are needed.
    thread_local std::unordered_map<const Native*, Signature> read;
    const auto at = read.find(&n);
    return at != read.end() ? at->second : read.emplace(&n, read_signature(n.signature)).first->second;
}

Arguments bind_native(const Native& n, const Signature& signature, CallArguments& given) {
    Arguments bound;
    const std::size_t count = signature.parameters.size();
    const std::size_t rest = signature.rest;
    bound.span = given.span;
    bound.values.reserve(count);
    bound.spans.reserve(count);
    const std::size_t placed = std::min(given.positional.size(), rest);
    for (std::size_t i = 0; i < placed; ++i) {
        bound.values.push_back(given.positional[i]);
        bound.spans.push_back(i < given.positional_spans.size() ? given.positional_spans[i] : given.span);
        bound.given.set(i);
    }
    if (placed < given.positional.size() && rest == count) refuse_more(n, signature, given);
    bound.values.resize(count);
    bound.spans.resize(count, given.span);
    if (rest < count) {
        bound.values[rest] =
            Value::tuple({given.positional.begin() + static_cast<std::ptrdiff_t>(placed), given.positional.end()});
        bound.given.set(rest);
    }
    for (std::size_t k = 0; k < given.named.size(); ++k) {
        const auto& [name, value] = given.named[k];
        const Span span = k < given.named_spans.size() ? given.named_spans[k] : given.span;
        std::vector<std::string> names;
        std::size_t at = count;
        for (std::size_t i = 0; i < count; ++i) {
            names.push_back(signature.parameters[i].name);
            if (names.back() == name && !signature.parameters[i].rest) at = i;
        }
        if (at == count)
            refuse_name(n.name, names, given, k, [&](Diagnostic d) {
                return std::move(d).note(fmt::format("it is {}({})", n.name, n.signature));
            });
        if (bound.given[at]) raise(diagnose(Diag::argument_twice, given.name_place(k), n.name, name));
        bound.values[at] = value;
        bound.given.set(at);
        bound.spans[at] = span;
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (bound.given[i]) continue;
        if (!signature.parameters[i].otherwise)
            raise(diagnose(Diag::wrong_argument_count, given.span, n.name, arity(signature),
                           given.positional.size() + given.named.size())
                      .note(fmt::format("it is {}({})", n.name, n.signature))
                      .fix("call it as " + call_form(n, signature)));
        bound.values[i] = *signature.parameters[i].otherwise;
    }
    return bound;
}

} // namespace pm::stage
