// Convolutions on a device's memory, by the stand-in of NVIDIA's library (tests/gpu/libraries).
#include "runtime/element.hpp"
#include "runtime/failure.hpp"
#include "runtime/gpu/device/convolutions.hpp"
#include "runtime/gpu/device/device.hpp"
#include "tests/gpu/device/library.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <list>
#include <optional>
#include <string>

using namespace pm::runtime;

namespace {

using Spec = ConvolutionSpec;
using Kind = Spec::Kind;
using Numbers = std::vector<double>;

bool has_convolutions(Device& device) { return is_there(device.convolutions(), "cuDNN"); }

/// Sets the sizes of y from those of x.
Spec with_places(Spec s) {
    for (std::size_t a = 0; a < 3; ++a)
        s.y[a] = (s.x[a] + 2 * s.padding[a] - (s.w[a] - 1) * s.dilation[a] - 1) / s.stride[a] + 1;
    return s;
}

/// Multiples of 1/8, which every dtype represents.
Numbers wave(std::int64_t count, double phase) {
    Numbers made;
    for (std::int64_t i = 0; i < count; ++i)
        made.push_back(std::round(8 * std::sin(0.7 * static_cast<double>(i * i % 1009) + phase)) / 8);
    return made;
}

/// Computes by the definition: adds each product to its element of y, or for the derivatives to its element of x or w.
void convolve(const Spec& s, Numbers& x, Numbers& w, Numbers& y) {
    const std::int64_t c = s.in / s.groups, d = s.out / s.groups;
    Spec::Sizes o{}, k{};
    const auto number = [](const Spec::Sizes& at, const Spec::Sizes& sizes) {
        return (at[0] * sizes[1] + at[1]) * sizes[2] + at[2];
    };
    for (std::int64_t n = 0; n < s.batch; ++n)
        for (o[0] = 0; o[0] < s.y[0]; ++o[0])
            for (o[1] = 0; o[1] < s.y[1]; ++o[1])
                for (o[2] = 0; o[2] < s.y[2]; ++o[2])
                    for (k[0] = 0; k[0] < s.w[0]; ++k[0])
                        for (k[1] = 0; k[1] < s.w[1]; ++k[1])
                            for (k[2] = 0; k[2] < s.w[2]; ++k[2]) {
                                Spec::Sizes i{};
                                bool inside = true;
                                for (std::size_t a = 0; a < 3; ++a) {
                                    i[a] = o[a] * s.stride[a] + k[a] * s.dilation[a] - s.padding[a];
                                    inside = inside && i[a] >= 0 && i[a] < s.x[a];
                                }
                                if (!inside) continue;
                                const std::int64_t at_x = n * s.x[0] * s.x[1] * s.x[2] + number(i, s.x);
                                const std::int64_t at_y = n * s.y[0] * s.y[1] * s.y[2] + number(o, s.y);
                                for (std::int64_t f = 0; f < s.out; ++f)
                                    for (std::int64_t e = 0; e < c; ++e) {
                                        double& of_x = x[static_cast<std::size_t>(at_x * s.in + f / d * c + e)];
                                        double& of_y = y[static_cast<std::size_t>(at_y * s.out + f)];
                                        double& of_w = w[static_cast<std::size_t>(
                                            (f * s.w[0] * s.w[1] * s.w[2] + number(k, s.w)) * c + e)];
                                        if (s.kind == Kind::forward)
                                            of_y += of_x * of_w;
                                        else if (s.kind == Kind::data)
                                            of_x += of_y * of_w;
                                        else
                                            of_w += of_y * of_x;
                                    }
                            }
}

std::vector<std::byte> bytes_of(const Numbers& numbers, DType dtype) {
    std::vector<std::byte> bytes(numbers.size() * size_of(dtype));
    for (std::size_t i = 0; i < numbers.size(); ++i)
        write_f64(dtype, bytes.data(), static_cast<std::int64_t>(i), numbers[i]);
    return bytes;
}

/// Whether the library supports the convolution. Reports a refusal; the stand-in refuses no convolution of these tests.
bool is_known(Device& device, const Spec& s) {
    if (device.convolutions()->knows(s, never)) return true;
    REQUIRE(!interpreted());
    report(fmt::format(
        "cuDNN refuses {} of {}: {} x [{} {} {}] of {}, kernel [{} {} {}] to {}, groups {}, stride {}, dilation {}",
        s.kind == Kind::forward ? "a convolution"
        : s.kind == Kind::data  ? "slopes of x"
                                : "slopes of the kernel",
        name(s.dtype), s.batch, s.x[0], s.x[1], s.x[2], s.in, s.w[0], s.w[1], s.w[2], s.out, s.groups, s.stride[0],
        s.dilation[0]));
    return false;
}
/// The error by rounding. Algorithms that transform their operands, such as Winograd's, lose some bits more.
double allowed(DType dtype) {
    const double exact = dtype == DType::bf16 ? 8e-3 : dtype == DType::f16 ? 1e-3 : 1e-6;
    return interpreted() ? exact : dtype == DType::f32 ? 1e-4 : 8 * exact;
}

/// The greatest difference from the definition; 0 if the library refuses. Addresses are `shift` bytes after multiples
/// of 256.
double distance(Device& device, const Spec& s, std::size_t shift = 0) {
    if (!is_known(device, s)) return 0;
    const auto [of_x, of_w, of_y] = s.elements();
    Numbers x = wave(of_x, 0), w = wave(of_w, 1), y = wave(of_y, 2);
    Numbers& result = s.kind == Kind::forward ? y : s.kind == Kind::data ? x : w;
    std::vector<Numbers*> given;
    for (Numbers* one : {&x, &w, &y})
        if (one != &result) given.push_back(one);
    result.assign(result.size(), 0);
    const auto shared = device.shared_from_this();
    const auto bytes = s.bytes();
    const DeviceScratch a(shared, bytes[0] + shift), b(shared, bytes[1] + shift), out(shared, bytes[2] + shift);
    std::vector<std::vector<std::byte>> sent;
    for (std::size_t i = 0; i < 2; ++i) {
        sent.push_back(bytes_of(*given[i], s.dtype));
        REQUIRE(sent[i].size() == bytes[i]);
        device.upload((i == 0 ? a : b).data() + shift, sent[i].data(), bytes[i]);
    }
    convolve(s, x, w, y);
    void* buffers[] = {a.data() + shift, b.data() + shift, out.data() + shift};
    REQUIRE(device.convolutions()->run(s, buffers, never));
    std::vector<std::byte> got(bytes[2]);
    for (std::size_t i = 0; i < 2; ++i) { // the operands are unchanged
        std::vector<std::byte> kept(bytes[i]);
        device.download(kept.data(), (i == 0 ? a : b).data() + shift, bytes[i]);
        CHECK(kept == sent[i]);
    }
    device.download(got.data(), out.data() + shift, got.size());
    double most = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double one = read_f64(s.dtype, got.data(), static_cast<std::int64_t>(i));
        most = std::max(most, one == one ? std::abs(one - result[i]) / (1 + std::abs(result[i])) : 1e9);
    }
    return most;
}

