#include "graph/graph_core.hpp"

#include <kubecoro/base/detail/expect.hpp>

#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace kubecoro::detail {

struct graph_core::derivation
{
    rule how;
    boost::unordered_flat_map<std::string_view, std::uint32_t, text_hash, std::equal_to<>> tasks = {};
    /// Those before `next` are done.
    std::vector<std::uint32_t> dirty = {};
    std::size_t next = 0;
    /// The collection that it has read and that is not complete.
    const table_core* waits_for = nullptr;
    std::vector<std::uint32_t> inputs = {};
    /// The results with a key, for keyed ones, by the keys of their tasks: all elements may make one key.
    boost::unordered_flat_map<std::string, std::map<std::string_view, live_item>, text_hash, std::equal_to<>> made = {};
    stale_keys stale = {};
    /// A copy for readers; null after a change.
    mutable std::shared_ptr<const stale_keys> shown_stale = {};
    collection_stats stats = {};

    [[nodiscard]] table_core& into() const noexcept { return *how.into; }
};

graph_core::graph_core(look& reads, std::function<duration()> ticks) : look_(reads), ticks_(std::move(ticks))
{
    toucher_ = [this](read_target& t) {
        if (t.first != no_id) edges_.each(t, [this](std::uint32_t id) { make_dirty(id); });
    };
}

graph_core::~graph_core() = default;

table_core& graph_core::add_input(std::shared_ptr<table_core> t)
{
    auto& added = *t;
    if (tables_.size() <= added.number()) {
        tables_.resize(added.number() + 1);
        by_table_.resize(added.number() + 1);
        primary_of_.resize(added.number() + 1);
    }
    tables_[added.number()] = std::move(t);
    touched_.push_back(added.number());
    return added;
}

void graph_core::add_rule(rule r)
{
    auto& into = add_input(r.into);
    KUBECORO_EXPECT(rules_.empty() || rules_.back()->into().order() < into.order());
    auto& d = *rules_.emplace_back(std::make_unique<derivation>(derivation{.how = std::move(r)}));
    by_table_[into.number()] = &d;
    for (auto* p : d.how.primaries) {
        KUBECORO_EXPECT(p->order() < into.order());
        primary_of_[p->number()].push_back(&d);
        d.inputs.push_back(p->number());
        p->content().rows.each([&](const auto& e) { want(d, e.key->key()); });
    }
}

void graph_core::set_synced(table_core& t)
{
    t.set_synced();
    touched_.push_back(t.number());
}

// ---- what is to be computed

void graph_core::note(table_core& t, const row* changed)
{
    if (changed == nullptr) return;
    for (auto* d : primary_of_[t.number()]) want(*d, changed->key());
}

void graph_core::want(derivation& d, std::string_view key)
{
    if (const auto found = d.tasks.find(key); found != d.tasks.end()) return make_dirty(found->second);
    std::uint32_t id = 0;
    if (free_tasks_.empty()) {
        id = static_cast<std::uint32_t>(tasks_.size());
        tasks_.emplace_back();
    } else {
        id = free_tasks_.back();
        free_tasks_.pop_back();
    }
    task& t = tasks_[id];
    t.owner = &d;
    t.key = key;
    d.tasks.emplace(t.key, id);
    make_dirty(id);
}

void graph_core::make_dirty(std::uint32_t id)
{
    task& t = tasks_[id];
    if (!std::exchange(t.dirty, true)) t.owner->dirty.push_back(id);
}

bool graph_core::run(std::size_t& most)
{
    for (const auto& d : rules_) {
        if (run(*d, most)) return true;
        if (!d->waits_for && !d->into().synced()) set_synced(d->into());
    }
    return false;
}

bool graph_core::run(derivation& d, std::size_t& most)
{
    if (d.waits_for && d.waits_for->synced()) d.waits_for = nullptr;
    for (const auto* p : d.how.primaries)
        if (!p->synced()) d.waits_for = p;
    if (d.dirty.empty()) return false;
    touched_.push_back(d.into().number());
    if (d.waits_for) return false;
    const auto begun = ticks_();
    while (!d.waits_for && d.next != d.dirty.size() && most != 0) {
        read_ = 1;
        compute(d, d.dirty[d.next]);
        if (!d.waits_for) ++d.next;
        most -= std::min(most, read_);
    }
    d.stats.took += ticks_() - begun;
    if (!d.waits_for && d.next != d.dirty.size()) return true;
    d.dirty.erase(d.dirty.begin(), d.dirty.begin() + static_cast<std::ptrdiff_t>(std::exchange(d.next, 0)));
    return false;
}

