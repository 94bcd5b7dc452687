// The engine over MPI. It is built as a library of its own, which is loaded when a job is joined. So a program without
// processes needs no MPI. It is compiled against Open MPI 4.1 and runs with later releases of the same interface.
#include "runtime/processes/engine.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#define OMPI_SKIP_MPICXX 1 // the C interface alone
#include <mpi.h>

/// User-level failure mitigation, from Open MPI 5 on: the processes of a communicator that have failed. Null in earlier
/// releases. Empty if the launcher was not started with `--with-ft ulfm`.
extern "C" __attribute__((weak)) int MPIX_Comm_get_failed(MPI_Comm comm, MPI_Group* failed);

struct PmOperation {
    std::vector<MPI_Request> requests;
    std::vector<int> counts, offsets; // of a collective that MPI computes; MPI reads them while it runs
};

namespace {

/// MPI counts with `int`. Longer messages are cut into pieces, and longer collectives are messages.
constexpr std::int64_t longest_piece = std::int64_t{1} << 30;

struct Engine {
    PmEngine table{};
    std::string name;
    std::array<char, MPI_MAX_ERROR_STRING> why{};
    MPI_Comm collectives = MPI_COMM_NULL;
    MPI_Comm parts = MPI_COMM_NULL;                 ///< for the messages of collectives
    MPI_Comm messages = MPI_COMM_NULL;              ///< for exchange()
    bool finalizes = false;                         ///< true if the engine has initialized MPI
    std::chrono::steady_clock::time_point looked{}; ///< when it was last asked which processes have failed
};

Engine& of(void* state) { return *static_cast<Engine*>(state); }

void send(PmOperation& op, const char* data, std::int64_t bytes, int peer, MPI_Comm comm) {
    std::int64_t at = 0;
    do { // a message of 0 bytes is sent too
        const std::int64_t piece = std::min(bytes - at, longest_piece);
        MPI_Isend(data + at, static_cast<int>(piece), MPI_BYTE, peer, 0, comm, &op.requests.emplace_back());
        at += piece;
    } while (at < bytes);
}
void receive(PmOperation& op, char* data, std::int64_t bytes, int peer, MPI_Comm comm) {
    std::int64_t at = 0;
    do {
        const std::int64_t piece = std::min(bytes - at, longest_piece);
        MPI_Irecv(data + at, static_cast<int>(piece), MPI_BYTE, peer, 0, comm, &op.requests.emplace_back());
        at += piece;
    } while (at < bytes);
}

PmOperation* all_gather(void* state, const void* in, void* out, std::int64_t bytes) {
    const Engine& engine = of(state);
    const int n = engine.table.count;
    if (bytes > longest_piece / n) {
        std::vector<std::int64_t> counts(static_cast<std::size_t>(n), bytes);
        std::vector<std::int64_t> offsets(counts.size());
        std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), std::int64_t{0});
        return engine.table.all_gather_parts(state, in, out, counts.data(), offsets.data());
    }
    auto op = std::make_unique<PmOperation>();
    const int count = static_cast<int>(bytes);
    if (MPI_Iallgather(in, count, MPI_BYTE, out, count, MPI_BYTE, engine.collectives, &op->requests.emplace_back()) !=
        MPI_SUCCESS)
        return nullptr;
    return op.release();
}

PmOperation* all_gather_parts(void* state, const void* in, void* out, const std::int64_t* counts,
                              const std::int64_t* offsets) {
    const Engine& engine = of(state);
    const int n = engine.table.count;
    const int me = engine.table.index;
    auto op = std::make_unique<PmOperation>();
    std::int64_t end = 0;
    for (int p = 0; p < n; ++p) end = std::max(end, offsets[p] + counts[p]);
    if (end <= longest_piece) { // all processes have the same table, so all decide the same
        op->counts.assign(counts, counts + n);
        op->offsets.assign(offsets, offsets + n);
        if (MPI_Iallgatherv(in, op->counts[static_cast<std::size_t>(me)], MPI_BYTE, out, op->counts.data(),
                            op->offsets.data(), MPI_BYTE, engine.collectives,
                            &op->requests.emplace_back()) != MPI_SUCCESS)
            return nullptr;
        return op.release();
    }
    auto* const to = static_cast<char*>(out);
    for (int k = 1; k < n; ++k)
        receive(*op, to + offsets[(me + k) % n], counts[(me + k) % n], (me + k) % n, engine.parts);
    for (int k = 1; k < n; ++k) send(*op, static_cast<const char*>(in), counts[me], (me + n - k) % n, engine.parts);
    std::memcpy(to + offsets[me], in, static_cast<std::size_t>(counts[me]));
    return op.release();
}

