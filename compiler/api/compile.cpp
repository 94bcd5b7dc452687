#include "compiler/api/compile.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/diagnostic.hpp"
#include "compiler/base/python_format.hpp"
#include "compiler/base/stop.hpp"
#include "compiler/ir/places.hpp"
#include "compiler/ir/precision.hpp"
#include "compiler/ir/text.hpp"
#include "compiler/ops/effects/check_attributes.hpp"
#include "compiler/plan/memory/division.hpp"
#include "compiler/plan/prepare/prepare.hpp"
#include "compiler/stage/core/failures.hpp"
#include "runtime/gpu/device/convolutions.hpp"
#include "runtime/gpu/device/fourier_transforms.hpp"
#include "runtime/processes/divided_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace pm::api {

using runtime::Array;
using runtime::DType;

struct Compiler::Compiled {
    plan::Program program;
    std::shared_ptr<const codegen::Code> code;
    std::vector<Array> constants; ///< aligned copies of Program::constants
    std::vector<ir::Type> results;
    std::vector<bool> writes;     ///< for each argument: true if the program overwrites the argument
    bool tapes = false;           ///< true if the program creates tapes
    runtime::CallOptions options; ///< the options of all calls of this program
    // Only of a program for several processes.
    std::map<std::int64_t, std::string> meetings; ///< the place of each meeting for messages, by site
    std::uint64_t hash = 0;                       ///< of the text of the program
};

namespace {

bool any_step(const plan::Steps& steps, const std::function<bool(const plan::Step&)>& test) {
    return std::ranges::any_of(steps, [&](const plan::Step& s) {
        return test(s) || std::ranges::any_of(s.children, [&](const plan::Steps& c) { return any_step(c, test); });
    });
}

bool makes_tapes(const plan::Steps& steps) {
    return any_step(steps, [](const plan::Step& s) { return s.kind() == plan::StepKind::tape; });
}

/// Whether the lanes of a program are divided among processes.
bool divides_lanes(const plan::Steps& steps) {
    return any_step(steps, [](const plan::Step& s) {
        return s.kind() == plan::StepKind::meeting ||
               (s.kind() == plan::StepKind::lanes && !s.as<plan::LanesStep>().first.empty());
    });
}

} // namespace

Compiler::Compiler(CompileOptions options, Surroundings surroundings)
    : options_(std::move(options)), surroundings_(std::move(surroundings)), jit_(codegen::make_jit(options_.codegen)),
      target_(options_.codegen.device, {.precision = options_.plan.precision,
                                        .exact = options_.plan.deterministic || options_.plan.exact_sharding,
                                        .leave = [this] {
                                            poll(); // throws if the call must stop
                                            return false;
                                        }}) {
    options_.plan.target = &target_;
}

void Compiler::poll() const {
    if (surroundings_.cancel && surroundings_.cancel->load(std::memory_order_relaxed))
        raise(diagnose(Diag::interrupted, {}));
    if (deadline_ && std::chrono::steady_clock::now() > *deadline_) raise(diagnose(Diag::deadline_passed, {}));
}

plan::Options Compiler::options_for(codegen::Target target) const {
    plan::Options options = options_.plan;
    options.passes.target = &target_;
    options.passes.after = [this](std::string_view, std::size_t, const ir::Block&) { poll(); };
    options.locals = target == codegen::Target::cpu;
    if (target == codegen::Target::cpu) {
        options.precision.clear();
        options.target = &ops::TargetInfo::none();
    }
    return options;
}

ir::BlockPtr Compiler::optimized(const ir::BlockPtr& block) const {
    const StopScope scope([this] { poll(); });
    return optimize::run(block, optimize::before_plan, options_for(options_.codegen.target).passes);
}

plan::Program Compiler::planned(const ir::BlockPtr& optimized, const std::vector<bool>& donated,
                                codegen::Target target) const {
    const StopScope scope([this] { poll(); });
    return in_stage("plan", [&] {
        plan::Program program = plan::plan(optimized, options_for(target), donated);
        if (options_.plan.processes > 1 && !options_.codegen.device) {
            plan::divide(program);
            if (options_.plan.verify) plan::verify(program, "divide");
        }
        return program;
    });
}

void Compiler::each_pass(const ir::BlockPtr& block, bool of_plan,
                         const std::function<void(std::string_view pass, const ir::Block& made)>& visit) const {
    plan::Options options = options_for(options_.codegen.target);
    options.passes.after = [&](std::string_view pass, std::size_t, const ir::Block& made) { visit(pass, made); };
    const ir::BlockPtr lean = optimize::run(block, optimize::before_plan, options.passes);
    visit("optimize", *lean);
    if (of_plan) plan::prepare(lean, options);
}

