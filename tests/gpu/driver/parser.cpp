#include "tests/gpu/driver/body.hpp"
#include "tests/gpu/driver/memory.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace pm::ptx {
namespace {

std::size_t up(std::size_t value, std::size_t alignment) { return (value + alignment - 1) / alignment * alignment; }

/// A declared variable.
struct Variable {
    std::string_view name;
    Type type = Type::none;
    std::size_t alignment = 1;
    std::size_t bytes = 0;
    /// Declared with `[]`: the launch sets its size.
    bool open = false;
    /// `%r<53>`
    std::optional<std::uint32_t> range;
    std::vector<std::uint8_t> initial;
};

class Parser {
  public:
    Parser(std::string_view source, Module& module, Memory& memory)
        : module_(module), memory_(memory), tokens_(lex(source)) {}

    void run() {
        place_shared_variables();
        while (token().kind != TokenKind::end) top_level();
        for (const auto& [name, function] : module_.functions)
            for (const auto& call : function->calls)
                if (!call->callee->defined) throw SourceError(last_line_, "no function is named " + call->callee->name);
    }

  private:
    const Token& token(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
    bool at(std::string_view text) const { return token().is(text); }
    [[noreturn]] void error(const std::string& message) const { throw SourceError(token().line, message); }

    Token advance() {
        const Token now = token();
        if (now.kind == TokenKind::end) error("the end is not expected here");
        last_line_ = now.line;
        ++at_;
        return now;
    }
    bool take(std::string_view text) {
        if (!at(text)) return false;
        advance();
        return true;
    }
    void expect(std::string_view text) {
        if (!take(text)) error("expected " + std::string(text) + ", found '" + std::string(token().text) + "'");
    }
    std::string_view name() {
        if (token().kind != TokenKind::word) error("expected a name, found '" + std::string(token().text) + "'");
        return advance().text;
    }
    std::uint64_t integer() {
        const bool negative = take("-");
        if (token().kind != TokenKind::integer) error("expected an integer, found '" + std::string(token().text) + "'");
        const std::uint64_t value = advance().value;
        return negative ? 0 - value : value;
    }
    void skip_line() {
        const int line = token().line;
        while (token().kind != TokenKind::end && token().line == line) advance();
    }
    void skip_braces() {
        while (!at("{")) advance();
        int depth = 0;
        do {
            if (at("{")) ++depth;
            if (at("}")) --depth;
            advance();
        } while (depth > 0);
    }

    /// Places the .shared variables of the module and of called functions before those of kernels.
    void place_shared_variables() {
        bool entry = false;
        int depth = 0;
        for (at_ = 0; token().kind != TokenKind::end;) {
            if (at("{")) ++depth;
            if (at("}")) --depth;
            if (depth == 0 && (at(".entry") || at(".func"))) entry = at(".entry");
            // A parameter's .ptr may be followed by .shared too.
            if (!at(".shared") || (depth > 0 && entry) || (at_ > 0 && tokens_[at_ - 1].is(".ptr"))) {
                advance();
                continue;
            }
            advance();
            for (const Variable& variable : variables()) {
                if (variable.open) continue;
                common_shared_ = up(common_shared_, variable.alignment);
                shared_places_[variable.name] = common_shared_;
                common_shared_ += variable.bytes;
            }
        }
        at_ = 0;
    }

    void top_level() {
        if (at(".version") || at(".file") || at(".loc") || at(".target") || at(".address_size")) {
            if (at(".target")) check_target();
            skip_line();
        } else if (at(".section")) {
            skip_braces();
        } else if (at(".pragma")) {
            while (!take(";")) advance();
        } else if (at(".visible") || at(".extern") || at(".weak") || at(".common")) {
            advance();
        } else if (at(".entry") || at(".func")) {
            function();
        } else if (at(".global") || at(".const") || at(".shared")) {
            module_variables();
        } else {
            error("not expected here: '" + std::string(token().text) + "'");
        }
    }

    void check_target() const {
        const Token& target = token(1);
        if (target.text.substr(0, 3) != "sm_") throw SourceError(target.line, "no target: " + std::string(target.text));
        // As the driver of a device of capability 8.0 does.
        if (std::atoi(std::string(target.text.substr(3)).c_str()) > 80 || target.text.back() == 'a')
            throw SourceError(target.line, "the device is an sm_80, not an " + std::string(target.text));
    }

    // --- variables

    /// Parses a declaration after the space: .align, type, names; a parameter has one name.
    std::vector<Variable> variables(bool parameter = false) {
        std::size_t alignment = 0, vector = 1;
        Type type = Type::none;
        while (token().kind == TokenKind::word && token().text[0] == '.') {
            if (take(".align")) {
                alignment = integer();
            } else if (take(".ptr")) {
                // The space and alignment of the memory that the parameter points to.
                for (const auto* space : {".global", ".shared", ".const", ".local", ".param"}) take(space);
                if (take(".align")) integer();
            } else if (take(".v2")) {
                vector = 2;
            } else if (take(".v4")) {
                vector = 4;
            } else {
                const std::string_view word = advance().text;
                type = type_named(word.substr(1));
                if (type == Type::none) error("no type: " + std::string(word));
            }
        }
        if (type == Type::none) error("a variable has no type");
        std::vector<Variable> list;
        do {
            list.push_back(variable(type, alignment, vector));
        } while (!parameter && take(","));
        return list;
    }

    Variable variable(Type type, std::size_t alignment, std::size_t vector) {
        Variable made{name(), type, alignment, size_of(type) * vector, false, {}, {}};
        if (made.alignment == 0) made.alignment = std::max<std::size_t>(made.bytes, 1);
        if (take("<")) {
            made.range = static_cast<std::uint32_t>(integer());
            expect(">");
        }
        while (take("[")) {
            if (take("]")) {
                made.open = true;
                continue;
            }
            made.bytes *= integer();
            expect("]");
        }
        if (take("=")) {
            values(type, made.initial);
            if (made.open) made.bytes = made.initial.size();
            made.open = false;
            if (made.initial.size() > made.bytes) error("more values than " + std::string(made.name) + " has room for");
        }
        return made;
    }

    void values(Type type, std::vector<std::uint8_t>& bytes) {
        if (take("{")) {
            while (!take("}")) {
                values(type, bytes);
                if (!at("}")) expect(",");
            }
            return;
        }
        std::uint64_t value = 0;
        if (token().kind == TokenKind::single || token().kind == TokenKind::real || at("-")) {
            value = number_of(type);
        } else if (token().kind == TokenKind::word) {
            value = address();
        } else {
            value = integer();
        }
        const auto* raw = reinterpret_cast<const std::uint8_t*>(&value);
        bytes.insert(bytes.end(), raw, raw + size_of(type));
    }

    std::uint64_t number_of(Type type) {
        const bool negative = token(0).is("-");
        if (negative && token(1).kind == TokenKind::integer) return integer();
        take("-");
        const Token number = advance();
        double value = number.kind == TokenKind::single ? std::bit_cast<float>(static_cast<std::uint32_t>(number.value))
                                                        : std::bit_cast<double>(number.value);
        if (negative) value = -value;
        if (type == Type::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
        return std::bit_cast<std::uint64_t>(value);
    }

    /// Parses generic(x), x or x+4 in the initial values of a variable.
    std::uint64_t address() {
        const bool generic = take("generic");
        if (generic) expect("(");
        Symbol symbol;
        const std::string_view named = name();
        if (!globals_.find(named, symbol) || symbol.kind != Symbol::Kind::device)
            error("no variable in device memory: " + std::string(named));
        if (generic) expect(")");
        return symbol.at + (take("+") ? integer() : 0);
    }

    void module_variables() {
        const Token space = advance();
        for (const Variable& v : variables()) globals_.add(v.name, place(v, space.text));
        expect(";");
    }

    Symbol place(const Variable& v, std::string_view space) {
        if (space == ".shared") {
            if (v.open) return {Symbol::Kind::dynamic_shared, v.type, 0, 0, 0};
            return {Symbol::Kind::shared, v.type, shared_places_.at(v.name), 0, v.bytes};
        }
        const std::uint64_t address = memory_.allocate(std::max<std::size_t>(v.bytes, 1));
        if (address == 0) throw std::bad_alloc();
        module_.variables.push_back(address);
        std::uint8_t* host = memory_.host(address, v.bytes);
        std::memset(host, 0, v.bytes);
        if (!v.initial.empty()) std::memcpy(host, v.initial.data(), v.initial.size());
        return {Symbol::Kind::device, v.type, address, 0, v.bytes};
    }

    // --- functions

    std::vector<Parameter> parameter_list(std::size_t& offset) {
        std::vector<Parameter> list;
        expect("(");
        while (!take(")")) {
            if (!take(".param")) error("parameters are .param variables");
            const Variable v = variables(true).front();
            offset = up(offset, v.alignment);
            list.push_back({std::string(v.name), offset, v.bytes});
            offset += v.bytes;
            if (!at(")")) expect(",");
        }
        return list;
    }

    void function() {
        const bool entry = advance().text == ".entry";
        Function made;
        made.entry = entry;
        std::size_t offset = 0;
        if (!entry && at("(")) made.results = parameter_list(offset);
        const std::string_view named = name();
        made.name = std::string(named);
        if (at("(")) made.parameters = parameter_list(offset);
        made.parameter_bytes = offset;
        directives(made);
        std::unique_ptr<Function>& slot = module_.functions[made.name];
        if (!slot) slot = std::make_unique<Function>();
        globals_.add(named, {Symbol::Kind::function, Type::none, 0, 0, 0});
        if (take(";")) {
            if (!slot->defined) *slot = std::move(made);
            return;
        }
        if (slot->defined) error(made.name + " is defined twice");
        *slot = std::move(made);
        define(*slot);
    }

    void directives(Function& made) {
        while (token().kind == TokenKind::word && token().text[0] == '.') {
            if (take(".maxntid")) {
                made.max_threads = dimensions();
            } else if (take(".reqntid")) {
                made.required_threads = dimensions();
            } else if (take(".minnctapersm") || take(".maxnctapersm") || take(".maxnreg")) {
                integer();
            } else if (!take(".noreturn")) {
                error("not expected here: '" + std::string(token().text) + "'");
            }
        }
    }

    std::array<unsigned, 3> dimensions() {
        std::array<unsigned, 3> sizes{1, 1, 1};
        std::size_t n = 0;
        do {
            if (n == 3) error("more than three dimensions");
            sizes[n++] = static_cast<unsigned>(integer());
        } while (take(","));
        return sizes;
    }

    void define(Function& made) {
        Body body(module_, made, globals_);
        made.defined = true;
        made.shared_bytes = common_shared_;
        const auto kind = made.entry ? Symbol::Kind::kernel_parameter : Symbol::Kind::local;
        for (const auto* list : {&made.results, &made.parameters})
            for (const Parameter& p : *list) body.declare(p.name, {kind, Type::none, p.offset, 0, p.bytes});
        // A function's own parameters are the first bytes of its frame.
        if (!made.entry) made.local_bytes = made.parameter_bytes;
        expect("{");
        for (int depth = 1; depth > 0;) {
            if (take("{")) {
                ++depth;
                body.open_scope();
            } else if (take("}")) {
                --depth;
                body.close_scope();
            } else {
                body_line(body, made);
            }
        }
        body.finish();
    }

    void body_line(Body& body, Function& made) {
        if (take(";")) return;
        if (at(".loc") || at(".file")) return skip_line();
        if (take(".pragma")) {
            while (!take(";")) advance();
            return;
        }
        if (at(".reg") || at(".param") || at(".local") || at(".shared") || at(".global") || at(".const"))
            return body_variables(body, made);
        if (token().kind == TokenKind::word && token(1).is(":")) {
            const Token label = advance();
            advance();
            if (!take(".branchtargets")) return body.label(label.text, label.line);
            std::vector<std::string_view> labels;
            do {
                labels.push_back(name());
            } while (take(","));
            expect(";");
            return body.branch_table(label.text, std::move(labels));
        }
        body.statement(statement());
    }

    void body_variables(Body& body, Function& made) {
        const Token space = advance();
        for (const Variable& v : variables()) {
            if (space.text == ".reg") {
                body.declare_registers(v.name, v.type, v.range.value_or(1), v.range.has_value());
            } else if (space.text == ".param" || space.text == ".local") {
                made.local_bytes = up(made.local_bytes, v.alignment);
                body.declare(v.name, {Symbol::Kind::local, v.type, made.local_bytes, 0, v.bytes});
                made.local_bytes += v.bytes;
            } else if (space.text == ".shared" && made.entry) {
                made.shared_bytes = up(made.shared_bytes, v.alignment);
                body.declare(v.name, {Symbol::Kind::shared, v.type, made.shared_bytes, 0, v.bytes});
                made.shared_bytes += v.bytes;
            } else {
                body.declare(v.name, place(v, space.text));
            }
        }
        expect(";");
    }

    // --- instructions

    Statement statement() {
        Statement s;
        if (take("@")) {
            s.guard_negated = take("!");
            s.guard = name();
        }
        s.line = token().line;
        std::string_view word = name();
        const std::size_t dot = word.find('.');
        s.operation = word.substr(0, dot);
        while (word.find('.') != std::string_view::npos) {
            word = word.substr(word.find('.') + 1);
            s.modifiers.push_back(word.substr(0, word.find('.')));
        }
        while (!take(";")) {
            s.operands.push_back(operand());
            if (!at(";")) expect(",");
        }
        return s;
    }

    Operand operand() {
        Operand made;
        if (take("(")) return sequence(Operand::Kind::list, ")");
        if (take("{")) return sequence(Operand::Kind::vector, "}");
        if (take("[")) {
            made.kind = Operand::Kind::address;
            if (token().kind == TokenKind::word) made.name = name();
            made.value = displacement(made.name.empty());
            expect("]");
            return made;
        }
        if (take("!")) made.negated = true;
        if (at("-") && token(1).kind == TokenKind::word) {
            advance();
            made.negated = true;
        }
        if (token().kind == TokenKind::word) {
            made.name = name();
            if (at("+") || at("-")) made.value = displacement(false);
            if (take("|")) made.parts.push_back(operand());
            return made;
        }
        return number(made);
    }

    Operand sequence(Operand::Kind kind, std::string_view end) {
        Operand made;
        made.kind = kind;
        while (!take(end)) {
            made.parts.push_back(operand());
            if (!at(end)) expect(",");
        }
        return made;
    }

    std::uint64_t displacement(bool needed) {
        std::uint64_t sum = needed ? integer() : 0;
        while (at("+") || at("-")) {
            take("+");
            sum += integer();
        }
        return sum;
    }

    Operand number(Operand made) {
        const bool negative = take("-");
        const Token token = advance();
        made.value = token.value;
        if (token.kind == TokenKind::integer) {
            made.kind = Operand::Kind::integer;
            if (negative) made.value = 0 - made.value;
        } else if (token.kind == TokenKind::single) {
            made.kind = Operand::Kind::single;
            if (negative) made.value ^= 0x8000'0000U;
        } else if (token.kind == TokenKind::real) {
            made.kind = Operand::Kind::real;
            if (negative) made.value ^= 1ULL << 63;
        } else {
            throw SourceError(token.line, "no operand: '" + std::string(token.text) + "'");
        }
        return made;
    }

    Module& module_;
    Memory& memory_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    int last_line_ = 0;
    Scope globals_;
    std::size_t common_shared_ = 0;
    std::unordered_map<std::string_view, std::size_t> shared_places_;
};

} // namespace

std::unique_ptr<Module> read_module(std::string_view source, Memory& memory) {
    auto module = std::make_unique<Module>();
    module->source = std::string(source);
    try {
        Parser(module->source, *module, memory).run();
    } catch (...) {
        for (const std::uint64_t address : module->variables) memory.free(address);
        throw;
    }
    return module;
}

std::string line_of(const Module& module, int line) {
    std::size_t start = 0;
    for (int n = 1; n < line; ++n) start = module.source.find('\n', start) + 1;
    const std::size_t end = module.source.find('\n', start);
    const std::string text = module.source.substr(start, end - start);
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first);
}

} // namespace pm::ptx
