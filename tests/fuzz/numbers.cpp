#include "tests/fuzz/numbers.hpp"

#include "compiler/api/deep_stack.hpp"
#include "compiler/api/session.hpp"
#include "compiler/base/diagnostic.hpp"
#include "tests/fuzz/laws.hpp"
#include "tests/fuzz/number_programs.hpp"
#include "tests/fuzz/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

namespace pm::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

/// Errors that only compiled code must report. Interpreted code may run, or report another error.
constexpr std::array<std::string_view, 12> only_compiled = {
    "PM0272", "PM0273", "PM0274", "PM0290", "PM0702", // types that change, unknown numbers, endless recursion
    "PM0012", "PM0111", "PM0203", "PM0208", "PM0283", "PM0287", "PM0401", // errors in code that does not run
};

/// A call, and the text that shows its result.
struct Probe {
    std::string call;
    std::string text;
};
using Probes = std::vector<Probe>;

Probe probe(const NumberCall& call, std::string_view result, std::string_view of_leaf) {
    return {call.text(),
            fmt::format("let result = {}\nprint(result)\nprint(tree_map(fn(x) = {}, result))\n", result, of_leaf)};
}

/// Shows the value of a call, and for each leaf its dtype and the dtypes of its sums with an i8 and with an f16. These
/// reveal whether a number is weak. A product with 0 fits an i8.
Probe shown(const NumberCall& call) {
    return probe(call, call.text(), "(x.dtype, (x * 0 + i8(1)).dtype, (x * 0 + f16(1)).dtype)");
}
/// Shows the value of a call and the dtypes of its leaves.
Probe shown_plain(const NumberCall& call) { return probe(call, call.text(), "x.dtype"); }
/// The same for a batch of one call.
Probe shown_batched(const NumberCall& call) {
    return probe(call, fmt::format("tree_map(fn(x) = x[0], {})", call.batched()), "x.dtype");
}

template <class Shown>
Probes probes(const NumberProgram& program, const Shown& show) {
    Probes made;
    for (const NumberCall& call : program.calls) made.push_back(show(call));
    return made;
}

/// Runs the forms of one program in one session. Each form redefines the same names, and then runs the calls in order.
class Redefined {
  public:
    Redefined(Probes probes, int seconds) : probes_(std::move(probes)), seconds_(seconds) {}

    Finished run(const Task& task) {
        Finished f;
        output_.clear();
        try {
            api::DeepStack().run([&] { define_and_call(task); });
        } catch (const Error& e) {
            const Diagnostic& d = e.diagnostic();
            f.ending = d.id == Diag::deadline_passed ? Ending::late : Ending::diagnostic;
            f.code = info(d.id).code;
            f.message = f.text = d.message;
        } catch (const std::exception& e) {
            f.ending = Ending::internal;
            f.message = f.text = e.what();
        }
        f.output = output_;
        return f;
    }

  private:
    void define_and_call(const Task& task) {
        if (!session_) {
            api::SessionOptions options;
            options.workers = 1;
            options.evaluate = task.form.evaluate;
            options.stage.output = [this](std::string_view text) { output_ += text; };
            options.stage.message = [](std::string_view) {};
            session_ = std::make_unique<api::Session>(options);
        }
        session_->set_deadline(Clock::now() + std::chrono::seconds(seconds_));
        scope_ = session_->run_text("numbers.pm", task.text, "", scope_).scope;
        for (const Probe& probe : probes_) {
            output_ += "@ " + probe.call + "\n";
            try {
                session_->run_text("call.pm", probe.text, "", scope_);
            } catch (const Error& e) {
                const Diagnostic& d = e.diagnostic();
                if (d.id == Diag::deadline_passed || d.id == Diag::internal) throw;
                output_ += fmt::format("! {}: {}\n", info(d.id).code, d.message);
            }
        }
    }

    Probes probes_;
    int seconds_;
    std::string output_;
    std::unique_ptr<api::Session> session_;
    std::shared_ptr<stage::ModuleScope> scope_;
};

/// The outcome in the text after the name of a call.
Outcome outcome_of(const std::string& text) {
    const std::size_t at = text.starts_with("! ") ? 0 : text.find("\n! ");
    if (at == std::string::npos) return {text, ""};
    const std::size_t begin = text.find("PM", at);
    return {text.substr(0, at), text.substr(begin, text.find(':', begin) - begin)};
}

std::string indented(const std::string& text) {
    std::string out = "    ";
    for (const char c : text) out += c == '\n' ? std::string("\n    ") : std::string(1, c);
    while (out.ends_with(' ') || out.ends_with('\n')) out.pop_back();
    return out + "\n";
}

struct NumberFault {
    std::optional<std::size_t> before; ///< the line after the host work; none: the unchanged program
    std::string call;                  ///< empty: the whole form fails
    std::string where;                 ///< the second of the two runs that differ, in words
    std::string details;
};

