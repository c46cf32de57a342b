// Writes the checks of the views of all built-in kinds: write_view_fields kubernetes.json HEADER SOURCE. Runs at build
// time.
#include "view_check_writer.hpp"

#include <kubecoro/codegen/detail/built_in.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace codegen = kubecoro::codegen;

int main(int argc, char** argv)
{
    if (argc != 4) return 2;
    std::ifstream in(argv[1]);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto model = codegen::read_kubernetes(boost::json::parse(text)).value();
    std::vector<codegen::kind> kinds;
    for (const auto& kind : model.kinds) {
        const auto group = kind.group.empty() ? kind.version : kind.group + '/' + kind.version;
        if (std::ranges::binary_search(codegen::built_in_groups(), group)) kinds.push_back(kind);
    }
    const auto code = kubecoro::test::view_checks(model, kinds, "kubecoro");
    std::ofstream(argv[2]) << code.header;
    std::ofstream(argv[3]) << code.source;
}
