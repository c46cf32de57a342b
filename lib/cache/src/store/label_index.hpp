#pragma once
// Indexes of objects by label, for labels used in selectors. Not thread safe.

#include "fifo/key_set.hpp"
#include "store/erase_some.hpp"

#include <kubecoro/api/selector.hpp>

#include <boost/unordered/unordered_flat_set.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kubecoro::detail {

/// The objects that have one value of one label, one pointer each. A small set is a vector, a large one a hash table.
class posting
{
public:
    /// Returns false when the object is there already, or is not: a change may be repeated after an exception.
    bool add(const kept_object& o);
    bool remove(const kept_object& o);
    [[nodiscard]] std::size_t size() const noexcept;
    void collect(std::string_view ns, std::vector<object>& out) const;

private:
    struct identity_hash
    {
        [[nodiscard]] std::size_t operator()(const kept_object& o) const noexcept
        {
            return std::hash<const void*>{}(o.identity());
        }
    };
    using few = std::vector<kept_object>;
    using many = boost::unordered_flat_set<kept_object, identity_hash>;

public:
    using iterator = many::iterator;
    /// Drops the content in steps, as erase_some() does.
    [[nodiscard]] bool drop_some(std::optional<iterator>& at, std::size_t& most) noexcept;

private:
    std::variant<few, many> objects_;
};

/// The objects that have one label, by its value. Reads labels without expanding compressed objects.
class label_postings
{
public:
    explicit label_postings(std::string key) : key_(std::move(key)) {}

    [[nodiscard]] const std::string& key() const noexcept { return key_; }
    /// Replaces `before` with `now`; either may be null. After an exception the same call completes the change.
    void change(const kept_object& before, const kept_object& now);
    /// The halves of a change: adding before removing, a label that does not change keeps its posting. Null: no effect.
    void add(const kept_object& o);
    void remove(const kept_object& o);
    /// Number of objects left by a requirement that needs this label to exist.
    [[nodiscard]] std::size_t count(const label_selector::requirement& r) const;
    /// Collects those of a namespace (empty = all); for a numeric comparison, all that have the label.
    void collect(const label_selector::requirement& r, std::string_view ns, std::vector<object>& out) const;
    /// Drops the content in steps; see erase_some().
    [[nodiscard]] bool drop_some(std::size_t& most) noexcept;

private:
    template<class F>
    void each_posting(const label_selector::requirement& r, F&& f) const;

    std::string key_;
    text_map<posting> by_value_;
    std::size_t size_ = 0;
    // How far drop_some() has come:
    std::optional<text_map<posting>::iterator> next_;
    std::optional<posting::iterator> next_object_;
};

/** The finished label indexes and those under construction. A new index is built from a copy of the handles while the
    store changes; the changes are logged and applied to it at the end. */
class label_indexes
{
public:
    struct replaced
    {
        kept_object before;
        kept_object now;
    };

    /// Replaces `before` with `now`; either may be null. An exception leaves everything as it was.
    void change(const kept_object& before, const kept_object& now);

    /// Returns the same labels, without objects; copy() adds one.
    [[nodiscard]] label_indexes begin_copy() const;
    void copy(const kept_object& o)
    {
        for (auto& index : ready_) index.add(o);
    }
    /// Drops the content in steps; see erase_some().
    [[nodiscard]] bool drop_some(std::size_t& most) noexcept;
    [[nodiscard]] bool empty() const noexcept { return ready_.empty(); }

    /// Starts logging changes for this label. Returns false when it is indexed, under construction, or one too many.
    bool begin(std::string_view key);
    /// Returns the changes since begin(), or since the last call.
    [[nodiscard]] std::vector<replaced> take_written_down(std::string_view key);
    /// Adds the finished index, to which all logged changes must have been applied.
    void finish(label_postings built);
    /// Ends the logging without an index.
    void give_up(std::string_view key) noexcept;

    /// Returns the labels that could answer this selector and are not indexed yet.
    [[nodiscard]] std::vector<std::string> missing(const label_selector& selector) const;
    /** Returns the smallest known set of objects of a namespace that includes all matches; nothing when no index yields
        fewer than `scan`. */
    [[nodiscard]] std::optional<std::vector<object>> candidates(const label_selector& selector, std::string_view ns,
                                                                std::size_t scan) const;
    /// Returns the indexed labels.
    [[nodiscard]] std::vector<std::string> keys() const;

private:
    struct construction
    {
        std::string key;
        std::vector<replaced> log;
    };
    [[nodiscard]] const label_postings* find(std::string_view key) const;
    [[nodiscard]] bool known(std::string_view key) const;

    std::vector<label_postings> ready_;
    std::vector<construction> under_way_;
};

} // namespace kubecoro::detail
