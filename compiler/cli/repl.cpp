// The interactive session: libedit for the line, the parser to know when an entry is complete.
#include "compiler/cli/options.hpp"

#include <fmt/format.h>
#include <histedit.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <filesystem>

namespace pm::cli {
namespace {

const char* current_prompt = "> ";
char* give_prompt(EditLine*) { return const_cast<char*>(current_prompt); }

/// The editor with its history; what needs freeing is freed.
class Editor {
  public:
    explicit Editor(std::function<std::vector<std::string>()> names) : names_(std::move(names)) {
        if (const char* locale = std::setlocale(LC_CTYPE, ""); !locale || std::string(locale) == "C")
            std::setlocale(LC_CTYPE, "C.UTF-8");
        line_ = el_init("pm", stdin, stdout, stderr);
        history_ = history_init();
        HistEvent event;
        history(history_, &event, H_SETSIZE, 10000);
        history(history_, &event, H_SETUNIQUE, 1);
        if (const char* home = std::getenv("HOME")) {
            file_ = std::filesystem::path(home) / ".pm_history";
            history(history_, &event, H_LOAD, file_.c_str());
        }
        el_set(line_, EL_PROMPT, &give_prompt);
        el_set(line_, EL_EDITOR, "emacs");
        el_set(line_, EL_HIST, history, history_);
        el_set(line_, EL_CLIENTDATA, this);
        el_set(line_, EL_ADDFN, "complete", "complete a name", &Editor::complete);
        el_set(line_, EL_BIND, "\t", "complete", nullptr);
        el_set(line_, EL_SIGNAL, 0);
        el_set(line_, EL_GETCFN, &Editor::read_character);
        el_source(line_, nullptr);
    }
    ~Editor() {
        history_end(history_);
        el_end(line_);
    }
    Editor(const Editor&) = delete;
    Editor& operator=(const Editor&) = delete;

    /// One line with its newline; nothing at the end of input. `cancelled` is set by Ctrl-C.
    bool read(const char* prompt, std::string& out, bool& cancelled) {
        current_prompt = prompt;
        int count = 0;
        interrupted = false;
        errno = 0;
        const char* text = el_gets(line_, &count);
        cancelled = interrupted.exchange(false) || (text == nullptr && errno == EINTR);
        if (cancelled) {
            std::fputs("\n", stdout);
            el_reset(line_);
            return true;
        }
        if (text == nullptr || count <= 0) return false;
        out.assign(text, static_cast<std::size_t>(count));
        return true;
    }

    void remember(const std::string& entry) {
        HistEvent event;
        history(history_, &event, H_ENTER, entry.c_str());
        if (!file_.empty()) history(history_, &event, H_SAVE, file_.c_str());
    }

  private:
    /// libedit's own reader tries again after a signal; this one gives the line up on Ctrl-C.
    static int read_character(EditLine*, wchar_t* out) {
        std::mbstate_t state{};
        for (;;) {
            char byte = 0;
            const ssize_t n = ::read(STDIN_FILENO, &byte, 1);
            if (n < 0 && errno == EINTR && !interrupted) continue;
            if (n <= 0) return static_cast<int>(n);
            const std::size_t used = std::mbrtowc(out, &byte, 1, &state);
            if (used == static_cast<std::size_t>(-2)) continue; // more bytes belong to this character
            if (used == static_cast<std::size_t>(-1)) *out = L'?';
            return 1;
        }
    }

    static unsigned char complete(EditLine* line, int) {
        Editor* self = nullptr;
        el_get(line, EL_CLIENTDATA, &self);
        const LineInfo* info = el_line(line);
        const char* begin = info->cursor;
        const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
        while (begin > info->buffer && word(begin[-1])) --begin;
        const std::string prefix(begin, info->cursor);
        if (prefix.empty()) return CC_ERROR;
        std::vector<std::string> fits;
        for (std::string& name : self->names_())
            if (name.rfind(prefix, 0) == 0) fits.push_back(std::move(name));
        if (fits.empty()) return CC_ERROR;
        std::sort(fits.begin(), fits.end());
        std::string common = fits.front();
        for (const std::string& name : fits) {
            std::size_t n = 0;
            while (n < common.size() && n < name.size() && common[n] == name[n]) ++n;
            common.resize(n);
        }
        if (common.size() > prefix.size()) {
            el_insertstr(line, common.c_str() + prefix.size());
            return CC_REFRESH;
        }
        std::fputs("\n", stdout);
        for (const std::string& name : fits) fmt::print("{}  ", name);
        std::fputs("\n", stdout);
        return CC_REDISPLAY;
    }

    EditLine* line_;
    History* history_;
    std::string file_;
    std::function<std::vector<std::string>()> names_;
};

class Repl {
  public:
    explicit Repl(Options& options) : options_(options), session_(options.session) {
        scope_ = session_.stager().new_module("session", ".");
    }

    int run() {
        if (isatty(STDIN_FILENO) == 0) return run_piped();
        fmt::print("Polymap {}   :help for help, :quit to leave\n", PM_VERSION);
        Editor editor([this] { return names(); });
        std::string entry;
        for (;;) {
            std::string line;
            bool cancelled = false;
            if (!editor.read(entry.empty() ? "> " : "... ", line, cancelled)) break;
            if (cancelled) {
                entry.clear();
                continue;
            }
            entry += line;
            if (entry.find_first_not_of(" \t\r\n") == std::string::npos) {
                entry.clear();
                continue;
            }
            if (entry[0] == ':') {
                editor.remember(entry);
                if (!command(entry)) break;
                entry.clear();
                continue;
            }
            // An empty line ends an entry that is still open.
            const bool ended = line.find_first_not_of(" \t\r\n") == std::string::npos;
            if (!ended && incomplete(entry)) continue;
            editor.remember(entry);
            evaluate(entry);
            entry.clear();
        }
        std::fputs("\n", stdout);
        return exit_done;
    }

