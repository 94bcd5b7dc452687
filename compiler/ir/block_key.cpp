#include "compiler/ir/block_key.hpp"

namespace pm::ir {
namespace {

void add(Digester& key, const Block& block);

void add(Digester& key, DType dtype) { key.add(static_cast<std::uint64_t>(dtype)); }

void add(Digester& key, const Integers& list) {
    key.add(std::uint64_t{list.size()});
    for (const std::int64_t n : list) key.add(n);
}

void add(Digester& key, const Values& values) {
    key.add(std::uint64_t{values.size()});
    for (const Value v : values) key.add(std::uint64_t{v.id});
}

void add(Digester& key, const Literal& literal) {
    key.add(std::string_view(reinterpret_cast<const char*>(literal.bytes.data()), literal.bytes.size()));
}

void add(Digester& key, const Attrs& attrs) {
    key.add(std::uint64_t{attrs.items().size()});
    for (const auto& [name, value] : attrs.items()) {
        key.add(static_cast<std::uint64_t>(name) << 8 | value.index());
        std::visit(
            [&](const auto& v) {
                if constexpr (requires { key.add(v); })
                    key.add(v);
                else
                    add(key, v);
            },
            value);
    }
}

void add(Digester& key, const Inst& inst) {
    key.add(static_cast<std::uint64_t>(inst.op));
    add(key, inst.operands);
    add(key, inst.results);
    add(key, inst.attrs);
    key.add(std::uint64_t{inst.regions.size()});
    for (const BlockPtr& region : inst.regions) add(key, *region);
}

void add(Digester& key, const Block& block) {
    key.add(block.name);
    key.add(std::uint64_t{block.values.size()});
    for (const Type& type : block.values) {
        add(key, type.dtype);
        add(key, type.shape);
    }
    add(key, block.params);
    key.add(std::uint64_t{block.insts.size()});
    for (const Inst& inst : block.insts) add(key, inst);
    add(key, block.results);
}

} // namespace

Digest block_key(const Block& block) {
    Digester key;
    add(key, block);
    return key.end();
}

} // namespace pm::ir
