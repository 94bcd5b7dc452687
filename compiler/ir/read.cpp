#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/literal_text.hpp"
#include "compiler/ir/text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <map>

namespace pm::ir {
namespace {

std::optional<DType> dtype_named(std::string_view name) {
    for (int i = 0; i < runtime::dtype_count; ++i)
        if (runtime::name(static_cast<DType>(i)) == name) return static_cast<DType>(i);
    return std::nullopt;
}

/// The attribute named `word`, with a default value of the attribute's kind. Empty if no attribute has this name.
std::optional<std::pair<Attr, AttrValue>> attribute_named(std::string_view word) {
    using integer = std::int64_t;
    using integers = Integers;
    using dtype = DType;
    using text = std::string;
    using literal = Literal;
#define ATTR(name, kind)                                                                                               \
    if (word == #name) return std::pair{Attr::name, AttrValue{kind{}}};
#include "compiler/ir/attrs.def"
#undef ATTR
    return std::nullopt;
}

/// True if `c` may be in a word. A word is a name, number or dtype.
bool is_word_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-' || c == '+';
}

class Reader {
  public:
    explicit Reader(std::string_view text) : text_(text) {}

    BlockPtr run() {
        while (true) {
            expect("fn");
            if (!accept('@')) {
                BlockPtr block = function(std::string(optional_name()));
                blanks();
                if (at_ != text_.size()) fail("the end of the text is due here");
                return block;
            }
            const std::string label(word());
            const std::string name = peek() == '(' ? label : optional_name();
            if (!callees_.emplace(label, function(name)).second) fail(fmt::format("a second function `@{}`", label));
        }
    }

  private:
    static constexpr int most_depth = 200; ///< the greatest depth of nested regions
    using Names = std::map<std::string, Value, std::less<>>;

    // -- characters

    [[noreturn]] void fail(std::string_view what) const {
        std::size_t line = 1;
        for (std::size_t i = 0; i < at_ && i < text_.size(); ++i) line += text_[i] == '\n' ? 1 : 0;
        raise(diagnose(Diag::ir_text, {}, line, what));
    }

