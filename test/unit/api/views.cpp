#include <kubecoro/test/catch.hpp>

#include "tape/tape_format.hpp"
#include "tape/tape_reader.hpp"

#include <kubecoro/api/view.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

/// A container of which only the first page can be read: reading further ends the program.
class first_page
{
public:
    /// @param element  The tape of each item or member.
    first_page(unsigned char tag, std::string_view element) : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)))
    {
        void* const made = ::mmap(nullptr, size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(made != MAP_FAILED);
        at_ = static_cast<unsigned char*>(made);
        const std::size_t count = (size() - 5) / element.size();
        *at_ = tag;
        store(at_ + 1, count * element.size(), 4);
        for (std::size_t i = 0; i < count; ++i)
            std::memcpy(at_ + 5 + i * element.size(), element.data(), element.size());
        end_ = at_ + 5 + count * element.size();
        REQUIRE(::mprotect(at_ + page_, size() - page_, PROT_NONE) == 0);
    }
    first_page(const first_page&) = delete;
    first_page& operator=(const first_page&) = delete;
    ~first_page() { ::munmap(at_, size()); }

    [[nodiscard]] value_view value() const { return tape_access::view(at_, end_, nullptr); }

private:
    [[nodiscard]] std::size_t size() const noexcept { return 4 * page_; }

    std::size_t page_;
    unsigned char* at_ = nullptr;
    const unsigned char* end_ = nullptr;
};

} // namespace

TEST_CASE("views: whether a list or map is empty takes one step", "[api][view]")
{
    const first_page list(tag::array_32, "\x91");
    CHECK_FALSE(list_view<std::int64_t>(list.value()).empty());
    CHECK(map_view<std::int64_t>(list.value()).empty());
    const first_page map(tag::object_32, std::string_view("\xfe\x01k\x91", 4));
    CHECK_FALSE(map_view<std::int64_t>(map.value()).empty());
    CHECK(list_view<std::int64_t>(map.value()).empty());
}

TEST_CASE("views: lists and maps that are missing, of another kind or without content are empty", "[api][view]")
{
    CHECK(list_view<std::int64_t>().empty());
    CHECK(map_view<std::int64_t>().empty());
    for (const unsigned char t : {tag::null, tag::true_, tag::empty_array, tag::empty_object, tag::small_0}) {
        const value_view v = tape_access::view(&t, &t + 1, nullptr);
        CHECK(list_view<std::int64_t>(v).empty());
        CHECK(map_view<std::int64_t>(v).empty());
    }
}
