#include "tests/gpu/driver/body.hpp"

#include "tests/gpu/driver/thread.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace pm::ptx {
namespace {

/// Marks the number of a constant until all registers are known.
constexpr std::uint32_t constant_bit = 1U << 31;

struct TypeName {
    std::string_view name;
    Type type;
    std::size_t bytes;
};
constexpr std::array type_names = {
    TypeName{"pred", Type::pred, 1}, TypeName{"b8", Type::b8, 1},         TypeName{"b16", Type::b16, 2},
    TypeName{"b32", Type::b32, 4},   TypeName{"b64", Type::b64, 8},       TypeName{"u8", Type::u8, 1},
    TypeName{"u16", Type::u16, 2},   TypeName{"u32", Type::u32, 4},       TypeName{"u64", Type::u64, 8},
    TypeName{"s8", Type::s8, 1},     TypeName{"s16", Type::s16, 2},       TypeName{"s32", Type::s32, 4},
    TypeName{"s64", Type::s64, 8},   TypeName{"f16", Type::f16, 2},       TypeName{"f16x2", Type::f16x2, 4},
    TypeName{"bf16", Type::bf16, 2}, TypeName{"bf16x2", Type::bf16x2, 4}, TypeName{"tf32", Type::tf32, 4},
    TypeName{"f32", Type::f32, 4},   TypeName{"f64", Type::f64, 8},
};

struct SpecialName {
    std::string_view name;
    Special slot;
};
constexpr std::array special_names = {
    SpecialName{"%tid.x", tid_x},
    SpecialName{"%tid.y", tid_y},
    SpecialName{"%tid.z", tid_z},
    SpecialName{"%ntid.x", ntid_x},
    SpecialName{"%ntid.y", ntid_y},
    SpecialName{"%ntid.z", ntid_z},
    SpecialName{"%ctaid.x", ctaid_x},
    SpecialName{"%ctaid.y", ctaid_y},
    SpecialName{"%ctaid.z", ctaid_z},
    SpecialName{"%nctaid.x", nctaid_x},
    SpecialName{"%nctaid.y", nctaid_y},
    SpecialName{"%nctaid.z", nctaid_z},
    SpecialName{"%laneid", laneid},
    SpecialName{"%warpid", warpid},
    SpecialName{"%nwarpid", nwarpid},
    SpecialName{"%smid", smid},
    SpecialName{"%nsmid", nsmid},
    SpecialName{"%gridid", gridid},
    SpecialName{"%lanemask_eq", lanemask_eq},
    SpecialName{"%lanemask_le", lanemask_le},
    SpecialName{"%lanemask_lt", lanemask_lt},
    SpecialName{"%lanemask_ge", lanemask_ge},
    SpecialName{"%lanemask_gt", lanemask_gt},
    SpecialName{"%total_smem_size", total_shared},
    SpecialName{"%dynamic_smem_size", dynamic_shared_bytes},
};

const Instruction* skip_unless(Slot* r, const Instruction* i, Thread&) { return r[i->a] ? i + 1 : i->target; }
const Instruction* skip_if(Slot* r, const Instruction* i, Thread&) { return r[i->a] ? i->target : i + 1; }
const Instruction* negate_predicate(Slot* r, const Instruction* i, Thread&) {
    r[i->d] = r[i->a] ? 0 : 1;
    return i + 1;
}
const Instruction* local_address(Slot* r, const Instruction* i, Thread& t) {
    r[i->d] = static_cast<Slot>(t.local - t.storage->local.data()) + static_cast<Slot>(i->offset);
    return i + 1;
}
const Instruction* add_address(Slot* r, const Instruction* i, Thread&) {
    r[i->d] = r[i->a] + static_cast<Slot>(i->offset);
    return i + 1;
}
const Instruction* end_of_code(Slot*, const Instruction*, Thread& t) {
    t.state = State::ended;
    return nullptr;
}

} // namespace

Type type_named(std::string_view word) {
    for (const TypeName& t : type_names)
        if (t.name == word) return t.type;
    return Type::none;
}
std::size_t size_of(Type type) {
    for (const TypeName& t : type_names)
        if (t.type == type) return t.bytes;
    return 0;
}

const Symbol* Scope::exact(std::string_view name) const {
    const auto found = symbols_.find(name);
    return found == symbols_.end() ? nullptr : &found->second;
}

