#pragma once
#include "compiler/evaluate/evaluate.hpp"
#include "compiler/evaluate/lanes.hpp"
#include "runtime/memory/tape.hpp"

#include <map>

namespace pm::evaluate {

/// Runs blocks for a set of lanes in lock step. Each instruction runs for all lanes before the next instruction runs.
class Machine {
  public:
    explicit Machine(const Options& options)
        : options_(options), tapes_(std::make_shared<runtime::Tapes>(options.allocator)) {}

    std::vector<Column> run(const ir::Block& block, std::vector<Column> arguments, const Lanes& lanes);
    const std::shared_ptr<runtime::Tapes>& tapes() const { return tapes_; }
    /// Passes the collected texts of prints to Options::print, in the order of the lanes.
    void flush();

  private:
    /// Raises Diag::interrupted if the run must stop. The function is called at every instruction and every iteration
    /// of a loop.
    void poll(const ir::Inst& inst) const;
    std::vector<Column> instruction(const ir::Block& block, const ir::Inst& inst, const std::vector<Column>& operands,
                                    const Lanes& lanes);
    std::vector<Column> flat(const ir::Block& block, const ir::Inst& inst, const std::vector<Column>& operands,
                             const Lanes& lanes);
    std::vector<Column> if_(const ir::Inst& inst, const std::vector<Column>& operands, const Lanes& lanes);
    std::vector<Column> while_(const ir::Inst& inst, const std::vector<Column>& operands, const Lanes& lanes);
    std::vector<Column> scan(const ir::Block& block, const ir::Inst& inst, const std::vector<Column>& operands,
                             const Lanes& lanes);
    std::vector<Column> iteration_of(const ir::Inst& scan, std::int64_t index, std::vector<Column> arguments,
                                     const Lanes& lanes);
    std::vector<Column> pmap(const ir::Inst& inst, const std::vector<Column>& operands, const Lanes& lanes);
    std::vector<Column> check(const ir::Inst& inst, const std::vector<Column>& operands, const Lanes& lanes);
    std::vector<Column> print(const ir::Inst& inst, const std::vector<Column>& operands, const Lanes& lanes);

    const Options& options_;
    std::shared_ptr<runtime::Tapes> tapes_;    ///< the tapes of this run, freed at its end
    std::map<std::int64_t, std::string> held_; ///< per lane: the text printed since the last collective
};

} // namespace pm::evaluate
