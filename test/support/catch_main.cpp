#include <kubecoro/base/hash.hpp>

#include <cstdlib>

#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

// Fixes the order of hash tables, so that failures are reproducible. Runs before the constructors of tests' globals.
[[gnu::constructor(101)]] static void fix_the_order_of_tables()
{
    if (!kubecoro::fix_hash_secrets(1)) std::abort();
}

// Asio releases the last reference to an executor with an atomic fence, which the thread sanitizer does not support.
extern "C" const char* __tsan_default_suppressions(); // NOLINT(bugprone-reserved-identifier): the sanitizer's name
extern "C" const char* __tsan_default_suppressions()
{
    return "race:boost::asio::detail::ref_count_down\n"
           "race:boost::asio::execution::detail::any_executor_base::destroy_shared\n"; // it is inlined here
}

// Suppresses the log lines of failures that tests cause on purpose, unless KUBECORO_LOG is set.
[[maybe_unused]] static const int quiet = setenv("KUBECORO_LOG", "off", 0);
