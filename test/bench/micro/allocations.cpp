#include "allocations.hpp"

namespace kubecoro::bench {

allocation_report::~allocation_report()
{
    const auto now = test::allocations_so_far();
    const auto operations = static_cast<double>(state_.iterations()) * operations_;
    if (operations == 0) return;
    state_.counters["allocs/op"] = static_cast<double>(now.calls - begin_.calls) / operations;
    state_.counters["bytes/op"] = static_cast<double>(now.bytes - begin_.bytes) / operations;
    state_.SetItemsProcessed(static_cast<std::int64_t>(operations));
}

} // namespace kubecoro::bench
