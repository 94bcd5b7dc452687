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

/// The product of the sizes. `width` is the number of bytes per element. Throws Failure(bad_argument) if a size is
/// negative. Throws Failure(out_of_memory) if the product of the sizes that are not 0, or its number of bytes, does not
/// fit in 63 bits.
std::int64_t checked_elements(std::span<const std::int64_t> shape, std::size_t width);
/// The least and the greatest position in memory of an element of a strided array. Positions are counted in elements,
/// from the element at index 0.
struct Reach {
    std::int64_t first = 0; ///< at most 0
    std::int64_t last = 0;  ///< at least 0
};
/// The reach of an array with at least one element. The stride of an axis of size 1 is ignored. `width` is the number
/// of bytes per element. Throws Failure(bad_argument) if the distance between two elements exceeds the address range of
/// a process.
Reach checked_reach(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides, std::size_t width);
/// The type as text: "f32[3, 4]", or "i32" for a scalar.
std::string type_text(DType dtype, std::span<const std::int64_t> shape);

/// Thrown when the elements of an abstract array (Array::abstract) are read. The code that creates abstract arrays
/// catches this exception.
struct AbstractRead {};

/// The division of an array among the processes of a job: process p has the bytes first[p] .. first[p + 1] - 1.
struct Division {
    std::int64_t number = 0; ///< of the array, the same in all processes; not compared
    std::vector<std::int64_t> first;
};

/// The memory of arrays, with a reference count. A shared_ptr is not used, because one_owner() must read the count with
/// acquire order. If one_owner() returns true, all accesses to the bytes by former owners on other threads have
/// happened before.
///
/// The bytes are in the memory of the host, of a device, or in both. They are copied to the host or device that uses
/// them. A write to the host's copy drops the device's copy, and vice versa.
class Buffer {
  public:
    static Buffer* allocate(std::size_t bytes, const std::shared_ptr<Allocator>& allocator);
    /// As allocate(), for a buffer of which only the bytes begin .. end - 1 are used until its owner divides it, and
    /// data() brings the others. The memory of the others is neither taken nor charged before.
    static Buffer* allocate_part(std::size_t bytes, std::size_t begin, std::size_t end,
                                 const std::shared_ptr<Allocator>& allocator);
    /// Memory that the buffer does not own. The buffer keeps `keep` (may be null) alive.
    static Buffer* foreign(const void* data, std::size_t bytes, std::shared_ptr<const void> keep);

    /// A buffer in the memory of a device. When the host first needs the bytes, host memory for them is allocated from
    /// `allocator`.
    static Buffer* on_device(std::size_t bytes, const std::shared_ptr<Device>& device,
                             const std::shared_ptr<Allocator>& allocator);
    /// A buffer without memory, for an abstract array.
    static Buffer* abstract();
    /// Memory whose content `fill` writes when the memory is first used.
    static Buffer* gathered(std::size_t bytes, std::function<void(std::byte*)> fill);
    bool is_gathered() const { return gathered_; }
    bool is_abstract() const { return abstract_; }

    /// From now on this process has only its own part of the bytes of a host's buffer. `gather` brings the other parts,
    /// when the host first needs them. It may throw.
    void divide(Division division, std::function<void(std::byte*)> gather);
    /// Null if the process has all bytes.
    const Division* division() const {
        return absent_.load(std::memory_order_acquire) && !division_.first.empty() ? &division_ : nullptr;
    }
    /// The host's memory of a divided buffer, in which only the own part is valid.
    std::byte* divided_data() const { return data_; }

    /// Host memory for reading. Throws AbstractRead when the buffer is abstract.
    std::byte* data() const {
        if (absent_.load(std::memory_order_acquire)) fetch();
        return data_;
    }
    /// Host memory for writing.
    std::byte* mutable_data() {
        std::byte* bytes = data();
        if (device_) leave_device();
        if (moved_ > 0) forget_parts();
        return bytes;
    }
    /// As data() and mutable_data(), but the results are addresses in the memory of `device`. Only a buffer with
    /// owned() may be written.
    std::byte* device_data(const std::shared_ptr<Device>& device) const;
    std::byte* mutable_device_data(const std::shared_ptr<Device>& device);
    /// A new buffer in device memory with a copy of the `bytes` bytes from `offset` on. The caller releases the new
    /// buffer. Returns null if a device has this whole buffer, if all its bytes are requested, or if moving all of them
    /// is cheaper. Moving parts counts as cheaper until the total size of the moved parts reaches the size of this
    /// buffer. Some parts are kept for later calls.
    Buffer* part_on(const std::shared_ptr<Device>& device, std::size_t offset, std::size_t bytes) const;
    /// If only a device has the bytes, returns that device. Returns null if the host has the bytes.
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
    mutable std::atomic<bool> absent_{false}; ///< true if the host does not have the bytes
    mutable std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
    mutable std::size_t uncharged_ = 0; ///< the bytes that are not charged: see allocate_part()
    bool owned_ = false;
    bool abstract_ = false;
    bool gathered_ = false;
    mutable std::function<void(std::byte*)> fill_; ///< writes the absent bytes of the host at their first use
    Division division_;                            ///< `first` is empty if the buffer has never been divided
    std::shared_ptr<Allocator> allocator_;
    std::shared_ptr<const void> keep_;
    mutable std::mutex mutex_; ///< held while bytes are copied between host and device
    mutable std::shared_ptr<Device> device_;
    mutable std::byte* device_data_ = nullptr;
    /// A copy of some of the host's bytes in a separate device buffer. A part is never written: code that must write
    /// these bytes copies the part first.
    struct Part {
        std::size_t offset;
        std::size_t bytes;
        std::shared_ptr<Device> device;
        Buffer* buffer;
    };
    mutable std::vector<Part> parts_; ///< the most recently used is last
    mutable std::size_t parts_bytes_ = 0;
    mutable std::size_t moved_ = 0; ///< bytes moved in parts since the host last wrote; not 0 when there are parts
};

