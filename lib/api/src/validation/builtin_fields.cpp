#include <kubecoro/api/detail/builtin_fields.hpp>

#include "protobuf/claim_template.hpp"
#include "validation/value_path.hpp"

#include <kubecoro/api/detail/json_access.hpp>

#include <utility>

namespace kubecoro::detail {

namespace json = boost::json;

using flag = field_flag;

namespace {

bool is_type(std::string_view name) noexcept { return name == "kind" || name == "apiVersion"; }

/// Whether the object may have kind and apiVersion, which are no fields of its message.
bool may_state_type(const schema_field& f) noexcept
{
    static const auto* const options =
        builtin_schemas::find_field(builtin_schemas::find("policy/v1", "Eviction")->message, "deleteOptions");
    return is_claim_template(f) || f.message == options->message;
}

/// Calls `unknown(object, key, path)` for each member that the schema does not have. The value may be const or not.
template<class Unknown>
class builtin_walk
{
public:
    builtin_walk(const Unknown& unknown, members_are meant) : unknown_(unknown), meant_(meant) {}

    /// @param states_type  The object may have kind and apiVersion, which are no fields of its message.
    template<class Value>
    void members(std::uint16_t message, Value& v, const value_path& at, bool states_type)
    {
        if (!v.is_object()) return;
        for (auto& member : v.get_object()) {
            const std::string_view key = member.key();
            if (states_type && is_type(key)) continue;
            if (meant_ == members_are::fields_and_directives && key.starts_with('$')) continue;
            if (const auto* f = builtin_schemas::find_field(message, key))
                field(*f, member.value(), at.property(key));
            else
                unknown_(v.get_object(), key, at.property(key));
        }
    }

private:
    template<class Value>
    void field(const schema_field& f, Value& v, const value_path& at)
    {
        if (f.type != field_type::message) return;
        if (f.has(flag::repeated))
            items(f, v, at);
        else if (!f.has(flag::map))
            value(f, v, at);
        else if (v.is_object())
            for (auto& entry : v.get_object()) value(f, entry.value(), at.property(entry.key()));
    }

    template<class Value>
    void items(const schema_field& f, Value& v, const value_path& at)
    {
        if (f.type != field_type::message || !v.is_array()) return;
        std::size_t i = 0;
        for (auto& item : v.get_array()) value(f, item, at.item(i++));
    }

    template<class Value>
    void value(const schema_field& f, Value& v, const value_path& at)
    {
        const auto fields = builtin_schemas::fields(f.message);
        switch (builtin_schemas::message(f.message).form) {
        case json_form::object:
            members(f.message, v, at, may_state_type(f));
            break;
        case json_form::array:
            items(fields[0], v, at);
            break;
        // {1 schema, 2 list}
        case json_form::schema_or_array:
        case json_form::schema_or_strings:
            v.is_array() ? items(fields[1], v, at) : value(fields[0], v, at);
            break;
        // {1 allows, 2 schema}
        case json_form::schema_or_bool:
            value(fields[1], v, at);
            break;
        case json_form::quantity:
        case json_form::int_or_string:
        case json_form::time:
        case json_form::micro_time:
        case json_form::duration:
        case json_form::raw_json:
            break;
        }
    }

    const Unknown& unknown_;
    members_are meant_;
};

/// Collects paths.
class path_list
{
public:
    void operator()(const json::object&, std::string_view, const value_path& at) const
    {
        if (out_.size() >= max_unknown_fields || bytes_ >= max_path_bytes) return;
        out_.push_back(at.text());
        bytes_ += out_.back().size();
    }
    [[nodiscard]] std::vector<std::string> take() { return std::move(out_); }

private:
    mutable std::vector<std::string> out_;
    mutable std::size_t bytes_ = 0;
};

} // namespace

std::vector<std::string> unknown_builtin_fields(const schema_kind& kind, const json::value& object, members_are meant)
{
    path_list found;
    builtin_walk(found, meant).members(kind.message, object, value_path{}, true);
    return found.take();
}

std::vector<std::string> unknown_metadata_fields(const json::value& object)
{
    static const std::uint16_t metadata =
        builtin_schemas::find_field(builtin_schemas::find("v1", "Pod")->message, "metadata")->message;
    const auto* found = member_in(object, "metadata");
    path_list unknown;
    const value_path root;
    if (found) builtin_walk(unknown, members_are::fields).members(metadata, *found, root.property("metadata"), false);
    return unknown.take();
}

void prune_builtin_fields(const schema_kind& kind, json::value& object)
{
    std::vector<std::pair<json::object*, std::string>> doomed;
    const auto note = [&](json::object& parent, std::string_view key, const value_path&) {
        doomed.emplace_back(&parent, std::string(key));
    };
    builtin_walk(note, members_are::fields).members(kind.message, object, value_path{}, true);
    // In reverse order: erasing moves only members of the same object.
    for (auto it = doomed.rbegin(); it != doomed.rend(); ++it) it->first->erase(it->second);
}

} // namespace kubecoro::detail
