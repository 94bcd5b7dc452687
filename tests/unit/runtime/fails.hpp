#pragma once
#include "runtime/failure.hpp"

#include <doctest/doctest.h>

#include <optional>

/// The Failure that `f` throws, or nullopt if `f` throws none.
template <class F>
std::optional<pm::runtime::Failure> failure_of(F&& f) {
    try {
        f();
    } catch (const pm::runtime::Failure& failure) {
        return failure;
    }
    return std::nullopt;
}

template <class F>
bool fails(pm::runtime::FailureKind kind, F&& f) {
    const auto failure = failure_of(f);
    if (!failure) return false;
    INFO(failure->message());
    CHECK(failure->kind() == kind);
    return failure->kind() == kind && !failure->message().empty();
}
