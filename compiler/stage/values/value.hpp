#pragma once
#include "compiler/base/account.hpp"
#include "compiler/base/boxed.hpp"
#include "compiler/base/digest.hpp"
#include "compiler/ir/ir.hpp"
#include "compiler/syntax/ast.hpp"
#include "runtime/array.hpp"

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pm::stage {
struct Value;
} // namespace pm::stage

namespace std {

/// The memory of lists of values counts in the engine's account, because the program determines their length.
template <>
class allocator<pm::stage::Value> : public pm::Counted<pm::stage::Value> {
  public:
    using Counted::Counted;
};
template <>
class allocator<pair<string, pm::stage::Value>> : public pm::Counted<pair<string, pm::stage::Value>> {
  public:
    using Counted::Counted;
};

} // namespace std

/// The stager: walks the syntax tree with known and staged values.
namespace pm::stage {

using ir::DType;
using ir::Shape;
using ir::Type;
using runtime::Array;

class Context;
struct Function;
struct Native;
/// Text with staged values in it: only print, assert and fail accept it.
struct Template;
struct ModuleScope;

struct None {
    bool operator==(const None&) const = default;
};

/// A number that is known during staging. Arithmetic on a number with a dtype is in this dtype. A number without a
/// dtype is weak, and its arithmetic is in f64 or i64.
struct Number {
    enum class Kind : std::uint8_t { boolean, integer, floating, complex };
    std::int64_t i = 0;   ///< the value of a bool or an integer; for u64, its bits
    double f = 0;         ///< the value of a float; the real part of a complex number
    double imaginary = 0; ///< complex
    Kind kind = Kind::integer;
    std::optional<DType> dtype = {};
    /// Marks a computed number: a weak number or a bool that is not a literal, but an argument, or a result that was
    /// computed from an argument. As data it has 32 bits, but an integer that is used as a size has 64. In compiled
    /// code the mark means that the number must be known.
    bool computed = false;
    /// For a weak number that is not a literal: it was an argument or a result of a function that works on data of 64
    /// bits, so as data it also has 64 bits.
    bool wide = false;
    /// For a computed number in interpreted code: compiled code would know the number, because it would be specialised
    /// for it.
    bool specialised = false;

    static Number of(bool value) { return {.i = value ? 1 : 0, .kind = Kind::boolean, .dtype = DType::b1}; }
    static Number of(std::int64_t value) { return {.i = value, .kind = Kind::integer}; }
    static Number of(double value) { return {.f = value, .kind = Kind::floating}; }
    static Number of(std::complex<double> value) {
        return {.f = value.real(), .imaginary = value.imag(), .kind = Kind::complex};
    }
    bool is_complex() const { return kind == Kind::complex; }
    /// The integer that arithmetic uses: a computed number wraps to 32 bits unless it is `wide`.
    std::int64_t data() const { return computed && !wide ? static_cast<std::int32_t>(i) : i; }
    std::complex<double> as_c128() const { return {as_f64(), imaginary}; }
    /// Writes the number as element `i` of the memory at `to`, converted by the rules of casts.
    void write(DType dtype, void* to, std::int64_t i = 0) const {
        if (is_complex())
            runtime::write_c128(dtype, to, i, as_c128());
        else if (kind == Kind::floating)
            runtime::write_f64(dtype, to, i, f);
        else
            runtime::write_i64(dtype, to, i, data());
    }
    /// An array without axes with the number as its element, converted by the rules of casts.
    Array array(DType to, const std::shared_ptr<runtime::Allocator>& allocator = {}) const {
        Array made = Array::empty(to, {}, allocator);
        write(to, made.mutable_data());
        return made;
    }
    /// The number as f64. For a complex number it is the real part, so callers must check is_complex first.
    double as_f64() const {
        if (kind == Kind::floating || kind == Kind::complex) return f;
        return dtype == DType::u64 ? static_cast<double>(static_cast<std::uint64_t>(i)) : static_cast<double>(data());
    }
    /// The dtype of the number in an operation without typed operands.
    DType default_dtype() const;
    bool weak() const { return !dtype; }
    /// The number marked as a computed number, and as wide if `is_wide`. A number with a dtype, or a bool, does not
    /// change.
    /// A number that stays_known is not marked as a computed number.
    Number as_computed(bool is_wide) const;
    /// The number marked as a literal.
    Number as_written() const;
    /// Marks the number, a result of `a` and `b`, as a computed number if `a` or `b` is one. The result is specialised
    /// if all computed operands are.
    void computed_from(const Number& a, const Number& b);
    void computed_from(const Number& a) { computed_from(a, a); }
    /// The number. If it is a computed number, it is marked as specialised if `is` is true.
    Number specialised_if(bool is) const {
        Number made = *this;
        made.specialised = made.computed && is;
        return made;
    }
    /// Compares the bits: -0 differs from 0, and a NaN equals itself.
    bool same_as(const Number& other) const;
    /// True for a known bool, which is a switch and not data, and for an integer that does not fit into an i32
    /// parameter.
    bool stays_known() const {
        return kind == Kind::boolean || (kind == Kind::integer && weak() && i != static_cast<std::int32_t>(i));
    }
};

/// A value of the IR: `value` of the block that is under construction in `context`.
struct Staged {
    std::shared_ptr<Context> context;
    ir::Value value;
    Type type;
    bool weak = false; ///< the value is a number without a dtype
};

/// Text of any length. Its memory counts in the engine's account.
struct Text {
    std::string text;
    runtime::Charge paid;
    std::shared_ptr<const Template> computed; ///< used instead of `text` if the text contains staged values
};
struct Tuple {
    std::vector<Value> items;
};
/// The fields are in source order. The leaves of a record are numbered in the order of the sorted names.
struct Record {
    std::vector<std::pair<std::string, Value>> fields;
    const Value* find(const std::string& name) const;
};
/// An iterable other than an array, tuple, string or record.
struct Range;
struct ModuleValue {
    std::shared_ptr<ModuleScope> scope;
};

/// An array of a value. A charge is included for the sizes of the array, which are in separate memory.
using BoxedArray = Boxed<Array, Counted<Array, 2 * sizeof(void*)>>;

/// Any value of the language. It is immutable, and a copy shares the content.
struct Value {
    using Node =
        std::variant<None, Number, std::shared_ptr<const Text>, DType, BoxedArray, std::shared_ptr<const Staged>,
                     std::shared_ptr<const Tuple>, std::shared_ptr<const Record>, std::shared_ptr<const Function>,
                     std::shared_ptr<const Range>, ModuleValue>;
    // The standard library copies and destroys a variant of up to 11 alternatives by a switch, a larger one by function
    // pointers.
    static_assert(std::variant_size_v<Node> <= 11);
    [[no_unique_address]] Node node; // the flags below are in its padding
    /// For an array: in promotion its dtype yields to other dtypes. An example is the result of an integer array times
    /// 0.5.
    bool weak = false;
    /// For a tuple or record: a loop runs along axis 0 of its arrays, not over its parts. The function `each` sets it.
    bool by_rows = false;

