#pragma once
#include "runtime/abi.h"

#include <functional>

namespace pm::runtime {

/// Runs `work` on a thread of its own and waits for it while the call is wanted; what it throws is thrown here. False:
/// the call was abandoned and the work goes on alone, so it must own all that it touches. A process that ends meanwhile
/// does not wait for it; Failure(bad_argument) where eight such are still at work. For work of a library that cannot be
/// stopped; starting the thread takes some 30 us.
bool run_detached(PmCall* call, std::function<void()> work);

} // namespace pm::runtime
