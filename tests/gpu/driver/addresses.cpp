#include "tests/gpu/driver/thread.hpp"

#include <cstdio>

namespace pm::ptx {
namespace {

std::string in_hex(std::uint64_t address) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
}

std::uint8_t* misaligned(Thread& t, const Instruction* i, std::uint64_t address, std::size_t bytes) {
    fail(t, i, Fault::misaligned_address, in_hex(address) + " is no multiple of " + std::to_string(bytes));
    return nullptr;
}
std::uint8_t* outside(Thread& t, const Instruction* i, std::uint64_t address, std::size_t bytes,
                      const std::string& where) {
    fail(t, i, Fault::illegal_address, std::to_string(bytes) + " bytes at " + in_hex(address) + " are not in " + where);
    return nullptr;
}
std::uint8_t* within(Thread& t, const Instruction* i, std::uint64_t address, std::size_t bytes, std::uint8_t* start,
                     std::size_t size, const char* where) {
    if (address % bytes != 0) return misaligned(t, i, address, bytes);
    if (address >= size || bytes > size - address) return outside(t, i, address, bytes, where);
    return start + address;
}

} // namespace

std::uint8_t* device_bytes(Thread& t, const Instruction* i, std::uint64_t address, std::size_t bytes) {
    if (address % bytes != 0) return misaligned(t, i, address, bytes);
    const Memory::Block* found = t.launch->memory->find(address, bytes);
    if (!found)
        if (std::uint8_t* host = t.launch->memory->mapped(address, bytes)) return host;
    if (!found) return outside(t, i, address, bytes, "any allocation of the device");
    t.sites[i->site] = {found->begin, found->bytes - bytes + 1, found->host};
    return found->host + (address - found->begin);
}
std::uint8_t* shared_bytes(Thread& t, const Instruction* i, std::uint64_t address, std::size_t bytes) {
    return within(t, i, address, bytes, t.shared, t.shared_bytes, "the block's shared memory");
}
std::uint8_t* local_bytes(Thread& t, const Instruction* i, std::uint64_t address, std::size_t bytes) {
    return within(t, i, address, bytes, t.storage->local.data(), t.storage->local.size(), "the thread's local memory");
}
std::uint8_t* parameter_bytes(Thread& t, const Instruction* i, std::uint64_t address, std::size_t bytes) {
    auto& parameters = t.launch->parameters;
    return within(t, i, address, bytes, parameters.data(), parameters.size(), "the kernel's parameters");
}
std::uint8_t* generic_bytes(Thread& t, const Instruction* i, std::uint64_t address, std::size_t bytes) {
    const std::uint64_t window = address / window_bytes * window_bytes;
    if (window == shared_window) return shared_bytes(t, i, address - window, bytes);
    if (window == local_window) return local_bytes(t, i, address - window, bytes);
    if (window == parameter_window) return parameter_bytes(t, i, address - window, bytes);
    return device_bytes(t, i, address, bytes);
}

} // namespace pm::ptx