std::vector<Spec> specs() {
    std::vector<Spec> all;
    const auto add = [&](Spec s) { all.push_back(with_places(s)); };
    add({.axes = 2, .batch = 2, .in = 3, .out = 5, .x = {7, 6, 1}, .w = {3, 3, 1}, .padding = {1, 1, 0}});
    add({.axes = 2, .batch = 3, .in = 9, .out = 4, .x = {8, 9, 1}, .w = {3, 2, 1}, .stride = {2, 3, 1}});
    add({.axes = 2, .in = 2, .out = 2, .x = {9, 8, 1}, .w = {3, 2, 1}, .dilation = {2, 3, 1}, .padding = {2, 0, 0}});
    add({.axes = 2, .batch = 2, .groups = 3, .in = 6, .out = 9, .x = {5, 5, 1}, .w = {1, 1, 1}});
    add({.axes = 2, .groups = 4, .in = 4, .out = 8, .x = {5, 4, 1}, .w = {3, 3, 1}, .padding = {1, 2, 0}});
    add({.axes = 1,
         .batch = 2,
         .in = 5,
         .out = 3,
         .x = {11, 1, 1},
         .w = {4, 1, 1},
         .stride = {2, 1, 1},
         .padding = {1, 0, 0}});
    add({.axes = 3, .in = 2, .out = 3, .x = {4, 5, 6}, .w = {2, 3, 3}, .stride = {1, 2, 1}, .padding = {0, 1, 2}});
    add({.axes = 3, .groups = 2, .in = 2, .out = 2, .x = {3, 3, 3}, .w = {3, 3, 3}});
    add({.axes = 1, .x = {1, 1, 1}, .w = {1, 1, 1}});
    return all;
}

} // namespace

