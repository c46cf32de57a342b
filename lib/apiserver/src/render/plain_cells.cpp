#include "render/plain_cells.hpp"

#include <kubecoro/api/resource.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace kubecoro::apiserver::cells {

std::string joined(const json::array* items, std::string_view member)
{
    std::string out;
    if (items)
        for (const auto& item : *items)
            out += (out.empty() ? "" : ",") + (member.empty() ? scalar_text(item) : std::string(text_at(item, member)));
    return out;
}

json::value shown(std::string_view text, std::string_view otherwise)
{
    return json::value(text.empty() ? otherwise : text);
}

json::value count(const json::array* items) { return static_cast<std::int64_t>(items ? items->size() : 0); }

json::value labels_of(const json::object* labels)
{
    std::string out;
    if (labels)
        for (const auto& [key, value] : *labels)
            out += (out.empty() ? "" : ",") + std::string(key) + "=" + scalar_text(value);
    return shown(out);
}

namespace {

/// "RWO,RWX": each once, in the order of kube-apiserver.
std::string access_modes(const json::array* modes)
{
    constexpr std::pair<std::string_view, std::string_view> known[]{
        {"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"}};
    std::string out;
    for (const auto& [mode, shown_mode] : known)
        if (modes && std::find(modes->begin(), modes->end(), json::value(mode)) != modes->end())
            out += (out.empty() ? "" : ",") + std::string(shown_mode);
    return out;
}

/// Whether a claim says what it has: it does once it is bound.
bool is_bound(const json::value& claim) { return !text_at(claim, "spec.volumeName").empty(); }

json::value text(std::string_view v) { return json::value(v); }

} // namespace

json::value volume_modes(const json::value& body) { return text(access_modes(array_at(body, "spec.accessModes"))); }

json::value claim_modes(const json::value& body)
{
    return text(is_bound(body) ? access_modes(array_at(body, "status.accessModes")) : "");
}

json::value claim_capacity(const json::value& body)
{
    const auto stated = text_at(body, "status.capacity.storage");
    return is_bound(body) && stated.empty() ? text("0") : text(is_bound(body) ? stated : "");
}

json::value phase(const json::value& body)
{
    return find_at(body, "metadata.deletionTimestamp") ? text("Terminating") : text(text_at(body, "status.phase"));
}

json::value attributes_class(const json::value& body)
{
    return shown(text_at(body, "spec.volumeAttributesClassName"), "<unset>");
}

json::value claim(const json::value& body)
{
    const auto name = text_at(body, "spec.claimRef.name");
    if (name.empty()) return "";
    return json::value(
        std::string_view(std::string(text_at(body, "spec.claimRef.namespace")) + "/" + std::string(name)));
}

namespace {

/// The first of a list, and the number of the others: "a,b,c + 2 more...".
class short_list
{
public:
    explicit short_list(std::size_t most, std::string_view separator = ",") : most_(most), separator_(separator) {}

    void add(std::string_view text)
    {
        if (count_++ >= most_) return;
        out_ += count_ == 1 ? std::string_view() : separator_;
        out_ += text;
    }
    /// Counts others without looking at them.
    void pass_over(std::size_t others) noexcept { count_ += others; }
    [[nodiscard]] bool is_full() const noexcept { return count_ >= most_; }
    [[nodiscard]] std::string text() const
    {
        return count_ > most_ ? out_ + " + " + std::to_string(count_ - most_) + " more..." : out_;
    }

private:
    std::size_t most_;
    std::string_view separator_;
    std::size_t count_ = 0;
    std::string out_;
};

/// Adds each address with each port. They may be many by many: those that are not shown are not looked at.
void add_subset(const json::value& subset, short_list& out)
{
    static const json::array none;
    const auto* stated_ports = array_at(subset, "ports");
    const auto* stated_addresses = array_at(subset, "addresses");
    const auto& ports = stated_ports ? *stated_ports : none;
    const auto& addresses = stated_addresses ? *stated_addresses : none;
    const auto all = addresses.size() * std::max<std::size_t>(ports.size(), 1);
    std::size_t i = 0;
    for (; i < all && !out.is_full(); ++i) {
        std::string text(text_at(addresses[i % addresses.size()], "ip"));
        if (!ports.empty()) {
            if (text.find(':') != std::string::npos) text = "[" + text + "]";
            text += ":" + std::to_string(int_at(ports[i / addresses.size()], "port"));
        }
        out.add(text);
    }
    out.pass_over(all - i);
}

} // namespace

json::value endpoint_addresses(const json::value& body)
{
    short_list out(3);
    if (const auto* subsets = array_at(body, "subsets"))
        for (const auto& subset : *subsets) add_subset(subset, out);
    return shown(out.text());
}

json::value slice_ports(const json::value& body)
{
    short_list out(3);
    if (const auto* ports = array_at(body, "ports"))
        for (const auto& p : *ports) {
            const auto* number = find_at(p, "port");
            const auto* name = find_at(p, "name");
            out.add(number ? scalar_text(*number) : name ? scalar_text(*name) : std::string("*"));
        }
    return shown(out.text(), "<unset>");
}

