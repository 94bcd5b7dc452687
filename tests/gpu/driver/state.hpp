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
/// Shared memory of a block without and with asking, and of a multiprocessor, of which each block takes 1 KB more.
constexpr std::size_t shared_per_block = 48 * 1024;
constexpr std::size_t shared_opt_in = 163 * 1024;
constexpr std::size_t shared_per_multiprocessor = 164 * 1024;
constexpr std::size_t shared_reserved = 1024;
constexpr int registers_per_multiprocessor = 65536;

struct Context;

/// What stands in a stream or a graph: something to do, and what kind it is.
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

/// A launch with its arguments as they lie in the parameter space.
struct KernelCall {
    CUfunction function = nullptr;
    LaunchShape shape;
    std::vector<std::uint8_t> arguments;
};

/// Elements of a memory that are all set to a value.
struct MemorySet {
    CUdeviceptr to = 0;
    unsigned value = 0;
    unsigned element = 1; ///< bytes
    std::size_t count = 0;
    const Context* context = nullptr; ///< that sets them
};

struct Node {
    Work work;
    std::set<std::size_t> after;
    /// Of a graph that was put together node by node: what the work is made of.
    std::optional<KernelCall> kernel{};
    std::optional<MemorySet> set{};
};

/// What streams have recorded so far. Several can take part: one that waits for an event of another that does.
struct Capture {
    struct Stream* origin = nullptr;
    CUstreamCaptureMode mode = 0;
    std::thread::id thread;
    bool broken = false;
    std::vector<Node> nodes;
    std::vector<struct Stream*> members;
};

/// What a stream has still to do, where work is deferred: it is done when somebody waits for it. One is done each time
/// that somebody asks how far it is, so that who asks again and again gets there.
class Queue {
  public:
    explicit Queue(Context& context) : context_(context) {}
    /// As many as a driver holds; whoever adds more waits for the first.
    static constexpr std::size_t most = 1024;
    void add(std::function<CUresult()> work) {
        if (waiting_.size() == most) do_one();
        waiting_.push_back(std::move(work));
    }
    /// Behind all that is in it.
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
    bool follows_default = true; ///< waits for the default stream, as that does for it
    std::shared_ptr<Queue> queue;
    std::shared_ptr<Capture> capture;
    /// While capturing: what the next node comes after.
    std::set<std::size_t> last;
};

struct Event {
    Context* context = nullptr;
    bool timing = true;
    bool recorded = false;
    std::chrono::steady_clock::time_point when;
    /// What it was recorded in last, and behind what there.
    std::shared_ptr<Queue> queue;
    std::uint64_t place = 0;
    std::weak_ptr<Capture> capture;
    /// Whether it was recorded in a capture last, and after what.
    bool captured = false;
    std::set<std::size_t> last;
};

/// Of the bytes of each allocation; they come from the device's memory.
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

/// What the handle of a node leads to.
struct NodePlace {
    struct Graph* graph = nullptr;
    std::size_t number = 0;
};

struct Graph {
    Context* context = nullptr;
    std::uint64_t number = 0; ///< no other has it, as one may have the address of one that is gone
    std::vector<Node> nodes;
    std::vector<std::unique_ptr<NodePlace>> places; ///< of nodes that were added one by one
};

struct GraphExec {
    Context* context = nullptr;
    std::uint64_t graph = 0; ///< the number of the one that it was made of
    std::vector<Node> nodes;
};

/// Live objects of a kind, so that a handle of none is told from one that is.
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
    /// What a kernel did wrong: every later call gives it.
    CUresult error = CUDA_SUCCESS;
    /// What the launches run in.
    std::vector<Block> blocks;
    Handles<LoadedModule> modules;
    Handles<Stream> streams;
    Handles<Pool> pools;
    Handles<Event> events;
    Handles<Graph> graphs;
    Handles<GraphExec> execs;
};

/// A failure that is asked for: the nth call of a function gives the code.
struct Failure {
    std::string function;
    int call = 0;
    CUresult code = CUDA_SUCCESS;
    int calls = 0;
};

/// An attribute of the devices that is other than usual.
struct Attribute {
    CUdevice_attribute attribute = 0;
    int value = 0;
};

struct Driver {
    std::mutex lock;
    bool initialized = false;
    bool verbose = false;
    bool blocking = false;
    bool peers = false; ///< devices may have access to each other's memory
    bool deferring = false;
    int version = 12040;                        ///< of CUDA
    std::size_t most_to_host = ~std::size_t{0}; ///< bytes of one copy
    std::vector<std::unique_ptr<Context>> devices;
    Ranges ranges;
    std::vector<Failure> failures;
    std::vector<Attribute> attributes;
    /// How often each function was called.
    std::unordered_map<std::string_view, long> calls;
    std::uint64_t graphs_made = 0;
    /// Of all modules.
    std::unordered_map<const void*, LoadedFunction*> functions;
    struct HostMemory {
        std::unique_ptr<std::byte[]> memory;
        std::size_t bytes = 0;
    };
    std::vector<HostMemory> host_memory;
    std::vector<HostMemory> freed_host_memory; ///< that deferred work could still use

    /// Reads the environment.
    Driver();
};

Driver& driver();
/// The contexts that a thread has made current, the last one on top.
std::vector<Context*>& pushed();
inline Context* current() { return pushed().empty() ? nullptr : pushed().back(); }

/// Does `f` under the lock, unless the call is to fail. Checks that the driver was initialized.
CUresult call(const char* name, const std::function<CUresult()>& f);
/// The same with the current context, unless it is broken.
CUresult call_in_context(const char* name, const std::function<CUresult(Context&)>& f);

Context* device_of(CUdevice device);
/// Null when it is none that somebody holds.
Context* context_of(CUcontext context);
/// The stream of the handle, or null. The streams 0, 1 and 2 are the default ones: `defaults` is set.
Stream* stream_of(CUstream stream);
inline bool is_default(CUstream stream) { return reinterpret_cast<std::uintptr_t>(stream) <= 2; }
Event* event_of(CUevent event);

/// A launch that is right in itself and for the context, or why it is not.
CUresult prepare(Context& context, CUfunction handle, const LaunchShape& shape, void** parameters, void** extra,
                 KernelCall& made);
CUresult check_launch(const KernelCall& call);
Work work_of(const KernelCall& call);
/// The same of memory that is set.
CUresult check_set(const MemorySet& set);
Work work_of(const MemorySet& set);

/// Does what streams of the context have still to do: all, or those that the default one waits for.
void do_all(Context& context, bool of_default = false);
/// Does the work now, or when the stream comes to it.
CUresult do_in_order(Context& context, CUstream stream, std::function<CUresult()> work);
/// The same, or adds it to what the stream captures.
CUresult submit(Context& context, CUstream stream, Work work);
/// Whether something of the context is being captured: then nothing may wait, allocate or free. Such a call breaks the
/// captures.
bool break_captures(Context& context);
/// The same of a call that could wait for other work, as allocating does: only captures whose mode forbids that to this
/// thread.
bool break_careful_captures();

} // namespace pm::ptx
