#pragma once
// Turns JSON schemas, of custom resources or of OpenAPI documents, into messages; names that the API allows.

#include <kubecoro/codegen/detail/model.hpp>

#include <boost/json/object.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kubecoro::codegen {

/// Whether a text is a DNS label, or one with capital letters.
[[nodiscard]] inline bool is_label(std::string_view text, bool capitals)
{
    const auto is_word = [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || (capitals && c >= 'A' && c <= 'Z');
    };
    return !text.empty() && text.size() <= 63 && text.front() != '-' && text.back() != '-' &&
           std::ranges::all_of(text, is_word);
}

/// Such as "v1beta1" and "pods".
[[nodiscard]] inline bool is_lower_label(std::string_view text) { return is_label(text, false); }

/// Such as "Pod".
[[nodiscard]] inline bool is_kind_name(std::string_view text) { return is_label(text, true); }

/// Labels with dots between them: "shop.example.com".
[[nodiscard]] inline bool is_group(std::string_view text)
{
    if (text.size() > 253) return false;
    for (auto dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.')) {
        if (!is_label(text.substr(0, dot), false)) return false;
        text.remove_prefix(dot + 1);
    }
    return is_label(text, false);
}

/// A path such as `spec.versions[0].name`.
class document_path
{
public:
    /// Goes down while it lives.
    class step
    {
    public:
        step(document_path& of, std::string_view name) : of_(of), before_(of.text_.size())
        {
            if (!of_.text_.empty()) of_.text_ += '.';
            of_.text_ += name;
        }
        step(document_path& of, std::size_t index) : of_(of), before_(of.text_.size())
        {
            of_.text_ += '[' + std::to_string(index) + ']';
        }
        ~step() { of_.text_.resize(before_); }
        step(const step&) = delete;
        step& operator=(const step&) = delete;

    private:
        document_path& of_;
        std::size_t before_;
    };

    /// Throws std::runtime_error with the path and the words.
    [[noreturn]] void fail(std::string_view words) const
    {
        throw std::runtime_error((text_.empty() ? "" : text_ + ": ") + std::string(words));
    }

private:
    std::string text_;
};

/// The message of every kind's metadata, which the library has.
inline constexpr std::string_view object_meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** Reads schemas into the messages of one model. Errors are exceptions that name the path.

    Limits: 64 schemas within each other, 100,000 properties, names of 256 characters. */
class schema_reader
{
public:
    /// The type of a schema that is mentioned by name.
    using reference = std::function<value_shape(std::string_view ref)>;

    schema_reader(model& to, document_path& path, reference find) : to_(to), path_(path), find_(std::move(find)) {}

    /// Keeps the C++ name of a message for it. Fails if another one has it.
    void reserve(const std::string& message);
    /// The same for messages that may share a name as long as they are not used together.
    void keep(const std::string& message);
    /// The type of a schema that is mentioned by name. @param name  Begins the names of its parts.
    value_shape shape_of_named(const boost::json::value& schema, const std::string& name);
    /// Adds a reserved message. @param is_kind  It has apiVersion and kind, which are left out, and metadata.
    void add(const std::string& message, const boost::json::object& schema, bool is_kind);

private:
    void add_fields(message& to, const boost::json::object& schema, bool is_kind);
    void add_names_of_resource(message& to);
    value_shape shape_of(const boost::json::value& schema, const std::string& name);
    value_shape shape_of_object(const boost::json::object& schema, const std::string& name);
    value_shape message_shape(const boost::json::object& schema, const std::string& name);
    std::string unused(const std::string& wanted);

    model& to_;
    document_path& path_;
    reference find_;
    std::set<std::string> used_;
    /// The last number behind a name that several parts would have.
    std::map<std::string, std::size_t> numbers_;
    /// The kind or named schema that is being read.
    std::string root_;
    /// The innermost property whose schema is being read; empty outside of all.
    std::string property_;
    std::size_t depth_ = 0;
    std::size_t properties_ = 0;
};

} // namespace kubecoro::codegen
