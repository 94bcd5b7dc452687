#include "compiler/base/check.hpp"
#include "compiler/ir/precision.hpp"
#include "compiler/plan/program/program.hpp"
#include "runtime/gpu/device/convolutions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace pm::plan {
namespace {

class Verifier {
  public:
    Verifier(const Program& program, std::string_view after) : p_(program), after_(after) {}

    void run() {
        for (const Buffer& b : p_.buffers) buffer(b);
        check(p_.forwarded.size() == p_.results.size(), "one entry of `forwarded` per result");
        for (const BufferId id : p_.arguments) check(id < p_.buffers.size(), "an argument without a buffer");
        for (const BufferId id : p_.results) check(id < p_.buffers.size(), "a result without a buffer");
        for (const auto* divisions : {&p_.argument_divisions, &p_.result_divisions})
            for (const std::vector<std::int64_t>& first : *divisions)
                if (!first.empty()) division(first, first.back());
        steps(p_.steps);
    }

  private:
    void check(bool condition, std::string_view what) const {
        PM_CHECK(condition, fmt::format("after {}: program {}: {}\n{}", after_, p_.name, what, print(p_)));
    }

    void buffer(const Buffer& b) const {
        for (const std::int64_t size : b.shape) check(size >= 0, "a buffer with a negative size");
        switch (b.space) {
        case Space::argument: check(b.index < p_.arguments.size(), "a buffer of an argument that is not there"); break;
        case Space::result: check(b.index < p_.results.size(), "a buffer of a result that is not there"); break;
        case Space::constant:
            check(b.index < p_.constants.size(), "a buffer of a constant that is not there");
            check(b.offset + b.bytes() <= static_cast<std::int64_t>(p_.constants[b.index].bytes.size()),
                  "a buffer beyond its constant");
            break;
        case Space::arena:
            check(b.offset >= 0 && b.offset + b.bytes() <= p_.arena_bytes, "a buffer beyond the arena");
            break;
        case Space::local:
            check(b.bytes() <= 64 && b.offset == 0 && b.strides.empty(), "a local buffer that is no scalar");
            break;
        }
    }

    void steps(const Steps& list) {
        for (const Step& s : list) step(s);
    }

    void writes(BufferId id) const {
        const Space space = p_.buffers[id].space;
        const bool given = space == Space::argument && std::find(p_.overwritten.begin(), p_.overwritten.end(),
                                                                 p_.buffers[id].index) != p_.overwritten.end();
        check(given || (space != Space::argument && space != Space::constant),
              fmt::format("buffer {} is written and may only be read", id));
        const auto& strides = p_.buffers[id].strides;
        const bool own = space == Space::local ||
                         std::any_of(strides.begin(), strides.end(), [](const Stride& s) { return s.loop == lane; });
        check(!in_lanes_ || own, fmt::format("buffer {} is written by all lanes at one place", id));
    }

    /// Checks that the step is inside every loop to which the strides of buffer `id` refer.
    void scope(BufferId id, bool collective) const {
        for (const Stride& stride : p_.buffers[id].strides) {
            const bool open = stride.loop == lane ? in_lanes_ || collective : loops_.count(stride.loop) != 0;
            check(open, fmt::format("buffer {} moves with a loop that does not enclose its use", id));
        }
    }

    static constexpr std::size_t any = 1'000'000;
    void count(const Step& s, std::size_t least, std::size_t most) const {
        check(s.buffers.size() >= least && s.buffers.size() <= most,
              fmt::format("a {} with {} buffers", name(s.kind()), s.buffers.size()));
    }

    void matrices(const Step& s) const {
        const auto& [kernel, attributes] = s.as<MatricesStep>();
        if (kernel == "fft") {
            count(s, 2, 2);
            check(attributes.size() == 4, "a Fourier transform without its attributes");
            return writes(s.buffers[1]);
        }
        if (kernel == "convolution") {
            count(s, 3, s.nest ? any : 3);
            check(attributes.size() == runtime::convolution_attribute_count, "a convolution without its attributes");
            writes(s.buffers[2]);
            if (s.nest) nest_step(s, 3);
            return;
        }
        const bool factorize = kernel == "factorize";
        check(factorize || kernel == "triangular", "a kernel for matrices that there is not");
        check(attributes.size() == (factorize ? 7U : 8U), "a kernel for matrices without its attributes");
        const auto dtype = static_cast<DType>(attributes[factorize ? 1 : 0]);
        const std::size_t one = runtime::is_complex(dtype) ? 2 : 1; // the number of arrays per matrix
        const std::size_t operands = (factorize ? 1 : 2) * one;
        count(s, operands + one, operands + (factorize ? 3 : 1) * one);
        for (std::size_t b = operands; b < s.buffers.size(); ++b) writes(s.buffers[b]);
    }

    /// Checks the division of lanes among processes.
    void division(const std::vector<std::int64_t>& first, std::int64_t lanes) const {
        check(first.front() == 0 && first.back() >= lanes && std::ranges::is_sorted(first),
              "lanes that are not divided among processes");
    }

