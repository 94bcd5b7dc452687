#include "runtime/array.hpp"

#include "runtime/convert.hpp"
#include "runtime/failure.hpp"
#include "runtime/memory/size_classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace pm::runtime {
namespace {

/// The sizes as text: "3, 4". (fmt::join of 64-bit numbers causes a false warning of GCC 12 at -O3.)
std::string sizes_text(std::span<const std::int64_t> shape) {
    std::string out;
    for (const std::int64_t size : shape) out += (out.empty() ? "" : ", ") + std::to_string(size);
    return out;
}

bool is_dense(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) {
    std::int64_t dense = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (shape[axis] != 1 && strides[axis] != dense) return false;
        dense *= shape[axis];
    }
    return true;
}

bool is_aligned(const void* data, DType dtype) {
    const std::size_t alignment = is_complex(dtype) ? size_of(dtype) / 2 : size_of(dtype);
    return reinterpret_cast<std::uintptr_t>(data) % alignment == 0;
}

/// Copies a strided array of `width`-byte elements to a dense one. `source` points to the element at index 0.
void copy_strided(std::byte* target, const std::byte* source, std::span<const std::int64_t> shape,
                  std::span<const std::int64_t> strides, std::size_t width, const std::function<void()>& poll = {}) {
    constexpr std::int64_t elements_between_polls = std::int64_t{1} << 16;
    if (shape.empty()) {
        std::memcpy(target, source, width);
        return;
    }
    const std::int64_t inner = shape.back();
    const std::int64_t inner_stride = strides.back() * static_cast<std::int64_t>(width);
    std::vector<std::int64_t> index(shape.size() - 1, 0);
    std::int64_t until_poll = elements_between_polls;
    for (;;) {
        const std::byte* from = source;
        for (std::int64_t i = 0; i < inner;) {
            const std::int64_t end = std::min(inner, i + until_poll);
            until_poll -= end - i;
            for (; i < end; ++i, target += width, from += inner_stride) std::memcpy(target, from, width);
            if (until_poll > 0) continue;
            if (poll) poll();
            until_poll = elements_between_polls;
        }
        std::size_t axis = index.size();
        for (;;) {
            if (axis == 0) return;
            --axis;
            const std::int64_t step = strides[axis] * static_cast<std::int64_t>(width);
            source += step;
            if (++index[axis] < shape[axis]) break;
            source -= step * shape[axis];
            index[axis] = 0;
        }
    }
}

} // namespace

std::string type_text(DType dtype, std::span<const std::int64_t> shape) {
    return shape.empty() ? std::string(name(dtype)) : fmt::format("{}[{}]", name(dtype), sizes_text(shape));
}

std::int64_t checked_elements(std::span<const std::int64_t> shape, std::size_t width) {
    // A size of 0 makes the product 0. The product of the other sizes is checked too, so that later products of some of
    // the sizes cannot overflow.
    std::int64_t elements = 1;
    std::int64_t bytes = static_cast<std::int64_t>(width);
    bool none = false;
    for (const std::int64_t size : shape) {
        if (size < 0)
            throw Failure(FailureKind::bad_argument,
                          fmt::format("a shape with the negative size {}: ({})", size, sizes_text(shape)));
        if (size == 0) {
            none = true;
            continue;
        }
        if (__builtin_mul_overflow(elements, size, &elements) || __builtin_mul_overflow(bytes, size, &bytes))
            throw Failure(FailureKind::out_of_memory,
                          fmt::format("an array of shape ({}) has too many elements", sizes_text(shape)));
    }
    return none ? 0 : elements;
}

