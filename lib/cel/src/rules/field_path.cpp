#include "rules/rule_node.hpp"

#include <optional>

namespace kubecoro::cel::detail {

namespace {

const boost::json::value* member_schema(const boost::json::value& schema, std::string_view name)
{
    const auto* object = schema.if_object();
    return object != nullptr ? object->if_contains(name) : nullptr;
}

/// Reads a path part by part, and the schema along with it.
class path_reader
{
public:
    path_reader(std::string_view path, const boost::json::value& schema) : rest_(path), schema_(&schema) {}

    std::string run()
    {
        while (!rest_.empty()) {
            const bool good = rest_[0] == '.' ? dotted() : rest_[0] == '[' && quoted();
            if (!good) return {};
        }
        return out_;
    }

private:
    bool append(const std::string& name)
    {
        if (const auto* properties = member_schema(*schema_, "properties")) {
            const auto* property = member_schema(*properties, name);
            if (property == nullptr) return false;
            out_ += (out_.empty() ? "" : ".") + name;
            schema_ = property;
            return true;
        }
        const auto* members = member_schema(*schema_, "additionalProperties");
        if (members == nullptr || !members->is_object()) return false;
        out_ += '[' + name + ']';
        schema_ = members;
        return true;
    }

    bool dotted()
    {
        rest_.remove_prefix(1);
        const auto name = rest_.substr(0, rest_.find_first_of(".[]"));
        rest_.remove_prefix(name.size());
        return !name.empty() && append(std::string(name));
    }

    bool quoted()
    {
        rest_.remove_prefix(1);
        if (!rest_.starts_with('\'')) return false;
        rest_.remove_prefix(1);
        std::string name;
        for (; !rest_.empty() && rest_[0] != '\''; rest_.remove_prefix(1)) {
            if (rest_[0] == '\\') {
                static constexpr std::string_view letters = "abfnrtv'\\";
                static constexpr std::string_view meanings = "\a\b\f\n\r\t\v'\\";
                rest_.remove_prefix(1);
                const auto found = rest_.empty() ? std::string_view::npos : letters.find(rest_[0]);
                if (found == std::string_view::npos) return false;
                name += meanings[found];
            } else {
                name += rest_[0];
            }
        }
        if (!rest_.starts_with("']")) return false;
        rest_.remove_prefix(2);
        return append(name);
    }

    std::string_view rest_;
    const boost::json::value* schema_;
    std::string out_;
};

} // namespace

std::string normalized_path(std::string_view path, const boost::json::value& schema)
{
    return path_reader(path, schema).run();
}

} // namespace kubecoro::cel::detail
