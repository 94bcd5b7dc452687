#include "compiler/codegen/jit/jit.hpp"
#include "compiler/codegen/cpu/cpu_backend.hpp"
#include "compiler/codegen/cpu/negations.hpp"
#include "compiler/codegen/gpu/launch/gpu_backend.hpp"
#include "compiler/codegen/jit/host_machine.hpp"
#include "compiler/codegen/jit/object_cache.hpp"
#include "compiler/codegen/program/program_layout.hpp"
#include "compiler/codegen/scalar/math.hpp"
#include "runtime/call.hpp"

#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Target/TargetMachine.h>

#include <atomic>
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>

namespace pm::codegen {
namespace {

namespace orc = llvm::orc;

void expect(llvm::Error error) {
    if (error) internal_error(__FILE__, __LINE__, "LLVM", llvm::toString(std::move(error)));
}
template <class T>
T expect(llvm::Expected<T> value) {
    if (!value) expect(value.takeError());
    return std::move(*value);
}

/// Runs passes that remove stack slots, equal values and empty blocks. No vectoriser or loop pass is needed: the
/// emitter emits vectors, and places each value in the innermost of the loops that the value depends on.
void optimise(llvm::Module& module, llvm::TargetMachine& target) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager groups;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(&target);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(groups);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, groups, modules);
    llvm::ModulePassManager passes;
    expect(builder.parsePassPipeline(passes, "function(sroa,early-cse,simplifycfg)"));
    passes.run(module, modules);
}

/// One module of a program. The module has its own context, so several modules can be compiled in parallel.
class ModuleMaker {
  public:
    ModuleMaker(const std::string& name, bool optimize, llvm::TargetMachine& target,
                const std::function<void(llvm::Module&)>& emit)
        : module_(name, context_) {
        module_.setDataLayout(target.createDataLayout());
        module_.setTargetTriple(target.getTargetTriple().str());
        emit(module_);
        std::string text;
        llvm::raw_string_ostream stream(text);
        if (llvm::verifyModule(module_, &stream)) internal_error(__FILE__, __LINE__, "LLVM's verifier", text);
        if (optimize) optimise(module_, target);
        if (target.getTargetTriple().isX86()) negate_late(module_);
    }
    llvm::Module& module() { return module_; }
    std::string text() const {
        std::string made;
        llvm::raw_string_ostream stream(made);
        module_.print(stream, nullptr);
        return made;
    }

  private:
    llvm::LLVMContext context_;
    llvm::Module module_;
};

/// LLVM's code generator. It is reused for many modules, since the creation of its passes takes as long as compiling a
/// small module.
class Generator {
  public:
    Generator(std::unique_ptr<llvm::TargetMachine> target, llvm::CodeGenFileType type) : target_(std::move(target)) {
        PM_CHECK(!target_->addPassesToEmitFile(passes_, stream_, nullptr, type));
    }
    llvm::TargetMachine& target() { return *target_; }
    std::string file(llvm::Module& module) {
        bytes_.clear();
        passes_.run(module);
        return {bytes_.begin(), bytes_.end()};
    }

  private:
    std::unique_ptr<llvm::TargetMachine> target_;
    llvm::SmallVector<char, 0> bytes_;
    llvm::raw_svector_ostream stream_{bytes_};
    llvm::legacy::PassManager passes_;
};

/// A pool of idle code generators for the host's processor.
class Generators {
  public:
    Generators(Machine machine, bool optimize) : machine_(std::move(machine)), optimize_(optimize) {}

    std::unique_ptr<Generator> take() {
        {
            const std::scoped_lock lock(mutex_);
            if (!idle_.empty()) {
                auto taken = std::move(idle_.back());
                idle_.pop_back();
                return taken;
            }
        }
        return std::make_unique<Generator>(make_target(machine_, optimize_), llvm::CodeGenFileType::ObjectFile);
    }
    void give_back(std::unique_ptr<Generator> used) {
        const std::scoped_lock lock(mutex_);
        idle_.push_back(std::move(used));
    }

  private:
    Machine machine_;
    bool optimize_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Generator>> idle_;
};

Layout layout_of(const plan::Program& program, const Machine& machine, const Options& options) {
    auto backend = options.target == Target::cpu ? cpu_backend(program, machine) : gpu_backend(program, options);
    return {program, machine, std::move(backend), options.function_size};
}

/// Compiles kernels to PTX. Each call has a new generator: LLVM's PTX printer keeps variables of the previous module.
std::string make_ptx(const plan::Program& program, const Layout& layout, const Machine& machine) {
    Generator generator(make_gpu_target(machine), llvm::CodeGenFileType::AssemblyFile);
    ModuleMaker made(program.name, true, generator.target(),
                     [&](llvm::Module& into) { layout.emit_kernels(into, machine); });
    return generator.file(made.module());
}