Reach checked_reach(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides, std::size_t width) {
    constexpr std::int64_t most_bytes = std::int64_t{1} << 47; // a process gets higher addresses only on request
    Reach reach;
    std::int64_t bytes = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        std::int64_t far = 0;
        bool fits = !__builtin_mul_overflow(strides[axis], shape[axis] - 1, &far);
        std::int64_t& end = far < 0 ? reach.first : reach.last;
        fits = fits && !__builtin_add_overflow(end, far, &end) &&
               !__builtin_sub_overflow(reach.last, reach.first, &bytes) &&
               !__builtin_mul_overflow(bytes, static_cast<std::int64_t>(width), &bytes) && bytes < most_bytes;
        if (!fits)
            throw Failure(FailureKind::bad_argument,
                          fmt::format("strides ({}) reach further than memory for the shape ({})", sizes_text(strides),
                                      sizes_text(shape)));
    }
    return reach;
}

/// Charges the Buffer object too: for an array of one element, the object is larger than the element.
Buffer::Buffer(const std::shared_ptr<Allocator>& allocator) : allocator_(allocator) {
    if (allocator_) allocator_->charge(sizeof(Buffer));
}

Buffer* Buffer::allocate(std::size_t bytes, const std::shared_ptr<Allocator>& allocator) {
    std::unique_ptr<Buffer, void (*)(Buffer*)> buffer(new Buffer(allocator), [](Buffer* made) { delete made; });
    buffer->data_ = allocate_from(allocator.get(), bytes);
    buffer->bytes_ = bytes;
    buffer->owned_ = true;
    return buffer.release();
}

Buffer* Buffer::allocate_part(std::size_t bytes, std::size_t begin, std::size_t end,
                              const std::shared_ptr<Allocator>& allocator) {
    if (allocator == nullptr || class_bytes(bytes) <= largest_small) return allocate(bytes, allocator);
    std::unique_ptr<Buffer, void (*)(Buffer*)> buffer(new Buffer(allocator), [](Buffer* made) { delete made; });
    buffer->data_ = allocator->allocate(bytes, bytes - (end - begin));
    buffer->bytes_ = bytes;
    buffer->uncharged_ = bytes - (end - begin);
    buffer->owned_ = true;
    // A block that is used again may have memory for the other bytes.
    const std::size_t page = page_bytes();
    const auto forget = [&](std::size_t from, std::size_t to) {
        from = (from + page - 1) / page * page;
        to = to / page * page;
        if (from < to) return_pages(buffer->data_ + from, to - from);
    };
    forget(0, begin);
    forget(end, bytes);
    return buffer.release();
}

Buffer* Buffer::foreign(const void* data, std::size_t bytes, std::shared_ptr<const void> keep) {
    auto* buffer = new Buffer;
    // The memory is never written: Array::mutable_data() first copies elements that the buffer does not own.
    buffer->data_ = static_cast<std::byte*>(const_cast<void*>(data));
    buffer->bytes_ = bytes;
    buffer->keep_ = std::move(keep);
    return buffer;
}

Buffer* Buffer::on_device(std::size_t bytes, const std::shared_ptr<Device>& device,
                          const std::shared_ptr<Allocator>& allocator) {
    std::unique_ptr<Buffer, void (*)(Buffer*)> buffer(new Buffer(allocator), [](Buffer* made) { delete made; });
    buffer->device_data_ = device->allocate(bytes);
    buffer->device_ = device;
    buffer->bytes_ = bytes;
    buffer->owned_ = true;
    buffer->absent_ = true;
    return buffer.release();
}

Buffer* Buffer::abstract() {
    auto* buffer = new Buffer;
    buffer->abstract_ = true;
    buffer->absent_ = true;
    return buffer;
}

Buffer* Buffer::gathered(std::size_t bytes, std::function<void(std::byte*)> fill) {
    auto* buffer = new Buffer;
    buffer->bytes_ = bytes;
    buffer->owned_ = true;
    buffer->absent_ = true;
    buffer->gathered_ = true;
    buffer->fill_ = std::move(fill);
    return buffer;
}

void Buffer::divide(Division division, std::function<void(std::byte*)> gather) {
    const std::scoped_lock lock(mutex_);
    division_ = std::move(division);
    fill_ = std::move(gather);
    absent_ = true;
}

