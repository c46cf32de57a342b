#include "compare.hpp"

#include "config/kubeconfig_file.hpp"

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/client/detail/yaml_text.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <regex>

namespace kubecoro::test {

namespace json = boost::json;

namespace {

using read = boost::system::result<json::value, kubecoro::detail::problem_words>;

double number(const json::value& v)
{
    if (const auto* i = v.if_int64()) return static_cast<double>(*i);
    if (const auto* u = v.if_uint64()) return static_cast<double>(*u);
    return v.get_double();
}

/// Numbers of another type are equal by value: kubectl has no integers beyond 63 bits.
bool same(const json::value& a, const json::value& b)
{
    if (a.is_number() && b.is_number()) {
        if (a.is_int64() && b.is_int64()) return a == b;
        return std::abs(number(a) - number(b)) <= 1e-15 * std::abs(number(b));
    }
    if (a.is_array() && b.is_array())
        return std::ranges::equal(a.get_array(), b.get_array(),
                                  [](const auto& x, const auto& y) { return same(x, y); });
    if (!a.is_object() || !b.is_object()) return a == b;
    const auto& of_b = b.get_object();
    return a.get_object().size() == of_b.size() && std::ranges::all_of(a.get_object(), [&](const auto& m) {
               const auto* other = of_b.if_contains(m.key());
               return other && same(m.value(), *other);
           });
}

read document(std::string_view text)
{
    auto out = detail::parse_yaml(text, 1'000'000);
    if (!out) return {boost::system::in_place_error, out.error()};
    if (out->value.is_object() && out->value.get_object().empty()) return json::value(); // of an empty text, too
    return std::move(out->value);
}

read stream(std::string_view text)
{
    auto out = detail::read_documents(text);
    if (!out) return {boost::system::in_place_error, out.error()};
    json::array all;
    for (auto& one : *out) all.push_back(std::move(one));
    return json::value(std::move(all));
}

void put(json::object& out, const char* name, const detail::config_text& text)
{
    if (!text.empty()) out[name] = text.value;
}

/// The fields that are read of a kubeconfig, as clientcmd writes it.
read kubeconfig(std::string_view text)
{
    detail::kubeconfig_text all;
    if (auto added = all.add(text, "k"); !added) return {boost::system::in_place_error, added.error().message()};
    json::array clusters;
    for (const auto& [name, c] : all.clusters) {
        json::object o;
        put(o, "server", c.server);
        put(o, "tls-server-name", c.server_name);
        put(o, "proxy-url", c.proxy_url);
        if (c.insecure) o["insecure-skip-tls-verify"] = true;
        clusters.push_back(json::object{{"name", name}, {"cluster", std::move(o)}});
    }
    json::array users;
    for (const auto& [name, u] : all.users) {
        json::object o;
        put(o, "token", u.token);
        put(o, "as", u.as_user);
        put(o, "as-uid", u.as_uid);
        put(o, "username", u.username);
        put(o, "password", u.password);
        json::array groups;
        for (const auto& group : u.as_groups) groups.emplace_back(group);
        if (!groups.empty()) o["as-groups"] = std::move(groups);
        if (u.exec) o["exec"] = u.exec->command.value;
        users.push_back(json::object{{"name", name}, {"user", std::move(o)}});
    }
    return json::value(
        json::object{{"clusters", clusters}, {"users", users}, {"current-context", all.current_context.value}});
}

/// The same fields of clientcmd's form.
json::value fields_read(const json::value& config)
{
    json::object out{{"current-context", config.at("current-context")}};
    const std::map<const char*, std::pair<const char*, std::vector<const char*>>> lists{
        {"clusters", {"cluster", {"server", "tls-server-name", "proxy-url", "insecure-skip-tls-verify"}}},
        {"users", {"user", {"token", "as", "as-uid", "as-groups", "username", "password", "exec"}}}};
    for (const auto& [list, inner] : lists) {
        json::array entries;
        if (const auto* found = config.at(list).if_array())
            for (const auto& entry : *found) {
                json::object kept;
                for (const auto* field : inner.second)
                    if (const auto* v = entry.at(inner.first).as_object().if_contains(field))
                        if (!v->is_string() || !v->get_string().empty())
                            kept[field] = v->is_object() ? v->at("command") : *v;
                entries.push_back(json::object{{"name", entry.at("name")}, {inner.first, std::move(kept)}});
            }
        out[list] = std::move(entries);
    }
    return out;
}

json::value parsed(std::string_view line)
{
    json::parse_options options;
    options.max_depth = 1000;
    return json::parse(json::string_view(line.data(), line.size()), {}, options);
}

std::string text_in(const json::value& verdict)
{
    if (verdict.get_object().contains("bytes"))
        return bytes::from_base64(detail::text_in(verdict, "bytes")).value().data;
    return std::string(detail::text_in(verdict, "text"));
}

} // namespace

std::string text_of_verdict(std::string_view line) { return text_in(parsed(line)); }

std::string differs_from_kubectl(std::string_view line)
{
    const auto verdict = parsed(line);
    const auto& members = verdict.get_object();
    if (members.contains("ambiguous")) return {};
    const std::string as(detail::text_in(verdict, "as"));
    const auto text = text_in(verdict);
    const auto ours = as == "document" ? document(text) : as == "stream" ? stream(text) : kubeconfig(text);
    const bool refused = members.contains("refused");
    auto theirs = refused ? json::value() : members.at("value");
    if (!refused && as == "kubeconfig") theirs = fields_read(theirs);
    if (as == "document" && theirs.is_object() && theirs.get_object().empty()) theirs = nullptr;
    if (refused ? !ours : ours && same(*ours, theirs)) return {};
    return as + " " + json::serialize(json::value(json::string_view(text))) +
           "\n  kubectl: " + (refused ? "refused" : json::serialize(theirs)) +
           "\n  ours: " + (ours ? json::serialize(*ours) : "refused: " + ours.error());
}

bool is_known_defect(std::string_view line)
{
    const auto verdict = parsed(line);
    const auto text = text_in(verdict);
    const auto has = [&](const char* form) { return std::regex_search(text, std::regex(form)); };
    // A whole document, and brackets behind it.
    if (verdict.get_object().contains("refused")) return has("[\\]}'\"][ \\t\\n]*[\\[{]");
    const bool tag_and_comma = has("![^ \\n]*[,\\[\\]]");
    const bool brackets_as_key = has("[\\[{][ \\t\\n]*(#.*\\n[ ]*)?(\\?|[\\]}])");
    const bool mark_within = text.find("\xEF\xBB\xBF", 1) != text.npos;
    const bool large_exponent = has("[eE][+-]?[0-9]{9,}");
    return tag_and_comma || brackets_as_key || mark_within || large_exponent;
}

} // namespace kubecoro::test