/// The program's objects. For Target::gpu the last object is the program's PTX.
Objects make_objects(const plan::Program& program, const Machine& machine, const Options& options,
                     Generators& generators, const Poll& poll) {
    const Layout layout = layout_of(program, machine, options);
    const bool ptx = options.target == Target::gpu;
    Objects objects(layout.modules() + (ptx ? 1 : 0));
    std::vector<std::exception_ptr> failures(objects.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        std::unique_ptr<Generator> generator;
        for (std::size_t i = next++; i < objects.size(); i = next++) {
            try {
                if (poll) poll();
                if (i == layout.modules()) {
                    objects[i] = make_ptx(program, layout, gpu_machine(options.device->architecture()));
                    continue;
                }
                if (!generator) generator = generators.take();
                ModuleMaker made(program.name, options.optimize, generator->target(),
                                 [&](llvm::Module& into) { layout.emit(i, into); });
                if (poll) poll();
                objects[i] = generator->file(made.module());
            } catch (...) {
                failures[i] = std::current_exception();
                generator.reset(); // the generator's passes may refer to freed memory
            }
        }
        if (generator) generators.give_back(std::move(generator));
    };
    {
        std::vector<std::jthread> helpers;
        for (std::size_t i = 1;
             i < std::min<std::size_t>(objects.size(), static_cast<std::size_t>(std::max(1, options.compile_threads)));
             ++i)
            helpers.emplace_back(work);
        work();
    }
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
    return objects;
}

/// The linker: a JIT library with functions of the runtime and libm, and one JIT library for each program. The library
/// of a program finds symbols only in itself and in the first library.
class Linker {
  public:
    explicit Linker(const Machine& machine) {
        auto target = make_target(machine);
        orc::JITTargetMachineBuilder builder(target->getTargetTriple());
        builder.setCPU(machine.cpu).setCodeModel(llvm::CodeModel::Small).setRelocationModel(llvm::Reloc::PIC_);
        orc::LLJITBuilder jit;
        jit.setJITTargetMachineBuilder(std::move(builder))
            .setDataLayout(target->createDataLayout())
            .setLinkProcessSymbolsByDefault(false)
            .setPlatformSetUp(orc::setUpInactivePlatform)
            .setObjectLinkingLayerCreator([](orc::ExecutionSession& session,
                                             const llvm::Triple&) -> llvm::Expected<std::unique_ptr<orc::ObjectLayer>> {
                return std::make_unique<orc::ObjectLinkingLayer>(session);
            });
        jit_ = expect(jit.create());
        orc::SymbolMap symbols;
        const auto add = [&](llvm::StringRef name, void* address) {
            symbols[jit_->mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                                    llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
        };
        for (const runtime::Symbol& s : runtime::symbols()) add({s.name.data(), s.name.size()}, s.address);
        for (const LibmSymbol& s : libm_symbols()) add(s.name, s.address);
        runtime_ = &jit_->getExecutionSession().createBareJITDylib("runtime");
        expect(runtime_->define(orc::absoluteSymbols(std::move(symbols))));
    }

    orc::JITDylib& add() {
        orc::JITDylib& library = jit_->getExecutionSession().createBareJITDylib("program " + std::to_string(number_++));
        library.addToLinkOrder(*runtime_);
        return library;
    }
    void add_object(orc::JITDylib& library, const std::string& object) {
        expect(jit_->addObjectFile(library, llvm::MemoryBuffer::getMemBufferCopy(object, "program")));
    }
    template <class Pointer>
    Pointer find(orc::JITDylib& library, const std::string& name) {
        return expect(jit_->lookup(library, name)).toPtr<Pointer>();
    }
    void remove(orc::JITDylib& library) { llvm::consumeError(jit_->getExecutionSession().removeJITDylib(library)); }

  private:
    std::unique_ptr<orc::LLJIT> jit_;
    orc::JITDylib* runtime_ = nullptr;
    std::atomic<unsigned> number_{0};
};

/// The JIT library of a program. The destructor removes the library.
class Library {
  public:
    Library(std::shared_ptr<Linker> linker, std::span<const std::string> objects)
        : linker_(std::move(linker)), library_(&linker_->add(), Remove{linker_.get()}) {
        for (const std::string& object : objects) linker_->add_object(*library_, object);
    }
    template <class Pointer>
    Pointer find(const std::string& name) const {
        return linker_->find<Pointer>(*library_, name);
    }

