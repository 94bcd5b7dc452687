#include "compiler/base/stop.hpp"
#include "compiler/nest/text_reader.hpp"
#include "compiler/plan/program/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

// program "f" arena=128 {
//   buffer 0: f32[3] argument 0
//   buffer 1: f32[4, 3] arena +64 loop(2)*12 lane*48
//   arguments=[0] results=[1] forwarded=[-1]
//   overwritten=[0]
//   deterministic
//   constant 0x0001...
//   site check "index {}" i32[] f32[3]
//   steps {
//     copy [0, 1]
//     loop [5] id=2 iterations=10 reverse { ... }
//     nest [0, 1] parallel
//       nest "add" ...
//   }
// }
// The attributes of a step follow its buffers, in the order of `fields` in step.hpp. Each list of children is in
// braces.

namespace pm::plan {
namespace {

using nest::print_integers;
using nest::print_quoted;

std::string type_text(DType dtype, const std::vector<std::int64_t>& shape) {
    return std::string(runtime::name(dtype)) + print_integers(shape);
}

std::string buffer_text(const Buffer& buffer) {
    std::string text = fmt::format("{} {}", type_text(buffer.dtype, buffer.shape), name(buffer.space));
    if (buffer.space != Space::arena) text += fmt::format(" {}", buffer.index);
    if (buffer.space == Space::arena || buffer.offset != 0) text += fmt::format(" +{}", buffer.offset);
    for (const Stride& stride : buffer.strides)
        text += stride.loop == lane ? fmt::format(" lane*{}", stride.bytes)
                                    : fmt::format(" loop({})*{}", stride.loop, stride.bytes);
    return text;
}

/// The words for the values of an enumeration, in the order of the values.
template <class Enum>
struct Words;
template <>
struct Words<runtime::TapeWork> {
    static constexpr std::array<std::string_view, 4> all = {"set", "add", "get", "sum"};
    static_assert(all.size() == static_cast<std::size_t>(runtime::TapeWork::sum) + 1);
};
template <>
struct Words<CollectiveWork> {
    static constexpr std::array<std::string_view, 4> all = {"reduce", "gather", "exchange", "all_to_all"};
    static_assert(all.size() == static_cast<std::size_t>(CollectiveWork::all_to_all) + 1);
};

template <>
struct Words<MeetingWork> {
    static constexpr std::array<std::string_view, 5> all = {"gather", "tapes", "send", "parts", "share"};
    static_assert(all.size() == static_cast<std::size_t>(MeetingWork::share) + 1);
};
constexpr std::array<std::string_view, 3> site_kinds = {"check", "print", "meeting"}; // in the order of SiteKind

/// Prints attributes. Attributes that have their default value are omitted, except `combine`, `id` and `site`.
class AttributePrinter {
  public:
    std::string made;

    template <class... T>
    void integers(const T&... values) {
        integers(std::vector<std::int64_t>{static_cast<std::int64_t>(values)...});
    }
    void integers(const std::vector<std::int64_t>& values) {
        if (!values.empty()) add("integers={}", print_integers(values));
    }
    template <class... T>
    void counted(const std::vector<std::int64_t>& list, const T&... values) {
        std::vector<std::int64_t> all{values..., static_cast<std::int64_t>(list.size())};
        all.insert(all.end(), list.begin(), list.end());
        integers(all);
    }
    void combine(nest::Combine combine) { add("combine={}", nest::name(combine)); }
    void text(std::string_view text) {
        if (!text.empty()) add("text={}", print_quoted(text));
    }
    void mode(bool replaces, nest::Combine combine) { text(replaces ? "set" : nest::name(combine)); }
    template <class Enum>
    void word(Enum value) {
        text(Words<Enum>::all.at(static_cast<std::size_t>(value)));
    }
    void id(std::uint32_t id) { add("id={}", id); }
    void iterations(std::int64_t count) {
        if (count != 0) add("iterations={}", count);
    }
    void reverse(bool reverse) {
        if (reverse) add("reverse");
    }
    void lanes(std::int64_t count) {
        if (count != 0) add("lanes={}", count);
    }
    void site(std::uint32_t site) { add("site={}", site); }

