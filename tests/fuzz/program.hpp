#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Random programs as data: what the generator makes, the shrinker cuts down, and `text` writes as a `.pm` file.
namespace pm::fuzz {

/// The size of an axis, by number: sizes stay variables of the program, so that the shrinker can change one everywhere.
using Dim = int;
using Shape = std::vector<Dim>;

/// Dim 0 is always 1; then come the free ones; the others are sums and products of these.
class Sizes {
  public:
    explicit Sizes(std::vector<int> free);
    int of(Dim d) const;
    Dim sum(Dim a, Dim b) { return made('+', a, b); }
    Dim product(Dim a, Dim b) { return made('*', a, b); }
    /// '+' or '*' when the size is made of two others, else '='.
    char how(Dim d) const { return all_[static_cast<std::size_t>(d)].made; }
    std::pair<Dim, Dim> parts(Dim d) const {
        return {all_[static_cast<std::size_t>(d)].a, all_[static_cast<std::size_t>(d)].b};
    }
    int free_count() const { return free_; }
    Dim free(int k) const { return k + 1; }
    void set_free(int k, int size) { all_[static_cast<std::size_t>(k) + 1].size = size; }

  private:
    struct Entry {
        char made; ///< '=' for a size of its own
        int size;
        Dim a;
        Dim b;
    };
    Dim made(char how, Dim a, Dim b);
    std::vector<Entry> all_;
    int free_;
};

enum class Kind { real, complex, integer, boolean, tuple, record };

/// A `real` is an f64, or an f32 in a program of these; a `complex` is a c128 or c64. Fields of records are `a`, `b`
/// and so on.
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
/// Every leaf with an axis in front.
Type stacked(const Type& type, Dim front);
/// A path to a leaf, as `.0.b`, and what it is.
struct Leaf {
    std::string path;
    Kind kind;
};
/// In the order in which they are written.
std::vector<Leaf> leaf_paths(const Type& type);

enum class Role { expression, statement, block };

/// A piece of program text: `$0` to `$9` in it stand for the pieces within, `#3;` for the size of dim 3. A block's
/// pieces are its statements, and its value when the last is an expression. An expression without text is a constant
/// of its type, made of `number`.
struct Node {
    Role role = Role::expression;
    std::string text;
    Type type;
    std::vector<Node> kids;
    double number = 0;
    double bound = 1; ///< about the greatest absolute value, for the generator
};
Node constant(const Type& type, double number);
/// How many pieces there are, for the shrinker's order and limits.
std::size_t count_nodes(const Node& node);

struct Parameter {
    std::string name;
    Type type;
};

struct Program {
    Sizes sizes{{}};
    bool narrow = false;       ///< f32 for f64
    bool weak = false;         ///< its single numbers have no dtype: what meets no f64 may be an f32
    std::size_t host_line = 0; ///< where `f_steps` works with the host: one of the places there are, counted round
    bool stopped = false;      ///< has derivatives that are not those of its values
    bool reverse_only = false; ///< has a rule for reverse mode alone
    std::vector<Node> functions;
    std::vector<Parameter> parameters;
    Node body; ///< block of `f`
    Type result;
    int devices = 1;
    /// Whether values may have the digits of an f32 alone.
    bool single() const { return narrow || weak; }
    bool exchanging = false; ///< made of collectives: few laws, and the same bits for every number of workers
};

struct Writing {
    bool narrow = false;
    bool weak = false;
    double nudge = 0; ///< constants are changed by about this, relatively: what depends on it much is ill-conditioned
};
std::string shape_text(const Shape& shape, const Sizes& sizes);
std::string write(const Node& node, const Sizes& sizes, const Writing& writing, int indent = 0);
std::string write_functions(const Program& program, const Writing& writing);
/// `f` as it is; as `f_steps`, which is interpreted statement by statement, since one of them works with the host; as
/// `f_batched`, on no devices.
enum class Main { as_it_is, steps, batched };
std::string write_main(const Program& program, const Writing& writing, Main main = Main::as_it_is);

} // namespace pm::fuzz
