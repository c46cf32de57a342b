// Text and views cannot be taken from temporary objects.
#include <kubecoro/test/catch.hpp>

#include <kubecoro/api/detail/kept_object.hpp>

#include <utility>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

template<class T>
concept lends_texts = requires(T&& o) { std::forward<T>(o).name(); } || requires(T&& o) { std::forward<T>(o).key(); };

template<class T>
concept lends_metadata =
    lends_texts<T> || requires(T&& o) { std::forward<T>(o).api_version(); } ||
    requires(T&& o) { std::forward<T>(o).kind(); } || requires(T&& o) { std::forward<T>(o).ns(); } ||
    requires(T&& o) { std::forward<T>(o).uid(); } || requires(T&& o) { std::forward<T>(o).resource_version(); };

template<class T>
concept lends_views =
    requires(T&& o) { std::forward<T>(o)["spec"]; } || requires(T&& o) { std::forward<T>(o).path("spec.host"); } ||
    requires(T&& o) { std::forward<T>(o).root(); } || requires(T&& o) { std::forward<T>(o).labels(); } ||
    requires(T&& o) { std::forward<T>(o).annotations(); } || requires(T&& o) { std::forward<T>(o).metadata(); } ||
    requires(T&& o) { std::forward<T>(o).owner_references(); };

} // namespace

TEST_CASE("views: available from named objects, deleted for temporaries", "[api][views]")
{
    STATIC_REQUIRE(lends_metadata<object&>);
    STATIC_REQUIRE(lends_metadata<const object&>);
    STATIC_REQUIRE(lends_views<const object&>);
    STATIC_REQUIRE(lends_texts<const kept_object&>);
    STATIC_REQUIRE_FALSE(lends_metadata<object>);
    STATIC_REQUIRE_FALSE(lends_metadata<const object>);
    STATIC_REQUIRE_FALSE(lends_views<object>);
    STATIC_REQUIRE_FALSE(lends_views<const object>);
    STATIC_REQUIRE_FALSE(lends_texts<kept_object>);
    // Functions that return owned values work on temporaries.
    CHECK(object::parse(R"({"metadata":{"name":"a"}})").value().to_text() == R"({"metadata":{"name":"a"}})");
}