    Value() = default;
    Value(None) {}
    Value(Number n) : node(n) {}
    Value(std::string text);
    /// `paid` is the charge for the memory of the text.
    Value(std::string text, runtime::Charge paid);
    Value(runtime::ChargedText text);
    Value(DType d) : node(d) {}
    Value(Array a) : node(BoxedArray(std::move(a))) {}
    Value(Array a, bool gives_way) : node(BoxedArray(std::move(a))), weak(gives_way) {}
    Value(std::shared_ptr<const Staged> s) : node(std::move(s)) {}
    Value(std::shared_ptr<const Function> f) : node(std::move(f)) {}
    Value(std::shared_ptr<const Range> r) : node(std::move(r)) {}
    Value(Template text);
    Value(ModuleValue m) : node(std::move(m)) {}
    static Value boolean(bool b) { return Number::of(b); }
    static Value integer(std::int64_t i) { return Number::of(i); }
    static Value floating(double f) { return Number::of(f); }
    static Value tuple(std::vector<Value> items, bool by_rows = false);
    static Value record(std::vector<std::pair<std::string, Value>> fields, bool by_rows = false);
    static Value staged(std::shared_ptr<Context> context, ir::Value value, Type type, bool weak = false);

    bool is_none() const { return std::holds_alternative<None>(node); }
    const Number* number() const { return std::get_if<Number>(&node); }
    const std::string* text() const {
        const Text* t = pointer<Text>();
        return t && !t->computed ? &t->text : nullptr;
    }
    const DType* dtype() const { return std::get_if<DType>(&node); }
    const Array* array() const {
        const auto* boxed = std::get_if<BoxedArray>(&node);
        return boxed ? boxed->get() : nullptr;
    }
    Array* array() { return const_cast<Array*>(std::as_const(*this).array()); }
    const Staged* staged() const { return pointer<Staged>(); }
    const Tuple* tuple() const { return pointer<Tuple>(); }
    const Record* record() const { return pointer<Record>(); }
    const Function* function() const { return pointer<Function>(); }
    const Range* range() const { return pointer<Range>(); }
    const Template* text_template() const {
        const Text* t = pointer<Text>();
        return t ? t->computed.get() : nullptr;
    }
    const ModuleValue* module() const { return std::get_if<ModuleValue>(&node); }
    /// The number, if it is neither complex nor a computed number. Null otherwise.
    const Number* real_number() const {
        const Number* n = number();
        return n && !n->is_complex() && !n->computed ? n : nullptr;
    }
    /// Whether the value is a number, an array or a staged value.
    bool is_numeric() const { return number() || array() || staged(); }

