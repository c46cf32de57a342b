// Matches label selectors against stored objects.
#pragma once

#include "objects/stored_object.hpp"

#include <kubecoro/api/selector.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::apiserver {

/** A label selector, prepared so that an object costs time in the number of its labels, and not in the number of
    requirements: clients choose both. */
class label_match
{
public:
    /// Selects everything.
    label_match() = default;
    explicit label_match(const label_selector& selector);

    /// Reads a LabelSelector, by the rules of selector_of(). Empty if it is not valid.
    [[nodiscard]] static std::optional<label_match> of(const boost::json::value& selector);

    [[nodiscard]] bool everything() const noexcept { return rules_.empty(); }
    [[nodiscard]] bool matches(const stored_object& object) const;

private:
    /// All requirements for one label.
    struct rule
    {
        bool must_exist = false;
        bool must_be_absent = false;
        /// Sorted.
        std::optional<std::vector<std::string>> among = {};
        std::vector<std::string> not_among = {};
        std::optional<std::int64_t> above = {};
        std::optional<std::int64_t> below = {};
        /// No value meets all requirements.
        bool impossible = false;

        void add(const label_selector::requirement& r);
        [[nodiscard]] bool takes(const std::string& value) const;
    };

    std::map<std::string, rule, std::less<>> rules_;
    /// Labels that have to exist.
    std::size_t needed_ = 0;
    bool impossible_ = false;
};

} // namespace kubecoro::apiserver
