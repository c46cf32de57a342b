#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/test/catch.hpp>

#include <set>
#include <string>
#include <string_view>
#include <vector>

using kubecoro::text_list;

TEST_CASE("text_list: takes texts of every kind, and converts to and from a vector")
{
    const std::string text = "c";
    const text_list all{"a", std::string_view("bb").substr(1), text};
    const std::vector<std::string> same{"a", "b", "c"};
    CHECK(all == same);
    CHECK(text_list(same) == all);
    CHECK(std::vector<std::string>(all) == same);
    CHECK(text_list{{"a"}} == std::vector<std::string>{"a"});
    CHECK(text_list{}.empty());
    const std::set<std::string> sorted{"a", "b", "c"};
    CHECK(text_list{sorted.begin(), sorted.end()} == same);
}
