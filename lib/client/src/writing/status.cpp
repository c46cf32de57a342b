// Status as a merge patch.
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/writing.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

/// Whether a merge patch of the value would change nothing.
bool says_already(const json::value& present, const json::object& patch)
{
    const auto* members = present.if_object();
    return members && std::all_of(patch.begin(), patch.end(), [members](const auto& wanted) {
               const auto* member = members->if_contains(wanted.key());
               if (wanted.value().is_null()) return member == nullptr;
               const auto* inner = wanted.value().if_object();
               return member && (inner ? says_already(*member, *inner) : *member == wanted.value());
           });
}

bool is_other_object(const failure& f)
{
    if (f != cond::invalid || f.status() == nullptr) return false;
    const auto& causes = f.status()->causes;
    return std::any_of(causes.begin(), causes.end(), [](const auto& c) { return c.field == "metadata.uid"; });
}

json::value body_for(const object& o, json::object status)
{
    json::object body;
    // The server refuses to change the uid: the status of an object is not written to another one of its name.
    if (!o.uid().empty()) field(body, "metadata", "uid") = o.uid();
    body["status"] = std::move(status);
    return body;
}

asio::awaitable<result<object>> send_status(client c, object o, json::object wanted, write_options options)
{
    if (says_already(o["status"].to_json(), wanted)) co_return o;
    KUBECORO_TRY(auto type, co_await c.resource_of(std::string(o.api_version()), std::string(o.kind())));
    patch_options how;
    how.write = std::move(options);
    auto patched = co_await c.patch(type, std::string(o.ns()), std::string(o.name()), patch_kind::merge,
                                    body_for(o, std::move(wanted)), std::move(how), "status");
    if (!patched && is_other_object(patched.error()))
        co_return failure(cond::not_found, type.display_name() + " \"" + to_string(o.key()) +
                                               "\" was deleted, and another object has its name");
    co_return patched;
}

} // namespace

asio::awaitable<result<object>> patch_status(client c, object o, json_members status, write_options options)
{
    return catch_failure(send_status(std::move(c), std::move(o), status.take(), std::move(options)));
}

} // namespace kubecoro
