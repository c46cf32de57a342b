#include "store/label_index.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro::detail {
namespace {

using op = label_selector::op;
using requirement = label_selector::requirement;

/// Up to this size, searching a vector of pointers is faster and smaller than a hash table.
constexpr std::size_t few_objects = 16;

/// Selectors may come from untrusted input: their labels must not exhaust memory.
constexpr std::size_t most_labels = 16;

bool asks_for_values(const requirement& r) noexcept { return r.operation == op::equals || r.operation == op::in; }

bool asks_for_label(const requirement& r) noexcept
{
    return r.operation == op::exists || r.operation == op::greater || r.operation == op::less;
}

} // namespace

bool posting::add(const kept_object& o)
{
    if (auto* hashed = std::get_if<many>(&objects_)) return hashed->insert(o).second;
    auto& listed = std::get<few>(objects_);
    if (std::find(listed.begin(), listed.end(), o) != listed.end()) return false;
    if (listed.size() < few_objects) {
        listed.push_back(o);
        return true;
    }
    many hashed(listed.begin(), listed.end());
    hashed.insert(o);
    objects_ = std::move(hashed);
    return true;
}

bool posting::remove(const kept_object& o)
{
    if (auto* hashed = std::get_if<many>(&objects_)) return hashed->erase(o) != 0;
    auto& listed = std::get<few>(objects_);
    const auto at = std::find(listed.begin(), listed.end(), o);
    if (at == listed.end()) return false;
    *at = std::move(listed.back());
    listed.pop_back();
    return true;
}

std::size_t posting::size() const noexcept
{
    return std::visit([](const auto& objects) { return objects.size(); }, objects_);
}

void posting::collect(std::string_view ns, std::vector<object>& out) const
{
    std::visit(
        [&](const auto& objects) {
            for (const auto& o : objects)
                if (ns.empty() || o.key().ns == ns) out.push_back(o.get());
        },
        objects_);
}

bool posting::drop_some(std::optional<iterator>& at, std::size_t& most) noexcept
{
    if (auto* hashed = std::get_if<many>(&objects_)) return erase_some(*hashed, at, most);
    std::get<few>(objects_).clear();
    most -= most != 0 ? 1 : 0;
    return false;
}

bool label_postings::drop_some(std::size_t& most) noexcept
{
    if (!next_) next_ = by_value_.begin();
    for (; *next_ != by_value_.end(); ++*next_)
        if (most == 0 || (*next_)->second.drop_some(next_object_, most)) return true;
    return false;
}

void label_postings::change(const kept_object& before, const kept_object& now)
{
    if (before == now) return;
    add(now);
    remove(before);
}

void label_postings::add(const kept_object& o)
{
    if (!o) return;
    const object is = o.get();
    const auto label = is.labels()[key_];
    if (!label.is_string()) return;
    auto at = by_value_.find(label.as_string());
    if (at == by_value_.end()) at = by_value_.try_emplace(std::string(label.as_string())).first;
    if (at->second.add(o)) ++size_;
}

void label_postings::remove(const kept_object& o)
{
    if (!o) return;
    const object was = o.get();
    const auto label = was.labels()[key_];
    if (!label.is_string()) return;
    const auto at = by_value_.find(label.as_string());
    if (at == by_value_.end()) return;
    if (at->second.remove(o)) --size_;
    if (at->second.size() == 0) by_value_.erase(at);
}

template<class F>
void label_postings::each_posting(const requirement& r, F&& f) const
{
    if (asks_for_label(r)) {
        for (const auto& [value, objects] : by_value_) f(objects);
        return;
    }
    for (const auto& value : r.values)
        if (const auto at = by_value_.find(value); at != by_value_.end()) f(at->second);
}

std::size_t label_postings::count(const requirement& r) const
{
    if (asks_for_label(r)) return size_;
    std::size_t n = 0;
    each_posting(r, [&n](const posting& p) { n += p.size(); });
    return n;
}

