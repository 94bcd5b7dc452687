#pragma once
#include "runtime/failure.hpp"
#include "runtime/memory/allocator.hpp"

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace pm {

/// Sets the account of this thread while the scope lives. An account is the allocator of an engine; the allocator
/// counts memory and limits it. The account is charged for the compiler's data on this thread: values of programs
/// during staging, and IR. The code that allocates this data has no access to an engine, so a caller that has an engine
/// opens an AccountScope. Without a scope nothing is charged.
class AccountScope {
  public:
    explicit AccountScope(std::shared_ptr<runtime::Allocator> account);
    ~AccountScope();
    AccountScope(const AccountScope&) = delete;
    AccountScope& operator=(const AccountScope&) = delete;

  private:
    std::shared_ptr<runtime::Allocator> outer_;
};

/// The account of this thread. Null if nothing is charged.
const std::shared_ptr<runtime::Allocator>& account();
/// Charges `bytes` bytes to the account of this thread. Throws runtime::Failure(memory_limit).
inline runtime::Charge charged(std::size_t bytes) { return runtime::Charge(account(), bytes); }

/// The allocator of containers and shared pointers whose size depends on the program. An allocation is charged to the
/// account of the thread that allocates. The charge ends when the memory is freed, on any thread. If the charge would
/// exceed the limit of the account, allocate() throws runtime::Failure(memory_limit). `extra` bytes more are charged
/// for each element, for memory that the element owns and that is not charged elsewhere.
template <class T, std::size_t extra = 0>
class Counted {
  public:
    using value_type = T;
    template <class U>
    struct rebind {
        using other = Counted<U, extra>;
    };
    Counted() = default;
    template <class U>
    Counted(const Counted<U, extra>&) {}

    T* allocate(std::size_t n) {
        static_assert(alignof(T) <= alignof(std::max_align_t));
        if (n > most) throw runtime::Failure(runtime::FailureKind::out_of_memory, "a list has too many elements");
        runtime::Charge paid = charged(n * (sizeof(T) + extra) + sizeof(Head));
        void* const bytes = std::malloc(n * sizeof(T) + sizeof(Head));
        if (bytes == nullptr) throw std::bad_alloc();
        return reinterpret_cast<T*>(new (bytes) Head{std::move(paid)} + 1);
    }
    void deallocate(T* elements, std::size_t) noexcept {
        Head* const head = reinterpret_cast<Head*>(elements) - 1;
        head->~Head();
        std::free(head);
    }
    bool operator==(const Counted&) const = default;

  private:
    /// Stored before the elements in the allocated memory.
    struct alignas(alignof(std::max_align_t)) Head {
        runtime::Charge paid;
    };
    static constexpr std::size_t most = (std::size_t{1} << 46) / (sizeof(T) + extra);
};

} // namespace pm
