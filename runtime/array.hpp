#pragma once
#include "runtime/dtype.hpp"
#include "runtime/element.hpp"
#include "runtime/gpu/device/device.hpp"
#include "runtime/memory/allocator.hpp"

#include <atomic>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace pm::runtime {

using Shape = std::vector<std::int64_t>;

/// The product of the sizes; Failure(bad_argument) when a size is negative, Failure(out_of_memory) when
/// elements * width does not fit 63 bits. `width` is bytes per element.
std::int64_t checked_elements(std::span<const std::int64_t> shape, std::size_t width);
/// The first and the last element that strides reach, counted from the one at index 0.
struct Reach {
    std::int64_t first = 0; ///< 0 or less
    std::int64_t last = 0;  ///< 0 or more
};
/// That of an array with elements. An axis of one element has no use for its stride. Failure(bad_argument) when the
/// elements lie further apart than a process can address; `width` is bytes per element.
Reach checked_reach(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides, std::size_t width);
/// "f32[3, 4]", "i32" for a scalar.
std::string type_text(DType dtype, std::span<const std::int64_t> shape);

/// Thrown where elements of an abstract array are asked for: whoever makes such arrays catches it.
struct AbstractRead {};

/// Counted memory behind arrays. The count is its own (not shared_ptr's) so that "one owner" is read with
/// acquire order: what former owners on other threads did to the bytes has happened before.
///
/// The bytes are in the host's memory, in a device's, or in both, and are brought over when they are asked for on the
/// other side; what is written on one side is no longer on the other.
class Buffer {
  public:
    static Buffer* allocate(std::size_t bytes, const std::shared_ptr<Allocator>& allocator);
    /// Memory of somebody else; `keep` (may be null) is held as long as the buffer lives.
    static Buffer* foreign(const void* data, std::size_t bytes, std::shared_ptr<const void> keep);

    /// Memory of a device; the host's comes from `allocator` when it is needed.
    static Buffer* on_device(std::size_t bytes, const std::shared_ptr<Device>& device,
                             const std::shared_ptr<Allocator>& allocator);
    /// No memory: what an abstract array has.
    static Buffer* abstract();
    /// Memory that `fill` writes when it is first read.
    static Buffer* gathered(std::size_t bytes, std::function<void(std::byte*)> fill);
    bool is_gathered() const { return gathered_; }

    /// To be read; AbstractRead when there is none.
    std::byte* data() const {
        if (absent_.load(std::memory_order_acquire)) fetch();
        return data_;
    }
    /// To be written.
    std::byte* mutable_data() {
        std::byte* bytes = data();
        if (device_) leave_device();
        if (moved_ > 0) forget_parts();
        return bytes;
    }
    /// The same for memory of a device: addresses of it. What is written is `owned`.
    std::byte* device_data(const std::shared_ptr<Device>& device) const;
    std::byte* mutable_device_data(const std::shared_ptr<Device>& device);
    /// Memory of `device` with these bytes alone, for the caller to release: null where the whole is there, or is
    /// better brought. Parts are brought as long as they are less to move than the whole, and some are kept for the
    /// next time.
    Buffer* part_on(const std::shared_ptr<Device>& device, std::size_t offset, std::size_t bytes) const;
    /// The device that the bytes are on and on the host they are not; null otherwise.
    std::shared_ptr<Device> only_on() const;
    std::size_t bytes() const { return bytes_; }
    bool owned() const { return owned_; }
    const std::shared_ptr<Allocator>& allocator() const { return allocator_; }
    void retain() { owners_.fetch_add(1, std::memory_order_relaxed); }
    void release() noexcept {
        if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }
    bool one_owner() const { return owners_.load(std::memory_order_acquire) == 1; }

  private:
    Buffer() = default;
    explicit Buffer(const std::shared_ptr<Allocator>& allocator);
    ~Buffer();
    void fetch() const;
    void bring_home() const;
    void leave_device() const;
    void forget_parts() const noexcept;
    bool whole_is_better(const Device& device, std::size_t bytes) const;

    std::atomic<std::int64_t> owners_{1};
    mutable std::atomic<bool> absent_{false}; ///< the host has not the bytes
    mutable std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
    bool owned_ = false;
    bool abstract_ = false;
    bool gathered_ = false;
    mutable std::function<void(std::byte*)> fill_; ///< of a gathered one that nobody has read
    std::shared_ptr<Allocator> allocator_;
    std::shared_ptr<const void> keep_;
    mutable std::mutex mutex_; ///< of bringing over
    mutable std::shared_ptr<Device> device_;
    mutable std::byte* device_data_ = nullptr;
    /// What of the host's bytes a device has in parts of its own. None is changed: those who change theirs copy them.
    struct Part {
        std::size_t offset;
        std::size_t bytes;
        std::shared_ptr<Device> device;
        Buffer* buffer;
    };
    mutable std::vector<Part> parts_; ///< the last that was asked for at the end
    mutable std::size_t parts_bytes_ = 0;
    mutable std::size_t moved_ = 0; ///< in parts, since the host changed something; not 0 when there are parts
};