    void blanks() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '#')
                while (at_ < text_.size() && text_[at_] != '\n') ++at_;
            else if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
                ++at_;
            else
                return;
        }
    }

    char peek() {
        blanks();
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    bool accept(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }

    void expect(char c) {
        if (!accept(c)) fail(fmt::format("`{}` is due here", c));
    }

    void expect(std::string_view due) {
        if (word() != due) fail(fmt::format("`{}` is due here", due));
    }

    std::string_view word() {
        blanks();
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_word_character(text_[at_])) ++at_;
        if (at_ == begin) fail("a word is due here");
        return text_.substr(begin, at_ - begin);
    }

    bool at_word(std::string_view due) {
        blanks();
        const std::size_t end = at_ + due.size();
        return text_.substr(at_).starts_with(due) && (end >= text_.size() || !is_word_character(text_[end]));
    }

    std::int64_t integer() {
        const std::string_view digits = word();
        std::int64_t n = 0;
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
        if (stop != digits.data() + digits.size() || error != std::errc{}) fail("an integer is due here");
        return n;
    }

    std::string quoted() {
        expect('"');
        std::string out;
        while (true) {
            if (at_ >= text_.size()) fail("a text without an end");
            const char c = text_[at_++];
            if (c == '"') return out;
            out += c == '\\' ? escaped() : c;
        }
    }

    char escaped() {
        const char c = at_ < text_.size() ? text_[at_++] : '\0';
        if (c == 'n') return '\n';
        if (c == '"' || c == '\\') return c;
        unsigned byte = 0;
        if (c == 'x' && at_ + 2 <= text_.size()) {
            const auto [stop, error] = std::from_chars(text_.data() + at_, text_.data() + at_ + 2, byte, 16);
            if (error == std::errc{} && stop == text_.data() + at_ + 2) {
                at_ += 2;
                return static_cast<char>(byte);
            }
        }
        fail("an unknown escape");
    }

    std::string optional_name() {
        if (peek() == '(') return {};
        return peek() == '"' ? quoted() : std::string(word());
    }

    // -- parts

    Type type() {
        const std::optional<DType> dtype = dtype_named(word());
        if (!dtype) fail("a type is due here");
        Type made{*dtype, {}};
        if (!accept('[')) return made;
        auto room = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(runtime::size_of(*dtype));
        do {
            const std::int64_t size = integer();
            if (size < 0 || size > room) fail("a size that is negative or too large");
            if (size > 0) room /= size;
            made.shape.push_back(size);
        } while (accept(','));
        expect(']');
        return made;
    }

    std::string value_name() {
        expect('%');
        return std::string(word());
    }

    Value use(const Names& names) {
        const std::string name = value_name();
        const auto found = names.find(name);
        if (found == names.end()) fail(fmt::format("%{} is used before it is defined", name));
        return found->second;
    }

    template <class F>
    void list(char end, F&& item) {
        if (accept(end)) return;
        do item();
        while (accept(','));
        expect(end);
    }

    Literal literal() {
        const std::optional<DType> dtype = dtype_named(word());
        if (!dtype) fail("a dtype is due here");
        expect(':');
        Literal made;
        if (accept('['))
            list(']', [&] { element(*dtype, made); });
        else
            element(*dtype, made);
        return made;
    }

    void element(DType dtype, Literal& made) {
        const DType component = component_of(dtype);
        const bool pair = component != dtype;
        if (pair) expect('(');
        for (int i = 0; i < (pair ? 2 : 1); ++i) {
            if (i == 1) expect(',');
            if (!append_element(component, word(), made.bytes)) fail(fmt::format("no {}", runtime::name(dtype)));
        }
        if (pair) expect(')');
    }

    void attributes(Attrs& attrs) {
        while (is_word_character(peek()) && !at_word("return")) {
            // A word is an attribute only if `=` follows. Otherwise the word begins the next instruction, which has no
            // results.
            const std::size_t before = at_;
            const std::string_view key = word();
            if (!accept('=')) {
                at_ = before;
                return;
            }
            auto attribute = attribute_named(key);
            if (!attribute) fail(fmt::format("unknown attribute `{}`", key));
            AttrValue& value = attribute->second;
            if (auto* n = std::get_if<std::int64_t>(&value)) *n = integer();
            if (auto* ns = std::get_if<Integers>(&value)) {
                expect('[');
                list(']', [&] { ns->push_back(integer()); });
            }
            if (auto* d = std::get_if<DType>(&value)) {
                const std::optional<DType> dtype = dtype_named(word());
                if (!dtype) fail("a dtype is due here");
                *d = *dtype;
            }
            if (auto* s = std::get_if<std::string>(&value)) *s = quoted();
            if (auto* l = std::get_if<Literal>(&value)) *l = literal();
            if (attrs.has(attribute->first)) fail(fmt::format("a second attribute `{}`", key));
            attrs.set(attribute->first, std::move(value));
        }
    }

    // -- blocks

    BlockPtr function(std::string name) {
        BlockBuilder builder(std::move(name));
        Names names = params(builder);
        std::vector<Type> results;
        expect("-");
        expect('>');
        expect('(');
        list(')', [&] { results.push_back(type()); });
        BlockPtr block = body(builder, names);
        if (block->result_types() != results) fail("the function returns other types than it says");
        return block;
    }

    BlockPtr region() {
        if (++depth_ > most_depth) fail("regions are nested too deep");
        BlockBuilder builder(optional_name());
        Names names = params(builder);
        BlockPtr block = body(builder, names);
        --depth_;
        return block;
    }

    Names params(BlockBuilder& builder) {
        Names names;
        expect('(');
        list(')', [&] {
            const std::string name = value_name();
            expect(':');
            if (!names.emplace(name, builder.param(type())).second) fail(fmt::format("%{} is defined twice", name));
        });
        return names;
    }

    BlockPtr body(BlockBuilder& builder, Names& names) {
        expect('{');
        while (!at_word("return")) instruction(builder, names);
        expect("return");
        Values results;
        if (peek() == '%') {
            do results.push_back(use(names));
            while (accept(','));
        }
        expect('}');
        return builder.finish(std::move(results));
    }

    void instruction(BlockBuilder& builder, Names& names) {
        std::vector<std::string> results;
        std::vector<Type> types;
        if (peek() == '%') {
            do {
                results.push_back(value_name());
                expect(':');
                types.push_back(type());
            } while (accept(','));
            expect('=');
        }
        Inst inst;
        const std::string_view kind = word();
        const std::optional<Op> op = op_named(kind);
        if (!op) fail(fmt::format("unknown operation `{}`", kind));
        inst.op = *op;
        expect('(');
        list(')', [&] { inst.operands.push_back(use(names)); });
        attributes(inst.attrs);
        regions(inst);
        const Values made = builder.append(std::move(inst), types);
        for (std::size_t i = 0; i < made.size(); ++i)
            if (!names.emplace(results[i], made[i]).second) fail(fmt::format("%{} is defined twice", results[i]));
    }

    void regions(Inst& inst) {
        if (accept('@')) {
            const std::string_view label = word();
            const auto callee = callees_.find(label);
            if (inst.op != Op::call || callee == callees_.end()) fail(fmt::format("no function `@{}`", label));
            inst.regions.push_back(callee->second);
        }
        if (!is_control(inst.op) || !accept('{')) return;
        while (!accept('}')) inst.regions.push_back(region());
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::map<std::string, BlockPtr, std::less<>> callees_;
};

} // namespace

BlockPtr read(std::string_view text) { return Reader(text).run(); }

} // namespace pm::ir
