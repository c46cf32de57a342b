#include <kubecoro/admission/detail/conversion_call.hpp>

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/detail/written_json.hpp>

#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

constexpr std::string_view review_group = "apiextensions.k8s.io/";
constexpr std::size_t deepest_answer = 1000;
/// The metadata that a conversion may change.
constexpr std::array<std::string_view, 2> own_metadata{"labels", "annotations"};

/// "example.com/v1, Kind=Site".
std::string shown_type(const json::object& o)
{
    return std::string(text_in(o, "apiVersion")) + ", Kind=" + std::string(text_in(o, "kind"));
}

std::string_view go_name(const json::value& v)
{
    if (v.is_null()) return "<nil>";
    if (v.is_string()) return "string";
    if (v.is_bool()) return "bool";
    if (v.is_array()) return "[]interface {}";
    if (v.is_object()) return "map[string]interface {}";
    return v.is_double() ? "float64" : "int64";
}

/// Why an object is none of the wanted version; empty: it is one.
std::string type_problem(const json::object& from, const json::object& to, std::string_view wanted)
{
    const auto unlike = [](std::string_view what, std::string_view expected, std::string_view received) {
        return "invalid " + std::string(what) + " (expected " + std::string(expected) + ", received " +
               std::string(received) + ")";
    };
    if (const auto has = text_in(to, "apiVersion"); has != wanted) return unlike("groupVersion", wanted, has);
    const auto before = text_in(from, "kind"), after = text_in(to, "kind");
    return before == after ? std::string() : unlike("kind", before, after);
}

std::string identity_problem(const json::object& from, const json::object& to)
{
    const auto *before = member_in(from, "metadata"), *after = member_in(to, "metadata");
    for (const auto& [member, shown] : {std::pair("name", "name"), {"namespace", "namespace"}, {"uid", "UID"}}) {
        const auto a = text_in(*before, member);
        const auto b = after != nullptr ? text_in(*after, member) : std::string_view();
        if (a != b) return "must have the same " + std::string(shown) + ": " + std::string(a) + " != " + std::string(b);
    }
    return {};
}

std::string metadata_problem(const json::object& to)
{
    const auto* metadata = member_in(to, "metadata");
    if (metadata == nullptr) return "missing metadata in converted object";
    if (!metadata->is_object())
        return "invalid metadata of type " + std::string(go_name(*metadata)) + " in converted object";
    for (const auto name : own_metadata) {
        const auto* texts = member_in(*metadata, name);
        if (texts == nullptr || texts->is_null()) continue;
        const auto field = "metadata." + std::string(name);
        if (!texts->is_object())
            return "invalid " + field + " of type " + std::string(go_name(*texts)) + " in converted object";
        for (const auto& [key, value] : texts->get_object())
            if (!value.is_string())
                return field + "[" + std::string(key) + "] must be a string, but is " + std::string(go_name(value)) +
                       " in converted object";
    }
    return {};
}

/// Why an object cannot take the place of another one, in the words for a single one or for one of several.
std::string object_problem(const conversion_question& asked, std::size_t i, const json::value& converted)
{
    const auto& from = asked.objects[i];
    const bool single = asked.objects.size() == 1;
    const auto at = "at index " + std::to_string(i) + ": ";
    const std::string unlike = single ? " returned invalid object " : " returned invalid converted object ";
    if (!converted.is_object()) return unlike + at + "no object";
    const auto& to = converted.get_object();
    if (const auto why = type_problem(from, to, asked.wanted); !why.empty()) return unlike + at + why;
    if (const auto why = identity_problem(from, to); !why.empty())
        return single ? " returned invalid object: " + why : unlike + at + why;
    if (const auto why = metadata_problem(to); !why.empty())
        return " returned invalid metadata" + (single ? ": " : " in object " + at) + why;
    return {};
}

