// pm run, pm check, pm ir, pm build.
#include "compiler/base/count.hpp"
#include "compiler/cli/ir_text.hpp"
#include "compiler/cli/job_run.hpp"
#include "compiler/cli/options.hpp"
#include "compiler/cli/program_files.hpp"
#include "compiler/cli/time_text.hpp"
#include "runtime/failure.hpp"
#include "runtime/io/replace.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <tuple>

namespace pm::cli {
namespace {

using Clock = std::chrono::steady_clock;

void prepare(Options& options) {
    options.session.stage.output = write_output;
    say_messages(options);
    answer_interrupts(options.session);
    options.session.stage.terminal = isatty(STDERR_FILENO) != 0;
}

api::Session::Loaded run_given(api::Session& session, const Options& options) {
    if (options.file.empty() || options.file == "-") return session.run_text("<input>", read_input(), "");
    return session.run_file(options.file);
}

/// Runs a program, drops its output, and calls `each` with every block that is compiled. `what` is the beginning of a
/// message: a command and a verb, such as "pm ir shows".
int run_for_blocks(Options& options, std::string_view what,
                   const std::function<void(api::Session&, const ir::BlockPtr&)>& each) {
    prepare(options);
    options.session.stage.output = [](std::string_view) {};
    std::unique_ptr<api::Session> session;
    return guarded(options, nullptr, [&] {
        session = std::make_unique<api::Session>(options.session);
        return guarded(options, &session->sources(), [&] {
            api::Compiler* compiler = session->compiler();
            if (!compiler)
                raise(diagnose(Diag::bad_option, {},
                               fmt::format("{} compiled programs; it does not go with --evaluate", what)));
            std::optional<Error> ours; // an error of `each`, rethrown without the program's call stack
            compiler->on_block = [&](const ir::BlockPtr& block) {
                try {
                    each(*session, block);
                } catch (const Error& e) {
                    ours = e;
                    throw;
                }
            };
            try {
                run_given(*session, options);
            } catch (const Error&) {
                if (ours) throw Error(*ours);
                throw;
            }
            return static_cast<int>(exit_done);
        });
    });
}

/// The name of a program as part of a file name: "vmap(f)" becomes "vmap_f_".
std::string file_name_part(const std::string& name) {
    constexpr std::size_t longest = 60;
    std::string part = name.substr(0, longest);
    for (char& c : part)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return part;
}

[[noreturn]] void unwritable(const std::string& path, int error) {
    raise(diagnose(Diag::file_unwritable, {}, fmt::format("cannot write `{}`: {}", path, std::strerror(error))));
}

/// Raises an error if the folder, or a folder above it, is a file. To be called before the program runs.
void refuse_file(const std::filesystem::path& folder) {
    for (std::filesystem::path part = folder; !part.empty(); part = part.parent_path()) {
        std::error_code error;
        const auto there = std::filesystem::status(part, error).type();
        if (there == std::filesystem::file_type::directory) return;
        if (there != std::filesystem::file_type::not_found)
            unwritable(folder.string(), error ? error.value() : ENOTDIR);
        if (part == part.parent_path()) return;
    }
}

/// Writes the files of `pm build` to a folder. Before the first file is written, the files of an earlier build of the
/// same program are removed. So the folder has only current kernels of the program. Files that pm has not written are
/// never changed.
class Kernels {
  public:
    Kernels(std::filesystem::path folder, std::string stem)
        : folder_(std::move(folder)), stem_(std::move(stem)),
          mark_(fmt::format("{}{}", every_mark, file_name_part(stem_))) {}

    /// Writes a file and returns its path.
    std::string add(const std::string& name, const std::string& ptx) {
        const std::filesystem::path path =
            folder_ / fmt::format("{}-{:03}-{}.ptx", stem_, ++count_, file_name_part(name));
        std::error_code error;
        if (std::filesystem::exists(std::filesystem::symlink_status(path, error)) && first_line(path) != mark_)
            raise(diagnose(Diag::file_unwritable, {},
                           fmt::format("`{}` is there already, and pm build has not written it", path.string()))
                      .fix("remove it, or name another folder: -o FOLDER"));
        if (count_ == 1) remove_earlier();
        std::filesystem::create_directories(folder_, error);
        try {
            runtime::replace_file(path.string(), fmt::format("{}\n{}", mark_, ptx));
        } catch (const runtime::Failure& failure) {
            raise(diagnose(Diag::file_unwritable, {}, failure.message()));
        }
        return path.string();
    }

    /// To be called after the program has ended.
    void finish(const std::string& program) {
        if (count_ > 0) return;
        remove_earlier();
        say(fmt::format("{} has no kernels: nothing is written\n", program));
    }

  private:
    static constexpr std::string_view every_mark = "// Written by pm build of ";

    /// Whether a file name has the form that this class uses for the program: STEM-000-NAME.ptx.
    bool named_so(const std::string& name) const {
        if (!name.starts_with(stem_ + "-") || !name.ends_with(".ptx")) return false;
        std::size_t at = stem_.size() + 1;
        const std::size_t digits = at;
        while (at < name.size() && std::isdigit(static_cast<unsigned char>(name[at]))) ++at;
        return at >= digits + 3 && at < name.size() && name[at] == '-';
    }

    /// The first line of a regular file. Empty for other files.
    static std::string first_line(const std::filesystem::path& path) {
        std::error_code error;
        std::string line;
        if (std::filesystem::symlink_status(path, error).type() != std::filesystem::file_type::regular) return line;
        std::ifstream file(path, std::ios::binary);
        std::getline(file, line);
        return line;
    }

