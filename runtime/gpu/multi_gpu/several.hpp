#pragma once
#include "runtime/gpu/device/collectives.hpp"
#include "runtime/gpu/device/gpu.hpp"

#include <memory>
#include <vector>

namespace pm::runtime {

/// Several GPUs as one device. The addresses of this device are virtual: no GPU uses them. An allocation has memory
/// only on the GPUs that use it, and only for the parts that they use. residency.hpp tracks which GPUs have the value
/// of each byte. Before a kernel starts, the bytes that it reads are copied to its GPU. The queue of that GPU waits for
/// these copies. After the kernel, the bytes that it writes are valid on its GPU alone. Lane l of L runs on GPU l * G /
/// L of G; work outside of lanes runs on GPU 0. `open` is called when lanes first reduce arrays and each lane has its
/// own GPU.
std::shared_ptr<Device> make_several(std::vector<std::shared_ptr<Gpu>> gpus, OpenCollectives open = {});

/// An upload of this size or more is split into equal parts, one for each GPU, in the order of the GPUs. If the shards
/// of an array are divided in this way, each shard is thus on the GPU whose lanes use the shard. Other bytes that a
/// lane reads are copied to its GPU.
constexpr std::size_t least_spread = std::size_t{1} << 20;

} // namespace pm::runtime
