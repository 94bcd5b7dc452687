// Rewrites errors that are raised in the library as errors of the program's call of the library.
#include "compiler/stage/call/library_call.hpp"

#include "compiler/base/count.hpp"
#include "compiler/ops/core/display_name.hpp"
#include "compiler/stage/call/transform_trace.hpp"
#include "compiler/stage/known/embedded.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/signature.hpp"
#include "compiler/syntax/kinds.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {
namespace {

const syntax::Function& declared(const Function& f) { return f.closure()->text(); }

/// The function of the module whose body defines the local function `f`. Null if no function of the module defines `f`.
const syntax::Function* maker(const Function& f) {
    const Span inner = declared(f).signature;
    for (const syntax::StmtId id : f.closure()->module->statements()) {
        const auto* s = std::get_if<syntax::FunctionStmt>(&(*f.closure()->module)[id].node);
        if (!s) continue;
        const syntax::Function& outer = (*f.closure()->module)[s->function];
        const Span body = (*f.closure()->module)[outer.body].span;
        if (contains(body, inner)) return &outer;
    }
    return nullptr;
}

/// The function whose documentation describes `f`. If `f` is local and has no name, this is the function whose body
/// defines `f`. Otherwise it is `f` itself. Null for natives.
const syntax::Function* documented(const Function& f) {
    if (!f.closure()) return nullptr;
    return f.closure()->local && f.name.empty() ? maker(f) : &declared(f);
}

bool is_dtype(const Value& v) { return v.dtype() != nullptr; }

/// The part of `text` between the first `begin` and the last `end`. If `end` is "", the part from `begin` to the end of
/// `text`. Empty if `begin` or `end` does not occur.
std::optional<std::string> between(const std::string& text, std::string_view begin, std::string_view end) {
    const std::size_t from = text.find(begin);
    if (from == std::string::npos) return std::nullopt;
    const std::size_t to = end.empty() ? text.size() : text.rfind(end);
    if (to == std::string::npos || to < from + begin.size()) return std::nullopt;
    return text.substr(from + begin.size(), to - from - begin.size());
}

/// The name in backquotes at the start of `text`. Empty if `text` does not start with such a name.
std::string_view subject(const std::string& text) {
    const std::size_t end = text.starts_with('`') ? text.find('`', 1) : std::string::npos;
    return end == std::string::npos ? std::string_view() : std::string_view(text).substr(1, end - 1);
}

/// Whether `path` is the name of a function in a module of the library: `fft.fft2`.
bool in_module(std::string_view path) {
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos || path.find_first_of(" (,") != std::string_view::npos) return false;
    return embedded_module(path.substr(0, dot)).has_value();
}

bool field_of_arrays(std::string_view name) {
    for (const std::string_view field : {"shape", "dtype", "ndim", "size", "T", "mT", "real", "imag"})
        if (field == name) return true;
    return false;
}

} // namespace

void name_subject(Diagnostic& d, std::string_view name) {
    if (d.id != Diag::wrong_kind) return;
    for (const std::string_view none :
         {"this needs ", "this operation needs ", "this function needs ", "a logical function needs ",
          "a dtype's kind needs ", "drawing random numbers needs "})
        if (d.message.starts_with(none)) {
            d.message = fmt::format("`{}` needs {}", name, d.message.substr(none.size()));
            return;
        }
}

void name_native(Diagnostic& d, const Native& native) {
    name_subject(d, native.name);
    if (d.id == Diag::rest_argument) { // a tuple was passed as one argument
        const std::string got = between(d.message, ", got ", "").value_or("");
        const Diagnostic said =
            diagnose(Diag::wrong_kind, d.span, fmt::format("`{}`", native.name), "a tuple or an array", got);
        d.id = said.id;
        d.message = said.message;
    }
    const std::size_t end = d.message.find(" needs ");
    if (d.id != Diag::wrong_kind || end == std::string::npos) return;
    const std::string said = d.message.substr(0, end);
    const std::string_view quoted = subject(said);
    if (said.find(fmt::format("`{}`", native.name)) != std::string::npos) return;
    for (const Signature::Parameter& p : signature_of(native).parameters)
        if (p.name == said || (p.name == quoted && said.size() == quoted.size() + 2)) {
            d.message = fmt::format("the `{}` of `{}`{}", p.name, native.name, d.message.substr(end));
            return;
        }
    if (said == native.name) {
        d.message = fmt::format("`{}`{}", native.name, d.message.substr(end));
        return;
    }
    // If the subject of the message begins with a backquote, it is an operator or a function that the native calls.
    // Such a message already names its subject.
    if (!said.starts_with('`')) d.message = fmt::format("`{}`: {}", native.name, d.message);
}

