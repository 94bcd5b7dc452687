#include "compiler/base/stop.hpp"

#include <cstdint>
#include <utility>

namespace pm {
namespace {

thread_local const std::function<void()>* asked = nullptr;
thread_local std::uint32_t iterations = 0;

} // namespace

StopScope::StopScope(std::function<void()> ask) : ask_(std::move(ask)), outer_(asked) { asked = &ask_; }
StopScope::~StopScope() { asked = outer_; }

void poll_stop() {
    if (asked != nullptr && ++iterations % 256 == 0) (*asked)();
}

} // namespace pm
