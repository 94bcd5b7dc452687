// The devices that a pmap runs on, and the division of an axis among them.
#include "compiler/stage/transform/devices.hpp"

#include "compiler/base/count.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/printing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace pm::stage {

std::string device_name(Stager& s, std::int64_t number) { return fmt::format("{}:{}", s.host().platform, number); }

namespace {

Diagnostic too_few(Stager& s, Span span, const std::string& asked, std::int64_t needed) {
    const int there = s.host().devices;
    return diagnose(Diag::too_few_devices, span,
                    fmt::format("`pmap` asks for {}, but there {} {}", asked, there == 1 ? "is" : "are", there))
        .fix(fmt::format("pm run --devices {} ...", device_name(s, needed)))
        .fix("or run it on those there are: leave devices= out");
}

Diagnostic bad_devices(Span span, const std::string& given, const std::string& why) {
    return diagnose(Diag::bad_axes, span, "devices", "pmap", given, why)
        .fix("say how many, devices=2, or which, devices=devices()[:2]; without it all there are take part");
}

/// The number in the name of a device, such as 3 in `cpu:3`. nullopt if `name` is not the name of a device.
std::optional<std::int64_t> device_number(Stager& s, const std::string& name) {
    const std::string kind = s.host().platform + ":";
    const std::string digits = name.starts_with(kind) ? name.substr(kind.size()) : std::string();
    constexpr std::size_t most_digits = 9;
    if (digits.empty() || digits.size() > most_digits ||
        !std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
        return {};
    const std::int64_t number = std::stoll(digits);
    return device_name(s, number) == name ? std::optional(number) : std::nullopt;
}

ir::Integers listed(Stager& s, const Value& given, Span span) {
    ir::Integers numbers;
    for (const Value& v : given.tuple()->items) {
        const std::optional<std::int64_t> number = v.text() ? device_number(s, *v.text()) : std::nullopt;
        if (!number)
            raise(bad_devices(span, printed(given),
                              fmt::format("{} is no device; devices() gives their names", printed(v))));
        if (*number >= s.host().devices) raise(too_few(s, span, fmt::format("device {}", *v.text()), *number + 1));
        if (std::find(numbers.begin(), numbers.end(), *number) != numbers.end())
            raise(bad_devices(span, printed(given), fmt::format("{} is there twice", *v.text())));
        numbers.push_back(*number);
    }
    if (numbers.empty()) raise(bad_devices(span, printed(given), "pmap needs at least one"));
    return numbers;
}

} // namespace

ir::Integers asked_devices(Stager& s, const Value* option, Span span) {
    if (!option || option->is_none()) return {};
    if (option->tuple()) return listed(s, *option, span);
    if (!option->is_numeric() || numeric_type(*option).type.rank() != 0 ||
        !runtime::is_integer(numeric_type(*option).type.dtype))
        raise(bad_devices(span, describe(*option), "it is an integer or a tuple of devices"));
    const std::int64_t count = need_integer(s, *option, span, "devices");
    if (count < 1) raise(bad_devices(span, fmt::format("{}", count), "pmap needs at least one"));
    if (count > s.host().devices) raise(too_few(s, span, fmt::format("{:device|devices}", Count{count}), count));
    ir::Integers numbers;
    for (std::int64_t d = 0; d < count; ++d) numbers.push_back(d);
    return numbers;
}

bool divides_evenly(std::int64_t slices, std::int64_t devices) { return slices <= devices || slices % devices == 0; }

namespace {

/// The divisor of `n` that is nearest to `near`, among the divisors up to `most`. If two divisors are equally near, the
/// greater divisor.
std::int64_t divisor_near(std::int64_t n, std::int64_t near, std::int64_t most) {
    std::int64_t best = 1;
    for (std::int64_t d = 1; d <= std::min({n, most, 2 * near});
         ++d) // divisors above 2 * near are farther from `near` than 1 is
        if (n % d == 0 && std::abs(d - near) <= std::abs(best - near)) best = d;
    return best;
}

} // namespace

std::string axis_text(std::int64_t axis, const std::string& name, std::int64_t n) {
    return fmt::format("axis {} of {} (size {})", axis, name, n);
}

Diagnostic indivisible(Stager& s, Span place, const std::string& what, const Parts& parts) {
    const auto& [n, count, kind, axis] = parts;
    auto d = diagnose(Diag::indivisible_axis, place, what,
                      kind == Parts::Kind::blocks ? fmt::format("into {:block|blocks}", Count{count})
                                                  : fmt::format("over {:device|devices}", Count{count}));
    const std::int64_t below = n / count * count;
    if (below > 0)
        d.notes.push_back(fmt::format("{} = {}*{} + {}; sizes that work near here: {}, {}", n, count, n / count,
                                      n % count, below, below + count));
    else
        d.notes.push_back(fmt::format("the next size that works: {}", count));
    if (axis) {
        // Within another vmap or pmap, the array of the program may have more axes, so the number of the axis is not
        // shown.
        const std::string pad =
            s.around().axes.empty()
                ? fmt::format("pad it to {}: pad_to(x, {}{}) gives that, and a mask of the {}", below + count, count,
                              *axis == 0 ? "" : fmt::format(", axis={}", *axis), n)
                : fmt::format("pad it to {} where the array is made", below + count);
        d.help.push_back(below > 0 ? fmt::format("cut it to {}, or {}", below, pad) : pad);
    } else {
        d.help.push_back(fmt::format("ask for as many as lie evenly: axis_size={}", below > 0 ? below : count));
    }
    switch (kind) {
    case Parts::Kind::blocks:
        return std::move(d).fix(
            fmt::format("use a number of blocks that divides it: axis_size={}", divisor_near(n, count, n)));
    case Parts::Kind::of_pmap:
        return std::move(d).fix(fmt::format("use a number of devices that divides it: devices={}",
                                            divisor_near(n, count, s.host().devices)));
    case Parts::Kind::of_engine: break;
    }
    return std::move(d).fix(fmt::format("use a number of devices that divides it: pm run --devices {} ...",
                                        device_name(s, divisor_near(n, count, n))));
}

} // namespace pm::stage
