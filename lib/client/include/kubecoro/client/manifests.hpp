#pragma once
// Objects in files, as kubectl reads them.

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/json/fwd.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro {

/** Parses the documents of a text, YAML or JSON, that are not empty, as kubectl does.

    Scalars have the types of YAML 1.1 (`yes` and `on` are booleans). The last of equal keys of a map counts. Expansion
    of anchors is bounded.
    @param name  Names the text in failures. Errors: cond::invalid with name, line, column and reason. */
[[nodiscard]] result<std::vector<boost::json::value>> parse_documents(std::string_view text, std::string_view name);

/** Parses every object of a manifest: one or more YAML documents, or JSON. Kinds ending in `List` are unfolded.

    As parse_documents(); every object needs kind and apiVersion, which an item of a typed list has from the list. */
[[nodiscard]] result<std::vector<boost::json::value>> load_manifests(std::string_view text, std::string_view name);

/// Replaces each document whose kind ends in `List` by its items.
[[nodiscard]] std::vector<boost::json::value> unfold_lists(std::vector<boost::json::value> documents);

/// Orders objects so that each comes after what it needs: CustomResourceDefinitions first, then namespaces, then the rest
/// as it was.
void order_manifests(std::vector<boost::json::value>& objects);

/** Applies objects by server-side apply, in the order of order_manifests().

        KUBECORO_TRY(auto objects, load_manifests(text, "deploy.yaml"));
        KUBECORO_TRY(auto stored, co_await apply_all(cluster, std::move(objects), how));

    Objects of kinds that belong to namespaces and name none go to `ns`. After a CustomResourceDefinition it waits, for at
    most 30 s, until the server has established it.

    @param how  With the name of the field manager, which is required.
    @param ns   Empty = the client's default namespace.
    @return     The objects as the server stored them, in the order of the writes.
    @par Errors  The first one, naming the object; those written before it stay. invalid for an object without kind,
                 apiVersion or name; else as client::apply() and resource_of().
    @par Cancellation  terminal, partial, total. */
[[nodiscard]] boost::asio::awaitable<result<std::vector<object>>>
apply_all(client c, std::vector<boost::json::value> objects, write_options how, kept_text ns = {});

/// An object of apply_each(), after its turn.
struct applied_manifest
{
    /// The object as it was given.
    const boost::json::value& wanted;
    /// Its resource; with an empty kind if the server has none for it.
    const resource_type& type;
    /// The object as the server stored it, or the failure.
    const result<object>& stored;
};

/** As apply_all(), but reports each object when its turn is over, and goes on after failures if the caller wants to.

    @param done  Called once for each object, in the order of the writes. Returns whether to go on.
    @return      Success also after failures of objects, which `done` has received. Fails when it was cancelled. */
[[nodiscard]] boost::asio::awaitable<result<>> apply_each(client c, std::vector<boost::json::value> objects,
                                                          write_options how, kept_text ns,
                                                          std::function<bool(const applied_manifest&)> done);

} // namespace kubecoro
