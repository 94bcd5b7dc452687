// The commands of the session.
#include "compiler/api/compile.hpp"
#include "compiler/base/count.hpp"
#include "compiler/cli/repl/interactive.hpp"
#include "compiler/stage/core/stager.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace pm::cli {
namespace {

using stage::Value;

void need_argument(const std::string& argument, std::string_view what) {
    if (argument.empty()) raise(diagnose(Diag::bad_option, {}, fmt::format("this command needs {}", what)));
}

void type(Interactive& session, const std::string& argument) {
    const Value value = session.typed(session.code(argument).function);
    session.print(type_text(value, session.session().sources()) + "\n");
}

/// The file name of an argument, which may be in quotes.
std::string file_name(const std::string& argument) {
    if (argument.size() >= 2 && argument.front() == '"' && argument.back() == '"')
        return argument.substr(1, argument.size() - 2);
    return argument;
}

void load(Interactive& session, const std::string& argument) {
    need_argument(argument, "the name of a file");
    session.load(file_name(argument));
}

void reload(Interactive& session, const std::string&) {
    if (session.loaded().empty()) raise(diagnose(Diag::bad_option, {}, "nothing has been loaded: use `:load FILE`"));
    session.session().stager().modules().forget_files();
    session.load(std::string(session.loaded()));
}

void vars(Interactive& session, const std::string&) {
    std::vector<std::string> lines;
    for (const auto& [name, cell] : session.scope()->names)
        lines.push_back(fmt::format("{}{}: {}\n", cell.mut ? "mut " : "", name,
                                    cell.donated ? "donated" : type_text(cell.value, session.session().sources())));
    std::sort(lines.begin(), lines.end());
    for (const std::string& line : lines) session.print(line);
}

void devices(Interactive& session, const std::string&) {
    const api::SessionOptions& o = session.session().options();
    const int devices = o.compile.plan.devices;
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    const unsigned workers = o.workers > 0 ? static_cast<unsigned>(o.workers) : cores;
    const api::Compiler* compiler = session.session().compiler();
    const runtime::Device* gpu = compiler == nullptr ? nullptr : compiler->options().codegen.device.get();
    session.print(fmt::format("{}:{}: {:device|devices} on {}{:thread|threads} ({:core|cores} here)\n",
                              codegen::name(o.compile.codegen.target), devices, Count{devices},
                              gpu == nullptr ? "" : gpu->name() + " and ", Count{workers}, Count{cores}));
}

void plot(Interactive& session, const std::string& argument) {
    const Value value = session.call(session.code(argument).function);
    const Value* draw = session.resolve("plot");
    // Uses the library's `plot`, even if the session defines another `plot`.
    const auto& library = session.session().stager().modules().prelude()->names;
    if (const auto at = library.find("plot"); at != library.end()) draw = &at->second.value;
    session.session().stager().calls().call({*draw, {value}});
}

// ---- settings

struct Setting {
    std::string_view name;
    std::vector<std::string_view> values;
    std::size_t (*get)(Interactive&); ///< returns the number of the current value in `values`
    void (*set)(Interactive&, std::size_t);
    std::string_view help;
};

/// The number of a value in {off, on}.
std::size_t number(bool on) { return on ? 1 : 0; }

/// A switch of the stager: on or off.
template <bool stage::Options::* member>
Setting stager_switch(std::string_view name, std::string_view help) {
    return {name,
            {"off", "on"},
            [](Interactive& s) { return number(s.session().stager().host().*member); },
            [](Interactive& s, std::size_t on) { s.session().stager().host().*member = on != 0; },
            help};
}

const std::vector<Setting>& settings() {
    static_assert(static_cast<int>(Errors::long_form) == 0 && static_cast<int>(Errors::short_form) == 1 &&
                  static_cast<int>(Errors::json) == 2);
    static const std::vector<Setting> all{
        stager_switch<&stage::Options::check_nans>("check-nans",
                                                   "stop at the first operation that makes a NaN from numbers"),
        stager_switch<&stage::Options::check_overflow>("check-overflow",
                                                       "stop at the first operation whose integer result wraps around"),
        {"color",
         {"off", "on"},
         [](Interactive& s) { return number(s.options().color); },
         [](Interactive& s, std::size_t on) { s.options().color = on != 0; },
         "colours while typing"},
        {"errors",
         {"long", "short", "json"},
         [](Interactive& s) { return static_cast<std::size_t>(s.options().errors); },
         [](Interactive& s, std::size_t form) { s.options().errors = static_cast<Errors>(form); },
         "how errors are shown"},
        stager_switch<&stage::Options::explain>("explain",
                                                "say what is compiled for which types, and what is interpreted"),
        stager_switch<&stage::Options::explain_grad>(
            "explain-grad", "say what each derivative keeps, its bytes, and what it computes again"),
        {"time",
         {"off", "on"},
         [](Interactive& s) { return number(s.time_entries); },
         [](Interactive& s, std::size_t on) { s.time_entries = on != 0; },
         "say how long each entry took"},
    };
    return all;
}

/// "a", "a or b", "a, b or c".
std::string alternatives(const std::vector<std::string_view>& values) {
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? "" : i + 1 == values.size() ? " or " : ", ", values[i]);
    return text;
}