plan::Program Compiler::plan(const ir::BlockPtr& block, std::optional<codegen::Target> target) const {
    return planned(optimized(block), {}, target.value_or(options_.codegen.target));
}

Compiler::Spent Compiler::spent() const {
    const std::lock_guard lock(mutex_);
    Spent spent = spent_;
    spent.library_calls = library_calls_.counts();
    return spent;
}

namespace {

/// Adds the time of `work` to `spent`, even if `work` throws.
template <class Work>
auto timed(double& spent, const Work& work) {
    struct Watch {
        double& spent;
        std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
        ~Watch() { spent += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }
    } const watch{spent};
    return work();
}

/// Reports the beginning and the end of a compilation.
class CompilingScope {
  public:
    explicit CompilingScope(const std::function<void(bool)>& report) : report_(report) { tell(true); }
    ~CompilingScope() { tell(false); }
    CompilingScope(const CompilingScope&) = delete;
    CompilingScope& operator=(const CompilingScope&) = delete;

  private:
    void tell(bool begins) const {
        if (report_) report_(begins);
    }
    const std::function<void(bool)>& report_;
};

} // namespace

void Compiler::wait() {
    if (!options_.codegen.device) return;
    double seconds = 0;
    timed(seconds, [&] { options_.codegen.device->wait(); });
    const std::lock_guard lock(mutex_);
    spent_.run += seconds;
}

std::shared_ptr<const Compiler::Compiled> Compiler::compile(const ir::BlockPtr& block,
                                                            const std::vector<bool>& donated) {
    if (on_block) on_block(block);
    const CompilingScope compiling(options_.compiling);
    auto made = std::make_shared<Compiled>();
    ++spent_.programs;
    const ir::BlockPtr lean = timed(spent_.optimize, [&] { return optimized(block); });
    made->program = timed(spent_.plan, [&] { return planned(lean, donated, options_.codegen.target); });
    made->results = block->result_types();
    made->writes.resize(block->params.size(), false);
    for (const std::int64_t written : made->program.overwritten) made->writes[static_cast<std::size_t>(written)] = true;
    made->tapes = makes_tapes(made->program.steps);
    made->code = timed(spent_.codegen, [&] {
        const StopScope scope([this] { poll(); });
        return in_stage("codegen", [&] { return jit_->compile(made->program, [this] { poll(); }); });
    });
    for (const plan::Constant& c : made->program.constants)
        made->constants.push_back(Array::from_bytes(DType::u8, {static_cast<std::int64_t>(c.bytes.size())},
                                                    c.bytes.data(), surroundings_.allocator));
    for (std::size_t i = 0; surroundings_.processes != nullptr && i < made->program.sites.size(); ++i)
        if (const plan::Site& site = made->program.sites[i]; site.kind == plan::SiteKind::meeting)
            made->meetings[static_cast<std::int64_t>(i)] =
                fmt::format("`{}`{}", site.text, surroundings_.place_text(site.place.span));
    if (divides_lanes(made->program.steps)) made->hash = runtime::hash_of(plan::print(made->program));
    made->options = call_options(*made);
    return made;
}

/// The options of all calls of a program.
runtime::CallOptions Compiler::call_options(const Compiled& c) {
    runtime::CallOptions options;
    options.workers = surroundings_.workers;
    if (surroundings_.cancel)
        options.cancel = std::shared_ptr<const std::atomic<bool>>(std::shared_ptr<void>(), surroundings_.cancel);
    options.allocator = surroundings_.allocator;
    options.device = options_.codegen.device;
    options.kernels = c.code->kernels();
    options.library_calls = &library_calls_;
    if (c.hash != 0) options.processes = surroundings_.processes;
    options.place = c.meetings.empty() ? fmt::format("`{}`", c.program.name) : c.meetings.begin()->second;
    options.meeting_place = [&c](std::int64_t site) { return c.meetings.at(site); };
    options.output = [this](std::string_view text) {
        if (surroundings_.output) surroundings_.output(text);
    };
    options.format = [&program = c.program](std::string& text, std::int64_t site, std::int64_t,
                                            const void* const* pointers) {
        const plan::Site& s = program.sites.at(static_cast<std::size_t>(site));
        std::vector<Array> values;
        for (std::size_t i = 0; i < s.dtypes.size(); ++i)
            values.push_back(Array::borrow(pointers[i], s.dtypes[i], s.shapes[i]));
        text += fill_template(s.text, values);
    };
    return options;
}

