#include <kubecoro/base/hash.hpp>

#include <cstdlib>

#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

// A test that fails must fail again, so the order of tables is the same in every run. Before the objects that tests have as
// constants.
[[gnu::constructor(101)]] static void fix_the_order_of_tables()
{
    if (!kubecoro::fix_hash_secrets(1)) std::abort();
}

// Asio drops the last reference to an executor behind an atomic fence, which the thread sanitizer does not understand.
extern "C" const char* __tsan_default_suppressions(); // NOLINT(bugprone-reserved-identifier): the sanitizer's name
extern "C" const char* __tsan_default_suppressions()
{
    return "race:boost::asio::detail::ref_count_down\n"
           "race:boost::asio::execution::detail::any_executor_base::destroy_shared\n"; // which it is inlined into
}

// Failures that a test makes on purpose are not for the terminal, unless KUBECORO_LOG asks for them.
[[maybe_unused]] static const int quiet = setenv("KUBECORO_LOG", "off", 0);
