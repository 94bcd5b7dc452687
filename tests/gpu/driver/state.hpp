#pragma once

#include "tests/gpu/driver/blocks.hpp"
#include "tests/gpu/driver/cuda.hpp"
#include "tests/gpu/driver/memory.hpp"
#include "tests/gpu/driver/program.hpp"
#include "tests/gpu/driver/ranges.hpp"
#include "tests/gpu/driver/thread.hpp"

#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

namespace pm::ptx {

constexpr int multiprocessors = 4;
constexpr unsigned most_threads = 1024;
constexpr int threads_per_multiprocessor = 2048;
constexpr int blocks_per_multiprocessor = 32;
/// Shared memory of a block by default and at most on request, and of a multiprocessor, which uses 1 KB more per block.
constexpr std::size_t shared_per_block = 48 * 1024;
constexpr std::size_t shared_opt_in = 163 * 1024;
constexpr std::size_t shared_per_multiprocessor = 164 * 1024;
constexpr std::size_t shared_reserved = 1024;
constexpr int registers_per_multiprocessor = 65536;

struct Context;

/// Work in a stream or a graph, and its kind.
struct Work {
    enum class Kind { kernel, copy, set, nothing };
    Kind kind = Kind::nothing;
    std::function<CUresult()> run;
};

struct LaunchShape {
    std::array<unsigned, 3> grid;
    std::array<unsigned, 3> block;
    unsigned shared = 0;
    bool cooperative = false;
};

/// A launch, with its arguments in the layout of the parameter space.
struct KernelCall {
    CUfunction function = nullptr;
    LaunchShape shape;
    std::vector<std::uint8_t> arguments;
};

/// A fill: memory elements that are all set to one value.
struct MemorySet {
    CUdeviceptr to = 0;
    unsigned value = 0;
    unsigned element = 1; ///< bytes
    std::size_t count = 0;
    const Context* context = nullptr; ///< the context that does it
};

struct Node {
    Work work;
    std::set<std::size_t> after;
    /// In a graph that was built node by node: the parameters of the work.
    std::optional<KernelCall> kernel{};
    std::optional<MemorySet> set{};
};

/// The recorded work of a capture. Several streams can take part: a stream that waits for an event of a member joins.
struct Capture {
    struct Stream* origin = nullptr;
    CUstreamCaptureMode mode = 0;
    std::thread::id thread;
    bool broken = false;
    std::vector<Node> nodes;
    std::vector<struct Stream*> members;
};

/// The deferred work of a stream. It is done when a call waits for it. Each query of the progress does one piece, so
/// that polling comes to an end.
class Queue {
  public:
    explicit Queue(Context& context) : context_(context) {}
    /// The capacity of a driver's queue. Adding more first does the oldest piece.
    static constexpr std::size_t most = 1024;
    void add(std::function<CUresult()> work) {
        if (waiting_.size() == most) do_one();
        waiting_.push_back(std::move(work));
    }
    /// The position after all work in it.
    std::uint64_t end() const { return done_ + waiting_.size(); }
    bool is_past(std::uint64_t place) const { return done_ >= place; }
    void do_one();
    void do_until(std::uint64_t place) {
        while (!is_past(place)) do_one();
    }

  private:
    Context& context_;
    std::deque<std::function<CUresult()>> waiting_;
    std::uint64_t done_ = 0;
};

struct Stream {
    Context* context = nullptr;
    bool follows_default = true; ///< synchronizes with the default stream
    std::shared_ptr<Queue> queue;
    std::shared_ptr<Capture> capture;
    /// During a capture: the nodes that the next node depends on.
    std::set<std::size_t> last;
};

struct Event {
    Context* context = nullptr;
    bool timing = true;
    bool recorded = false;
    std::chrono::steady_clock::time_point when;
    /// The queue in which it was last recorded, and its position there.
    std::shared_ptr<Queue> queue;
    std::uint64_t place = 0;
    std::weak_ptr<Capture> capture;
    /// Whether it was last recorded in a capture, and after which nodes.
    bool captured = false;
    std::set<std::size_t> last;
};

/// The bytes of each allocation; the memory is the device's.
struct Pool {
    Context* context = nullptr;
    std::unordered_map<std::uint64_t, std::size_t> allocations;
};

struct LoadedModule;

struct LoadedFunction {
    LoadedModule* module = nullptr;
    const Function* function = nullptr;
    std::size_t dynamic_shared = shared_per_block;
};

struct LoadedModule {
    Context* context = nullptr;
    std::unique_ptr<Module> module;
    std::list<LoadedFunction> functions;
};

/// The target of a node handle.
struct NodePlace {
    struct Graph* graph = nullptr;
    std::size_t number = 0;
};

struct Graph {
    Context* context = nullptr;
    std::uint64_t number = 0; ///< unique, unlike the address
    std::vector<Node> nodes;
    std::vector<std::unique_ptr<NodePlace>> places; ///< of nodes that were added one by one
};

struct GraphExec {
    Context* context = nullptr;
    std::uint64_t graph = 0; ///< number of its source graph
    std::vector<Node> nodes;
};

/// The live objects of a kind; invalid handles are detected.
template <class T>
class Handles {
  public:
    T* add(std::unique_ptr<T> made) {
        T* handle = made.get();
        all_[handle] = std::move(made);
        return handle;
    }
    T* find(const void* handle) const {
        const auto found = all_.find(handle);
        return found == all_.end() ? nullptr : found->second.get();
    }
    bool remove(const void* handle) { return all_.erase(handle) > 0; }
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }
    void clear() { all_.clear(); }

