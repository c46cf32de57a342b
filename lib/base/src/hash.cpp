#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/base/hash.hpp>

#include <optional>

namespace kubecoro {
namespace detail {
namespace {

constinit std::optional<std::uint64_t> fixed_seed;

} // namespace

hash_secrets hash_secrets::of(std::uint64_t seed)
{
    random_source engine(seed);
    hash_secrets k{};
    k.word = engine();
    k.length = engine() | 1;
    k.left = engine();
    k.right = engine();
    return k;
}

hash_secrets hash_secrets::random()
{
    // Not derived from one seed: every bit of each number must be unpredictable.
    return {random_seed(), random_seed() | 1, random_seed(), random_seed()};
}

hash_secrets draw_hash_secrets() { return fixed_seed ? hash_secrets::of(*fixed_seed) : hash_secrets::random(); }

} // namespace detail

bool fix_hash_secrets(std::uint64_t seed)
{
    detail::fixed_seed = seed;
    return detail::process_secrets() == detail::hash_secrets::of(seed);
}

std::size_t detail::text_hash::operator()(std::string_view text) const noexcept { return detail::hash_text(text); }

} // namespace kubecoro