/// A dense row-major array: dtype, shape and a reference-counted buffer with an offset. Arrays have value semantics,
/// although the copies of an array share its buffer. If an array is not the only owner of its buffer, mutable_data()
/// first copies the elements, so no other array changes. Two threads must not change the same array at once. Different
/// arrays may be used at once, even if they share a buffer. Buffers that the runtime allocates are aligned to 64 bytes;
/// views and borrowed memory are aligned only to the size of an element (for complex numbers, of a real part).
class Array {
  public:
    /// An empty handle without an array. Only `operator bool`, assignment and destruction may be used.
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

    /// An array on a device. The contents are undefined.
    static Array on_device(DType dtype, Shape shape, const std::shared_ptr<Device>& device,
                           const std::shared_ptr<Allocator>& allocator = {});
    static Array empty(DType dtype, Shape shape, const std::shared_ptr<Allocator>& allocator = {});
    /// See Buffer::allocate_part().
    static Array empty_part(DType dtype, Shape shape, std::int64_t begin, std::int64_t end,
                            const std::shared_ptr<Allocator>& allocator);
    static Array zeros(DType dtype, Shape shape, const std::shared_ptr<Allocator>& allocator = {});
    /// An array in which every element is `value`, converted to `dtype`.
    static Array full(DType dtype, Shape shape, double value, const std::shared_ptr<Allocator>& allocator = {});
    /// An array whose elements are copied from the memory at `bytes`.
    static Array from_bytes(DType dtype, Shape shape, const void* bytes,
                            const std::shared_ptr<Allocator>& allocator = {});
    /// An array with a copy of the values. Throws Failure(bad_argument) if the values do not have as many bytes as the
    /// array.
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
    /// A 0-d array with the element `value`, converted to `dtype` by the rules of element.hpp.
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
    /// An array that shares the memory at `data`, which the caller keeps alive and unchanged. `keep` may be an object
    /// that owns this memory; the array keeps that object alive. `strides` are in elements and may be negative or zero;
    /// an empty list means dense. Memory that is not dense, or not aligned to its element, is copied. Shared memory is
    /// never written, because unique() is false for such an array. Throws Failure(bad_argument) if a size is negative,
    /// if `strides` has neither 0 entries nor one per axis, or if checked_reach() rejects the strides. Throws
    /// Failure(out_of_memory) if there are too many elements.
    static Array borrow(const void* data, DType dtype, Shape shape, std::span<const std::int64_t> strides = {},
                        std::shared_ptr<const void> keep = {}, const std::shared_ptr<Allocator>& allocator = {});

    /// A copy of strided elements. There is one stride per axis. `poll` is called for every 2^16 elements; an exception
    /// from `poll` ends the copy. Throws Failure as borrow() does.
    static Array from_strided(const void* data, DType dtype, Shape shape, std::span<const std::int64_t> strides,
                              const std::shared_ptr<Allocator>& allocator = {}, const std::function<void()>& poll = {});

    /// As borrow(), but memory that is not dense or not aligned is copied only when the array is first used. The memory
    /// must stay valid until then. No allocator counts the bytes of the copy. The code that reads the array must
    /// therefore charge these bytes to an account.
    static Array gather(const void* data, DType dtype, Shape shape, std::span<const std::int64_t> strides,
                        std::shared_ptr<const void> keep = {});
    /// True if gather() created the array and did not borrow the memory. Stays true after the elements have been
    /// copied.
    bool is_gathered() const { return buffer_->is_gathered(); }

    /// An array with a type but without elements, for programs that are checked and not run. Its views are abstract
    /// too.
    static Array abstract(DType dtype, Shape shape);
    bool is_abstract() const { return buffer_->is_abstract(); }

