#include "compiler/stage/core/calls.hpp"

#include "compiler/base/python_format.hpp"
#include "compiler/ops/core/display_name.hpp"
#include "compiler/ops/core/nans.hpp"
#include "compiler/stage/call/binding.hpp"
#include "compiler/stage/call/donation.hpp"
#include "compiler/stage/call/library_call.hpp"
#include "compiler/stage/core/restore.hpp"
#include "compiler/stage/core/under_way.hpp"
#include "compiler/stage/known/annotations.hpp"
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/known/computed.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/operands.hpp"
#include "compiler/stage/known/signature.hpp"
#include "compiler/stage/known/text_numbers.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

namespace pm::stage {
namespace {

constexpr int max_depth = 1000;

/// The values of all arguments of a call.
std::vector<Value> given_values(const CallArguments& given) {
    std::vector<Value> all = given.positional;
    for (const auto& [name, value] : given.named) all.push_back(value);
    return all;
}

/// The name of the called value, if a function of the library has the same name. Empty otherwise.
std::string hidden_function(Stager& s, Span call) {
    const std::string_view written = s.sources().text(call);
    std::string name(written.substr(0, written.find('(')));
    const auto& library = s.modules().prelude()->names;
    const auto at = library.find(name);
    if (at == library.end() || !at->second.value.function()) return {};
    const Cell* const found = s.scopes().find(name);
    return found && !found->value.function() ? name : std::string();
}

} // namespace

Value Calls::converted(const Value& v, DType dtype, Span span) {
    s_.poll(span);
    if (const Tuple* t = v.tuple()) {
        std::vector<Value> items;
        items.reserve(t->items.size());
        for (const Value& item : t->items) items.push_back(converted(item, dtype, span));
        return Value::tuple(std::move(items), v.by_rows);
    }
    if (const Record* r = v.record()) {
        auto fields = r->fields;
        for (const std::size_t i : sorted_fields(*r)) fields[i].second = converted(fields[i].second, dtype, span);
        return Value::record(std::move(fields), v.by_rows);
    }
    if (v.text() && dtype != DType::key)
        return cast(s_, number_of_text(runtime::name(dtype), *v.text(), dtype, span), dtype, span);
    return v.is_numeric() ? cast(s_, v, dtype, span) : v;
}

Value Calls::call(const Value& function, CallArguments given) {
    s_.poll(given.span);
    if (!donation_ && s_.interpreting() && takes_donations(function)) return donating(function, std::move(given));
    if (const DType* dtype = function.dtype()) {
        require_one_argument(*dtype, given);
        const Value& v = given.positional[0];
        const bool converts = v.tuple() || v.record() || (v.text() && *dtype != DType::key);
        return converts ? converted(v, *dtype, given.span) : cast(s_, v, *dtype, given.span);
    }
    const Function* f = function.function();
    if (!f) {
        auto d = diagnose(Diag::not_a_function, given.span, describe(function));
        if (const std::string hidden = hidden_function(s_, given.span); !hidden.empty())
            d.help.push_back(fmt::format("rename `{0}`, which hides the function `{0}` of the library", hidden));
        else if (function.array() || function.staged() || function.tuple())
            d.help.push_back("write an index in brackets: x[0]");
        raise(std::move(d));
    }
    const Span span = given.span;
    const LibraryCall library(s_, function, given);
    try {
        std::vector<Value> numbers;
        const bool watched =
            s_.host().check_nans && !s_.places().in_library(span) && (f->native() || s_.places().of_library(*f));
        if (watched) numbers = given_values(given);
        const Value made = f->native() ? native(*f->native(), given) : placed(function, std::move(given));
        if (watched) check_nan(made, f->native() ? f->native()->name : f->name, numbers, span);
        return made;
    } catch (Error& e) {
        // Instructions of the library have the position of the user's call. So an error at the position of the call may
        // be an error in the library, and `inside` is true for such an error.
        const Span met = e.diagnostic().span;
        const bool inside = !met || s_.places().in_library(met) || met == span;
        if (library) library.rewrite(e.diagnostic(), inside);
        s_.places().blame(e.diagnostic(), span);
        // `pm check` calls each function at the position of the function's name. Such a call is not in the program.
        const bool written = !f->closure() || !contains(f->closure()->text().signature, span);
        if (written && !s_.places().in_library(span) && !ends_run(e.diagnostic())) e.diagnostic().called_at(span);
        throw;
    } catch (HostWork& work) {
        if (s_.places().in_library(work.span) && !s_.places().in_library(span)) work.span = span;
        // If the called function is written in the language, the caller can interpret it. A transformation must compile
        // its function, so host work in the function is an error.
        if (!s_.interpreting() || f->closure()) throw;
        auto refused = diagnose(Diag::host_in_compiled, work.span, builtin_name(*f), work.what);
        if (work.otherwise) refused = *work.otherwise;
        refused.span = work.span;
        raise(std::move(refused).label(span, "called here"));
    }
}

void Calls::check_nan(const Value& made, std::string_view name, const std::vector<Value>& numbers, Span span) const {
    const auto is_nan = [](const Number& n) { return std::isnan(n.f) || std::isnan(n.imaginary); };
    if (!made.number() || !is_nan(*made.number())) return;
    std::vector<std::string> operands;
    for (const Value& v : numbers) {
        const Number* n = v.number();
        if (!n || is_nan(*n)) return;
        operands.push_back(format_array(n->array(n->default_dtype())));
    }
    Diagnostic d =
        diagnose(Diag::made_nan, span, fmt::format("`{}` makes a NaN: {}", name, ops::as_written(name, operands)));
    if (std::string repair = ops::nan_repair(name); !repair.empty()) d.help.push_back(std::move(repair));
    raise(std::move(d));
}

Value Calls::placed(const Value& function, CallArguments given) {
    Places::CallSite site{given.span, std::move(given.positional_spans), {}, std::move(given.name_spans)};
    for (std::size_t i = 0; i < given.named_spans.size(); ++i)
        site.named.emplace_back(given.named[i].first, given.named_spans[i]);
    const Places::Inside site_scope(s_.places(), std::move(site));
    if (function.function()->is_derived()) return call_transformed(function, std::move(given));
    return s_.specialiser().call({function, std::move(given.positional), std::move(given.named), given.span});
}

Value Calls::call(Call given) {
    const AccountScope account(s_.host().allocator);
    const Value function = given.function;
    try {
        return call(function, given_at(std::move(given)));
    } catch (const Error& e) {
        if (e.diagnostic().id == Diag::out_of_memory) s_.specialiser().clear();
        throw;
    }
}

CallArguments Calls::given_at(Call call) const {
    CallArguments given;
    const Span span = call.span;
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
        given.positional_spans.push_back(s_.places().argument(span, i));
    std::unordered_map<std::string_view, Span> places;
    if (s_.places().site().call == span)
        for (const auto& [name, place] : s_.places().site().named) places.try_emplace(name, place);
    for (const auto& [name, value] : call.named) {
        const auto place = places.find(name);
        given.named_spans.push_back(place == places.end() ? span : place->second);
    }
    if (s_.places().site().call == span && s_.places().site().names.size() == call.named.size())
        given.name_spans = s_.places().site().names;
    given.positional = std::move(call.arguments);
    given.named = std::move(call.named);
    given.span = span;
    return given;
}

Value Calls::inside(Call given) {
    const Function* f = given.function.function();
    return f && !f->native() ? inline_call(std::move(given)) : call(std::move(given));
}

Value Calls::inline_call(Call given) {
    const Value function = given.function;
    if (function.function()->is_derived()) return transform_now(std::move(given));
    return body(*function.function(), given_at(std::move(given)));
}

namespace {

bool about_shapes(Diag id) {
    constexpr std::array ids = {Diag::shapes_disagree,   Diag::shapes_do_not_broadcast,
                                Diag::broadcast_sizes,   Diag::reshape_size,
                                Diag::concatenate_sizes, Diag::matmul_sizes,
                                Diag::bad_einsum,        Diag::stack_shapes,
                                Diag::update_shape};
    return std::find(ids.begin(), ids.end(), id) != ids.end();
}

/// If the error is about shapes and its position is in the function's body, adds a note with the sizes that annotations
/// have defined.
void show_sizes(Diagnostic& d, const std::map<std::string, std::int64_t>& sizes, Span body) {
    if (sizes.empty() || !contains(body, d.span) || !about_shapes(d.id)) return;
    std::string list;
    for (const auto& [name, n] : sizes) list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", name, n);
    d.notes.push_back("sizes here: " + list);
}

/// The error that calls are nested too deeply. The message says whether the function calls itself.
Diagnostic too_deep(const Frame* callers, const syntax::Function& declared, const std::string& name, Span span) {
    bool recursive = false;
    for (const Frame* f = callers; f && !recursive; f = f->caller) recursive = f->function == &declared;
    auto d = diagnose(Diag::recursion_too_deep, span, recursive ? fmt::format("`{}` calls itself", name) : "calls nest",
                      max_depth)
                 .label(declared.signature, "the function");
    if (!recursive) return std::move(d).fix("call the functions one after another, not each inside the one before");
    return std::move(d).fix(fmt::format(
        "where it never ends, return without calling `{}` in the last case; where it ends later, write a loop", name));
}

/// The position of the function's result in messages. If the last statement of the body is an expression and the body
/// did not end with a `return`, it is the position of this statement. Otherwise it is the position of the signature.
Span result_place(const syntax::Module& tree, const syntax::Function& declared, const Flow& flow) {
    const auto& statements = tree[declared.body].statements;
    if (statements.empty() || !flow.is(Flow::normal)) return declared.signature;
    const auto* last = std::get_if<syntax::ExprStmt>(&tree[statements.back()].node);
    return last ? tree[last->value].span : declared.signature;
}

} // namespace

std::vector<Value> Calls::by_position(const Call& call) {
    const Function* f = call.function.function();
    if (!f || !f->closure()) {
        if (call.named.empty()) return call.arguments;
        const std::string& name = call.named[0].first;
        if (!f || f->is_derived())
            raise(diagnose(Diag::unknown_argument, s_.places().argument(call.span, name), f ? f->name : "fn", name)
                      .fix("give it by its position"));
    }
    std::vector<Value> all;
    const auto add = [&](const Value& value, bool rest) {
        if (rest)
            all.insert(all.end(), value.tuple()->items.begin(), value.tuple()->items.end());
        else
            all.push_back(value);
    };
    CallArguments given = given_at(call);
    if (f->native()) {
        const Signature& signature = signature_of(*f->native());
        const Arguments bound = bind_native(*f->native(), signature, given);
        for (std::size_t i = 0; i < bound.values.size(); ++i) add(bound.values[i], signature.parameters[i].rest);
        return all;
    }
    const syntax::Function& declared = f->closure()->text();
    const std::vector<Bound> bound = match(*f, s_.places().of_library(*f), given);
    Frame frame =
        s_.scopes().activation(*f); // needed because the default of a parameter may depend on earlier parameters
    const Restore frame_scope(s_.scopes().frame, &frame);
    for (std::size_t i = 0; i < declared.parameters.size(); ++i) {
        const syntax::Parameter& p = declared.parameters[i];
        const Value value = bound[i].value ? *bound[i].value : evaluate(s_, p.otherwise);
        bind_pattern(s_, p.pattern, value, false, bound[i].span);
        add(value, p.rest);
    }
    return all;
}

namespace {

ResultKey result_key(const Function& f, const std::vector<Bound>& bound) {
    Digester key;
    std::vector<Value> inputs;
    for (const auto& [name, value] : f.closure()->captured) append_key(key, value, inputs);
    for (const Bound& b : bound) append_key(key, b.value.value_or(None{}), inputs);
    for (const Value& leaf : inputs)
        if (leaf.number()) append_number(key, *leaf.number());
    return {&f.closure()->text(), key.end()};
}

/// Throws NeedResult if two returns were joined in a dtype that is not the common dtype of all returns. The body is
/// then staged again with the common dtype.
void need_result(const Context& body, const Frame& frame, const ResultKey& key, const Value& result) {
    const std::vector<Value> all = leaves(result);
    const auto other = [&](const std::pair<std::size_t, DType>& joined) {
        return numeric_type(all.at(joined.first)).type.dtype != joined.second;
    };
    if (std::ranges::any_of(frame.joined_returns, other))
        throw NeedResult{&body, key, map_all_leaves(result, type_of_leaf)};
}

} // namespace

Value Calls::body(const Function& f, CallArguments given) {
    const syntax::Function& declared = f.closure()->text();
    const std::string name = f.name.empty() ? "fn" : f.name;
    std::vector<Bound> bound = match(f, s_.places().of_library(f), given);

    if (depth_ >= max_depth) raise(too_deep(s_.scopes().frame, declared, name, given.span));
    const Restore depth_scope(depth_, depth_ + 1);
    Frame frame = s_.scopes().activation(f);
    frame.call = given.span;
    const Context* const staged = s_.context() ? s_.context()->body() : nullptr;
    if (staged && staged->knows_results()) frame.result = staged->result(result_key(f, bound));
    const Restore frame_scope(s_.scopes().frame, &frame);

    Sizes sizes;
    for (std::size_t i = 0; i < declared.parameters.size(); ++i) {
        const syntax::Parameter& p = declared.parameters[i];
        const Value value = bound[i].value ? *bound[i].value : evaluate(s_, p.otherwise);
        const Span where = bound[i].span;
        if (p.type) check_annotation(s_, p.type, value, where, sizes);
        bind_pattern(s_, p.pattern, value, false, where);
    }
    settle_sizes(s_, sizes);
    for (const auto& [size, n] : sizes.bound)
        s_.scopes().add_local(size, {Value::integer(n), false, declared.signature}, true);
    const Flow flow = [&] {
        try {
            return run_block(s_, declared.body);
        } catch (Error& e) {
            show_sizes(e.diagnostic(), sizes.bound, (*f.closure()->module)[declared.body].span);
            throw;
        }
    }();
    // `flow.value` already contains the values of early returns under staged conditions, joined with the value at the
    // end of the body.
    if (!flow.known() && !flow.value.is_none() && (flow.none_at_end || flow.none_returned))
        raise(diagnose(Diag::types_differ, declared.signature, fmt::format("`{}`", name), tree_text(flow.value), "none")
                  .note("under a condition that is computed in compiled code every way out of a function returns the "
                        "same type")
                  .fix(flow.none_returned ? "return a value everywhere"
                                          : "end the function with the value it has when no `return` is reached"));
    if (declared.result) {
        check_annotation(s_, declared.result, flow.value, result_place(*f.closure()->module, declared, flow), sizes);
        settle_sizes(s_, sizes);
    }
    if (staged && !frame.result && !frame.joined_returns.empty())
        need_result(*staged, frame, result_key(f, bound), flow.value);
    return frame.returns_computed ? known_computed(s_, flow.value) : flow.value;
}

namespace {

/// Whether `place` is the position of an argument that cannot contain a function. An error at such a position was not
/// raised in a function that is an argument of the call.
bool at_value(const CallArguments& given, Span place) {
    const auto here = [&](const std::vector<Span>& spans, std::size_t i, const Value& v) {
        return i < spans.size() && spans[i] == place && !v.function() && !v.tuple();
    };
    for (std::size_t i = 0; i < given.positional.size(); ++i)
        if (here(given.positional_spans, i, given.positional[i])) return true;
    for (std::size_t i = 0; i < given.named.size(); ++i)
        if (here(given.named_spans, i, given.named[i].second)) return true;
    return false;
}

/// Whether the argument at `place` is passed for a parameter whose default is `none`.
bool given_for_none(const Signature& signature, const Arguments& bound, Span place) {
    for (std::size_t i = 0; i < bound.values.size(); ++i) {
        const std::optional<Value>& otherwise = signature.parameters[i].otherwise;
        if (bound.given[i] && bound.spans[i] == place && otherwise && otherwise->is_none()) return true;
    }
    return false;
}

/// Rewrites the error that `n` called one of its arguments, which is a function, with a wrong number of arguments. The
/// new message names `n` and the parameter.
void name_native_arity(const Stager& s, const Native& n, const CallArguments& given, Diagnostic& d) {
    const auto& parameters = signature_of(n).parameters;
    for (std::size_t i = 0; i < std::min(given.positional.size(), given.positional_spans.size()); ++i) {
        const Function* f = given.positional[i].function();
        if (!f || !f->closure() || s.places().of_library(*f) || parameters.empty()) continue;
        const std::string& parameter = parameters[std::min(i, parameters.size() - 1)].name;
        if (name_arity(d, n.name, parameter, f->closure()->text(), given.positional_spans[i])) return;
    }
}

} // namespace

Value Calls::native(const Native& n, CallArguments& given) {
    const Signature& signature = signature_of(n);
    Arguments bound = bind_native(n, signature, given);
    if (s_.types_only() && n.has(Native::gives_nothing)) return None{};
    if (n.kind == Native::Kind::host && !(s_.types_only() && n.has(Native::only_looks)))
        s_.host_work(n.name == "attempt" ? std::string("`attempt` runs its function at once")
                                         : fmt::format("`{}` works with files, time or the terminal", n.name),
                     given.span);
    if (!s_.interpreting() && !n.has(Native::takes_text))
        for (const Value& v : bound.values)
            if (v.text_template())
                s_.host_work(fmt::format("`{}` needs text that holds computed values", n.name), given.span);
    if (s_.interpreting() && n.kind == Native::Kind::array)
        for (Value& v : bound.values) v = s_.interpreted().operand(v);
    const Restore span_scope(s_.work_span_, given.span ? given.span : s_.work_span_);
    std::optional<UnderWay> under_way;
    if (n.kind == Native::Kind::host) under_way.emplace(s_, given.span);
    try {
        if (n.kind != Native::Kind::array || s_.context()) return n.body(s_, bound);
        return s_.array_work(given.span, [&] { return n.body(s_, bound); });
    } catch (Error& e) {
        std::vector<std::pair<Span, const Value*>> operands;
        for (std::size_t i = 0; i < std::min(given.positional.size(), given.positional_spans.size()); ++i)
            operands.emplace_back(given.positional_spans[i], &given.positional[i]);
        show_operands(e.diagnostic(), given.span, operands);
        if (!s_.places().in_library(given.span))
            repair_axis(e.diagnostic(), given_for_none(signature, bound, e.diagnostic().span));
        if (e.diagnostic().span == given.span) name_native_arity(s_, n, given, e.diagnostic());
        const bool of_functions = among(given, is_function);
        if (!s_.places().in_library(given.span) && (!of_functions || at_value(given, e.diagnostic().span)))
            name_native(e.diagnostic(), n);
        if (!n.name.starts_with('_') && !of_functions) {
            name_subject(e.diagnostic(), n.name);
            ops::replace_display_name(e.diagnostic(), n.name);
        }
        throw;
    }
}

void Stager::host_work(std::string_view what, Span span, const std::shared_ptr<const Diagnostic>& otherwise) {
    if (!interpreting()) throw HostWork{std::string(what), span, false, otherwise};
    if (checking()) throw runtime::AbstractRead{};
}

} // namespace pm::stage
