// The code of the definitions in golden/crds is that in golden/expected, byte for byte.
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/codegen/crd.hpp>
#include <kubecoro/codegen/generate.hpp>

#include <boost/json/value.hpp>

#include <kubecoro/test/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

using namespace kubecoro;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

const fs::path golden = fs::path(KUBECORO_TEST_DATA) / "golden";

std::string text_of(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// All files below a folder, in order.
std::set<std::string> files_in(const fs::path& folder)
{
    std::set<std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && entry.path().filename() != ".clang-format")
            out.insert(fs::relative(entry.path(), folder).string());
    return out;
}

std::vector<json::value> definitions()
{
    std::vector<json::value> out;
    for (const auto& name : files_in(golden / "crds"))
        for (auto& document : load_manifests(text_of(golden / "crds" / name), name).value())
            out.push_back(std::move(document));
    return out;
}

} // namespace

TEST_CASE("golden: the generated code is what it was", "[codegen][golden]")
{
    const auto model = codegen::read_crds(definitions(), "crds").value();
    CHECK(model.kinds.size() == 13);
    const auto files = codegen::generate(
        model, {.folder = "golden", .exists = codegen::is_built_in, .header_of = codegen::built_in_header});
    std::set<std::string> names;
    for (const auto& file : files.value()) {
        const auto name = (file.is_source ? "src/" : "include/") + file.path;
        names.insert(name);
        INFO(name << " differs; test/unit/codegen/golden/README.md says how to write it again");
        CHECK(text_of(golden / "expected" / name) == file.text);
    }
    CHECK(files_in(golden / "expected") == names);
}
