#include "session.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

namespace gradbench {
namespace {

using Clock = std::chrono::steady_clock;

/// A message. What reads it goes as deep as it is nested, so that has an end.
Json parsed(const std::string& line) {
    constexpr int deepest = 100;
    const auto check = [](int depth, Json::parse_event_t, Json&) {
        if (depth > deepest) throw Refused("the message is nested too deep");
        return true;
    };
    Json message = Json::parse(line, check);
    if (!message.is_object()) throw Refused("a message is an object");
    return message;
}

Json timing(const char* name, Clock::duration time) {
    return {{"name", name}, {"nanoseconds", std::chrono::duration_cast<std::chrono::nanoseconds>(time).count()}};
}

/// The text under `key`, which names something.
std::string name_in(const Json& message, const char* key) {
    const auto found = message.find(key);
    if (found == message.end() || !found->is_string())
        throw Refused(std::string("the message has no text `") + key + "`");
    return *found;
}

/// Takes the number `key` out of an input that is an object.
double taken(Json& input, const char* key, double otherwise) {
    const auto found = input.find(key);
    if (found == input.end()) return otherwise;
    if (!found->is_number()) throw Refused(std::string("`input.") + key + "` is no number");
    const double number = *found;
    input.erase(found);
    return number;
}

std::optional<pm::Function> optional_function(const pm::Module& module, const std::string& name) {
    const auto names = module.names();
    if (!std::ranges::binary_search(names, name)) return {};
    auto function = module.function(name);
    if (!function) throw Refused(function.problem().text);
    return *function;
}

pm::Value called(const pm::Function& function, const pm::Value& argument) {
    auto result = function(argument);
    if (!result) throw Refused(result.problem().text);
    return std::move(*result);
}

} // namespace

pm::Result<Session> Session::create(std::string programs, bool multithreaded) {
    // Standard output belongs to the protocol.
    const auto tell = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); };
    auto engine = pm::Engine::create({.workers = multithreaded ? 0 : 1, .output = tell, .message = tell});
    if (!engine) return engine.problem();
    return Session(std::move(*engine), std::move(programs));
}

std::string Session::answer(const std::string& line) {
    Json id;
    Json response;
    try {
        Json message = parsed(line);
        if (message.contains("id")) id = message["id"];
        response = respond(message);
    } catch (const std::exception& problem) { // of the JSON library, of ours, of memory
        response = {{"success", false}, {"error", problem.what()}};
    }
    Json all = {{"id", id}};
    all.update(response);
    // Text that came in need not be UTF-8; what goes out is.
    return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json Session::respond(Json& message) {
    const std::string kind = name_in(message, "kind");
    if (kind == "start") return {{"tool", "polymap"}, {"config", {{"version", pm::Engine::version()}}}};
    if (kind == "define") return define(message);
    if (kind == "evaluate") return evaluate(message);
    return Json::object();
}

Json Session::define(const Json& message) {
    const std::string name = name_in(message, "module");
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    const std::string path = programs_ + "/" + name + ".pm";
    if (name.empty() || !std::ranges::all_of(name, letter) || !std::filesystem::exists(path))
        throw Refused("there is no program for the module `" + name + "`");
    const auto begin = Clock::now();
    auto module = engine_.load_file(path);
    if (!module) throw Refused(module.problem().text);
    modules_.insert_or_assign(name, std::move(*module));
    return {{"success", true}, {"timings", Json::array({timing("load", Clock::now() - begin)})}};
}

Json Session::evaluate(Json& message) const {
    const std::string name = name_in(message, "module");
    const std::string function_name = name_in(message, "function");
    const auto module = modules_.find(name);
    if (module == modules_.end()) throw Refused("the module `" + name + "` has not been defined");
    const auto function = optional_function(module->second, function_name);
    if (!function) throw Refused("the module `" + name + "` has no function `" + function_name + "`");
    if (!message.contains("input")) throw Refused("the message has no `input`");

    Json& input = message["input"];
    const double min_runs = taken(input, "min_runs", 1);
    const double min_seconds = taken(input, "min_seconds", 0);
    pm::Value argument = to_value(input, "input");
    if (const auto prepare = optional_function(module->second, "prepare")) argument = called(*prepare, argument);

    pm::Value result;
    Json timings = Json::array();
    Clock::duration elapsed{};
    do {
        result = {}; // its memory serves the next run
        const auto begin = Clock::now();
        result = called(*function, argument);
        const auto time = Clock::now() - begin;
        timings.push_back(timing("evaluate", time));
        elapsed += time;
    } while (static_cast<double>(timings.size()) < min_runs ||
             std::chrono::duration<double>(elapsed).count() < min_seconds);

    if (const auto report = optional_function(module->second, "report_" + function_name))
        result = called(*report, result);
    return {{"success", true}, {"output", to_json(result)}, {"timings", std::move(timings)}};
}

} // namespace gradbench