/// A dense row-major array: dtype, shape and a counted buffer with an offset. A value: copying shares the
/// buffer, and mutable_data() copies the elements first unless this array is the only owner, so that a change
/// is never seen through another array. One array must not be changed by two threads at once; different
/// arrays may share a buffer freely. Buffers made here are aligned to 64 bytes; views and borrowed memory to
/// their element size only.
class Array {
  public:
    /// No array. All but `operator bool`, assignment and destruction need one.
    Array() = default;
    ~Array() {
        if (buffer_ != nullptr) buffer_->release();
    }
    Array(const Array& other)
        : dtype_(other.dtype_), elements_(other.elements_), offset_(other.offset_), shape_(other.shape_),
          buffer_(other.buffer_) {
        if (buffer_ != nullptr) buffer_->retain();
    }
    Array(Array&& other) noexcept { swap(other); }
    Array& operator=(Array other) noexcept {
        swap(other);
        return *this;
    }
    void swap(Array& other) noexcept;

    /// Contents undefined.
    static Array on_device(DType dtype, Shape shape, const std::shared_ptr<Device>& device,
                           const std::shared_ptr<Allocator>& allocator = {});
    static Array empty(DType dtype, Shape shape, const std::shared_ptr<Allocator>& allocator = {});
    static Array zeros(DType dtype, Shape shape, const std::shared_ptr<Allocator>& allocator = {});
    /// Every element is `value`, converted to `dtype`.
    static Array full(DType dtype, Shape shape, double value, const std::shared_ptr<Allocator>& allocator = {});
    /// Copies bytes() bytes.
    static Array from_bytes(DType dtype, Shape shape, const void* bytes,
                            const std::shared_ptr<Allocator>& allocator = {});
    /// Copies; the number of values must be the product of the sizes, sizeof(T) the width of `dtype`.
    template <class T>
    static Array from_values(DType dtype, Shape shape, std::span<const T> values,
                             const std::shared_ptr<Allocator>& allocator = {}) {
        require_bytes(dtype, shape, values.size_bytes());
        return from_bytes(dtype, std::move(shape), values.data(), allocator);
    }
    template <class T>
    static Array from_values(DType dtype, Shape shape, const std::vector<T>& values,
                             const std::shared_ptr<Allocator>& allocator = {}) {
        return from_values(dtype, std::move(shape), std::span<const T>(values), allocator);
    }
    /// A 0-d array of `value`, converted to `dtype` as write_* in element.hpp do.
    template <class T>
    static Array scalar(DType dtype, T value, const std::shared_ptr<Allocator>& allocator = {}) {
        Array made = empty(dtype, {}, allocator);
        if constexpr (std::is_same_v<T, std::complex<double>> || std::is_same_v<T, std::complex<float>>)
            write_c128(dtype, made.raw(), 0, value);
        else if constexpr (std::is_floating_point_v<T>)
            write_f64(dtype, made.raw(), 0, static_cast<double>(value));
        else if constexpr (std::is_unsigned_v<T>)
            write_u64(dtype, made.raw(), 0, value);
        else
            write_i64(dtype, made.raw(), 0, value);
        return made;
    }
    /// Shares memory that the host keeps alive and unchanged (`keep`, if given, is held for that). `strides`
    /// are in elements, may be negative or zero; none given means dense. What is not dense or not aligned to
    /// its element is copied. The memory is never written: such an array is never `unique`. Failure(bad_argument) for
    /// negative sizes, strides of another number than sizes, and those that checked_reach refuses; out_of_memory for
    /// too many elements.
    static Array borrow(const void* data, DType dtype, Shape shape, std::span<const std::int64_t> strides = {},
                        std::shared_ptr<const void> keep = {}, const std::shared_ptr<Allocator>& allocator = {});

    /// A copy of strided elements. `poll` is asked for every 2^16 of them; what it throws ends the copy. There are as
    /// many strides as sizes. Failure as in borrow().
    static Array from_strided(const void* data, DType dtype, Shape shape, std::span<const std::int64_t> strides,
                              const std::shared_ptr<Allocator>& allocator = {}, const std::function<void()>& poll = {});

