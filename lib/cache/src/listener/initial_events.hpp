#pragma once

#include "fifo/key_set.hpp"

#include <kubecoro/api/object.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace kubecoro::detail {

/** What a streamed list has brought so far: each object once, in its newest state.

    Costs no more than a vector as long as objects are only added, which is what streamed lists mostly do; the first
    change or deletion in between makes a table of where everything is. */
class initial_events
{
public:
    /// About so many will come: a vector that grows by doubling takes three times the memory for a moment.
    void expect(std::size_t objects) { items_.reserve(objects + objects / 16); }
    void add(object o);
    /// An object that is not there yet is added.
    void change(object o);
    void remove(const object& o);
    [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
    /// Everything; nothing stays.
    [[nodiscard]] std::vector<object> take();

private:
    [[nodiscard]] object_map<std::size_t>& places();

    std::vector<object> items_;
    std::optional<object_map<std::size_t>> places_;
};

} // namespace kubecoro::detail