  private:
    template <class T>
    const T* pointer() const {
        const auto* p = std::get_if<std::shared_ptr<const T>>(&node);
        return p ? p->get() : nullptr;
    }
};

static_assert(sizeof(Value) == 40); // long tuples have many values

struct Range {
    enum class Kind : std::uint8_t { range, zip, enumerate, reversed, progress };
    Kind kind = Kind::range;
    std::vector<Value> parts; ///< range: first, last, step (first and last may be staged); progress: the iterable, the
                              ///< label; other kinds: the operands
};

struct Template {
    struct Piece {
        std::string text;
        Value value; ///< a numeric value, if has_value
        std::string format;
        bool has_value = false;
    };
    std::vector<Piece> pieces;
    runtime::Charge paid = charged(0); ///< the charge for the texts of the pieces
};

enum class Transformation : std::uint8_t {
    jit,
    grad,
    value_and_grad,
    vmap,
    pmap,
    checkpoint,
    custom_jvp,
    custom_vjp,
    linear_call,
};
/// The name of the transformation's native function.
std::string_view name(Transformation kind);
std::optional<Transformation> transformation_named(std::string_view text);

/// A function that a transformation returns: grad(f), vmap(f), custom_jvp(f, rule) ...
struct Transformed {
    Transformation kind{};
    std::vector<Value> functions;                         ///< the function that is transformed, then its rules
    std::vector<std::pair<std::string, Value>> options{}; ///< the named arguments that the program passes
    std::vector<Span> option_spans{};                     ///< positions of the values of the options
    Span span{};

    const Value& function() const { return functions.front(); }
};

/// The linear function that vjp or linearize returns. A pullback is a function of cotangents; otherwise it is a
/// function of tangents.
struct LinearMap {
    bool reverse = false; ///< whether it is a pullback
    ir::BlockPtr block;   ///< its parameters are the residuals and the (co)tangents
    std::vector<Value> residuals;
    Value arguments; ///< the arguments of the original function as a tuple. Leaves have a type but no elements, and
                     ///< integers are `none`
    Value result;    ///< the result of the original function, in the form of `arguments`
    /// Per leaf of the result: the index of its (co)tangent among those of the block, or -1.
    std::vector<std::int64_t> places;
};

/// A function that is written in the language.
struct Closure {
    std::shared_ptr<const syntax::Module> module; ///< contains the text of the function
    syntax::FunctionId id;
    std::shared_ptr<ModuleScope> globals;
    std::vector<std::pair<std::string, Value>> captured; ///< values at the definition of the function
    bool local = false; ///< defined within a function or block; the body can refer to the function by its name

    const syntax::Function& text() const { return (*module)[id]; }
    /// The name of a parameter. Empty if it is a pattern of several names.
    std::string parameter_name(const syntax::Parameter& parameter) const {
        const auto* name = std::get_if<syntax::NamePattern>(&(*module)[parameter.pattern].node);
        return name ? name->text : "";
    }
};

struct Function {
    std::string name; ///< for messages
    std::variant<Closure, const Native*, Transformed, LinearMap> kind;

    // These return null if the function is of another kind.
    const Closure* closure() const { return std::get_if<Closure>(&kind); }
    const Native* native() const {
        const auto* n = std::get_if<const Native*>(&kind);
        return n ? *n : nullptr;
    }
    const Transformed* transformed() const { return std::get_if<Transformed>(&kind); }
    const LinearMap* linear() const { return std::get_if<LinearMap>(&kind); }
    /// Whether the function is a transformed function or a linear map.
    bool is_derived() const { return transformed() || linear(); }
};

/// The parts of a tuple or record. If `v` is the only owner, the parts are moved out, so they still have a single
/// owner.
template <class T, class Parts>
Parts parts_of(Value& v, Parts T::* parts) {
    auto& held = std::get<std::shared_ptr<const T>>(v.node);
    // Value::tuple and Value::record create the objects as non-const, so that the cast is valid.
    return held.use_count() == 1 ? std::move(const_cast<T&>(*held).*parts) : (*held).*parts;
}

/// The type of a numeric value: dtype, shape, and whether it is weak.
struct NumericType {
    Type type;
    bool weak = false;
};
NumericType numeric_type(const Value& v);

/// The description of a value in messages: "f32[3, 4]", "an integer", "a tuple of 2", "the function `f`" ...
std::string describe(const Value& v);
/// The name of a native function, or of the transformation of a derived function.
std::string_view builtin_name(const Function& f);
/// The name of a function in messages; `fn` if it has none.
std::string name_of(const Value& function);
/// The kind of the value: "array", "number", "str", "tuple", "record", "function", "none", "dtype", "module", "range",
/// "zip" ...
std::string kind_name(const Value& v);

} // namespace pm::stage
