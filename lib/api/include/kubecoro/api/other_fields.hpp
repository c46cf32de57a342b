#pragma once

#include <boost/json/fwd.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace kubecoro {

/** The members of a JSON object that a struct has no place for, so that writing the struct back loses nothing.

    Holds members with unknown names, and values that the struct's own member cannot hold: null, an empty list or
    object, another type. To send such a value, set it: `container.other_fields.set("args", boost::json::array())`.
    A member of the struct that is set goes before the value here. A regular value; an empty one costs a pointer. */
class other_fields
{
public:
    other_fields() noexcept = default;
    /// Copies the members and the mark.
    other_fields(const other_fields& other) : kept_(other.kept_ ? std::make_unique<content>(*other.kept_) : nullptr) {}
    other_fields(other_fields&& other) noexcept = default;
    other_fields& operator=(other_fields other) noexcept
    {
        kept_ = std::move(other.kept_);
        return *this;
    }
    ~other_fields() = default;

    /// Whether there are none.
    [[nodiscard]] bool empty() const noexcept { return !kept_ || kept_->members.empty(); }
    /// Whether there is a member with this name.
    [[nodiscard]] bool contains(std::string_view name) const { return !text(name).empty(); }
    /// Returns the member as JSON text, numbers as they were written; empty if there is none.
    [[nodiscard]] std::string_view text(std::string_view name) const;
    /// Returns the member; null if there is none.
    [[nodiscard]] boost::json::value get(std::string_view name) const;
    /// Sets the member. Numbers that JSON cannot express are sent as null.
    void set(std::string_view name, const boost::json::value& value);
    /// Sets the member to JSON text, which is not checked.
    void set_text(std::string_view name, std::string text);
    /// Removes the member if there is one.
    void erase(std::string_view name);
    /// Returns all members as JSON texts, by name.
    [[nodiscard]] const std::map<std::string, std::string, std::less<>>& members() const;

    /// True in a struct of a partial object, see object::is_partial(): members are missing here too. Writing the struct
    /// back fails, since the server would delete them.
    [[nodiscard]] bool is_partial() const noexcept { return kept_ && kept_->partial; }
    /// Sets that mark: false for a struct that may be written nevertheless.
    void set_partial(bool partial);

    /// Equal if both have equal members.
    friend bool operator==(const other_fields& a, const other_fields& b);

private:
    struct content
    {
        std::map<std::string, std::string, std::less<>> members = {};
        bool partial = false;
    };
    std::unique_ptr<content> kept_;
};

} // namespace kubecoro