std::string library_name(const Function& f) {
    const syntax::Function* d = documented(f);
    if (!d || d->documentation.empty()) return f.name;
    const std::string said = d->documentation.substr(0, d->documentation.find('('));
    return said.ends_with(d->name.text) && said.find(' ') == std::string::npos ? said : f.name;
}

std::string library_form(const Function& f) {
    constexpr std::size_t most = 240;
    const syntax::Function* d = documented(f);
    if (!d || d->documentation.empty()) return {};
    std::string text = d->documentation;
    std::replace(text.begin(), text.end(), '\n', ' ');
    const std::size_t call = text.find("): ");
    if (call == std::string::npos) return {};
    std::size_t end = text.find("; ", call);
    for (std::size_t at = text.find(". ", call); at < end; at = text.find(". ", at + 1))
        if (text[at - 1] != '.' && text[at - 1] != ' ') end = at; // a dot of `0 .. n` does not end the sentence
    text.resize(std::min(text.size(), end));
    if (text.ends_with('.')) text.pop_back();
    if (text.size() > most) text.resize(call + 1);
    return "it is " + text;
}

bool name_arity(Diagnostic& d, std::string_view caller, std::string_view parameter, const syntax::Function& given,
                Span span) {
    if (d.id != Diag::wrong_argument_count) return false;
    if (std::none_of(d.labels.begin(), d.labels.end(), [&](const Label& l) { return l.span == given.signature; }))
        return false;
    const auto takes = between(d.message, "` takes ", ", got ");
    const std::string got = between(d.message, ", got ", "").value_or("");
    if (!takes) return false;
    const std::string count = got == "0"   ? "no arguments"
                              : got == "1" ? "1 argument"
                                           : fmt::format("{} arguments", got);
    d.message = fmt::format("`{}` calls its `{}` with {}, but it takes {}", caller, parameter, count, *takes);
    d.help = {fmt::format("give `{}` a function of {}", caller, count)};
    d.span = span;
    return true;
}

LibraryCall::LibraryCall(const Stager& stager, const Value& function, const CallArguments& given) : stager_(stager) {
    const Function* f = function.function(); // for a transformed function, the original function
    while (f->transformed() && f->transformed()->function().function()) f = f->transformed()->function().function();
    if (stager.places().in_library(given.span) || !f->closure() || !stager.places().of_library(*f)) return;
    name_ = library_name(*f);
    if (name_.empty()) return;
    function_ = f;
    span_ = given.span;
    of_function_ = among(given, is_function);
    with_dtype_ = among(given, is_dtype);
    const auto& parameters = declared(*f).parameters;
    const auto place = [&](const std::vector<Span>& spans, std::size_t i) {
        return i < spans.size() ? spans[i] : given.span;
    };
    for (std::size_t i = 0; i < given.positional.size(); ++i) {
        const bool has_own = i < parameters.size() && !parameters[i].rest;
        argument(has_own ? f->closure()->parameter_name(parameters[i]) : "", given.positional[i],
                 place(given.positional_spans, i));
    }
    for (std::size_t i = 0; i < given.named.size(); ++i)
        argument(given.named[i].first, given.named[i].second, place(given.named_spans, i));
    if (!f->closure()->local || !f->name.empty()) return;
    for (const auto& [name, value] : f->closure()->captured) argument(name, value, given.span, true);
}

void LibraryCall::argument(std::string name, const Value& value, Span span, bool captured) {
    Argument a{std::move(name), span, {describe(value)}, value.is_numeric(), std::nullopt, nullptr, captured, {}};
    if (value.function()) a.chain = chain_text(stager_, value);
    if (const Number* n = value.number()) {
        a.said.push_back(ir::to_string(numeric_type(value).type));
        if (n->kind == Number::Kind::integer) a.integer = n->i;
    }
    if (const Function* f = value.function(); f && f->closure() && !stager_.places().of_library(*f))
        a.function = &declared(*f);
    arguments_.push_back(std::move(a));
}

const LibraryCall::Argument* LibraryCall::only(const std::string& said) const {
    const Argument* found = nullptr;
    for (const Argument& a : arguments_)
        if (std::find(a.said.begin(), a.said.end(), said) != a.said.end()) {
            if (found) return found->numeric ? nullptr : found; // of several non-numeric arguments, the first
            found = &a;
        }
    return found;
}

const LibraryCall::Argument* LibraryCall::named(const std::string& name) const {
    for (const Argument& a : arguments_)
        if (a.name == name && !name.empty()) return &a;
    return nullptr;
}

