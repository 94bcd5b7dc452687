// Calls: binding arguments, bodies of functions, natives.
#include "compiler/stage/call/donation.hpp"
#include "compiler/stage/call/failures.hpp"
#include "compiler/stage/core/stager.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/count.hpp"
#include "compiler/base/format.hpp"
#include "compiler/ops/core/display_name.hpp"
#include "compiler/ops/core/nans.hpp"
#include "compiler/stage/call/library_call.hpp"
#include "compiler/stage/core/restore.hpp"
#include "compiler/stage/core/tree.hpp"
#include "compiler/stage/core/under_way.hpp"
#include "compiler/stage/known/annotations.hpp"
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/known/foreign.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/operands.hpp"
#include "compiler/stage/known/signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

namespace pm::stage {
namespace {

constexpr int max_depth = 1000;

std::string count_text(std::size_t least, std::size_t most, bool rest) {
    if (rest) return fmt::format("at least {:argument|arguments}", Count{least});
    if (least == most) return least == 0 ? "no arguments" : fmt::format("{:argument|arguments}", Count{least});
    return fmt::format("{} to {:argument|arguments}", least, Count{most});
}

void require_one_argument(DType dtype, const Stager::CallArguments& given) {
    if (given.positional.size() != 1 || !given.named.empty())
        raise(diagnose(Diag::wrong_argument_count, given.span, runtime::name(dtype), "1 argument",
                       given.positional.size() + given.named.size())
                  .fix(fmt::format("convert one value: {}(x)", runtime::name(dtype))));
}

/// The values of all arguments of a call.
std::vector<Value> given_values(const Stager::CallArguments& given) {
    std::vector<Value> all = given.positional;
    for (const auto& [name, value] : given.named) all.push_back(value);
    return all;
}

} // namespace

Value Stager::call(const Value& function, CallArguments given) {
    poll(given.span);
    if (!donation_ && interpreting() && takes_donations(function)) return call_donating(function, std::move(given));
    if (const DType* dtype = function.dtype()) {
        require_one_argument(*dtype, given);
        const Value& v = given.positional[0];
        if (v.tuple() || v.record())
            return map_leaves(v, [&](const Value& leaf) { return cast(*this, leaf, *dtype, given.span); });
        return cast(*this, v, *dtype, given.span);
    }
    const Function* f = function.function();
    if (!f) {
        auto d = diagnose(Diag::not_a_function, given.span, describe(function));
        if (function.array() || function.staged() || function.tuple())
            d.help.push_back("write an index in brackets: x[0]");
        raise(std::move(d));
    }
    const Span span = given.span;
    const LibraryCall library(*this, function, given);
    try {
        std::vector<Value> numbers;
        const bool watched = host_.check_nans && !places_.in_library(span) && (f->native || places_.of_library(*f));
        if (watched) numbers = given_values(given);
        const Value made = f->native ? call_native(*f->native, given) : call_placed(function, std::move(given));
        if (watched) check_nan(made, f->native ? f->native->name : f->name, numbers, span);
        return made;
    } catch (Error& e) {
        // Instructions get the position of the user's call when they are made.
        const Span met = e.diagnostic().span;
        const bool inside = !met || places_.in_library(met) || met == span;
        if (library) library.speak(e.diagnostic(), inside);
        places_.blame(e.diagnostic(), span);
        throw;
    } catch (HostWork& work) {
        if (places_.in_library(work.span) && !places_.in_library(span)) work.span = span;
        // The caller could interpret a function of the program, but a transformation must compile its function.
        if (!interpreting() || f->is_declared()) throw;
        auto refused = diagnose(Diag::host_in_compiled, work.span, builtin_name(*f), work.what);
        if (work.otherwise) refused = *work.otherwise;
        refused.span = work.span;
        raise(std::move(refused).label(span, "called here"));
    }
}

void Stager::check_nan(const Value& made, std::string_view name, const std::vector<Value>& numbers, Span span) const {
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

Value Stager::call_placed(const Value& function, CallArguments given) {
    Places::CallSite site{given.span, std::move(given.positional_spans), {}, std::move(given.name_spans)};
    for (std::size_t i = 0; i < given.named_spans.size(); ++i)
        site.named.emplace_back(given.named[i].first, given.named_spans[i]);
    const Places::Inside site_scope(places_, std::move(site));
    if (function.function()->is_derived()) return call_derived(function, std::move(given));
    return specialiser_->call({function, std::move(given.positional), std::move(given.named), given.span});
}

Value Stager::call_function(Call call) {
    const AccountScope account(host_.allocator);
    const Value function = call.function;
    try {
        return this->call(function, given_at(std::move(call)));
    } catch (const Error& e) {
        if (e.diagnostic().id == Diag::out_of_memory) specialiser_->clear();
        throw;
    }
}

Stager::CallArguments Stager::given_at(Call call) const {
    CallArguments given;
    const Span span = call.span;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) given.positional_spans.push_back(places_.argument(span, i));
    std::unordered_map<std::string_view, Span> places;
    if (places_.site().call == span)
        for (const auto& [name, place] : places_.site().named) places.try_emplace(name, place);
    for (const auto& [name, value] : call.named) {
        const auto place = places.find(name);
        given.named_spans.push_back(place == places.end() ? span : place->second);
    }
    if (places_.site().call == span && places_.site().names.size() == call.named.size())
        given.name_spans = places_.site().names;
    given.positional = std::move(call.arguments);
    given.named = std::move(call.named);
    given.span = span;
    return given;
}

Value Stager::call_inside(Call call) {
    const Function* f = call.function.function();
    return f && !f->native ? call_unstaged(std::move(call)) : call_function(std::move(call));
}

Value Stager::call_unstaged(Call call) {
    const Value function = call.function;
    if (function.function()->is_derived()) return transform_now(std::move(call));
    return call_body(*function.function(), given_at(std::move(call)));
}

namespace {

struct Bound {
    std::optional<Value> value; ///< empty: the default is used
    Span span;                  ///< of the value
};

/// Matches arguments to parameters. For a function of the library, messages show its call form instead of its text.
std::vector<Bound> match(const Function& function, bool library, Stager::CallArguments& given) {
    const syntax::Module& tree = *function.module;
    const syntax::Function& f = tree[function.id];
    const auto name = [&] {
        std::string said = library ? library_name(function) : function.name;
        return said.empty() ? "fn" : said;
    };
    const auto parameter_name = [&](const syntax::Parameter& p) {
        const auto* n = std::get_if<syntax::NamePattern>(&tree[p.pattern].node);
        return n ? n->text : std::string();
    };
    const std::size_t count = f.parameters.size();
    const bool rest = count > 0 && f.parameters.back().rest;
    const std::size_t fixed = rest ? count - 1 : count;
    std::size_t least = 0;
    for (std::size_t i = 0; i < fixed; ++i)
        if (!f.parameters[i].otherwise) ++least;

    const auto call_form = [&](bool all) { // with all arguments, or only those without a default
        std::vector<std::string> names;
        for (std::size_t i = 0; i < fixed; ++i)
            if (all || !f.parameters[i].otherwise)
                names.push_back(std::holds_alternative<syntax::NamePattern>(tree[f.parameters[i].pattern].node)
                                    ? parameter_name(f.parameters[i])
                                    : "(...)");
        return fmt::format("{}({})", name(), fmt::join(names, ", "));
    };

    const auto declared = [&](Diagnostic d) {
        const std::string form = library ? library_form(function) : "";
        if (!library) d.label(f.signature, "defined here");
        if (!form.empty()) d.notes.push_back(form);
        return d;
    };

    std::vector<Bound> bound(count);
    for (std::size_t i = 0; i < count; ++i)
        bound[i].span = f.parameters[i].otherwise ? tree[f.parameters[i].otherwise].span : f.parameters[i].span;
    const auto place = [](const std::vector<Span>& spans, std::size_t i, Span otherwise) {
        return i < spans.size() ? spans[i] : otherwise;
    };
    if (given.positional.size() > fixed && !rest) {
        auto d = diagnose(Diag::wrong_argument_count, given.span, name(), count_text(least, fixed, false),
                          given.positional.size());
        raise(declared(std::move(d)).fix("call it as " + call_form(true)));
    }
    for (std::size_t i = 0; i < given.positional.size() && i < fixed; ++i)
        bound[i] = {given.positional[i], place(given.positional_spans, i, f.parameters[i].span)};
    if (rest) {
        std::vector<Value> more;
        for (std::size_t i = fixed; i < given.positional.size(); ++i) more.push_back(given.positional[i]);
        bound[fixed] = {Value::tuple(std::move(more)), place(given.positional_spans, fixed, f.parameters[fixed].span)};
    }
    std::vector<std::string> names;
    std::unordered_map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < fixed && !given.named.empty(); ++i) {
        names.push_back(parameter_name(f.parameters[i]));
        places[names.back()] = i;
    }
    for (std::size_t n = 0; n < given.named.size(); ++n) {
        const auto& [key, value] = given.named[n];
        const auto place_of_key = places.find(key);
        const std::size_t at = place_of_key == places.end() ? fixed : place_of_key->second;
        const Span span = given.name_place(n);
        if (at == fixed) {
            auto d = diagnose(Diag::unknown_argument, span, name(), key);
            if (const std::string near = argument_meant(key, names); !near.empty())
                raise(std::move(d).fix(fmt::format("did you mean `{}`?", near)));
            if (const auto repair = foreign_name("argument", key); !repair.empty())
                raise(std::move(d).fix(std::string(repair)));
            raise(declared(std::move(d)));
        }
        if (bound[at].value) raise(diagnose(Diag::argument_twice, span, name(), key));
        bound[at] = {value, place(given.named_spans, n, f.parameters[at].span)};
    }
    for (std::size_t i = 0; i < fixed; ++i)
        if (!bound[i].value && !f.parameters[i].otherwise) {
            if (given.named.empty())
                raise(declared(diagnose(Diag::wrong_argument_count, given.span, name(), count_text(least, fixed, rest),
                                        given.positional.size()))
                          .fix("call it as " + call_form(false)));
            raise(declared(diagnose(Diag::missing_argument, given.span, name(), parameter_name(f.parameters[i]))));
        }
    return bound;
}

} // namespace