bool Scope::find(std::string_view name, Symbol& found) const {
    if (const Symbol* symbol = exact(name); symbol && symbol->count == 0) {
        found = *symbol;
        return true;
    }
    std::size_t digits = name.size();
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1]))) --digits;
    for (; digits < name.size(); ++digits) { // the name in %r1<20> ends with a digit
        const Symbol* range = exact(name.substr(0, digits));
        std::uint32_t number = 0;
        std::from_chars(name.data() + digits, name.data() + name.size(), number);
        if (range && number < range->count) {
            found = *range;
            found.at += number;
            found.count = 0;
            return true;
        }
    }
    return false;
}

void Body::declare_registers(std::string_view name, Type type, std::uint32_t count, bool many) {
    declare(name, {Symbol::Kind::register_, type, next_slot_, many ? count : 0, 0});
    next_slot_ += count;
    function_.declared_registers += static_cast<std::uint32_t>(count * (size_of(type) == 8 ? 2 : type != Type::pred));
}

void Body::label(std::string_view name, int line) {
    if (!labels_.emplace(name, function_.code.size()).second)
        throw SourceError(line, "the label " + std::string(name) + " stands twice");
}

bool Body::find(std::string_view name, Symbol& found) const {
    for (std::size_t n = scopes_.size(); n-- > 0;)
        if (scopes_[n].find(name, found)) return true;
    return globals_.find(name, found);
}

void Body::error(const std::string& message) const {
    std::string text(current_->operation);
    for (const auto modifier : current_->modifiers) text += "." + std::string(modifier);
    throw SourceError(current_->line, text + ": " + message);
}

bool Body::take(std::string_view modifier) {
    const auto& all = current_->modifiers;
    for (std::size_t n = 0; n < all.size(); ++n)
        if (!taken_[n] && all[n] == modifier) {
            taken_[n] = true;
            return true;
        }
    return false;
}

Type Body::take_type() {
    const auto& all = current_->modifiers;
    for (std::size_t n = 0; n < all.size(); ++n)
        if (const Type type = type_named(all[n]); !taken_[n] && type != Type::none) {
            taken_[n] = true;
            return type;
        }
    error("a type is missing");
}

int Body::take_one_of(std::initializer_list<std::string_view> names, int otherwise) {
    int n = 0;
    for (const std::string_view name : names) {
        if (take(name)) return n;
        ++n;
    }
    return otherwise;
}

void Body::expect_operands(std::size_t least, std::size_t most) const {
    if (operand_count() < least || operand_count() > most) error(std::to_string(operand_count()) + " operands");
}

const Operand& Body::operand(std::size_t n) const {
    if (n >= operand_count()) error("an operand is missing");
    return current_->operands[n];
}

std::uint32_t Body::constant(Slot value) {
    const auto [found, added] = constants_.emplace(value, static_cast<std::uint32_t>(function_.constants.size()));
    if (added) function_.constants.push_back(value);
    return constant_bit | found->second;
}

std::uint32_t Body::address_of(const Symbol& symbol, std::uint64_t offset) {
    switch (symbol.kind) {
    case Symbol::Kind::device:
    case Symbol::Kind::shared: return constant(symbol.at + offset);
    case Symbol::Kind::kernel_parameter: return constant(symbol.at + offset);
    case Symbol::Kind::local: {
        const std::uint32_t made = temporary();
        emit(local_address, made, 0).offset = static_cast<std::int64_t>(symbol.at + offset);
        return made;
    }
    case Symbol::Kind::dynamic_shared: {
        if (offset == 0) return dynamic_shared;
        const std::uint32_t made = temporary();
        emit(add_address, made, dynamic_shared).offset = static_cast<std::int64_t>(offset);
        return made;
    }
    case Symbol::Kind::register_:
    case Symbol::Kind::function: break;
    }
    error("this name has no address");
}

