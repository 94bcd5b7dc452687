#include "compiler/codegen/jit/host_machine.hpp"

#include "compiler/base/check.hpp"

#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <map>
#include <mutex>

namespace pm::codegen {

Machine detect_machine(int vector_bits) {
    Machine machine;
    machine.cpu = llvm::sys::getHostCPUName().str();
    const llvm::StringMap<bool> found = llvm::sys::getHostCPUFeatures();
    std::map<std::string, bool> features; // sorted, since the text is part of the cache key
    for (const auto& feature : found) features.emplace(feature.getKey().str(), feature.getValue());
    for (const auto& [name, present] : features)
        machine.features += (machine.features.empty() ? "" : ",") + ((present ? "+" : "-") + name);
    const auto has = [&](const char* name) { return features[name]; };
    machine.avx512 = has("avx512f") && has("avx512dq") && has("avx512bw") && has("avx512vl");
    // Processors with AVX-512 but without VBMI2 run slower with 512-bit vectors.
    const int widest = machine.avx512 && has("avx512vbmi2") ? 512 : has("avx") ? 256 : 128;
    machine.vector_bits = vector_bits == 0 ? widest : std::min(vector_bits, machine.avx512 ? 512 : widest);
    return machine;
}

namespace {

std::unique_ptr<llvm::TargetMachine> target_for(const std::string& triple, const Machine& machine,
                                                llvm::CodeGenOptLevel level) {
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
    PM_CHECK(target != nullptr, error);
    std::unique_ptr<llvm::TargetMachine> made(target->createTargetMachine(
        triple, machine.cpu, machine.features, {}, llvm::Reloc::PIC_, llvm::CodeModel::Small, level, true));
    PM_CHECK(made != nullptr);
    return made;
}

} // namespace

std::unique_ptr<llvm::TargetMachine> make_target(const Machine& machine, bool optimize) {
    static std::once_flag once;
    std::call_once(once, [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
    });
    return target_for(llvm::sys::getProcessTriple(), machine,
                      optimize ? llvm::CodeGenOptLevel::Less : llvm::CodeGenOptLevel::None);
}

Machine gpu_machine(const std::string& architecture) {
    Machine machine;
    machine.cpu = architecture;
    machine.features = "+ptx83";
    return machine;
}

std::unique_ptr<llvm::TargetMachine> make_gpu_target(const Machine& machine) {
    static std::once_flag once;
    std::call_once(once, [] {
        LLVMInitializeNVPTXTargetInfo();
        LLVMInitializeNVPTXTarget();
        LLVMInitializeNVPTXTargetMC();
        LLVMInitializeNVPTXAsmPrinter();
    });
    // Sets no option that contracts products and sums, or that changes the rounding of quotients.
    return target_for("nvptx64-nvidia-cuda", machine, llvm::CodeGenOptLevel::Default);
}

} // namespace pm::codegen
