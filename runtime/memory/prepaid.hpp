#pragma once

namespace pm::runtime {

class Allocator;

/// From now on what this thread charges and allocates is taken from what it has prepaid to the account, 64 KB at a
/// time, and what it gives back makes that more, up to 128 KB: other threads count that as in use. What it had prepaid
/// to another account goes back. Null: it pays each time. The account must live until that is said.
void prepay(Allocator* account) noexcept;

} // namespace pm::runtime
