#include "select/fetch.hpp"

#include "select/table_pages.hpp"

#include <kubecoro/base/try.hpp>
#include <kubecoro/client/table.hpp>

namespace kubecoro::tool {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

table_object rows_with(const fetch_options& options)
{
    return options.whole_objects ? table_object::whole : table_object::metadata;
}

asio::awaitable<result<table>> all_pages(const client& api, const target& from, const fetch_options& options,
                                         const verb_context& context)
{
    table_pages pages(options.selected);
    while (const auto ask = pages.next()) {
        auto page = co_await list_table(api, from.type, from.ns, *ask, rows_with(options));
        if (auto end = page ? pages.on_page(std::move(*page)) : pages.on_failure(page.error())) co_return *end;
        context.doing("listing " + from.type.display_name() + ": " + std::to_string(pages.so_far().rows.size()));
    }
    co_return std::move(pages).take();
}

/// Whether the failure concerns this one object only.
bool of_one_object(const failure& f) { return f == cond::not_found || f == cond::forbidden || f == cond::invalid; }

} // namespace

asio::awaitable<result<table>> fetch_table(client api, target from, fetch_options options, verb_context context,
                                           problems& found_wrong)
{
    context.doing("listing " + from.type.display_name());
    if (from.names.empty()) co_return co_await all_pages(api, from, options, context);
    table out;
    for (const auto& name : from.names) {
        auto one = co_await get_table(api, from.type, from.ns, name, rows_with(options));
        if (one) {
            append(out, std::move(*one));
            continue;
        }
        if (!of_one_object(one.error())) co_return one.error();
        if (!options.ignore_not_found || one.error() != cond::not_found) found_wrong.add(one.error());
    }
    co_return out;
}

json::value json_of(const object& o, bool managed_fields)
{
    auto value = o.to_json();
    if (managed_fields) return value;
    if (auto* object = value.if_object())
        if (auto* metadata = object->if_contains("metadata"); metadata && metadata->is_object())
            metadata->get_object().erase("managedFields");
    return value;
}

asio::awaitable<result<json::array>> fetch_objects(client api, target from, fetch_options options, verb_context context,
                                                   problems& found_wrong)
{
    json::array out;
    context.doing("reading " + from.type.display_name());
    for (const auto& name : from.names) {
        auto one = co_await api.get(from.type, from.ns, name);
        if (one) {
            out.push_back(json_of(*one, options.managed_fields));
            continue;
        }
        if (!of_one_object(one.error())) co_return one.error();
        if (!options.ignore_not_found || one.error() != cond::not_found) found_wrong.add(one.error());
    }
    if (!from.names.empty()) co_return out;
    KUBECORO_TRY(auto listed, co_await api.list_all(from.type, from.ns, options.selected));
    for (const auto& o : listed.items) out.push_back(json_of(o, options.managed_fields));
    for (const auto& left_out : listed.left_out)
        found_wrong.add(failure(cond::corrupt, left_out.key.name.empty()
                                                   ? left_out.why
                                                   : to_string(left_out.key) + " is left out: " + left_out.why));
    co_return out;
}

} // namespace kubecoro::tool
