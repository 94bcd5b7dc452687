#include "compiler/stage/core/stager.hpp"

#include "compiler/base/account.hpp"
#include "compiler/base/stop.hpp"
#include "compiler/stage/core/specialiser.hpp"

#include <chrono>

namespace pm::stage {

Stager::Stager(SourceMap& sources, Host host)
    : sources_(sources), host_(std::move(host)), specialiser_(std::make_unique<Specialiser>(*this)) {
    modules_.load_prelude();
}

Stager::~Stager() = default;

void Stager::poll(Span span) {
    ++steps_;
    const auto at = [&] { return places_.of(work_span_ ? work_span_ : span); };
    if (host_.cancel && host_.cancel->load(std::memory_order_relaxed)) raise(diagnose(Diag::interrupted, at()));
    if (host_.deadline && std::chrono::steady_clock::now() > *host_.deadline)
        raise(diagnose(Diag::deadline_passed, at()));
}

void Stager::on_deep_stack(const std::function<void()>& work) {
    const auto stoppable = [&] {
        const StopScope scope(polling());
        const AccountScope account(host_.allocator);
        work();
    };
    if (host_.deep) return host_.deep(stoppable);
    stoppable();
}

} // namespace pm::stage