PmOperation* all_to_all(void* state, const void* in, const std::int64_t* in_counts, const std::int64_t* in_offsets,
                        void* out, const std::int64_t* out_counts, const std::int64_t* out_offsets) {
    const Engine& engine = of(state);
    const int n = engine.table.count;
    const int me = engine.table.index;
    auto op = std::make_unique<PmOperation>();
    const auto* const from = static_cast<const char*>(in);
    auto* const to = static_cast<char*>(out);
    for (int k = 1; k < n; ++k) {
        const int p = (me + n - k) % n;
        if (out_counts[p] > 0) receive(*op, to + out_offsets[p], out_counts[p], p, engine.parts);
    }
    for (int k = 1; k < n; ++k) {
        const int p = (me + k) % n;
        if (in_counts[p] > 0) send(*op, from + in_offsets[p], in_counts[p], p, engine.parts);
    }
    if (in_counts[me] > 0)
        std::memcpy(to + out_offsets[me], from + in_offsets[me], static_cast<std::size_t>(in_counts[me]));
    return op.release();
}

PmOperation* exchange(void* state, const PmMessage* sends, std::int32_t send_count, const PmMessage* receives,
                      std::int32_t receive_count) {
    const Engine& engine = of(state);
    auto op = std::make_unique<PmOperation>();
    for (std::int32_t i = 0; i < receive_count; ++i)
        receive(*op, static_cast<char*>(receives[i].data), receives[i].bytes, receives[i].peer, engine.messages);
    for (std::int32_t i = 0; i < send_count; ++i)
        send(*op, static_cast<const char*>(sends[i].data), sends[i].bytes, sends[i].peer, engine.messages);
    return op.release();
}

/// The number of a process that has failed; -1 if none is known.
int failed_process(const Engine& engine) {
    MPI_Group failed = MPI_GROUP_EMPTY, all = MPI_GROUP_EMPTY;
    int size = 0, number = -1;
    const int first = 0;
    if (MPIX_Comm_get_failed == nullptr || MPIX_Comm_get_failed(engine.collectives, &failed) != MPI_SUCCESS) return -1;
    MPI_Group_size(failed, &size);
    MPI_Comm_group(engine.collectives, &all);
    if (size > 0) MPI_Group_translate_ranks(failed, 1, &first, all, &number);
    MPI_Group_free(&all);
    if (failed != MPI_GROUP_EMPTY) MPI_Group_free(&failed);
    return number;
}

/// As failed_process(), but asks every 20 ms at most.
int failed_process_now(Engine& engine) {
    constexpr std::chrono::milliseconds interval{20};
    const auto now = std::chrono::steady_clock::now();
    if (MPIX_Comm_get_failed == nullptr || now - engine.looked < interval) return -1;
    engine.looked = now;
    return failed_process(engine);
}

PmOperationState test(void* state, PmOperation* operation, const char** why, std::int32_t* lost) {
    int done = 0;
    Engine& engine = of(state);
    const int error = MPI_Testall(static_cast<int>(operation->requests.size()), operation->requests.data(), &done,
                                  MPI_STATUSES_IGNORE);
    if (error == MPI_SUCCESS && done == 0) {
        *lost = failed_process_now(engine);
        return PM_OPERATION_RUNNING;
    }
    if (error == MPI_SUCCESS) {
        delete operation;
        return PM_OPERATION_DONE;
    }
    // The requests may still be under way, so the operation is not freed.
    int length = 0;
    MPI_Error_string(error, engine.why.data(), &length);
    *why = engine.why.data();
    *lost = failed_process(engine);
    return PM_OPERATION_FAILED;
}

void leave(void* state, std::int32_t orderly) {
    Engine& engine = of(state);
    if (orderly == 0) return;
    for (MPI_Comm* const comm : {&engine.collectives, &engine.parts, &engine.messages}) MPI_Comm_free(comm);
    if (engine.finalizes) MPI_Finalize();
}

/// The number of processes that the launcher has started, by its variables. 0 if there are none.
int started() {
    for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
        if (const char* const text = std::getenv(name)) return std::atoi(text);
    return 0;
}

} // namespace

extern "C" std::int32_t pm_engine_open_1(const PmEngine** engine, const char** why) {
    Engine& one = *new Engine; // lives until the process ends
    static std::string reason;
    const auto refuse = [&](std::string text) {
        reason = std::move(text);
        *why = reason.c_str();
        return 1;
    };
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (initialized == 0) {
        int threads = 0;
        if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads) != MPI_SUCCESS)
            return refuse("MPI cannot be initialized");
        one.finalizes = true;
    }
    int count = 0, index = 0, length = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Comm_rank(MPI_COMM_WORLD, &index);
    if (const int expected = started(); expected != 0 && expected != count)
        return refuse("the launcher has started " + std::to_string(expected) + " processes, and this MPI joins " +
                      std::to_string(count) + ": it belongs to another MPI");
    for (MPI_Comm* const comm : {&one.collectives, &one.parts, &one.messages}) {
        if (MPI_Comm_dup(MPI_COMM_WORLD, comm) != MPI_SUCCESS) return refuse("MPI cannot make a communicator");
        MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
    }
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
    MPI_Get_library_version(version.data(), &length);
    one.name = std::string(version.data()).substr(0, std::string_view(version.data()).find_first_of(",\n"));
    one.table = {PM_ENGINE_VERSION, index, count, one.name.c_str(), &one, all_gather, all_gather_parts, all_to_all,
                 exchange,          test,  leave};
    *engine = &one.table;
    return 0;
}
