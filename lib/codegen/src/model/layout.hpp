// Distributes generated types over headers and orders them.
#pragma once

#include <kubecoro/codegen/detail/model.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::codegen {

/** One generated header: a kind, or a message that several headers use, with the messages that only it uses. */
struct header
{
    /// The message that the header is named after.
    std::string root;
    /// All its messages. Each stands behind those that it holds, but for cycles.
    std::vector<std::string> messages;
    /// Roots of the headers that it includes.
    std::set<std::string> includes;
};

/// Distributes the messages that the kinds need. @param exists  Those that have a header of their own already.
[[nodiscard]] std::vector<header> distribute(const model& m, const std::vector<kind>& kinds,
                                             const std::function<bool(const std::string& message)>& exists = {});

/// Calls the function with the name of each message that a type mentions.
template<class F>
void each_message(const value_shape& type, const F& f)
{
    if (type.kind == value_shape::form::message) f(type.message);
    for (const value_shape& item : type.of) each_message(item, f);
}

/// Groups of messages that contain each other, directly or not; each group behind those that it mentions.
class message_order
{
public:
    message_order(const model& m, const std::vector<kind>& kinds);
    /// The groups, in order.
    [[nodiscard]] const std::vector<std::vector<std::string>>& groups() const noexcept { return groups_; }
    /// Whether both contain each other.
    [[nodiscard]] bool in_cycle(const std::string& a, const std::string& b) const;

private:
    void visit(const std::string& first);
    /// All that a message holds was visited.
    void close(const std::string& name);

    struct mark
    {
        std::size_t index;
        std::size_t low;
        bool open;
    };
    const model& model_;
    std::map<std::string, mark> marks_;
    std::vector<std::string> open_;
    std::vector<std::vector<std::string>> groups_;
    std::map<std::string, std::size_t> group_of_;
};

} // namespace kubecoro::codegen
