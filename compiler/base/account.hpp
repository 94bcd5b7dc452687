#pragma once
#include "runtime/failure.hpp"
#include "runtime/memory/allocator.hpp"

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace pm {

/// The account that pays for what the compiler makes on this thread: values of programs while they are staged, and
/// blocks of instructions. They are made in many places that know no engine; whoever has one puts an AccountScope
/// around them. Without a scope nobody pays.
class AccountScope {
  public:
    explicit AccountScope(std::shared_ptr<runtime::Allocator> account);
    ~AccountScope();
    AccountScope(const AccountScope&) = delete;
    AccountScope& operator=(const AccountScope&) = delete;

  private:
    std::shared_ptr<runtime::Allocator> outer_;
};

/// Of this thread; null: nobody pays.
const std::shared_ptr<runtime::Allocator>& account();
/// Bytes charged to the account of this thread. Throws runtime::Failure(memory_limit).
inline runtime::Charge charged(std::size_t bytes) { return runtime::Charge(account(), bytes); }

/// What containers and shared pointers take their memory from whose size a program decides: the account of the thread
/// that allocates pays until the memory is given back, on whatever thread. Throws runtime::Failure(memory_limit) before
/// there is any. `extra` bytes are charged for each element: what an element has elsewhere and nobody else counts.
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
    /// Before the elements.
    struct alignas(alignof(std::max_align_t)) Head {
        runtime::Charge paid;
    };
    static constexpr std::size_t most = (std::size_t{1} << 46) / (sizeof(T) + extra);
};

} // namespace pm