void require_arguments(const Stager& stager, const Value& function, Stager::CallArguments given) {
    if (const DType* dtype = function.dtype()) return require_one_argument(*dtype, given);
    const Function* f = function.function();
    if (!f || f->is_derived()) return;
    const LibraryCall library(stager, function, given);
    try {
        if (f->native)
            bind_native(*f->native, signature_of(*f->native), given);
        else
            match(*f, stager.places().of_library(*f), given);
    } catch (Error& e) {
        if (library) library.speak(e.diagnostic(), true);
        throw;
    }
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

/// For an error about shapes in a function: adds a note with the sizes that annotations have bound.
void show_sizes(Diagnostic& d, const std::map<std::string, std::int64_t>& sizes, Span body) {
    const bool inside = d.span.source == body.source && d.span.begin >= body.begin && d.span.end <= body.end;
    if (sizes.empty() || !inside || !about_shapes(d.id)) return;
    std::string list;
    for (const auto& [name, n] : sizes) list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", name, n);
    d.notes.push_back("sizes here: " + list);
}

/// The error for nesting calls too deeply: the function is among its callers, or there are merely too many calls.
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

/// The position of the expression that yields a body's value; the signature if a `return` may have set it.
Span result_place(const syntax::Module& tree, const syntax::Function& declared, const Flow& flow) {
    const auto& statements = tree[declared.body].statements;
    if (statements.empty() || !flow.is(Flow::normal)) return declared.signature;
    const auto* last = std::get_if<syntax::ExprStmt>(&tree[statements.back()].node);
    return last ? tree[last->value].span : declared.signature;
}

} // namespace