TEST_CASE("convolutions and their derivatives agree with the definition") {
    const auto device = open_gpu();
    if (!has_convolutions(*device)) return;
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
        for (const Kind kind : {Kind::forward, Kind::data, Kind::filter})
            for (Spec s : specs()) {
                s.dtype = dtype;
                s.kind = kind;
                CHECK(distance(*device, s) < allowed(dtype));
            }
}

namespace {

/// The greatest difference of a convolution with an epilogue from the definition. Empty if the library cannot compute
/// both in one call. The bias begins `shift` bytes after a multiple of 256.
std::optional<double> distance_with_end(Device& device, const Spec& s, const ConvolutionEpilogue& end,
                                        std::size_t shift = 0) {
    const auto [of_x, of_w, of_y] = s.elements();
    Numbers x = wave(of_x, 0), w = wave(of_w, 1), y(static_cast<std::size_t>(of_y));
    const Numbers bias = wave(s.out, 2), added = wave(of_y, 3);
    const auto shared = device.shared_from_this();
    std::list<DeviceScratch> arrays;
    std::vector<void*> buffers;
    const auto put = [&](const Numbers& numbers, std::size_t misalignment) {
        const std::vector<std::byte> bytes = bytes_of(numbers, s.dtype);
        buffers.push_back(arrays.emplace_back(shared, bytes.size() + misalignment).data() + misalignment);
        device.upload(static_cast<std::byte*>(buffers.back()), bytes.data(), bytes.size());
    };
    put(x, 0), put(w, 0), put(bias, shift);
    if (end.added_scale != 0) put(added, 0);
    const std::vector<std::size_t> sizes = end.bytes(s);
    std::byte* const result = arrays.emplace_back(shared, sizes.back()).data();
    buffers.push_back(result);
    REQUIRE(buffers.size() == sizes.size());
    if (!is_known(device, s)) return {};
    if (!device.convolutions()->run_with_epilogue(s, end, buffers.data(), never)) return {};
    std::vector<std::byte> got(sizes.back());
    device.download(got.data(), result, got.size());
    convolve(s, x, w, y);
    double most = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double wanted = end.scale * y[i] + end.added_scale * added[i] + bias[i % bias.size()];
        const double one = read_f64(s.dtype, got.data(), static_cast<std::int64_t>(i));
        most = std::max(most, one == one ? std::abs(one - wanted) / (1 + std::abs(wanted)) : 1e9);
    }
    return most;
}

} // namespace

