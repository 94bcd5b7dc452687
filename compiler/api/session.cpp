#include "compiler/api/session.hpp"

#include "compiler/api/compile.hpp"
#include "compiler/base/check.hpp"
#include "compiler/evaluate/evaluate.hpp"
#include "compiler/stage/check/module_check.hpp"
#include "compiler/stage/core/failures.hpp"
#include "compiler/stage/core/stager.hpp"
#include "runtime/failure.hpp"
#include "runtime/float_mode.hpp"
#include "runtime/io/file.hpp"
#include "runtime/memory/available.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace pm::api {
namespace {

/// Lets malloc return the freed memory of texts and tuples to the system. Otherwise malloc would keep the greatest
/// amount of memory that texts and tuples have needed so far, in addition to the limit. The setting applies to the
/// whole process.
void give_back_freed_memory() {
    constexpr int most_kept = 1 << 20; // bytes at the end of each heap of malloc
    static const int set = ::mallopt(M_TRIM_THRESHOLD, most_kept);
    static_cast<void>(set);
}

/// Runs blocks by another executor. Subnormal numbers of their operations are replaced by 0.
class FlushingExecutor : public ir::Executor {
  public:
    explicit FlushingExecutor(ir::Executor& inner) : inner_(inner) {}
    std::vector<runtime::Array> run(const ir::BlockPtr& block, std::vector<runtime::Array> arguments) override {
        const runtime::FloatModeScope mode(runtime::flushing_subnormals(runtime::float_mode()));
        return inner_.run(block, std::move(arguments));
    }
    std::vector<runtime::Array> run_donated(const ir::BlockPtr& block, std::vector<runtime::Array> arguments,
                                            std::vector<ir::Donated>& donated) override {
        const runtime::FloatModeScope mode(runtime::flushing_subnormals(runtime::float_mode()));
        return inner_.run_donated(block, std::move(arguments), donated);
    }

  private:
    ir::Executor& inner_;
};

} // namespace

Session::Session(SessionOptions options) : options_(std::move(options)) {
    if (options_.processes != nullptr) {
        options_.compile.plan.processes = options_.processes->count();
        options_.compile.plan.devices *= options_.processes->count();
    }
    runtime::Allocator::Options memory;
    memory.limit = options_.memory_limit;
    if (memory.limit != 0) {
        give_back_freed_memory();
    } else {
        // The system grants more memory than the machine has, and fails only when the memory is used. So a request that
        // cannot be satisfied is refused at once. The limit leaves an eighth of the available memory for code, other
        // processes, and memory that is not counted. A sixteenth remains free even if other processes have allocated
        // memory since the start.
        const std::size_t available = runtime::available_memory();
        memory.limit = std::max<std::size_t>(available / 8 * 7, 1);
        memory.available = runtime::available_memory;
        memory.reserve = available / 16;
    }
    allocator_ = runtime::Allocator::create(memory);
    workers_ = std::make_unique<runtime::Workers>(options_.workers);
    make_executor();
    try {
        stager_ = std::make_unique<stage::Stager>(sources_, host());
        // the error is Ctrl-C or a lack of memory; the caller cannot access the source of its place
    } catch (const Error& e) {
        Diagnostic without_place = e.diagnostic();
        without_place.forget_places();
        raise(std::move(without_place));
    }
}

void Session::make_executor() {
    const stage::Options& given = options_.stage;
    CompileOptions compile = options_.compile;
    if (options_.problem) {
        evaluator_ = std::make_unique<stage::AbstractExecutor>();
    } else if (options_.evaluate) {
        evaluate::Options e;
        e.allocator = allocator_;
        e.devices = compile.plan.devices;
        e.print = given.output;
        e.stop = [this] {
            if (const auto deadline = stager_ ? stager_->host().deadline : std::nullopt;
                deadline && std::chrono::steady_clock::now() > *deadline)
                raise(diagnose(Diag::deadline_passed, {}));
            const std::atomic<bool>* cancel = options_.stage.cancel;
            return cancel && cancel->load(std::memory_order_relaxed);
        };
        evaluator_ = std::make_unique<evaluate::Evaluator>(std::move(e));
    } else {
        compile.plan.workers = workers_->count();
        compile.codegen.compile_threads = workers_->count();
        if (compile.codegen.target == codegen::Target::gpu)
            compile.codegen.device = runtime::open_gpu(compile.plan.devices / compile.plan.processes);
        compiler_ = std::make_unique<Compiler>(
            std::move(compile), Compiler::Surroundings{allocator_, workers_.get(), given.cancel, given.output,
                                                       given.deep, options_.processes, [this](Span span) {
                                                           return stage::place_text(sources_, span);
                                                       }});
    }
}

stage::Host Session::host() {
    ir::Executor* const executor = compiler_ ? static_cast<ir::Executor*>(compiler_.get()) : evaluator_.get();
    if (options_.flush_subnormals) flushing_ = std::make_unique<FlushingExecutor>(*executor);
    const codegen::Target target = options_.compile.codegen.target;
    stage::Host host{options_.stage};
    host.executor = flushing_ ? flushing_.get() : executor;
    if (compiler_) host.target = &compiler_->target();
    host.allocator = allocator_;
    host.platform = codegen::name(target);
    host.devices = options_.compile.plan.devices;
    host.processes = options_.processes;
    host.brings_arrays = target == codegen::Target::gpu && !options_.evaluate;
    if (options_.problem) {
        host.problem = [this](const Diagnostic& d) { report(d); };
        host.already_reported = [this](Diag id, Span place) {
            return reported_.contains({id, place.source, place.begin, place.end});
        };
    }
    return host;
}

