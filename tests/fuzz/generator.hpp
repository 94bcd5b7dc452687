#pragma once
#include "tests/fuzz/program.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pm::fuzz {

/// Generates the same program for the same seed on every machine. Values stay bounded, derivatives moderate and indices
/// in range. At branches, ties and kinks the program uses values without simple relations between them.
enum class Draw {
    everything,
    collectives, ///< mainly maps over named axes, collectives, and control with equal conditions on all devices
};
Program generate(std::uint64_t seed, Draw draw = Draw::everything);

/// Generates a program from the outside in. `real(shape)`, `complex(shape)` and similar functions return an expression
/// of the type, `block` statements and a value. scope_ has the visible names, fuel_ the remaining size.
class Generator {
  public:
    explicit Generator(std::uint64_t seed, Draw draw = Draw::everything)
        : random_(seed), exchanging_(draw == Draw::collectives) {}
    Program program();

  private:
    struct Variable {
        std::string name;
        Type type;
        bool changes = false;
        Dim below = -1; ///< for an integer that is an index: the size of the axis; else -1
        double bound = 1;
    };
    struct Callable {
        std::string name;
        std::vector<Type> parameters;
        Type result;
    };
    struct Axis {
        std::string name;
        Dim size;
    };
    struct Scope {
        std::vector<Variable> variables;
        std::vector<Callable> functions;
        std::vector<Axis> axes;      ///< of the enclosing vmaps and pmaps, where collectives are allowed
        std::optional<Type> returns; ///< the result type of the function that contains the block
        bool loop = false;           ///< break and continue are allowed
    };
    /// Restores the scope at the end of its life.
    class Inside {
      public:
        explicit Inside(Generator& g) : g_(g), scope_(g.scope_) {}
        ~Inside() { g_.scope_ = std::move(scope_); }
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;

      private:
        Generator& g_;
        Scope scope_;
    };
    /// A production of a family with its weight.
    struct Choice {
        int share;
        Node (Generator::*make)(const Shape&, int);
    };
    /// Chooses a production of the family by weight.
    Node one_of(std::span<const Choice> choices, const Shape& shape, int depth);

    // chance
    int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
    bool chance(int percent) { return below(100) < percent; }
    template <class T>
    const T& any(const std::vector<T>& list) {
        return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
    }
    const char* one_of(std::initializer_list<const char*> list) {
        return list.begin()[below(static_cast<int>(list.size()))];
    }
    double number() { return (13 + below(83)) / 100.0; }
    /// A name. With the number it must not be a name of the language, such as i32.
    std::string fresh(const char* prefix) { return prefix + std::to_string(next_++); }

    // pieces
    static Node piece(std::string text, Type type, std::vector<Node> kids, double bound = 1);
    static Node statement(std::string text, std::vector<Node> kids = {});
    Node bounded(Node node, double most);
    static Node bracketed(Node node);
    bool nonempty(Dim d) const { return program_.sizes.of(d) > 0; }
    bool nonempty(const Shape& shape) const;
    Dim any_dim();
    Dim any_filled_dim();
    std::string shape(const Shape& s) const;
    void add(const std::string& name, const Type& type, double bound = 1, bool changes = false);
    Node variable_of(const Type& type, int depth);

    // expressions (expressions.cpp, arrays.cpp)
    Node expression(const Type& type, int depth);
    Node real(const Shape& shape, int depth);
    Node complex(const Shape& shape, int depth);
    Node from_complex(const Shape& shape, int depth);
    /// Integers from 0 to below `limit`, which is a number or the text of a size.
    Node integer(const Shape& shape, const std::string& limit, int depth);
    Node index(Dim d, int depth) { return integer({}, fmt::format("#{};", d), depth); }
    Node indices(const Shape& shape, Dim d, int depth) { return integer(shape, fmt::format("#{};", d), depth); }
    Node condition(int depth);
    Node mask(const Shape& shape, int depth);
    Node leaf(const Shape& shape, int depth);
    Node unary(const Shape& shape, int depth);
    Node binary(const Shape& shape, int depth);
    Node chosen(const Shape& shape, int depth);
    Node chosen_where_possible(const Shape& shape, int depth);
    Node reduction(const Shape& shape, int depth);
    Node product(const Shape& shape, int depth);
    Node indexed(const Shape& shape, int depth);
    Node arranged(const Shape& shape, int depth);
    Node updated(const Shape& shape, int depth);
    Node from_tree(const Shape& shape, int depth);
    Node from_integers(const Shape& shape, int depth);
    Node drawn(const Shape& shape, int depth);
    Node matrices(const Shape& shape, int depth);
    Node running(const Shape& shape, int depth);

    // control and transformations (control.cpp, transformations.cpp)
    Node branches(const Shape& shape, int depth);
    Node looped(const Shape& shape, int depth);
    Node mapped(const Shape& shape, int depth);
    Node called(const Shape& shape, int depth);
    Node derived(const Shape& shape, int depth);
    Node batched(const Shape& shape, int depth);
    Node wrapped(const Shape& shape, int depth);
    Node custom(const Shape& shape, int depth);
    Node over_two_axes(const Shape& shape, int depth);
    Node in_groups(const Shape& shape, int depth);
    Node collective(const Shape& shape, int depth);
    /// `fn(a, b) = value`, sometimes with statements.
    Node function(const std::vector<Type>& parameters, const Type& result, int depth);
    /// The same without collectives: the function may run under a condition, or with other trip counts on each device.
    Node divergent_function(const std::vector<Type>& parameters, const Type& result, int depth);

    // programs that consist of collectives (collectives.cpp)
    Program exchanging_program();
    Node exchanging_real(const Shape& shape, int depth);
    /// The size of a new axis, for a map with a result of this shape.
    Dim axis_dim(const Shape& existing);
    Node spread(const Shape& shape, int depth);
    std::vector<Axis> some_axes();
    /// A condition that is equal on all devices of these axes.
    Node agreed(const std::vector<Axis>& among, int depth);
    /// Control with conditions that are equal on all devices of some axes, with collectives in it.
    Node uniform_control(const Shape& shape, int depth);
    Node uniform_loop(const Shape& shape, const std::vector<Axis>& among, int depth);

    // statements
    Node block(int statements, const std::optional<Type>& value, int depth);
    Node main_block();
    static Node with_added(Node value, const std::string& name);
    void add_statement(std::vector<Node>& to, int depth);
    void let(std::vector<Node>& to, int depth);
    void let_function(std::vector<Node>& to, int depth);
    void take_apart(std::vector<Node>& to, int depth);
    void assign(std::vector<Node>& to, int depth);
    void for_loop(std::vector<Node>& to, int depth);
    void while_loop(std::vector<Node>& to, int depth);
    void if_statement(std::vector<Node>& to, int depth);
    void leave(std::vector<Node>& to, int depth);

    Type any_type(int depth);
    /// The same without complex numbers.
    Type any_real_type(int depth);
    Shape any_shape();

    std::mt19937_64 random_;
    bool exchanging_;
    Program program_;
    Scope scope_;
    int next_ = 0;
    int fuel_ = 0;
    int order_ = 0; ///< the number of enclosing derivatives
};

} // namespace pm::fuzz
