#include "table/table_core.hpp"

#include <kubecoro/base/detail/expect.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace kubecoro::detail {
namespace {

using op = label_selector::op;

/// That of trees of which no copy is kept.
constexpr std::uint64_t edition_of_members = 0;

/// Whether what meets it has the label.
bool needs_label(op o) noexcept
{
    return o == op::equals || o == op::in || o == op::exists || o == op::greater || o == op::less;
}

bool has(const index_values& all, const index_value* v)
{
    return std::binary_search(all.begin(), all.end(), v, [](const index_value* a, const index_value* b) {
        return a->index != b->index ? a->index < b->index : a->text < b->text;
    });
}

} // namespace

table_core::table_core(std::uint32_t number, std::uint32_t order, std::string name, item_kind kind)
    : number_(number),
      order_(order),
      name_(std::move(name)),
      kind_(std::move(kind)),
      all_(read_target::what::all, number)
{
    for (const auto& index : kind_.shown_indexes) indexes_[index_of(index, false)].shown = &now_.indexes[index];
}

// ---- changes

row& table_core::row_of(std::string_view key)
{
    if (const auto found = rows_.find(key); found != rows_.end()) return *found->second;
    auto made = row::make(number_, key);
    const auto text = made->key();
    return *rows_.emplace(text, std::move(made)).first->second;
}

void table_core::drop_if_unused(row& of)
{
    if (!of.value && !of.changed && of.first == no_id) rows_.erase(of.key());
}

row* table_core::set(std::string_view key, live_item value, const touch_function& touch)
{
    return value || get(key) ? set(row_of(key), std::move(value), touch) : nullptr;
}

row* table_core::set(row& of, live_item now, const touch_function& touch)
{
    if (!of.value && !now) return nullptr;
    if (of.value && now && (of.value == now || kind_.equal(of.value.get(), now.get()))) return nullptr;
    const live_item before = std::exchange(of.value, std::move(now));
    const live_item& value = of.value;
    if ((begun_ || !value) && !std::exchange(of.changed, true)) changes_.emplace_back(row_ptr(&of), before);

    object made_before, made;
    const object& old_labels = selections_.empty() ? made_before : labels_of(before, made_before);
    const object& labels = labels_of(value, made);
    const auto old_values = std::exchange(of.values, {});
    bool is_last = false;
    if (value) {
        const auto* last = now_.rows.last();
        is_last = !last || last->key->key() < of.key();
        now_.rows.put({row_ptr(&of), value}, edition_, is_last);
        for (std::uint32_t i = 0; i != indexes_.size(); ++i) add_values(i, value, labels, of.values);
    } else {
        now_.rows.erase(of.key(), edition_);
    }
    touch(of);
    touch(all_);
    touch_values(of.values, old_labels, labels, touch);
    if (of.values != old_values) touch_values(old_values, old_labels, labels, touch);
    touch_selections(wide_, old_labels, labels, touch);
    move(of, old_values, is_last);
    return &of;
}

/// Adds the values of an element in an index: none when the function throws.
void table_core::add_values(std::uint32_t index, const live_item& value, const object& labels, index_values& to)
{
    const auto& in = indexes_[index];
    if (!in.call) {
        const auto label = labels.labels()[in.name];
        if (label.is_string()) to.push_back(value_of(index, label.as_string()));
        return;
    }
    std::vector<std::string> texts;
    try {
        texts = in.call(value.get());
    } catch (...) {
        ++index_failures_;
        return;
    }
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    for (const auto& text : texts) to.push_back(value_of(index, text));
}

/// Takes the row from the values that it had to those that it has.
/// @param is_last  It comes after all others.
void table_core::move(row& of, const index_values& before, bool is_last)
{
    for (auto* v : of.values) {
        auto& in = indexes_[v->index];
        if (in.shown) in.shown->put({v->shared_from_this(), row_ptr(&of), of.value}, edition_);
        if (has(before, v)) continue;
        v->members.put(&of, edition_of_members, is_last);
        ++in.entries;
    }
    for (auto* v : before) {
        if (has(of.values, v)) continue;
        auto& in = indexes_[v->index];
        if (in.shown) in.shown->erase(table_content::index_order::bound_type{v, &of}, edition_);
        v->members.erase(of.key(), edition_of_members);
        --in.entries;
        drop_if_unused(*v);
    }
}

index_value* table_core::value_of(std::uint32_t index, std::string_view text)
{
    auto& values = indexes_[index].values;
    if (const auto found = values.find(text); found != values.end()) return found->second.get();
    auto made = std::make_shared<index_value>(number_, index, text);
    const std::string_view key = made->text;
    return values.emplace(key, std::move(made)).first->second.get();
}

void table_core::drop_if_unused(index_value& v)
{
    if (v.members.size() == 0 && v.first == no_id && v.selections.empty()) indexes_[v.index].values.erase(v.text);
}

// ---- what a change concerns

