// A process has only the parts of its own lanes of an argument or a result if no step needs the others. So a value that
// goes from one call of a pmap to the next stays where it is, and uses memory only there.
#include "compiler/plan/memory/division.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace pm::plan {
namespace {

/// An argument or a result of the program.
using Place = std::pair<Space, std::uint32_t>;

/// Visits the steps, and finds the places that are used in another way than by lanes which use their own parts.
class Uses {
  public:
    explicit Uses(const Program& program) : p_(program) {
        for (const BufferId id : p_.arguments) whole_[place(id)] = p_.buffers[id].bytes();
        for (const BufferId id : p_.results) whole_[place(id)] = p_.buffers[id].bytes();
        visit(p_.steps, nullptr);
    }

    /// The division of the place among processes; empty if a process uses the whole.
    std::vector<std::int64_t> division(BufferId id) const {
        const auto found = divisions_.find(place(id));
        return found == divisions_.end() || shared_.count(place(id)) != 0 ? std::vector<std::int64_t>{} : found->second;
    }
    bool is_used(BufferId id) const { return divisions_.count(place(id)) + shared_.count(place(id)) != 0; }

  private:
    Place place(BufferId id) const { return {p_.buffers[id].space, p_.buffers[id].index}; }

    void visit(const Steps& steps, const LanesStep* lanes) {
        for (const Step& step : steps) {
            const auto* const inner = std::get_if<LanesStep>(&step.attributes);
            const auto* const loop = std::get_if<LoopStep>(&step.attributes);
            const auto* const meeting = std::get_if<MeetingStep>(&step.attributes);
            for (std::size_t i = 0; i < step.buffers.size(); ++i) {
                const BufferId id = step.buffers[i];
                if (whole_.count(place(id)) == 0) continue;
                // A gather also writes the parts of the others. It is removed if nothing reads them.
                const bool of_lanes =
                    meeting != nullptr && (meeting->work == MeetingWork::gather || meeting->work == MeetingWork::send ||
                                           (meeting->work == MeetingWork::parts && i == 0));
                if (of_lanes)
                    use(id, meeting->first, meeting->lanes);
                else
                    use(id, lanes ? lanes->first : std::vector<std::int64_t>{}, lanes ? lanes->count : 0);
            }
            if (loop != nullptr) iterations_[loop->id] = loop->iterations;
            for (const Steps& children : step.children) visit(children, inner != nullptr ? inner : lanes);
        }
    }

    /// Notes that each of the lanes uses the buffer.
    void use(BufferId id, const std::vector<std::int64_t>& first, std::int64_t lanes) {
        const bool fits = !first.empty() && is_own_part(p_.buffers[id], lanes, whole_.at(place(id)));
        if (!fits || divisions_.emplace(place(id), first).first->second != first) shared_.insert(place(id));
    }

    /// Whether the buffer lies within the part of its lane, of `lanes` equal parts of a place of `whole` bytes.
    bool is_own_part(const Buffer& b, std::int64_t lanes, std::int64_t whole) const {
        if (whole == 0 || whole % lanes != 0) return false;
        const std::int64_t part = whole / lanes;
        std::int64_t begin = b.offset, end = b.offset + b.bytes();
        bool has_lane = lanes == 1;
        for (const Stride& stride : b.strides) {
            if (stride.loop == lane) {
                if (stride.bytes != part) return false;
                has_lane = true;
                continue;
            }
            const auto loop = iterations_.find(stride.loop);
            if (loop == iterations_.end() || loop->second == 0) return false;
            (stride.bytes < 0 ? begin : end) += stride.bytes * (loop->second - 1);
        }
        return has_lane && begin >= 0 && end <= part;
    }

    const Program& p_;
    std::map<Place, std::int64_t> whole_; ///< the bytes of each argument and result
    std::map<Place, std::vector<std::int64_t>> divisions_;
    std::set<Place> shared_;
    std::map<std::uint32_t, std::int64_t> iterations_; ///< by LoopStep::id
};

void remove_meetings(Steps& steps, const Uses& uses) {
    for (Step& step : steps) {
        for (Steps& children : step.children) remove_meetings(children, uses);
        if (const auto* meeting = std::get_if<MeetingStep>(&step.attributes);
            meeting != nullptr && meeting->work == MeetingWork::gather)
            std::erase_if(step.buffers, [&](BufferId id) { return !uses.division(id).empty(); });
    }
    std::erase_if(steps, [](const Step& s) { return s.kind() == StepKind::meeting && s.buffers.empty(); });
}

} // namespace

void divide(Program& program) {
    const Uses uses(program);
    remove_meetings(program.steps, uses);
    for (const BufferId id : program.arguments) {
        program.argument_divisions.push_back(uses.division(id));
        program.argument_is_used.push_back(uses.is_used(id));
    }
    for (const BufferId id : program.results) program.result_divisions.push_back(uses.division(id));
}

} // namespace pm::plan