std::uint32_t Body::source(const Operand& operand, Type type) {
    if (operand.kind == Operand::Kind::integer) {
        if (type == Type::f32)
            return constant(std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(operand.value))));
        if (type == Type::f64)
            return constant(std::bit_cast<Slot>(static_cast<double>(static_cast<std::int64_t>(operand.value))));
        return constant(operand.value);
    }
    if (operand.kind == Operand::Kind::single) {
        const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(operand.value));
        return constant(type == Type::f64 ? std::bit_cast<Slot>(static_cast<double>(value)) : operand.value);
    }
    if (operand.kind == Operand::Kind::real) {
        const auto value = std::bit_cast<double>(operand.value);
        const bool narrow = size_of(type) == 4;
        return constant(narrow ? std::bit_cast<std::uint32_t>(static_cast<float>(value)) : operand.value);
    }
    if (operand.kind != Operand::Kind::name) error("an operand of another kind is expected");
    for (const SpecialName& special : special_names)
        if (special.name == operand.name) return special.slot;
    if (operand.name == "WARP_SZ") return constant(32);
    Symbol symbol;
    if (!find(operand.name, symbol)) error("no name: " + std::string(operand.name));
    if (symbol.kind != Symbol::Kind::register_) return address_of(symbol, operand.value);
    const auto at = static_cast<std::uint32_t>(symbol.at);
    if (symbol.type != Type::pred && size_of(symbol.type) < size_of(type))
        error(std::string(operand.name) + " is too narrow");
    if ((symbol.type == Type::pred) != (type == Type::pred)) error(std::string(operand.name) + " is of another type");
    if (!operand.negated) return at;
    if (type != Type::pred) error("a sign before a register");
    const std::uint32_t made = temporary();
    emit(negate_predicate, made, at);
    return made;
}

std::uint32_t Body::destination(const Operand& operand) {
    if (operand.kind != Operand::Kind::name) error("the destination is no register");
    if (operand.name == "_") return sink;
    Symbol symbol;
    if (!find(operand.name, symbol) || symbol.kind != Symbol::Kind::register_)
        error("no register: " + std::string(operand.name));
    return static_cast<std::uint32_t>(symbol.at);
}

Type Body::type_of(const Operand& operand) const {
    Symbol symbol;
    return operand.kind == Operand::Kind::name && find(operand.name, symbol) ? symbol.type : Type::none;
}

Instruction& Body::emit(Handler handler) {
    Instruction& made = function_.code.emplace_back();
    made.run = handler;
    made.line = current_ ? current_->line : 0;
    return made;
}

Instruction& Body::emit(Handler handler, std::uint32_t d, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    Instruction& made = emit(handler);
    made.d = d;
    made.a = a;
    made.b = b;
    made.c = c;
    return made;
}

void Body::emit_branch(Handler handler, std::uint32_t condition, std::string_view label) {
    branches_.push_back({function_.code.size(), label, current_->line});
    emit(handler, 0, condition);
}

void Body::emit_table(Handler handler, std::uint32_t index, std::string_view table) {
    table_uses_.push_back({function_.code.size(), table, current_->line});
    emit(handler, 0, index);
}

std::uint32_t Body::new_site() {
    module_.sites.emplace_back();
    return static_cast<std::uint32_t>(module_.sites.size() - 1);
}

void Body::statement(const Statement& statement) {
    current_ = &statement;
    taken_.assign(statement.modifiers.size(), false);
    std::size_t guard = 0;
    if (!statement.guard.empty() && statement.operation != "bra") {
        Operand condition;
        condition.name = statement.guard;
        guard = function_.code.size();
        const std::uint32_t slot = source(condition, Type::pred);
        emit(statement.guard_negated ? skip_if : skip_unless, 0, slot);
    }
    encode(*this);
    for (std::size_t n = 0; n < taken_.size(); ++n)
        if (!taken_[n]) error("unknown modifier ." + std::string(statement.modifiers[n]));
    if (!statement.guard.empty() && statement.operation != "bra") skips_.emplace_back(guard, function_.code.size());
    current_ = nullptr;
}

std::size_t Body::target(std::string_view label, int line) const {
    const auto found = labels_.find(label);
    if (found == labels_.end()) throw SourceError(line, "no label: " + std::string(label));
    return found->second;
}

void Body::finish() {
    emit(end_of_code);
    auto& code = function_.code;
    function_.first_constant = next_slot_;
    for (Instruction& i : code)
        for (std::uint32_t* slot : {&i.d, &i.a, &i.b, &i.c, &i.e, &i.f})
            if (*slot & constant_bit) *slot = (*slot ^ constant_bit) + next_slot_;
    for (const auto& [from, to] : skips_) code[from].target = &code[to];
    for (const Fixup& branch : branches_) code[branch.instruction].target = &code[target(branch.label, branch.line)];
    for (const Fixup& use : table_uses_) {
        const auto table = tables_.find(use.label);
        if (table == tables_.end()) throw SourceError(use.line, "no list of targets: " + std::string(use.label));
        auto made = std::make_unique<Targets>();
        for (const auto label : table->second) made->list.push_back(&code[target(label, use.line)]);
        code[use.instruction].targets = made.get();
        function_.tables.push_back(std::move(made));
    }
}

} // namespace pm::ptx