/// The problem of a whole answer; empty: none.
std::string answer_problem(const conversion_question& asked, const json::value& review)
{
    const auto* response = object_in(review, "response");
    if (asked.to.review_version == "v1") {
        const auto expected = std::string(review_group) + "v1, Kind=ConversionReview";
        const auto got = review.is_object() ? shown_type(review.get_object()) : std::string();
        if (got != expected) return "expected webhook response of " + expected + ", got " + got;
        if (response == nullptr) return "no response provided";
        if (const auto uid = text_in(*response, "uid"); uid != asked.uid)
            return "expected response.uid=\"" + asked.uid + "\", got \"" + std::string(uid) + "\"";
    }
    if (response == nullptr) return "no response provided";
    const auto* outcome = member_in(*response, "result");
    const auto status = outcome != nullptr ? text_in(*outcome, "status") : std::string_view();
    if (status == "Success") return {};
    const auto message = outcome != nullptr ? text_in(*outcome, "message") : std::string_view();
    return message.empty() ? "response.result.status was '" + std::string(status) + "', not 'Success'"
                           : std::string(message);
}

} // namespace

std::optional<conversion_webhook> conversion_webhook_of(const json::value& definition)
{
    const auto* spec = object_in(definition, "spec");
    const auto* conversion = spec != nullptr ? object_in(*spec, "conversion") : nullptr;
    if (conversion == nullptr || text_in(*conversion, "strategy") != "Webhook") return {};
    conversion_webhook out;
    const auto* webhook = object_in(*conversion, "webhook");
    if (webhook == nullptr) return out;
    if (const auto* client = object_in(*webhook, "clientConfig")) out.place = webhook_place_of(*client);
    if (const auto* versions = array_in(*webhook, "conversionReviewVersions")) {
        const auto known =
            std::ranges::find_if(*versions, [](const json::value& v) { return v == "v1" || v == "v1beta1"; });
        if (known != versions->end()) out.review_version = known->get_string();
    }
    return out;
}

std::string conversion_question::body() const
{
    json::array all;
    for (const auto& o : objects) all.push_back(o);
    return written_json(
        json::object{{"kind", "ConversionReview"},
                     {"apiVersion", std::string(review_group) + to.review_version},
                     {"request", {{"uid", uid}, {"desiredAPIVersion", wanted}, {"objects", std::move(all)}}}});
}

std::string conversion_question::failed(std::string_view why) const
{
    return "conversion webhook for " + shown_type(objects.front()) + " failed: " + std::string(why);
}

result<std::vector<json::object>> read_conversions(const conversion_question& asked, std::string_view body)
{
    const auto unusable = [](std::string why) { return failure(cond::corrupt, std::move(why)); };
    boost::system::error_code ec;
    json::parse_options options;
    options.max_depth = deepest_answer;
    auto review = json::parse({body.data(), body.size()}, ec, {}, options);
    if (ec) return unusable(asked.failed("couldn't get version/kind; json parse error: " + ec.message()));
    if (const auto why = answer_problem(asked, review); !why.empty()) return unusable(asked.failed(why));
    auto& response = review.get_object()["response"].get_object();
    auto* converted = response["convertedObjects"].if_array();
    const auto count = converted != nullptr ? converted->size() : 0;
    const auto about = "conversion webhook for " + shown_type(asked.objects.front());
    if (count != asked.objects.size())
        return unusable(about + " returned " + std::to_string(count) + " objects, expected " +
                        std::to_string(asked.objects.size()));
    std::vector<json::object> out;
    out.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (const auto why = object_problem(asked, i, (*converted)[i]); !why.empty()) return unusable(about + why);
        out.push_back(std::move((*converted)[i].get_object()));
        restore_metadata(asked.objects[i], out.back());
    }
    return out;
}

void restore_metadata(const json::object& from, json::object& converted)
{
    json::object metadata = *object_in(from, "metadata");
    for (const auto name : own_metadata) {
        const auto* changed = member_in(converted.at("metadata"), name);
        if (changed != nullptr && !changed->is_null())
            metadata[name] = *changed;
        else
            metadata.erase(name);
    }
    converted["metadata"] = std::move(metadata);
}

} // namespace kubecoro::detail