    void meeting(const Step& s) const {
        const auto& meeting = s.as<MeetingStep>();
        check(!in_lanes_, "a meeting of processes inside lanes");
        check(meeting.site < p_.sites.size(), "a meeting without its site");
        check(meeting.first.size() > 2, "a meeting of one process");
        division(meeting.first, meeting.lanes);
        switch (meeting.work) {
        case MeetingWork::gather: count(s, 1, any); break;
        case MeetingWork::tapes: count(s, 1, 1); break;
        case MeetingWork::send:
            count(s, 2, any);
            check(s.buffers.size() % 2 == 0, "a value that is sent and not received");
            check(meeting.to.empty() || meeting.to.size() == static_cast<std::size_t>(meeting.lanes),
                  "values without their receivers");
            break;
        case MeetingWork::parts:
        case MeetingWork::share: count(s, 2, 2); break;
        }
        for (std::size_t b = 0; b < s.buffers.size(); ++b)
            if (plan::writes(s, b)) writes(s.buffers[b]);
    }

    void exchange(const CollectiveStep& s) const {
        const bool sends = s.work == CollectiveWork::exchange;
        check(s.to.size() == (sends ? static_cast<std::size_t>(s.lanes) : 0), "an exchange without its receivers");
    }

    void step(const Step& s) {
        for (const BufferId id : s.buffers) {
            check(id < p_.buffers.size(), "a step with a buffer that is not there");
            scope(id, s.kind() == StepKind::collective || s.kind() == StepKind::meeting);
        }
        switch (s.kind()) {
        case StepKind::nest: nest_step(s, 0); return;
        case StepKind::dot:
            count(s, 3, s.nest ? any : 3);
            check(s.as<DotStep>().precision.empty() || ir::precision::is(s.as<DotStep>().precision),
                  "a dot of an unknown precision");
            writes(s.buffers[2]);
            if (s.nest) nest_step(s, 3);
            return;
        case StepKind::matrices: matrices(s); return;
        case StepKind::sort:
            check(s.buffers.size() == 2 * static_cast<std::size_t>(s.as<SortStep>().arrays),
                  "a sort with other buffers than it says");
            for (std::size_t b = s.buffers.size() / 2; b < s.buffers.size(); ++b) writes(s.buffers[b]);
            return;
        case StepKind::scatter:
            count(s, 2 + s.as<ScatterStep>().sizes.size(), 2 + s.as<ScatterStep>().sizes.size());
            writes(s.buffers.back());
            return;
        case StepKind::cumulative:
            count(s, 2, 2);
            writes(s.buffers[1]);
            return;
        case StepKind::tape:
            count(s, s.as<TapeStep>().work == runtime::TapeWork::sum ? 2 : 3, 3);
            writes(s.buffers.back());
            return;
        case StepKind::copy:
            count(s, 2, 2);
            writes(s.buffers[1]);
            check(p_.buffers[s.buffers[0]].bytes() == p_.buffers[s.buffers[1]].bytes(),
                  "a copy between buffers of different size");
            return;
        case StepKind::collective:
            count(s, 2, 2);
            writes(s.buffers[1]);
            check(!in_lanes_, "a collective inside lanes");
            exchange(s.as<CollectiveStep>());
            return;
        case StepKind::if_:
            count(s, 1, 1);
            children(s, 2);
            return;
        case StepKind::while_:
            count(s, 1, 1);
            children(s, 2);
            return;
        case StepKind::tapes:
            count(s, 0, 0);
            children(s, 1);
            return;
        case StepKind::loop: {
            count(s, 0, 1);
            if (!s.buffers.empty()) writes(s.buffers[0]);
            check(loops_.insert(s.as<LoopStep>().id).second, "a loop within itself");
            children(s, 1);
            loops_.erase(s.as<LoopStep>().id);
            return;
        }
        case StepKind::meeting: meeting(s); return;
        case StepKind::lanes:
            check(!in_lanes_, "lanes inside lanes");
            if (const auto& lanes = s.as<LanesStep>(); !lanes.first.empty()) division(lanes.first, lanes.count);
            in_lanes_ = true;
            children(s, 1);
            in_lanes_ = false;
            return;
        case StepKind::check: check(s.as<CheckStep>().site < p_.sites.size(), "a check without its site"); return;
        case StepKind::print: check(s.as<PrintStep>().site < p_.sites.size(), "a print without its site"); return;
        case StepKind::poll: count(s, 0, 0); return;
        }
    }

    void children(const Step& s, std::size_t expected) {
        check(s.children.size() == expected,
              fmt::format("a {} with {} lists of steps", name(s.kind()), s.children.size()));
        for (const Steps& list : s.children) steps(list);
    }

    void nest_step(const Step& s, std::size_t first) const {
        check(s.nest != nullptr, "a step without its nest");
        nest::verify(*s.nest, after_);
        // An epilogue reads the kernel's result as its buffer 0. The step's buffers for the epilogue do not include
        // this buffer.
        const std::size_t own = first == 0 ? 0 : 1;
        check(s.nest->buffers.size() == s.buffers.size() - first + own, "a nest with other buffers than its step");
        for (std::size_t b = own; b < s.nest->buffers.size(); ++b) {
            const BufferId id = s.buffers[b - own + first];
            check(s.nest->buffers[b].dtype == p_.buffers[id].dtype,
                  "a nest's buffer of another dtype than the program's");
            if (s.nest->buffers[b].written) writes(id);
        }
    }

    const Program& p_;
    std::string_view after_;
    std::set<std::uint32_t> loops_;
    bool in_lanes_ = false;
};

} // namespace

void verify(const Program& program, std::string_view after) { Verifier(program, after).run(); }

} // namespace pm::plan
