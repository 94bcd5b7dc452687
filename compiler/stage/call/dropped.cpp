// Releases modules that the embedding program no longer uses, and code that only these modules use.
#include "compiler/stage/call/cache.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace pm::stage {
namespace {

using ScopeList = std::vector<std::shared_ptr<ModuleScope>>;

/// Finds dropped modules that are still in use. A module and its functions refer to each other, so their use counts
/// never reach zero. So this class counts the references to each object from the dropped modules and from the cache. If
/// the use count of an object is higher than this number, the object has an outside reference.
class Holders {
  public:
    Holders(const ScopeList& dropped, std::function<void()> poll) : poll_(std::move(poll)) {
        constexpr long own = 1; // `dropped` itself has one reference to each module
        for (const auto& scope : dropped) objects_[scope.get()].uses = scope.use_count() - own;
        for (const auto& scope : dropped)
            for (const auto& [name, cell] : scope->names) add(scope.get(), cell.value);
        count();
    }

    /// Counts references from the cache of specialisations. Such references are not outside references, so they do not
    /// keep a module in use.
    void add_cached(const std::vector<Dependency>& dependencies) {
        for (const Dependency& d : dependencies) {
            add_scope(nullptr, d.scope);
            add(nullptr, d.seen);
        }
        count();
    }
    void add_cached(const Context::Global& global) { add_scope(nullptr, global.scope); }
    void add_cached(const std::vector<Context::Global>& globals) {
        for (const Context::Global& global : globals) add_cached(global);
    }
    void add_cached(const std::vector<std::optional<Context::Global>>& globals) {
        for (const auto& global : globals)
            if (global) add_cached(*global);
    }
    void add_cached(const Needs& needs) {
        add_cached(needs.globals);
        for (const auto& [call, demand] : needs.demands) add_cached(demand.globals);
    }
    void add_cached(const HostWork&) {}
    void add_cached(None) {}
    template <class T>
    void add_cached(const Finding<T>& finding) {
        add_cached(finding.found);
        add_cached(finding.dependencies);
    }

    /// Whether this module has an outside reference, directly or through other objects.
    bool held(const ModuleScope* scope) {
        if (!known_) mark_held();
        return objects_[scope].held;
    }
    /// The number of visited values.
    std::size_t seen() const { return seen_; }

  private:
    /// A module, or an object that values share.
    struct Object {
        long uses = 0;  ///< use count of the object's shared_ptr
        long found = 0; ///< references counted so far
        bool held = false;
        std::vector<const void*> holds;
    };

    /// Counts a reference from `by` to the object. `by` is null for a reference from the cache. Returns true if the
    /// object was not found before.
    template <class T>
    bool found(const void* by, const std::shared_ptr<T>& pointer) {
        const auto [at, fresh] = objects_.try_emplace(pointer.get());
        if (fresh) at->second.uses = pointer.use_count();
        ++at->second.found;
        if (by != nullptr) objects_[by].holds.push_back(pointer.get());
        return fresh;
    }
    void add(const void* by, const Value& value) { open_.emplace_back(by, &value); }
    void add_scope(const void* by, const std::shared_ptr<ModuleScope>& scope) {
        if (objects_.contains(scope.get())) found(by, scope);
    }

    void look() {
        constexpr std::size_t values_between_polls = 4096;
        if (++seen_ % values_between_polls == 0) poll_();
    }
    /// Counts the references from all values in `open_`. The function is not recursive, because functions of a program
    /// may capture each other to any depth.
    void count() {
        while (!open_.empty()) {
            const auto [by, value] = open_.back();
            open_.pop_back();
            look();
            count(by, *value);
        }
    }
    void count(const void* by, const Value& v) {
        if (const auto* t = std::get_if<std::shared_ptr<const Tuple>>(&v.node)) {
            if (found(by, *t))
                for (const Value& item : (*t)->items) add(t->get(), item);
        } else if (const auto* r = std::get_if<std::shared_ptr<const Record>>(&v.node)) {
            if (found(by, *r))
                for (const auto& [name, item] : (*r)->fields) add(r->get(), item);
        } else if (const auto* f = std::get_if<std::shared_ptr<const Function>>(&v.node)) {
            if (found(by, *f)) count_function(**f);
        } else if (const auto* range = std::get_if<std::shared_ptr<const Range>>(&v.node)) {
            if (found(by, *range))
                for (const Value& part : (*range)->parts) add(range->get(), part);
        } else if (const ModuleValue* m = v.module()) {
            add_scope(by, m->scope);
        }
    }
    void count_function(const Function& f) {
        if (const Closure* closure = f.closure()) {
            add_scope(&f, closure->globals);
            for (const auto& [name, value] : closure->captured) add(&f, value);
        }
        if (const Transformed* t = f.transformed()) {
            for (const Value& value : t->functions) add(&f, value);
            for (const auto& [name, value] : t->options) add(&f, value);
        }
        if (const LinearMap* linear = f.linear()) {
            for (const Value& value : linear->residuals) add(&f, value);
            for (const Value* value : {&linear->arguments, &linear->result}) add(&f, *value);
        }
    }

