#include "tests/fuzz/run.hpp"

#include "compiler/api/deep_stack.hpp"
#include "compiler/api/session.hpp"
#include "compiler/base/diagnostic.hpp"
#include "compiler/optimize/pass.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <stdexcept>

namespace pm::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

/// The optional passes, which plain forms skip.
const std::vector<std::string>& left_out() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const optimize::Pass& p : optimize::passes())
            if (p.optional) all.emplace_back(p.name);
        return all;
    }();
    return names;
}

api::SessionOptions options_for(const Form& form, int devices) {
    api::SessionOptions o;
    o.compile.plan.devices = devices;
    o.workers = form.workers;
    o.evaluate = form.evaluate;
    o.compile.codegen.target = form.target;
    if (form.target != codegen::Target::cpu) {
        o.compile.plan.deterministic = true;
        o.compile.plan.precision = ir::precision::highest;
    }
    o.stage.files = false;
    if (form.plain) o.verify();
    o.compile.plan.fuse = !form.plain;
    if (form.plain) o.compile.plan.passes.skip = left_out();
    return o;
}

// Between the processes each string is encoded as its size, a blank and its bytes.
std::string packed(const Finished& f) {
    std::string all = fmt::format("{} ", static_cast<int>(f.ending));
    for (const std::string* s : {&f.output, &f.code, &f.message, &f.text}) all += fmt::format("{} {}", s->size(), *s);
    return all;
}

class Unpacker {
  public:
    explicit Unpacker(std::string text) : text_(std::move(text)) {}
    /// False if no complete result is left.
    bool take(Finished& f) {
        long long ending = 0;
        if (!number(ending)) return false;
        f.ending = static_cast<Ending>(ending);
        for (std::string* s : {&f.output, &f.code, &f.message, &f.text}) {
            long long size = 0;
            if (!number(size) || text_.size() - at_ < static_cast<std::size_t>(size)) return false;
            *s = text_.substr(at_, static_cast<std::size_t>(size));
            at_ += static_cast<std::size_t>(size);
        }
        return true;
    }

  private:
    bool number(long long& n) {
        const std::size_t blank = text_.find(' ', at_);
        if (blank == std::string::npos) return false;
        n = std::stoll(text_.substr(at_, blank - at_));
        at_ = blank + 1;
        return true;
    }
    std::string text_;
    std::size_t at_ = 0;
};

[[noreturn]] void serve(const std::vector<Task>& tasks, const std::function<Finished(const Task&)>& work, int to) {
    for (const Task& task : tasks) {
        const std::string all = packed(work(task));
        for (std::size_t sent = 0; sent < all.size();) {
            const ssize_t n = ::write(to, all.data() + sent, all.size() - sent);
            if (n <= 0) _exit(1);
            sent += static_cast<std::size_t>(n);
        }
    }
    _exit(0); // skips destructors and exit handlers of the parent
}

/// Reads from the pipe until its end or until `last`. Returns whether it ended.
bool read_until(int from, Clock::time_point last, std::string& all) {
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(last - Clock::now()).count();
        pollfd waiting{from, POLLIN, 0};
        if (left <= 0 || poll(&waiting, 1, static_cast<int>(left)) <= 0) return false;
        char buffer[65536];
        const ssize_t n = read(from, buffer, sizeof buffer);
        if (n <= 0) return true;
        all.append(buffer, static_cast<std::size_t>(n));
    }
}

std::string ending_text(int status) {
    return WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                               : fmt::format("exit code {}", WEXITSTATUS(status));
}

} // namespace

Finished run_here(const Task& task, int devices, int seconds, runtime::Processes* processes) {
    Finished f;
    f.form = task.form;
    api::SessionOptions options = options_for(task.form, devices);
    options.processes = processes;
    options.stage.output = [&](std::string_view text) { f.output += text; };
    options.stage.message = [](std::string_view) {};
    std::unique_ptr<api::Session> session;
    try {
        api::DeepStack().run([&] {
            session = std::make_unique<api::Session>(options);
            session->set_deadline(Clock::now() + std::chrono::seconds(seconds));
            session->run_text("program.pm", task.text, "");
        });
    } catch (const Error& e) {
        const Diagnostic& d = e.diagnostic();
        f.ending = d.id == Diag::deadline_passed ? Ending::late : Ending::diagnostic;
        f.code = info(d.id).code;
        f.message = d.message;
        f.text = session ? render(d, session->sources()) : d.message;
    } catch (const std::exception& e) {
        f.ending = Ending::internal;
        f.message = f.text = e.what();
    }
    return f;
}

std::string plain_flags() { return fmt::format(" --verify --no-fuse --skip={}", fmt::join(left_out(), ",")); }

std::vector<Finished> run_isolated(const std::vector<Task>& tasks, int seconds,
                                   const std::function<Finished(const Task&)>& work) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("fork failed");
    if (child == 0) {
        close(ends[0]);
        serve(tasks, work, ends[1]);
    }
    close(ends[1]);
    // A session stops at its own deadline. This limit is for code that never polls.
    std::string all;
    const bool late =
        !read_until(ends[0], Clock::now() + std::chrono::seconds(2 * seconds * static_cast<int>(tasks.size())), all);
    if (late) kill(child, SIGKILL);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    std::vector<Finished> finished;
    Unpacker unpacker(std::move(all));
    for (const Task& task : tasks) {
        Finished f;
        const bool whole = unpacker.take(f);
        if (!whole) {
            f = Finished{};
            f.ending = late ? Ending::late : Ending::crash;
            f.text = f.message = late ? "still running" : ending_text(status);
        }
        f.form = task.form;
        finished.push_back(std::move(f));
        if (!whole) break;
    }
    return finished;
}

std::vector<Finished> run_tasks(const std::vector<Task>& tasks, int devices, int seconds) {
    return run_isolated(tasks, seconds, [&](const Task& task) { return run_here(task, devices, seconds); });
}

} // namespace pm::fuzz
