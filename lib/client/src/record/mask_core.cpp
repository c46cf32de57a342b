#include "record/mask_core.hpp"

#include <kubecoro/api/bytes.hpp>

#include <boost/json.hpp>

#include <charconv>
#include <system_error>

namespace json = boost::json;

namespace kubecoro::detail {
namespace {

constexpr std::string_view withheld = "\"masked\"";
constexpr std::string_view last_applied = "kubectl.kubernetes.io/last-applied-configuration";
constexpr std::size_t deepest = 200;

json::parse_options parsing()
{
    json::parse_options out;
    out.max_depth = deepest;
    return out;
}

class masker
{
public:
    explicit masker(const hash_secrets& key) : key_(&key) {}

    // NOLINTNEXTLINE(misc-no-recursion): the parser bounds the depth
    void walk(json::value& v)
    {
        if (v.is_array()) {
            for (auto& item : v.get_array()) walk(item);
            return;
        }
        if (!v.is_object()) return;
        auto& o = v.get_object();
        const bool is_patch = o.contains("op") && o.contains("path");
        for (auto& m : o) {
            const std::string_view name = m.key();
            if (name == "data")
                hide(m.value(), true);
            else if (name == "stringData" || name == "token")
                hide(m.value(), false);
            else if (is_patch && name == "value")
                hide(m.value(), o.at("path").is_string() && o.at("path").get_string().starts_with("/data"));
            else if (name == last_applied)
                hide_document(m.value());
            else
                walk(m.value());
        }
    }

private:
    [[nodiscard]] std::string word(std::string_view value) const
    {
        char digits[16];
        const auto [end, wrong] = std::to_chars(digits, digits + sizeof digits, hash_text(value, *key_), 16);
        return "masked-" + std::string(digits, wrong == std::errc() ? end : digits);
    }
    // NOLINTNEXTLINE(misc-no-recursion): the parser bounds the depth
    void hide(json::value& v, bool base64)
    {
        if (v.is_object()) {
            for (auto& m : v.get_object()) hide(m.value(), base64);
        } else if (v.is_array()) {
            for (auto& item : v.get_array()) hide(item, base64);
        } else if (v.is_string()) {
            const std::string_view text(v.get_string());
            const auto plain = base64 ? bytes::from_base64(text) : result<bytes>(bytes(std::string(text)));
            auto hidden = word(plain ? std::string_view(plain->data) : text);
            v = base64 ? bytes(std::move(hidden)).base64() : std::move(hidden);
        } else {
            v = nullptr;
        }
    }
    // NOLINTNEXTLINE(misc-no-recursion): a document in a document in a document is withheld
    void hide_document(json::value& v)
    {
        if (!v.is_string()) return;
        boost::system::error_code wrong;
        auto inner = json::parse(v.get_string(), wrong, {}, parsing());
        if (wrong || within_) {
            v = withheld;
            return;
        }
        within_ = true;
        walk(inner);
        within_ = false;
        v = json::serialize(inner);
    }

    const hash_secrets* key_;
    bool within_ = false;
};

} // namespace

bool secret_mask::covers(std::string_view target)
{
    auto path = target.substr(0, target.find('?'));
    // An encoded letter may be one of the words.
    if (path.find('%') != std::string_view::npos) return true;
    while (!path.empty()) {
        const auto segment = path.substr(0, path.find('/'));
        if (segment == "secrets" || segment == "token" || segment == "tokenreviews") return true;
        path.remove_prefix(segment.size() < path.size() ? segment.size() + 1 : path.size());
    }
    return false;
}

std::string secret_mask::masked(std::string_view text) const
{
    if (text.empty()) return {};
    boost::system::error_code wrong;
    auto whole = json::parse(text, wrong, {}, parsing());
    if (wrong) return std::string(withheld);
    masker(key_).walk(whole);
    return json::serialize(whole);
}

} // namespace kubecoro::detail
