// One thread decodes and fills the vocabulary while others read the decoded objects.

#include <kubecoro/api/decode.hpp>
#include <kubecoro/test/catch.hpp>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using kubecoro::decode_object;
using kubecoro::object;

namespace {

constexpr int readers = 3;
constexpr int versions = 6000;

/// A container shared by a group.
std::string part(const std::string& group)
{
    return R"({"of":"of-)" + group + R"(","text":"text of group )" + group +
           R"(","inner":{"numbers":[100000,200000,300000],"more":{"group":"of-)" + group +
           R"(","last":[400000,500000]}}})";
}

/// Keys and texts from a moving range: each occurs in twenty documents, so that new numbers are assigned all the time.
std::string document(int version)
{
    const std::string group = std::to_string(version / 20);
    return R"({"kind":"Thing","metadata":{"name":"n-)" + std::to_string(version) + R"(","labels":{"label-)" + group +
           R"(":"of-)" + group + R"("}},"spec":{"group":")" + group + R"(","text":"text of group )" + group +
           R"(","field-)" + group + R"(":["a","of-)" + group + R"("],"part":)" + part(group) + "}}";
}

bool whole(const object& o)
{
    const std::string group(o["spec"]["group"].as_string());
    return o.labels()["label-" + group].as_string() == "of-" + group &&
           o["spec"]["text"].as_string() == "text of group " + group &&
           o["spec"]["field-" + group][std::size_t{1}].as_string() == "of-" + group &&
           o.path("spec.part.inner.more.group").as_string() == "of-" + group &&
           o["spec"]["part"].to_text() == part(group) && o.root() == object::parse(o.to_text())->root();
}

} // namespace

TEST_CASE("vocabulary: objects are read on many threads while it grows", "[stress][api]")
{
    std::atomic<int> broken{0};
    std::atomic<bool> done{false};
    std::mutex mutex;
    std::vector<object> latest; // as in a store: the handles are locked, the objects are not
    std::vector<std::thread> threads;
    for (int t = 0; t < readers; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t i = static_cast<std::size_t>(t); !done; ++i) {
                object seen;
                {
                    const std::lock_guard lock(mutex);
                    if (!latest.empty()) seen = latest[i % latest.size()];
                }
                if (seen && !whole(seen)) ++broken;
            }
        });
    {
        auto encoding = kubecoro::detail::make_object_encoding();
        for (int version = 0; version < versions; ++version) {
            object made = decode_object(document(version), {}, encoding).value();
            const std::lock_guard lock(mutex);
            if (latest.size() < 100)
                latest.push_back(std::move(made));
            else
                latest[static_cast<std::size_t>(version) % latest.size()] = std::move(made);
        }
    } // the objects outlive the other owners
    done = true;
    for (auto& t : threads) t.join();
    CHECK(broken == 0);
    for (const object& o : latest) CHECK(whole(o));
}
