#include "store/list_change.hpp"

#include <kubecoro/api/detail/kept_object.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace kubecoro::detail {
namespace {

/// Cost of a change under the lock, in units of replacing an object in place.
constexpr std::size_t swap_cost = 1;
constexpr std::size_t full_cost = 4;

/// Removes the notifications of changes that were not made.
struct announced_so_far
{
    std::vector<notification<object>>& all;
    /// Those of changes that were made, and all before them.
    std::size_t count;

    announced_so_far(std::vector<notification<object>>& news, std::size_t n) noexcept : all(news), count(n) {}
    ~announced_so_far() { all.erase(all.begin() + static_cast<std::ptrdiff_t>(count), all.end()); }
    announced_so_far(const announced_so_far&) = delete;
    announced_so_far& operator=(const announced_so_far&) = delete;
};

} // namespace

list_change::list_change(store& of, std::string_view ns, const std::vector<object>& items, bool initial)
    : of_(of),
      items_(items),
      initial_(initial),
      counts_(items.size(), true),
      last_(0, by_place{items_}, by_place{items_})
{
    of_.open(*stored_, ns);
    begin(stored_->objects.empty() ? phase::find_last : phase::note_items);
}

list_change::list_change(store& of, std::span<const std::string> namespaces)
    : of_(of), items_(none_), initial_(false), last_(0, by_place{items_}, by_place{items_})
{
    of_.open(*stored_, namespaces);
    begin(phase::note_items);
}

bool list_change::prepare(std::size_t& most)
{
    while (most != 0 && phase_ != phase::ready) some(most);
    return phase_ != phase::ready;
}

template<class F>
void list_change::each(std::size_t end, std::size_t& most, phase next, F f)
{
    for (; at_ != end && most != 0; --most) f(at_++);
    if (at_ == end) begin(next);
}

void list_change::begin(phase next)
{
    at_ = 0;
    phase_ = next;
    switch (next) {
    case phase::note_items:
        listed_.reserve(items_.size());
        break;
    case phase::compare_copies:
        stored_.reset();
        if (listed_.size() == items_.size()) begin(phase::find_last);
        break;
    case phase::find_last:
        stored_.reset();
        listed_ = {};
        last_.reserve(static_cast<std::size_t>(std::count(counts_.begin(), counts_.end(), true)));
        break;
    case phase::find_unlisted:
        changes_.reserve(unlisted_.size() + last_.size());
        news_.reserve(unlisted_.size() + last_.size());
        break;
    case phase::call_indexes:
        indexes_ = of_.current_indexes();
        values_.clear();
        if (indexes_->empty() || changes_.empty()) return begin(phase::copy);
        values_.resize(changes_.size());
        break;
    case phase::copy:
        if (!is_large()) return begin(phase::ready);
        begin_copy();
        break;
    case phase::change_copy:
        stored_.reset();
        break;
    default:
        break;
    }
}

void list_change::some(std::size_t& most)
{
    switch (phase_) {
    case phase::note_items:
        return each(items_.size(), most, phase::compare_stored,
                    [this](std::size_t i) { listed_.emplace(items_[i].identity(), i); });
    case phase::compare_stored:
        return each(stored_->objects.size(), most, phase::compare_copies, [this](std::size_t i) {
            const auto& o = stored_->objects[i];
            if (const auto at = listed_.find(o.identity()); at != listed_.end())
                counts_[at->second] = false;
            else
                unlisted_.push_back(o.get());
        });
    case phase::compare_copies:
        return each(items_.size(), most, phase::find_last,
                    [this](std::size_t i) { counts_[i] = counts_[listed_.find(items_[i].identity())->second]; });
    case phase::find_last:
        return each(items_.size(), most, phase::find_unlisted, [this](std::size_t i) { note_last(i); });
    case phase::find_unlisted:
        return each(unlisted_.size(), most, phase::find_changed, [this](std::size_t i) {
            if (last_.contains(unlisted_[i].key())) return;
            news_.emplace_back(deleted<object>{unlisted_[i], true});
            changes_.push_back({&unlisted_[i], true, news_.size()});
            note_namespace(unlisted_[i], false);
            cost_ += full_cost;
        });
    case phase::find_changed:
        return each(items_.size(), most, phase::call_indexes, [this](std::size_t i) { note_change(i); });
    case phase::call_indexes:
        return each(changes_.size(), most, phase::copy, [this](std::size_t i) {
            if (changes_[i].erase) return;
            for (const auto& index : *indexes_) values_[i].push_back(of_.call_index(*index, *changes_[i].obj));
        });
    case phase::copy: {
        // Only its content matters, which no one else changes; but indexes may be added.
        std::unique_lock writing(of_.writer_);
        if (shape_ != of_.shape_) {
            writing.unlock();
            return begin(phase::call_indexes);
        }
        return each(stored_->objects.size(), most, phase::change_copy,
                    [this](std::size_t i) { next_->copy(stored_->objects[i].keep(), *of_.tables_, changing_); });
    }
    case phase::change_copy:
        return each(changes_.size(), most, phase::ready, [this](std::size_t i) { make_one(*next_, i); });
    case phase::ready:
        break;
    }
}

