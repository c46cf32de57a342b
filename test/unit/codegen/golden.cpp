// The code of the definitions in golden/crds is that in golden/expected, byte for byte.
#include "golden_files.hpp"

#include <kubecoro/codegen/detail/crd.hpp>
#include <kubecoro/codegen/detail/generate.hpp>

#include <kubecoro/test/catch.hpp>

#include <set>
#include <string>

using namespace kubecoro;
using namespace golden_test;

TEST_CASE("golden: the generated code is what it was", "[codegen][golden]")
{
    const auto model = codegen::read_crds(definitions(), "crds").value();
    CHECK(model.kinds.size() == 24);
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
