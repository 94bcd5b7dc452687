#pragma once
#include "compiler/api/deep_stack.hpp"
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

/// What stands behind the handles of pm.hpp.
namespace pm::detail {

/// A value with what the border needs beside it.
struct Node {
    stage::Value value;
    std::weak_ptr<Core> engine; ///< of the functions in it
    bool bound = false;         ///< holds functions or modules of `engine`
    int depth = 0;              ///< of the tree
    std::string bad;            ///< why it cannot be used; empty: it can
    runtime::Array memory;      ///< what view() shows: of arrays and numbers
};

/// Trees of the host deeper than this are refused: every stage below recurses over them.
constexpr int max_tree_depth = 256;

/// Modules that the host has dropped, until nothing else holds them.
class DroppedModules {
  public:
    void add(std::weak_ptr<stage::ModuleScope> scope);
    /// Before a piece of work: releases what can go. One that is still used is looked at again and again, but less and
    /// less often, and the more seldom the more values there are to look at.
    void release(stage::Stager& stager);

  private:
    std::mutex mutex_; // guards added_
    std::vector<std::weak_ptr<stage::ModuleScope>> added_;
    std::atomic<bool> any_added_{false};
    std::vector<std::weak_ptr<stage::ModuleScope>> waiting_;
    unsigned calls_ = 0;      ///< since waiting_ was looked at
    unsigned next_ = 1;       ///< of these calls it is looked at
    unsigned next_fresh_ = 0; ///< the same where one was added since
    bool fresh_ = false;      ///< one was
};

/// One engine. Its session is used under `mutex` alone.
struct Core : std::enable_shared_from_this<Core> {
    runtime::ProcessMark process; ///< in a fork of it nothing else of this is touched
    std::timed_mutex mutex;
    /// Who runs something now, and who is in one of the host's functions: both would wait for themselves.
    std::atomic<std::thread::id> owner{};
    std::atomic<std::thread::id> in_callback{};
    /// True while nothing runs, so that a cancel at that time changes nothing.
    std::atomic<bool> cancel{true};
    api::DeepStack deep;
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

/// A value of an engine as the host sees it; `engine` is that of the functions in it.
Value to_host(stage::Value value, const std::shared_ptr<Core>& engine);
/// A value of the host for `engine`. Throws pm::Error(host_misuse); `what` names the value in the message.
const stage::Value& from_host(const Value& value, const Core& engine, const std::string& what);

/// "f32[3, 4]", for messages.
std::string type_text(DType dtype, const Sizes& shape);

/// A view of the host as memory; throws pm::Error(host_misuse) when it makes no sense.
void check_view(const void* data, const Sizes& shape, const Sizes& strides, DType dtype, std::int64_t limit);

Problem to_problem(const Diagnostic& diagnostic, const SourceMap* sources);
/// The exception being handled.
Problem current_problem(const SourceMap* sources) noexcept;

} // namespace pm::detail
