#include "runtime/gpu/libraries/cuda_collectives.hpp"

#include "runtime/kernels/dynamic_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace pm::runtime::cuda {
namespace {

constexpr std::chrono::milliseconds between_questions{5};

// Constants of NCCL.
constexpr int sum = 0, greatest = 2, least = 3;
constexpr int cuda_failed = 1; ///< NCCL also returns this status if a GPU has no memory
constexpr int in_progress = 7;

int type_of(DType d) {
    switch (d) {
    case DType::i8: return 0;
    case DType::u8: return 1;
    case DType::i32: return 2;
    case DType::u32: return 3;
    case DType::i64: return 4;
    case DType::u64: return 5;
    case DType::f32: return 7;
    default: return 8; // f64; for all other dtypes library_reduces() is false
    }
}
int operation_of(AllReduceSpec::By by) {
    return by == AllReduceSpec::By::sum ? sum : by == AllReduceSpec::By::greatest ? greatest : least;
}

/// The functions of NCCL that the runtime uses. A result of type int is 0 for success.
struct Nccl {
    int (*make_all)(void** communicators, int count, const int* devices) = nullptr;
    int (*destroy)(void* communicator) = nullptr;
    int (*abort)(void* communicator) = nullptr;
    int (*failure_of)(void* communicator, int* result) = nullptr;
    int (*begin_group)() = nullptr;
    int (*end_group)() = nullptr;
    int (*all_reduce)(const void* in, void* out, std::size_t count, int type, int operation, void* communicator,
                      void* stream) = nullptr;
    const char* (*describe)(int result) = nullptr;

    bool load() {
        void* library = open_library("libnccl.so.2");
        const auto find = [&](const char* symbol, auto& function) { return find_function(library, symbol, function); };
        return library != nullptr && find("ncclCommInitAll", make_all) && find("ncclCommDestroy", destroy) &&
               find("ncclCommAbort", abort) && find("ncclCommGetAsyncError", failure_of) &&
               find("ncclGroupStart", begin_group) && find("ncclGroupEnd", end_group) &&
               find("ncclAllReduce", all_reduce) && find("ncclGetErrorString", describe);
    }
};

/// Kernels of NCCL wait for each other. If one GPU failed, the other GPUs would therefore wait for ever. While work is
/// queued, a thread polls all GPUs. If a GPU has failed, the thread aborts NCCL.
class CudaCollectives final : public DeviceCollectives {
  public:
    CudaCollectives(std::vector<Member> members, const Nccl& library)
        : members_(std::move(members)), library_(library) {}
    ~CudaCollectives() override;

    /// Returns false if NCCL does not work with these GPUs. Throws Failure(out_of_memory) if a lack of memory may be
    /// the cause.
    bool open();

    bool make_room(const std::function<bool()>& leave) override {
        return std::ranges::all_of(members_, [&](const Member& m) { return m.place.queue.wait_for_room(leave); });
    }
    bool all_reduce(const AllReduceSpec& spec, std::span<const std::byte* const> in,
                    std::span<std::byte* const> out) override {
        return in_queues(0, [&] { queue(spec, in, out); });
    }
    void throw_if_failed() override {
        const std::scoped_lock lock(mutex_);
        throw_if_failed_locked();
    }

  private:
    struct Failed {
        std::string function;
        std::string what;
    };
    bool in_queues(std::size_t member, const std::function<void()>& work);
    void queue(const AllReduceSpec& spec, std::span<const std::byte* const> in, std::span<std::byte* const> out);
    void watch();
    void poll_progress();
    std::optional<Failed> failed_member(bool& busy);
    void give_up(Failed failed);
    void throw_if_failed_locked() const {
        if (failed_) fail(failed_->function, failed_->what);
    }
    const Driver& driver() const { return members_.front().place.driver; }

