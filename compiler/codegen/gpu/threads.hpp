#pragma once
#include "compiler/codegen/scalar/emit.hpp"

#include <array>
#include <functional>
#include <memory>

namespace pm::codegen {

/// So many bytes in whole words of 16: the most that a thread reads at once, and where what it reads so begins.
constexpr std::int64_t in_words_of_16(std::int64_t bytes) { return (bytes + 15) / 16 * 16; }

/// Threads of a warp, which exchange values without memory.
inline constexpr int warp = 32;

/// What a warp multiplies with one instruction: two blocks of 32 bytes along k, as f32 of which 10 bits behind the
/// point count, or as halves.
enum class Factors : std::uint8_t { tf32, f16, bf16 };

/// How the code of a kernel sees the threads that run it: which one it is, and what it does together with the others of
/// its block. The only part of a kernel that differs between PTX and the emulated device.
class Threads {
  public:
    explicit Threads(Emit& e) : e(e) {}
    virtual ~Threads() = default;
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    /// The number of the thread in its block, of the block, and how many blocks the launch has: i64.
    virtual Value* thread() = 0;
    virtual Value* block() = 0;
    virtual Value* blocks() = 0;
    /// All threads of the block come here before one goes on; what they wrote is seen by all.
    virtual void barrier() = 0;
    /// The same for the threads of a segment, see take(), or of `width` threads, a power of two, that are several
    /// warps.
    virtual void meet(int width) = 0;
    /// The same for all threads of the launch. Of resident kernels only, as is what follows.
    virtual void gather() = 0;
    /// The same, and whether the call is to be left (i1): one answer for all.
    virtual Value* gather_and_ask() = 0;
    /// An address of the device's memory, as operations want it that are of this memory alone.
    virtual Value* in_device(Value* address) = 0;
    /// Memory of the block, aligned to 16, one region a call, undefined at first.
    Value* shared(std::int64_t bytes);
    /// What shared() has given may be given again.
    void release_shared() { used_ = 0; }
    /// The value of thread `source` (i32) of the segment of `width` threads that this thread stands in. Segments divide
    /// a warp; all threads of one come here together.
    Value* take(Value* value, Value* source, int width);

    // What follows all threads of a warp do together. `row` and `column` are lane / 4 and lane % 4.

    /// c + a b of 16 x 8 numbers, f32, summed over 32 bytes of k, each thread with its part of each: a has words (i32)
    /// `column` of the lines `row` and `row` + 8 in the first 16 bytes of k, then in the second; b word `column` of
    /// line `row` in both; c the elements 2 `column` and the next of line `row`, and of line `row` + 8.
    virtual std::array<Value*, 4> multiply_add(Factors factors, const std::array<Value*, 4>& a,
                                               const std::array<Value*, 2>& b, const std::array<Value*, 4>& c) = 0;
    /// Four words from the block's memory, of four blocks of 8 lines of 16 bytes. `line` gives the address of line
    /// `lane` % 8 of block `lane` / 8. A thread gets word `column` of line `row` of each; `turned`: of the block's
    /// transpose, in 16 bits.
    virtual std::array<Value*, 4> load_blocks(const std::function<Value*(Value* lane)>& line, bool turned) = 0;

    // What follows each thread does for itself.

    /// An f32 rounded to TF32, as a word.
    virtual Value* to_tf32(Value* value) = 0;
    /// `bytes` (4, 8 or 16, aligned to that) are copied into the block's memory, or zeros where `there` is false; they
    /// have come when their group has been waited for. The copies since the last close_group() are a group.
    virtual void copy_later(Value* to, Value* from, int bytes, Value* there) = 0;
    virtual void close_group() = 0;
    /// Until all groups but the last `but` have come.
    virtual void wait_for_groups(int but) = 0;

  protected:
    Emit& e;

  private:
    /// The same for an i32.
    virtual Value* take_word(Value* word, Value* source, int width) = 0;
    /// The start of the block's memory, which is of `bytes` at least.
    virtual Value* shared_memory(std::int64_t bytes) = 0;

    std::int64_t used_ = 0; ///< of the block's memory
};

/// What the host gives a resident kernel beside its buffers: the last parameters.
struct Host {
    Value* stop = nullptr;    ///< address of an i32 that the host sets when the call is to be left
    Value* meeting = nullptr; ///< of PM_MEETING_BYTES, zero at first, through which blocks meet; null: there is one
};

/// Of a kernel as NVPTX compiles it.
std::unique_ptr<Threads> nvptx_threads(Emit& e, const Host& host = {});
/// Of a kernel that the emulated device runs; `self` is its PmThread.
std::unique_ptr<Threads> emulated_threads(Emit& e, Value* self);

} // namespace pm::codegen
