#include "runtime/processes/open_engine.hpp"

#include "runtime/kernels/dynamic_library.hpp"
#include "runtime/processes/processes.hpp"

#include <fmt/format.h>

namespace pm::runtime {

const PmEngine& open_engine(const std::string& file) {
    const auto refuse = [&](const std::string& why) {
        throw JobFailure(JobFailureKind::engine, fmt::format("{} cannot connect processes: {}", file, why), {});
    };
    void* const library = open_library(file.c_str());
    if (library == nullptr) refuse(why_not_opened());
    PmEngineOpen open = nullptr;
    if (!find_function(library, "pm_engine_open_1", open)) refuse("it is no engine of this release");
    const PmEngine* engine = nullptr;
    const char* why = "it does not say why";
    if (open(&engine, &why) != 0) refuse(why);
    if (engine->version != PM_ENGINE_VERSION || engine->index < 0 || engine->index >= engine->count)
        refuse("it is no engine of this release");
    return *engine;
}

} // namespace pm::runtime
