#pragma once

namespace pm::runtime {

class Allocator;

/// Makes this thread prepay for `account`: the thread's charges and allocations are subtracted from a prepaid amount,
/// which grows by 64 KB at a time. Bytes that the thread frees are added to the amount, up to 128 KB. The account
/// counts the prepaid amount as in use. If the thread has prepaid to another account, that amount is returned to the
/// other account. Null: each charge is counted separately. The account must live until this thread calls prepay()
/// again.
void prepay(Allocator* account) noexcept;

} // namespace pm::runtime
