// JSON documents for the tests of the api module: edge cases, broken and random ones.
#pragma once

#include <kubecoro/api/value_view.hpp>
#include <kubecoro/test/json_oracle.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace testing_samples {

inline constexpr std::string_view pod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"front-1","namespace":"web","uid":"7a5c-1",)"
    R"("resourceVersion":"12345","generation":3,"deletionTimestamp":"2026-11-21T06:21:25Z","labels":{"app":"shop"},)"
    R"("annotations":{"note":"a\"b\\c\n\u00e4"},"ownerReferences":[{"kind":"ReplicaSet","name":"front"}]},)"
    R"("spec":{"nodeName":"n1","containers":[{"name":"main","ports":[{"containerPort":8080}]},{"name":"side"}]},)"
    R"("status":{"phase":"Running"}})";

/// The pod above with its own name and canonical uid; i < 9,000.
std::string numbered_pod(int i);
/// Valid documents, one object each.
std::vector<std::string> edge_documents();
/// Texts that are not a single JSON object.
std::vector<std::string> broken_documents();

using kubecoro::test::oracle;
using kubecoro::test::same_json;

/// Seeded: equal seeds give equal documents.
class generator
{
public:
    explicit generator(std::uint64_t seed) : engine_(seed) {}
    /// A JSON object of some hundred bytes with odd keys, escapes, numbers in every notation and white space.
    std::string document();
    /// The text of the same value with its members in another order.
    std::string shuffled(const kubecoro::value_view& v);
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }

private:
    void value(std::string& out, int depth);
    void object(std::string& out, int depth);
    void text(std::string& out);
    void number(std::string& out);
    void blanks(std::string& out);

    std::mt19937_64 engine_;
};

} // namespace testing_samples
