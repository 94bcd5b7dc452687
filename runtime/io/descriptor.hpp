#pragma once
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace pm::runtime {

/// An open file descriptor, or -1 for none. The destructor closes the descriptor.
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
    /// Closes the file. Returns 0, or -1 with errno. A network file system may report only here that an earlier write
    /// failed. EINTR is no error, because the descriptor is then closed.
    int close() {
        if (number_ < 0) return 0;
        return ::close(std::exchange(number_, -1)) == 0 || errno == EINTR ? 0 : -1;
    }

  private:
    int number_;
};

} // namespace pm::runtime
