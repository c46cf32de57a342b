#include "table/table_core.hpp"

#include <kubecoro/base/detail/expect.hpp>

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

namespace kubecoro::detail {
namespace {

constexpr std::string_view label_prefix = "label ";

using op = label_selector::op;

/// Whether what meets it has the label.
bool needs_label(op o) noexcept
{
    return o == op::equals || o == op::in || o == op::exists || o == op::greater || o == op::less;
}

} // namespace

table_core::table_core(std::uint32_t number, std::uint32_t order, std::string name, item_kind kind)
    : number_(number),
      order_(order),
      name_(std::move(name)),
      kind_(std::move(kind)),
      all_(read_target::what::all, number)
{
}

// ---- changes

const row_ptr& table_core::row_of(std::string_view key)
{
    if (const auto found = rows_.find(key); found != rows_.end()) return found->second;
    auto made = std::make_shared<row>(number_, key);
    const std::string_view text = made->key;
    return rows_.emplace(text, std::move(made)).first->second;
}

void table_core::drop_if_unused(row& of)
{
    if (!of.value && !of.changed && of.first == no_id) rows_.erase(of.key);
}

row* table_core::set(std::string_view key, live_item value, const touch_function& touch)
{
    if (const auto known = rows_.find(key); !value && (known == rows_.end() || !known->second->value)) return nullptr;
    const row_ptr of = row_of(key);
    const live_item before = of->value;
    if (before && value && (before == value || kind_.equal(before.get(), value.get()))) return nullptr;
    of->value = value;
    if (!std::exchange(of->changed, true)) changes_.emplace_back(of, before);

    const auto values = std::exchange(of->values, {});
    if (value) {
        now_.rows.put(of, value, edition_);
        index_row(of, value);
    } else {
        now_.rows.erase(of, edition_);
    }
    touch_all(*of, values, before, value, touch);
    unindex_row(of, values);
    return of.get();
}

/// Puts the row into the indexes.
void table_core::index_row(const row_ptr& of, const live_item& value)
{
    for (std::size_t i = 0; i != indexes_.size(); ++i)
        for (const auto& text : values_for(i, *of, value)) {
            auto v = value_of(i, text);
            now_.indexes[i].put({v, of}, value, edition_);
            ++v->members;
            of->values.push_back(std::move(v));
        }
}

/// None when the function throws.
std::vector<std::string> table_core::values_for(std::size_t index, const row& of, const live_item& value)
{
    std::vector<std::string> texts;
    try {
        texts = indexes_[index].call(value.get());
    } catch (const std::exception& e) {
        ++index_failures_;
        last_index_failure_ = of.key + ": " + e.what();
        return {};
    }
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    return texts;
}

/// Takes the row out where it was with values that it no longer has.
void table_core::unindex_row(const row_ptr& of, const std::vector<index_value_ptr>& gone)
{
    if (gone.empty()) return;
    std::vector<const index_value*> kept;
    kept.reserve(of->values.size());
    for (const auto& v : of->values) kept.push_back(v.get());
    std::sort(kept.begin(), kept.end());
    for (const auto& v : gone) {
        if (!std::binary_search(kept.begin(), kept.end(), v.get()))
            now_.indexes[v->index].erase(index_key{v, of}, edition_);
        --v->members;
        drop_if_unused(*v);
    }
}

index_value_ptr table_core::value_of(std::size_t index, std::string_view text)
{
    auto& values = indexes_[index].values;
    if (const auto found = values.find(text); found != values.end()) return found->second;
    auto made = std::make_shared<index_value>(number_, static_cast<std::uint32_t>(index), std::string(text));
    values.emplace(made->text, made);
    return made;
}

void table_core::drop_if_unused(index_value& v)
{
    if (v.members == 0 && v.first == no_id && v.selections.empty()) indexes_[v.index].values.erase(v.text);
}

// ---- what a change concerns

object table_core::labels_of(const live_item& i) const
{
    if (!i || !kind_.labels) return {};
    try {
        return kind_.labels(i.get());
    } catch (const std::exception&) {
        return {};
    }
}

void table_core::touch_all(row& of, const std::vector<index_value_ptr>& values, const live_item& before,
                           const live_item& after, const touch_function& touch)
{
    touch(of);
    touch(all_);
    const bool selects = !selections_.empty();
    const object old = selects ? labels_of(before) : object();
    const object now = selects ? labels_of(after) : object();
    touch_values(values, old, now, touch);
    touch_values(of.values, old, now, touch);
    if (selects) touch_selections(wide_, old, now, touch);
}

void table_core::touch_values(const std::vector<index_value_ptr>& values, const object& before, const object& after,
                              const touch_function& touch)
{
    for (const auto& v : values) {
        touch(*v);
        touch_selections(v->selections, before, after, touch);
        touch_selections(indexes_[v->index].selections, before, after, touch);
    }
}

void table_core::touch_selections(const std::vector<selection*>& of, const object& before, const object& after,
                                  const touch_function& touch) const
{
    for (auto* s : of) {
        if (s->first == no_id) continue;
        if ((before && s->selector.matches(before.labels())) || (after && s->selector.matches(after.labels())))
            touch(*s);
    }
}

std::vector<table_core::change> table_core::take_changes()
{
    std::vector<change> out;
    out.reserve(changes_.size());
    for (auto& [of, before] : changes_) {
        of->changed = false;
        auto after = of->value;
        drop_if_unused(*of);
        const bool is_same = before == after || (before && after && kind_.equal(before.get(), after.get()));
        if (!is_same) out.push_back({std::move(of), std::move(before), std::move(after)});
    }
    changes_.clear();
    ++edition_;
    return out;
}

// ---- reading

std::pair<read_target*, live_item> table_core::read_key(std::string_view key)
{
    const auto& of = row_of(key);
    return {of.get(), of->value};
}

std::pair<read_target*, std::vector<live_item>> table_core::read_all() { return {&all_, now_.list()}; }

std::pair<read_target*, std::vector<live_item>> table_core::read_index(std::string_view index, std::string_view value)
{
    const auto i = need_index(index);
    const auto v = value_of(i, value);
    std::vector<live_item> out;
    out.reserve(v->members);
    now_.each(i, value, [&out](const index_key&, const live_item& item) { out.push_back(item); });
    return {v.get(), std::move(out)};
}

std::pair<read_target*, std::vector<live_item>> table_core::read_selection(const label_selector& selector)
{
    if (!kind_.labels && !selector.empty())
        throw error(failure(cond::misconfigured,
                            "the collection '" + name_ + "' has no labels: see collection_options::labels"));
    auto& s = selection_of(selector);
    std::vector<std::pair<std::string_view, live_item>> found;
    const auto take = [&](const row_ptr& of, const live_item& i) {
        const object labels = labels_of(i);
        if (selector.matches(labels.labels())) found.emplace_back(of->key, i);
    };
    const auto take_key = [&take](const index_key& k, const live_item& i) { take(k.of, i); };
    for (const auto& v : s.values) now_.each(v->index, v->text, take_key);
    if (s.values.empty() && s.index != no_id)
        now_.indexes[s.index].scan([&](const auto& e) {
            take(e.key.of, e.value);
            return true;
        });
    if (s.index == no_id)
        now_.rows.scan([&](const auto& e) {
            take(e.key, e.value);
            return true;
        });
    if (s.values.size() != 1 && s.index != no_id)
        std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<live_item> out;
    out.reserve(found.size());
    for (auto& f : found) out.push_back(std::move(f.second));
    return {&s, std::move(out)};
}

// ---- indexes and selections

std::size_t table_core::need_index(std::string_view name)
{
    for (std::size_t i = 0; i != indexes_.size(); ++i)
        if (!indexes_[i].of_label && (*now_.index_names)[i] == name) return i;
    auto call = kind_.index ? kind_.index(name) : item_index();
    if (!call)
        throw error(
            failure(cond::not_found, "the collection '" + name_ + "' has no index '" + std::string(name) + "'"));
    return add_index(std::string(name), std::move(call), false);
}

std::size_t table_core::add_index(std::string name, item_index call, bool of_label)
{
    auto names = std::make_shared<std::vector<std::string>>(*now_.index_names);
    names->push_back(std::move(name));
    now_.index_names = std::move(names);
    indexes_.push_back({.call = std::move(call), .of_label = of_label});
    now_.indexes.emplace_back();
    fill_index(indexes_.size() - 1);
    return indexes_.size() - 1;
}

/// In the order of the tree, which is several times as fast as in that of the rows.
void table_core::fill_index(std::size_t i)
{
    std::vector<std::pair<index_value*, row_ptr>> entries;
    std::vector<index_value*> values;
    now_.rows.scan([&](const auto& e) {
        for (const auto& text : values_for(i, *e.key, e.value)) {
            auto v = value_of(i, text);
            if (v->members++ == 0) values.push_back(v.get());
            entries.emplace_back(v.get(), e.key);
            e.key->values.push_back(std::move(v));
        }
        return true;
    });
    std::sort(values.begin(), values.end(), [](const auto* a, const auto* b) { return a->text < b->text; });
    std::vector<std::size_t> next(values.size() + 1);
    for (std::size_t v = 0; v != values.size(); ++v) {
        values[v]->rank = static_cast<std::uint32_t>(v);
        next[v + 1] = next[v] + values[v]->members;
    }
    std::vector<std::uint32_t> order(entries.size());
    for (std::uint32_t e = 0; e != entries.size(); ++e) order[next[entries[e].first->rank]++] = e;
    for (const auto e : order) {
        const auto& [v, of] = entries[e];
        now_.indexes[i].put({indexes_[i].values.find(v->text)->second, of}, of->value, edition_);
    }
}

std::size_t table_core::label_index(const std::string& label)
{
    const auto name = std::string(label_prefix) + label;
    for (std::size_t i = 0; i != indexes_.size(); ++i)
        if (indexes_[i].of_label && (*now_.index_names)[i] == name) return i;
    auto call = [labels = kind_.labels, label](const void* o) -> std::vector<std::string> {
        const object all = labels(o);
        const auto value = all.labels()[label];
        if (!value.is_string()) return {};
        return {std::string(value.as_string())};
    };
    return add_index(name, std::move(call), true);
}

selection& table_core::selection_of(const label_selector& selector)
{
    auto text = selector.to_string();
    if (const auto found = selections_.find(text); found != selections_.end()) return *found->second;
    auto made = std::make_unique<selection>(number_, selector);
    made->text = text;
    if (kind_.labels) place(*made);
    if (made->index == no_id) wide_.push_back(made.get());
    return *selections_.emplace(std::move(text), std::move(made)).first->second;
}

/// Puts it where the fewest elements and other selections are.
void table_core::place(selection& s)
{
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    const label_selector::requirement* best = nullptr;
    for (const auto& r : s.selector.requirements()) {
        if (!needs_label(r.operation)) continue;
        const auto i = label_index(r.key);
        std::size_t cost = 0;
        if (r.operation == op::equals || r.operation == op::in)
            for (const auto& text : r.values) {
                const auto found = indexes_[i].values.find(text);
                if (found != indexes_[i].values.end())
                    cost += found->second->members + found->second->selections.size();
            }
        else
            cost = now_.indexes[i].size() + indexes_[i].selections.size() + 1;
        if (cost >= fewest) continue;
        fewest = cost;
        best = &r;
    }
    if (!best) return;
    s.index = static_cast<std::uint32_t>(label_index(best->key));
    if (best->operation == op::equals || best->operation == op::in)
        for (const auto& text : best->values) {
            s.values.push_back(value_of(s.index, text));
            s.values.back()->selections.push_back(&s);
        }
    else
        indexes_[s.index].selections.push_back(&s);
}

void table_core::forget(read_target& t)
{
    KUBECORO_EXPECT(t.first == no_id);
    switch (t.kind) {
    case read_target::what::all:
        return;
    case read_target::what::row:
        return drop_if_unused(static_cast<row&>(t));
    case read_target::what::value:
        return drop_if_unused(static_cast<index_value&>(t));
    case read_target::what::selection: {
        auto& s = static_cast<selection&>(t);
        for (const auto& v : std::exchange(s.values, {})) {
            std::erase(v->selections, &s);
            drop_if_unused(*v);
        }
        if (s.index != no_id)
            std::erase(indexes_[s.index].selections, &s);
        else
            std::erase(wide_, &s);
        selections_.erase(s.text);
    }
    }
}

} // namespace kubecoro::detail