Buffer::~Buffer() {
    forget_parts();
    if (device_ && device_->process.here()) device_->release(device_data_);
    if (owned_ && data_ != nullptr) release_to(allocator_.get(), data_, bytes_, uncharged_);
    if (allocator_) allocator_->discharge(sizeof(Buffer));
}

void Buffer::fetch() const {
    if (abstract_) throw AbstractRead{};
    const std::scoped_lock lock(mutex_);
    bring_home();
}

void Buffer::bring_home() const {
    if (!absent_.load(std::memory_order_relaxed)) return;
    if (device_ && !device_->process.here())
        throw Failure(FailureKind::device_failed, "the array is on a GPU of the process that this one is a fork of");
    if (data_ == nullptr) data_ = allocate_from(allocator_.get(), bytes_);
    if (uncharged_ != 0) {
        allocator_->charge(uncharged_);
        uncharged_ = 0;
    }
    if (fill_) {
        fill_(data_);
        fill_ = {};
    } else {
        device_->download(data_, device_data_, bytes_);
    }
    absent_.store(false, std::memory_order_release);
}

void Buffer::leave_device() const {
    if (device_->process.here()) device_->release(device_data_);
    device_data_ = nullptr;
    device_.reset();
}

std::byte* Buffer::device_data(const std::shared_ptr<Device>& device) const {
    if (abstract_) throw AbstractRead{};
    const std::scoped_lock lock(mutex_);
    if (fill_) bring_home();
    if (device_ && device_ != device) { // the buffer is on a device of another engine
        bring_home();
        leave_device();
    }
    if (!device_) {
        std::byte* const there = device->allocate(bytes_);
        try {
            device->upload(there, data_, bytes_);
        } catch (...) {
            device->release(there);
            throw;
        }
        device_data_ = there;
        device_ = device;
        forget_parts();
    }
    return device_data_;
}

namespace {

/// The fixed cost of a transfer, some microseconds, equals the cost of moving this many bytes.
constexpr std::size_t transfer_bytes = std::size_t{64} << 10;
constexpr std::size_t most_parts = 16;
/// The kept parts of one array use at most 1/16 of a device's memory.
constexpr std::size_t kept_fraction = 16;

} // namespace

/// Whether to move the whole buffer instead of one more part. Parts are moved until the bytes moved in parts reach the
/// size of the buffer. The total cost is thus at most twice the cost of moving the whole buffer immediately. The whole
/// buffer is moved only if it needs at most half of the device's free memory.
bool Buffer::whole_is_better(const Device& device, std::size_t bytes) const {
    if (moved_ + bytes < bytes_) return false;
    if (bytes_ <= device.free_memory() / 2) return true;
    moved_ = 1; // checked again when the bytes moved in parts reach the size of the buffer
    return false;
}

Buffer* Buffer::part_on(const std::shared_ptr<Device>& device, std::size_t offset, std::size_t bytes) const {
    if (abstract_) throw AbstractRead{};
    const std::scoped_lock lock(mutex_);
    if (device_ || bytes >= bytes_) return nullptr;
    if (fill_) bring_home();
    const auto found = std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) {
        return p.offset == offset && p.bytes == bytes && p.device == device;
    });
    if (found != parts_.end()) {
        std::rotate(found, found + 1, parts_.end());
        parts_.back().buffer->retain();
        return parts_.back().buffer;
    }
    if (whole_is_better(*device, bytes)) return nullptr;
    const std::size_t most_bytes = device->memory() / kept_fraction;
    Buffer* made = on_device(bytes, device, allocator_);
    try {
        device->upload(made->device_data_, data_ + offset, bytes);
        parts_.reserve(parts_.size() + 1);
    } catch (...) {
        made->release();
        throw;
    }
    moved_ += bytes + transfer_bytes;
    if (bytes > most_bytes) return made;
    parts_.push_back({offset, bytes, device, made});
    parts_bytes_ += bytes;
    made->retain();
    while (parts_.size() > most_parts || parts_bytes_ > most_bytes) {
        parts_bytes_ -= parts_.front().bytes;
        parts_.front().buffer->release();
        parts_.erase(parts_.begin());
    }
    return made;
}