    /// As borrow(), but what is not dense or not aligned is copied when it is first read; until then the memory is
    /// needed. The copy is plain memory: who reads it has counted it.
    static Array gather(const void* data, DType dtype, Shape shape, std::span<const std::int64_t> strides,
                        std::shared_ptr<const void> keep = {});
    /// gather() has made it, to be copied.
    bool is_gathered() const { return buffer_->is_gathered(); }

    /// A type without elements, for programs that are checked and not run. Views of it are abstract too.
    static Array abstract(DType dtype, Shape shape);

    explicit operator bool() const { return buffer_ != nullptr; }
    DType dtype() const { return dtype_; }
    const Shape& shape() const { return shape_; }
    int rank() const { return static_cast<int>(shape_.size()); }
    std::int64_t size(int axis) const { return shape_[static_cast<std::size_t>(axis)]; }
    std::int64_t elements() const { return elements_; }
    std::int64_t bytes() const { return elements_ * static_cast<std::int64_t>(size_of(dtype_)); }
    const std::shared_ptr<Allocator>& allocator() const { return buffer_->allocator(); }

    const void* data() const { return buffer_->data() + offset_; }
    /// May be written: copies first unless unique().
    void* mutable_data();
    /// Addresses on a device, where the elements are brought when they are not there yet.
    void* device_data(const std::shared_ptr<Device>& device) const { return buffer_->device_data(device) + offset_; }
    void* mutable_device_data(const std::shared_ptr<Device>& device);
    /// These elements with a buffer that is on the device: this array's, or, of a view, one that has them alone, where
    /// that is less to move. It begins there at a multiple of `alignment` bytes.
    Array brought_to(const std::shared_ptr<Device>& device, std::size_t alignment) const;
    /// The host has the elements, and perhaps a device too.
    bool on_host() const { return !buffer_->only_on(); }
    /// Waits until a device that has the elements has done all its work, that of others too.
    void wait() const {
        if (const std::shared_ptr<Device> device = buffer_->only_on()) device->wait();
    }
    template <class T>
    const T* as() const {
        return static_cast<const T*>(data());
    }
    template <class T>
    T* mutable_as() {
        return static_cast<T*>(mutable_data());
    }
    template <class T>
    std::span<const T> values() const {
        return {as<T>(), static_cast<std::size_t>(elements_)};
    }
    /// One owner of memory that is the runtime's: it may be updated in place.
    bool unique() const { return buffer_ != nullptr && buffer_->owned() && buffer_->one_owner(); }
    /// What stands for this memory, wherever it is: the same for its views, and for no other array's.
    const void* memory() const { return buffer_; }
    /// Same buffer and offset: the same elements without a look at them.
    bool same_memory(const Array& other) const { return buffer_ == other.buffer_ && offset_ == other.offset_; }

    /// Views: no element is copied. Failure(bad_argument) when the product of the sizes differs.
    Array reshape(Shape shape) const;
    Array at(std::int64_t i) const; ///< element i of axis 0, which goes; 0 <= i < size(0)
    Array rows(std::int64_t begin,
               std::int64_t end) const; ///< begin..end of axis 0; 0 <= begin <= end <= size(0)
    /// The same bytes as elements of another type of the same width (f32 and u32, key and u64).
    Array bitcast(DType dtype) const;
    /// The same bytes as another type of as many bytes: c64[n] as f32[n, 2]. Failure(bad_argument) for another number.
    Array as_type(DType dtype, Shape shape) const;
    /// Every element converted, as write_* in element.hpp do; itself when the type is the same.
    Array convert(DType dtype) const;
    /// A copy with its own buffer.
    Array clone() const;

    double as_f64(std::int64_t i = 0) const { return read_f64(dtype_, data(), i); }
    std::int64_t as_i64(std::int64_t i = 0) const { return read_i64(dtype_, data(), i); }
    std::uint64_t as_u64(std::int64_t i = 0) const { return read_u64(dtype_, data(), i); }
    std::complex<double> as_c128(std::int64_t i = 0) const { return read_c128(dtype_, data(), i); }
    bool as_bool(std::int64_t i = 0) const { return read_bool(dtype_, data(), i); }

  private:
    /// Failure(bad_argument) unless an array of this type has so many bytes; out_of_memory for too many elements.
    static void require_bytes(DType dtype, const Shape& shape, std::size_t bytes);
    void* raw() { return buffer_->mutable_data() + offset_; }

    DType dtype_ = DType::f32;
    std::int64_t elements_ = 0;
    std::int64_t offset_ = 0; // bytes
    Shape shape_;
    Buffer* buffer_ = nullptr;
};

/// Same dtype, shape and bytes (so NaN equals the same NaN, and 0 is not -0).
bool identical(const Array& a, const Array& b);

} // namespace pm::runtime
