#include <kubecoro/api/other_fields.hpp>

#include "tape/tape_format.hpp"

#include <kubecoro/api/detail/written_json.hpp>

#include <boost/json/parse.hpp>

#include <algorithm>
#include <optional>

namespace kubecoro {

namespace json = boost::json;

namespace {

std::optional<json::value> parsed(std::string_view text)
{
    json::parse_options limits;
    // The default of Boost.JSON is less than definitions have.
    limits.max_depth = detail::deepest;
    boost::system::error_code wrong;
    auto value = json::parse(text, wrong, {}, limits);
    if (wrong) return std::nullopt;
    return value;
}

bool equal_texts(const std::string& a, const std::string& b)
{
    if (a == b) return true;
    const auto x = parsed(a);
    return x && x == parsed(b);
}

} // namespace

std::string_view other_fields::text(std::string_view name) const
{
    const auto& all = members();
    const auto it = all.find(name);
    return it == all.end() ? std::string_view{} : std::string_view(it->second);
}

json::value other_fields::get(std::string_view name) const { return parsed(text(name)).value_or(nullptr); }

void other_fields::set(std::string_view name, const json::value& value) { set_text(name, detail::written_json(value)); }

void other_fields::set_text(std::string_view name, std::string text)
{
    if (!kept_) kept_ = std::make_unique<content>();
    kept_->members.insert_or_assign(std::string(name), std::move(text));
}

void other_fields::erase(std::string_view name)
{
    if (!kept_) return;
    if (const auto it = kept_->members.find(name); it != kept_->members.end()) kept_->members.erase(it);
}

void other_fields::set_partial(bool partial)
{
    if (!kept_ && !partial) return;
    if (!kept_) kept_ = std::make_unique<content>();
    kept_->partial = partial;
}

const std::map<std::string, std::string, std::less<>>& other_fields::members() const
{
    static const std::map<std::string, std::string, std::less<>> none;
    return kept_ ? kept_->members : none;
}

bool operator==(const other_fields& a, const other_fields& b)
{
    return std::ranges::equal(a.members(), b.members(), [](const auto& x, const auto& y) {
        return x.first == y.first && equal_texts(x.second, y.second);
    });
}

} // namespace kubecoro
