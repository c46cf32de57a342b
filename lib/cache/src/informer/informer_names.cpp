#include "informer/informer_names.hpp"

namespace kubecoro::detail {

std::string informer_names::take(const std::string& wish)
{
    if (taken_.try_emplace(wish, wish, 1).second) return wish;
    numbers& n = wishes_[wish];
    for (;;) {
        const std::size_t number = n.free.empty() ? n.next++ : n.free.extract(n.free.begin()).value();
        std::string name = wish + "-" + std::to_string(number);
        // Another informer may have wished for exactly this name.
        if (taken_.try_emplace(name, wish, number).second) return name;
    }
}

void informer_names::give_back(const std::string& name)
{
    const auto at = taken_.find(name);
    if (at == taken_.end()) return;
    const auto [wish, number] = std::move(at->second);
    taken_.erase(at);
    if (number == 1) return;
    wishes_[wish].free.insert(number);
}

} // namespace kubecoro::detail
