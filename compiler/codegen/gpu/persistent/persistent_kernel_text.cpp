#include "compiler/codegen/gpu/persistent/persistent_kernel.hpp"
#include "compiler/codegen/steps/step_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace pm::codegen {

using plan::Step;
using plan::StepKind;

namespace {

/// Numbers values in the order of their first use.
template <class T>
class Numbers {
  public:
    std::size_t operator()(const T& what) {
        const auto found = std::find(known_.begin(), known_.end(), what);
        const auto number = static_cast<std::size_t>(found - known_.begin());
        if (found == known_.end()) known_.push_back(what);
        return number;
    }

  private:
    std::vector<T> known_;
};

class Writer {
  public:
    Writer(const plan::Program& program, const PersistentKernel& persistent)
        : program_(program), persistent_(persistent) {}

    std::string run() {
        text_ = fmt::format("kernel {} {} {}", persistent_.mapping.threads, persistent_.mapping.blocks,
                            persistent_.mapping.fixed);
        for (const plan::BufferId id : persistent_.parameters) parameter(id);
        step(*persistent_.root);
        return std::move(text_);
    }

  private:
    /// Writes the distance of a buffer from the first parameter in the same block of memory.
    void parameter(plan::BufferId id) {
        const AccessRange at = touched(program_, persistent_, id, false);
        std::int64_t first = std::numeric_limits<std::int64_t>::max();
        for (const plan::BufferId other : persistent_.parameters)
            if (const AccessRange o = touched(program_, persistent_, other, false);
                o.space == at.space && o.index == at.index)
                first = std::min(first, program_.buffers[other].offset);
        text_ += fmt::format("\n{} {} +{}", plan::name(at.space), blocks_({at.space, at.index}),
                             program_.buffers[id].offset - first);
        strides(at.outer);
    }

    void strides(const std::vector<plan::Stride>& all) {
        for (const plan::Stride& s : all) text_ += fmt::format(" {}*{}", loops_(s.loop), s.bytes);
    }

    void step(const Step& step) {
        text_ += fmt::format("\n{}", plan::name(step.kind()));
        if (step.kind() == StepKind::loop) {
            const auto& loop = step.as<plan::LoopStep>();
            text_ += fmt::format(" {} {} {}", loops_(loop.id), loop.iterations, loop.reverse);
        }
        if (const auto leaf = persistent_.leaves.find(&step); leaf != persistent_.leaves.end())
            text_ += text_of(program_, *leaf->second.step, leaf->second.shape);
        for (const plan::BufferId id : step.buffers) {
            const plan::Buffer& b = program_.buffers[id];
            const auto number = persistent_.parameter_of.find(id);
            text_ += number == persistent_.parameter_of.end() ? fmt::format(" i{}", indices_(id))
                                                              : fmt::format(" p{}", number->second);
            text_ += fmt::format(" {} {}", runtime::name(b.dtype), b.bytes());
            strides(b.strides);
        }
        for (const plan::Steps& child : step.children) {
            text_ += " {";
            for (const Step& s : child) this->step(s);
            text_ += " }";
        }
    }

    const plan::Program& program_;
    const PersistentKernel& persistent_;
    std::string text_;
    Numbers<std::uint32_t> loops_;
    Numbers<plan::BufferId> indices_;
    Numbers<std::pair<plan::Space, std::uint32_t>> blocks_;
};

} // namespace

std::string text_of(const plan::Program& program, const PersistentKernel& persistent) {
    return Writer(program, persistent).run();
}

} // namespace pm::codegen