const object& table_core::labels_of(const live_item& i, object& made)
{
    if (!i || !kind_.labels || !has_selected_) return made;
    try {
        return kind_.labels(i.get(), made);
    } catch (...) {
        ++index_failures_;
        return made;
    }
}

void table_core::touch_values(const index_values& values, const object& before, const object& after,
                              const touch_function& touch) const
{
    for (auto* v : values) {
        touch(*v);
        touch_selections(v->selections, before, after, touch);
        touch_selections(indexes_[v->index].selections, before, after, touch);
    }
}

void table_core::touch_selections(const std::vector<selection*>& of, const object& before, const object& after,
                                  const touch_function& touch)
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
        if (!is_same && begun_) out.push_back({std::move(of), std::move(before), std::move(after)});
    }
    changes_.clear();
    begun_ = true;
    ++edition_;
    return out;
}

// ---- reading

std::pair<read_target*, live_item> table_core::read_key(std::string_view key)
{
    auto& of = row_of(key);
    return {&of, of.value};
}

std::pair<read_target*, std::vector<live_item>> table_core::read_all() { return {&all_, now_.list()}; }

std::pair<read_target*, std::vector<live_item>> table_core::read_index(std::string_view index, std::string_view value)
{
    auto* v = value_of(static_cast<std::uint32_t>(index_of(index, false)), value);
    // Counting a use waits for the memory of the element: all of it is asked for first.
    v->members.each([](const row* of) { __builtin_prefetch(of->value.identity()); });
    std::vector<live_item> out;
    out.reserve(v->members.size());
    v->members.each([&out](const row* of) { out.push_back(of->value); });
    return {v, std::move(out)};
}

std::pair<read_target*, std::vector<live_item>> table_core::read_selection(const label_selector& selector)
{
    if (!kind_.labels && !selector.empty())
        throw error(failure(cond::misconfigured,
                            "the collection '" + name_ + "' has no labels: see collection_options::labels"));
    auto& s = selection_of(selector);
    std::vector<const row*> found;
    const auto take = [&](const row* of) {
        object made;
        if (selector.matches(labels_of(of->value, made).labels())) found.push_back(of);
    };
    for (const auto* v : s.values) v->members.each(take);
    if (s.index == no_id)
        now_.rows.each([&take](const auto& e) { take(e.key.get()); });
    else if (s.values.empty())
        for (const auto& [text, v] : indexes_[s.index].values) v->members.each(take);
    if (s.values.size() != 1 && s.index != no_id)
        std::sort(found.begin(), found.end(), [](const row* a, const row* b) { return a->key() < b->key(); });
    std::vector<live_item> out;
    out.reserve(found.size());
    for (const auto* of : found) out.push_back(of->value);
    return {&s, std::move(out)};
}

// ---- indexes and selections

void table_core::expect_index(std::string_view name)
{
    if (kind_.index && kind_.index(name)) (void)index_of(name, false);
}

void table_core::expect_selection(const label_selector& selector)
{
    if (!kind_.labels) return;
    has_selected_ = true;
    for (const auto& r : selector.requirements())
        if (needs_label(r.operation)) (void)index_of(r.key, true);
}

/// Makes it if there is none.
std::size_t table_core::index_of(std::string_view name, bool of_label)
{
    for (std::size_t i = 0; i != indexes_.size(); ++i)
        if (!indexes_[i].call == of_label && indexes_[i].name == name) return i;
    auto call = kind_.index && !of_label ? kind_.index(name) : item_index();
    if (!call && !of_label)
        throw error(
            failure(cond::not_found, "the collection '" + name_ + "' has no index '" + std::string(name) + "'"));
    indexes_.push_back({.name = std::string(name), .call = std::move(call)});
    fill_index(indexes_.back());
    return indexes_.size() - 1;
}

void table_core::fill_index(index& added)
{
    const auto i = static_cast<std::uint32_t>(indexes_.size() - 1);
    now_.rows.each([&](const auto& e) {
        auto& values = e.key->values;
        const auto known = values.size();
        object made;
        add_values(i, e.value, added.call ? made : labels_of(e.value, made), values);
        added.entries += values.size() - known;
        for (auto at = known; at != values.size(); ++at) values[at]->members.put(e.key.get(), edition_of_members, true);
    });
}

selection& table_core::selection_of(const label_selector& selector)
{
    auto text = selector.to_string();
    if (const auto found = selections_.find(text); found != selections_.end()) return *found->second;
    has_selected_ = true;
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
        const auto i = index_of(r.key, true);
        std::size_t cost = 0;
        if (r.operation == op::equals || r.operation == op::in)
            for (const auto& text : r.values) {
                const auto found = indexes_[i].values.find(text);
                if (found != indexes_[i].values.end())
                    cost += found->second->members.size() + found->second->selections.size();
            }
        else
            cost = indexes_[i].entries + indexes_[i].selections.size() + 1;
        if (cost >= fewest) continue;
        fewest = cost;
        best = &r;
    }
    if (!best) return;
    s.index = static_cast<std::uint32_t>(index_of(best->key, true));
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
        for (auto* v : std::exchange(s.values, {})) {
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