void label_postings::collect(const requirement& r, std::string_view ns, std::vector<object>& out) const
{
    each_posting(r, [&](const posting& p) { p.collect(ns, out); });
}

void label_indexes::change(const kept_object& before, const kept_object& now)
{
    if (before == now) return;
    for (auto& c : under_way_)
        if (c.log.size() == c.log.capacity()) c.log.reserve(2 * c.log.size() + 1);
    std::size_t added = 0;
    try {
        for (; added != ready_.size(); ++added) ready_[added].add(now);
    } catch (...) {
        for (std::size_t i = 0; i <= added; ++i) ready_[i].remove(now);
        throw;
    }
    for (auto& index : ready_) index.remove(before);
    for (auto& c : under_way_) c.log.push_back({before, now});
}

const label_postings* label_indexes::find(std::string_view key) const
{
    const auto at = std::find_if(ready_.begin(), ready_.end(), [key](const auto& i) { return i.key() == key; });
    return at == ready_.end() ? nullptr : &*at;
}

bool label_indexes::known(std::string_view key) const
{
    return find(key) ||
           std::any_of(under_way_.begin(), under_way_.end(), [key](const auto& c) { return c.key == key; });
}

bool label_indexes::begin(std::string_view key)
{
    if (known(key) || ready_.size() + under_way_.size() >= most_labels) return false;
    under_way_.push_back({std::string(key), {}});
    return true;
}

label_indexes label_indexes::begin_copy() const
{
    label_indexes out;
    out.ready_.reserve(most_labels);
    for (const auto& index : ready_) out.ready_.emplace_back(index.key());
    out.under_way_ = under_way_;
    return out;
}

bool label_indexes::drop_some(std::size_t& most) noexcept
{
    return std::any_of(ready_.begin(), ready_.end(), [&most](auto& index) { return index.drop_some(most); });
}

std::vector<label_indexes::replaced> label_indexes::take_written_down(std::string_view key)
{
    const auto is_it = [key](const auto& c) { return c.key == key; };
    return std::exchange(std::find_if(under_way_.begin(), under_way_.end(), is_it)->log, {});
}

void label_indexes::finish(label_postings built)
{
    ready_.reserve(most_labels);
    give_up(built.key());
    ready_.push_back(std::move(built));
}

void label_indexes::give_up(std::string_view key) noexcept
{
    std::erase_if(under_way_, [key](const auto& c) { return c.key == key; });
}

std::vector<std::string> label_indexes::missing(const label_selector& selector) const
{
    std::vector<std::string> out;
    if (ready_.size() + under_way_.size() >= most_labels) return out;
    const auto& all = selector.requirements();
    // Requirements on values narrow the result more than a requirement that a label exists.
    const bool by_value = std::any_of(all.begin(), all.end(), asks_for_values);
    for (const auto& r : all)
        if ((by_value ? asks_for_values(r) : asks_for_label(r)) && !known(r.key)) out.push_back(r.key);
    return out;
}

std::optional<std::vector<object>> label_indexes::candidates(const label_selector& selector, std::string_view ns,
                                                             std::size_t scan) const
{
    const requirement* best = nullptr;
    const label_postings* from = nullptr;
    std::size_t fewest = scan;
    for (const auto& r : selector.requirements()) {
        if (!asks_for_values(r) && !asks_for_label(r)) continue;
        const auto* index = find(r.key);
        if (!index) continue;
        if (const std::size_t n = index->count(r); n < fewest) {
            fewest = n;
            best = &r;
            from = index;
        }
    }
    if (!best) return std::nullopt;
    std::vector<object> out;
    out.reserve(fewest);
    from->collect(*best, ns, out);
    return out;
}

std::vector<std::string> label_indexes::keys() const
{
    std::vector<std::string> out;
    out.reserve(ready_.size());
    for (const auto& index : ready_) out.push_back(index.key());
    return out;
}

} // namespace kubecoro::detail
