#pragma once

#include "tests/gpu/driver/lexer.hpp"
#include "tests/gpu/driver/program.hpp"

#include <functional>
#include <unordered_map>
#include <vector>

namespace pm::ptx {

struct Operand {
    enum class Kind { name, integer, single, real, address, vector, list };
    Kind kind = Kind::name;
    std::string_view name;
    /// The bits of a number; for a name or an address the added offset. An address without a name is the number itself.
    std::uint64_t value = 0;
    /// With `!p` or `-r`.
    bool negated = false;
    /// The parts of {...} and (...), and the second operand of d|p.
    std::vector<Operand> parts;
};

/// An instruction as written in the source.
struct Statement {
    std::string_view guard;
    bool guard_negated = false;
    std::string_view operation;
    std::vector<std::string_view> modifiers;
    std::vector<Operand> operands;
    int line = 0;
};

enum class Space { generic, global, constant, shared, local, parameter };

struct Symbol {
    enum class Kind { register_, device, shared, dynamic_shared, local, kernel_parameter, function };
    Kind kind = Kind::register_;
    Type type = Type::none;
    /// The slot of a register; an address or an offset in the symbol's space.
    std::uint64_t at = 0;
    /// The number of registers that are named by the name and a number; 0: one register with just this name.
    std::uint32_t count = 0;
    std::size_t bytes = 0;
};

class Scope {
  public:
    void add(std::string_view name, Symbol symbol) { symbols_[name] = symbol; }
    const Symbol* exact(std::string_view name) const;
    /// Also finds a register of a range: returns the symbol of the range with the register's own slot.
    bool find(std::string_view name, Symbol& found) const;

  private:
    /// The names point into the module's source.
    std::unordered_map<std::string_view, Symbol> symbols_;
};

/// Builds the instructions of one function. The operations read the modifiers and operands of a statement through it.
class Body {
  public:
    Body(Module& module, Function& function, const Scope& globals)
        : module_(module), function_(function), globals_(globals), scopes_(1) {}

    // Declarations.
    void open_scope() { scopes_.emplace_back(); }
    void close_scope() { scopes_.pop_back(); }
    void declare_registers(std::string_view name, Type type, std::uint32_t count, bool many);
    void declare(std::string_view name, const Symbol& symbol) { scopes_.back().add(name, symbol); }
    void label(std::string_view name, int line);
    void branch_table(std::string_view name, std::vector<std::string_view> labels) {
        tables_[name] = std::move(labels);
    }
    void statement(const Statement& statement);
    /// Places the constants and resolves the labels of branches.
    void finish();

    // For the operations: access to the current statement.
    const Statement& current() const { return *current_; }
    [[noreturn]] void error(const std::string& message) const;
    /// Whether the statement has the modifier. A modifier for which no operation calls this function is an error.
    bool take(std::string_view modifier);
    /// The next modifier that is a type.
    Type take_type();
    /// The index of the first of these modifiers that the statement has; `otherwise` if it has none.
    int take_one_of(std::initializer_list<std::string_view> names, int otherwise);
    void expect_operands(std::size_t least, std::size_t most) const;
    std::size_t operand_count() const { return current_->operands.size(); }
    const Operand& operand(std::size_t n) const;

    /// The slot of a source of this type: a register, a special register, a constant or an address.
    std::uint32_t source(const Operand& operand, Type type);
    std::uint32_t source(std::size_t n, Type type) { return source(operand(n), type); }
    std::uint32_t destination(const Operand& operand);
    std::uint32_t destination(std::size_t n) { return destination(operand(n)); }
    std::uint32_t constant(Slot value);
    /// A new register without a name.
    std::uint32_t temporary() { return next_slot_++; }
    Type type_of(const Operand& operand) const;
    bool find(std::string_view name, Symbol& found) const;

    Instruction& emit(Handler handler);
    Instruction& emit(Handler handler, std::uint32_t d, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0);
    void emit_branch(Handler handler, std::uint32_t condition, std::string_view label);
    void emit_table(Handler handler, std::uint32_t index, std::string_view table);
    std::uint32_t new_site();
    Module& module() { return module_; }
    Function& function() { return function_; }

  private:
    struct Fixup {
        std::size_t instruction = 0;
        std::string_view label;
        int line = 0;
    };
    std::uint32_t address_of(const Symbol& symbol, std::uint64_t offset);
    std::size_t target(std::string_view label, int line) const;

    Module& module_;
    Function& function_;
    const Scope& globals_;
    std::vector<Scope> scopes_;
    std::uint32_t next_slot_ = special_count;
    std::unordered_map<Slot, std::uint32_t> constants_;
    std::unordered_map<std::string_view, std::size_t> labels_;
    std::unordered_map<std::string_view, std::vector<std::string_view>> tables_;
    std::vector<Fixup> branches_;
    std::vector<Fixup> table_uses_;
    /// Instructions that skip to a position: a guard, and the position after the guarded instruction.
    std::vector<std::pair<std::size_t, std::size_t>> skips_;
    const Statement* current_ = nullptr;
    std::vector<bool> taken_;
};

/// Makes the instructions of the current statement.
using Encoder = void (*)(Body&);
void encode(Body& body);

} // namespace pm::ptx
