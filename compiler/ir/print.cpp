#include "compiler/ir/literal_text.hpp"
#include "compiler/ir/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <unordered_map>

namespace pm::ir {
namespace {

bool is_word(std::string_view text) {
    if (text.empty() || (text[0] >= '0' && text[0] <= '9') || text[0] == '.') return false;
    for (const char c : text)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.'))
            return false;
    return true;
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            out += {'\\', c};
        else if (c == '\n')
            out += "\\n";
        else if (byte < 0x20 || byte == 0x7F)
            out += fmt::format("\\x{:02x}", byte);
        else
            out += c;
    }
    return out + "\"";
}

std::string word_or_quoted(std::string_view text) {
    if (text.empty()) return {};
    return is_word(text) ? std::string(text) : quoted(text);
}

std::string attribute_text(const AttrValue& value, DType literal_dtype) {
    if (const auto* n = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *n);
    if (const auto* list = std::get_if<Integers>(&value)) return fmt::format("[{}]", fmt::join(*list, ", "));
    if (const auto* dtype = std::get_if<DType>(&value)) return std::string(runtime::name(*dtype));
    if (const auto* text = std::get_if<std::string>(&value)) return quoted(*text);
    return literal_text(literal_dtype, std::get<Literal>(value));
}

class Printer {
  public:
    explicit Printer(const PrintOptions& options) : options_(options) {}

    std::string run(const Block& block) {
        const std::string text = function(block);
        return out_ + "fn " + text;
    }

  private:
    /// Returns the text of the function `block` without the leading `fn `. The texts of its callees are first appended
    /// to out_.
    std::string function(const Block& block) {
        callees(block);
        std::vector<std::string> names = numbered(block);
        std::string text = word_or_quoted(block.name) + params(block, names) + " -> (";
        for (std::size_t i = 0; i < block.results.size(); ++i)
            text += (i == 0 ? "" : ", ") +
                    (block.results[i].id < block.values.size() ? to_string(block.type(block.results[i])) : "?");
        text += ") {\n";
        body(block, names, 1, text);
        return text + "}\n";
    }

    void callees(const Block& block) {
        for (const Inst& inst : block.insts)
            for (const BlockPtr& region : inst.regions) {
                if (inst.op == Op::call)
                    label(*region);
                else
                    callees(*region);
            }
    }

    /// The label of a callee. If the callee has not been printed yet, it is printed. Callees with equal texts share one
    /// label.
    const std::string& label(const Block& callee) {
        const auto known = labels_.find(&callee);
        if (known != labels_.end()) return known->second;
        const std::string text = function(callee);
        const auto equal = texts_.find(text);
        if (equal != texts_.end()) return labels_[&callee] = equal->second;
        const std::string base = is_word(callee.name) ? callee.name : "f";
        std::string name = base;
        for (int i = 1; !used_.insert(name).second; ++i) name = fmt::format("{}.{}", base, i);
        texts_[text] = name;
        // The text begins with the name of the callee. The name is omitted if it is equal to the label.
        const std::string own = word_or_quoted(callee.name);
        out_ += "fn @" + name + (own == name ? text.substr(own.size()) : (own.empty() ? " \"\"" : " ") + text) + "\n";
        return labels_[&callee] = name;
    }

    /// Numbers values in the order of their definitions. A value without a definition, in an invalid block, is printed
    /// as `%?`.
    static std::vector<std::string> numbered(const Block& block) {
        std::vector<std::string> names(block.values.size(), "%?");
        std::size_t next = 0;
        const auto define = [&](Value v) {
            if (v.id < names.size()) names[v.id] = fmt::format("%{}", next);
            ++next;
        };
        for (const Value v : block.params) define(v);
        for (const Inst& inst : block.insts)
            for (const Value v : inst.results) define(v);
        return names;
    }

    static std::string use(const std::vector<std::string>& names, Value v) {
        return v.id < names.size() ? names[v.id] : "%?";
    }

    static std::string typed(const Block& block, const std::vector<std::string>& names, Value v) {
        if (v.id >= names.size()) return "%?: ?";
        return names[v.id] + ": " + to_string(block.type(v));
    }

    static std::string params(const Block& block, const std::vector<std::string>& names) {
        std::string text = "(";
        for (std::size_t i = 0; i < block.params.size(); ++i)
            text += (i == 0 ? "" : ", ") + typed(block, names, block.params[i]);
        return text + ")";
    }

    void body(const Block& block, const std::vector<std::string>& names, int depth, std::string& text) {
        for (const Inst& inst : block.insts) instruction(block, inst, names, depth, text);
        text += std::string(static_cast<std::size_t>(depth) * 2, ' ') + "return";
        for (std::size_t i = 0; i < block.results.size(); ++i)
            text += (i == 0 ? " " : ", ") + use(names, block.results[i]);
        text += "\n";
    }

    void instruction(const Block& block, const Inst& inst, const std::vector<std::string>& names, int depth,
                     std::string& text) {
        const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
        text += indent;
        for (std::size_t i = 0; i < inst.results.size(); ++i)
            text += (i == 0 ? "" : ", ") + typed(block, names, inst.results[i]);
        if (!inst.results.empty()) text += " = ";
        text += info(inst.op).name;
        text += "(";
        for (std::size_t i = 0; i < inst.operands.size(); ++i)
            text += (i == 0 ? "" : ", ") + use(names, inst.operands[i]);
        text += ")";
        DType dtype = DType::u8;
        if (!inst.results.empty() && inst.results[0].id < block.values.size())
            dtype = block.type(inst.results[0]).dtype;
        for (const auto& [key, value] : inst.attrs.items())
            text += fmt::format(" {}={}", name(key), attribute_text(value, dtype));
        if (inst.op == Op::call && inst.regions.size() == 1)
            text += " @" + label(*inst.regions[0]);
        else if (!inst.regions.empty())
            regions(inst, depth, text);
        if (options_.comment != nullptr)
            if (const std::string comment = options_.comment(block, inst); !comment.empty()) text += "  # " + comment;
        text += "\n";
    }

    void regions(const Inst& inst, int depth, std::string& text) {
        const std::string indent(static_cast<std::size_t>(depth + 1) * 2, ' ');
        text += " {\n";
        for (const BlockPtr& region : inst.regions) {
            const std::vector<std::string> names = numbered(*region);
            text += indent + word_or_quoted(region->name) + params(*region, names) + " {\n";
            body(*region, names, depth + 2, text);
            text += indent + "}\n";
        }
        text += std::string(static_cast<std::size_t>(depth) * 2, ' ') + "}";
    }

    const PrintOptions& options_;
    std::string out_; ///< the callees printed so far
    std::unordered_map<const Block*, std::string> labels_;
    std::map<std::string, std::string> texts_; ///< from the text of a callee to its label
    std::set<std::string> used_;
};

} // namespace

std::string print(const Block& block, const PrintOptions& options) { return Printer(options).run(block); }

} // namespace pm::ir
