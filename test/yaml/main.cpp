// yaml_differential generate SEED COUNT [FILE..]  prints random texts for the judge. The texts of corpora (.jsonl) and other files are
//                                                 seeds, which are changed.
// yaml_differential compare                       reads the judge's verdicts and prints where this library differs.
// yaml_differential write SEED COUNT              prints random values and what to_yaml() makes of them: read_back.py reads it.
#include "compare.hpp"
#include "random_values.hpp"
#include "texts.hpp"

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/api/detail/utf8.hpp>
#include <kubecoro/api/yaml.hpp>

#include <boost/json.hpp>

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

namespace {

using namespace kubecoro;

void print(const test::yaml_case& c)
{
    boost::json::object line{{"as", c.as}};
    if (detail::is_utf8(c.text))
        line["text"] = c.text;
    else
        line["bytes"] = bytes(c.text).base64();
    std::cout << boost::json::serialize(line) << '\n';
}

void add_seeds(const std::string& path, std::vector<std::string>& seeds)
{
    std::ifstream in(path, std::ios::binary);
    if (!path.ends_with(".jsonl")) {
        seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
        return;
    }
    for (std::string line; std::getline(in, line);) seeds.push_back(test::text_of_verdict(line));
}

int generate(int count, char** arguments)
{
    std::mt19937_64 random(std::stoull(arguments[0]));
    std::vector<std::string> seeds;
    for (int i = 2; i < count; ++i) add_seeds(arguments[i], seeds);
    for (auto left = std::stoull(arguments[1]); left > 0; --left) print(test::random_yaml_case(random, seeds));
    return 0;
}

int write(char** arguments)
{
    std::mt19937_64 random(std::stoull(arguments[0]));
    for (auto left = std::stoull(arguments[1]); left > 0; --left) {
        const auto value = test::random_value(random, 4);
        std::cout << boost::json::serialize(boost::json::object{{"value", value}, {"yaml", to_yaml(value)}}) << '\n';
    }
    return 0;
}

int compare()
{
    std::size_t compared = 0;
    std::size_t different = 0;
    for (std::string line; std::getline(std::cin, line); ++compared) {
        const auto difference = test::differs_from_kubectl(line);
        if (difference.empty() || test::is_known_defect(line)) continue;
        ++different;
        std::cout << difference << '\n';
    }
    std::cout << compared << " texts, " << different << " differences\n";
    return compared == 0 || different != 0 ? 1 : 0;
}

} // namespace

int main(int count, char** arguments)
{
    const std::string verb = count > 1 ? arguments[1] : "";
    if (verb == "generate" && count > 3) return generate(count - 2, arguments + 2);
    if (verb == "compare") return compare();
    if (verb == "write" && count == 4) return write(arguments + 2);
    std::cerr << "usage: yaml_differential generate SEED COUNT [FILE..] | compare | write SEED COUNT\n";
    return 2;
}
