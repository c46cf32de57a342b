// Runs a fuzz target over its corpus without libFuzzer: every file unchanged, truncated, and with single bytes changed.
#include "fuzz.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace {

// Positions mutated per file, spread over the whole file: few enough for every build.
constexpr std::size_t places = 200;

void run(const std::string& input)
{
    // Exactly as long as the input, so that a sanitizer detects any read past its end.
    const auto copy = std::make_unique<std::uint8_t[]>(input.size());
    std::copy(input.begin(), input.end(), copy.get());
    LLVMFuzzerTestOneInput(copy.get(), input.size());
}

void run_with_mutations(const std::string& input)
{
    run(input);
    const std::size_t step = 1 + input.size() / places;
    for (std::size_t at = 0; at < input.size(); at += step) {
        run(input.substr(0, at));
        for (const char c : {'\0', '"', '{', ',', '9', '\xff'}) {
            std::string changed = input;
            changed[at] = c;
            run(changed);
        }
    }
}

} // namespace

int main(int argc, char** argv)
{
    std::vector<std::filesystem::path> files;
    for (int i = 1; i < argc; ++i)
        for (const auto& entry : std::filesystem::directory_iterator(argv[i])) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
        std::ifstream in(file, std::ios::binary);
        run_with_mutations({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
    }
    std::printf("%zu files replayed\n", files.size());
    return files.empty() ? 1 : 0;
}
