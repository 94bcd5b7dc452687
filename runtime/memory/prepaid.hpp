#pragma once

namespace pm::runtime {

class Allocator;

/// Makes this thread prepay for `account`: its charges and allocations are taken from a prepaid amount, which grows by
/// 64 KB at a time. Freed bytes are added to it, up to 128 KB. Other threads see the prepaid amount as in use. An
/// amount prepaid to another account is returned to it. Null: each charge is counted separately. The account must live
/// until this thread calls prepay() again.
void prepay(Allocator* account) noexcept;

} // namespace pm::runtime
