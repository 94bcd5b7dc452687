#include "tests/fuzz/judge.hpp"

#include "compiler/base/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <random>

namespace pm::fuzz {
namespace {

const Form evaluated{"evaluated", true, false, 1};
const Form compiled{"compiled", false, false, 1};
const Form shared{"compiled for three workers", false, false, 3};
const Form paired{"compiled for two workers", false, false, 2};
const Form plain{"compiled without optimisation", false, true, 1};

Form kernels(const JudgeOptions& options) { return {"compiled for a GPU", false, false, 1, options.gpu}; }

double tolerance(const Program& program) { return program.single() ? 4e-3 : 1e-7; }

/// The message with its numbers and quoted texts replaced by `*`.
std::string masked(const std::string& message) {
    std::string out;
    bool quoted = false;
    for (const char c : message) {
        if (c == '`') quoted = !quoted;
        if (quoted || std::isdigit(static_cast<unsigned char>(c)) != 0) {
            if (out.empty() || out.back() != '*') out += '*';
        } else {
            out += c;
        }
    }
    return out;
}

class Judge {
  public:
    Judge(const Program& program, const JudgeOptions& options) : program_(program), options_(options) {
        for (Law& law : laws_of(program))
            if (std::find(options.off.begin(), options.off.end(), law.name) == options.off.end())
                laws_.push_back(std::move(law));
    }
    const std::vector<Law>& laws() const { return laws_; }

    /// Runs these laws in each form. Compares the sides of each law in the first form, and the other forms with the
    /// first.
    Judged run(const std::vector<std::pair<Form, std::vector<std::string>>>& wanted) {
        std::vector<Task> tasks;
        for (const auto& [form, names] : wanted) tasks.push_back({form, text(names, 0)});
        const std::vector<Finished> finished = run_tasks(tasks, program_.devices, options_.seconds);
        for (const Finished& f : finished) ending(f, wanted);
        if (finished.empty()) return std::move(judged_);
        const std::vector<Printed> first = read_output(finished.front().output);
        for (const Printed& p : first) within(p, finished.front());
        for (std::size_t i = 1; i < finished.size(); ++i) {
            if (finished[i].ending != Ending::done || finished.front().ending != Ending::done) continue;
            for (const Printed& p : read_output(finished[i].output))
                between(p, first, finished.front().form, finished[i].form);
        }
        for (std::size_t i = 2; i < finished.size(); ++i) same_bits(finished[i - 1], finished[i], wanted[i].second);
        return std::move(judged_);
    }

  private:
    std::string text(const std::vector<std::string>& names, double nudge) const {
        std::vector<Law> chosen;
        for (const std::string& name : names)
            if (const Law* law = find_law(laws_, name)) chosen.push_back(*law);
        return law_program(program_, chosen, {program_.narrow, program_.weak, nudge});
    }

    void ending(const Finished& f, const std::vector<std::pair<Form, std::vector<std::string>>>& wanted) {
        if (f.ending == Ending::done) return;
        if (f.ending == Ending::late && f.form.evaluate && program_.exchanging) {
            ++judged_.unsure; // the evaluator is slow for many lanes in many loops; it has no waits that could deadlock
            return;
        }
        std::string what;
        switch (f.ending) {
        case Ending::diagnostic: // keeps an unknown name: the shrinker may remove the definition of another
            what = fmt::format("diagnostic {}: {}", f.code,
                               f.code == info(Diag::unknown_name).code ? f.message : masked(f.message));
            break;
        case Ending::internal: what = "internal error: " + masked(f.message); break;
        case Ending::crash: what = "crash: " + f.message; break;
        default: what = "late"; break;
        }
        std::vector<std::string> names;
        for (const auto& [form, all] : wanted)
            if (form.name == f.form.name) names = all;
        // The failing law is the last one whose name was printed.
        const std::size_t printed = read_output(f.output).size();
        std::string at;
        if (f.ending != Ending::crash && printed > 0) at = read_output(f.output).back().law;
        if (!at.empty()) names = {at};
        if (f.ending == Ending::late && f.form.name != evaluated.name && names.size() > 1 && at.empty())
            names.resize(1);
        judged_.faults.push_back({fmt::format("{}, {}", f.form.name, what), f.text, {f.form}, names});
    }

    void within(const Printed& p, const Finished& f) {
        const Law* law = find_law(laws_, p.law);
        if (!law || p.sides.size() != law->sides.size() || p.sides.size() < 2) return;
        Verdict verdict = law->differences ? compare_differences(p.sides[0], p.sides[1], p.sides[2])
                          : alike(p.sides[0], p.sides[1], tolerance(program_)) ? Verdict::holds
                                                                               : Verdict::fails;
        if (verdict == Verdict::fails && conditioned_badly(p)) verdict = Verdict::unsure;
        if (verdict == Verdict::unsure) ++judged_.unsure;
        if (verdict == Verdict::holds) ++judged_.checks;
        if (verdict != Verdict::fails) return;
        judged_.faults.push_back({fmt::format("law `{}` ({})", p.law, f.form.name), sides(p), {f.form}, {p.law}});
    }

