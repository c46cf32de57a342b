// Reads arbitrary bytes as a table: each row has a cell for each column, and memory follows the size of the text.
#include "fuzz.hpp"

#include "rest/table_core.hpp"

using namespace kubecoro;
using namespace kubecoro::detail;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto got = read_table(fuzz::text(data, size), {});
    if (!got) {
        fuzz::require(got.error() == cond::corrupt, "anything else is corrupt");
        return 0;
    }
    std::size_t cells = 0;
    for (const auto& row : got->rows) {
        fuzz::require(row.cells.size() == got->columns.size(), "a row has a cell for each column");
        cells += row.cells.size();
    }
    fuzz::require(cells <= 100'000 + 2 * size + 2, "the number of cells is bounded");
    return 0;
}