std::shared_ptr<const Compiler::Compiled> Compiler::compiled(const ir::BlockPtr& block,
                                                             const std::vector<ir::Donated>& donated) {
    const std::lock_guard lock(mutex_);
    if (const auto at = by_block_.find(block.get()); at != by_block_.end() && at->second.block.lock() == block)
        return at->second.compiled;
    if (by_block_.size() >= sweep_at_) { // removes the entries of freed blocks
        std::erase_if(by_block_, [](const auto& entry) { return entry.second.block.expired(); });
        sweep_at_ = std::max<std::size_t>(64, 2 * by_block_.size());
    }
    std::vector<bool> given;
    for (const ir::Donated d : donated) given.push_back(d != ir::Donated::no);
    std::shared_ptr<const Compiled> made;
    if (surroundings_.deep)
        surroundings_.deep([&] { made = compile(block, given); });
    else
        made = compile(block, given);
    by_block_[block.get()] = {block, made};
    return made;
}

namespace {

Diagnostic failed_check(const plan::Program& program, const runtime::CheckFailure& failure) {
    const plan::Site& site = program.sites.at(static_cast<std::size_t>(failure.site));
    Diagnostic d;
    d.id = site.diagnostic;
    d.span = site.place.span;
    ir::add_callers(d, site.place.callers);
    d.message = failure.text;
    if (!site.help.empty()) d.help.push_back(site.help);
    if (!site.mapped.empty()) d.notes.push_back(ops::mapped_note(site.mapped, failure.element / site.inner));
    if (site.on_devices)
        d.notes.push_back(fmt::format("on device {}", site.devices.empty()
                                                          ? failure.lane
                                                          : site.devices[static_cast<std::size_t>(failure.lane)]));
    PM_CHECK(failure.iterations.size() == site.loops.size());
    for (std::size_t l = site.loops.size(); l-- > 0;) d.iterations.push_back({site.loops[l], failure.iterations[l]});
    return d;
}

} // namespace

namespace {

/// Makes sure that the argument is on the device, and returns its address there. Kernels assume that arrays begin at
/// multiples of 16 bytes.
void* address_on(const std::shared_ptr<runtime::Device>& device, Array& argument, bool written) {
    constexpr std::size_t word = 16;
    argument = argument.brought_to(device, word);
    return written ? argument.mutable_device_data(device) : argument.device_data(device);
}

/// The division of lanes among processes, see plan::Program::argument_divisions.
using Lanes = std::vector<std::int64_t>;

/// Element `i`; an empty division if the program has none.
const Lanes& division_of(const std::vector<Lanes>& divisions, std::size_t i) {
    static const Lanes none;
    return i < divisions.size() ? divisions[i] : none;
}

/// The host's memory of argument `i`. An array that is divided among processes stays so if the program divides it
/// alike, or does not use it. Otherwise all processes bring the other parts.
void* address_of(const Array& array, const plan::Program& program, std::size_t i) {
    const runtime::Division* const own = array.division();
    if (own == nullptr) return const_cast<void*>(array.data());
    const Lanes& lanes = division_of(program.argument_divisions, i);
    const bool is_used = program.argument_is_used.empty() || program.argument_is_used[i];
    const bool stays = !is_used || (!lanes.empty() && own->first == runtime::division_in_bytes(lanes, array.bytes()));
    return stays ? array.divided_data() : const_cast<void*>(array.data());
}

} // namespace

/// Memory for the results. If the program returns an argument as a result ("forwarded"), the result is the array of
/// that argument.
std::vector<Array> Compiler::results_of(const Compiled& c, const std::vector<Array>& arguments) const {
    const std::vector<std::int64_t>& forwarded = c.program.forwarded;
    std::vector<Array> results;
    results.reserve(c.results.size());
    for (std::size_t i = 0; i < c.results.size(); ++i) {
        const auto& [dtype, shape] = c.results[i];
        const Lanes& lanes = division_of(c.program.result_divisions, i);
        if (i < forwarded.size() && forwarded[i] >= 0)
            results.push_back(arguments[static_cast<std::size_t>(forwarded[i])].as_type(dtype, shape));
        else if (c.options.device)
            results.push_back(Array::on_device(dtype, shape, c.options.device, surroundings_.allocator));
        else if (!lanes.empty())
            results.push_back(runtime::with_own_parts(dtype, shape, lanes, surroundings_.processes->index(),
                                                      surroundings_.allocator));
        else if (surroundings_.processes != nullptr) // processes compare bytes, also of elements that are never read
            results.push_back(Array::zeros(dtype, shape, surroundings_.allocator));
        else
            results.push_back(Array::empty(dtype, shape, surroundings_.allocator));
    }
    return results;
}

