#include <kubecoro/admission/detail/conversion_ledger.hpp>

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/detail/written_json.hpp>

#include <cmath>
#include <iterator>
#include <string_view>

namespace kubecoro::detail {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

/// A kube-apiserver gives a conversion as long.
constexpr std::chrono::seconds longest_conversion{30};
/// Times that a request is begun again because others change its objects while they are converted.
constexpr std::uint32_t most_conversions = 10;
/// Bytes of objects in one question. A webhook of this library accepts 64 MiB.
constexpr std::size_t most_asked_bytes = std::size_t{16} << 20;

/// With sorted members, and whole numbers as integers: equal objects have equal texts, also after they were stored.
json::value canonical(const json::value& v)
{
    constexpr double largest = 9e18;
    if (const auto* items = v.if_array()) {
        json::array out;
        for (const auto& item : *items) out.push_back(canonical(item));
        return out;
    }
    if (const auto* members = v.if_object()) {
        std::map<std::string_view, const json::value*> sorted;
        for (const auto& [key, value] : *members) sorted.emplace(key, &value);
        json::object out;
        for (const auto& [key, value] : sorted) out.emplace(key, canonical(*value));
        return out;
    }
    const auto* number = v.if_double();
    if (number != nullptr && std::trunc(*number) == *number && std::abs(*number) < largest)
        return static_cast<std::int64_t>(*number);
    return v;
}

/// The object without what differs in each attempt at a write.
json::object comparable_object(const json::object& o)
{
    json::object out = o;
    json::object metadata;
    if (const auto* has = object_in(o, "metadata")) {
        const bool is_generated = has->contains("generateName");
        for (const std::string_view name : {"name", "namespace", "generateName", "labels", "annotations"})
            if (const auto* v = has->if_contains(name); v != nullptr && !(name == "name" && is_generated))
                metadata[name] = *v;
    }
    out["metadata"] = std::move(metadata);
    return out;
}

std::string key_of_object(const conversion_webhook& by, const json::object& o, std::string_view wanted)
{
    return by.place.shown() + "\n" + std::string(wanted) + "\n" + written_json(canonical(comparable_object(o)));
}

} // namespace

std::optional<result<conversion_ledger::objects>>
conversion_ledger::convert(const conversion_webhook& by, const objects& from, std::string_view wanted)
{
    if (pending()) return {};
    if (by.review_version.empty()) return failure(cond::misconfigured, "no supported conversion review versions");
    objects out, missing;
    for (const auto& o : from) {
        const auto at = known_.find(key_of_object(by, o, wanted));
        if (at == known_.end()) {
            missing.push_back(o);
            continue;
        }
        if (!at->second) return at->second.error();
        out.push_back(*at->second);
        restore_metadata(o, out.back());
    }
    if (missing.empty()) return out;
    conversion_question question{.to = by, .objects = std::move(missing), .wanted = std::string(wanted)};
    if (attempts_ >= most_conversions)
        return failure(cond::conflict, question.failed("the objects have changed each time while it was asked"));
    asked_ = std::move(question);
    return {};
}

conversion_question conversion_ledger::next_part()
{
    conversion_question part{.to = asked_.to, .uid = review_uid(++reviews_), .wanted = asked_.wanted};
    auto end = asked_.objects.begin();
    for (std::size_t bytes = 0; end != asked_.objects.end() && bytes < most_asked_bytes; ++end)
        bytes += written_json(*end).size();
    std::move(asked_.objects.begin(), end, std::back_inserter(part.objects));
    asked_.objects.erase(asked_.objects.begin(), end);
    return part;
}

asio::awaitable<void> conversion_ledger::ask(conversion_question question)
{
    const auto answer = co_await caller_.ask(question.to.place, longest_conversion, question.body());
    auto converted = answer ? read_conversions(question, *answer)
                            : failure(answer.error().condition(), question.failed(answer.error().message()));
    for (std::size_t i = 0; i < question.objects.size(); ++i) {
        auto key = key_of_object(question.to, question.objects[i], question.wanted);
        if (converted)
            known_.insert_or_assign(std::move(key), std::move((*converted)[i]));
        else
            known_.insert_or_assign(std::move(key), converted.error());
    }
}

asio::awaitable<void> conversion_ledger::perform()
{
    ++attempts_;
    while (pending()) co_await ask(next_part());
}

void conversion_ledger::forget()
{
    known_.clear();
    attempts_ = 0;
}

} // namespace kubecoro::detail
