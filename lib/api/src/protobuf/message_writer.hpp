#pragma once
// Turns JSON values into the protobuf messages that Go writes for the same objects, and says which field has a problem.

#include "protobuf/wire_builder.hpp"

#include <kubecoro/api/detail/schema.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::detail {

/** A problem and its path, which grows at its front while the callers return. The functions that change it return
    false, for their callers to return. */
class field_problem
{
public:
    void clear() noexcept
    {
        path_.clear();
        what_.clear();
    }
    bool is(std::string what)
    {
        what_ = std::move(what);
        return false;
    }
    /// Puts the name of a member before the path.
    bool in(std::string_view name)
    {
        path_ = "." + std::string(name) + path_;
        return false;
    }
    /// Puts the index of an item before the path.
    bool at(std::size_t index)
    {
        path_ = "[" + std::to_string(index) + "]" + path_;
        return false;
    }
    /// Returns "spec.replicas: " and the problem.
    [[nodiscard]] std::string text() const
    {
        if (path_.empty()) return what_;
        return path_.substr(path_.front() == '.' ? 1 : 0) + ": " + what_;
    }

private:
    std::string path_;
    std::string what_;
};

/** Writes messages of the built-in kinds by the rules of the Go types: docs/decisions/0017-protobuf.md.

    Members that the schema does not have are left out, as Go leaves them out. The cost is linear in the value. */
class message_writer
{
public:
    /// Writes the content of a message. False: problem() says which field is wrong, and how.
    [[nodiscard]] bool write(std::uint16_t message, const boost::json::object& from);
    /// After write(): the message. Valid until the next one.
    [[nodiscard]] std::string_view content() const noexcept { return out_.view(); }
    [[nodiscard]] std::string problem() const { return problem_.text(); }

private:
    [[nodiscard]] bool members(std::uint16_t message, const boost::json::object& from);
    [[nodiscard]] bool field(const schema_field& f, const boost::json::object& from);
    /// Writes a field that has one value. Null value = none was given.
    [[nodiscard]] bool single(const schema_field& f, const boost::json::value* given);
    [[nodiscard]] bool list(const schema_field& f, const boost::json::value& items);
    [[nodiscard]] bool map(const schema_field& f, const boost::json::value& entries);
    /// Writes a value as the field `number`. Null is the zero value.
    [[nodiscard]] bool value(const schema_field& f, std::uint32_t number, const boost::json::value& v);
    /// Go reads bytes from base64, and from a list of numbers.
    [[nodiscard]] bool octets(std::uint32_t number, const boost::json::array& items);
    [[nodiscard]] bool integer(const schema_field& f, std::uint32_t number, const boost::json::value& v);
    [[nodiscard]] bool message_content(std::uint16_t message, const boost::json::value& v);
    [[nodiscard]] bool object_content(std::uint16_t message, const boost::json::value& v);
    [[nodiscard]] bool quantity(const boost::json::value& v);
    [[nodiscard]] bool int_or_string(const boost::json::value& v);
    [[nodiscard]] bool time(const boost::json::value& v, bool micro);
    [[nodiscard]] bool duration(const boost::json::value& v);
    [[nodiscard]] bool schema_or(std::uint16_t message, const boost::json::value& v);
    bool fail(std::string_view wanted, const boost::json::value& found);

    wire_builder out_;
    std::size_t depth_ = 0;
    field_problem problem_;
};

} // namespace kubecoro::detail
