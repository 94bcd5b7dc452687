#include "compiler/stage/known/signature.hpp"

#include "compiler/base/count.hpp"
#include "compiler/stage/known/foreign.hpp"

#include "compiler/base/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <mutex>

namespace pm::stage {
namespace {

/// Defaults are none, true, false, integers, floats, "text", () and dtypes.
Value read_default(std::string_view text) {
    if (text == "none") return {};
    if (text == "true" || text == "false") return Value::boolean(text == "true");
    if (text == "()") return Value::tuple({});
    if (text == "\"\\n\"") return Value(std::string("\n")); // the one escape that a signature has
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
        // Split at commas outside of quotes and parentheses.
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
    return s;
}

std::string arity(const Signature& s) {
    std::size_t least = 0, most = 0;
    bool rest = false;
    for (const auto& p : s.parameters) {
        rest = rest || p.rest;
        if (p.rest) continue;
        ++most;
        if (!p.otherwise) ++least;
    }
    const auto plural = [](std::size_t n) { return fmt::format("{:argument|arguments}", Count{n}); };
    if (rest) return fmt::format("at least {}", plural(least));
    if (least == most) return least == 0 ? "no arguments" : plural(least);
    return fmt::format("{} to {}", least, plural(most));
}

/// With what has no default.
std::string call_form(const Native& n, const Signature& signature) {
    std::vector<std::string> names;
    for (const auto& p : signature.parameters)
        if (!p.rest && !p.otherwise) names.push_back(p.name);
    return fmt::format("{}({})", n.name, fmt::join(names, ", "));
}

} // namespace

const Signature& signature_of(const Native& n) {
    // Signatures are constants of the program; reading them on first use keeps the start short.
    static std::mutex mutex;
    static std::map<const Native*, Signature> read;
    const std::lock_guard lock(mutex);
    const auto at = read.find(&n);
    return at != read.end() ? at->second : read.emplace(&n, read_signature(n.signature)).first->second;
}

Arguments bind_native(const Native& n, const Signature& signature, Stager::Given& given) {
    Arguments bound;
    const std::size_t count = signature.parameters.size();
    bound.values.resize(count);
    bound.given.assign(count, false);
    bound.span = given.span;
    bound.spans.assign(count, given.span);
    std::size_t next = 0;
    std::size_t rest = count;
    std::vector<Value> more;
    for (std::size_t i = 0; i < count; ++i)
        if (signature.parameters[i].rest) rest = i;
    for (std::size_t i = 0; i < given.positional.size(); ++i) {
        const Span span = i < given.positional_spans.size() ? given.positional_spans[i] : given.span;
        if (next < count && next != rest) {
            bound.values[next] = given.positional[i];
            bound.given[next] = true;
            bound.spans[next] = span;
            ++next;
        } else if (rest < count) {
            more.push_back(given.positional[i]);
        } else {
            const bool sizes = count > 0 && signature.parameters[0].name == "shape" &&
                               std::all_of(given.positional.begin(), given.positional.end(),
                                           [](const Value& v) { return v.number() != nullptr; });
            if (sizes)
                raise(diagnose(Diag::wrong_argument_count, given.span, n.name, arity(signature),
                               given.positional.size() + given.named.size())
                          .fix(fmt::format("a shape of several sizes is one tuple: {}((2, 3, 4))", n.name)));
            raise(diagnose(Diag::wrong_argument_count, given.span, n.name, arity(signature),
                           given.positional.size() + given.named.size())
                      .note(fmt::format("it is {}({})", n.name, n.signature))
                      .fix(count == 0 ? fmt::format("call it as {}()", n.name)
                                      : fmt::format("leave out what stands behind argument {}", count)));
        }
    }
    if (rest < count) {
        bound.values[rest] = Value::tuple(std::move(more));
        bound.given[rest] = true;
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
        if (at == count) {
            auto d = diagnose(Diag::unknown_argument, given.name_place(k), n.name, name);
            if (const std::string near = argument_meant(name, names); !near.empty())
                raise(std::move(d).fix(fmt::format("did you mean `{}`?", near)));
            if (const auto repair = foreign_name("argument", name); !repair.empty())
                raise(std::move(d).fix(std::string(repair)));
            raise(std::move(d).note(fmt::format("it is {}({})", n.name, n.signature)));
        }
        if (bound.given[at]) raise(diagnose(Diag::argument_twice, given.name_place(k), n.name, name));
        bound.values[at] = value;
        bound.given[at] = true;
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
