// Direct calls: calls of functions of texts, whose results cost less to compute again than to keep.
#include "compiler/stage/call/cache.hpp"
#include "compiler/stage/call/staging.hpp"
#include "compiler/stage/core/restore.hpp"

#include <algorithm>

namespace pm::stage {
namespace {

/// The number of a function's text in the program.
std::uint64_t number_of(const Closure& f) { return std::uint64_t{f.module->source()} << 32 | f.id.value; }

/// Whether a call passes no numbers, arrays or functions, also not by captured values.
bool passes_no_data(const Call& call, const Closure& f) {
    const auto named = [](const auto& field) { return may_have_leaves(field.second); };
    return std::ranges::none_of(call.arguments, may_have_leaves) && std::ranges::none_of(call.named, named) &&
           std::ranges::none_of(f.captured, named);
}

/// Whether a function that was staged into this block did no work on data.
bool is_empty(const ir::Block& block) { return block.insts.empty() && block.params.empty(); }

/// Whether a result consists of texts, known numbers and other known parts.
bool is_known(const Value& result) {
    bool known = !holds_function(result);
    for_each_leaf(result, [&](const Value& leaf) { known = known && leaf.number(); });
    return known;
}

/// A recorder for a function whose code is not kept: nothing needs its dependencies.
class NoDependencies {
  public:
    NoDependencies(Cache& cache, std::shared_ptr<Context> context) : cache_(cache) {
        Recorder& recorder = cache.recorders.emplace_back();
        recorder.begin(std::move(context));
        recorder.keeps_dependencies = false;
    }
    ~NoDependencies() { cache_.recorders.pop_back(); }
    NoDependencies(const NoDependencies&) = delete;
    NoDependencies& operator=(const NoDependencies&) = delete;

  private:
    Cache& cache_;
};

} // namespace

/// Remembers a function as direct if its staged call passes no data, makes no code, and takes few steps. A function
/// with more work keeps its results in the cache.
void Specialiser::note_direct(const KeyedCall& call, const StagedFunction& staged, std::uint64_t steps) {
    constexpr std::uint64_t most_steps = 64;
    const Closure* const f = call.function.function()->closure();
    if (f && steps <= most_steps && call.leaves.empty() && is_empty(*staged.block) && passes_no_data(call, *f))
        cache_->direct.insert(number_of(*f));
}

/// The result of a call of a direct function: the function is staged into a block that is dropped, without a key and
/// without an entry in the cache. 10^6 calls with different texts take 1 s instead of 9 s. Empty if the function turns
/// out to have data, a failure, or host work; it is then called as any function.
std::optional<Value> Specialiser::direct_call(const Call& call) {
    const Closure* const f = call.function.function()->closure();
    if (!f || cache_->direct.empty() || !cache_->direct.contains(number_of(*f)) || !passes_no_data(call, *f)) return {};
    if (s_.context_ && s_.context_.get() == cache_->direct_context) return s_.calls().inside(call);
    const bool at_top = s_.interpreting() && cache_->recorders.empty();
    if (!at_top || s_.checking() || s_.kind_of_function_ != Context::Kind::function) return {};
    const Results no_results;
    const auto context = std::make_shared<Context>(Context::Kind::function, nullptr, name_of(call.function));
    context->know_results(&no_results);
    std::optional<Value> made;
    {
        const NoDependencies recorder(*cache_, context);
        const Restore<const Context*> direct_scope(cache_->direct_context, context.get());
        const Restore context_scope(s_.context_, context);
        const Restore dirty_scope(s_.scopes().dirty, {});
        try {
            s_.on_deep_stack([&] { made = s_.calls().inside(call); });
        } catch (const Error& e) { // the usual call raises the error again, with all its parts
            if (ends_run(e.diagnostic()) || e.diagnostic().id == Diag::out_of_memory) throw;
        } catch (const HostWork&) {
        } catch (const NeedKnown&) {
        } catch (const NeedUnroll&) {
        } catch (const NeedResult&) {
        }
    }
    if (made && is_empty(context->build().raw().block()) && is_known(*made)) return s_.interpreted_.known_result(*made);
    cache_->direct.erase(number_of(*f));
    return {};
}

} // namespace pm::stage
