// Reads arbitrary bytes as a recording: records view the text, a prefix gives a prefix of the records, and masks leave no value.
#include "fuzz.hpp"

#include "record/mask_core.hpp"

#include <kubecoro/client/detail/recording.hpp>

#include <algorithm>
#include <string>

using namespace kubecoro;
using namespace kubecoro::detail;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text = fuzz::text(data, size);
    (void)secret_mask(hash_secrets::of(1)).masked(text);
    const auto all = read_records(text);
    if (!all) return 0;
    std::size_t bytes = all->cut_off;
    for (const auto& r : all->records) {
        fuzz::require(r.content.data() >= text.data() && r.content.data() + r.content.size() <= text.data() + size,
                      "a record views the text");
        bytes += r.content.size();
    }
    fuzz::require(bytes <= size, "records do not overlap");
    const auto half = read_records(text.substr(0, size - size / 3));
    if (half) {
        fuzz::require(half->records.size() <= all->records.size(), "a prefix has no further records");
        for (std::size_t i = 0; i < half->records.size(); ++i)
            fuzz::require(half->records[i].content == all->records[i].content, "a prefix has the same records");
    }
    for (const auto& x : exchanges_of(*all)) fuzz::require(x.id != 0, "an exchange has a number");
    // Records are read as they were written.
    auto again = recording_head(all->begin, all->part);
    for (const auto& r : all->records) append_record(again, r.kind, r.at, r.id, r.content);
    const auto back = read_records(again);
    fuzz::require(back && back->cut_off == 0 && back->records.size() == all->records.size(),
                  "records are read as written");
    return 0;
}
