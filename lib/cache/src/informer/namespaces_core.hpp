#pragma once
// Holds the namespaces an informer covers, and computes changes of its watches. Sans-io.

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** The wanted namespaces.

    The empty name stands for all and hides the others while it is in the set; they count again once it is removed. An
    empty set is valid and covers nothing. */
class namespaces_core
{
public:
    struct change
    {
        std::vector<std::string> leave;
        std::vector<std::string> join;
    };

    /// @param wanted  Empty = all.
    explicit namespaces_core(const std::vector<std::string>& wanted);

    /// Empty = none.
    void set(const std::vector<std::string>& wanted) { wanted_ = {wanted.begin(), wanted.end()}; }
    void add(const std::string& ns) { wanted_.insert(ns); }
    void remove(const std::string& ns) { wanted_.erase(ns); }

    /// Returns the namespaces that need a watch of their own; the empty name is one watch over everything.
    [[nodiscard]] std::set<std::string> watched() const;
    [[nodiscard]] bool covers(std::string_view ns) const;
    /// Whether it is among watched().
    [[nodiscard]] bool watches(std::string_view ns) const { return all() ? ns.empty() : wanted_.contains(ns); }
    /// Returns the changes from the present watches to the needed ones.
    [[nodiscard]] change from(const std::set<std::string>& present) const;

    friend bool operator==(const namespaces_core& a, const namespaces_core& b) { return a.watched() == b.watched(); }

private:
    [[nodiscard]] bool all() const { return wanted_.contains(""); }

    std::set<std::string, std::less<>> wanted_;
};

} // namespace kubecoro::detail
