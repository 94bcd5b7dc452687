// Processes of an MPI program that share the slices of a pmap: embed_mpi ENGINE, where ENGINE is libpolymap_mpi.so. The
// host has called MPI_Init itself, and uses MPI beside Polymap. Each process computes the same gradient descent; each
// step of it sums over the devices of all processes.
#include <mpi.h>
#include <polymap/pm.hpp>

#include <chrono>
#include <cstdio>
#include <vector>

namespace {

constexpr const char* program = R"(
fn loss(w, x, y) = mean((x * w - y) ** 2)
fn descend(w, x, y) {
    let slope = fn(x, y) = pmean(grad(loss)(w, x, y), "devices")
    w - 0.1 * pmap(slope, axis_name="devices", out_axes=none)(x, y)
}
)";

int fail(const pm::Problem& problem) {
    std::fprintf(stderr, "%s", problem.text.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
}

int train(const char* library, int processes) {
    constexpr std::int64_t samples = 100;
    const auto engine =
        pm::Engine::create({.devices = 2, .processes = {.engine = library, .patience = std::chrono::seconds(30)}});
    if (!engine) return fail(engine.problem());
    const auto module = engine->load_text(program);
    if (!module) return fail(module.problem());
    const auto descend = module->function("descend");
    if (!descend) return fail(descend.problem());

    // Each process passes the whole data. Its devices use their slices.
    const std::int64_t devices = 2 * processes;
    std::vector<float> x, y;
    for (std::int64_t i = 0; i < devices * samples; ++i) {
        x.push_back(static_cast<float>(i % 7) / 7);
        y.push_back(3 * x.back());
    }
    pm::Value w(0.0F);
    for (int step = 0; step < 200; ++step) {
        const auto next = (*descend)(w, pm::View(x, {devices, samples}), pm::View(y, {devices, samples}));
        if (!next) return fail(next.problem());
        w = *next;
    }
    double own = w.number().value(), all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // the host's own use of MPI
    int index = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &index);
    if (index == 0) std::printf("w = %.3f on each of %d processes\n", all / processes, processes);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    int threads = 0, processes = 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &threads);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    const int code = train(argc > 1 ? argv[1] : "libpolymap_mpi.so", processes);
    MPI_Finalize();
    return code;
}