void Buffer::forget_parts() const noexcept {
    for (const Part& p : parts_) p.buffer->release();
    parts_.clear();
    parts_bytes_ = moved_ = 0;
}

std::byte* Buffer::mutable_device_data(const std::shared_ptr<Device>& device) {
    std::byte* bytes = device_data(device);
    absent_ = true;
    if (data_ != nullptr)
        release_to(allocator_.get(), std::exchange(data_, nullptr), bytes_, std::exchange(uncharged_, 0));
    return bytes;
}

std::shared_ptr<Device> Buffer::only_on() const {
    const std::scoped_lock lock(mutex_);
    return absent_ ? device_ : nullptr;
}

void Array::divide(Division division, std::function<void(std::byte*)> gather) {
    if (!is_whole_buffer() || !buffer_->owned())
        throw Failure(FailureKind::bad_argument, "a view, or memory of the host, cannot be divided among processes");
    buffer_->divide(std::move(division), std::move(gather));
}

void Array::swap(Array& other) noexcept {
    std::swap(dtype_, other.dtype_);
    std::swap(elements_, other.elements_);
    std::swap(offset_, other.offset_);
    shape_.swap(other.shape_);
    std::swap(buffer_, other.buffer_);
}

Array Array::empty(DType dtype, Shape shape, const std::shared_ptr<Allocator>& allocator) {
    Array made;
    made.dtype_ = dtype;
    made.elements_ = checked_elements(shape, size_of(dtype));
    made.shape_ = std::move(shape);
    made.buffer_ = Buffer::allocate(static_cast<std::size_t>(made.bytes()), allocator);
    return made;
}

Array Array::empty_part(DType dtype, Shape shape, std::int64_t begin, std::int64_t end,
                        const std::shared_ptr<Allocator>& allocator) {
    Array made;
    made.dtype_ = dtype;
    made.elements_ = checked_elements(shape, size_of(dtype));
    made.shape_ = std::move(shape);
    made.buffer_ = Buffer::allocate_part(static_cast<std::size_t>(made.bytes()), static_cast<std::size_t>(begin),
                                         static_cast<std::size_t>(end), allocator);
    return made;
}

Array Array::on_device(DType dtype, Shape shape, const std::shared_ptr<Device>& device,
                       const std::shared_ptr<Allocator>& allocator) {
    Array made;
    made.dtype_ = dtype;
    made.elements_ = checked_elements(shape, size_of(dtype));
    made.shape_ = std::move(shape);
    made.buffer_ = Buffer::on_device(static_cast<std::size_t>(made.bytes()), device, allocator);
    return made;
}

Array Array::abstract(DType dtype, Shape shape) {
    Array made;
    made.dtype_ = dtype;
    made.elements_ = checked_elements(shape, size_of(dtype));
    made.shape_ = std::move(shape);
    made.buffer_ = Buffer::abstract();
    return made;
}

Array Array::zeros(DType dtype, Shape shape, const std::shared_ptr<Allocator>& allocator) {
    Array made = empty(dtype, std::move(shape), allocator);
    std::memset(made.raw(), 0, static_cast<std::size_t>(made.bytes()));
    return made;
}

Array Array::full(DType dtype, Shape shape, double value, const std::shared_ptr<Allocator>& allocator) {
    Array made = empty(dtype, std::move(shape), allocator);
    if (made.elements_ == 0) return made;
    write_f64(dtype, made.raw(), 0, value);
    // Each step appends a copy of the filled part, so the filled part doubles.
    auto* bytes = static_cast<std::byte*>(made.raw());
    const auto total = static_cast<std::size_t>(made.bytes());
    for (std::size_t filled = size_of(dtype); filled < total;) {
        const std::size_t more = std::min(filled, total - filled);
        std::memcpy(bytes + filled, bytes, more);
        filled += more;
    }
    return made;
}

