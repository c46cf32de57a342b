// Writes the C++ types of the built-in kinds: generate_kinds kubernetes.json INCLUDE_DIRECTORY SOURCE_DIRECTORY. Runs at
// build time.
#include <kubecoro/codegen/detail/built_in.hpp>
#include <kubecoro/codegen/detail/generate.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

namespace {

namespace codegen = kubecoro::codegen;

std::string read(const std::filesystem::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A file that is the same stays as it is, so that nothing is built again for it.
bool write(const std::filesystem::path& path, const std::string& text)
{
    if (read(path) == text) return true;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary);
    out << text;
    return static_cast<bool>(out.flush());
}

int run(const std::filesystem::path& schemas, const std::filesystem::path& headers,
        const std::filesystem::path& sources)
{
    const auto model = codegen::read_kubernetes(boost::json::parse(read(schemas)));
    codegen::generate_options options;
    options.list = true;
    options.wanted = [](const codegen::kind& k) {
        return std::ranges::binary_search(codegen::built_in_groups(),
                                          k.group.empty() ? k.version : k.group + '/' + k.version);
    };
    const auto files = codegen::generate(model.value(), options);
    for (const auto& file : files.value()) {
        const auto path = (file.is_source ? sources : headers) / file.path;
        if (write(path, file.text)) continue;
        std::cerr << "generate_kinds: " << path << " cannot be written\n";
        return 1;
    }
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 4) {
        std::cerr << "Usage: generate_kinds kubernetes.json INCLUDE_DIRECTORY SOURCE_DIRECTORY\n";
        return 2;
    }
    try {
        return run(argv[1], argv[2], argv[3]);
    } catch (const std::exception& e) {
        std::cerr << "generate_kinds: " << e.what() << '\n';
        return 1;
    }
}
