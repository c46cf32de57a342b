#pragma once
// Everything a program that embeds informers and controllers needs.

#include <kubecoro/api/kinds.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/api/selector.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/repeat.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/base/retry.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/wake_signal.hpp>
#include <kubecoro/cache/delta_fifo.hpp>
#include <kubecoro/cache/indexer.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/cache/mutation_cache.hpp>
#include <kubecoro/cache/object_changes.hpp>
#include <kubecoro/cache/reflector.hpp>
#include <kubecoro/cache/watcher.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/client/discovery.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/controller/parallelize.hpp>
#include <kubecoro/controller/workqueue.hpp>

#include <boost/json/value.hpp> // what to_json() gives
