#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Random programs as data. The generator makes them, the shrinker reduces them, and `write` makes the text of a `.pm`
/// file.
namespace pm::fuzz {

/// The index of an axis size. Sizes stay variables of the program, so that the shrinker can change one everywhere.
using Dim = int;
using Shape = std::vector<Dim>;

/// Dim 0 is always 1. The free sizes follow. The others are sums and products of these.
class Sizes {
  public:
    explicit Sizes(std::vector<int> free);
    int of(Dim d) const;
    Dim sum(Dim a, Dim b) { return made('+', a, b); }
    Dim product(Dim a, Dim b) { return made('*', a, b); }
    /// '+' or '*' if the size is the sum or product of two others, else '='.
    char how(Dim d) const { return all_[static_cast<std::size_t>(d)].made; }
    std::pair<Dim, Dim> parts(Dim d) const {
        return {all_[static_cast<std::size_t>(d)].a, all_[static_cast<std::size_t>(d)].b};
    }
    int free_count() const { return free_; }
    Dim free(int k) const { return k + 1; }
    void set_free(int k, int size) { all_[static_cast<std::size_t>(k) + 1].size = size; }

  private:
    struct Entry {
        char made; ///< '=' for a free size
        int size;
        Dim a;
        Dim b;
    };
    Dim made(char how, Dim a, Dim b);
    std::vector<Entry> all_;
    int free_;
};

enum class Kind { real, complex, integer, boolean, tuple, record };

/// `real` is f64, or f32 in a narrow program; `complex` is c128 or c64. Fields of records are `a`, `b` and so on.
struct Type {
    Kind kind = Kind::real;
    Shape shape;             ///< empty for scalars and trees
    std::vector<Type> items; ///< of tuples and records
    bool operator==(const Type&) const = default;
    bool tree() const { return kind == Kind::tuple || kind == Kind::record; }
    bool scalar() const { return !tree() && shape.empty(); }
};
Type real_type(Shape shape = {});
Type complex_type(Shape shape = {});
Type integer_type(Shape shape = {});
Type boolean_type(Shape shape = {});
Type tree_type(Kind kind, std::vector<Type> items);
/// The type with an additional first axis on every leaf.
Type stacked(const Type& type, Dim front);
/// A path to a leaf, such as `.0.b`, and its kind.
struct Leaf {
    std::string path;
    Kind kind;
};
/// All leaves, in the order of the text.
std::vector<Leaf> leaf_paths(const Type& type);

enum class Role { expression, statement, block };

/// A piece of program text. `$0` to `$9` in it are placeholders for its pieces, `#3;` for the size of dim 3. The pieces
/// of a block are its statements, and its value if the last one is an expression. An expression without text is a
/// constant of its type, made from `number`.
struct Node {
    Role role = Role::expression;
    std::string text;
    Type type;
    std::vector<Node> kids;
    double number = 0;
    double bound = 1; ///< approximate greatest absolute value, for the generator
};
Node constant(const Type& type, double number);
/// The number of pieces, for the shrinker's order and limits.
std::size_t count_nodes(const Node& node);

struct Parameter {
    std::string name;
    Type type;
};

struct Program {
    Sizes sizes{{}};
    bool narrow = false;       ///< f32 instead of f64
    bool weak = false;         ///< its scalars have no dtype; operations without an f64 operand may be f32
    std::size_t host_line = 0; ///< selects the place of the host work in `f_steps`, modulo the number of places
    bool stopped = false;      ///< uses stop_gradient: derivatives differ from difference quotients
    bool reverse_only = false; ///< has a rule for reverse mode only
    std::vector<Node> functions;
    std::vector<Parameter> parameters;
    Node body; ///< block of `f`
    Type result;
    int devices = 1;
    /// Whether values may have only the precision of f32.
    bool single() const { return narrow || weak; }
    bool exchanging = false; ///< consists of collectives: few laws, and equal bits for every number of workers
};

struct Writing {
    bool narrow = false;
    bool weak = false;
    double nudge = 0; ///< relative change of constants; values that change much are ill-conditioned
};
std::string shape_text(const Shape& shape, const Sizes& sizes);
std::string write(const Node& node, const Sizes& sizes, const Writing& writing, int indent = 0);
std::string write_functions(const Program& program, const Writing& writing);
/// `f` as it is; as `f_steps`, an interpreted function because one statement does host work; or as `f_batched`, without
/// devices.
enum class Main { as_it_is, steps, batched };
std::string write_main(const Program& program, const Writing& writing, Main main = Main::as_it_is);

} // namespace pm::fuzz