std::string LibraryCall::title(const Argument& a) const {
    if (!a.name.empty()) return fmt::format("the `{}` of `{}`", a.name, name_);
    return fmt::format("{} `{}`", function_->closure()->local ? "an argument of what is given by" : "an argument of",
                       name_);
}

struct LibraryCall::Need {
    const Argument* argument; ///< null if the argument cannot be determined
    std::string expected;
    std::string got;
};

/// The requirement for the error that an integer argument, such as a size or a position, does not fit the dtype to
/// which the library converts it.
std::optional<LibraryCall::Need> LibraryCall::need_of_number(const Diagnostic& d) const {
    const auto number = between(d.message, "the number `", "` does not fit ");
    const std::string note = d.notes.empty() ? "" : d.notes.front();
    const auto dtype = between(note, "", " holds ");
    if (!number || !dtype) return std::nullopt;
    // The message does not show the bounds of the dtype, because the argument may have other bounds. For example, a
    // size must not be negative.
    return Need{integer(*number), fmt::format("a whole number that fits {}", *dtype), *number};
}

std::optional<LibraryCall::Need> LibraryCall::need(const Diagnostic& d) const {
    const std::string& text = d.message;
    const std::string numbers = "a number or an array";
    const auto needs = [&](std::string expected, const std::optional<std::string>& got) -> std::optional<Need> {
        if (!got) return std::nullopt;
        return Need{only(*got), std::move(expected), *got};
    };
    if (d.id == Diag::number_too_large) return need_of_number(d);
    if (d.id == Diag::not_a_function) return needs("a function", between(text, "", " is not a function"));
    if (d.id == Diag::not_iterable) return needs("a tuple or an array", between(text, "run over ", ""));
    if (d.id == Diag::rest_argument) return needs("a tuple or an array", between(text, ", got ", ""));
    if (d.id == Diag::condition_kind) return needs("a bool", between(text, ", got ", ""));
    if (d.id == Diag::unknown_field) {
        const std::string field = between(text, " has no field `", "`").value_or("");
        return needs(field_of_arrays(field) ? numbers : fmt::format("a value with the field `{}`", field),
                     between(text, "", " has no field "));
    }
    if (d.id == Diag::operator_kind) {
        const auto left = between(text, " does not take ", " and ");
        const auto right = between(text, " and ", "");
        for (const auto& got : {left, right})
            if (const Argument* a = got ? only(*got) : nullptr; a && !a->numeric) return Need{a, numbers, *got};
        return std::nullopt;
    }
    if (d.id != Diag::wrong_kind) return std::nullopt;
    const std::size_t at = text.rfind(", got ");
    const auto what = between(text, "", " needs ");
    if (!what || at == std::string::npos) return std::nullopt;
    const std::size_t begin = text.find(" needs ") + 7;
    if (begin > at) return std::nullopt;
    Need n{nullptr, text.substr(begin, at - begin), text.substr(at + 6)};
    if (what->size() > 2) n.argument = named(what->substr(1, what->size() - 2));
    if (!n.argument) n.argument = only(n.got);
    const bool dtype = n.argument && n.argument->name.ends_with("dtype");
    if (n.expected == "numbers or arrays" || (n.expected == "a dtype or an array" && !dtype)) n.expected = numbers;
    return n;
}

bool LibraryCall::name_argument(Diagnostic& d) const {
    const std::optional<Need> n = need(d);
    if (!n || !n->argument) return false;
    const Diagnostic said = diagnose(Diag::wrong_kind, d.span, title(*n->argument), n->expected, n->got);
    d.id = said.id;
    d.message = said.message;
    d.span = n->argument->span;
    d.notes.clear(); // the notes are about code of the library
    return true;
}

bool LibraryCall::name_arity(Diagnostic& d) const {
    return std::any_of(arguments_.begin(), arguments_.end(), [&](const Argument& a) {
        return !a.captured && a.function && stage::name_arity(d, name_, a.name, *a.function, a.span);
    });
}

void LibraryCall::point_at_number(Diagnostic& d) const {
    const auto text = d.id == Diag::axis_out_of_range ? between(d.message, "axis ", " is out of range")
                      : d.id == Diag::negative_size   ? between(d.message, "negative size ", "")
                                                      : std::nullopt;
    if (const Argument* found = text ? integer(*text) : nullptr) d.span = found->span;
}

const LibraryCall::Argument* LibraryCall::integer(const std::string& text) const {
    const Argument* found = nullptr;
    for (const Argument& a : arguments_)
        if (a.integer && std::to_string(*a.integer) == text) {
            if (found) return nullptr;
            found = &a;
        }
    return found;
}