  private:
    /// Without a terminal: entry by entry, silently, and errors decide the exit code.
    int run_piped() {
        std::string entry, line;
        int code = exit_done;
        const std::string all = read_input();
        std::size_t at = 0;
        while (at < all.size()) {
            const std::size_t end = std::min(all.find('\n', at), all.size() - 1) + 1;
            entry += all.substr(at, end - at);
            at = end;
            if (entry.find_first_not_of(" \t\r\n") == std::string::npos) {
                entry.clear();
                continue;
            }
            if (entry[0] == ':') {
                if (!command(entry)) return code;
                entry.clear();
                continue;
            }
            if (at < all.size() && incomplete(entry)) continue;
            code = std::max(code, evaluate(entry));
            entry.clear();
        }
        return code;
    }

    bool incomplete(const std::string& entry) const {
        SourceMap scratch;
        const std::uint32_t source = scratch.add("<entry>", entry);
        return syntax::parse(scratch, source).incomplete;
    }

    int evaluate(const std::string& entry) {
        ++count_;
        const auto names_before = scope_->names; // an error changes nothing
        const int code = guarded(options_, &session_.sources(), [&] {
            const auto loaded = session_.run_text(fmt::format("<entry {}>", count_), entry, ".", scope_);
            if (!loaded.value.is_none()) {
                scope_->names["it"] = {loaded.value, false, {}};
                session_.stager().print({loaded.value}, " ", "\n", {});
            }
            return static_cast<int>(exit_done);
        });
        interrupted = false;
        std::fflush(stdout);
        if (code != exit_done) {
            // Cell by cell: what was defined stays where it is, what the failed entry added goes.
            std::erase_if(scope_->names, [&](const auto& entry) { return names_before.count(entry.first) == 0; });
            for (const auto& [name, cell] : names_before) scope_->names[name] = cell;
        }
        return code;
    }

    std::vector<std::string> names() {
        std::vector<std::string> all;
        for (const auto& [name, cell] : scope_->names) all.push_back(name);
        for (const auto& [name, cell] : session_.stager().prelude()->names)
            if (name[0] != '_') all.push_back(name);
        for (const char* word : {"let", "mut", "fn", "if", "else", "for", "in", "while", "break", "continue", "return",
                                 "and", "or", "not", "with", "import", "true", "false", "none"})
            all.emplace_back(word);
        return all;
    }

    bool command(const std::string& text) {
        std::string word = text.substr(0, text.find_first_of(" \t\r\n"));
        std::string rest = text.substr(word.size());
        rest.erase(0, rest.find_first_not_of(" \t\r\n") == std::string::npos ? rest.size()
                                                                             : rest.find_first_not_of(" \t\r\n"));
        while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest.back())) != 0) rest.pop_back();
        if (word == ":quit" || word == ":q") return false;
        if (word == ":help") {
            fmt::print(":load FILE   run a file in this session\n:vars        the names of this session\n:doc NAME    "
                       "what a function does\n"
                       ":devices     the devices\n:quit        leave\n`it` is the last value. Ctrl-C stops what runs "
                       "and keeps the session.\n");
        } else if (word == ":vars") {
            std::vector<std::string> list;
            for (const auto& [name, cell] : scope_->names)
                list.push_back(fmt::format("{}: {}", name, stage::tree_text(cell.value)));
            std::sort(list.begin(), list.end());
            for (const std::string& line : list) fmt::print("{}\n", line);
        } else if (word == ":doc") {
            document(rest);
        } else if (word == ":devices") {
            fmt::print("{} CPU lanes\n", session_.options().devices);
        } else if (word == ":load") {
            guarded(options_, &session_.sources(), [&] {
                session_.run_text(rest, api::read_source(rest), std::filesystem::path(rest).parent_path().string(),
                                  scope_);
                return 0;
            });
        } else {
            fmt::print(stderr, "there is no command `{}`; :help lists them\n", word);
        }
        return true;
    }

    void document(const std::string& name) {
        const stage::Value* value = nullptr;
        for (const auto& scope : {scope_, session_.stager().prelude()})
            if (const auto at = scope->names.find(name); at != scope->names.end() && !value) value = &at->second.value;
        if (!value || !value->function()) {
            fmt::print(stderr, "there is no function `{}`\n", name);
            return;
        }
        const stage::Function& f = *value->function();
        if (f.native)
            fmt::print("{}({})\n{}\n", f.native->name, f.native->signature, f.native->doc);
        else if (f.module)
            fmt::print("{}\n{}\n", session_.sources().text((*f.module)[f.id].signature),
                       (*f.module)[f.id].documentation);
        else
            fmt::print("{}\n", f.name);
    }

    Options& options_;
    api::Session session_;
    std::shared_ptr<stage::ModuleScope> scope_;
    int count_ = 0;
};

} // namespace

int repl(Options& options) {
    options.session.output = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
    options.session.message = [](std::string_view text) { fmt::print(stderr, "{}", text); };
    options.session.cancel = &interrupted;
    options.session.terminal = isatty(STDERR_FILENO) != 0;
    install_interrupt_handler();
    return guarded(options, nullptr, [&] { return Repl(options).run(); });
}

} // namespace pm::cli