bool refused_by_compiled(const Outcome& o) { return std::ranges::find(only_compiled, o.code) != only_compiled.end(); }

/// Whether the interpreted run is late in a call that compiled code refuses.
bool may_be_late(const Finished& plain, const Finished& interpreted) {
    if (interpreted.ending != Ending::late) return false;
    const std::vector<Printed> left = read_output(plain.output), right = read_output(interpreted.output);
    return !right.empty() && right.size() <= left.size() &&
           refused_by_compiled(outcome_of(left[right.size() - 1].sides[0]));
}

std::optional<NumberFault> failed(const Finished& f, std::optional<std::size_t> before) {
    if (f.ending == Ending::done) return {};
    static constexpr std::array<const char*, 5> names{"done", "error", "internal error", "crash", "does not end"};
    return NumberFault{before, "", "where it fails",
                       fmt::format("  {} {}: {}\n", names[static_cast<std::size_t>(f.ending)], f.code, f.text)};
}

/// The first call whose outcomes differ. Empty if there is none.
template <class Same>
std::optional<NumberFault> difference(const Finished& first, const Finished& second, std::array<const char*, 2> names,
                                      const Same& same) {
    const std::vector<Printed> left = read_output(first.output), right = read_output(second.output);
    for (const Printed& l : left) {
        const auto r = std::ranges::find(right, l.law, &Printed::law);
        if (r == right.end()) continue;
        const std::string &a = l.sides[0], &b = r->sides[0];
        if (!same(outcome_of(a), outcome_of(b)))
            return NumberFault{
                {}, l.law, names[1], fmt::format("  {}:\n{}  {}:\n{}", names[0], indented(a), names[1], indented(b))};
    }
    return {};
}

bool same_outcome(const Outcome& a, const Outcome& b) { return a.code == b.code && a.output == b.output; }

/// An error of the plain call, or an error that only compiled code reports, counts as the same outcome.
bool same_batched(const Outcome& plain, const Outcome& batched) {
    return !plain.code.empty() || refused_by_compiled(batched) || same_meaning(plain, batched);
}

/// Runs the calls in a new session.
Finished run_once(const Task& task, Probes probes, int limit) {
    Redefined session(std::move(probes), limit);
    return run_isolated({task}, limit, [&](const Task& t) { return session.run(t); })[0];
}

/// Checks that the outcome of a call does not depend on the calls before it: runs the calls in reverse order in a new
/// session.
std::optional<NumberFault> order_fault(const NumberProgram& program, const Task& task, const Finished& made,
                                       int limit) {
    Probes reversed = probes(program, shown);
    std::ranges::reverse(reversed);
    const Finished other = run_once(task, std::move(reversed), limit);
    if (auto fault = failed(other, {})) return fault;
    return difference(made, other, {"in this order of the calls", "in the other order"}, same_outcome);
}

/// Checks that a call after a change of a global has the same outcome as if the global had always had the new value.
std::optional<NumberFault> global_fault(const NumberProgram& program, const Task& task, int limit) {
    const std::string begin = "mut whole = 3\n", change = "whole = 2\n";
    Probes changed = probes(program, shown);
    for (Probe& probe : changed) probe.call = "before the change: " + probe.call;
    changed.push_back({"the change", change});
    for (Probe& probe : probes(program, shown)) changed.push_back(std::move(probe));
    const Finished after = run_once(task, std::move(changed), limit);
    Task always = task;
    always.text.replace(always.text.find(begin), begin.size(), "mut " + change);
    const Finished fresh = run_once(always, probes(program, shown), limit);
    for (const Finished* f : {&fresh, &after})
        if (auto fault = failed(*f, {})) return fault;
    return difference(fresh, after, {"with this value of the global always", "after the global has changed"},
                      same_outcome);
}

/// Checks that a batch of one call has the values and dtypes of the call.
std::optional<NumberFault> batch_fault(const NumberProgram& program, const Task& task, int limit) {
    const Finished plain = run_once(task, probes(program, shown_plain), limit);
    const Finished batched = run_once(task, probes(program, shown_batched), limit);
    for (const Finished* f : {&plain, &batched})
        if (auto fault = failed(*f, {})) return fault;
    return difference(plain, batched, {"called", "called with a batch of one"}, same_batched);
}

struct NumberForms {
    std::vector<Task> tasks;
    std::vector<std::size_t> places; ///< for each task but the first: the line after its host work
};

