#include "compiler/base/check.hpp"
#include "compiler/nest/nest.hpp"
#include "compiler/nest/text_reader.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>

// nest "softmax" (b0: f32, b1: written f32) grid=[4] {
//   stage loops=[16] order=lanes block=0 {
//     %0: f32 = load b0[16*i0 + i1]
//     %1: f32 = reduce max(%0)
//   }
//   stage loops=[16] order=lanes block=0 {
//     %2: f32 = load b0[16*i0 + i1]
//     %3: f32 = sub(%2, %1)
//     store b1[16*i0 + i1] = %3
//   }
// }
// An address with a dynamic part ends in `+ %n`. A masked access ends in `if %n`.

namespace pm::nest {
namespace {

std::string print_affine(const Affine& a) {
    std::string text;
    for (std::size_t l = 0; l < a.coefficients.size(); ++l) {
        if (a.coefficients[l] == 0) continue;
        if (!text.empty()) text += " + ";
        text += a.coefficients[l] == 1 ? fmt::format("i{}", l) : fmt::format("{}*i{}", a.coefficients[l], l);
    }
    if (text.empty()) return std::to_string(a.base);
    return a.base == 0 ? text : fmt::format("{} + {}", text, a.base);
}

class Printer {
  public:
    explicit Printer(const Nest& nest) : nest_(nest) {}

    std::string text() {
        std::string out = fmt::format("nest {} (", print_quoted(nest_.name));
        for (std::size_t b = 0; b < nest_.buffers.size(); ++b)
            out += fmt::format("{}b{}: {}{}", b == 0 ? "" : ", ", b, nest_.buffers[b].written ? "written " : "",
                               runtime::name(nest_.buffers[b].dtype));
        out += fmt::format(") grid={} {{\n", print_integers(nest_.grid));
        for (const Stage& stage : nest_.stages) {
            out += fmt::format("  stage loops={} order={} block={}{} {{\n", print_integers(stage.loops),
                               stage.order == Order::lanes ? "lanes" : "sequential", stage.block, chunk(stage.chunk));
            for (const Ref r : stage.body) out += "    " + instruction(r) + "\n";
            out += "  }\n";
        }
        return out + "}\n";
    }

  private:
    static std::string chunk(const Chunk& c) {
        return c.iterations == 0 ? "" : fmt::format(" chunk=[{}, {}]", c.loop, c.iterations);
    }
    std::string ref(Ref r) const {
        const auto found = numbers_.find(r.id);
        return found == numbers_.end() ? fmt::format("%?{}", r.id) : fmt::format("%{}", found->second);
    }
    std::string address(const Access& a) const {
        std::string text = fmt::format("b{}[{}", a.buffer, print_affine(a.offset));
        if (a.dynamic) text += " + " + ref(a.dynamic);
        return text + "]";
    }
    std::string mask(const Access& a) const { return a.mask ? " if " + ref(a.mask) : ""; }

    std::string operands(const Inst& inst) const {
        std::string text = "(";
        for (std::size_t i = 0; i < inst.operands.size(); ++i) text += (i == 0 ? "" : ", ") + ref(inst.operands[i]);
        return text + ")";
    }

    std::string instruction(Ref r) {
        const Inst& inst = nest_[r];
        if (inst.op == ScalarOp::store)
            return fmt::format("store {} = {}{}", address(inst.access), ref(inst.operands[0]), mask(inst.access));
        std::string value;
        if (inst.op == ScalarOp::constant)
            value = fmt::format("constant 0x{:x}", inst.bits);
        else if (inst.op == ScalarOp::index)
            value = fmt::format("index [{}]", print_affine(inst.affine));
        else if (inst.op == ScalarOp::load)
            value = fmt::format("load {}{}", address(inst.access), mask(inst.access));
        else if (inst.op == ScalarOp::reduce)
            value = fmt::format("reduce {}{}", name(inst.combine), operands(inst));
        else
            value = std::string(name(inst.op)) + operands(inst);
        const auto number = static_cast<std::uint32_t>(numbers_.size());
        numbers_.emplace(r.id, number);
        return fmt::format("%{}: {} = {}", number, runtime::name(inst.dtype), value);
    }

    const Nest& nest_;
    std::map<std::uint32_t, std::uint32_t> numbers_;
};

class Reader {
  public:
    explicit Reader(TextReader& in) : in_(in) {}

    Nest nest() {
        in_.expect("nest");
        nest_.name = in_.quoted();
        buffers();
        in_.expect("grid=");
        nest_.grid = in_.integers();
        in_.expect("{");
        while (!in_.take("}")) stage();
        return std::move(nest_);
    }

  private:
    void buffers() {
        in_.expect("(");
        if (in_.take(")")) return;
        do {
            if (in_.numbered('b') != nest_.buffers.size()) in_.fail("buffers in order");
            in_.expect(":");
            const bool written = in_.take("written");
            nest_.buffers.push_back({in_.dtype(), written});
        } while (in_.take(","));
        in_.expect(")");
    }

