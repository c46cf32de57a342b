#pragma once
// Everything a program that embeds informers and controllers needs.

#include <kubecoro/api/edit.hpp>
#include <kubecoro/api/go_duration.hpp>
#include <kubecoro/api/int_or_string.hpp>
#include <kubecoro/api/kinds.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/api/patch.hpp>
#include <kubecoro/api/quantity.hpp>
#include <kubecoro/api/selector.hpp>
#include <kubecoro/api/structs.hpp>
#include <kubecoro/api/timestamp.hpp>
#include <kubecoro/api/typed_object.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/repeat.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/base/retry.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/base/wake_signal.hpp>
#include <kubecoro/cache/delta_fifo.hpp>
#include <kubecoro/cache/indexer.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/cache/mutation_cache.hpp>
#include <kubecoro/cache/object_changes.hpp>
#include <kubecoro/cache/reflector.hpp>
#include <kubecoro/cache/watcher.hpp>
#include <kubecoro/client/apply.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/client/discovery.hpp>
#include <kubecoro/client/followed_log.hpp>
#include <kubecoro/client/log_stream.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/client/struct_edit.hpp>
#include <kubecoro/client/subresources.hpp>
#include <kubecoro/client/table.hpp>
#include <kubecoro/client/typed_client.hpp>
#include <kubecoro/client/writing.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/controller/event_recorder.hpp>
#include <kubecoro/controller/parallelize.hpp>
#include <kubecoro/controller/workqueue.hpp>

#include <boost/json/value.hpp> // what to_json() gives