void set(Interactive& session, const std::string& argument) {
    const std::size_t space = std::min(argument.find_first_of(" \t="), argument.size());
    const std::string name = argument.substr(0, space);
    std::string value = argument.substr(space);
    value.erase(0, std::min(value.find_first_not_of(" \t="), value.size()));
    if (name.empty()) {
        for (const Setting& s : settings())
            session.print(fmt::format("{:<12} {:<6} {} ({})\n", s.name, s.values[s.get(session)], s.help,
                                      alternatives(s.values)));
        return;
    }
    for (const Setting& s : settings()) {
        if (s.name != name) continue;
        for (std::size_t i = 0; i < s.values.size(); ++i)
            if (value == s.values[i]) return s.set(session, i);
        raise(diagnose(Diag::bad_option, {}, fmt::format("`{}` is {}", name, alternatives(s.values))));
    }
    std::string names;
    for (const Setting& s : settings()) names += (names.empty() ? "" : ", ") + std::string(s.name);
    raise(diagnose(Diag::bad_option, {}, fmt::format("there is no setting `{}`; there are {}", name, names)));
}

void help(Interactive& session, const std::string&) {
    for (const Command& c : commands())
        session.print(fmt::format("{:<22} {}\n", fmt::format(":{} {}", c.name, c.argument), c.help));
    session.print("A command may be cut short as long as it is the only one. `it` is the last value, `?name` is `:doc "
                  "name`; `;` at the end of an entry hides its value.\n"
                  "Enter runs what is complete, Alt-Enter makes another line, Tab completes, Ctrl-R searches what was "
                  "entered. Ctrl-C stops what runs and keeps the session.\n");
}

using Takes = Command::Takes;
constexpr Command list[] = {
    {"type", "EXPRESSION", Takes::code, type, "its type; nothing is run"},
    {"ir", "[STAGE] EXPRESSION", Takes::code, show_ir_of,
     "what it is compiled to, after `stage`, a pass, `optimize`, `plan`, `llvm`, `asm` or `ptx`"},
    {"time", "ENTRY", Takes::code, time_once, "runs it once and says how long that took"},
    {"bench", "EXPRESSION", Takes::code, bench, "runs it again and again: the time when it is compiled"},
    {"doc", "NAME", Takes::name, document, "what a function does, or what a module has"},
    {"load", "FILE", Takes::file, load, "runs a file in this session"},
    {"reload", "", Takes::nothing, reload, "the last file again, with the files that it imports"},
    {"vars", "", Takes::nothing, vars, "the names of this session with their types"},
    {"explain", "EXPRESSION", Takes::code, explain_entry,
     "the type of each part of it, and what it becomes; or a message, as PM0204"},
    {"devices", "", Takes::nothing, devices, "what `pmap` runs on"},
    {"plot", "EXPRESSION", Takes::code, plot, "draws an array, rows of one, or a pair (x, y)"},
    {"set", "[NAME VALUE]", Takes::words, set, "the settings of the session; changes one"},
    {"help", "", Takes::nothing, help, "this"},
    {"quit", "", Takes::nothing, [](Interactive& s, const std::string&) { s.leave(); },
     "ends the session (also Ctrl-D)"},
};

std::vector<const Command*> fitting(std::string_view word) {
    std::vector<const Command*> found;
    if (word.empty() || word[0] != ':') return found;
    word.remove_prefix(1);
    for (const Command& c : list) {
        if (c.name == word) return {&c};
        if (!word.empty() && c.name.substr(0, word.size()) == word) found.push_back(&c);
    }
    return found;
}

} // namespace

std::span<const Command> commands() { return list; }

const Command* find_command(std::string_view word) {
    const auto found = fitting(word);
    return found.size() == 1 ? found[0] : nullptr;
}

const Command& command_named(std::string_view word) {
    const auto found = fitting(word);
    if (found.size() == 1) return *found[0];
    std::string names;
    for (const Command* c : found) names += (names.empty() ? ":" : ", :") + std::string(c->name);
    raise(diagnose(Diag::bad_option, {},
                   found.empty() ? fmt::format("there is no command `{}`; `:help` lists them", word)
                                 : fmt::format("`{}` can be {}", word, names)));
}

} // namespace pm::cli
