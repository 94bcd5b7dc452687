// The functions of NCCL that the runtime calls: communicators of one process, and their all-reduces in groups, on
// copies of device memory. Names, arguments and numbers are those of NVIDIA's nccl.h. A call that would wait forever is
// an error. With PM_INTERPRETER_VERBOSE=1 reductions and aborted communicators are printed.
#include "tests/gpu/driver/cuda.hpp"
#include "tests/gpu/libraries/device.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <set>

using namespace pm::libraries;

namespace {

constexpr int unhandled_cuda_error = 1, invalid_argument = 4, invalid_usage = 5;
constexpr std::size_t widths[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
constexpr int f32 = 7, f64 = 8;
constexpr int sum = 0, product = 1, greatest = 2, least = 3;

struct Communicator {
    int device;
    CUcontext context;
    std::size_t rank;
    int clique;
    std::size_t ranks;
    OwnMemory memory = {};
};
std::mutex& mutex = *new std::mutex; // never destroyed, as handles
std::map<void*, std::unique_ptr<Communicator>>& communicators = *new std::map<void*, std::unique_ptr<Communicator>>;
int last_clique = 0;

struct Request {
    const void* in;
    void* out;
    std::size_t count;
    int type, operation;
    Communicator* communicator;
    void* stream;
};
/// The requests of a thread since its group began.
struct Group {
    int depth = 0;
    int failed = 0;
    std::vector<Request> requests;
};
thread_local Group group;

bool verbose() {
    const char* text = std::getenv("PM_INTERPRETER_VERBOSE");
    return text != nullptr && *text == '1';
}

/// Makes a device current for the life of the object. A context must be current before: a library of the runtime API
/// would otherwise leave a context of its own current.
class On {
  public:
    explicit On(CUcontext context) {
        CUcontext before = nullptr;
        require(PM_OF_DRIVER(cuCtxGetCurrent)(&before) == CUDA_SUCCESS && before != nullptr, "no context is current");
        require(PM_OF_DRIVER(cuCtxPushCurrent_v2)(context) == CUDA_SUCCESS, "a context that is gone");
    }
    ~On() { static_cast<void>(PM_OF_DRIVER(cuCtxPopCurrent_v2)(nullptr)); }
    On(const On&) = delete;
    On& operator=(const On&) = delete;
};

int guarded(const char* function, const std::function<int()>& work) {
    const std::scoped_lock lock(mutex);
    if (const int code = failure_of(function); code != 0) return code;
    try {
        return work();
    } catch (const CallerError& wrong) {
        std::fprintf(stderr, "%s: %s\n", function, wrong.what());
        return invalid_argument;
    }
}

Communicator& known(void* communicator) {
    const auto found = communicators.find(communicator);
    require(found != communicators.end(), "no such communicator");
    return *found->second;
}

template <class T>
T combined(T a, T b, int operation) {
    if (operation == product) return static_cast<T>(a * b);
    if (operation == sum) return static_cast<T>(a + b);
    // Ignores NaN, as fmaxf and fminf do.
    if (a != a) return b;
    if (b != b) return a;
    return operation == greatest ? std::max(a, b) : std::min(a, b);
}

/// The reduction of each part of the elements begins with another rank, as in a ring.
template <class T>
void reduce(const std::vector<Request>& ranks) {
    const Request& first = ranks.front();
    std::vector<Held<const T>> in;
    for (const Request& r : ranks) {
        const On there(r.communicator->context);
        in.emplace_back(static_cast<const T*>(r.in), r.count, r.stream, "the input");
    }
    std::vector<T> made(first.count);
    for (std::size_t i = 0; i < made.size(); ++i) {
        const std::size_t begin = i * ranks.size() / made.size() + 1;
        made[i] = in[begin % ranks.size()].all()[i];
        for (std::size_t k = 1; k < ranks.size(); ++k)
            made[i] = combined<T>(made[i], in[(begin + k) % ranks.size()].all()[i], first.operation);
    }
    for (const Request& r : ranks) {
        const On there(r.communicator->context);
        Held<T> out(static_cast<T*>(r.out), r.count, r.stream, "the output");
        out.all() = made;
        out.put();
    }
}

void check(const Request& r) {
    const On there(r.communicator->context);
    // An event can be recorded only in streams of its own context.
    CUevent event = nullptr;
    require(PM_OF_DRIVER(cuEventCreate)(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS, "the device has failed");
    const CUresult recorded = PM_OF_DRIVER(cuEventRecord)(event, reinterpret_cast<CUstream>(r.stream));
    static_cast<void>(PM_OF_DRIVER(cuEventDestroy_v2)(event));
    require(recorded == CUDA_SUCCESS, "a stream that is not the device's");
    const auto in = reinterpret_cast<std::size_t>(r.in), out = reinterpret_cast<std::size_t>(r.out);
    const std::size_t bytes = r.count * widths[r.type];
    require(in == out || in + bytes <= out || out + bytes <= in, "input and output overlap");
}

void run(std::vector<Request> ranks) {
    std::ranges::sort(ranks, {}, [](const Request& r) { return r.communicator->rank; });
    const Request& first = ranks.front();
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const Request& r = ranks[i];
        require(r.communicator->rank == i, "a rank twice in a group");
        require(r.count == first.count && r.type == first.type && r.operation == first.operation,
                "ranks that ask for different things");
        check(r);
    }
    require(ranks.size() == first.communicator->ranks, "a group without some of the ranks");
    switch (first.type) {
    case 0: reduce<std::int8_t>(ranks); break;
    case 1: reduce<std::uint8_t>(ranks); break;
    case 2: reduce<std::int32_t>(ranks); break;
    case 3: reduce<std::uint32_t>(ranks); break;
    case 4: reduce<std::int64_t>(ranks); break;
    case 5: reduce<std::uint64_t>(ranks); break;
    case f32: reduce<float>(ranks); break;
    case f64: reduce<double>(ranks); break;
    default: require(false, "a type that is not here");
    }
    if (verbose()) std::fprintf(stderr, "ncclAllReduce: %zu x %zu\n", ranks.size(), first.count);
}

void drop(void* communicator) {
    Communicator& c = known(communicator);
    const On there(c.context);
    c.memory.give_back();
    static_cast<void>(PM_OF_DRIVER(cuDevicePrimaryCtxRelease_v2)(c.device));
    communicators.erase(communicator);
}

int forget(const char* function, void* communicator) {
    return guarded(function, [&] {
        if (verbose()) std::fprintf(stderr, "%s: %zu\n", function, known(communicator).rank);
        drop(communicator);
        return 0;
    });
}

} // namespace

PM_LIBRARY ncclCommInitAll(void** made, int count, const int* devices) {
    return guarded("ncclCommInitAll", [&] {
        require(made != nullptr && count > 0 && devices != nullptr, "nothing to make");
        require(std::set<int>(devices, devices + count).size() == static_cast<std::size_t>(count), "a device twice");
        ++last_clique;
        for (int i = 0; i < count; ++i) {
            CUcontext context = nullptr;
            if (PM_OF_DRIVER(cuDevicePrimaryCtxRetain)(&context, devices[i]) != CUDA_SUCCESS)
                return unhandled_cuda_error;
            const On there(context);
            std::unique_ptr<Communicator> communicator(new Communicator{
                devices[i], context, static_cast<std::size_t>(i), last_clique, static_cast<std::size_t>(count)});
            made[i] = communicator.get();
            const bool has_memory = communicator->memory.take();
            communicators[made[i]] = std::move(communicator);
            if (has_memory) continue;
            std::for_each(made, made + i + 1, drop);
            return unhandled_cuda_error;
        }
        return 0;
    });
}
PM_LIBRARY ncclCommDestroy(void* communicator) { return forget("ncclCommDestroy", communicator); }
PM_LIBRARY ncclCommAbort(void* communicator) { return forget("ncclCommAbort", communicator); }
PM_LIBRARY ncclCommGetAsyncError(void* communicator, int* result) {
    const std::scoped_lock lock(mutex);
    if (communicators.count(communicator) == 0) return invalid_argument;
    *result = failure_of("ncclCommGetAsyncError");
    return 0;
}
PM_LIBRARY ncclGroupStart() {
    return guarded("ncclGroupStart", [] {
        ++group.depth;
        return 0;
    });
}
PM_LIBRARY ncclGroupEnd() {
    if (group.depth == 0) return invalid_usage;
    if (--group.depth > 0) return 0;
    const Group ended = std::exchange(group, {});
    return guarded("ncclGroupEnd", [&] {
        if (ended.failed != 0) return ended.failed;
        std::map<int, std::vector<Request>> cliques;
        for (const Request& r : ended.requests) cliques[r.communicator->clique].push_back(r);
        for (const auto& [clique, requests] : cliques) run(requests);
        return 0;
    });
}
PM_LIBRARY ncclAllReduce(const void* in, void* out, std::size_t count, int type, int operation, void* communicator,
                         void* stream) {
    const int result = guarded("ncclAllReduce", [&] {
        require(group.depth > 0, "outside of a group one thread waits for the other ranks for ever");
        require(in != nullptr && out != nullptr, "no memory");
        require(type >= 0 && type <= f64 && operation >= sum && operation <= least, "no such type or operation");
        group.requests.push_back({in, out, count, type, operation, &known(communicator), stream});
        return 0;
    });
    if (result != 0) group.failed = result;
    return result;
}
extern "C" __attribute__((visibility("default"))) const char* ncclGetErrorString(int result) {
    constexpr const char* texts[] = {
        "no error",         "a call of CUDA failed", "a call of the system failed", "a fault within",
        "invalid argument", "invalid usage",         "another process failed",      "in progress"};
    return result >= 0 && result < 8 ? texts[result] : "unknown";
}
extern "C" __attribute__((visibility("default"))) std::size_t pm_nccl_communicators() {
    const std::scoped_lock lock(mutex);
    return communicators.size();
}
