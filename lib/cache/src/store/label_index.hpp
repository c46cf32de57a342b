#pragma once
// Objects by their labels, for the labels that somebody selects by. Not thread safe.

#include "fifo/key_set.hpp"

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

/// The objects that have one value of one label: a pointer each. Few are searched, many are hashed.
class posting
{
public:
    void add(const kept_object& o);
    void remove(const kept_object& o);
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

    std::variant<few, many> objects_;
};

/// All objects that have one label, by its value. Labels lie in front of an object: nothing is expanded to read them.
class label_postings
{
public:
    explicit label_postings(std::string key) : key_(std::move(key)) {}

    [[nodiscard]] const std::string& key() const noexcept { return key_; }
    /// `now` has taken the place of `before`; either may be null.
    void change(const kept_object& before, const kept_object& now);
    /// How many objects are left by a requirement that asks for this label to be there.
    [[nodiscard]] std::size_t count(const label_selector::requirement& r) const;
    /// Those of a namespace (empty = all); for a comparison of numbers, all that have the label.
    void collect(const label_selector::requirement& r, std::string_view ns, std::vector<object>& out) const;

private:
    template<class F>
    void each_posting(const label_selector::requirement& r, F&& f) const;

    std::string key_;
    text_map<posting> by_value_;
    std::size_t size_ = 0;
};

/** The labels that are indexed, and those on their way: an index is filled from a copy of the handles while changes go on
    and are written down, and joins with what was written down. */
class label_indexes
{
public:
    struct replaced
    {
        kept_object before;
        kept_object now;
    };

    void change(const kept_object& before, const kept_object& now);

    /// Changes are written down for this label from now on. False when it is indexed, under way, or one too many.
    bool begin(std::string_view key);
    /// What has changed since begin().
    [[nodiscard]] const std::vector<replaced>& written_down(std::string_view key) const;
    /// Puts the index to use; it knows all that was written down.
    void finish(label_postings built);

    /// The labels by which this selector could be answered and is not yet.
    [[nodiscard]] std::vector<std::string> missing(const label_selector& selector) const;
    /** The fewest objects of a namespace among which are all that match, or nothing when no index knows of fewer than
        `scan`. */
    [[nodiscard]] std::optional<std::vector<object>> candidates(const label_selector& selector, std::string_view ns,
                                                                std::size_t scan) const;
    /// The labels that are indexed.
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
