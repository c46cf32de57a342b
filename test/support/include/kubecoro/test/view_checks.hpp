// Compares what the accessors of typed views return with the JSON that they read.
#pragma once

#include <kubecoro/api/value_members.hpp>
#include <kubecoro/api/view.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::test {

class view_checker;

/// Calls view_checker::field() for each accessor of view<T>. Specialised by code that view_check_writer writes.
template<class T>
struct view_fields;

/// Collects the paths whose values differ.
class view_checker
{
public:
    /// The paths.
    [[nodiscard]] const std::vector<std::string>& wrong() const noexcept { return wrong_; }

    /// @param read  The value that the accessor of the member returned.
    template<class Read>
    void field(std::string_view name, const Read& read, const boost::json::object& in)
    {
        const step at(*this, name);
        compare(read, in.if_contains(name));
    }

    /// A value that is absent or of another type reads as missing. @param expected  Null if it is absent.
    void compare(std::string_view read, const boost::json::value* expected);
    void compare(bool read, const boost::json::value* expected);
    void compare(std::int32_t read, const boost::json::value* expected);
    void compare(std::int64_t read, const boost::json::value* expected);
    void compare(double read, const boost::json::value* expected);
    void compare(const std::optional<std::string_view>& read, const boost::json::value* expected);
    void compare(const std::optional<bool>& read, const boost::json::value* expected);
    void compare(const std::optional<std::int32_t>& read, const boost::json::value* expected);
    void compare(const std::optional<std::int64_t>& read, const boost::json::value* expected);
    void compare(const std::optional<double>& read, const boost::json::value* expected);
    void compare(const std::optional<quantity>& read, const boost::json::value* expected);
    void compare(const std::optional<timestamp>& read, const boost::json::value* expected);
    void compare(const std::optional<micro_timestamp>& read, const boost::json::value* expected);
    void compare(const std::optional<go_duration>& read, const boost::json::value* expected);
    void compare(const bytes_view& read, const boost::json::value* expected);
    void compare(const int_or_string_view& read, const boost::json::value* expected);
    void compare(const value_view& read, const boost::json::value* expected);

    template<class T>
    void compare(const view<T>& read, const boost::json::value* expected)
    {
        const auto* object = expected ? expected->if_object() : nullptr;
        require(static_cast<bool>(read) == (object != nullptr));
        if (object) view_fields<T>::check(*this, read, *object);
    }

    template<class T>
    void compare(const list_view<T>& read, const boost::json::value* expected)
    {
        const auto* array = expected ? expected->if_array() : nullptr;
        const std::size_t size = array ? array->size() : 0;
        require(read.size() == size && read.empty() == (size == 0));
        std::size_t i = 0;
        for (const T item : read) {
            if (i == size) break;
            const step at(*this, std::to_string(i));
            compare(item, &(*array)[i]);
            ++i;
        }
        require(i == size);
    }

    template<class T>
    void compare(const map_view<T>& read, const boost::json::value* expected)
    {
        const auto* object = expected ? expected->if_object() : nullptr;
        const std::size_t size = object ? object->size() : 0;
        require(read.size() == size && read.empty() == (size == 0));
        std::size_t seen = 0;
        for (const auto [key, value] : read) {
            const step at(*this, key);
            const auto* member = object ? object->if_contains(key) : nullptr;
            require(member != nullptr);
            compare(value, member);
            ++seen;
        }
        require(seen == size);
    }

private:
    /// Goes down while it lives.
    class step
    {
    public:
        step(view_checker& of, std::string_view name) : of_(of), before_(of.path_.size())
        {
            of_.path_ += '.';
            of_.path_ += name;
        }
        ~step() { of_.path_.resize(before_); }
        step(const step&) = delete;
        step& operator=(const step&) = delete;

    private:
        view_checker& of_;
        std::size_t before_;
    };

    void require(bool holds)
    {
        if (!holds) wrong_.push_back(path_);
    }

    std::string path_;
    std::vector<std::string> wrong_;
};

} // namespace kubecoro::test
