#pragma once

#include "tests/gpu/driver/types.hpp"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pm::ptx {

class Memory;
struct Instruction;
struct Thread;

/// Runs one instruction on the registers `r`. Returns the next one; null when the thread has ended, waits or has
/// failed.
using Handler = const Instruction* (*)(Slot* r, const Instruction* i, Thread& t);

/// Operands are slot numbers. `offset` is the displacement of an address or the modifiers of an operation.
struct Instruction {
    Handler run = nullptr;
    std::uint32_t d = 0;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t c = 0;
    std::uint32_t e = 0;
    std::uint32_t f = 0;
    std::int64_t offset = 0;
    union {
        const Instruction* target = nullptr;
        const struct CallSite* call;
        const struct Targets* targets;
        const struct Fragments* fragments;
        std::int64_t number;
    };
    /// For an access to device memory: its index in Module::sites.
    std::uint32_t site = 0;
    int line = 0;
};

/// The slots before the declared registers.
enum Special : std::uint32_t {
    tid_x,
    tid_y,
    tid_z,
    ntid_x,
    ntid_y,
    ntid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    laneid,
    warpid,
    nwarpid,
    smid,
    nsmid,
    gridid,
    lanemask_eq,
    lanemask_le,
    lanemask_lt,
    lanemask_ge,
    lanemask_gt,
    dynamic_shared,
    total_shared,
    dynamic_shared_bytes,
    sink,
    special_count
};

/// A variable in the parameter space: a part of a launch's arguments or of a function's frame.
struct Parameter {
    std::string name;
    std::size_t offset = 0;
    std::size_t bytes = 0;
};

/// The slots of an operation with more operands than an instruction has.
struct Fragments {
    std::array<std::uint32_t, 4> d{};
    std::array<std::uint32_t, 4> a{};
    std::array<std::uint32_t, 2> b{};
    std::array<std::uint32_t, 4> c{};
    std::int64_t offset = 0; ///< of the address of ldmatrix
};

struct Function {
    std::string name;
    bool entry = false;
    bool defined = false;
    std::vector<Parameter> parameters;
    std::vector<Parameter> results;
    std::size_t parameter_bytes = 0;
    std::vector<Instruction> code;
    std::vector<Slot> constants;
    std::uint32_t first_constant = special_count;
    std::uint32_t slots() const { return first_constant + static_cast<std::uint32_t>(constants.size()); }
    /// Bytes that a thread needs for .local variables, and for the .param variables of calls.
    std::size_t local_bytes = 0;
    std::size_t shared_bytes = 0;
    /// 32-bit registers by declaration: an upper bound of the number that an assembler would need.
    std::uint32_t declared_registers = 0;
    std::array<unsigned, 3> max_threads{};
    std::array<unsigned, 3> required_threads{};
    std::vector<std::unique_ptr<CallSite>> calls;
    std::vector<std::unique_ptr<Targets>> tables;
    std::vector<std::unique_ptr<Fragments>> fragments;
};

struct CallSite {
    struct Copy {
        std::size_t from = 0;
        std::size_t to = 0;
        std::size_t bytes = 0;
    };
    const Function* callee = nullptr;
    /// Copies between the frames of caller and callee, before and after the call.
    std::vector<Copy> arguments;
    std::vector<Copy> results;
};

struct Targets {
    std::vector<const Instruction*> list;
};

/// The allocation that an instruction accessed last.
struct Site {
    std::uint64_t begin = 0;
    /// The number of addresses from `begin` on at which the access may start.
    std::uint64_t room = 0;
    std::uint8_t* host = nullptr;
};

struct Module {
    std::string source;
    std::map<std::string, std::unique_ptr<Function>, std::less<>> functions;
    /// Addresses of .global and .const variables, freed with the module.
    std::vector<std::uint64_t> variables;
    std::vector<Site> sites;
    std::uint64_t sites_epoch = 0;
};

/// Reads PTX and places variables in `memory`. Throws SourceError.
std::unique_ptr<Module> read_module(std::string_view source, Memory& memory);

/// A line of the source without surrounding space.
std::string line_of(const Module& module, int line);

} // namespace pm::ptx
