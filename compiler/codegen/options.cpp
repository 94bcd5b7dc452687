#include "compiler/codegen/options.hpp"

#include "compiler/base/check.hpp"

namespace pm::codegen {

std::string_view name(Target target) {
    switch (target) {
    case Target::cpu: return "cpu";
    case Target::gpu: return "gpu";
    case Target::gpu_emulated: return "gpu-emulated";
    }
    PM_UNREACHABLE();
}

} // namespace pm::codegen