Session::~Session() {
    if (options_.stage.under_way) options_.stage.under_way(nullptr, {}); // the session frees the source of the work
}

void Session::set_deadline(std::optional<std::chrono::steady_clock::time_point> deadline) {
    stager_->host().deadline = deadline;
    if (compiler_) compiler_->set_deadline(deadline);
}

void Session::wait() {
    if (compiler_) compiler_->wait();
}

Session::Loaded Session::run_text(const std::string& name, std::string text, const std::string& folder,
                                  std::shared_ptr<stage::ModuleScope> scope, bool with_lost) {
    const std::uint32_t source = sources_.add(name, std::move(text));
    const syntax::ParseResult parsed = in_stage("parse", [&] { return syntax::parse(sources_, source); });
    if (!parsed.ok() || (!with_lost && !parsed.lost.empty())) throw SyntaxErrors(parsed.problems());
    const bool fresh = !scope;
    if (fresh) {
        if (parsed.lost.empty()) require_names(*parsed.module);
        scope = stager_->modules().add(std::filesystem::path(name).stem().string(), folder);
    }
    try {
        stage::Value value = in_stage("stage", [&] { return stager_->run(parsed.module, scope); });
        return {std::move(scope), std::move(value), parsed.module};
    } catch (...) {
        if (fresh)
            scope
                ->names
                // the caller does not get the module, and the module's functions would keep the module and its values
                // alive
                .clear();
        throw;
    }
}

void Session::report(const Diagnostic& d) {
    if (reported_.emplace(d.id, d.span.source, d.span.begin, d.span.end).second) options_.problem(d);
}

std::vector<std::string> Session::prelude_names() const {
    std::vector<std::string> names;
    for (const auto& [known, cell] : stager_->modules().prelude()->names) names.push_back(known);
    return names;
}

/// Raises the errors for unknown names in statements of a program, before its first statement runs.
void Session::require_names(const syntax::Module& tree) {
    std::vector<Diagnostic> unknown;
    stager_->on_deep_stack([&] { unknown = stage::unresolved_names(tree, prelude_names(), sources_, true); });
    if (!unknown.empty()) throw SyntaxErrors(std::move(unknown));
}

void Session::check_text(const std::string& name, std::string text, const std::string& folder) {
    constexpr auto longest = std::chrono::seconds(5);
    const std::uint32_t source = sources_.add(name, std::move(text));
    const syntax::ParseResult parsed = in_stage("parse", [&] { return syntax::parse(sources_, source); });
    if (!parsed.problems().empty()) throw SyntaxErrors(parsed.problems());
    stager_->on_deep_stack([&] {
        for (const Diagnostic& d : stage::unresolved_names(*parsed.module, prelude_names(), sources_)) report(d);
        for (const Diagnostic& d : stage::keys_used_twice(*parsed.module)) report(d);
    });
    const auto scope = stager_->modules().add(std::filesystem::path(name).stem().string(), folder);
    set_deadline(std::chrono::steady_clock::now() + longest);
    // If the deadline passes during `work`, the rest of `work` is skipped.
    const auto within_time = [&](const std::function<void()>& work) {
        try {
            in_stage("stage", work);
        } catch (const Error& e) {
            if (e.diagnostic().id != Diag::deadline_passed) throw;
        }
    };
    within_time([&] {
        stager_->run(parsed.module, scope);
        for (const syntax::StmtId id : parsed.module->statements())
            if (const auto* test = std::get_if<syntax::Test>(&(*parsed.module)[id].node))
                stage::check_test(*stager_, parsed.module, scope, *test);
        stager_->on_deep_stack([&] {
            for (const Diagnostic& d : stage::wrong_calls(*stager_, parsed.module, *scope)) report(d);
        });
    });
    set_deadline(std::chrono::steady_clock::now() + longest);
    within_time([&] {
        for (const Diagnostic& d : stage::check_functions(*stager_, *scope)) report(d);
    });
    // A program with errors is not complete: the name may be read by the statement that is wrong.
    const auto is_error = [](const auto& reported) { return info(std::get<0>(reported)).severity == Severity::error; };
    if (std::ranges::none_of(reported_, is_error))
        stager_->on_deep_stack([&] {
            for (const Diagnostic& d : stage::unused_names(*parsed.module)) report(d);
        });
}

Session::Loaded Session::run_file(const std::string& path, bool with_lost) {
    return run_text(path, read_source(path, [this] { stager_->poll(); }),
                    std::filesystem::path(path).parent_path().string(), nullptr, with_lost);
}

std::string read_source(const std::string& path, const std::function<void()>& poll) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
        raise(diagnose(Diag::file_error, {}, fmt::format("`{}` is a folder", path)));
    try {
        return runtime::read_beginning(path, syntax::max_source_bytes + 1, poll);
    } catch (const runtime::Failure& f) {
        const bool missing = f.kind() == runtime::FailureKind::file_missing;
        raise(diagnose(Diag::file_error, {},
                       missing ? fmt::format("cannot read `{}`: {}", path, std::strerror(ENOENT)) : f.message())
                  .note(fmt::format("the current folder is {}", std::filesystem::current_path(error).string())));
    }
}

} // namespace pm::api