json::value slice_addresses(const json::value& body)
{
    short_list out(3);
    if (const auto* endpoints = array_at(body, "endpoints"))
        for (const auto& e : *endpoints)
            if (const auto* addresses = array_at(e, "addresses"))
                for (const auto& address : *addresses) out.add(scalar_text(address));
    return shown(out.text(), "<unset>");
}

/// Three hosts, and the number of the other rules. As in a kube-apiserver, rules without a host are among those.
json::value ingress_hosts(const json::value& body)
{
    constexpr std::size_t most = 3;
    std::string out;
    std::size_t listed = 0;
    const auto* rules = array_at(body, "spec.rules");
    for (std::size_t i = 0; rules && i < rules->size(); ++i) {
        if (listed == most) return json::value(out + " + " + std::to_string(rules->size() - most) + " more...");
        const auto host = text_at((*rules)[i], "host");
        if (host.empty()) continue;
        out += (listed++ == 0 ? "" : ",") + std::string(host);
    }
    return shown(out, "*");
}

json::value ingress_address(const json::value& body)
{
    std::string out;
    if (const auto* addresses = array_at(body, "status.loadBalancer.ingress"))
        for (const auto& a : *addresses) {
            const auto ip = text_at(a, "ip");
            out += (out.empty() ? "" : ",") + std::string(ip.empty() ? text_at(a, "hostname") : ip);
        }
    return json::value(std::string_view(out));
}

json::value ingress_ports(const json::value& body)
{
    const auto* tls = array_at(body, "spec.tls");
    return tls && !tls->empty() ? "80, 443" : "80";
}

json::value scale_target(const json::value& body)
{
    return json::value(std::string_view(std::string(text_at(body, "spec.scaleTargetRef.kind")) + "/" +
                                        std::string(text_at(body, "spec.scaleTargetRef.name"))));
}

namespace {

/// The target of a resource: "cpu: 33%/80%". Other metrics have no values here.
std::string scale_metric(const json::value& metric, const json::value* status)
{
    static const json::value none;
    const auto& now = status ? *status : none;
    const auto name = text_at(metric, "resource.name");
    if (name.empty()) return std::string(text_at(metric, "type")) + ": <unknown>/<unknown>";
    const auto percent = [](const json::value* v) { return v ? scalar_text(*v) + "%" : std::string(); };
    auto wanted = std::string(text_at(metric, "resource.target.averageValue"));
    auto current = std::string(text_at(now, "resource.current.averageValue"));
    if (wanted.empty()) {
        wanted = percent(find_at(metric, "resource.target.averageUtilization"));
        current = percent(find_at(now, "resource.current.averageUtilization"));
    }
    return std::string(name) + ": " + (current.empty() ? "<unknown>" : current) + "/" +
           (wanted.empty() ? "<auto>" : wanted);
}

} // namespace

json::value scale_metrics(const json::value& body)
{
    short_list out(2, ", ");
    const auto* current = array_at(body, "status.currentMetrics");
    if (const auto* metrics = array_at(body, "spec.metrics"))
        for (std::size_t i = 0; i < metrics->size(); ++i)
            out.add(scale_metric((*metrics)[i], current && i < current->size() ? &(*current)[i] : nullptr));
    return shown(out.text());
}

namespace {

json::value disruption_limit(const json::value& body, std::string_view path)
{
    const auto* limit = find_at(body, path);
    return json::value(std::string_view(limit && !limit->is_null() ? scalar_text(*limit) : "N/A"));
}

} // namespace

json::value least_available(const json::value& body) { return disruption_limit(body, "spec.minAvailable"); }
json::value most_unavailable(const json::value& body) { return disruption_limit(body, "spec.maxUnavailable"); }

json::value role(const json::value& body)
{
    return json::value(std::string_view(std::string(text_at(body, "roleRef.kind")) + "/" +
                                        std::string(text_at(body, "roleRef.name"))));
}

namespace {

std::string subjects(const json::value& body, std::string_view kind)
{
    std::string out;
    if (const auto* all = array_at(body, "subjects"))
        for (const auto& s : *all) {
            if (text_at(s, "kind") != kind) continue;
            out += out.empty() ? "" : ", ";
            if (kind == "ServiceAccount") out += std::string(text_at(s, "namespace")) + "/";
            out += text_at(s, "name");
        }
    return out;
}

} // namespace

json::value users(const json::value& body) { return json::value(std::string_view(subjects(body, "User"))); }
json::value groups(const json::value& body) { return json::value(std::string_view(subjects(body, "Group"))); }
json::value accounts(const json::value& body)
{
    return json::value(std::string_view(subjects(body, "ServiceAccount")));
}

json::value flag(const json::value& body, std::string_view path)
{
    const auto* found = find_at(body, path);
    return found && found->is_bool() && found->get_bool();
}