/// The unchanged program, and the program with a line of host work at some places. Seven of eight programs are
/// evaluated, not compiled: staging is the same and the evaluator needs a quarter of the time.
NumberForms forms_of(const NumberProgram& program, std::uint64_t seed) {
    constexpr std::size_t most_places = 8; // most faults show at most places
    const bool evaluate = seed % 8 != 0;
    const Form form{evaluate ? "evaluated" : "compiled", evaluate, false, 1};
    NumberForms forms{{{form, definitions_text(program)}}, {}};
    for (std::size_t i = 0; i < program.lines.size(); ++i)
        if (program.lines[i].place) forms.places.push_back(i);
    std::mt19937_64 random(seed);
    while (forms.places.size() > most_places)
        forms.places.erase(forms.places.begin() + static_cast<std::ptrdiff_t>(random() % forms.places.size()));
    for (const std::size_t before : forms.places) forms.tasks.push_back({form, definitions_text(program, before)});
    return forms;
}

/// All faults. Adds the number of compared calls to `compared`, and the number of calls that end in an error to
/// `refused`.
std::vector<NumberFault> faults_of(const NumberProgram& program, std::uint64_t seed, int limit, long long& compared,
                                   long long& refused) {
    const NumberForms forms = forms_of(program, seed);
    Redefined session(probes(program, shown), limit);
    const std::vector<Finished> all = run_isolated(forms.tasks, limit, [&](const Task& t) { return session.run(t); });
    std::vector<NumberFault> faults;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto before = i == 0 ? std::nullopt : std::optional(forms.places[i - 1]);
        std::optional<NumberFault> fault;
        if (!before || !may_be_late(all[0], all[i])) fault = failed(all[i], before);
        if (!fault && before)
            fault = difference(all[0], all[i], {"without the line of host work", "with the line of host work"},
                               same_meaning);
        const bool chosen = i == 0 || i == 1 + seed % (all.size() - 1); // the plain form, and one other
        if (!fault && chosen) fault = order_fault(program, forms.tasks[i], all[i], limit);
        if (!fault && chosen) fault = global_fault(program, forms.tasks[i], limit);
        if (!fault && i == 0) fault = batch_fault(program, forms.tasks[i], limit);
        if (fault) fault->before = before;
        if (fault) faults.push_back(*fault);
        if (fault && !before) break;
        if (before) compared += static_cast<long long>(program.calls.size());
    }
    for (const Printed& call : read_output(all[0].output)) refused += outcome_of(call.sides[0]).code.empty() ? 0 : 1;
    return faults;
}

void report_numbers(const NumberProgram& program, const std::vector<NumberFault>& faults, std::uint64_t seed) {
    const NumberFault& f = faults.front();
    const std::string name = fmt::format("numbers-{}.pm", seed);
    std::string where = "the program as it is";
    if (f.before) {
        const std::string& text = program.lines[*f.before].text;
        const auto above = static_cast<std::size_t>(std::count(program.module.begin(), program.module.end(), '\n'));
        where =
            fmt::format("the line before line {}: {}", above + *f.before + 1, text.substr(text.find_first_not_of(' ')));
    }
    fmt::print("FAULT of seed {}, {}\n", seed, where);
    if (!f.call.empty()) fmt::print("  {}\n", f.call);
    fmt::print(
        "{}  {} of its forms have a fault; the program is {}, again: fuzz --only numbers --seed {} --count 1\n{}",
        f.details, faults.size(), name, seed, indented(definitions_text(program)));
    std::fflush(stdout);
    std::string text = fmt::format("# fuzz --only numbers --seed {} --count 1: differs {}\n", seed, f.where);
    text += definitions_text(program, f.before);
    for (const NumberCall& call : program.calls)
        if (f.call.empty() || !f.before || call.text() == f.call)
            text += fmt::format("# a batch of it: {}\n{}", call.batched(), shown(call).text);
    std::ofstream(name) << text;
}

} // namespace

bool same_meaning(const Outcome& plain, const Outcome& interpreted) {
    if (refused_by_compiled(plain)) return true;
    return plain.code == interpreted.code && alike_each(plain.output, interpreted.output, 1e-6);
}

int run_numbers(const Numbers& what) {
    const auto end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(what.seconds));
    int faulty = 0;
    long long run = 0, compared = 0, refused = 0;
    for (; run < what.count && Clock::now() < end; ++run) {
        const std::uint64_t seed = what.seed + static_cast<std::uint64_t>(run);
        const NumberProgram program = generate_numbers(seed);
        if (what.show) fmt::print("{}", definitions_text(program));
        for (const NumberCall& call : program.calls)
            if (what.show) fmt::print("{}\n", call.text());
        const std::vector<NumberFault> faults = faults_of(program, seed, what.limit, compared, refused);
        if (faults.empty()) continue;
        ++faulty;
        report_numbers(program, faults, seed);
    }
    fmt::print("{} programs with {} calls, of which {} are refused; {} calls with a line of host work, {} faults\n",
               run, run * 3, refused, compared, faulty);
    return faulty;
}

} // namespace pm::fuzz
