// The natives that random.pm uses: keys, and the bits of JAX's threefry in its partitionable form. Element i of an
// array of random bits depends on the key and on i alone. So the element is the same under all transformations and on
// all devices.
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/library/numbers.hpp"

#include "compiler/base/check.hpp"

#include <fmt/format.h>

#include <limits>

namespace pm::stage::library {
namespace {

using ir::Op;

ir::Value bits_as(ops::Build& b, ir::Value v, DType dtype) {
    return b.emit1(Op::bitcast, {v}, {{ir::Attr::dtype, dtype}});
}

/// The subject of messages. Most functions of `random` split keys or draw bits, but users call these functions to draw
/// random numbers.
constexpr std::string_view drawing = "drawing random numbers";

const Value& need_key(const Value& v, Span span, std::string_view what, bool single = true) {
    if (!v.is_numeric())
        raise(diagnose(Diag::wrong_kind, span, what, "a random key first", describe(v))
                  .fix("make one and give it before the rest: random.normal(random.key(0), (3,))"));
    const Type t = numeric_type(v).type;
    if (t.dtype != DType::key)
        raise(diagnose(Diag::wrong_kind, span, what, "a random key", describe(v)).fix("make one: random.key(0)"));
    if (single && t.rank() != 0)
        raise(diagnose(Diag::wrong_kind, span, what, "one key", describe(v))
                  .fix("take one: keys[0]")
                  .fix("or use all of them: vmap(fn(k) = ...)(keys)"));
    return v;
}

const Value& need_whole(const Value& v, Span span, std::string_view what) {
    need_numeric(v, span, what);
    if (!runtime::is_integer(numeric_type(v).type.dtype))
        raise(diagnose(Diag::wrong_kind, span, what, "an integer", describe(v)));
    return v;
}

/// The threefry function of each element of `counter`, with the same key for all elements.
ir::Value threefry(ops::Build& b, ir::Value key, ir::Value counter) {
    return b.binary(Op::threefry, b.broadcast_to(key, b.shape(counter)), counter);
}

/// An array with the elements 0, 1, 2 and so on, in row-major order.
ir::Value counters(ops::Build& b, const Shape& shape) {
    return b.reshape(b.iota({ir::product(shape)}, 0, DType::u64), shape);
}

/// The function random.key. As in JAX, a seed that fits 32 bits is the lower half of the key, and the upper half is
/// zero. Other seeds use both halves.
Value random_key(Stager& s, Arguments& a) {
    need_whole(a[0], a.spans[0], "a seed");
    auto& b = s.build();
    if (const Number* n = a[0].number()) {
        std::int64_t seed = n->data();
        if (seed >= std::numeric_limits<std::int32_t>::min() && seed <= std::numeric_limits<std::int32_t>::max())
            seed &= 0xFFFFFFFF;
        return s.wrap(bits_as(b, s.use(Value::integer(seed), DType::i64), DType::key));
    }
    const ir::Value seed = s.use(a[0]);
    const DType dtype = b.dtype(seed);
    if (dtype == DType::i64 || dtype == DType::u64) return s.wrap(bits_as(b, seed, DType::key));
    return s.wrap(bits_as(b, b.convert(b.convert(seed, DType::u32), DType::u64), DType::key));
}

Value random_split(Stager& s, Arguments& a) {
    const Value& key = need_key(a[0], a.spans[0], drawing);
    const Shape shape = need_shape(s, a[1], a.spans[1]);
    auto& b = s.build();
    return s.wrap(bits_as(b, threefry(b, s.use(key), counters(b, shape)), DType::key));
}

Value random_fold_in(Stager& s, Arguments& a) {
    const Value& key = need_key(a[0], a.spans[0], "`random.fold_in`");
    need_whole(a[1], a.spans[1], "`fold_in`");
    if (numeric_type(a[1]).type.rank() != 0)
        raise(diagnose(Diag::wrong_kind, a.spans[1], "`fold_in`", "one number", describe(a[1])));
    auto& b = s.build();
    // Only the lower 32 bits of a number are used, because a weak number may not fit an i32.
    const ir::Value data = a[1].number() ? s.use(Value::integer(a[1].number()->data()), DType::i64) : s.use(a[1]);
    const ir::Value counter = b.convert(b.convert(data, DType::u32), DType::u64);
    return s.wrap(bits_as(b, threefry(b, s.use(key), counter), DType::key));
}

Value random_bits(Stager& s, Arguments& a) {
    const Value& key = need_key(a[0], a.spans[0], drawing);
    const Shape shape = need_shape(s, a[1], a.spans[1]);
    const DType* dtype = a[2].dtype();
    if (!dtype || !runtime::is_unsigned_integer(*dtype))
        raise(diagnose(Diag::wrong_kind, a.spans[2], "`bits`", "u8, u16, u32 or u64 as dtype", describe(a[2])));
    auto& b = s.build();
    const ir::Value words = threefry(b, s.use(key), counters(b, shape));
    if (*dtype == DType::u64) return s.wrap(words);
    const ir::Value upper = b.binary(Op::shift_right, words, b.constant_i(DType::u64, 32, shape));
    return s.wrap(b.convert(b.convert(b.binary(Op::xor_, words, upper), DType::u32), *dtype));
}

Value key_data(Stager& s, Arguments& a) {
    const Value& key = need_key(a[0], a.spans[0], "`key_data`", false);
    auto& b = s.build();
    const ir::Value words = bits_as(b, s.use(key), DType::u64);
    Shape shape = b.shape(words);
    const ir::Value upper = b.binary(Op::shift_right, words, b.constant_i(DType::u64, 32, shape));
    const int axis = static_cast<int>(shape.size());
    shape.push_back(1);
    return s.wrap(b.concatenate(
        {b.reshape(b.convert(upper, DType::u32), shape), b.reshape(b.convert(words, DType::u32), shape)}, axis));
}

Value wrap_key_data(Stager& s, Arguments& a) {
    need_whole(a[0], a.spans[0], "`wrap_key_data`");
    Shape shape = numeric_type(a[0]).type.shape;
    if (shape.empty() || shape.back() != 2)
        raise(diagnose(Diag::wrong_kind, a.spans[0], "`wrap_key_data`", "an array whose last axis has size 2",
                       describe(a[0])));
    auto& b = s.build();
    const ir::Value halves = b.convert(b.convert(s.use(a[0]), DType::u32), DType::u64);
    const int axis = static_cast<int>(shape.size()) - 1;
    shape.pop_back();
    const ir::Value upper = b.reshape(b.slice_axis(halves, axis, 0, 1), shape);
    const ir::Value lower = b.reshape(b.slice_axis(halves, axis, 1, 2), shape);
    return s.wrap(bits_as(
        b, b.binary(Op::or_, b.binary(Op::shift_left, upper, b.constant_i(DType::u64, 32, shape)), lower), DType::key));
}

using K = Native::Kind;
constexpr Native random_natives[] = {
    {"_random_key", "seed", K::array, random_key, "_random_key(seed): a random key; its halves are those of the seed."},
    {"_random_split", "key, num=2", K::array, random_split, "_random_split(key, n): n new keys, or a shape of them."},
    {"_random_fold_in", "key, data", K::array, random_fold_in, "_random_fold_in(key, n): a new key for each number n."},
    {"_random_bits", "key, shape=(), dtype=u32", K::array, random_bits,
     "_random_bits(key, shape, dtype): random unsigned integers."},
    {"key_data", "key", K::array, key_data, "key_data(key): the two halves of keys as u32[..., 2]."},
    {"wrap_key_data", "data", K::array, wrap_key_data, "wrap_key_data(x): keys from their halves, u32[..., 2]."},
};

} // namespace

std::span<const Native> random() { return random_natives; }

} // namespace pm::stage::library