Array Array::from_bytes(DType dtype, Shape shape, const void* bytes, const std::shared_ptr<Allocator>& allocator) {
    Array made = empty(dtype, std::move(shape), allocator);
    if (made.elements_ != 0) std::memcpy(made.raw(), bytes, static_cast<std::size_t>(made.bytes()));
    return made;
}

void Array::require_bytes(DType dtype, const Shape& shape, std::size_t bytes) {
    const auto needed = static_cast<std::size_t>(checked_elements(shape, size_of(dtype))) * size_of(dtype);
    if (bytes != needed)
        throw Failure(FailureKind::bad_argument,
                      fmt::format("{} bytes for an array {} of {}", bytes, type_text(dtype, shape), needed));
}

Array Array::borrow(const void* data, DType dtype, Shape shape, std::span<const std::int64_t> strides,
                    std::shared_ptr<const void> keep, const std::shared_ptr<Allocator>& allocator) {
    const std::size_t width = size_of(dtype);
    const std::int64_t elements = checked_elements(shape, width);
    if (!strides.empty() && strides.size() != shape.size())
        throw Failure(FailureKind::bad_argument, fmt::format("{} strides for {} axes", strides.size(), shape.size()));
    const bool aligned = is_aligned(data, dtype);
    if (elements == 0) return empty(dtype, std::move(shape), allocator);
    const bool dense = strides.empty() || is_dense(shape, strides);
    if (dense && aligned) {
        Array made;
        made.dtype_ = dtype;
        made.elements_ = elements;
        made.shape_ = std::move(shape);
        made.buffer_ = Buffer::foreign(data, static_cast<std::size_t>(made.bytes()), std::move(keep));
        return made;
    }
    if (dense) return from_bytes(dtype, std::move(shape), data, allocator);
    return from_strided(data, dtype, std::move(shape), strides, allocator);
}

Array Array::from_strided(const void* data, DType dtype, Shape shape, std::span<const std::int64_t> strides,
                          const std::shared_ptr<Allocator>& allocator, const std::function<void()>& poll) {
    const std::size_t width = size_of(dtype);
    checked_reach(shape, strides, width);
    std::vector<std::int64_t> steps(strides.begin(), strides.end());
    for (std::size_t axis = 0; axis < steps.size(); ++axis)
        if (shape[axis] == 1) steps[axis] = 0; // the stride does not matter and may be out of range
    Array made = empty(dtype, std::move(shape), allocator);
    if (made.elements() == 0) return made;
    copy_strided(static_cast<std::byte*>(made.raw()), static_cast<const std::byte*>(data), made.shape_, steps, width,
                 poll);
    return made;
}

Array Array::gather(const void* data, DType dtype, Shape shape, std::span<const std::int64_t> strides,
                    std::shared_ptr<const void> keep) {
    const std::size_t width = size_of(dtype);
    if (checked_elements(shape, width) == 0 ||
        (is_aligned(data, dtype) && (strides.empty() || is_dense(shape, strides))) ||
        (!strides.empty() && strides.size() != shape.size()))
        return borrow(data, dtype, std::move(shape), strides, std::move(keep));
    if (!strides.empty()) checked_reach(shape, strides, width);
    Array made;
    made.dtype_ = dtype;
    made.elements_ = checked_elements(shape, width);
    made.shape_ = std::move(shape);
    std::vector<std::int64_t> steps(strides.begin(), strides.end());
    made.buffer_ = Buffer::gathered(static_cast<std::size_t>(made.bytes()),
                                    [from = static_cast<const std::byte*>(data), sizes = made.shape_,
                                     steps = std::move(steps), keep = std::move(keep),
                                     bytes = static_cast<std::size_t>(made.bytes()), width](std::byte* to) {
                                        if (steps.empty())
                                            std::memcpy(to, from, bytes);
                                        else
                                            copy_strided(to, from, sizes, steps, width);
                                    });
    return made;
}

