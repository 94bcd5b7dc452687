#include "tests/fuzz/shrink.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

namespace pm::fuzz {
namespace {

using Clock = std::chrono::steady_clock;
/// The index of a tree of the program, then the index of a kid at each level.
using Path = std::vector<std::size_t>;

Node* at(Program& program, const Path& path) {
    const std::size_t functions = program.functions.size();
    Node* n = path[0] == 0 ? &program.body : path[0] <= functions ? &program.functions[path[0] - 1] : nullptr;
    for (std::size_t i = 1; n != nullptr && i < path.size(); ++i)
        n = path[i] < n->kids.size() ? &n->kids[path[i]] : nullptr;
    return n;
}

void paths_below(const Node& node, Path& path, std::vector<Path>& all) {
    all.push_back(path);
    for (std::size_t i = 0; i < node.kids.size(); ++i) {
        path.push_back(i);
        paths_below(node.kids[i], path, all);
        path.pop_back();
    }
}

std::vector<Path> all_paths(const Program& program) {
    std::vector<Path> all;
    Path path{0};
    paths_below(program.body, path, all);
    for (std::size_t i = 0; i < program.functions.size(); ++i) {
        path = {i + 1};
        paths_below(program.functions[i], path, all);
    }
    return all;
}

void same_type_below(const Node& node, const Type& type, std::vector<const Node*>& all) {
    for (const Node& kid : node.kids) {
        if (kid.role == Role::expression && kid.type == type && !kid.text.starts_with("fn(")) all.push_back(&kid);
        same_type_below(kid, type, all);
    }
}

class Shrinker {
  public:
    Shrinker(Program program, const std::function<bool(const Program&)>& still, double seconds)
        : best_(std::move(program)), still_(still),
          end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}

    Program run() {
        for (bool changed = true; changed && !over();) {
            changed = drop_functions();
            changed |= simpler_signature();
            changed |= drop_statements();
            changed |= simpler_expressions();
            changed |= smaller_sizes();
        }
        return std::move(best_);
    }

  private:
    bool over() const { return Clock::now() > end_; }

    /// Keeps the candidate if it is new and has the property.
    bool attempt(const Program& candidate) {
        if (over()) return false;
        std::string key = write_functions(candidate, {}) + write_main(candidate, {});
        for (const Parameter& p : candidate.parameters) key += write(constant(p.type, 0.5), candidate.sizes, {});
        key += std::to_string(candidate.devices) + (candidate.narrow ? "n" : "") + (candidate.weak ? "w" : "") +
               std::to_string(candidate.host_line);
        if (!tried_.insert(std::move(key)).second || !still_(candidate)) return false;
        best_ = candidate;
        return true;
    }

    bool drop_functions() {
        bool changed = false;
        for (std::size_t i = best_.functions.size(); i-- > 0;) {
            Program candidate = best_;
            candidate.functions.erase(candidate.functions.begin() + static_cast<std::ptrdiff_t>(i));
            changed |= attempt(candidate);
        }
        return changed;
    }

    /// Tries fewer devices, f64, a result of fewer parts, scalar parameters.
    bool simpler_signature() {
        bool changed = false;
        Program candidate = best_;
        candidate.devices = 1;
        changed |= candidate.devices != best_.devices && attempt(candidate);
        candidate = best_;
        candidate.weak = false;
        changed |= best_.weak && attempt(candidate);
        candidate.narrow = false;
        changed |= best_.narrow && attempt(candidate);
        candidate = best_;
        candidate.host_line = 0;
        changed |= best_.host_line != 0 && attempt(candidate);
        const Node* value = best_.body.kids.empty() ? nullptr : &best_.body.kids.back();
        if (value && value->role == Role::expression && value->type == best_.result && best_.result.tree())
            for (std::size_t i = 0; i < value->kids.size(); ++i) {
                if (value->kids[i].type.items.empty() && value->kids[i].type.kind != Kind::real) continue;
                candidate = best_;
                const Node part = value->kids[i];
                candidate.result = part.type;
                candidate.body.kids.back() = part;
                if (attempt(candidate)) return true;
            }
        for (std::size_t i = 0; i < best_.parameters.size(); ++i) {
            if (best_.parameters[i].type.scalar()) continue;
            candidate = best_;
            candidate.parameters[i].type = real_type();
            changed |= attempt(candidate);
        }
        return changed;
    }

    bool drop_statements() {
        bool changed = false;
        std::vector<Path> paths = all_paths(best_);
        for (auto path = paths.rbegin(); path != paths.rend() && !over(); ++path) {
            const Node* n = at(best_, *path);
            if (!n || path->size() < 2 || n->role != Role::statement) continue;
            const Path parent(path->begin(), path->end() - 1);
            Program candidate = best_;
            Node* block = at(candidate, parent);
            if (block->role != Role::block) continue;
            const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(path->back());
            const Node removed = block->kids[path->back()];
            block->kids.erase(block->kids.begin() + place);
            if (attempt(candidate)) {
                changed = true;
                continue;
            }
            // Replaces the statement by the statements of one of its blocks.
            for (const Node& kid : removed.kids) {
                if (kid.role != Role::block) continue;
                candidate = best_;
                block = at(candidate, parent);
                block->kids.erase(block->kids.begin() + place);
                block->kids.insert(block->kids.begin() + place, kid.kids.begin(), kid.kids.end());
                if (attempt(candidate)) {
                    changed = true;
                    break;
                }
            }
        }
        return changed;
    }

    bool simpler_expressions() {
        bool changed = false;
        for (const Path& path : all_paths(best_)) {
            if (over()) break;
            const Node* n = at(best_, path);
            if (!n || n->role != Role::expression || n->text.empty() || n->text.starts_with("fn(")) continue;
            if (n->kids.empty() && n->type.kind == Kind::real && !n->type.scalar())
                continue; // a variable is already simple
            changed |= simpler(path, *n);
        }
        return changed;
    }

    bool simpler(const Path& path, const Node& node) {
        const auto with = [&](const Node& other) {
            Program candidate = best_;
            *at(candidate, path) = other;
            return attempt(candidate);
        };
        std::vector<const Node*> within;
        same_type_below(node, node.type, within);
        std::vector<Node> others;
        if (!node.kids.empty()) {
            for (const Parameter& p : best_.parameters)
                if (p.type == node.type) {
                    Node x = constant(node.type, 0);
                    x.text = p.name;
                    others.push_back(x);
                }
            others.push_back(constant(node.type, node.type.kind == Kind::integer ? 1 : 0.5));
        }
        for (const Node* w : within) others.push_back(*w);
        if (node.kids.empty() && node.type.scalar())
            others.push_back(constant(node.type, node.type.kind == Kind::integer ? 0 : 0.5));
        for (const Node& o : others)
            if (with(o)) return true;
        return false;
    }

    bool smaller_sizes() {
        bool changed = false;
        for (int k = 0; k < best_.sizes.free_count(); ++k)
            for (const int size : {1, 2, 3}) {
                if (size >= best_.sizes.of(best_.sizes.free(k))) break;
                Program candidate = best_;
                candidate.sizes.set_free(k, size);
                if (attempt(candidate)) {
                    changed = true;
                    break;
                }
            }
        return changed;
    }

    Program best_;
    const std::function<bool(const Program&)>& still_;
    Clock::time_point end_;
    std::set<std::string> tried_;
};

} // namespace

Program shrink(Program program, const std::function<bool(const Program&)>& still, double seconds) {
    return Shrinker(std::move(program), still, seconds).run();
}

} // namespace pm::fuzz
