// Reads arbitrary bytes as definitions and OpenAPI documents: what is accepted gives code whose comments end, the same each
// time, and what is refused is invalid.
#include "fuzz.hpp"

#include <kubecoro/client/manifests.hpp>
#include <kubecoro/codegen/detail/crd.hpp>
#include <kubecoro/codegen/detail/generate.hpp>
#include <kubecoro/codegen/detail/openapi.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace kubecoro;
namespace json = boost::json;

namespace {

/// No comment goes on into the next line, and no byte is more than ASCII.
void check_text(const std::string& text)
{
    fuzz::require(std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7f); }),
                  "generated code is printable");
    fuzz::require(text.find("\\\n") == std::string::npos, "no line goes on behind its end");
    fuzz::require(text.find("?\?/\n") == std::string::npos, "no line ends in a trigraph");
}

void check_model(const result<codegen::model>& model)
{
    if (!model) {
        fuzz::require(model.error() == cond::invalid, "a document that cannot be read is invalid");
        return;
    }
    codegen::generate_options options;
    options.exists = codegen::is_built_in;
    options.header_of = codegen::built_in_header;
    const auto once = codegen::generate(*model, options);
    if (!once) {
        fuzz::require(once.error() == cond::invalid, "a model without code is invalid");
        return;
    }
    const auto again = codegen::generate(*model, options);
    fuzz::require(again && again->size() == once->size(), "equal models give equal files");
    for (std::size_t i = 0; i < once->size(); ++i) {
        fuzz::require((*once)[i].path == (*again)[i].path && (*once)[i].text == (*again)[i].text,
                      "equal models give equal files");
        check_text((*once)[i].text);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto documents = parse_documents(fuzz::text(data, size), "the file");
    if (!documents) return 0;
    std::vector<json::value> crds, schemas;
    for (const auto& document : *documents) {
        if (codegen::is_crd(document)) crds.push_back(document);
        if (codegen::is_openapi(document)) schemas.push_back(document);
    }
    check_model(codegen::read_crds(crds, "the file"));
    check_model(codegen::read_openapi(schemas, "the file"));
    return 0;
}
