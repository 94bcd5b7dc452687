#pragma once
#include <cstddef>

namespace pm::cli::editor {

/// Standard input, byte by byte; a signal can end a wait for it.
class Bytes {
  public:
    Bytes();
    /// Implements Input::next.
    int next(int milliseconds);
    /// Whether more bytes can be read without waiting.
    bool more() const;
    /// Discards signals that arrived while no thread waited.
    static void forget_signals();

  private:
    char bytes_[4096];
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

/// These functions end a wait with Input::interrupted or Input::resized. For signal handlers.
void wake_for_interrupt();
void wake_for_resize();

} // namespace pm::cli::editor