/// The last condition of a signing request: "Approved,Issued".
json::value signing_condition(const json::value& body)
{
    auto out = joined(array_at(body, "status.conditions"), "type");
    if (!text_at(body, "status.certificate").empty()) out += (out.empty() ? "" : ",") + std::string("Issued");
    return shown(out, "Pending");
}

namespace {

json::value resource_list(const json::value& body, std::string_view prefix, bool with)
{
    std::map<std::string_view, std::string> sorted;
    const auto* used = object_at(body, "status.used");
    if (const auto* hard = object_at(body, "status.hard"))
        for (const auto& [key, limit] : *hard) {
            if (std::string_view(key).starts_with(prefix) != with) continue;
            const auto* value = used ? used->if_contains(key) : nullptr;
            sorted[key] = (value ? scalar_text(*value) : "0") + "/" + scalar_text(limit);
        }
    std::string out;
    for (const auto& [key, numbers] : sorted) out += (out.empty() ? "" : ", ") + std::string(key) + ": " + numbers;
    return text(out);
}

} // namespace

json::value quota_requests(const json::value& body) { return resource_list(body, "limits.", false); }
json::value quota_limits(const json::value& body) { return resource_list(body, "limits.", true); }

/// "StatefulSet of apps/v1" as "statefulset.apps/name".
json::value controller(const json::value& body)
{
    const auto* owners = array_at(body, "metadata.ownerReferences");
    for (std::size_t i = 0; owners && i < owners->size(); ++i) {
        const auto& owner = (*owners)[i];
        if (!flag(owner, "controller").get_bool()) continue;
        std::string kind(text_at(owner, "kind"));
        for (char& ch : kind)
            if (ch >= 'A' && ch <= 'Z') ch = static_cast<char>(ch - 'A' + 'a');
        const auto group = group_version::parse(text_at(owner, "apiVersion")).group;
        return text(kind + (group.empty() ? "" : ".") + std::string(group) + "/" + std::string(text_at(owner, "name")));
    }
    return text("<none>");
}

json::value class_parameters(const json::value& body)
{
    if (!object_at(body, "spec.parameters")) return text("<none>");
    const auto group = text_at(body, "spec.parameters.apiGroup");
    return text(std::string(text_at(body, "spec.parameters.kind")) + (group.empty() ? "" : ".") + std::string(group) +
                "/" + std::string(text_at(body, "spec.parameters.name")));
}

json::value api_service(const json::value& body)
{
    if (!object_at(body, "spec.service")) return text("Local");
    return text(std::string(text_at(body, "spec.service.namespace")) + "/" +
                std::string(text_at(body, "spec.service.name")));
}

/// "True", or why not: "False (ServiceNotFound)".
json::value api_available(const json::value& body)
{
    if (const auto* conditions = array_at(body, "status.conditions"))
        for (const auto& c : *conditions) {
            if (text_at(c, "type") != "Available") continue;
            const auto status = text_at(c, "status");
            if (status == "True") return text(status);
            return text(std::string(status) + " (" + std::string(text_at(c, "reason")) + ")");
        }
    return text("Unknown");
}

/// The audiences of the tokens of a driver.
json::value token_requests(const json::value& body)
{
    std::string out;
    if (const auto* requests = array_at(body, "spec.tokenRequests"))
        for (const auto& r : *requests) {
            const auto audience = text_at(r, "audience");
            out += (out.empty() ? "" : ",") + (audience.empty() ? std::string("<none>") : std::string(audience));
        }
    return shown(out, "<unset>");
}

json::value selector(const json::value& body, std::string_view path)
{
    std::multimap<std::string, std::string> parts;
    const auto add = [&](std::string_view key, std::string_view before, std::string_view after) {
        parts.emplace(key, std::string(before) + std::string(key) + std::string(after));
    };
    if (const auto* labels = object_at(body, std::string(path) + ".matchLabels"))
        for (const auto& [key, value] : *labels) add(key, "", "=" + scalar_text(value));
    if (const auto* expressions = array_at(body, std::string(path) + ".matchExpressions"))
        for (const auto& e : *expressions) {
            const auto key = text_at(e, "key");
            const auto operation = text_at(e, "operator");
            std::set<std::string> values;
            if (const auto* stated = array_at(e, "values"))
                for (const auto& v : *stated) values.insert(scalar_text(v));
            std::string list;
            for (const auto& v : values) list += (list.empty() ? "" : ",") + v;
            if (operation == "Exists" || operation == "DoesNotExist")
                add(key, operation == "Exists" ? "" : "!", "");
            else
                add(key, "", (operation == "In" ? " in (" : " notin (") + list + ")");
        }
    std::string out;
    for (const auto& [key, part] : parts) out += (out.empty() ? "" : ",") + part;
    return shown(out);
}

json::value pod_selector(const json::value& body) { return selector(body, "spec.podSelector"); }

} // namespace kubecoro::apiserver::cells