void* Array::mutable_data() {
    if (!unique()) *this = clone();
    return raw();
}

void* Array::mutable_device_data(const std::shared_ptr<Device>& device) {
    if (!unique()) {
        Array copy = on_device(dtype_, shape_, device, buffer_->allocator());
        device->copy(copy.buffer_->mutable_device_data(device), static_cast<std::byte*>(device_data(device)),
                     static_cast<std::size_t>(bytes()));
        *this = std::move(copy);
    }
    return buffer_->mutable_device_data(device) + offset_;
}

Array Array::brought_to(const std::shared_ptr<Device>& device, std::size_t alignment) const {
    Buffer* part = buffer_->part_on(device, static_cast<std::size_t>(offset_), static_cast<std::size_t>(bytes()));
    if (part != nullptr) {
        Array made;
        made.dtype_ = dtype_;
        made.elements_ = elements_;
        made.shape_ = shape_;
        made.buffer_ = part;
        return made;
    }
    if (reinterpret_cast<std::uintptr_t>(device_data(device)) % alignment == 0) return *this;
    Array copy(*this);
    static_cast<void>(copy.mutable_device_data(device)); // copies, because the buffer now has two owners
    return copy;
}

Array Array::clone() const {
    if (const std::shared_ptr<Device> device = buffer_->only_on()) {
        Array copy(*this);
        static_cast<void>(copy.mutable_device_data(device)); // copies, because the buffer now has two owners
        return copy;
    }
    return from_bytes(dtype_, shape_, data(), buffer_->allocator());
}

Array Array::reshape(Shape shape) const {
    if (checked_elements(shape, size_of(dtype_)) != elements_)
        throw Failure(FailureKind::bad_argument,
                      fmt::format("{} cannot be reshaped to ({})", type_text(dtype_, shape_), sizes_text(shape)));
    Array view(*this);
    view.shape_ = std::move(shape);
    return view;
}

Array Array::at(std::int64_t i) const {
    Array view = rows(i, i + 1);
    view.shape_.erase(view.shape_.begin());
    return view;
}

Array Array::rows(std::int64_t begin, std::int64_t end) const {
    if (shape_.empty() || begin < 0 || begin > end || end > shape_.front())
        throw Failure(FailureKind::bad_argument,
                      fmt::format("no rows {}..{} in {}", begin, end, type_text(dtype_, shape_)));
    Array view(*this);
    const std::int64_t row = shape_.front() == 0 ? 0 : elements_ / shape_.front();
    view.shape_.front() = end - begin;
    view.elements_ = row * (end - begin);
    view.offset_ += row * begin * static_cast<std::int64_t>(size_of(dtype_));
    return view;
}

Array Array::bitcast(DType dtype) const {
    if (size_of(dtype) != size_of(dtype_))
        throw Failure(FailureKind::bad_argument, fmt::format("{} and {} differ in width", name(dtype_), name(dtype)));
    Array view(*this);
    view.dtype_ = dtype;
    return view;
}

Array Array::as_type(DType dtype, Shape shape) const {
    if (dtype == dtype_ && shape == shape_) return *this;
    require_bytes(dtype, shape, static_cast<std::size_t>(bytes()));
    Array view(*this);
    view.dtype_ = dtype;
    view.elements_ = checked_elements(shape, size_of(dtype));
    view.shape_ = std::move(shape);
    return view;
}

Array Array::convert(DType dtype) const {
    if (dtype == dtype_) return *this;
    Array made = empty(dtype, shape_, buffer_->allocator());
    convert_elements(dtype_, data(), dtype, made.raw(), elements_);
    return made;
}

bool identical(const Array& a, const Array& b) {
    return a.dtype() == b.dtype() && a.shape() == b.shape() &&
           (a.elements() == 0 || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())) == 0);
}

} // namespace pm::runtime
