// Writes the checks of the types of definitions: write_checks FOLDER OUT DEFINITIONS... The types themselves are what the tool has generated into
// that folder; this adds their list, OUT/include/FOLDER/all_kinds.hpp, and the checks of their views. Runs at build time.
#include "view_check_writer.hpp"

#include <kubecoro/client/manifests.hpp>
#include <kubecoro/codegen/detail/crd.hpp>
#include <kubecoro/codegen/detail/generate.hpp>

#include <boost/json/value.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace codegen = kubecoro::codegen;
namespace fs = std::filesystem;

namespace {

kubecoro::result<codegen::model> model_of(std::span<char*> files)
{
    std::vector<boost::json::value> documents;
    for (const auto* file : files) {
        std::ifstream in(file, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        auto read = kubecoro::load_manifests(text, file);
        if (!read) return read.error();
        for (auto& document : *read)
            if (boost::json::value one(std::move(document)); codegen::is_crd(one)) documents.push_back(std::move(one));
    }
    return codegen::read_crds(documents, "definitions");
}

kubecoro::result<> write_checks(const std::string& folder, const fs::path& out, std::span<char*> files)
{
    const auto model = model_of(files);
    if (!model) return model.error();
    const auto code = codegen::generate(
        *model,
        {.folder = folder, .list = true, .exists = codegen::is_built_in, .header_of = codegen::built_in_header});
    if (!code) return code.error();
    fs::create_directories(out / "include" / folder);
    for (const auto& file : *code)
        if (file.path.ends_with("all_kinds.hpp")) std::ofstream(out / "include" / file.path) << file.text;
    const auto checks = kubecoro::test::view_checks(*model, model->kinds, folder, codegen::is_built_in);
    std::ofstream(out / "view_fields.hpp") << checks.header;
    std::ofstream(out / "view_fields.cpp") << checks.source;
    return {};
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 4) return 2;
    const auto written = write_checks(argv[1], argv[2], std::span(argv + 3, argv + argc));
    if (written) return 0;
    std::cerr << "write_checks: " << written.error() << '\n';
    return 1;
}
