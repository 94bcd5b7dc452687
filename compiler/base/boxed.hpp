#pragma once
#include <memory>
#include <type_traits>
#include <utility>

namespace pm {

/// A value in separate memory. Used for an alternative that would otherwise determine the size of a variant. A copy of
/// the box copies the value. A box that was moved from is null.
template <class T, class Allocator>
class Boxed {
  public:
    Boxed(T value) {
        Allocator memory;
        T* const place = memory.allocate(1);
        value_.reset(std::construct_at(place, std::move(value)));
    }
    Boxed(const Boxed& other) {
        if (other.value_) *this = Boxed(T(*other.value_));
    }
    Boxed(Boxed&&) noexcept = default;
    Boxed& operator=(const Boxed& other) { return *this = Boxed(other); }
    Boxed& operator=(Boxed&&) noexcept = default;
    ~Boxed() = default;

    const T* get() const { return value_.get(); }
    T* get() { return value_.get(); }

  private:
    static_assert(std::is_nothrow_move_constructible_v<T>);
    struct Free {
        void operator()(T* value) const noexcept {
            std::destroy_at(value);
            Allocator().deallocate(value, 1);
        }
    };
    std::unique_ptr<T, Free> value_;
};

} // namespace pm
