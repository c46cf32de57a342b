#include <kubecoro/api/detail/strict_decoding.hpp>

#include "protobuf/message_reader.hpp"
#include "validation/findings.hpp"

#include <kubecoro/api/detail/go_format.hpp>
#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/api/validation.hpp>

#include <boost/json/basic_parser_impl.hpp>

#include <set>
#include <utility>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

constexpr std::size_t most_named = 100;

/// A parser handler that tracks the current path and the names seen in each open object.
class name_collector
{
public:
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

    std::vector<std::string> found;

    using code = boost::system::error_code;
    using text = boost::json::string_view;

    bool on_document_begin(code&) { return true; }
    bool on_document_end(code&) { return true; }
    bool on_object_begin(code&) { return open(true); }
    bool on_object_end(std::size_t, code&) { return close(); }
    bool on_array_begin(code&) { return open(false); }
    bool on_array_end(std::size_t, code&) { return close(); }
    bool on_key_part(text part, std::size_t, code&)
    {
        key_.append(part.data(), part.size());
        return true;
    }
    bool on_key(text part, std::size_t, code&)
    {
        key_.append(part.data(), part.size());
        level& here = levels_.back();
        here.name = key_;
        if (!here.names.insert(std::move(key_)).second) note_place();
        key_.clear();
        return true;
    }
    bool on_string_part(text, std::size_t, code&) { return true; }
    bool on_string(text, std::size_t, code&) { return value(); }
    bool on_number_part(text, code&) { return true; }
    bool on_int64(std::int64_t, text, code&) { return value(); }
    bool on_uint64(std::uint64_t, text, code&) { return value(); }
    bool on_double(double, text, code&) { return value(); }
    bool on_bool(bool, code&) { return value(); }
    bool on_null(code&) { return value(); }
    bool on_comment_part(text, code&) { return true; }
    bool on_comment(text, code&) { return true; }

private:
    struct level
    {
        bool object;
        std::size_t index = 0;
        std::string name = {};
        std::set<std::string> names = {};
    };

    bool open(bool object)
    {
        levels_.push_back({object});
        return true;
    }
    bool close()
    {
        levels_.pop_back();
        return value();
    }
    bool value()
    {
        if (!levels_.empty()) ++levels_.back().index;
        return true;
    }
    void note_place()
    {
        if (found.size() >= most_named || bytes_ >= max_path_bytes) return;
        found.push_back(path());
        bytes_ += found.back().size();
    }
    [[nodiscard]] std::string path() const
    {
        std::string out;
        for (const level& l : levels_) {
            if (!l.object)
                out += "[" + std::to_string(l.index) + "]";
            else
                out += (out.empty() ? "" : ".") + l.name;
        }
        return out;
    }

    std::string key_;
    std::vector<level> levels_;
    std::size_t bytes_ = 0;
};

} // namespace

std::vector<std::string> duplicate_fields(std::string_view text, std::size_t max_depth)
{
    boost::json::parse_options options;
    options.max_depth = max_depth;
    boost::json::basic_parser<name_collector> parser(options);
    boost::system::error_code ec;
    parser.write_some(false, text.data(), text.size(), ec);
    return std::move(parser.handler().found);
}

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

namespace kubecoro {

namespace {

constexpr std::size_t max_listed = 100;

} // namespace

std::string detail::strict_problem(const std::vector<std::string>& duplicates, const std::vector<std::string>& unknown)
{
    std::string list;
    std::size_t listed = 0;
    const auto add = [&](std::string_view what, const std::vector<std::string>& fields) {
        for (const auto& field : fields) {
            if (listed++ == max_listed) return;
            list += (list.empty() ? "" : ", ") + std::string(what) + " field " + go_quoted(field);
        }
    };
    add("duplicate", duplicates);
    add("unknown", unknown);
    return list.empty() ? list : "strict decoding error: " + list;
}

server_status detail::undecodable(std::string_view kind, std::string_view version, std::string_view why)
{
    server_status out;
    out.code = 400;
    out.reason = "BadRequest";
    out.message = std::string(kind) + " in version \"" + std::string(version) + "\" cannot be handled as a " +
                  std::string(kind) + ": " + std::string(why);
    return out;
}

result<> check_built_in(const boost::json::value& object)
{
    const auto* members = object.if_object();
    if (members == nullptr) return failure(cond::invalid, "expected an object");
    const std::string api_version(detail::text_in(*members, "apiVersion"));
    const std::string kind(detail::text_in(*members, "kind"));
    const auto* schema = detail::builtin_schemas::find(api_version, kind);
    if (schema == nullptr)
        return failure(cond::not_found, "the library has no schema of " + kind + " in \"" + api_version + '"');
    std::string why;
    if (const auto typed = detail::protobuf_message(*schema, *members); !typed)
        why = "json: " + typed.error().message();
    else
        why = detail::strict_problem({}, detail::unknown_builtin_fields(*schema, object));
    if (why.empty()) return {};
    return failure(detail::undecodable(kind, group_version::parse(api_version).version, why));
}

} // namespace kubecoro
