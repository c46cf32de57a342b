#pragma once
// Which namespaces an informer covers, and what has to change for that. Sans-io.

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** The namespaces that are wanted.

    The empty name stands for all of them and, while it is in the set, hides the others: they count again when it goes.
    No namespace at all is a set like any other, and covers nothing. */
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

    /// Each of these needs a watch of its own; the empty name is one over everything.
    [[nodiscard]] std::set<std::string> watched() const;
    [[nodiscard]] bool covers(std::string_view ns) const;
    /// From the watches there are to those that are needed.
    [[nodiscard]] change from(const std::set<std::string>& present) const;

    friend bool operator==(const namespaces_core& a, const namespaces_core& b) { return a.watched() == b.watched(); }

private:
    [[nodiscard]] bool all() const { return wanted_.contains(""); }

    std::set<std::string> wanted_;
};

} // namespace kubecoro::detail