    explicit operator bool() const { return buffer_ != nullptr; }
    DType dtype() const { return dtype_; }
    const Shape& shape() const { return shape_; }
    int rank() const { return static_cast<int>(shape_.size()); }
    std::int64_t size(int axis) const { return shape_[static_cast<std::size_t>(axis)]; }
    std::int64_t elements() const { return elements_; }
    std::int64_t bytes() const { return elements_ * static_cast<std::int64_t>(size_of(dtype_)); }
    const std::shared_ptr<Allocator>& allocator() const { return buffer_->allocator(); }

    const void* data() const { return buffer_->data() + offset_; }
    /// Host memory for writing. If unique() is false, first copies the elements to a new buffer.
    void* mutable_data();
    /// The address on a device. Copies the elements to the device if the device does not have them.
    void* device_data(const std::shared_ptr<Device>& device) const { return buffer_->device_data(device) + offset_; }
    void* mutable_device_data(const std::shared_ptr<Device>& device);
    /// An array with the elements of this array in device memory, at an address that is a multiple of `alignment`
    /// bytes. Returns this array if its device address is such a multiple, otherwise a copy. For a view, only the
    /// view's elements are moved to the device if Buffer::part_on() moves parts.
    Array brought_to(const std::shared_ptr<Device>& device, std::size_t alignment) const;
    /// Whether the array is a whole buffer, and not a view of a part of one.
    bool is_whole_buffer() const { return static_cast<std::size_t>(bytes()) == buffer_->bytes(); }
    /// Of an array that is a whole buffer in memory of the runtime: see Buffer::divide.
    void divide(Division division, std::function<void(std::byte*)> gather);
    /// Null for a view of a part of a divided array. The view's data() brings all parts of the array.
    const Division* division() const { return is_whole_buffer() ? buffer_->division() : nullptr; }
    /// Whether this process does not have all elements of the array, or of the array of which it is a view.
    bool is_divided() const { return buffer_->division() != nullptr; }
    void* divided_data() const { return buffer_->divided_data(); }
    /// Whether the host has the elements; a device may have them too.
    bool on_host() const { return !buffer_->only_on(); }
    /// If only a device has the elements, waits until all work of that device is done, including work of other
    /// programs.
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
    /// Whether the array may be updated in place: the runtime owns the memory of the buffer, and no other array shares
    /// the buffer.
    bool unique() const { return buffer_ != nullptr && buffer_->owned() && buffer_->one_owner(); }
    /// An identifier of the buffer, on the host or on a device: equal for an array and its views, different for arrays
    /// with different buffers.
    const void* memory() const { return buffer_; }
    /// Whether both arrays have the same buffer and offset, so that their elements are equal without a comparison.
    bool same_memory(const Array& other) const { return buffer_ == other.buffer_ && offset_ == other.offset_; }

    /// Views of the array: no element is copied. reshape() throws Failure(bad_argument) if `shape` has another number
    /// of elements.
    Array reshape(Shape shape) const;
    Array at(std::int64_t i) const; ///< the elements at index i of axis 0, without that axis; 0 <= i < size(0)
    Array rows(std::int64_t begin,
               std::int64_t end) const; ///< begin..end of axis 0; 0 <= begin <= end <= size(0)
    /// The same bytes as elements of another dtype of the same width (f32 and u32, key and u64).
    Array bitcast(DType dtype) const;
    /// The same bytes as another type with the same number of bytes: c64[n] as f32[n, 2]. Throws Failure(bad_argument)
    /// if the numbers of bytes differ.
    Array as_type(DType dtype, Shape shape) const;
    /// An array with every element converted to `dtype` by the rules of element.hpp. If this array already has that
    /// dtype, returns this array.
    Array convert(DType dtype) const;
    /// A copy with its own buffer.
    Array clone() const;

    double as_f64(std::int64_t i = 0) const { return read_f64(dtype_, data(), i); }
    std::int64_t as_i64(std::int64_t i = 0) const { return read_i64(dtype_, data(), i); }
    std::uint64_t as_u64(std::int64_t i = 0) const { return read_u64(dtype_, data(), i); }
    std::complex<double> as_c128(std::int64_t i = 0) const { return read_c128(dtype_, data(), i); }
    bool as_bool(std::int64_t i = 0) const { return read_bool(dtype_, data(), i); }

  private:
    /// Throws Failure(bad_argument) unless an array of this type has `bytes` bytes. Throws Failure(out_of_memory) if
    /// the array has too many elements.
    static void require_bytes(DType dtype, const Shape& shape, std::size_t bytes);
    void* raw() { return buffer_->mutable_data() + offset_; }

    DType dtype_ = DType::f32;
    std::int64_t elements_ = 0;
    std::int64_t offset_ = 0; // in bytes
    Shape shape_;
    Buffer* buffer_ = nullptr;
};

/// Whether dtype, shape and bytes are equal. A NaN is therefore equal to a NaN with the same bits, and 0 is not equal
/// to -0.
bool identical(const Array& a, const Array& b);

} // namespace pm::runtime
