#include "compare.hpp"

#include <kubecoro/test/catch.hpp>

#include <fstream>
#include <string>

using namespace kubecoro;

TEST_CASE("yaml: texts of the kept corpus are read as kubectl reads them", "[yaml]")
{
    std::ifstream corpus(KUBECORO_YAML_CORPUS);
    std::size_t texts = 0;
    std::size_t refused = 0;
    for (std::string line; std::getline(corpus, line); ++texts) {
        const auto difference = test::differs_from_kubectl(line);
        INFO(difference);
        CHECK(difference.empty());
        if (line.ends_with("\"refused\":true}")) ++refused;
    }
    CHECK(texts >= 500);
    CHECK(refused >= 100);
}