TEST_CASE("convolutions with a bias, and with an added array, in one call") {
    const auto device = open_gpu();
    if (!has_convolutions(*device)) return;
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
        for (const ConvolutionEpilogue& end :
             {ConvolutionEpilogue{}, {.scale = -0.5F}, {.added_scale = 1}, {.scale = 2, .added_scale = -0.25F}})
            for (Spec s : specs()) {
                s.dtype = dtype;
                const auto found = distance_with_end(*device, s, end);
                // The stand-in reports other algorithms as faster for dilated convolutions, and refuses many groups.
                PM_CHECK_INTERPRETED(found.has_value() == (s.dilation == Spec::Sizes{1, 1, 1} && s.groups < 3));
                CHECK(found.value_or(0) < allowed(dtype));
            }
    CHECK_FALSE(distance_with_end(*device, specs()[0], {}, 4));
    for (const Kind kind : {Kind::data, Kind::filter}) {
        Spec s = specs()[0];
        s.kind = kind;
        CHECK_FALSE(device->convolutions()->run_with_epilogue(s, {}, std::array<void*, 4>{}.data(), never));
    }
    CHECK_FALSE(device->convolutions()->run_with_epilogue(specs()[0], {}, nullptr, [] { return true; }));
}

PM_TEST_OF_INTERPRETER(
    "an epilogue that the library fails to compute is not tried again, except after a lack of memory") {
    const auto device = open_gpu();
    if (!has_convolutions(*device)) return;
    const auto with_failures = [&](const char* failures, const Spec& s) {
        ::setenv("PM_CUDA_LIBRARIES_FAIL", failures, 1);
        const bool done = distance_with_end(*device, s, {}).has_value();
        ::unsetenv("PM_CUDA_LIBRARIES_FAIL");
        return done;
    };
    const Spec one = specs()[0], other = specs()[1];
    const std::string name = "cudnnConvolutionBiasActivationForward";
    CHECK(with_failures((name + ":1:4004").c_str(), one)); // the second call succeeds
    CHECK_FALSE(with_failures((name + ":3:4004," + name + ":4:4003").c_str(), one));
    CHECK(with_failures("none:1:0", one));
    CHECK_FALSE(with_failures((name + ":6:3000").c_str(), one));
    CHECK_FALSE(with_failures("none:1:0", one)); // the library is not called
    CHECK(with_failures("none:1:0", other));
    CHECK_THROWS_AS(with_failures((name + ":8:5000").c_str(), other), Failure);
    ::unsetenv("PM_CUDA_LIBRARIES_FAIL");
}

TEST_CASE("operands may begin at any element") {
    const auto device = open_gpu();
    if (!has_convolutions(*device)) return;
    for (const Kind kind : {Kind::forward, Kind::data, Kind::filter}) {
        Spec s = specs()[0];
        s.kind = kind;
        CHECK(distance(*device, s, 4) < allowed(s.dtype));
        s.dtype = DType::f16;
        CHECK(distance(*device, s, 2) < allowed(s.dtype));
    }
}

TEST_CASE("memory is freed after more convolutions than there are cached plans") {
    const auto device = open_gpu();
    if (!has_convolutions(*device)) return;
    const std::size_t free = device->free_memory();
    for (int iteration = 0; iteration < 2; ++iteration)
        for (std::int64_t n = 1; n < 300; ++n)
            CHECK(distance(*device, with_places({.axes = 1, .batch = n, .x = {2, 1, 1}, .w = {2, 1, 1}})) <
                  allowed(DType::f32));
    device->wait();
    PM_CHECK_INTERPRETED(device->free_memory() == free);
}

TEST_CASE("convolutions that the library cannot compute are refused in advance") {
    const auto device = open_gpu();
    if (!has_convolutions(*device)) return;
    const Spec small = specs()[0];
    CHECK(is_known(*device, small));
    Spec outside = small; // whole windows in the padding
    outside.padding = {3, 3, 0};
    outside = with_places(outside);
    const bool knows_outside = device->convolutions()->knows(outside, never); // cuDNN 9 does
    PM_CHECK_INTERPRETED(!knows_outside);
    if (knows_outside) CHECK(distance(*device, outside) < allowed(outside.dtype));
    Spec long_one = small;
    long_one.batch = std::int64_t{1} << 40;
    CHECK_FALSE(device->convolutions()->knows(long_one, never));
    long_one.batch = std::int64_t{1} << 26; // more elements than the library counts
    CHECK_FALSE(device->convolutions()->knows(long_one, never));
}

