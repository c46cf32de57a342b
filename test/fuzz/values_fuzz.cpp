// Reads arbitrary text as each of the value types: an accepted text is kept, its canonical text is equal, and arithmetic
// is exact. The lines of the text are read one by one.
#include "fuzz.hpp"

#include <kubecoro/api/go_duration.hpp>
#include <kubecoro/api/int_or_string.hpp>
#include <kubecoro/api/quantity.hpp>
#include <kubecoro/api/timestamp.hpp>

#include <algorithm>
#include <vector>

using namespace kubecoro;

namespace {

/// Reads a text, which is kept; the canonical text gives an equal value with that text.
template<class T>
result<T> read(std::string_view text)
{
    auto value = T::parse(text);
    if (!value) {
        fuzz::require(value.error() == cond::invalid, "a wrong text is invalid");
        fuzz::require(value.error().message().size() < 300, "a failure is short");
        return value;
    }
    fuzz::require(value->text() == text, "the text is kept");
    return value;
}

void read_quantity(std::string_view text, std::vector<quantity>& all)
{
    const auto q = read<quantity>(text);
    if (!q) return;
    all.push_back(*q);
    fuzz::require((*q - *q).is_zero(), "a quantity less itself is zero");
    fuzz::require(*q * 2 == *q + *q, "twice is the sum");
    fuzz::require((q->value() > 0) == (q->sign() > 0), "rounding keeps the sign");
    // Canonical texts in plain digits may be longer than the limit.
    if (const auto again = quantity::parse(q->canonical())) {
        fuzz::require(*again == *q, "the canonical text is the same number");
        fuzz::require(again->canonical() == q->canonical(), "the canonical text is its own");
    } else
        fuzz::require(q->canonical().size() > detail::longest_quantity, "a canonical text can be read");
}

template<class T>
void read_time(std::string_view text)
{
    const auto time = read<T>(text);
    if (!time) return;
    // An offset may lead to a year that has not four digits.
    const auto canonical = time->canonical();
    if (const auto again = T::parse(canonical))
        fuzz::require(*again == *time, "the canonical text is the same time");
    else
        fuzz::require(canonical.starts_with('-') || canonical.starts_with("10000-"), "a canonical time can be read");
}

void compare(const quantity& a, const quantity& b)
{
    fuzz::require((a < b) == ((a - b).sign() < 0), "order and difference agree");
    fuzz::require((a + b) - b == a, "a sum can be taken back");
    fuzz::require((a == b) == ((a <=> b) == 0), "equality and order agree");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::size_t most_lines = 8;
    std::string_view rest = fuzz::text(data, size);
    std::vector<quantity> quantities;
    for (std::size_t line = 0; line < most_lines && !rest.empty(); ++line) {
        const auto text = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), text.size() + 1));
        read_quantity(text, quantities);
        read_time<timestamp>(text);
        read_time<micro_timestamp>(text);
        if (const auto d = read<go_duration>(text))
            fuzz::require(*go_duration::parse(d->canonical()) == *d, "the canonical text is the same duration");
        const auto share = int_or_string::parse(text);
        const auto up = share.scaled(7, rounding::up), down = share.scaled(7, rounding::down);
        fuzz::require(up.has_value() == down.has_value(), "a share rounds both ways");
        if (up) fuzz::require(*up == *down || *up == *down + 1, "the ways are one apart");
    }
    for (std::size_t i = 1; i < quantities.size(); ++i) compare(quantities[i - 1], quantities[i]);
    return 0;
}
