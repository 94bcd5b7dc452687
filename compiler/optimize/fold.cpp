#include "compiler/optimize/constants.hpp"
#include "compiler/optimize/pass.hpp"
#include "compiler/optimize/rewrite.hpp"

namespace pm::optimize {
namespace {

class Fold {
  public:
    explicit Fold(const BlockPtr& from) : from_(from), to_(*from) {}

    BlockPtr run() {
        for (const Inst& inst : from_->insts) instruction(inst);
        return changed_ ? to_.finish() : from_;
    }

  private:
    void instruction(const Inst& inst) {
        Inst made = to_.renamed(inst);
        to_.b.set_place(inst.place);
        std::vector<ir::Type> types;
        for (const Value v : inst.results) types.push_back(from_->type(v));
        if (auto results = fold_flat(to_.b, made, types)) {
            changed_ = true;
            return to_.set(inst, *results);
        }
        if (auto inlined = fold_control(to_.b, made, types)) {
            changed_ = true;
            return to_.set(inst, inlined->block ? to_.b.inline_block(*inlined->block, inlined->arguments)
                                                : inlined->arguments);
        }
        to_.set(inst, to_.append(std::move(made), inst));
    }

    const BlockPtr& from_;
    Rebuild to_;
    bool changed_ = false;
};

} // namespace

BlockPtr pass::fold(const BlockPtr& block) {
    return bottom_up(block, [](const BlockPtr& b) { return Fold(b).run(); });
}

} // namespace pm::optimize
