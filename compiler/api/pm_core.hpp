#pragma once
#include "compiler/api/deep_stack.hpp"
#include "compiler/api/job.hpp"
#include "compiler/api/pm.hpp"
#include "compiler/api/session.hpp"
#include "runtime/process.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

/// The implementation of the handles of pm.hpp.
namespace pm::detail {

/// A value with the data that the public interface needs.
struct Node {
    stage::Value value;
    std::weak_ptr<Core> engine; ///< the engine of the functions in the value
    bool bound = false;         ///< true if the value has functions or modules of `engine`
    int depth = 0;              ///< the depth of the tree
    std::string bad;            ///< the reason why the value cannot be used; empty if the value can be used
    runtime::Array memory;      ///< the array that view() shows; set only for arrays and numbers
};

/// The greatest depth of a tree that the host passes. There is a limit, because all stages recurse over trees.
constexpr int max_tree_depth = 256;

/// Modules that the host has dropped. Each module is kept until there are no other references to the module.
class DroppedModules {
  public:
    void add(std::weak_ptr<stage::ModuleScope> scope);
    /// Releases modules without other references. Each call of the engine runs release() before its work. Modules that
    /// are in use are checked again after an increasing number of calls. The number of calls between two checks also
    /// grows with the number of values to check.
    void release(stage::Stager& stager);

  private:
    std::mutex mutex_; // guards added_
    std::vector<std::weak_ptr<stage::ModuleScope>> added_;
    std::atomic<bool> any_added_{false};
    std::vector<std::weak_ptr<stage::ModuleScope>> waiting_;
    unsigned calls_ = 0;      ///< the number of calls since the last check of waiting_
    unsigned next_ = 1;       ///< the number of calls after which waiting_ is checked
    unsigned next_fresh_ = 0; ///< next_ if a module was added since the last check
    bool fresh_ = false;      ///< true if a module was added since the last check
};

/// One engine. The session of the engine is used only under `mutex`.
struct Core : std::enable_shared_from_this<Core> {
    runtime::ProcessMark process; ///< in a fork of this process no other member may be used
    std::timed_mutex mutex;
    /// The thread that runs work now, and the thread that is in a callback of the host. A further call from one of
    /// these threads would wait for itself.
    std::atomic<std::thread::id> owner{};
    std::atomic<std::thread::id> in_callback{};
    /// True while no work runs, so that a cancel at that time has no effect.
    std::atomic<bool> cancel{true};
    api::DeepStack deep;
    std::unique_ptr<api::Job> job; ///< null: this process alone
    std::unique_ptr<api::Session> session;
    DroppedModules dropped;
};

struct Access {
    static Value wrap(std::shared_ptr<const Node> node) { return Value(std::move(node)); }
    static const std::shared_ptr<const Node>& node(const Value& value) { return value.node_; }
    static Engine engine(std::shared_ptr<Core> core) { return Engine(std::move(core)); }
    static Module module(std::shared_ptr<Core> core, api::Session::Loaded loaded);
    static Function function(std::shared_ptr<Core> core, Value value, std::string name) {
        return Function(std::move(core), std::move(value), std::move(name));
    }
};

/// Converts a value of an engine to a value of the host. `engine` is the engine of the functions in the value.
Value to_host(stage::Value value, const std::shared_ptr<Core>& engine);
/// Converts a value of the host to a value of `engine`. Throws pm::Error(host_misuse) if `engine` cannot use the value;
/// `what` names the value in the message.
const stage::Value& from_host(const Value& value, const Core& engine, const std::string& what);

/// "f32[3, 4]", for messages.
std::string type_text(DType dtype, const Sizes& shape);

/// Checks a view of the host. If the view is invalid, throws pm::Error(host_misuse).
void check_view(const void* data, const Sizes& shape, const Sizes& strides, DType dtype, std::int64_t limit);

Problem to_problem(const Diagnostic& diagnostic, const SourceMap* sources);
/// The exception that is being handled, as a Problem.
Problem current_problem(const SourceMap* sources) noexcept;

} // namespace pm::detail
