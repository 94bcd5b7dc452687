#pragma once
#include <cstddef>

namespace pm::cli::editor {

/// Reads standard input byte by byte. A signal can end the wait for a byte.
class Bytes {
  public:
    Bytes();
    /// Implements Input::next.
    int next(int milliseconds);
    /// Whether more bytes can be read without waiting.
    bool more() const;
    /// Discards signals that arrived while no thread waited for a byte.
    static void forget_signals();

  private:
    char bytes_[4096];
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

/// For signal handlers. Each function ends a wait for a byte: next() returns Input::interrupted or Input::resized.
void wake_for_interrupt();
void wake_for_resize();

} // namespace pm::cli::editor
