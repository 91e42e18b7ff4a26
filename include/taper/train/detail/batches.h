// Type-erased loaders and batches of Trainer.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/device.h"
#include "taper/core/generator.h"
#include "taper/core/shared_function.h"
#include "taper/core/tensor.h"
#include "taper/core/value.h"

namespace TAPER_API taper {
namespace train::detail {

template <class B> inline constexpr bool kIsTuple = requires { std::tuple_size<B>::value; };
template <class B> inline constexpr bool kIsVector = false;
template <class T> inline constexpr bool kIsVector<std::vector<T>> = true;

/// Returns a copy of a value whose tensors are on the device, also those in lists, tuples and
/// dicts.
Value moved_to(const Value& batch, Device device);
/// Returns the first size of the first tensor in a value; nullopt if there is none.
std::optional<std::int64_t> find_sample_count(const Value& batch);

/// Moves the tensors of a batch: a tensor, a value, or a tuple, pair, array or vector of batches.
/// Other objects are left as they are.
template <class B> void move_to(B& batch, Device device) {
  if constexpr (std::is_same_v<B, Tensor>)
    batch = batch.to(device);
  else if constexpr (std::is_same_v<B, Value>)
    batch = moved_to(batch, device);
  else if constexpr (kIsTuple<B>)
    std::apply([&](auto&... parts) { (move_to(parts, device), ...); }, batch);
  else if constexpr (kIsVector<B>)
    for (auto& part : batch) move_to(part, device);
}

/// Returns the number of samples in a batch: the first size of its first tensor, or the number of
/// elements of its first vector.
template <class B> std::optional<std::int64_t> find_sample_count(const B& batch) {
  if constexpr (std::is_base_of_v<Tensor, B>) {
    return batch.dim() > 0 ? batch.size(0) : 1;
  } else if constexpr (kIsTuple<B>) {
    std::optional<std::int64_t> count;
    std::apply([&](const auto&... parts) { ((count || (count = find_sample_count(parts))), ...); },
               batch);
    return count;
  } else if constexpr (kIsVector<B>) {
    if constexpr (std::is_same_v<B, std::vector<Tensor>>)
      return batch.empty() ? std::nullopt : find_sample_count(batch[0]);
    else
      return static_cast<std::int64_t>(batch.size());
  } else {
    return std::nullopt;
  }
}

/// A batch: its loss, and the number of its samples.
struct AnyBatch {
  SharedFunction<Tensor()> loss{};
  std::int64_t samples = 1;
};

/// Reads the next batch of an epoch; nullopt at the end.
using NextBatch = SharedFunction<std::optional<AnyBatch>()>;

/// A loader with the function that computes the loss of a batch.
struct Batches {
  SharedFunction<NextBatch(std::int64_t epoch)> start_epoch{};  ///< epochs are counted from 0
  std::int64_t size = 0;                                        ///< batches per epoch; 0: unknown
  std::optional<Generator> generator{};                         ///< generator of the loader
};

template <class Loader, class Loss> NextBatch start_epoch(Loader& loader, Loss loss_fn,
                                                          std::optional<Device> device,
                                                          std::int64_t epoch) {
  if constexpr (requires { loader.options().batch_sampler->set_epoch(epoch); })
    if (const auto& sampler = loader.options().batch_sampler) sampler->set_epoch(epoch);
  using Iterator = decltype(loader.begin());
  using Batch = std::remove_cvref_t<decltype(*std::declval<Iterator&>())>;
  return [iterator = loader.begin(), end = loader.end(), is_first = true, loss_fn,
          device]() mutable -> std::optional<AnyBatch> {
    if (!is_first) ++iterator;
    is_first = false;
    if (iterator == end) return {};
    const auto batch = std::make_shared<Batch>(*iterator);
    if (device) move_to(*batch, *device);
    return AnyBatch{[batch, loss_fn]() mutable -> Tensor { return loss_fn(*batch); },
                    find_sample_count(*batch).value_or(1)};
  };
}

template <class Loader, class Loss>
Batches make_batches(Loader& loader, Loss loss_fn, std::optional<Device> device) {
  Batches batches{.start_epoch = [&loader, loss_fn, device](std::int64_t epoch) {
    return start_epoch(loader, loss_fn, device, epoch);
  }};
  if constexpr (requires { loader.options().generator; })
    batches.generator = loader.options().generator;
  if constexpr (requires { loader.size(); })
    batches.size = static_cast<std::int64_t>(loader.size());
  return batches;
}

}  // namespace train::detail
}  // namespace taper
