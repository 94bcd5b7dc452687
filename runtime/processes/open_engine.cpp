#include "runtime/processes/open_engine.hpp"

#include "runtime/kernels/dynamic_library.hpp"

#include <fmt/format.h>

#include <future>
#include <thread>

namespace pm::runtime {
namespace {

/// The result of PmEngineOpen.
struct Opened {
    int status = 0;
    const PmEngine* engine = nullptr;
    const char* why = "it does not say why";
};

/// Calls `open` on a thread of its own, because it returns only when all processes of the job have called it.
Opened opened(PmEngineOpen open, const ProcessesOptions& options) {
    constexpr std::chrono::milliseconds interval{20};
    std::packaged_task<Opened()> task([open] {
        Opened made;
        made.status = open(&made.engine, &made.why);
        return made;
    });
    std::future<Opened> done = task.get_future();
    std::thread(std::move(task)).detach();
    const auto begin = ProcessesOptions::Clock::now();
    while (done.wait_for(interval) != std::future_status::ready) {
        if (options.poll) options.poll();
        const bool ends = options.ends && options.ends();
        if (!ends && ProcessesOptions::Clock::now() - begin < options.patience) continue;
        const std::string limit =
            fmt::format(" within {:g} s", std::chrono::duration<double>(options.patience).count());
        throw JobFailure(JobFailureKind::lost, "not all processes have started" + (ends ? std::string() : limit), {});
    }
    return done.get();
}

} // namespace

const PmEngine& open_engine(const std::string& file, const ProcessesOptions& options) {
    const auto refuse = [&](const std::string& why) {
        throw JobFailure(JobFailureKind::engine, fmt::format("{} cannot connect processes: {}", file, why), {});
    };
    void* const library = open_library(file.c_str());
    if (library == nullptr) refuse(why_not_opened());
    PmEngineOpen open = nullptr;
    if (!find_function(library, "pm_engine_open_1", open)) refuse("it is no engine of this release");
    const Opened made = opened(open, options);
    if (made.status != 0) refuse(made.why);
    if (made.engine->version != PM_ENGINE_VERSION || made.engine->index < 0 || made.engine->index >= made.engine->count)
        refuse("it is no engine of this release");
    return *made.engine;
}

} // namespace pm::runtime