  private:
    template <class... T>
    void add(fmt::format_string<T...> format, T&&... values) {
        made += ' ';
        made += fmt::format(format, std::forward<T>(values)...);
    }
};

/// Reads the text of AttributePrinter. If the text omits an attribute, the attribute keeps its value.
class AttributeReader {
  public:
    explicit AttributeReader(nest::TextReader& in) : in_(in) {}

    template <class... T>
    void integers(T&... values) {
        const std::vector<std::int64_t> all = given_integers();
        if (all.size() != sizeof...(values)) in_.fail(fmt::format("{} integers", sizeof...(values)));
        const std::int64_t* next = all.data();
        ((values = static_cast<T>(*next++)), ...);
    }
    void integers(std::vector<std::int64_t>& values) {
        if (in_.take("integers=")) values = in_.integers();
    }
    template <class... T>
    void counted(std::vector<std::int64_t>& list, T&... values) {
        const std::vector<std::int64_t> all = given_integers();
        constexpr std::size_t first = sizeof...(values) + 1;
        if (all.size() < first || all[first - 1] != static_cast<std::int64_t>(all.size() - first))
            in_.fail("a list with its length before it");
        const std::int64_t* next = all.data();
        ((values = *next++), ...);
        list.assign(all.begin() + first, all.end());
    }
    void combine(nest::Combine& combine) {
        if (!in_.take("combine=")) return;
        const std::string_view text = in_.word();
        for (int c = 0; c <= static_cast<int>(nest::Combine::argmin); ++c)
            if (nest::name(static_cast<nest::Combine>(c)) == text)
                return static_cast<void>(combine = static_cast<nest::Combine>(c));
        in_.fail("a way to combine");
    }
    void text(std::string& text) {
        if (in_.take("text=")) text = in_.quoted();
    }
    void mode(bool& replaces, nest::Combine combine) {
        std::string given;
        text(given);
        replaces = given == "set";
        if (!replaces && !given.empty() && given != nest::name(combine)) in_.fail("the mode of a scatter");
    }
    template <class Enum>
    void word(Enum& value) {
        std::string given;
        text(given);
        const auto& all = Words<Enum>::all;
        const auto at = std::find(all.begin(), all.end(), given);
        if (at == all.end()) in_.fail(fmt::format("one of {}", fmt::join(all, ", ")));
        value = static_cast<Enum>(at - all.begin());
    }
    void id(std::uint32_t& id) { number("id=", id); }
    void iterations(std::int64_t& count) { number("iterations=", count); }
    void reverse(bool& reverse) { reverse = in_.take("reverse"); }
    void lanes(std::int64_t& count) { number("lanes=", count); }
    void site(std::uint32_t& site) { number("site=", site); }

  private:
    std::vector<std::int64_t> given_integers() {
        in_.expect("integers=");
        return in_.integers();
    }
    template <class T>
    void number(std::string_view name, T& value) {
        if (in_.take(name)) value = static_cast<T>(in_.integer());
    }

    nest::TextReader& in_;
};

class Printer {
  public:
    std::string program(const Program& p) {
        line(fmt::format("program {} arena={} {{", print_quoted(p.name), p.arena_bytes));
        ++depth_;
        for (std::size_t b = 0; b < p.buffers.size(); ++b)
            line(fmt::format("buffer {}: {}", b, buffer_text(p.buffers[b])));
        line(fmt::format("arguments={} results={} forwarded={}", ids(p.arguments), ids(p.results),
                         print_integers(p.forwarded)));
        if (!p.overwritten.empty()) line("overwritten=" + print_integers(p.overwritten));
        divisions("argument", p.argument_divisions);
        divisions("result", p.result_divisions);
        if (p.deterministic) line("deterministic");
        for (const Constant& constant : p.constants) {
            std::string digits;
            for (const std::uint8_t byte : constant.bytes) digits += fmt::format("{:02x}", byte);
            line("constant \"" + digits + "\"");
        }
        for (const Site& site : p.sites) {
            std::string types;
            for (std::size_t i = 0; i < site.dtypes.size(); ++i)
                types += " " + type_text(site.dtypes[i], site.shapes[i]);
            const std::string devices = site.devices.empty() ? "" : " devices=" + print_integers(site.devices);
            std::string diagnostic;
            if (site.kind == SiteKind::check) diagnostic = fmt::format(" diagnostic={}", info(site.diagnostic).name);
            if (!site.help.empty()) diagnostic += " help=" + print_quoted(site.help);
            if (!site.mapped.empty())
                diagnostic += fmt::format(" mapped={} inner={}", print_integers(site.mapped), site.inner);
            line(fmt::format("site {}{} {}{}{}{}", site_kinds.at(static_cast<std::size_t>(site.kind)),
                             site.on_devices ? " on_devices" : "", print_quoted(site.text), diagnostic, devices,
                             types));
        }
        line("steps {");
        steps(p.steps);
        line("}");
        --depth_;
        line("}");
        return std::move(out_);
    }

