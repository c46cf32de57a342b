#include "plan/spec_edits_core.hpp"

#include <kubecoro/api/detail/json_access.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace json = boost::json;

namespace kubecoro::testing::detail {

using kubecoro::detail::array_in;
using kubecoro::detail::member_in;
using kubecoro::detail::object_in;
using kubecoro::detail::text_in;

namespace {

constexpr std::size_t deepest = 5;
constexpr std::size_t most_edits = 60;

using path = std::vector<std::string>;

std::int64_t number_of(const json::value& v, std::string_view name, std::int64_t otherwise)
{
    const auto* const m = member_in(v, name);
    return m && m->is_number() ? m->to_number<std::int64_t>() : otherwise;
}

std::string patch_of(const path& at, json::value value)
{
    for (auto step = at.rbegin(); step != at.rend(); ++step) value = json::object{{*step, std::move(value)}};
    return json::serialize(value);
}

std::string joined(const path& at)
{
    std::string out;
    for (const auto& step : at) out += (out.empty() ? "" : ".") + step;
    return out;
}

/// A value that the schema of a property allows, and that it has not.
std::optional<json::value> another_value(const json::value& schema, const json::value* now)
{
    if (const auto* const all = array_in(schema, "enum")) {
        for (const auto& v : *all)
            if (!now || v != *now) return v;
        return std::nullopt;
    }
    const auto type = text_in(schema, "type");
    if (type == "boolean") return json::value(!(now && now->is_bool() && now->get_bool()));
    if (type == "integer" || type == "number") {
        const auto least = number_of(schema, "minimum", 0);
        const auto most = number_of(schema, "maximum", 1'000'000);
        if (!now || !now->is_number())
            return json::value(std::max<std::int64_t>(least, std::min<std::int64_t>(1, most)));
        const auto n = now->to_number<std::int64_t>();
        if (n < most) return json::value(n + 1);
        return n > least ? std::optional<json::value>(n - 1) : std::nullopt;
    }
    if (type != "string" || member_in(schema, "pattern") || member_in(schema, "format")) return std::nullopt;
    auto text = now && now->is_string() ? std::string(now->get_string()) : std::string();
    if (static_cast<std::int64_t>(text.size()) < number_of(schema, "maxLength", 1000)) return json::value(text + "x");
    return std::nullopt;
}

class walk
{
public:
    walk(std::vector<spec_edit>& out, std::string begin) : out_(&out), at_{std::move(begin)} {}

    void properties(const json::value& schema, const json::value& now)
    {
        const auto* const all = object_in(schema, "properties");
        if (!all || at_.size() >= deepest) return;
        for (const auto& m : *all) {
            at_.emplace_back(m.key());
            property(m.value(), member_in(now, m.key()), is_required(schema, m.key()));
            at_.pop_back();
        }
    }

private:
    static bool is_required(const json::value& schema, std::string_view name)
    {
        const auto* const all = array_in(schema, "required");
        return all && std::any_of(all->begin(), all->end(),
                                  [&](const auto& r) { return r.is_string() && r.get_string() == name; });
    }

    void property(const json::value& schema, const json::value* now, bool required)
    {
        if (auto value = another_value(schema, now)) add(*value, now);
        if (text_in(member_in(schema, "additionalProperties"), "type") == "string") {
            at_.emplace_back("added");
            add("x", nullptr);
            at_.pop_back();
        }
        const auto* const items = member_in(schema, "items");
        if (items && now && now->is_array())
            if (auto value = another_value(*items, nullptr)) {
                auto longer = now->get_array();
                longer.push_back(std::move(*value));
                add(longer, now);
            }
        if (now && !required) add(nullptr, now);
        if (now) properties(schema, *now);
    }

    void add(const json::value& value, const json::value* now)
    {
        if (out_->size() >= most_edits) return;
        const auto words =
            value.is_null() ? joined(at_) + " taken away" : joined(at_) + " to " + json::serialize(value);
        out_->push_back({words, patch_of(at_, value), patch_of(at_, now ? *now : json::value(nullptr))});
    }

    std::vector<spec_edit>* out_;
    path at_;
};

/// Paths of the plain values, without those in lists.
void add_fields(const json::value& now, path& at, std::vector<std::pair<path, json::value>>& out)
{
    if (now.is_string() || now.is_int64() || now.is_bool()) out.emplace_back(at, now);
    if (!now.is_object()) return;
    for (const auto& m : now.get_object()) {
        const bool left_out =
            m.key() == "metadata" || m.key() == "status" || m.key() == "kind" || m.key() == "apiVersion";
        if (at.empty() && left_out) continue;
        at.emplace_back(m.key());
        add_fields(m.value(), at, out);
        at.pop_back();
    }
}

json::value changed(const json::value& v, bool is_base64)
{
    if (v.is_bool()) return json::value(!v.get_bool());
    if (v.is_int64()) return json::value(v.get_int64() + 1);
    return is_base64 ? json::value("b3RoZXI=") : json::value(std::string(v.get_string()) + "-other");
}

} // namespace

std::vector<spec_edit> edits_of(const json::value& schema, const json::value& object)
{
    std::vector<spec_edit> out;
    const auto* const spec = member_in(member_in(schema, "properties"), "spec");
    if (!spec) return out;
    walk w(out, "spec");
    const auto* const now = member_in(object, "spec");
    w.properties(*spec, now ? *now : json::value(json::object()));
    return out;
}

std::optional<std::string> other_value(const json::value& sent, std::uint64_t draw)
{
    std::vector<std::pair<path, json::value>> fields;
    path at;
    add_fields(sent, at, fields);
    if (fields.empty()) return std::nullopt;
    const auto& [where, value] = fields[draw % fields.size()];
    return patch_of(where, changed(value, text_in(sent, "kind") == "Secret" && where.front() == "data"));
}

} // namespace kubecoro::testing::detail
