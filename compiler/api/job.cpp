#include "compiler/api/job.hpp"

#include "runtime/processes/open_engine.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <thread>

namespace pm::api {
namespace {

using runtime::JobFailure;
using runtime::JobFailureKind;
using runtime::MeetingKind;

/// A number in the environment; 0 if there is none.
int number_of(const char* name) {
    const char* const text = std::getenv(name);
    return text == nullptr ? 0 : std::atoi(text);
}

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "a host without a name";
}

/// A text that is equal for processes that can see each other's numbers: those of one boot of one system and of one
/// namespace of processes.
std::string system_of_process() {
    std::string boot;
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
    std::array<char, 128> space{};
    const ssize_t size = readlink("/proc/self/ns/pid", space.data(), space.size());
    return boot + std::string(space.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
}

bool exists(int process) { return kill(process, 0) == 0 || errno == EPERM; }

} // namespace

bool in_job() { return number_of("OMPI_COMM_WORLD_SIZE") > 1 || number_of("PMI_SIZE") > 1; }

int processes_of_host() { return std::max(number_of("OMPI_COMM_WORLD_LOCAL_SIZE"), 1); }

Job::Job(const std::string& engine, runtime::ProcessesOptions options)
    : engine_(&runtime::open_engine(engine, options)) {
    options.exists = [this](int process) {
        const int number = neighbours_.empty() ? 0 : neighbours_[static_cast<std::size_t>(process)];
        return number == 0 || exists(number);
    };
    if (processes_of_host() > static_cast<int>(std::thread::hardware_concurrency())) options.spin = {};
    processes_ = std::make_unique<runtime::Processes>(*engine_, std::move(options));
    processes_->introduce(fmt::format("host {}, pid {}", host_name(), getpid()));
    find_neighbours();
}

/// Finds the processes whose end this process can see.
void Job::find_neighbours() {
    const std::string system = fmt::format("{:x} ", runtime::hash_of(system_of_process()));
    std::vector<int> found;
    for (const runtime::Reply& reply :
         processes_->meet({.kind = MeetingKind::begin, .text = "the start"}, fmt::format("{}{}", system, getpid()))) {
        int number = 0;
        if (reply.payload.starts_with(system))
            std::from_chars(reply.payload.data() + system.size(), reply.payload.data() + reply.payload.size(), number);
        found.push_back(number);
    }
    neighbours_ = std::move(found);
    processes_->set_on_one_host(std::ranges::find(neighbours_, 0) == neighbours_.end());
}

void Job::require_equal(const std::vector<std::pair<std::string, std::string>>& items) {
    std::string hashes;
    for (const auto& [name, text] : items) {
        const std::uint64_t hash = runtime::hash_of(text);
        hashes.append(reinterpret_cast<const char*>(&hash), sizeof hash);
    }
    const std::vector<runtime::Reply> replies =
        processes_->meet({.kind = MeetingKind::begin, .text = "the start"}, hashes);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto hash = [&](const runtime::Reply& reply) {
            return std::string_view(reply.payload).substr(i * sizeof(std::uint64_t), sizeof(std::uint64_t));
        };
        for (std::size_t p = 1; p < replies.size(); ++p)
            if (hash(replies[p]) != hash(replies[0]))
                throw JobFailure(JobFailureKind::differ,
                                 fmt::format("{} is not the same on processes 0 and {}", items[i].first, p), {});
    }
}

std::vector<std::string> Job::end(const std::string& error) {
    std::vector<std::string> errors;
    if (!error.empty()) {
        for (const runtime::Reply& reply : processes_->stop(error))
            errors.push_back(reply.kind == MeetingKind::failed ? reply.payload : std::string());
        if (errors.empty()) return {error};
        if (std::ranges::count(errors, std::string()) == 0) engine_->leave(engine_->state, 1);
        return errors;
    }
    processes_->meet({.kind = MeetingKind::end, .text = "the end of the program"});
    engine_->leave(engine_->state, 1);
    return std::vector<std::string>(static_cast<std::size_t>(processes_->count()));
}

} // namespace pm::api