// ---- a computation

void graph_core::compute(derivation& d, std::uint32_t id)
{
    task& t = tasks_[id];
    std::vector<live_item> inputs;
    inputs.reserve(d.how.primaries.size());
    for (const auto* p : d.how.primaries) inputs.push_back(p->get(t.key));
    edges_.remove_all(t.first_edge, [this](read_target& e) { emptied_.push_back(&e); });
    if (std::none_of(inputs.begin(), inputs.end(), [](const live_item& i) { return bool(i); })) {
        forget_emptied();
        return end_task(d, id);
    }
    computation c{.key = t.key, .inputs = inputs, .reads = look_};
    const bool done = call(d, id, c);
    if (std::exchange(missing_, nullptr))
        edges_.remove_all(t.first_edge, [this](read_target& e) { emptied_.push_back(&e); });
    else
        t.dirty = false;
    forget_emptied();
    if (!done) return;
    recover(d, t);
    if (d.how.keyed) return keep_keyed(d, id, std::move(c.results));
    store(d, t.key, c.results.empty() ? nullptr : std::move(c.results.front().second));
}

/// Returns false when there is no result.
bool graph_core::call(derivation& d, std::uint32_t id, computation& c)
{
    computing_ = &d;
    computed_task_ = id;
    ++stamp_;
    ++d.stats.computed;
    failure why(cond::internal);
    bool done = false;
    try {
        d.how.compute(c);
        done = true;
    } catch (const not_complete&) {
    } catch (const error& e) {
        why = e.why();
    } catch (const std::exception& e) {
        why = failure(cond::internal, e.what());
    } catch (...) {
        why = failure(cond::internal, "an exception that is not a std::exception");
    }
    computing_ = nullptr;
    if (missing_) {
        d.waits_for = missing_;
        return false;
    }
    if (!done) fail(d, tasks_[id], std::move(why));
    return done;
}

void graph_core::fail(derivation& d, task& t, failure why)
{
    ++d.stats.failed;
    t.stale = true;
    const bool is_news = d.stale.find(t.key) == d.stale.end();
    if (is_news) reports_.push_back({d.into().name(), t.key, why});
    d.shown_stale = nullptr;
    d.stale.insert_or_assign(t.key, std::move(why));
}

/// It is no longer stale.
void graph_core::recover(derivation& d, task& t)
{
    if (!std::exchange(t.stale, false)) return;
    d.stale.erase(t.key);
    d.shown_stale = nullptr;
}

void graph_core::store(derivation& d, std::string_view key, live_item value)
{
    const bool exists = bool(value);
    const auto* changed = d.into().set(key, std::move(value), toucher_);
    if (!changed && exists) ++d.stats.equal;
    note(d.into(), changed);
}

void graph_core::keep_keyed(derivation& d, std::uint32_t id, std::vector<std::pair<std::string, live_item>> results)
{
    task& t = tasks_[id];
    std::vector<std::string> keys;
    keys.reserve(results.size()); // `kept` refers to them
    boost::unordered_flat_set<std::string_view, text_hash, std::equal_to<>> kept;
    for (auto& [key, value] : results) {
        if (!value || kept.contains(key)) continue;
        kept.insert(keys.emplace_back(key));
        d.made[key].insert_or_assign(t.key, std::move(value));
    }
    for (const auto& key : t.made) {
        if (kept.contains(key)) continue;
        d.made[key].erase(t.key);
        show_winner(d, key);
    }
    for (const auto& key : keys) show_winner(d, key);
    t.made = std::move(keys);
}

/// Among results with one key, that of the smallest key of an input counts.
void graph_core::show_winner(derivation& d, const std::string& key)
{
    const auto found = d.made.find(key);
    if (!found->second.empty()) return store(d, key, found->second.begin()->second);
    d.made.erase(found);
    store(d, key, nullptr);
}