  private:
    struct Remove {
        Linker* linker;
        void operator()(orc::JITDylib* library) const { linker->remove(*library); }
    };
    std::shared_ptr<Linker> linker_;
    std::unique_ptr<orc::JITDylib, Remove> library_;
};

class LoadedCode final : public Code {
  public:
    LoadedCode(std::shared_ptr<Linker> linker, std::span<const std::string> objects, const Options& options)
        : library_(std::move(linker), objects.first(objects.size() - (options.target == Target::gpu ? 1 : 0))),
          entry_(library_.find<PmEntry>(entry_name)) {
        for (const std::string& object : objects) bytes_ += object.size();
        if (options.target == Target::cpu) return;
        const std::int64_t count = *library_.find<const std::int64_t*>(unit_count_name);
        if (options.target == Target::gpu) {
            if (count > 0) on_device_ = options.device->load(objects.back(), count);
            return;
        }
        for (std::int64_t i = 0; i < count; ++i) emulated_.push_back(library_.find<void*>("unit_" + std::to_string(i)));
    }
    PmEntry entry() const override { return entry_; }
    std::span<void* const> kernels() const override {
        if (on_device_) return on_device_->handles();
        return emulated_;
    }
    std::size_t bytes() const override { return bytes_; }

  private:
    Library library_;
    PmEntry entry_;
    std::shared_ptr<const runtime::Kernels> on_device_;
    std::vector<void*> emulated_;
    std::size_t bytes_ = 0;
};

/// Identifies the build of this compiler by the path and time of the file from which the compiler was loaded. Objects
/// of another build are not used.
std::string build_of_this_compiler() {
    Dl_info info{};
    std::error_code error;
    if (::dladdr(reinterpret_cast<void*>(&make_jit), &info) == 0 || info.dli_fname == nullptr) return {};
    // The path may be relative to a folder that is no longer the current one.
    const std::filesystem::path file =
        std::filesystem::exists(info.dli_fname, error) ? info.dli_fname : "/proc/self/exe";
    const auto written = std::filesystem::last_write_time(file, error);
    return std::string(info.dli_fname) + " " + (error ? "" : std::to_string(written.time_since_epoch().count()));
}

class OrcJit final : public Jit {
  public:
    explicit OrcJit(const Options& options)
        : options_(options), machine_(detect_machine(options.vector_bits)), cache_(options.cache_folder),
          generators_(machine_, options.optimize), linker_(std::make_shared<Linker>(machine_)) {}

    std::shared_ptr<const Code> compile(const plan::Program& program, const Poll& poll) override {
        if (options_.cache_folder.empty())
            return std::make_shared<LoadedCode>(linker_, make_objects(program, machine_, options_, generators_, poll),
                                                options_);
        static const std::string build = build_of_this_compiler();
        const std::string maker = build + " " LLVM_VERSION_STRING " " + machine_.cpu + " " + machine_.features + " " +
                                  std::to_string(machine_.vector_bits) + " " + std::to_string(options_.optimize) + " " +
                                  std::to_string(options_.function_size) + " " +
                                  std::to_string(static_cast<int>(options_.target)) + " " +
                                  (options_.device ? options_.device->architecture() : "") +
                                  (options_.device && options_.device->is_several() ? " several" : "");
        const std::string key = ObjectCache::key(plan::print(program), maker);
        if (const auto objects = cache_.find(key)) return std::make_shared<LoadedCode>(linker_, *objects, options_);
        const Objects objects = make_objects(program, machine_, options_, generators_, poll);
        cache_.store(key, objects);
        return std::make_shared<LoadedCode>(linker_, objects, options_);
    }

    std::string llvm_text(const plan::Program& program, bool assembly) override {
        const Layout layout = layout_of(program, machine_, options_);
        Generator generator(make_target(machine_, options_.optimize), llvm::CodeGenFileType::AssemblyFile);
        std::string text;
        for (std::size_t i = 0; i < layout.modules(); ++i) {
            ModuleMaker made(program.name, options_.optimize, generator.target(),
                             [&](llvm::Module& into) { layout.emit(i, into); });
            text += assembly ? generator.file(made.module()) : made.text();
        }
        return text;
    }

    std::string ptx_text(const plan::Program& program, const std::string& architecture) override {
        Options options = options_;
        options.target = Target::gpu;
        return make_ptx(program, layout_of(program, machine_, options), gpu_machine(architecture));
    }

  private:
    Options options_;
    Machine machine_;
    ObjectCache cache_;
    Generators generators_;
    std::shared_ptr<Linker> linker_;
};

} // namespace

std::unique_ptr<Jit> make_jit(const Options& options) { return std::make_unique<OrcJit>(options); }

} // namespace pm::codegen