    std::vector<Member> members_;
    Nccl library_;
    std::mutex mutex_; // guards the members below, and calls of NCCL
    std::vector<void*> communicators_;
    std::vector<void*> events_; ///< for each GPU, the event after the last queued work
    bool busy_ = false;         ///< true if queued work may not be done yet
    std::optional<Failed> failed_;
    std::condition_variable changed_;
    bool over_ = false;
    std::jthread thread_; ///< started when there are communicators
};

bool CudaCollectives::open() {
    std::vector<int> numbers;
    for (const Member& m : members_) {
        const EnteredContext entered(driver(), m.place.context);
        void* event = nullptr;
        driver().expect(driver().event_create(&event, event_without_time), "cuEventCreate");
        events_.push_back(event);
        numbers.push_back(m.number);
    }
    std::vector<void*> made(members_.size());
    const EnteredContext entered(driver(), members_.front().place.context);
    // With this value NCCL allocates all its memory now, when other memory can still be freed. If the user has set the
    // variable, the user's value is kept.
    const VariableForLibrary environment("NCCL_RUNTIME_CONNECT", "0");
    const int result = library_.make_all(made.data(), static_cast<int>(made.size()), numbers.data());
    if (result == cuda_failed) fail_for_memory("ncclCommInitAll");
    if (result != 0) return false;
    communicators_ = std::move(made);
    thread_ = std::jthread([this] { watch(); });
    return true;
}

CudaCollectives::~CudaCollectives() {
    {
        std::unique_lock lock(mutex_);
        busy_ = !communicators_.empty(); // a GPU may have failed since the last poll
        for (poll_progress(); busy_; poll_progress()) changed_.wait_for(lock, between_questions);
        over_ = true;
        changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
    for (std::size_t i = 0; i < events_.size(); ++i)
        if (const CurrentContext entered(driver(), members_[i].place.context); entered)
            static_cast<void>(driver().event_destroy(events_[i]));
    const CurrentContext entered(driver(), members_.front().place.context);
    for (void* communicator : communicators_) static_cast<void>(library_.destroy(communicator));
}

/// If there is room in each queue, submits the collected operations of all queues from number `member` on, and then
/// calls `work`. Otherwise returns false.
bool CudaCollectives::in_queues(std::size_t member, const std::function<void()>& work) {
    if (member == members_.size()) {
        work();
        return true;
    }
    return members_[member].place.queue.run([&](void*) { return in_queues(member + 1, work); }, [] { return true; });
}

/// NCCL changes the current context of this thread, but restores it before it returns.
void CudaCollectives::queue(const AllReduceSpec& spec, std::span<const std::byte* const> in,
                            std::span<std::byte* const> out) {
    // One lock for all engines. Without this lock, the kernels of two reductions could be queued in different orders on
    // two GPUs, and would then wait for each other for ever.
    static std::mutex groups;
    const std::scoped_lock lock(groups, mutex_);
    poll_progress();
    throw_if_failed_locked();
    std::string function = "ncclGroupStart";
    int result = library_.begin_group();
    if (result == 0) {
        function = "ncclAllReduce";
        for (std::size_t i = 0; i < members_.size() && result == 0; ++i)
            result = library_.all_reduce(in[i], out[i], static_cast<std::size_t>(spec.count), type_of(spec.dtype),
                                         operation_of(spec.by), communicators_[i], members_[i].place.queue.stream());
        const int ended = library_.end_group();
        if (result == 0 && ended != 0) function = "ncclGroupEnd";
        if (result == 0) result = ended;
    }
    if (result != 0) give_up({function, library_.describe(result)});
    throw_if_failed_locked();
    for (std::size_t i = 0; i < members_.size() && !failed_; ++i) {
        const CurrentContext entered(driver(), members_[i].place.context);
        const int error =
            entered ? driver().event_record(events_[i], members_[i].place.queue.stream()) : error_no_device;
        // Without the event, the progress could not be polled.
        if (error != 0) give_up({"cuEventRecord", driver().describe(error)});
    }
    throw_if_failed_locked();
    if (!std::exchange(busy_, true)) changed_.notify_all();
}

void CudaCollectives::watch() {
    std::unique_lock lock(mutex_);
    while (!over_) {
        poll_progress();
        if (busy_)
            changed_.wait_for(lock, between_questions);
        else
            changed_.wait(lock);
    }
}

/// Updates `busy_`. If a GPU has failed, calls give_up().
void CudaCollectives::poll_progress() {
    if (!busy_) return;
    bool busy = false;
    if (auto failed = failed_member(busy)) return give_up(std::move(*failed));
    busy_ = busy;
}

std::optional<CudaCollectives::Failed> CudaCollectives::failed_member(bool& busy) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
        const CurrentContext entered(driver(), members_[i].place.context);
        const int state = entered ? driver().event_query(events_[i]) : error_no_device;
        if (state == error_not_ready)
            busy = true;
        else if (state != 0)
            return Failed{"ncclAllReduce", driver().describe(state)};
        int failure = 0;
        const int status = library_.failure_of(communicators_[i], &failure);
        if (const int result = status == 0 ? failure : status; result != 0 && result != in_progress)
            return Failed{"ncclAllReduce", library_.describe(result)};
    }
    return std::nullopt;
}

/// Aborts NCCL. Kernels of NCCL that wait for another GPU then exit.
void CudaCollectives::give_up(Failed failed) {
    // Set before the abort. After the abort, other threads may read results that are not complete.
    failed_ = std::move(failed);
    busy_ = false;
    const CurrentContext entered(driver(), members_.front().place.context);
    for (void* communicator : std::exchange(communicators_, {})) static_cast<void>(library_.abort(communicator));
}

} // namespace

std::unique_ptr<DeviceCollectives> open_collectives(std::vector<Member> members) {
    Nccl library;
    if (!library.load()) return nullptr;
    const auto made = [&]() -> std::unique_ptr<DeviceCollectives> {
        auto collectives = std::make_unique<CudaCollectives>(members, library);
        if (!collectives->open()) return nullptr;
        return collectives;
    };
    std::vector<Gpu*> gpus; // NCCL has its own memory on each GPU
    for (const Member& m : members) gpus.push_back(&m.place.device);
    try {
        return with_room(gpus, made);
    } catch (const Failure& failure) {
        if (failure.kind() != FailureKind::out_of_memory) throw;
        return nullptr;
    }
}

} // namespace pm::runtime::cuda
