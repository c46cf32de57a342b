#include "select/table_pages.hpp"

#include "print/server_table.hpp"

#include <utility>

namespace kubecoro::tool {

std::optional<failure> table_pages::on_page(table page)
{
    auto end = chain_.on_page(std::move(page.continue_token));
    if (!end) append(collected_, std::move(page));
    return end;
}

std::optional<failure> table_pages::on_failure(const failure& why)
{
    auto end = chain_.on_failure(why);
    if (!end) collected_ = {};
    return end;
}

} // namespace kubecoro::tool