bool LibraryCall::given_for_none(Span place) const {
    const syntax::Module& module = *function_->closure()->module;
    for (const syntax::Parameter& p : declared(*function_).parameters) {
        const std::string name = function_->closure()->parameter_name(p);
        const bool none = p.otherwise && std::holds_alternative<syntax::NoneLiteral>(module[p.otherwise].node);
        const Argument* given = none && !name.empty() ? named(name) : nullptr;
        if (given && given->span == place) return true;
    }
    return false;
}

void LibraryCall::name_function(Diagnostic& d) const {
    if (d.id == Diag::complex_to_real && !with_dtype_) {
        Diagnostic real = diagnose(Diag::dtype_not_taken, d.span, name_, "real numbers", "complex ones");
        d.id = real.id;
        d.message = std::move(real.message);
        d.notes.clear(); // the notes show the line of the library that would have dropped the imaginary part
    }
    if (of_function_) return;
    const std::string before(subject(d.message));
    name_subject(d, name_);
    ops::replace_display_name(d, name_);
    const std::string said(subject(d.message));
    const auto& prelude = stager_.modules().prelude()->names;
    const auto at = prelude.find(said);
    const bool library = (at != prelude.end() && at->second.value.function()) || syntax::transform_named(said);
    if (library && said != name_ && !named(said)) d.message.replace(1, said.size(), name_);
    const std::string quoted = fmt::format("`{}`", name_);
    if (d.message.find(quoted) == std::string::npos) d.message = fmt::format("{}: {}", quoted, d.message);
    if (d.id != Diag::unbound_axis) return;
    // The help may show a call of a function that the library function calls, such as `pmax(..., "i")`. The help then
    // gets the name of the library function.
    for (std::string& help : d.help)
        if (const std::size_t at = help.find(" " + before + "("); at != std::string::npos)
            help.replace(at + 1, before.size(), name_);
}

void LibraryCall::name_as_written(Diagnostic& d) const {
    if (d.id != Diag::stopped_by_fail || d.span != span_ || of_function_) return;
    const std::string_view written = stager_.sources().text(span_);
    const std::string callee(written.substr(0, written.find('(')));
    if (!in_module(callee)) return;
    for (std::size_t begin = d.message.find('`'); begin != std::string::npos; begin = d.message.find('`', begin + 1)) {
        const std::size_t end = d.message.find('`', begin + 1);
        if (end == std::string::npos) return;
        if (in_module(std::string_view(d.message).substr(begin + 1, end - begin - 1))) {
            d.message.replace(begin + 1, end - begin - 1, callee);
            return;
        }
        begin = end;
    }
}

void LibraryCall::name_transformation(Diagnostic& d) const {
    if (!forget_library(d)) return;
    const auto of =
        std::find_if(arguments_.begin(), arguments_.end(), [](const Argument& a) { return !a.chain.empty(); });
    if (of != arguments_.end()) note_transformation(stager_, d, fmt::format("{}({})", name_, of->chain), span_);
}

void LibraryCall::rewrite(Diagnostic& d, bool inside) const {
    if (ends_run(d)) return;
    name_transformation(d);
    if (!inside) return;
    const bool met_inside = !d.span || stager_.places().in_library(d.span);
    if (met_inside) {
        d.span = span_;
        d.caret.clear();
    }
    std::erase_if(d.labels, [&](const Label& label) { return stager_.places().in_library(label.span); });
    // In the message of an error at run time (PM05..), only the name of the function may be replaced. A message of a
    // `fail` in the library already has a subject, and other messages do not depend on the call. Errors about a known
    // index or divisor in a line of the library are rewritten like errors of staging.
    const bool known = met_inside && (d.id == Diag::index_out_of_range || d.id == Diag::division_by_zero);
    if (std::string_view(info(d.id).code).starts_with("PM05") && !known) return name_as_written(d);
    if (d.id == Diag::internal) return;
    if (known) d.help.clear(); // the help is about the array that the library indexes
    const bool named_argument = name_argument(d) || name_arity(d);
    if (!named_argument && met_inside) point_at_number(d);
    repair_axis(d, given_for_none(d.span));
    if (!named_argument) name_function(d);
    std::erase_if(d.notes, [](const std::string& note) { return note.starts_with("through `"); });
    if (!met_inside && !named_argument) return;
    const std::string form = library_form(*function_);
    const bool there =
        std::any_of(d.notes.begin(), d.notes.end(), [](const auto& n) { return n.starts_with("it is "); });
    if (!form.empty() && !there) d.notes.push_back(form);
}

} // namespace pm::stage
