#pragma once
#include "compiler/api/options.hpp"
#include "compiler/stage/values/value.hpp"
#include "compiler/syntax/parse.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>

namespace pm::runtime {
class Workers;
}
namespace pm::stage {
class Stager;
}

namespace pm::api {

class Compiler;

/// All state of one engine: sources, memory, workers, code, the stager. Only one thread may use a session at a time.
class Session {
  public:
    explicit Session(SessionOptions options);
    ~Session();

    SourceMap& sources() { return sources_; }
    stage::Stager& stager() { return *stager_; }
    Compiler* compiler() { return compiler_.get(); }
    const std::shared_ptr<runtime::Allocator>& allocator() const { return allocator_; }
    SessionOptions& options() { return options_; }
    /// Sets the deadline of all later work, including staging and interpreting. nullopt: no deadline.
    void set_deadline(std::optional<std::chrono::steady_clock::time_point> deadline);
    /// Waits until all calls have ended, including their work on a device. Throws the failures of kernels.
    void wait();

    /// Parses and runs a text in a new module, or in `scope`. All errors of the program are thrown as pm::Error. A
    /// statement whose value is lost (PM0110) is an error if `with_lost` is false. If `with_lost` is true, the
    /// statement is run, and the caller must report it.
    struct Loaded {
        std::shared_ptr<stage::ModuleScope> scope;
        stage::Value value; ///< the value of the last expression
        std::shared_ptr<const syntax::Module> tree;
    };
    Loaded run_text(const std::string& name, std::string text, const std::string& folder,
                    std::shared_ptr<stage::ModuleScope> scope = {}, bool with_lost = false);
    Loaded run_file(const std::string& path, bool with_lost = false);
    /// Reports the errors of a text that can be found without running it. They are errors in names, in statements (run
    /// on abstract arrays), and in annotated functions (for all sizes). Throws syntax errors. Needs
    /// SessionOptions::problem. Reads no files except imports. Each statement or function is checked for at most five
    /// seconds.
    void check_text(const std::string& name, std::string text, const std::string& folder);

  private:
    std::vector<std::string> prelude_names() const;
    void require_names(const syntax::Module& tree);
    /// Creates the executor: the compiler, the reference interpreter, or the executor for checks.
    void make_executor();
    stage::Host host();
    void report(const Diagnostic& d);

    SessionOptions options_;
    std::set<std::tuple<Diag, std::uint32_t, std::uint32_t, std::uint32_t>> reported_; ///< reported codes and places
    SourceMap sources_;
    std::shared_ptr<runtime::Allocator> allocator_;
    std::unique_ptr<runtime::Workers> workers_;
    std::unique_ptr<Compiler> compiler_;
    std::unique_ptr<ir::Executor> evaluator_;
    std::unique_ptr<ir::Executor> flushing_; ///< null unless subnormal numbers are replaced by 0
    std::unique_ptr<stage::Stager> stager_;
};

/// All syntax errors of one text. The diagnostic of the Error is the first of these errors.
class SyntaxErrors : public Error {
  public:
    explicit SyntaxErrors(std::vector<Diagnostic> all) : Error(all.front()), all_(std::move(all)) {}
    const std::vector<Diagnostic>& all() const { return all_; }

  private:
    std::vector<Diagnostic> all_;
};

/// The text of a file. A file that is too long for a source is not read to its end, since a device file may have no
/// end. `poll` is called repeatedly and may throw to stop the read. Raises Diag::file_error if the file cannot be read.
std::string read_source(const std::string& path, const std::function<void()>& poll = {});

} // namespace pm::api
