#pragma once

#include "fifo/key_set.hpp"

#include <kubecoro/api/object.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace kubecoro::detail {

/** Accumulates the objects of a streamed list: each object once, in its newest state.

    Costs no more than a vector while objects are only added, the usual case; the first change or deletion builds a
    table of positions. */
class initial_events
{
public:
    /// Reserves memory for the expected number: a vector that grows by doubling temporarily needs three times the
    /// memory.
    void expect(std::size_t objects) { items_.reserve(objects + objects / 16); }
    void add(object o);
    /// Replaces the object; adds it when it is not in the list yet.
    void change(object o);
    void remove(object_key_view key);
    [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
    /// Returns all objects and clears the list.
    [[nodiscard]] std::vector<object> take();

private:
    [[nodiscard]] object_map<std::size_t>& places();

    std::vector<object> items_;
    std::optional<object_map<std::size_t>> places_;
};

} // namespace kubecoro::detail
