#pragma once
#include "compiler/codegen/scalar/emit.hpp"

#include <array>
#include <functional>
#include <memory>

namespace pm::codegen {

/// `bytes` rounded up to a multiple of 16. The widest access of a thread has 16 bytes and is aligned to 16 bytes.
constexpr std::int64_t in_words_of_16(std::int64_t bytes) { return (bytes + 15) / 16 * 16; }

/// The number of threads of a warp. The threads of a warp exchange values without memory.
inline constexpr int warp = 32;

/// The dtypes of the factors of a warp's matrix instruction: f32 with 10 fraction bits (TF32), or 16-bit floats. One
/// instruction multiplies 32 bytes of each factor along k.
enum class Factors : std::uint8_t { tf32, f16, bf16 };

/// Emits those operations of a thread that involve the other threads of the kernel: the position of the thread in the
/// launch, barriers, and the exchange of values. Only these operations differ between PTX and the emulated device.
class Threads {
  public:
    explicit Threads(Emit& e) : e(e) {}
    virtual ~Threads() = default;
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    /// The index of the thread in its thread block, the index of the thread block, and the number of thread blocks of
    /// the launch: i64.
    virtual Value* thread() = 0;
    virtual Value* block() = 0;
    virtual Value* blocks() = 0;
    /// A barrier for all threads of the thread block. After the barrier, each thread sees all earlier writes of the
    /// other threads.
    virtual void barrier() = 0;
    /// A barrier for `width` threads: for the threads of a segment (see take()), or for the threads of several warps if
    /// `width` is greater than a warp. `width` is a power of two.
    virtual void team_barrier(int width) = 0;
    /// A barrier for all threads of the launch. grid_barrier() and grid_barrier_and_poll() are for persistent kernels
    /// only.
    virtual void grid_barrier() = 0;
    /// A grid_barrier() that returns whether the call must stop (i1). The result is the same for all threads.
    virtual Value* grid_barrier_and_poll() = 0;
    /// Casts an address to the address space of device memory.
    virtual Value* in_device(Value* address) = 0;
    /// A region of the thread block's shared memory, aligned to 16 bytes. Each call returns another region, with
    /// undefined content.
    Value* shared(std::int64_t bytes);
    /// Frees all regions, so that shared() can return the same memory again.
    void release_shared() { used_ = 0; }
    /// The value that thread number `source` (i32) of this thread's segment has passed as `value`. A warp is divided
    /// into segments of `width` threads. All threads of a segment must call this function together.
    Value* take(Value* value, Value* source, int width);

    // All threads of a warp must call the following functions together. `lane` is the number of a thread in its warp,
    // `row` is lane / 4 and `column` is lane % 4.

    /// c + a b for 16 x 8 elements of f32, summed over 32 bytes of k. Each thread has a part of each operand. A line is
    /// a row of a or c, or a column of b. The part of a: words (i32) `column` of the lines `row` and `row` + 8 in the
    /// first 16 bytes of k, then in the second 16 bytes. The part of b: word `column` of line `row` in the first and in
    /// the second 16 bytes. The part of c: the elements 2 `column` and 2 `column` + 1 of line `row`, then of line `row`
    /// + 8.
    virtual std::array<Value*, 4> multiply_add(Factors factors, const std::array<Value*, 4>& a,
                                               const std::array<Value*, 2>& b, const std::array<Value*, 4>& c) = 0;
    /// Loads four words from shared memory, one from each of four small matrices of 8 lines of 16 bytes. `line` returns
    /// the address of line `lane` % 8 of matrix `lane` / 8. A thread gets word `column` of line `row` of each matrix.
    /// If `transposed` is true, each matrix is first transposed as 8 x 8 elements of 16 bits.
    virtual std::array<Value*, 4> load_blocks(const std::function<Value*(Value* lane)>& line, bool transposed) = 0;

    // Each thread may call the following functions alone.

    /// An f32 rounded to TF32, as a word.
    virtual Value* to_tf32(Value* value) = 0;
    /// Starts a copy of `bytes` bytes into shared memory. `bytes` is 4, 8 or 16, and both addresses are multiples of
    /// `bytes`. If `there` is false, zeros are written instead. The copies since the last close_group() form a group.
    /// wait_for_groups() waits until groups are complete.
    virtual void copy_later(Value* to, Value* from, int bytes, Value* there) = 0;
    virtual void close_group() = 0;
    /// Waits until all groups except the last `but` are complete.
    virtual void wait_for_groups(int but) = 0;

  protected:
    Emit& e;

  private:
    /// take() for an i32.
    virtual Value* take_word(Value* word, Value* source, int width) = 0;
    /// The address of the thread block's shared memory, which has at least `bytes` bytes.
    virtual Value* shared_memory(std::int64_t bytes) = 0;

    std::int64_t used_ = 0; ///< bytes of shared memory that shared() has returned
};

/// The last parameters of a persistent kernel, from the host.
struct Host {
    Value* stop = nullptr; ///< address of an i32 that the host sets if the call must stop
    /// Memory of PM_SYNC_BYTES bytes, initially zero, for barriers of several thread blocks. Null: the launch has one
    /// thread block.
    Value* sync = nullptr;
};

/// The threads of a kernel for NVPTX.
std::unique_ptr<Threads> nvptx_threads(Emit& e, const Host& host = {});
/// The threads of a kernel for the emulated device. `self` is the PmThread.
std::unique_ptr<Threads> emulated_threads(Emit& e, Value* self);

} // namespace pm::codegen