namespace {

/// The result of a convolution of one element, 1 + 2^-13, while calls of the library fail as the text says. TF32 rounds
/// it to 1; the second algorithm of the stand-in uses f32 and returns it unchanged. -1 if the call fails.
float with_failures(Device& device, const char* failures) {
    ::setenv("PM_CUDA_LIBRARIES_FAIL", failures, 1);
    const auto shared = device.shared_from_this();
    const DeviceScratch a(shared, 4), b(shared, 4), out(shared, 4);
    const float given = 1 + 0x1p-13F, unit = 1;
    device.upload(a.data(), &given, 4);
    device.upload(b.data(), &unit, 4);
    void* buffers[] = {a.data(), b.data(), out.data()};
    float made = 0;
    try {
        const bool done = device.convolutions()->run({.axes = 1}, buffers, never);
        CHECK(done);
        device.download(&made, out.data(), 4);
    } catch (const Failure& failure) {
        CHECK(failure.kind() == FailureKind::device_failed);
        made = -1;
    }
    ::unsetenv("PM_CUDA_LIBRARIES_FAIL");
    return made;
}

} // namespace

PM_TEST_OF_INTERPRETER("an algorithm that fails or has no memory is replaced by the next one") {
    const auto device = open_gpu();
    if (!has_convolutions(*device)) return;
    // Calls are counted while failures are requested, here from line to line.
    CHECK(with_failures(*device, "none:1:0") == 1);                       // call 1
    CHECK(with_failures(*device, "cudnnConvolutionForward:2:4004") == 1); // calls 2 and 3
    CHECK(with_failures(*device, "cudnnConvolutionForward:4:4004,cudnnConvolutionForward:5:4004") == 1 + 0x1p-13F);
    CHECK(with_failures(*device, "none:1:0") == 1); // call 7: after a lack of memory the first algorithm is tried again
    CHECK(with_failures(*device, "cudnnConvolutionForward:8:1008") == 1 + 0x1p-13F);
    CHECK(with_failures(*device, "none:1:0") == 1 + 0x1p-13F); // call 10: an algorithm that failed is not tried again
    CHECK(with_failures(*device, "cudnnConvolutionForward:11:3000") == -1);
}

TEST_CASE("a stopped call queues no convolution") {
    const auto device = open_gpu();
    if (!has_convolutions(*device)) return;
    CHECK_FALSE(device->convolutions()->run(specs()[0], nullptr, [] { return true; }));
}

TEST_CASE("attributes encode a convolution, and large() needs enough multiplications") {
    Spec s = with_places({.kind = Kind::filter,
                          .dtype = DType::bf16,
                          .axes = 3,
                          .batch = 2,
                          .groups = 2,
                          .in = 4,
                          .out = 6,
                          .x = {9, 8, 7},
                          .w = {1, 2, 3},
                          .stride = {3, 2, 1},
                          .dilation = {1, 3, 2},
                          .padding = {0, 1, 2}});
    const auto attributes = convolution_attributes(s);
    CHECK(attributes.size() == convolution_attribute_count);
    CHECK(convolution_spec(attributes.data()) == s);
    const ConvolutionEpilogue epilogue{.scale = -0.1F, .added_scale = 3};
    CHECK(convolution_epilogue(convolution_epilogue_attributes(epilogue).data()) == epilogue);
    CHECK_FALSE(s.large());
    s = with_places({.batch = 8, .in = 64, .out = 64, .x = {16, 8, 1}, .w = {1, 1, 1}});
    CHECK(s.large()); // 2^22
    s.groups = 2;
    CHECK_FALSE(s.large());
}