/// An item of a key that comes again later does not count.
void list_change::note_last(std::size_t i)
{
    if (i + ahead < items_.size() && counts_[i + ahead]) prefetch_object(items_[i + ahead].identity());
    if (!counts_[i]) return;
    if (const auto [earlier, is_first] = last_.insert(i); !is_first) {
        counts_[*earlier] = false;
        last_.erase(earlier);
        last_.insert(i);
    }
}

void list_change::note_change(std::size_t i)
{
    if (i + ahead < items_.size() && counts_[i + ahead]) prefetch_object(items_[i + ahead].identity());
    if (!counts_[i]) return;
    const object& o = items_[i];
    object before = of_.tables_->find(o.key());
    if (before && same_version(before, o)) return;
    note_namespace(o, !before);
    const bool swaps = before && of_.tables_->indexes() == 0;
    cost_ += swaps ? swap_cost : full_cost;
    announce_put(news_, std::move(before), o, initial_);
    changes_.push_back({&o, false, news_.size()});
}

void list_change::note_namespace(const object& o, bool comes)
{
    // Lists are ordered by namespace.
    if (last_changing_ == nullptr || last_changing_->first != o.ns()) {
        auto at = changing_.find(o.ns());
        if (at == changing_.end()) at = changing_.emplace(std::string(o.ns()), 0).first;
        last_changing_ = &*at;
    }
    if (comes) ++last_changing_->second;
}

void list_change::begin_copy()
{
    const std::lock_guard writing(of_.writer_);
    shape_ = of_.shape_;
    next_ = store_tables::begin_copy(*of_.tables_, changing_);
    stored_ = std::make_unique<store_visits::visit>();
    if (of_.tables_->indexed()) return of_.open(*stored_, std::string_view());
    std::vector<std::string> names;
    for (const auto& [ns, n] : changing_) names.push_back(ns);
    of_.open(*stored_, names);
}

bool list_change::is_large() const noexcept { return cost_ >= of_.large_ * full_cost; }

object list_change::make_one(store_tables& in, std::size_t i)
{
    if (i + ahead < changes_.size()) prefetch_object(changes_[i + ahead].obj->identity());
    if (changes_[i].erase) return in.erase(changes_[i].obj->key());
    return in.put(*changes_[i].obj, values_.empty() ? index_values{} : std::move(values_[i]));
}

bool list_change::make(std::vector<notification<object>>& out)
{
    if (changes_.empty()) return true;
    std::unique_lock writing(of_.writer_);
    if (next_ ? shape_ != of_.shape_ : indexes_ != of_.user_indexes_) {
        writing.unlock();
        begin(phase::call_indexes);
        return false;
    }
    of_.list_came_ = true;
    if (next_)
        swap_tables(out);
    else
        change_in_place(out);
    of_.visits_.bound();
    return true;
}

void list_change::swap_tables(std::vector<notification<object>>& out)
{
    for (auto* const index : of_.coming_) index->all = true;
    {
        std::unique_lock lock(of_.mutex_);
        of_.tables_.swap(next_);
        of_.visits_.set_aside(next_);
    }
    if (out.empty())
        out = std::move(news_);
    else
        out.insert(out.end(), std::make_move_iterator(news_.begin()), std::make_move_iterator(news_.end()));
}

void list_change::change_in_place(std::vector<notification<object>>& out)
{
    announced_so_far announced{out, out.size()};
    const std::size_t before_these = out.size();
    out.insert(out.end(), std::make_move_iterator(news_.begin()), std::make_move_iterator(news_.end()));
    std::unique_lock lock(of_.mutex_);
    store_visits::removal removed(of_.visits_, changes_.size());
    for (std::size_t i = 0; i != changes_.size(); ++i) {
        const object before = make_one(*of_.tables_, i);
        if (before) removed.add(kept_object(before));
        announced.count = before_these + changes_[i].told;
        for (auto* const index : of_.coming_) index->note(before, changes_[i].erase ? object() : *changes_[i].obj);
    }
}

bool list_change::let_go(std::size_t& most) noexcept
{
    listed_ = {};
    changes_.clear();
    for (; most != 0 && !unlisted_.empty(); --most) {
        if (unlisted_.size() > ahead) prefetch_object(unlisted_[unlisted_.size() - 1 - ahead].identity());
        unlisted_.pop_back();
    }
    if (most == 0 || (next_ && next_->drop_some(most))) return true;
    next_.reset();
    return false;
}

} // namespace kubecoro::detail