  private:
    static std::string ids(const std::vector<BufferId>& buffers) {
        return print_integers(std::vector<std::int64_t>(buffers.begin(), buffers.end()));
    }

    void divisions(std::string_view of, const std::vector<std::vector<std::int64_t>>& list) {
        for (std::size_t i = 0; i < list.size(); ++i)
            if (!list[i].empty()) line(fmt::format("divided {}={} first={}", of, i, print_integers(list[i])));
    }

    void line(std::string_view text) {
        poll_stop();
        out_.append(2 * depth_, ' ');
        out_ += text;
        out_ += '\n';
    }

    void steps(const Steps& list) {
        ++depth_;
        for (const Step& s : list) step(s);
        --depth_;
    }

    void step(const Step& s) {
        std::string text = fmt::format("{} {}", name(s.kind()), ids(s.buffers));
        if (s.parallel) text += " parallel";
        text += attributes_text(s);
        for (std::size_t i = 0; i < s.children.size(); ++i) text += i == 0 ? " {" : "";
        line(text);
        for (std::size_t i = 0; i < s.children.size(); ++i) {
            if (i != 0) line("} {");
            steps(s.children[i]);
        }
        if (!s.children.empty()) line("}");
        if (s.nest) nest_text(*s.nest);
    }

    void nest_text(const nest::Nest& nest) {
        std::string text = nest::print(nest);
        ++depth_;
        std::size_t begin = 0;
        while (begin < text.size()) {
            const std::size_t end = text.find('\n', begin);
            line(std::string_view(text).substr(begin, end - begin));
            begin = end + 1;
        }
        --depth_;
    }

    std::string out_;
    std::size_t depth_ = 0;
};

class Reader {
  public:
    explicit Reader(std::string_view text) : in_(text) {}

    Program program() {
        in_.expect("program");
        p_.name = in_.quoted();
        in_.expect("arena=");
        p_.arena_bytes = in_.integer();
        in_.expect("{");
        while (in_.take("buffer")) buffer();
        in_.expect("arguments=");
        p_.arguments = ids();
        in_.expect("results=");
        p_.results = ids();
        in_.expect("forwarded=");
        p_.forwarded = in_.integers();
        if (in_.take("overwritten=")) p_.overwritten = in_.integers();
        while (in_.take("divided")) {
            const bool argument = in_.take("argument=");
            if (!argument) in_.expect("result=");
            auto& list = argument ? p_.argument_divisions : p_.result_divisions;
            list.resize((argument ? p_.arguments : p_.results).size());
            const std::int64_t number = in_.integer();
            if (number < 0 || number >= static_cast<std::int64_t>(list.size())) in_.fail("an argument or a result");
            in_.expect("first=");
            list[static_cast<std::size_t>(number)] = in_.integers();
        }
        p_.deterministic = in_.take("deterministic");
        while (in_.take("constant")) constant();
        while (in_.take("site")) site();
        in_.expect("steps");
        p_.steps = steps();
        in_.expect("}");
        if (!in_.at_end()) in_.fail("the end of the program");
        return std::move(p_);
    }

  private:
    std::vector<BufferId> ids() {
        std::vector<BufferId> result;
        for (const std::int64_t id : in_.integers()) {
            if (id < 0 || id >= static_cast<std::int64_t>(p_.buffers.size())) in_.fail("a buffer of the program");
            result.push_back(static_cast<BufferId>(id));
        }
        return result;
    }

    Space space() {
        const std::string_view text = in_.word();
        for (int s = 0; s <= static_cast<int>(Space::local); ++s)
            if (name(static_cast<Space>(s)) == text) return static_cast<Space>(s);
        in_.fail("a space");
    }

