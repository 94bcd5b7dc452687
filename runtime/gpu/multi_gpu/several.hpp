#pragma once
#include "runtime/gpu/device/collectives.hpp"
#include "runtime/gpu/device/gpu.hpp"

#include <memory>
#include <vector>

namespace pm::runtime {

/// Several GPUs as one device. Its addresses are numbers of its own; each allocation has memory on those GPUs that
/// touch it, where they touch it, and it is known of each byte which of them have its value (residency.hpp). What a
/// kernel reads is brought to its GPU before, by copies between GPUs that their queues wait for, and what it writes is
/// there alone afterwards. Lane l of L runs on number l * G / L of G; what is no lane's on the first. `open` is asked
/// when lanes first combine what they have, each on a GPU of its own.
std::shared_ptr<Device> make_several(std::vector<std::shared_ptr<Gpu>> gpus, OpenCollectives open = {});

/// Uploads of as many bytes go in equal parts to all GPUs, in their order: so the shards of a batch lie, and other
/// lanes fetch what they read.
constexpr std::size_t least_spread = std::size_t{1} << 20;

} // namespace pm::runtime
