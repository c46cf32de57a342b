#include <kubecoro/api/other_fields.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace kubecoro {

namespace json = boost::json;

std::string_view other_fields::text(std::string_view name) const
{
    const auto& all = members();
    const auto it = all.find(name);
    return it == all.end() ? std::string_view{} : std::string_view(it->second);
}

json::value other_fields::get(std::string_view name) const
{
    const auto found = text(name);
    if (found.empty()) return nullptr;
    boost::system::error_code wrong;
    auto value = json::parse(found, wrong);
    return wrong ? json::value() : value;
}

void other_fields::set(std::string_view name, const json::value& value) { set_text(name, json::serialize(value)); }

void other_fields::set_text(std::string_view name, std::string text)
{
    if (!texts_) texts_ = std::make_unique<texts>();
    texts_->insert_or_assign(std::string(name), std::move(text));
}

void other_fields::erase(std::string_view name)
{
    if (!texts_) return;
    if (const auto it = texts_->find(name); it != texts_->end()) texts_->erase(it);
}

const std::map<std::string, std::string, std::less<>>& other_fields::members() const
{
    static const texts none;
    return texts_ ? *texts_ : none;
}

bool operator==(const other_fields& a, const other_fields& b)
{
    return std::ranges::equal(a.members(), b.members(), [&](const auto& x, const auto& y) {
        return x.first == y.first && (x.second == y.second || a.get(x.first) == b.get(y.first));
    });
}

} // namespace kubecoro