    void between(const Printed& p, const std::vector<Printed>& first, const Form& reference, const Form& form) {
        const auto at = std::find_if(first.begin(), first.end(), [&](const Printed& o) { return o.law == p.law; });
        const Law* law = find_law(laws_, p.law);
        if (at == first.end() || !law || at->sides.size() != p.sides.size()) return;
        const std::size_t count = law->differences ? 1 : p.sides.size(); // difference quotients lose too many digits
        for (std::size_t i = 0; i < count; ++i) {
            if (alike(at->sides[i], p.sides[i], tolerance(program_))) {
                ++judged_.checks;
                continue;
            }
            if (conditioned_badly(*at)) {
                ++judged_.unsure;
                return;
            }
            judged_.faults.push_back(
                {fmt::format("{}, differs from {} in `{}`", form.name, reference.name, p.law),
                 fmt::format("{}: {}\n{}: {}", reference.name, at->sides[i], form.name, p.sides[i]),
                 {reference, form},
                 {p.law}});
            return;
        }
    }

    /// Code for another number of workers, or for a GPU, must return the same bits. The output has every digit.
    void same_bits(const Finished& a, const Finished& b, const std::vector<std::string>& names) {
        const bool comparable = !a.form.evaluate && !b.form.evaluate && a.form.plain == b.form.plain;
        if (!comparable || a.ending != Ending::done || b.ending != Ending::done || a.output == b.output) return;
        judged_.faults.push_back({fmt::format("{}, other bits than {}", b.form.name, a.form.name),
                                  fmt::format("{}: {}\n{}: {}", a.form.name, a.output, b.form.name, b.output),
                                  {evaluated, a.form, b.form},
                                  names});
    }

    /// Whether a change of the constants in the last digits changes the output by much more.
    bool conditioned_badly(const Printed& p) {
        const double by = program_.single() ? 1e-6 : 1e-12;
        const std::vector<Finished> again = run_tasks(
            {{evaluated, text({p.law}, by)}, {evaluated, text({p.law}, -3 * by)}}, program_.devices, options_.seconds);
        for (const Finished& f : again) {
            const std::vector<Printed> printed = read_output(f.output);
            if (printed.size() != 1 || printed[0].sides.size() != p.sides.size()) return false;
            const std::size_t count = find_law(laws_, p.law)->differences ? 1 : p.sides.size();
            for (std::size_t i = 0; i < count; ++i)
                if (distance(printed[0].sides[i], p.sides[i]) > 0.1 * tolerance(program_)) return true;
        }
        return false;
    }

    static std::string sides(const Printed& p) {
        std::string text;
        for (const std::string& side : p.sides) text += (text.empty() ? "" : "=\n") + side;
        return text;
    }

    const Program& program_;
    const JudgeOptions& options_;
    std::vector<Law> laws_;
    Judged judged_;
};

/// Judges a program of collectives. Evaluates its value, maps as batches, and sometimes another law. Compiles the
/// program for one worker, for two or for both, and sometimes for a GPU.
Judged judge_exchanges(Judge& j, std::mt19937_64& random, const JudgeOptions& options) {
    std::vector<std::string> all, some{"value"};
    for (const Law& law : j.laws()) all.push_back(law.name);
    if (options.thorough) {
        some = all;
    } else {
        const std::string chosen = all[random() % all.size()];
        all = {"value", "vmap for pmap"};
        if (random() % 2 == 0) all.push_back(chosen);
        if (random() % 4 == 0) some.push_back(chosen);
    }
    std::vector<std::pair<Form, std::vector<std::string>>> wanted{{evaluated, all}};
    const auto chance = random() % 3;
    const bool by_kernels = random() % 4 == 0;
    if (options.compile && (options.thorough || options.kernels || chance != 1)) wanted.emplace_back(compiled, some);
    if (options.compile && (options.thorough || chance != 0)) wanted.emplace_back(paired, some);
    if (options.compile && (options.kernels || by_kernels)) wanted.emplace_back(kernels(options), some);
    return j.run(wanted);
}

} // namespace

Judged judge(const Program& program, std::uint64_t choice, const JudgeOptions& options) {
    Judge j(program, options);
    std::mt19937_64 random(choice);
    if (program.exchanging) return judge_exchanges(j, random, options);
    std::vector<std::string> all;
    for (const Law& law : j.laws()) all.push_back(law.name);
    std::vector<std::pair<Form, std::vector<std::string>>> wanted{{evaluated, all}};
    const bool chosen_to_compile = random() % 3 == 0, by_kernels = random() % 2 == 0;
    if (options.compile && (options.thorough || options.kernels || chosen_to_compile)) {
        const auto some = [&](std::size_t count) {
            std::vector<std::string> names{"value"};
            while (names.size() < count) names.push_back(all[random() % all.size()]);
            return names;
        };
        const std::vector<std::string> chosen = options.thorough ? all : some(3);
        wanted.emplace_back(random() % 3 == 0 ? shared : compiled, chosen);
        if (options.kernels || by_kernels) wanted.emplace_back(kernels(options), chosen);
        if (random() % 3 == 0) wanted.emplace_back(plain, some(2));
    }
    return j.run(wanted);
}

bool has_fault(const Program& program, const Fault& fault, const JudgeOptions& options) {
    Judge j(program, options);
    std::vector<std::pair<Form, std::vector<std::string>>> wanted;
    for (const Form& form : fault.forms) wanted.emplace_back(form, fault.laws);
    const Judged judged = j.run(wanted);
    return std::any_of(judged.faults.begin(), judged.faults.end(),
                       [&](const Fault& f) { return f.what == fault.what; });
}

} // namespace pm::fuzz
