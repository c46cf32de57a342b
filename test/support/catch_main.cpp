#include <kubecoro/base/hash.hpp>

#include <cstdlib>

#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

int main(int argc, char** argv)
{
    // A test that fails must fail again: the order of tables is the same in every run.
    if (!kubecoro::fix_hash_secrets(1)) return EXIT_FAILURE;
    return Catch::Session().run(argc, argv);
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