  private:
    std::unordered_map<const void*, std::unique_ptr<T>> all_;
};

/// A device and its primary context.
struct Context {
    Context(int number, std::size_t limit) : device(number), memory(number, limit) {}
    int device = 0;
    int retained = 0;
    Memory memory;
    /// The fault of a kernel; every later call returns it.
    CUresult error = CUDA_SUCCESS;
    /// The blocks in which launches run.
    std::vector<Block> blocks;
    Handles<LoadedModule> modules;
    Handles<Stream> streams;
    Handles<Pool> pools;
    Handles<Event> events;
    Handles<Graph> graphs;
    Handles<GraphExec> execs;
};

/// A requested failure: the nth call of a function returns the code.
struct Failure {
    std::string function;
    int call = 0;
    CUresult code = CUDA_SUCCESS;
    int calls = 0;
};

/// An attribute of the devices that differs from the default.
struct Attribute {
    CUdevice_attribute attribute = 0;
    int value = 0;
};

struct Driver {
    std::mutex lock;
    bool initialized = false;
    bool verbose = false;
    bool blocking = false;
    bool peers = false; ///< devices can access each other's memory
    bool deferring = false;
    int version = 12040;                        ///< of CUDA
    std::size_t most_to_host = ~std::size_t{0}; ///< most bytes of one copy to the host
    std::vector<std::unique_ptr<Context>> devices;
    Ranges ranges;
    std::vector<Failure> failures;
    std::vector<Attribute> attributes;
    /// The number of calls of each function.
    std::unordered_map<std::string_view, long> calls;
    std::uint64_t graphs_made = 0;
    /// The functions of all modules.
    std::unordered_map<const void*, LoadedFunction*> functions;
    struct HostMemory {
        std::unique_ptr<std::byte[]> memory;
        std::size_t bytes = 0;
    };
    std::vector<HostMemory> host_memory;
    std::vector<HostMemory> freed_host_memory; ///< deferred work could still use it

    /// Reads the environment.
    Driver();
};

Driver& driver();
/// The contexts that a thread has pushed; the current one is last.
std::vector<Context*>& pushed();
inline Context* current() { return pushed().empty() ? nullptr : pushed().back(); }

/// Calls `f` under the lock, unless the call is to fail. Checks that the driver was initialized.
CUresult call(const char* name, const std::function<CUresult()>& f);
/// The same with the current context, unless it has failed.
CUresult call_in_context(const char* name, const std::function<CUresult(Context&)>& f);

Context* device_of(CUdevice device);
/// Null if the context is not retained.
Context* context_of(CUcontext context);
/// The stream of the handle; null if there is none. The handles 0, 1 and 2 are default streams (is_default).
Stream* stream_of(CUstream stream);
inline bool is_default(CUstream stream) { return reinterpret_cast<std::uintptr_t>(stream) <= 2; }
Event* event_of(CUevent event);

/// Checks a launch and fills `made`. Returns the error code of an invalid launch.
CUresult prepare(Context& context, CUfunction handle, const LaunchShape& shape, void** parameters, void** extra,
                 KernelCall& made);
CUresult check_launch(const KernelCall& call);
Work work_of(const KernelCall& call);
/// The same for a fill.
CUresult check_set(const MemorySet& set);
Work work_of(const MemorySet& set);

/// Does the deferred work of all streams of the context, or only of those that the default stream waits for.
void do_all(Context& context, bool of_default = false);
/// Does the work now, or defers it in the stream.
CUresult do_in_order(Context& context, CUstream stream, std::function<CUresult()> work);
/// The same, or adds the work to the stream's capture.
CUresult submit(Context& context, CUstream stream, Work work);
/// Invalidates the captures of the context, for a call that is forbidden during a capture, such as a wait, an
/// allocation or a release of memory. Returns whether there was a capture.
bool break_captures(Context& context);
/// The same for a call that may wait for other work, such as an allocation. Only for captures whose mode forbids the
/// call in this thread.
bool break_careful_captures();

} // namespace pm::ptx
