#include <kubecoro/client/write_checks.hpp>

#include <kubecoro/api/validation.hpp>

#include <utility>

namespace kubecoro {

schema_list::schema_list() = default;
schema_list::schema_list(std::initializer_list<object_schema> all) : all_(all) {}
schema_list::schema_list(std::vector<object_schema> all) : all_(std::move(all)) {}
schema_list::~schema_list() = default;
schema_list::schema_list(const schema_list&) = default;
schema_list::schema_list(schema_list&&) noexcept = default;
schema_list& schema_list::operator=(const schema_list&) = default;
schema_list& schema_list::operator=(schema_list&&) noexcept = default;

} // namespace kubecoro
