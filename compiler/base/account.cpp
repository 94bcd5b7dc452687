#include "compiler/base/account.hpp"

#include "runtime/memory/prepaid.hpp"

#include <utility>

namespace pm {
namespace {

thread_local std::shared_ptr<runtime::Allocator> paying;

} // namespace

AccountScope::AccountScope(std::shared_ptr<runtime::Allocator> account)
    : outer_(std::exchange(paying, std::move(account))) {
    runtime::prepay(paying.get());
}
AccountScope::~AccountScope() {
    runtime::prepay(outer_.get()); // before the next line, which may destroy the account in `paying`
    paying = std::move(outer_);
}

const std::shared_ptr<runtime::Allocator>& account() { return paying; }

} // namespace pm