Frame Stager::new_frame(const Function& f) const {
    Frame frame;
    frame.module = f.module;
    frame.globals = f.globals;
    frame.function = &(*f.module)[f.id];
    frame.caller = frame_;
    frame.conditions = conditions_.size();
    for (const auto& [captured, value] : f.captured)
        frame.locals.push_back({captured, {value, false, {}}, region_depth_});
    if (f.local && !f.name.empty())
        frame.locals.push_back({f.name, {Value(std::make_shared<const Function>(f)), false, {}}, region_depth_});
    return frame;
}

std::vector<Value> Stager::by_position(const Call& call) {
    const Function* f = call.function.function();
    if (!f || !f->is_declared()) {
        if (call.named.empty()) return call.arguments;
        const std::string& name = call.named[0].first;
        if (!f || f->is_derived())
            raise(diagnose(Diag::unknown_argument, places_.argument(call.span, name), f ? f->name : "fn", name)
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
    if (f->native) {
        const Signature& signature = signature_of(*f->native);
        const Arguments bound = bind_native(*f->native, signature, given);
        for (std::size_t i = 0; i < bound.values.size(); ++i) add(bound.values[i], signature.parameters[i].rest);
        return all;
    }
    const syntax::Function& declared = (*f->module)[f->id];
    const std::vector<Bound> bound = match(*f, places_.of_library(*f), given);
    Frame frame = new_frame(*f); // a default may use earlier parameters
    const Restore frame_scope(frame_, &frame);
    for (std::size_t i = 0; i < declared.parameters.size(); ++i) {
        const syntax::Parameter& p = declared.parameters[i];
        const Value value = bound[i].value ? *bound[i].value : evaluate(p.otherwise);
        bind_pattern(p.pattern, value, false, bound[i].span);
        add(value, p.rest);
    }
    return all;
}

namespace {

ResultKey result_key(const Function& f, const std::vector<Bound>& bound) {
    Digester key;
    std::vector<Value> inputs;
    for (const auto& [name, value] : f.captured) append_key(key, value, inputs);
    for (const Bound& b : bound) append_key(key, b.value.value_or(None{}), inputs);
    for (const Value& leaf : inputs)
        if (leaf.number()) append_number(key, *leaf.number());
    return {&(*f.module)[f.id], key.end()};
}

/// Values of several returns have one common dtype. If two of them were joined in another one, the body is staged again
/// with the common dtype.
void need_result(const Context& body, const Frame& frame, const ResultKey& key, const Value& result) {
    const std::vector<Value> all = leaves(result);
    const auto other = [&](const std::pair<std::size_t, DType>& joined) {
        return numeric_type(all.at(joined.first)).type.dtype != joined.second;
    };
    if (std::ranges::any_of(frame.joined_returns, other))
        throw NeedResult{&body, key, map_all_leaves(result, type_of_leaf)};
}

} // namespace

Value Stager::call_body(const Function& f, CallArguments given) {
    const syntax::Function& declared = (*f.module)[f.id];
    const std::string name = f.name.empty() ? "fn" : f.name;
    std::vector<Bound> bound = match(f, places_.of_library(f), given);

    if (depth_ >= max_depth) raise(too_deep(frame_, declared, name, given.span));
    const Restore depth_scope(depth_, depth_ + 1);
    Frame frame = new_frame(f);
    frame.call = given.span;
    const Context* const body = context_ ? context_->body() : nullptr;
    if (body && body->knows_results()) frame.result = body->result(result_key(f, bound));
    const Restore frame_scope(frame_, &frame);

    Sizes sizes;
    for (std::size_t i = 0; i < declared.parameters.size(); ++i) {
        const syntax::Parameter& p = declared.parameters[i];
        const Value value = bound[i].value ? *bound[i].value : evaluate(p.otherwise);
        const Span where = bound[i].span;
        if (p.type) check_annotation(*this, p.type, value, where, sizes);
        bind_pattern(p.pattern, value, false, where);
    }
    settle_sizes(*this, sizes);
    for (const auto& [size, n] : sizes.bound)
        frame.locals.push_back({size, {Value::integer(n), false, declared.signature}, region_depth_, true});
    const Flow flow = [&] {
        try {
            return execute(declared.body);
        } catch (Error& e) {
            show_sizes(e.diagnostic(), sizes.bound, (*f.module)[declared.body].span);
            throw;
        }
    }();
    // The value already contains early returns under staged conditions.
    if (!flow.known() && !flow.value.is_none() && (flow.none_at_end || flow.none_returned))
        raise(diagnose(Diag::types_differ, declared.signature, fmt::format("`{}`", name), tree_text(flow.value), "none")
                  .note("under a condition that is computed in compiled code every way out of a function returns the "
                        "same type")
                  .fix(flow.none_returned ? "return a value everywhere"
                                          : "end the function with the value it has when no `return` is reached"));
    if (declared.result) {
        check_annotation(*this, declared.result, flow.value, result_place(*f.module, declared, flow), sizes);
        settle_sizes(*this, sizes);
    }
    if (body && !frame.result && !frame.joined_returns.empty())
        need_result(*body, frame, result_key(f, bound), flow.value);
    return frame.returns_computed ? known_computed(flow.value) : flow.value;
}

namespace {

/// Whether `place` is that of an argument that neither is a function nor may hold one. An error there does not concern
/// what a function does.
bool at_value(const Stager::CallArguments& given, Span place) {
    const auto here = [&](const std::vector<Span>& spans, std::size_t i, const Value& v) {
        return i < spans.size() && spans[i] == place && !v.function() && !v.tuple();
    };
    for (std::size_t i = 0; i < given.positional.size(); ++i)
        if (here(given.positional_spans, i, given.positional[i])) return true;
    for (std::size_t i = 0; i < given.named.size(); ++i)
        if (here(given.named_spans, i, given.named[i].second)) return true;
    return false;
}

/// Whether the argument at `place` is of a parameter with default `none`.
bool given_for_none(const Signature& signature, const Arguments& bound, Span place) {
    for (std::size_t i = 0; i < bound.values.size(); ++i) {
        const std::optional<Value>& otherwise = signature.parameters[i].otherwise;
        if (bound.given[i] && bound.spans[i] == place && otherwise && otherwise->is_none()) return true;
    }
    return false;
}

/// For an error because `n` called a function argument with the wrong number of arguments: names both.
void speak_of_arity_of(const Stager& s, const Native& n, const Stager::CallArguments& given, Diagnostic& d) {
    const auto& parameters = signature_of(n).parameters;
    for (std::size_t i = 0; i < std::min(given.positional.size(), given.positional_spans.size()); ++i) {
        const Function* f = given.positional[i].function();
        if (!f || !f->module || s.places().of_library(*f) || parameters.empty()) continue;
        const std::string& parameter = parameters[std::min(i, parameters.size() - 1)].name;
        if (speak_of_arity(d, n.name, parameter, (*f->module)[f->id], given.positional_spans[i])) return;
    }
}

} // namespace

Value Stager::call_native(const Native& n, CallArguments& given) {
    const Signature& signature = signature_of(n);
    Arguments bound = bind_native(n, signature, given);
    if (types_only() && n.has(Native::gives_nothing)) return None{};
    if (n.kind == Native::Kind::host && !(types_only() && n.has(Native::only_looks)))
        host_work(fmt::format("`{}` works with files, time or the terminal", n.name), given.span);
    if (!interpreting() && !n.has(Native::takes_text))
        for (const Value& v : bound.values)
            if (v.text_template())
                host_work(fmt::format("`{}` needs text that holds computed values", n.name), given.span);
    if (interpreting() && n.kind == Native::Kind::array)
        for (Value& v : bound.values) v = interpreted_.operand(v);
    const Restore span_scope(work_span_, given.span ? given.span : work_span_);
    std::optional<UnderWay> under_way;
    if (n.kind == Native::Kind::host) under_way.emplace(*this, given.span);
    try {
        if (n.kind != Native::Kind::array || context_) return n.body(*this, bound);
        return array_work(given.span, [&] { return n.body(*this, bound); });
    } catch (Error& e) {
        std::vector<std::pair<Span, const Value*>> operands;
        for (std::size_t i = 0; i < std::min(given.positional.size(), given.positional_spans.size()); ++i)
            operands.emplace_back(given.positional_spans[i], &given.positional[i]);
        show_operands(e.diagnostic(), given.span, operands);
        if (!places_.in_library(given.span))
            repair_axis(e.diagnostic(), given_for_none(signature, bound, e.diagnostic().span));
        if (e.diagnostic().span == given.span) speak_of_arity_of(*this, n, given, e.diagnostic());
        const bool of_functions = among(given, is_function);
        if (!places_.in_library(given.span) && (!of_functions || at_value(given, e.diagnostic().span)))
            name_native(e.diagnostic(), n);
        if (!n.name.starts_with('_') && !of_functions) {
            name_subject(e.diagnostic(), n.name);
            ops::speak_of(e.diagnostic(), n.name);
        }
        throw;
    }
}

void Stager::host_work(std::string_view what, Span span, const std::shared_ptr<const Diagnostic>& otherwise) {
    if (!interpreting()) throw HostWork{std::string(what), span, false, otherwise};
    if (checking()) throw runtime::AbstractRead{};
}

} // namespace pm::stage
