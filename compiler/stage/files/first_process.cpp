#include "compiler/stage/files/first_process.hpp"

#include "compiler/stage/core/failures.hpp"
#include "compiler/stage/files/tree_structure.hpp"
#include "compiler/stage/values/tree.hpp"
#include "runtime/processes/divided_array.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace pm::stage::files {
namespace {

/// "`read_csv`, train.pm:3".
std::string call_text(const Stager& s, Span span, std::string_view what) {
    return fmt::format("`{}`{}", what, place_text(s.sources(), span));
}

/// The value or the error of `work`, as text for the other processes.
std::string outcome_text(Span span, const std::function<Value()>& work) {
    try {
        runtime::NamedArrays arrays;
        const Structure value = tree_structure(with_failures(span, work), span, arrays);
        PM_CHECK(arrays.empty());
        return Structure{{"value", value}}.dump();
    } catch (const Error& e) {
        const Diagnostic& d = e.diagnostic();
        if (ends_run(d)) throw;
        const Structure error{{"error", info(d.id).name}, {"message", d.message}, {"notes", d.notes}, {"help", d.help}};
        return error.dump(-1, ' ', false, Structure::error_handler_t::replace);
    }
}

/// The value of outcome_text(). Raises its error.
Value outcome(const std::string& text, Span span) {
    const Structure read = Structure::parse(text);
    if (read.contains("value")) return tree_of(read.at("value"), {});
    Diagnostic d;
    d.id = diagnostic_named(read.at("error").get<std::string>()).value_or(Diag::file_error);
    d.span = span;
    d.message = read.at("message").get<std::string>();
    d.notes = read.at("notes").get<std::vector<std::string>>();
    d.help = read.at("help").get<std::vector<std::string>>();
    raise(std::move(d));
}

} // namespace

std::uint64_t hash_of(const Value& v, std::uint64_t seed) {
    constexpr std::size_t most = std::size_t{1} << 20;
    if (const std::string* text = v.text()) return runtime::sample_hash(*text, most, seed);
    if (const Array* array = v.array()) return runtime::sample_hash(*array, most, seed);
    if (const Number* n = v.number()) return runtime::hash_of(fmt::format("{} {}", n->i, n->f), seed);
    if (const Tuple* t = v.tuple())
        for (const Value& item : t->items) seed = hash_of(item, seed);
    if (const Record* r = v.record())
        for (const auto& [name, value] : r->fields) seed = hash_of(value, runtime::hash_of(name, seed));
    return seed;
}

Value with_failures(Span span, const std::function<Value()>& work) {
    try {
        return work();
    } catch (const runtime::Failure& f) {
        raise(failure_diagnostic(f, span));
    }
}

runtime::Meeting meeting_of(const Stager& s, const Arguments& a, std::string_view what, std::int64_t phase) {
    return {.kind = runtime::MeetingKind::write, .site = phase, .text = call_text(s, a.span, what)};
}

Value in_first_process(Stager& s, const Arguments& a, std::string_view what, const std::function<Value()>& work,
                       const std::function<void()>& work_of_others) {
    const Span span = a.span;
    runtime::Processes* const all = s.host().processes;
    if (all == nullptr) return with_failures(span, work);
    const runtime::Meeting meeting = meeting_of(s, a, what, 0);
    std::uint64_t hash = 0;
    for (const Value& value : a.values) {
        if (!work_of_others)
            for (const Value& leaf : leaves(value)) // process 0 alone cannot bring the parts of a divided array
                if (const Array* array = leaf.array(); array != nullptr && array->is_divided()) array->data();
        hash = hash_of(value, hash);
    }
    all->history().add(hash, fmt::format("the arguments of {}", meeting.text));
    try {
        all->meet(meeting); // the work begins only if all processes are here
        std::string own;
        if (all->index() == 0)
            own = outcome_text(span, work);
        else if (work_of_others) // process 0 has the same error, and tells it
            outcome_text(span, [&]() -> Value {
                work_of_others();
                return None{};
            });
        return outcome(all->from_first(meeting, own), span);
    } catch (const runtime::JobFailure& failure) {
        raise(job_diagnostic(failure, span));
    }
}

std::vector<Value> from_all(Stager& s, const Arguments& a, const runtime::Meeting& meeting,
                            const std::function<Value()>& work) {
    constexpr std::int64_t most = std::int64_t{1} << 32;
    runtime::Processes& all = *s.host().processes;
    const std::string own = outcome_text(a.span, work);
    std::vector<std::string> texts;
    try {
        const std::vector<runtime::Reply> replies = all.meet(meeting, runtime::Processes::size_payload(own));
        texts = all.all_gather_texts(meeting, replies, own, most);
    } catch (const runtime::JobFailure& failure) {
        raise(job_diagnostic(failure, a.span));
    }
    std::vector<Value> values;
    for (const std::string& text : texts) values.push_back(outcome(text, a.span));
    return values;
}

Value equal_in_all(Stager& s, const Arguments& a, std::string_view what, const std::function<Value()>& work) {
    Value value = with_failures(a.span, work);
    if (runtime::Processes* const all = s.host().processes)
        all->history().add(hash_of(value, 0), call_text(s, a.span, what));
    return value;
}

} // namespace pm::stage::files
