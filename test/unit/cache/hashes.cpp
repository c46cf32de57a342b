// Tables whose keys a peer chooses must hash them with the process's secrets.
#include "fifo/key_set.hpp"
#include "store/label_index.hpp"
#include "store/store_tables.hpp"
#include "store/uid_set.hpp"

#include <kubecoro/base/hash.hpp>

#include <kubecoro/test/catch.hpp>

#include <string>
#include <type_traits>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

// Fixed by the test programs.
const auto secrets = detail::hash_secrets::of(1);

} // namespace

TEST_CASE("tables: names are hashed with secrets, in every key form")
{
    const auto o = object::parse(R"({"metadata":{"namespace":"web","name":"cart"}})").value();
    const auto key = detail::hash_texts("web", "cart", secrets);
    CHECK(by_key_hash{}(o) == key);
    CHECK(by_key_hash{}(kept_object(o)) == key);
    CHECK(by_key_hash{}(object_key("web", "cart")) == key);
    CHECK(std::hash<object_key>{}(object_key("web", "cart")) == key);
    const auto name = detail::hash_text("cart", secrets);
    CHECK(by_name_hash{}(kept_object(o)) == name);
    CHECK(by_name_hash{}("cart") == name);
    CHECK(std::is_same_v<text_map<int>::hasher, text_hash>);
}

TEST_CASE("tables: a set of uids accepts uids of every form")
{
    const auto with = [](const std::string& uid) {
        return object::parse(R"({"metadata":{"name":"a","uid":")" + uid + R"("}})").value();
    };
    const std::string usual = "2fb88144-0bee-4346-a488-1cd6ec6e1000";
    uid_set known;
    for (const auto& uid :
         {usual, std::string("2fb88144-0bee-4346-a488-1cd6ec6e1001"), std::string("odd"), std::string()})
        known.insert(with(uid));
    CHECK(known.size() == 4);
    CHECK(known.contains(with(usual)));
    CHECK(known.contains(with("odd")));
    CHECK_FALSE(known.contains(with("odder")));
    CHECK(known.erase(with(usual)));
    CHECK(known.erase(with("odd")));
    CHECK_FALSE(known.erase(with("odd")));
    CHECK(known.size() == 2);
}
