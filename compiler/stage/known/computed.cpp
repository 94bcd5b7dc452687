#include "compiler/stage/known/computed.hpp"

#include "compiler/stage/core/restore.hpp"
#include "compiler/stage/values/tree.hpp"

namespace pm::stage {

Number number_of(const Array& a) {
    Number n;
    n.dtype = a.dtype();
    if (a.dtype() == DType::b1) {
        n.kind = Number::Kind::boolean;
        n.i = a.as_bool() ? 1 : 0;
    } else if (runtime::is_integer(a.dtype())) {
        n.kind = Number::Kind::integer;
        n.i = a.as_i64();
    } else {
        n.kind = runtime::is_complex(a.dtype()) ? Number::Kind::complex : Number::Kind::floating;
        n.f = a.as_f64();
        n.imaginary = a.as_c128().imag();
    }
    return n;
}

bool in_library_text(const Stager& s) { return s.places().in_library({s.tree().source()}); }

bool known_in_code(const Stager& s, const Number& n) {
    return n.computed && (s.compiling() || (n.specialised && !s.interpreted().at_once));
}

bool known_in_code(const Stager& s, const Value& condition) {
    return condition.number() ? known_in_code(s, *condition.number()) : s.compiling() && condition.array();
}

bool known_in_code(const Stager& s, const std::vector<Value>& values) {
    Number all;
    for (const Value& v : values) {
        if (!v.number()) return false;
        all.computed_from(all, *v.number());
    }
    return known_in_code(s, all);
}

Value Stager::at_once(const std::function<Value()>& work) {
    const Widths widths = context_ ? context_->widths() : interpreted_.widths();
    Value made;
    {
        const Restore interpreted_scope(interpreted_, Interpreted(widths));
        const Restore context_scope(context_, std::shared_ptr<Context>());
        interpreted_.at_once = true;
        made = work();
    }
    Number n;
    if (const Array* a = made.array()) {
        n = number_of(*a);
        if (made.weak) n.dtype.reset();
        n = n.as_computed(widths.wide);
    } else if (made.number()) {
        n = *made.number();
    } else {
        return made;
    }
    return n.specialised_if(!compiling());
}

Value as_argument(const Stager& s, const Value& v) {
    return s.compiling() ? known_computed(s, v) : s.interpreted().argument(v);
}

Value as_computed(const Stager& s, const Value& v) {
    return s.compiling() ? as_argument(s, v) : s.interpreted().computed(v);
}

Value chosen(const Stager& s, const Value& condition, const Value& value) {
    if (known_in_code(s, condition)) return known_computed(s, value);
    return is_computed(condition) ? as_computed(s, value) : value;
}

Value known_computed(const Stager& s, const Value& v) {
    if (in_library_text(s)) return v;
    const bool wide = s.compiling() ? s.context()->widths().wide : s.interpreted().widths().wide;
    return map_leaves(v, [&](const Value& leaf) -> Value {
        if (!leaf.number() || leaf.number()->computed) return leaf;
        return leaf.number()->as_computed(wide).specialised_if(!s.compiling());
    });
}

} // namespace pm::stage