    void remove_earlier() {
        std::error_code error;
        std::vector<std::filesystem::path> earlier;
        for (std::filesystem::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
            if (!named_so(at->path().filename().string())) continue;
            const std::string line = first_line(*at);
            if (line == mark_)
                earlier.push_back(at->path());
            else if (!line.starts_with(every_mark)) // a file with this mark belongs to another program
                say(fmt::format("{} stays: pm build has not written it\n", at->path().string()));
        }
        for (const std::filesystem::path& path : earlier)
            if (!std::filesystem::remove(path, error) && error)
                raise(diagnose(Diag::file_unwritable, {},
                               fmt::format("cannot remove `{}`: {}", path.string(), error.message())));
        if (!earlier.empty())
            say(fmt::format("{:file|files} of an earlier build removed from {}\n", Count{earlier.size()},
                            folder_.string()));
    }

    std::filesystem::path folder_;
    std::string stem_;
    std::string mark_; ///< the first line of each file of this program
    int count_ = 0;
};

} // namespace

namespace {

/// Runs the given program in a new session. Returns its exit code, or its error.
Said run_program(const Options& options, std::unique_ptr<api::Session>& session) {
    Said said;
    const Said failed = error_of(options, nullptr, [&] {
        session = std::make_unique<api::Session>(options.session);
        said = error_of(options, &session->sources(), [&] {
            run_given(*session, options);
            session->wait();
            if (interrupted)
                raise(diagnose(Diag::interrupted, {})); // the program has ended, but not all of its output is printed
            return static_cast<int>(exit_done);
        });
        return said.code;
    });
    return failed.text.empty() ? said : failed;
}

} // namespace

int run(Options& options) {
    prepare(options);
    std::unique_ptr<api::Job> job; // outlives the session
    std::unique_ptr<api::Session> session;
    return guarded(options, nullptr, [&] {
        job = join_job(options);
        const auto start = Clock::now();
        const Said said = run_program(options, session);
        const int code = job ? end_job(*job, said) : show(said);
        std::fflush(stdout);
        if (options.time)
            say(fmt::format("time: {}\n", time_text(std::chrono::duration<double>(Clock::now() - start).count(),
                                                    session->compiler(), {})));
        return code;
    });
}

namespace {

int check_one(const Options& options, const std::string& file) {
    return guarded(options, nullptr, [&] {
        std::vector<Diagnostic> problems;
        api::SessionOptions own = options.session;
        own.problem = [&](const Diagnostic& d) { problems.push_back(d); };
        const auto session = std::make_unique<api::Session>(std::move(own));
        const bool input = file == "-";
        const std::string name = input ? "<input>" : file;
        const std::string folder = input ? "" : std::filesystem::path(file).parent_path().string();
        const int code = guarded(options, &session->sources(), [&] {
            session->check_text(name, input ? read_input() : read_file(file), folder);
            const bool wrong = std::any_of(problems.begin(), problems.end(),
                                           [](const Diagnostic& d) { return info(d.id).severity == Severity::error; });
            return static_cast<int>(wrong ? exit_error : exit_done);
        });
        std::stable_sort(problems.begin(), problems.end(), [](const Diagnostic& a, const Diagnostic& b) {
            return std::tie(a.span.source, a.span.begin) < std::tie(b.span.source, b.span.begin);
        });
        for (const Diagnostic& d : problems) say(error_text(d, session->sources(), options.errors));
        const std::string warnings =
            problems.empty() ? "" : fmt::format(", {:warning|warnings}", Count{problems.size()});
        if (code == exit_done) fmt::print("{}: no errors{}\n", name, warnings);
        return code;
    });
}

} // namespace

int check(Options& options) {
    prepare(options);
    options.session.stage.output = [](std::string_view) {};
    return guarded(options, nullptr, [&] {
        int code = exit_done;
        const std::vector<std::string> input = {"-"};
        for (const ProgramFile& file : program_files(options.files.empty() ? input : options.files)) {
            const int one = check_one(options, file.path);
            if (one == exit_interrupted) return one;
            code = std::max(code, one);
        }
        return code;
    });
}

int show_ir(Options& options) {
    const std::string after = options.after.empty() ? "stage" : options.after;
    return run_for_blocks(options, "pm ir shows", [&](api::Session& session, const ir::BlockPtr& block) {
        write_output(ir_text(session, block, after, options.architecture));
    });
}

int build(Options& options) {
    const bool input = options.file == "-";
    const std::string stem = input ? "input" : std::filesystem::path(options.file).stem().string();
    if (options.folder.empty()) options.folder = stem + "-ptx";
    const int refused = guarded(options, nullptr, [&] {
        refuse_file(options.folder);
        return static_cast<int>(exit_done);
    });
    if (refused != exit_done) return refused;
    Kernels kernels(options.folder, stem);
    const int code = run_for_blocks(options, "pm build writes", [&](api::Session& session, const ir::BlockPtr& block) {
        const std::string ptx = ir_text(session, block, "ptx", options.architecture);
        if (ptx.find(".entry") == std::string::npos) return; // the block has no kernels
        write_output(kernels.add(block->name, ptx) + "\n");
    });
    if (code != exit_done) return code;
    return guarded(options, nullptr, [&] {
        kernels.finish(input ? "the program" : options.file);
        return static_cast<int>(exit_done);
    });
}

} // namespace pm::cli