void graph_core::end_task(derivation& d, std::uint32_t id)
{
    if (d.how.keyed)
        keep_keyed(d, id, {});
    else
        store(d, tasks_[id].key, nullptr);
    task& t = tasks_[id];
    recover(d, t);
    d.tasks.erase(t.key);
    t = {};
    free_tasks_.push_back(id);
}

// ---- reading

/// @param expect  Called when the collection is not complete: the computation then ends, to be repeated.
template<class F>
void graph_core::begin_read(table_core& t, F expect)
{
    if (!computing_)
        throw error(failure(cond::misconfigured, "look was used outside of the call that it was given to"));
    auto& inputs = computing_->inputs;
    if (t.order() >= computing_->into().order())
        throw error(failure(cond::misconfigured,
                            "'" + computing_->into().name() + "' reads '" + t.name() + "', which was made after it"));
    if (std::find(inputs.begin(), inputs.end(), t.number()) == inputs.end()) inputs.push_back(t.number());
    if (t.synced()) return;
    expect();
    missing_ = &t;
    throw not_complete{&t};
}

void graph_core::add_edge(read_target& t)
{
    if (std::exchange(t.stamp, stamp_) != stamp_) edges_.add(computed_task_, tasks_[computed_task_].first_edge, t);
}

/// Values of indexes before selections, which keep some of them.
void graph_core::forget_emptied()
{
    const auto is_value = [](const read_target* t) { return t->kind != read_target::what::selection; };
    std::sort(emptied_.begin(), emptied_.end());
    emptied_.erase(std::unique(emptied_.begin(), emptied_.end()), emptied_.end());
    const auto selections = std::partition(emptied_.begin(), emptied_.end(), is_value);
    const auto forget = [this](read_target* t) {
        if (t->first == no_id) tables_[t->table]->forget(*t);
    };
    std::for_each(emptied_.begin(), selections, forget);
    std::for_each(selections, emptied_.end(), forget);
    emptied_.clear();
}

std::vector<live_item> graph_core::remember(std::pair<read_target*, std::vector<live_item>> read)
{
    add_edge(*read.first);
    read_ += read.second.size();
    return std::move(read.second);
}

live_item graph_core::read_key(table_core& t, std::string_view key)
{
    begin_read(t, [] {});
    const auto [target, found] = t.read_key(key);
    add_edge(*target);
    ++read_;
    return found;
}

std::vector<live_item> graph_core::read_index(table_core& t, std::string_view index, std::string_view value)
{
    begin_read(t, [&] { t.expect_index(index); });
    return remember(t.read_index(index, value));
}

std::vector<live_item> graph_core::read_selection(table_core& t, const label_selector& selector)
{
    begin_read(t, [&] { t.expect_selection(selector); });
    return remember(t.read_selection(selector));
}

std::vector<live_item> graph_core::read_all(table_core& t)
{
    begin_read(t, [] {});
    return remember(t.read_all());
}

// ---- pictures

const graph_core::derivation* graph_core::rule_of(const table_core& t) const
{
    return t.number() < by_table_.size() ? by_table_[t.number()] : nullptr;
}

collection_stats graph_core::stats(const table_core& of) const
{
    const auto* d = rule_of(of);
    if (!d) return {};
    auto out = d->stats;
    out.waiting = d->dirty.size() - d->next;
    out.stale = d->stale.size();
    return out;
}

const std::shared_ptr<const stale_keys>& graph_core::stale(const table_core& of) const
{
    static const auto none = std::make_shared<const stale_keys>();
    const auto* d = rule_of(of);
    if (d && !d->shown_stale) d->shown_stale = d->stale.empty() ? none : std::make_shared<const stale_keys>(d->stale);
    return d ? d->shown_stale : none;
}

const std::vector<std::uint32_t>& graph_core::inputs_of(const table_core& of) const
{
    static const std::vector<std::uint32_t> none;
    const auto* d = rule_of(of);
    return d ? d->inputs : none;
}

const table_core* graph_core::waits_for(const table_core& of) const
{
    const auto* d = rule_of(of);
    return d ? d->waits_for : nullptr;
}

} // namespace kubecoro::detail