    void mark_held() {
        known_ = true;
        std::vector<Object*> marked;
        const auto mark = [&](Object& object) {
            if (!object.held) marked.push_back(&object);
            object.held = true;
        };
        for (auto& [address, object] : objects_)
            if (object.uses > object.found) mark(object);
        while (!marked.empty()) {
            const Object& object = *marked.back();
            marked.pop_back();
            look();
            for (const void* other : object.holds) mark(objects_[other]);
        }
    }

    std::unordered_map<const void*, Object> objects_;
    std::vector<std::pair<const void*, const Value*>> open_;
    std::function<void()> poll_;
    std::size_t seen_ = 0;
    bool known_ = false;
};

class Mentions {
  public:
    explicit Mentions(const ScopeList& scopes) : scopes_(scopes) {}
    bool operator()(const Dependency& d) const { return holds(d.scope); }
    bool operator()(const Context::Global& global) const { return holds(global.scope); }
    bool operator()(const std::optional<Context::Global>& global) const { return global && holds(global->scope); }
    bool operator()(const Needs& needs) const {
        return (*this)(needs.globals) || std::ranges::any_of(needs.demands, [&](const auto& demanded) {
                   return (*this)(demanded.second.globals);
               });
    }
    bool operator()(const HostWork&) const { return false; }
    bool operator()(None) const { return false; }
    template <class T>
    bool operator()(const Finding<T>& finding) const {
        return (*this)(finding.found) || (*this)(finding.dependencies);
    }
    template <class T>
    bool operator()(const std::vector<T>& list) const {
        return std::any_of(list.begin(), list.end(), *this);
    }

  private:
    bool holds(const std::shared_ptr<ModuleScope>& scope) const {
        return std::find(scopes_.begin(), scopes_.end(), scope) != scopes_.end();
    }
    const ScopeList& scopes_;
};

} // namespace

std::size_t Specialiser::release(std::vector<std::weak_ptr<ModuleScope>>& dropped) {
    if (!cache_->in_progress.empty()) return 0;
    ScopeList scopes;
    for (const auto& scope : dropped)
        if (auto alive = scope.lock()) scopes.push_back(std::move(alive));
    Holders holders(scopes, s_.polling());
    for (const auto& [key, entry] : cache_->entries) {
        holders.add_cached(entry->dependencies);
        holders.add_cached(entry->function.globals);
        holders.add_cached(entry->needs);
    }
    for (const auto& [block, made] : cache_->made) holders.add_cached(made.globals);
    cache_->each_findings([&](const auto& findings) {
        for (const auto& [key, finding] : findings) holders.add_cached(finding);
    });
    holders.add_cached(cache_->abandoned.dependencies);
    const auto kept =
        std::partition(scopes.begin(), scopes.end(), [&](const auto& scope) { return !holders.held(scope.get()); });
    dropped.assign(kept, scopes.end());
    scopes.erase(kept, scopes.end());
    if (scopes.empty()) return holders.seen();

    const Mentions mentions(scopes);
    std::erase_if(cache_->entries, [&](const auto& entry) {
        return mentions(entry.second->dependencies) || mentions(entry.second->function.globals) ||
               mentions(entry.second->needs);
    });
    cache_->each_findings(
        [&](auto& findings) { std::erase_if(findings, [&](const auto& entry) { return mentions(entry.second); }); });
    if (mentions(cache_->abandoned.dependencies)) cache_->abandoned.dependencies.clear();
    for (const auto& scope : scopes) scope->names.clear();
    cache_->sweep(); // also drops the code of functions of these modules that do not read globals
    return holders.seen();
}

std::size_t Stager::release_modules(std::vector<std::weak_ptr<ModuleScope>>& dropped) {
    return specialiser_->release(dropped);
}

} // namespace pm::stage