/// Adds the call of a program for several processes to the history, in which the processes must agree.
void Compiler::enter(const Compiled& c, const std::vector<Array>& arguments) {
    if (c.options.processes == nullptr) return;
    std::uint64_t hash = 0;
    constexpr std::size_t most = 4096; // bytes of each argument
    for (const Array& argument : arguments) hash = runtime::sample_hash(argument, most, hash);
    const std::string& place = c.options.place;
    runtime::History& history = c.options.processes->history();
    history.add(c.hash, place);
    history.add(hash, fmt::format("the arguments of {}", place));
}

/// Notes which results are divided among the processes. A result that is an argument stays as the argument is.
void Compiler::divide_results(const Compiled& c, std::vector<Array>& results) const {
    const std::vector<std::int64_t>& overwritten = c.program.overwritten;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Lanes& lanes = division_of(c.program.result_divisions, i);
        const std::int64_t from = c.program.forwarded[i];
        const bool is_made = from < 0 || std::ranges::find(overwritten, from) != overwritten.end();
        if (!lanes.empty() && is_made)
            runtime::divide(results[i], lanes, *c.options.processes, "a result of " + c.options.place);
    }
}

std::vector<Array> Compiler::run_donated(const ir::BlockPtr& block, std::vector<Array> arguments,
                                         std::vector<ir::Donated>& donated) {
    const std::shared_ptr<const Compiled> c = compiled(block, donated);
    const plan::Program& program = c->program;
    PM_CHECK(arguments.size() == block->params.size());
    // If other references to an argument exist, the argument is copied before the program overwrites it. The program
    // may overwrite the other arguments directly. A view cannot be a result that is divided among processes.
    for (const std::int64_t written : program.overwritten)
        if (const auto i = static_cast<std::size_t>(written);
            donated.at(i) != ir::Donated::owned || (c->options.processes != nullptr && !arguments[i].is_whole_buffer()))
            arguments[i] = arguments[i].clone();
    const std::shared_ptr<runtime::Device>& device = c->options.device;
    std::vector<void*> addresses; // addresses of the arguments, then of the results, then of the constants
    addresses.reserve(arguments.size() + c->results.size() + c->constants.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        PM_CHECK(arguments[i].dtype() == block->type(block->params[i]).dtype &&
                 arguments[i].shape() == block->type(block->params[i]).shape);
        addresses.push_back(device ? address_on(device, arguments[i], c->writes[i])
                                   : address_of(arguments[i], program, i));
    }
    std::vector<Array> results = results_of(*c, arguments);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::int64_t from = i < program.forwarded.size() ? program.forwarded[i] : -1;
        addresses.push_back(device      ? results[i].device_data(device)
                            : from >= 0 ? addresses[static_cast<std::size_t>(from)]
                                        : results[i].mutable_data());
    }
    for (const Array& a : c->constants)
        addresses.push_back(device ? a.device_data(device) : const_cast<void*>(a.data()));

    const runtime::CallOptions* options = &c->options;
    std::optional<runtime::CallOptions> own;
    if (deadline_ || c->tapes) {
        options = &own.emplace(c->options);
        own->deadline = deadline_;
        if (c->tapes)
            own->tapes = std::make_shared<runtime::Tapes>(surroundings_.allocator,
                                                          device && device->is_several() ? nullptr : device);
    }
    runtime::CallState state(*options);
    for (const std::int64_t written : program.overwritten)
        if (ir::Donated& d = donated.at(static_cast<std::size_t>(written)); d == ir::Donated::owned)
            d = ir::Donated::overwritten;
    const std::span all(addresses);
    double seconds = 0;
    enter(*c, arguments);
    const runtime::CallResult result = timed(seconds, [&] {
        try {
            return state.run(c->code->entry(), all.first(arguments.size()),
                             all.subspan(arguments.size(), results.size()), all.last(c->constants.size()),
                             static_cast<std::size_t>(program.arena_bytes));
        } catch (const runtime::JobFailure& failure) {
            const std::optional<std::int64_t> site = state.meeting_site();
            raise(stage::job_diagnostic(failure,
                                        site ? program.sites[static_cast<std::size_t>(*site)].place.span : Span{}));
        }
    });
    {
        const std::lock_guard lock(mutex_);
        spent_.run += seconds;
    }
    if (result && c->options.processes != nullptr) divide_results(*c, results);
    switch (result.status) {
    case runtime::CallStatus::done: return runtime::keeping(std::move(results), options->tapes, arguments);
    case runtime::CallStatus::check_failed: raise(failed_check(program, result.failure));
    case runtime::CallStatus::cancelled: raise(diagnose(Diag::interrupted, {}));
    case runtime::CallStatus::deadline: raise(diagnose(Diag::deadline_passed, {}));
    case runtime::CallStatus::memory_limit: raise(diagnose(Diag::out_of_memory, {}, "the memory limit is reached"));
    }
    PM_UNREACHABLE();
}

} // namespace pm::api
