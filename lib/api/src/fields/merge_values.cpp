// Merges values, and removes fields from them.
#include <kubecoro/api/detail/typed_value.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <unordered_set>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

using form = merge_type::form;

std::optional<json::value> merged(const json::value* live, const json::value* config, const merge_type& type);

std::optional<json::value> either(const json::value* live, const json::value* config)
{
    if (config) return *config;
    if (live) return *live;
    return {};
}

std::optional<json::value> merged_members(const json::object* live, const json::object* config, const merge_type& type)
{
    json::object out;
    out.reserve((live ? live->size() : 0) + (config ? config->size() : 0));
    if (live)
        for (const auto& [name, value] : *live)
            if (auto one = merged(&value, config ? config->if_contains(name) : nullptr, type.member(name)))
                out.emplace(name, std::move(*one));
    if (config)
        for (const auto& [name, value] : *config)
            if (!live || !live->contains(name))
                if (auto one = merged(nullptr, &value, type.member(name))) out.emplace(name, std::move(*one));
    if (out.empty()) return {};
    return out;
}

/// Merges two lists in one pass: items of the live list stay where they are between those that both lists have, whose order
/// is that of the configuration.
class list_merge
{
public:
    list_merge(const indexed_list& live, const indexed_list& config, const merge_type& type)
        : live_(live), config_(config), item_type_(type.item())
    {
        for (const auto& each : config_.items)
            if (live_.count(each.element) > 0) shared_.push_back(&each.element);
    }

    json::array run()
    {
        while (l_ < live_.items.size() || c_ < config_.items.size())
            if (!step_live()) take_config();
        return std::move(out_);
    }

private:
    const path_element* wanted() const { return next_shared_ < shared_.size() ? shared_[next_shared_] : nullptr; }

    /// @return false when the next item of the configuration comes.
    bool step_live()
    {
        if (l_ == live_.items.size()) return false;
        const auto& element = live_.items[l_].element;
        if (c_ < config_.items.size()) {
            if (element == config_.items[c_].element) return false; // merges both
            if (config_.count(element) > 0 && wanted() && *wanted() != element) {
                ++l_; // an item of both that comes in the order of the configuration
                return true;
            }
        }
        if (config_.count(element) == 0) {
            if (auto one = merged(live_.items[l_].item, nullptr, item_type_)) out_.push_back(std::move(*one));
            ++l_;
            return true;
        }
        if (c_ == config_.items.size() || done_.contains(element)) {
            ++l_;
            return true;
        }
        return false;
    }

    void take_config()
    {
        const auto& element = config_.items[c_].element;
        if (l_ < live_.items.size() && live_.items[l_].element == element) ++l_;
        if (auto one = merged(live_.only(element), config_.items[c_].item, item_type_)) out_.push_back(std::move(*one));
        done_.insert(element);
        if (wanted() && *wanted() == element) ++next_shared_;
        ++c_;
    }

    const indexed_list& live_;
    const indexed_list& config_;
    merge_type item_type_;
    /// The elements of both lists, in the order of the configuration.
    std::vector<const path_element*> shared_;
    std::unordered_set<std::string_view, text_hash> done_;
    std::size_t next_shared_ = 0, l_ = 0, c_ = 0;
    json::array out_;
};

bool is_nothing(const json::value* v)
{
    return !v || v->is_null() || (v->is_object() && v->get_object().empty()) ||
           (v->is_array() && v->get_array().empty());
}

std::optional<json::value> merged(const json::value* live, const json::value* config, const merge_type& type)
{
    const bool by_live = !config || config->is_null();
    if (by_live && !live) return either(live, config);
    const auto f = type.form_of(by_live ? *live : *config);
    if (f == form::leaf || (is_nothing(live) && is_nothing(config))) return either(live, config);
    if (f == form::members)
        return merged_members(live ? live->if_object() : nullptr, config ? config->if_object() : nullptr, type);
    const item_keys keys(type, f);
    const auto old_items = index_list(live, keys);
    const auto new_items = index_list(config, keys);
    auto out = list_merge(old_items, new_items, type).run();
    if (out.empty()) return {};
    return out;
}

json::value left(const json::value& v, const field_set& fields, const merge_type& type);

/// The rest of a member or item: it itself, a part of it, or nothing.
std::optional<json::value> left_of(const json::value& v, std::string_view element, const field_set& fields,
                                   const merge_type& type)
{
    if (fields.has(element)) return {};
    const auto* below = fields.below(element);
    return below ? left(v, *below, type) : v;
}

json::value left(const json::value& v, const field_set& fields, const merge_type& type)
{
    const auto f = type.form_of(v);
    if (f == form::leaf || is_nothing(&v)) return v;
    if (f == form::members) {
        json::object out;
        for (const auto& [name, value] : v.get_object())
            if (auto one = left_of(value, name_element(name), fields, type.member(name)))
                out.emplace(name, std::move(*one));
        return out.empty() ? json::value() : json::value(std::move(out));
    }
    json::array out;
    const item_keys keys(type, f);
    const auto item_type = type.item();
    for (const auto& item : v.get_array())
        if (auto one = left_of(item, keys.element_of(item), fields, item_type)) out.push_back(std::move(*one));
    return out.empty() ? json::value() : json::value(std::move(out));
}

} // namespace

json::value merge_values(const json::value& live, const json::value& config, const merge_type& type)
{
    return merged(&live, &config, type).value_or(json::object{});
}

json::value without_fields(const json::value& v, const field_set& fields, const merge_type& type)
{
    return left(v, fields, type);
}

} // namespace kubecoro::detail