    void stage() {
        in_.expect("stage");
        Stage stage;
        in_.expect("loops=");
        stage.loops = in_.integers();
        in_.expect("order=");
        if (in_.take("sequential"))
            stage.order = Order::sequential;
        else
            in_.expect("lanes");
        in_.expect("block=");
        stage.block = in_.integer();
        if (in_.take("chunk=")) {
            const std::vector<std::int64_t> chunk = in_.integers();
            if (chunk.size() != 2 || chunk[0] < 0) in_.fail("a chunk's loop and its iterations");
            stage.chunk = {static_cast<std::size_t>(chunk[0]), chunk[1]};
        }
        in_.expect("{");
        while (!in_.take("}")) {
            stage.body.push_back(Ref{static_cast<std::uint32_t>(nest_.insts.size())});
            Inst inst = instruction();
            nest_.insts.push_back(std::move(inst));
        }
        nest_.stages.push_back(std::move(stage));
    }

    Ref ref() {
        const std::uint32_t number = in_.numbered('%');
        const auto found = named_.find(number);
        if (found == named_.end()) in_.fail("a value defined before");
        return found->second;
    }

    /// Reads an address such as `3*i0 + i1 + 4`, including the `]`. A term `%n` is the dynamic part.
    void address(Affine& affine, Ref* dynamic) {
        in_.expect("[");
        do {
            if (dynamic != nullptr && in_.peek() == '%') {
                *dynamic = ref();
                continue;
            }
            std::int64_t factor = 1;
            bool loop = in_.peek() == 'i';
            if (!loop) {
                factor = in_.integer();
                loop = in_.take("*");
            }
            if (!loop) {
                affine.base += factor;
                continue;
            }
            const std::size_t l = in_.numbered('i');
            if (l > 64) in_.fail("a loop");
            if (affine.coefficients.size() <= l) affine.coefficients.resize(l + 1);
            affine.coefficients[l] = factor;
        } while (in_.take("+"));
        in_.expect("]");
    }

    void access(Access& a) {
        a.buffer = in_.numbered('b');
        if (a.buffer >= nest_.buffers.size()) in_.fail("a buffer of the nest");
        address(a.offset, &a.dynamic);
    }
    void mask(Access& a) {
        if (in_.take("if")) a.mask = ref();
    }

    void operands(Inst& inst) {
        in_.expect("(");
        do inst.operands.push_back(ref());
        while (in_.take(","));
        in_.expect(")");
    }

    Inst instruction() {
        Inst inst;
        if (in_.take("store")) {
            inst.op = ScalarOp::store;
            access(inst.access);
            inst.dtype = nest_.buffers[inst.access.buffer].dtype;
            in_.expect("=");
            inst.operands = {ref()};
            mask(inst.access);
            return inst;
        }
        const std::uint32_t number = in_.numbered('%');
        in_.expect(":");
        inst.dtype = in_.dtype();
        in_.expect("=");
        value(inst);
        if (!named_.emplace(number, Ref{static_cast<std::uint32_t>(nest_.insts.size())}).second)
            in_.fail("a new value");
        return inst;
    }

    void value(Inst& inst) {
        if (in_.take("constant")) {
            inst.op = ScalarOp::constant;
            inst.bits = in_.hexadecimal();
        } else if (in_.take("index")) {
            inst.op = ScalarOp::index;
            address(inst.affine, nullptr);
        } else if (in_.take("load")) {
            inst.op = ScalarOp::load;
            access(inst.access);
            mask(inst.access);
        } else if (in_.take("reduce")) {
            inst.op = ScalarOp::reduce;
            inst.combine = combine();
            operands(inst);
        } else {
            inst.op = scalar_op();
            operands(inst);
            if (static_cast<int>(inst.operands.size()) != operand_count(inst.op))
                in_.fail("as many operands as the operation has");
        }
    }

    Combine combine() {
        const std::string_view text = in_.word();
        for (int c = 0; c <= static_cast<int>(Combine::argmin); ++c)
            if (name(static_cast<Combine>(c)) == text) return static_cast<Combine>(c);
        in_.fail("a way to combine");
    }

    ScalarOp scalar_op() {
        const std::string_view text = in_.word();
        for (int o = static_cast<int>(ScalarOp::neg); o <= static_cast<int>(ScalarOp::fma); ++o)
            if (name(static_cast<ScalarOp>(o)) == text) return static_cast<ScalarOp>(o);
        in_.fail("a scalar operation");
    }

    TextReader& in_;
    Nest nest_;
    std::map<std::uint32_t, Ref> named_;
};

} // namespace

std::string print(const Nest& nest) { return Printer(nest).text(); }

Nest read_nest(TextReader& in) { return Reader(in).nest(); }

Nest read_nest(std::string_view text) {
    TextReader in(text);
    Nest nest = read_nest(in);
    if (!in.at_end()) in.fail("the end of the nest");
    return nest;
}

} // namespace pm::nest
