#pragma once
#include "compiler/api/compile.hpp"
#include "compiler/ir/precision.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/syntax/parse.hpp"

#include <set>
#include <tuple>

namespace pm::api {

struct SessionOptions {
    int devices = 1;
    int workers = 0;                                ///< 0: as many as cores
    bool exact_sharding = false;                    ///< plan::Options
    std::string precision{ir::precision::standard}; ///< plan::Options
    bool evaluate = false;                          ///< the reference interpreter instead of compiled code
    /// Programs are checked and not run (stage/check/check.hpp); their errors go here.
    std::function<void(const Diagnostic&)> problem;
    bool fuse = true;
    bool explain = false;
    bool explain_grad = false;
    bool files = true;
    bool terminal = false;
    std::vector<std::string> skip; ///< optimisation passes left out
    bool verify = false;
    bool deterministic = false; ///< plan::Options
    bool check_nans = false;    ///< stage::Host
    std::string cache_folder;
    codegen::Target target = codegen::Target::cpu;
    int vector_bits = 0;
    int function_size = 0; ///< 0: as codegen has it
    bool optimize = true;  ///< codegen::Options
    std::size_t memory_limit = 0;
    std::vector<std::string> arguments;
    std::function<void(std::string_view)> output;
    std::function<void(std::string_view)> message;
    const std::atomic<bool>* cancel = nullptr;
    std::function<void(const Source* source, Span place)> under_way; ///< stage::Host
    std::function<void(const std::function<void()>&)>
        deep; ///< runs work that may recurse deeply; none: the stack is deep already
};

/// Everything one engine holds: sources, memory, workers, code, the stager. Not for several threads at once.
class Session {
  public:
    explicit Session(SessionOptions options);
    ~Session();

    SourceMap& sources() { return sources_; }
    stage::Stager& stager() { return *stager_; }
    Compiler* compiler() { return compiler_.get(); }
    const std::shared_ptr<runtime::Allocator>& allocator() const { return allocator_; }
    SessionOptions& options() { return options_; }
    /// The deadline of everything from now on, staging and interpreting included; nothing: none.
    void set_deadline(std::optional<std::chrono::steady_clock::time_point> deadline);
    /// Waits until all that was called is done, on a device too. Failures of its kernels are thrown here.
    void wait();

    /// Parses and runs a text in a module of its own (or in `scope`). Errors of any kind come as pm::Error.
    /// With `with_lost` statements whose value is lost are run as well: the caller has told of them.
    struct Loaded {
        std::shared_ptr<stage::ModuleScope> scope;
        stage::Value value; ///< of the last expression
        std::shared_ptr<const syntax::Module> tree;
    };
    Loaded run_text(const std::string& name, std::string text, const std::string& folder,
                    std::shared_ptr<stage::ModuleScope> scope = {}, bool with_lost = false);
    Loaded run_file(const std::string& path, bool with_lost = false);
    /// What is wrong with a text, as far as that can be said without running it: names, statements over abstract
    /// arrays, annotated functions for all sizes. Errors of syntax are thrown. Needs SessionOptions::problem; nothing
    /// of it touches files but imports. Ends by itself after some seconds.
    void check_text(const std::string& name, std::string text, const std::string& folder);

  private:
    void report(const Diagnostic& d);

    SessionOptions options_;
    std::set<std::tuple<Diag, std::uint32_t, std::uint32_t, std::uint32_t>> reported_; ///< each kind, and its place
    SourceMap sources_;
    std::shared_ptr<runtime::Allocator> allocator_;
    std::unique_ptr<runtime::Workers> workers_;
    std::unique_ptr<Compiler> compiler_;
    std::unique_ptr<ir::Executor> evaluator_;
    std::unique_ptr<stage::Stager> stager_;
};

/// Several syntax errors of one text: the first is thrown, all are here.
class SyntaxErrors : public Error {
  public:
    explicit SyntaxErrors(std::vector<Diagnostic> all) : Error(all.front()), all_(std::move(all)) {}
    const std::vector<Diagnostic>& all() const { return all_; }

  private:
    std::vector<Diagnostic> all_;
};

/// The text of a file, read no further than shows that it is too long for a source: a device may have no end. `poll` is
/// called now and then; what it throws ends the reading. Raises Diag::file_error when it cannot be read.
std::string read_source(const std::string& path, const std::function<void()>& poll = {});

} // namespace pm::api
