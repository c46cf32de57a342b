#include <kubecoro/client/kubeconfig.hpp>

#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/catch.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kubecoro;

namespace {

/// A file that is removed with its owner.
class some_file
{
public:
    explicit some_file(std::size_t size)
        : path_(std::filesystem::temp_directory_path() / ("kubecoro-environment-" + std::to_string(::getpid())))
    {
        std::ofstream(path_) << std::string(size, 'x');
    }
    ~some_file() { std::filesystem::remove(path_); }
    some_file(const some_file&) = delete;
    some_file& operator=(const some_file&) = delete;
    [[nodiscard]] std::string path() const { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace

TEST_CASE("environment: files of every length up to the limit are read whole, longer ones refused")
{
    const auto machine = system_environment();
    constexpr std::size_t limit = 64 * 1024; // the end of a read, so that a longer file shows only in the next one
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{16 * 1024}, std::size_t{16 * 1024 + 1},
                                   std::size_t{32 * 1024}, limit - 1, limit}) {
        CAPTURE(size);
        const some_file file(size);
        CHECK(machine.read_file(file.path(), limit).value() == std::string(size, 'x'));
    }
    const some_file longer(limit + 1);
    CHECK(machine.read_file(longer.path(), limit).error() == cond::misconfigured);
}

TEST_CASE("environment: a short file takes little memory, whatever the limit")
{
    const auto machine = system_environment();
    const some_file file(1'000);
    const auto before = test::allocations_so_far().bytes;
    CHECK(machine.read_file(file.path(), 10'000'000).value().size() == 1'000);
    CHECK(test::allocations_so_far().bytes - before < 100'000);
}

TEST_CASE("environment: what is no file")
{
    const auto machine = system_environment();
    CHECK(machine.read_file("/", 10).error() == cond::misconfigured);
    CHECK(machine.read_file("/no such file", 10).error() == cond::not_found);
}

TEST_CASE("environment: a pipe that nobody writes to is read at once, and that of a shell to its end")
{
    const auto machine = system_environment();
    const auto path = std::filesystem::temp_directory_path() / ("kubecoro-pipe-" + std::to_string(::getpid()));
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    CHECK(machine.read_file(path, 10).value().empty()); // to open it would wait for a writer
    std::filesystem::remove(path);
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    REQUIRE(::write(ends[1], "abcd", 4) == 4);
    const auto in_shell = "/dev/fd/" + std::to_string(ends[0]);
    CHECK(machine.read_file(in_shell, 3).error() == cond::misconfigured); // its writer may never end
    REQUIRE(::write(ends[1], "efgh", 4) == 4);
    ::close(ends[1]);
    CHECK(machine.read_file(in_shell, 10).value() == "efgh");
    ::close(ends[0]);
}
