#include <kubecoro/testing/objects.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

namespace kubecoro::testing {
namespace {

std::string quote(std::string_view text) { return boost::json::serialize(boost::json::value(text)); }

void append_member(std::string& out, std::string_view name, std::string_view value)
{
    if (value.empty()) return;
    if (out.back() != '{') out += ',';
    out += quote(name) + ':' + quote(value);
}

server_status make_status(int code, std::string reason, std::string message)
{
    server_status s;
    s.code = code;
    s.reason = std::move(reason);
    s.message = std::move(message);
    return s;
}

watch_event make_event(watch_event_type type, object o)
{
    watch_event e;
    e.type = type;
    e.obj = std::move(o);
    return e;
}

} // namespace

object make_object(const object_spec& spec)
{
    std::string metadata = "{";
    append_member(metadata, "name", spec.name);
    append_member(metadata, "namespace", spec.ns);
    append_member(metadata, "uid", spec.uid.empty() ? "uid-" + spec.ns + "-" + spec.name : spec.uid);
    append_member(metadata, "resourceVersion", spec.resource_version);
    if (!spec.labels.empty()) {
        std::string labels = "{";
        for (const auto& [key, value] : spec.labels) {
            if (labels.size() > 1) labels += ',';
            labels += quote(key) + ':' + quote(value);
        }
        metadata += ",\"labels\":" + labels + '}';
    }
    std::string text = "{";
    append_member(text, "apiVersion", spec.api_version);
    append_member(text, "kind", spec.kind);
    text += text.size() > 1 ? ",\"metadata\":" : "\"metadata\":";
    text += metadata + '}';
    if (!spec.members.empty()) text += ',' + spec.members;
    return object::parse(text + '}').value();
}

object make_pod(std::string_view ns, std::string_view name, std::string_view resource_version, std::string_view node)
{
    object_spec spec;
    spec.ns = ns;
    spec.name = name;
    spec.resource_version = resource_version;
    if (!node.empty()) spec.members = "\"spec\":{\"nodeName\":" + quote(node) + '}';
    return make_object(spec);
}

list_page make_page(std::vector<object> items, std::string resource_version, std::string continue_token)
{
    list_page page;
    page.kind = items.empty() ? "List" : std::string(items.front().kind()) + "List";
    page.api_version = items.empty() ? "v1" : std::string(items.front().api_version());
    page.items = std::move(items);
    page.resource_version = std::move(resource_version);
    page.continue_token = std::move(continue_token);
    return page;
}

watch_event added(object o) { return make_event(watch_event_type::added, std::move(o)); }
watch_event modified(object o) { return make_event(watch_event_type::modified, std::move(o)); }
watch_event deleted(object o) { return make_event(watch_event_type::deleted, std::move(o)); }

watch_event bookmark(std::string_view resource_version, bool ends_initial_events, std::string_view kind,
                     std::string_view api_version)
{
    std::string text = "{";
    append_member(text, "kind", kind);
    append_member(text, "apiVersion", api_version);
    text += ",\"metadata\":{\"resourceVersion\":" + quote(resource_version);
    if (ends_initial_events) text += R"(,"annotations":{"k8s.io/initial-events-end":"true"})";
    return make_event(watch_event_type::bookmark, object::parse(text + "}}").value());
}

watch_event error_event(int code, std::string reason, std::string message)
{
    watch_event e;
    e.type = watch_event_type::error;
    e.status = std::make_shared<const server_status>(make_status(code, std::move(reason), std::move(message)));
    return e;
}

watch_event unknown_event(std::string type)
{
    watch_event e;
    e.unknown_type = std::move(type);
    return e;
}

failure server_failure(int code, std::string reason, std::string message)
{
    return failure(make_status(code, std::move(reason), std::move(message)));
}

} // namespace kubecoro::testing
