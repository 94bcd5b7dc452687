#pragma once
#include "compiler/codegen/emit.hpp"

#include <memory>

namespace pm::codegen {

/// Threads of a warp, which exchange values without memory.
inline constexpr int warp = 32;

/// How the code of a kernel sees the threads that run it: which one it is, and what it does together with the others of
/// its block. The only part of a kernel that differs between PTX and the emulated device.
class Threads {
  public:
    explicit Threads(Emit& e) : e(e) {}
    virtual ~Threads() = default;
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    /// The number of the thread in its block, and of the block: i64.
    virtual Value* thread() = 0;
    virtual Value* block() = 0;
    /// All threads of the block come here before one goes on; what they wrote is seen by all.
    virtual void barrier() = 0;
    /// The same for the threads of a segment, see take().
    virtual void meet(int width) = 0;
    /// Memory of the block, aligned to 16, one region a call, undefined at first.
    virtual Value* shared(std::int64_t bytes) = 0;
    /// The value of thread `source` (i32) of the segment of `width` threads that this thread stands in. Segments divide
    /// a warp; all threads of one come here together.
    Value* take(Value* value, Value* source, int width);

  protected:
    Emit& e;

  private:
    /// The same for an i32.
    virtual Value* take_word(Value* word, Value* source, int width) = 0;
};

/// Of a kernel as NVPTX compiles it.
std::unique_ptr<Threads> nvptx_threads(Emit& e);
/// Of a kernel that the emulated device runs; `self` is its PmThread.
std::unique_ptr<Threads> emulated_threads(Emit& e, Value* self);

} // namespace pm::codegen
