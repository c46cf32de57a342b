#include "select/followed_rows.hpp"

#include <utility>

namespace kubecoro::tool {

namespace {

bool is_same(const table::row& a, const table::row& b)
{
    return a.shown.same_uid(b.shown) && a.shown.resource_version() == b.shown.resource_version();
}

} // namespace

std::vector<table::row> followed_rows::take(table listed)
{
    std::vector<table::row> out;
    std::map<object_key, table::row> now;
    for (auto& row : listed.rows) {
        if (!row.shown) continue;
        object_key key(row.shown.key());
        const auto known = rows_.find(key);
        if (known == rows_.end() || !is_same(known->second, row)) out.push_back(row);
        now.emplace(std::move(key), std::move(row));
    }
    for (auto& [key, row] : rows_)
        if (!now.contains(key)) out.push_back(std::move(row));
    rows_ = std::move(now);
    version_ = std::move(listed.resource_version);
    return out;
}

std::vector<table::row> followed_rows::take(table_event e)
{
    if (!e.resource_version.empty()) version_ = std::move(e.resource_version);
    if (!e.row.shown) return {};
    object_key key(e.row.shown.key());
    if (e.type == watch_event_type::deleted) {
        rows_.erase(key);
    } else {
        const auto known = rows_.find(key);
        if (known != rows_.end() && is_same(known->second, e.row)) return {};
        rows_.insert_or_assign(std::move(key), e.row);
    }
    return {std::move(e.row)};
}

} // namespace kubecoro::tool
