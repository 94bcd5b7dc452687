// Engine, Module and Function of pm.hpp.
#include "compiler/api/pm_core.hpp"
#include "compiler/base/count.hpp"
#include "compiler/stage/call/donation.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>

namespace pm {

using detail::Access;
using detail::Core;
using runtime::Array;
using Clock = std::chrono::steady_clock;

namespace detail {

void DroppedModules::add(std::weak_ptr<stage::ModuleScope> scope) {
    const std::scoped_lock lock(mutex_);
    added_.push_back(std::move(scope));
    any_added_ = true;
}

void DroppedModules::release(stage::Stager& stager) {
    if (any_added_.load(std::memory_order_relaxed)) {
        const std::scoped_lock lock(mutex_);
        waiting_.insert(waiting_.end(), added_.begin(), added_.end());
        added_.clear();
        any_added_ = false;
        fresh_ = true;
    }
    if (waiting_.empty() || ++calls_ < (fresh_ ? next_fresh_ : next_)) return;
    constexpr unsigned most_calls = 4096;
    constexpr std::size_t values_per_call = 256; // checked within some 10 us
    const std::size_t before = waiting_.size();
    std::size_t seen = most_calls * values_per_call;
    try {
        seen = stager.release_modules(waiting_);
    } catch (const Error& e) { // the work that follows reports the stop itself
        if (!ends_run(e.diagnostic())) throw;
    }
    next_fresh_ = static_cast<unsigned>(std::min<std::size_t>(seen / values_per_call, most_calls));
    next_ = std::max(next_fresh_, waiting_.size() < before ? 1 : std::min(2 * next_, most_calls));
    calls_ = 0;
    fresh_ = false;
}

namespace {

Problem problem_of(Diag id, std::string_view text) { return to_problem(diagnose(id, {}, text), nullptr); }

/// Sets `place` to `now`, and sets `place` to `after` at the end of the scope.
template <class T>
class Hold {
  public:
    Hold(std::atomic<T>& place, T now, T after) : place_(place), after_(after) { place_.store(now); }
    ~Hold() { place_.store(after_); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

  private:
    std::atomic<T>& place_;
    T after_;
};

/// The threads and locks of an engine exist only in the process that created the engine.
Problem of_another_process() {
    return problem_of(Diag::host_misuse, "the engine belongs to the process that this one is a fork of; make an engine "
                                         "after the fork");
}

/// Destroys an engine, but not in a fork: the destructor would wait for threads that do not exist in the fork.
struct ReleaseCore {
    void operator()(Core* core) const {
        if (!core->process.here()) return;
        try {
            if (core->job) core->job->end({});
        } catch (const std::exception&) { // the job has failed before, or fails now
        }
        delete core;
    }
};

/// Aborts a fork that has returned from a callback of the host. The call to which the callback belongs runs in the
/// parent process, so the fork cannot continue the call.
void end_fork(const Core& core, std::string_view name) {
    if (core.process.here()) return;
    std::fprintf(stderr,
                 "polymap: a fork has returned from the host's %s function; the call that it belongs to runs in "
                 "the parent process\n",
                 std::string(name).c_str());
    std::abort();
}

/// Wraps a callback of the host that takes text. Exceptions of the callback become errors of the program. The callback
/// cannot use the engine. Values that the callback creates belong to the host and are charged to no engine.
std::function<void(std::string_view)> guarded_callback(Core& core, std::function<void(std::string_view)> function,
                                                       std::string_view name) {
    if (!function) return {};
    return [&core, function = std::move(function), name](std::string_view text) {
        const Hold<std::thread::id> here(core.in_callback, std::this_thread::get_id(), core.in_callback.load());
        const AccountScope own(nullptr);
        try {
            function(text);
            end_fork(core, name);
        } catch (const std::exception& e) {
            end_fork(core, name);
            raise(diagnose(Diag::callback_failed, {}, name, e.what()));
        } catch (...) {
            end_fork(core, name);
            raise(diagnose(Diag::callback_failed, {}, name, "something that is no std::exception"));
        }
    };
}

/// Whether the calling thread runs work of this engine, or is in a callback of such work. A further call from this
/// thread would wait for itself.
bool in_use_here(const Core& core) {
    const std::thread::id me = std::this_thread::get_id();
    return core.owner.load() == me || core.in_callback.load() == me;
}

/// Runs `work` with exclusive use of the engine, with the deadline and stop token of `options`. Every exception becomes
/// a Problem.
template <class T, class Work>
Result<T> with_engine(Core& core, const CallOptions& options, Work&& work) {
    if (!core.process.here()) return of_another_process();
    if (in_use_here(core)) return problem_of(Diag::host_misuse, "the engine is busy: one of its own callbacks uses it");
    std::optional<Clock::time_point> deadline;
    if (options.deadline) {
        // A deadline beyond the range of the clock is ignored.
        const Clock::time_point now = Clock::now();
        if (*options.deadline < Clock::time_point::max() - now)
            deadline = now + std::chrono::duration_cast<Clock::duration>(*options.deadline);
    }
    std::unique_lock lock(core.mutex, std::defer_lock);
    if (!deadline)
        lock.lock();
    else if (!lock.try_lock_until(*deadline))
        return problem_of(Diag::deadline_passed, "");
    try {
        const Hold<std::thread::id> owner(core.owner, std::this_thread::get_id(), std::thread::id());
        const Hold<bool> running(core.cancel, false, true);
        const std::stop_callback stop(options.stop, [&core] { core.cancel.store(true); });
        core.session->set_deadline(deadline);
        if (core.cancel.load()) return problem_of(Diag::interrupted, "");
        if (deadline && Clock::now() > *deadline) return problem_of(Diag::deadline_passed, "");
        core.dropped.release(core.session->stager());
        Result<T> made = work();
        // Failures of kernels are thrown here, since reading a result cannot report them.
        core.session->wait();
        return made;
    } catch (...) {
        Problem problem = current_problem(core.session ? &core.session->sources() : nullptr);
        if (core.job) core.job->processes().stop(problem.message); // the others may not have this error
        return problem;
    }
}

/// The identifiers (Array::memory()) of the memory of the host that a call borrows.
using Borrowed = std::set<const void*>;

void add_borrowed(Borrowed& list, const std::vector<stage::Value>& leaves) {
    for (const stage::Value& leaf : leaves)
        if (const Array* a = leaf.array(); a && a->bytes() > 0) list.insert(a->memory());
}

/// The result, without memory of the host: arrays that are arguments, or views of arguments, are copied.
stage::Value owned_result(const stage::Value& result, const Borrowed& borrowed) {
    std::vector<stage::Value> leaves = stage::all_leaves(result);
    bool changed = false;
    for (stage::Value& leaf : leaves) {
        const Array* a = leaf.array();
        if (!a || a->bytes() == 0 || !borrowed.contains(a->memory())) continue;
        leaf = a->clone();
        changed = true;
    }
    std::size_t next = 0;
    return changed ? stage::replace_leaves(result, leaves, next) : result;
}

/// The bytes of the texts in a value, and of the copies of the value's strided memory.
std::size_t kept_bytes(const stage::Value& v) {
    std::size_t bytes = 0;
    if (const std::string* text = v.text()) bytes += text->size();
    if (const Array* a = v.array(); a && a->is_gathered()) bytes += static_cast<std::size_t>(a->bytes());
    if (const stage::Tuple* t = v.tuple())
        for (const stage::Value& item : t->items) bytes += kept_bytes(item);
    if (const stage::Record* r = v.record())
        for (const auto& [name, item] : r->fields) bytes += kept_bytes(item);
    return bytes;
}

stage::Value call(Core& core, const Value& function, std::span<const Value> arguments, const CallOptions& options) {
    const stage::Value& f = from_host(function, core, "the function");
    std::vector<stage::Value> positional;
    Borrowed borrowed;
    // Data of the host that the engine keeps during the call is charged to the engine's account.
    runtime::Charge kept(core.session->allocator());
    const auto take = [&](const Value& v, const std::string& what) {
        const stage::Value& taken = from_host(v, core, what);
        kept.resize(kept.bytes() + kept_bytes(taken));
        add_borrowed(borrowed, stage::leaves(taken));
        return taken;
    };
    for (std::size_t i = 0; i < arguments.size(); ++i)
        positional.push_back(take(arguments[i], fmt::format("argument {}", i)));
    std::vector<std::pair<std::string, stage::Value>> named;
    for (const auto& [name, v] : options.named) named.emplace_back(name, take(v, fmt::format("argument `{}`", name)));
    stage::Value result;
    const auto run = [&] {
        result = core.session->stager().calls().call({f, std::move(positional), std::move(named), {}});
    };
    // A function of the program is staged on the deep stack anyway. A function written in C++ is called on the deep
    // stack, since such a function may itself call functions of the program.
    if (f.function() && !f.function()->native())
        run();
    else
        core.deep.run(run);
    return borrowed.empty() ? result : owned_result(result, borrowed);
}

/// Runs a text in a new module, or in `scope`.
api::Session::Loaded run_text(Core& core, const std::string& name, std::string_view text, const std::string& folder,
                              std::shared_ptr<stage::ModuleScope> scope) {
    api::Session::Loaded loaded;
    core.deep.run([&] { loaded = core.session->run_text(name, std::string(text), folder, std::move(scope)); });
    return loaded;
}

} // namespace
} // namespace detail

inline namespace host {

/// The scope of a module, which copies of a handle share.
struct Module::Scope {
    Scope(std::shared_ptr<stage::ModuleScope> scope, const std::shared_ptr<Core>& core)
        : names(std::move(scope)), engine(core) {}
    ~Scope() {
        if (const auto core = engine.lock(); core && core->process.here()) core->dropped.add(names);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    std::shared_ptr<stage::ModuleScope> names;
    std::weak_ptr<Core> engine;
};

// ---- functions

Function::Function(std::shared_ptr<Core> core, Value value, std::string name)
    : core_(std::move(core)), value_(std::move(value)), name_(std::move(name)) {}

std::string Function::name() const { return name_; }

Result<Value> Function::call(std::span<const Value> arguments, const CallOptions& options) const {
    return detail::with_engine<Value>(*core_, options, [&]() -> Result<Value> {
        return detail::to_host(detail::call(*core_, value_, arguments, options), core_);
    });
}

Result<void> Function::call_into(std::span<const MutableView> results, std::span<const Value> arguments,
                                 const CallOptions& options) const {
    const Result<Value> result = call(arguments, options);
    if (!result) return result.problem();
    const std::vector<Value> leaves = result->leaves();
    const auto refuse = [&](const std::string& text) { return detail::problem_of(Diag::host_misuse, text); };
    if (leaves.size() != results.size())
        return refuse(fmt::format("`{}` returns {}: {:result|results}, but the host gives memory for {}", name_,
                                  result->describe(), Count{leaves.size()}, results.size()));
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        if (leaves[i].dtype() != results[i].dtype || leaves[i].shape() != results[i].shape)
            return refuse(fmt::format("result {} of `{}` is {}, but the host's memory is {}", i, name_,
                                      detail::type_text(leaves[i].dtype(), leaves[i].shape()),
                                      detail::type_text(results[i].dtype, results[i].shape)));
        try {
            detail::check_view(results[i].data, results[i].shape, results[i].strides, results[i].dtype,
                               results[i].limit);
        } catch (const Error& e) {
            return refuse(fmt::format("the memory for result {} of `{}`: {}", i, name_, e.diagnostic().message));
        }
    }
    for (std::size_t i = 0; i < leaves.size(); ++i)
        if (Result<void> copied = leaves[i].copy_to(results[i]); !copied) return copied;
    return {};
}

// ---- modules

Module::Module(std::shared_ptr<Core> core, std::shared_ptr<Scope> scope, Value value)
    : core_(std::move(core)), scope_(std::move(scope)), value_(std::move(value)) {}

Result<Value> Module::get(std::string_view name) const {
    return detail::with_engine<Value>(*core_, {}, [&]() -> Result<Value> {
        const auto at = scope_->names->names.find(std::string(name));
        if (at != scope_->names->names.end()) return detail::to_host(stage::value_of(at->first, at->second, {}), core_);
        std::vector<std::string> known;
        for (const auto& [other, cell] : scope_->names->names) known.push_back(other);
        Diagnostic d = diagnose(Diag::unknown_name, {}, name);
        if (const std::string near = nearest(name, known); !near.empty())
            d.help.push_back(fmt::format("did you mean `{}`?", near));
        raise(std::move(d));
    });
}

Result<Function> Module::function(std::string_view name) const {
    Result<Value> found = get(name);
    if (!found) return found.problem();
    if (found->kind() != Kind::function)
        return detail::problem_of(Diag::not_a_function, fmt::format("`{}`, {},", name, found->describe()));
    return Access::function(core_, std::move(*found), std::string(name));
}

std::vector<std::string> Module::names() const {
    std::vector<std::string> list;
    if (!core_->process.here()) return list;
    std::unique_lock lock(core_->mutex, std::defer_lock);
    if (!detail::in_use_here(*core_)) lock.lock();
    for (const auto& [name, cell] : scope_->names->names) list.push_back(name);
    std::sort(list.begin(), list.end());
    return list;
}

Result<Value> Module::run(std::string_view text, const CallOptions& options) {
    return detail::with_engine<Value>(*core_, options, [&]() -> Result<Value> {
        const auto& names = scope_->names;
        return detail::to_host(detail::run_text(*core_, "<" + names->name + ">", text, names->folder, names).value,
                               core_);
    });
}

// ---- engines

namespace {

codegen::Target target_of(Platform platform) {
    switch (platform) {
    case Platform::cpu: return codegen::Target::cpu;
    case Platform::gpu: return codegen::Target::gpu;
    case Platform::gpu_emulated: return codegen::Target::gpu_emulated;
    }
    PM_UNREACHABLE();
}

std::string_view word_of(Precision precision) {
    switch (precision) {
    case Precision::standard: return ir::precision::standard;
    case Precision::high: return ir::precision::high;
    case Precision::highest: return ir::precision::highest;
    }
    PM_UNREACHABLE();
}

/// Joins the job of the host's launcher, if the host wants it.
void join_job(Core& core, const Processes& wanted, api::SessionOptions& options) {
    if (wanted.engine.empty()) return;
    runtime::ProcessesOptions own;
    own.patience = wanted.patience;
    own.notice = options.stage.message;
    own.poll = [&core] {
        if (core.session) core.session->stager().poll();
    };
    core.job = std::make_unique<api::Job>(wanted.engine, std::move(own));
    options.processes = &core.job->processes();
    if (!core.job->is_first()) options.stage.output = {};
}

} // namespace

Result<Engine> Engine::create(Config config) {
    constexpr int most_devices = 4096;
    constexpr int most_workers = 1024;
    if (config.devices < 1 || config.devices > most_devices)
        return detail::problem_of(Diag::host_misuse,
                                  fmt::format("an engine has 1 to {} devices, not {}", most_devices, config.devices));
    if (config.workers < 0 || config.workers > most_workers)
        return detail::problem_of(Diag::host_misuse,
                                  fmt::format("an engine has 0 to {} workers, not {}", most_workers, config.workers));
    try {
        const std::shared_ptr<Core> core(new Core, detail::ReleaseCore{});
        api::SessionOptions options;
        options.compile.codegen.target = target_of(config.platform);
        options.compile.plan.devices = config.devices;
        options.workers = config.workers;
        options.evaluate = config.interpret;
        options.compile.plan.precision = word_of(config.precision);
        options.compile.plan.exact_sharding = config.exact_sharding;
        options.compile.plan.deterministic = config.deterministic;
        options.flush_subnormals = config.flush_subnormals;
        options.stage.check_nans = config.check_nans;
        options.stage.check_overflow = config.check_overflow;
        options.stage.files = config.files;
        options.stage.module_folders = std::move(config.module_folders);
        options.memory_limit = config.memory_limit;
        options.compile.codegen.cache_folder = std::move(config.cache_folder);
        options.stage.arguments = std::move(config.arguments);
        options.stage.output = detail::guarded_callback(*core, std::move(config.output), "output");
        options.stage.message = detail::guarded_callback(*core, std::move(config.message), "message");
        if (options.stage.message)
            options.stage.warning = [say = options.stage.message](const Diagnostic& d, const SourceMap& sources) {
                say(render(d, sources));
            };
        options.stage.cancel = &core->cancel;
        options.stage.deep = [deep = &core->deep](const std::function<void()>& work) { deep->run(work); };
        join_job(*core, config.processes, options);
        core->cancel.store(false); // the session runs the text of the standard library now
        core->deep.run([&] { core->session = std::make_unique<api::Session>(std::move(options)); });
        core->cancel.store(true);
        return Access::engine(core);
    } catch (...) {
        return detail::current_problem(nullptr);
    }
}

Result<Module> Engine::load_file(const std::string& path, const CallOptions& options) const {
    return detail::with_engine<Module>(*core_, options, [&]() -> Result<Module> {
        const std::string folder = std::filesystem::path(path).parent_path().string();
        std::string text = api::read_source(path, [this] { core_->session->stager().poll(); });
        return Access::module(core_, detail::run_text(*core_, path, text, folder, {}));
    });
}

Result<Module> Engine::load_text(std::string_view text, std::string name, const CallOptions& options) const {
    return detail::with_engine<Module>(*core_, options, [&]() -> Result<Module> {
        return Access::module(core_, detail::run_text(*core_, name, text, {}, {}));
    });
}

Result<Function> Engine::function(const Value& value) const {
    if (!core_->process.here()) return detail::of_another_process();
    try {
        const stage::Value& v = detail::from_host(value, *core_, "the value");
        if (!v.function()) return detail::problem_of(Diag::not_a_function, stage::describe(v));
        return Access::function(core_, value, v.function()->name.empty() ? "fn" : v.function()->name);
    } catch (...) {
        return detail::current_problem(nullptr);
    }
}

void Engine::cancel() const noexcept { core_->cancel.store(true); }
std::size_t Engine::memory_in_use() const { return core_->process.here() ? core_->session->allocator()->in_use() : 0; }
std::size_t Engine::memory_peak() const { return core_->process.here() ? core_->session->allocator()->peak() : 0; }
std::string_view Engine::version() { return PM_VERSION; }

} // namespace host

Module detail::Access::module(std::shared_ptr<Core> core, api::Session::Loaded loaded) {
    auto scope = std::make_shared<Module::Scope>(std::move(loaded.scope), core);
    Value value = to_host(std::move(loaded.value), core);
    return Module(std::move(core), std::move(scope), std::move(value));
}

} // namespace pm
