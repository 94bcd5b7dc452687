#pragma once

namespace pm::runtime {

class Allocator;

/// Makes this thread prepay for `account`: the account counts 64 KB at a time as in use, before the thread needs these
/// bytes. The thread's charges and allocations are then subtracted from this prepaid amount. Bytes that the thread
/// frees are added to the prepaid amount, up to 128 KB. If the thread has prepaid to another account, the rest is
/// returned to that other account. If `account` is null, the thread does not prepay: each charge is counted separately.
/// The account must live until this thread calls prepay() again.
void prepay(Allocator* account) noexcept;

} // namespace pm::runtime
