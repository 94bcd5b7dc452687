#pragma once
#include <utility>

namespace pm::stage {

/// Sets a variable. Restores the variable's old value at the end of the scope, also if an exception ends the scope.
template <class T>
class Restore {
  public:
    explicit Restore(T& place) : place_(place), old_(place) {}
    Restore(T& place, T now) : place_(place), old_(std::exchange(place, std::move(now))) {}
    ~Restore() { place_ = std::move(old_); }
    Restore(const Restore&) = delete;
    Restore& operator=(const Restore&) = delete;

  private:
    T& place_;
    T old_;
};

} // namespace pm::stage
