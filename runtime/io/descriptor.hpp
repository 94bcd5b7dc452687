#pragma once
#include <unistd.h>

#include <utility>

namespace pm::runtime {

/// An open file of the system; -1 where there is none. Closed at the end.
class Descriptor {
  public:
    explicit Descriptor(int number = -1) : number_(number) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }

    int number() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }
    /// 0, or -1 with errno: a network's file system may refuse here what was written.
    int close() { return number_ < 0 ? 0 : ::close(std::exchange(number_, -1)); }

  private:
    int number_;
};

} // namespace pm::runtime
