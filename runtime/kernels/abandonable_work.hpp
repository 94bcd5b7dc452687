#pragma once
#include "runtime/abi.h"

#include <functional>

namespace pm::runtime {

/// Runs `work` on a separate thread and waits for it until the call is abandoned. Rethrows an exception of the work.
/// Returns false when the call was abandoned. The work then continues on its thread, so it must own all data that it
/// uses. The process does not wait for such work at its end. Failure(bad_argument) when eight abandoned works are still
/// running. For library functions that cannot be stopped. Starting the thread takes some 30 us.
bool run_detached(PmCall* call, std::function<void()> work);

} // namespace pm::runtime
