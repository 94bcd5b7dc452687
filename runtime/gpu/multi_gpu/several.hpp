#pragma once
#include "runtime/gpu/device/collectives.hpp"
#include "runtime/gpu/device/gpu.hpp"

#include <memory>
#include <vector>

namespace pm::runtime {

/// Several GPUs as one device. Its addresses are virtual: no GPU has them. An allocation has memory only on the GPUs
/// that use it, and only for the parts that they use. residency.hpp tracks which GPUs have the value of each byte.
/// Before a kernel starts, the bytes that it reads are copied to its GPU; queues wait for these copies. After the
/// kernel, the bytes that it writes are valid on its GPU alone. Lane l of L runs on GPU l * G / L of G; work of no lane
/// runs on the first. `open` is called when lanes first reduce arrays and each lane has its own GPU.
std::shared_ptr<Device> make_several(std::vector<std::shared_ptr<Gpu>> gpus, OpenCollectives open = {});

/// Uploads of this size or more are split into equal parts on all GPUs, in their order. The shards of a batch are thus
/// placed where they are used; lanes fetch other bytes that they read.
constexpr std::size_t least_spread = std::size_t{1} << 20;

} // namespace pm::runtime