    void buffer() {
        if (in_.integer() != static_cast<std::int64_t>(p_.buffers.size())) in_.fail("buffers in order");
        in_.expect(":");
        Buffer b;
        b.dtype = dtype();
        b.shape = in_.integers();
        b.space = space();
        if (b.space != Space::arena) b.index = static_cast<std::uint32_t>(in_.integer());
        if (in_.take("+")) b.offset = in_.integer();
        for (;;) {
            Stride stride;
            if (in_.take("lane")) {
                stride.loop = lane;
            } else if (in_.take("loop")) {
                in_.expect("(");
                stride.loop = static_cast<std::uint32_t>(in_.integer());
                in_.expect(")");
            } else {
                break;
            }
            in_.expect("*");
            stride.bytes = in_.integer();
            b.strides.push_back(stride);
        }
        p_.buffers.push_back(std::move(b));
    }

    DType dtype() { return in_.dtype(); }

    void constant() {
        const std::string digits = in_.quoted();
        Constant c;
        for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
            const auto nibble = [&](char d) {
                if (d >= '0' && d <= '9') return d - '0';
                if (d >= 'a' && d <= 'f') return d - 'a' + 10;
                in_.fail("hexadecimal digits");
            };
            c.bytes.push_back(static_cast<std::uint8_t>(nibble(digits[i]) * 16 + nibble(digits[i + 1])));
        }
        p_.constants.push_back(std::move(c));
    }

    void site() {
        Site site;
        const auto named = std::ranges::find_if(site_kinds, [&](std::string_view kind) { return in_.take(kind); });
        if (named == site_kinds.end()) in_.fail("the kind of a site");
        site.kind = static_cast<SiteKind>(named - site_kinds.begin());
        site.on_devices = in_.take("on_devices");
        site.text = in_.quoted();
        if (in_.take("diagnostic=")) {
            const std::optional<Diag> named = diagnostic_named(in_.word());
            if (!named) in_.fail("the name of a diagnostic");
            site.diagnostic = *named;
        }
        if (in_.take("help=")) site.help = in_.quoted();
        if (in_.take("mapped=")) {
            site.mapped = in_.integers();
            in_.expect("inner=");
            site.inner = in_.integer();
        }
        if (in_.take("devices=")) site.devices = in_.integers();
        while (!at_keyword()) {
            site.dtypes.push_back(dtype());
            site.shapes.push_back(in_.integers());
        }
        p_.sites.push_back(std::move(site));
    }
    bool at_keyword() {
        in_.peek();
        return in_.rest().starts_with("site") || in_.rest().starts_with("steps");
    }

    Steps steps() {
        Steps result;
        in_.expect("{");
        while (!in_.take("}")) result.push_back(step());
        return result;
    }

    StepKind kind() {
        const std::string_view text = in_.word();
        for (std::size_t k = 0; k < std::variant_size_v<Step::Attributes>; ++k)
            if (name(static_cast<StepKind>(k)) == text) return static_cast<StepKind>(k);
        in_.fail("a step");
    }

    Step step() {
        Step s = step_of(kind());
        s.buffers = ids();
        s.parallel = in_.take("parallel");
        AttributeReader attributes(in_);
        std::visit([&](auto& a) { std::decay_t<decltype(a)>::fields(a, attributes); }, s.attributes);
        while (in_.peek() == '{') s.children.push_back(steps());
        if ((s.kind() == StepKind::nest || s.kind() == StepKind::dot || s.kind() == StepKind::matrices) &&
            nest_follows())
            s.nest = std::make_shared<const nest::Nest>(nest::read_nest(in_));
        return s;
    }
    /// True if the text of a nest follows. After "nest", such a text has a quoted name, whereas the text of a `nest`
    /// step has the list of buffers.
    bool nest_follows() {
        in_.peek();
        return in_.rest().starts_with("nest \"");
    }

    nest::TextReader in_;
    Program p_;
};

} // namespace

std::string attributes_text(const Step& step) {
    AttributePrinter printer;
    std::visit([&](const auto& a) { std::decay_t<decltype(a)>::fields(a, printer); }, step.attributes);
    return std::move(printer.made);
}

std::string print(const Program& program) { return Printer().program(program); }
Program read_program(std::string_view text) { return Reader(text).program(); }

} // namespace pm::plan
