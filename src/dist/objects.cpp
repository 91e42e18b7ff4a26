#include "taper/dist/objects.h"

#include <cstring>

#include "core/check.h"
#include "dist/rank_context.h"
#include "dist/tensor_buffers.h"
#include "taper/core/factory.h"
#include "taper/dist/collectives.h"
#include "taper/io/load.h"
#include "taper/io/save.h"

namespace taper::distributed {
namespace {

Tensor bytes_of_object(const Value& object) {
  const std::vector<std::byte> bytes = save_to_bytes(object);
  return tensor(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()),
                Shape(bytes.size()));
}

Value object_of_bytes(const Tensor& bytes) {
  const auto data = bytes.data<std::uint8_t>();
  return load(std::as_bytes(data));
}

std::vector<Tensor> byte_buffers(const Tensor& sizes) {
  std::vector<Tensor> buffers;
  for (const std::int64_t size : sizes.data<std::int64_t>())
    buffers.push_back(empty(size, {.dtype = DType::u8}));
  return buffers;
}

/// Returns the values of an i64 per rank.
Tensor gather_sizes(std::int64_t size, const Group& group) {
  const Tensor sizes = empty(group->size(), {.dtype = DType::i64});
  all_gather_into_tensor(sizes, full({1}, size), {.group = group});
  return sizes;
}

Values objects_of(const std::vector<Tensor>& buffers) {
  Values objects;
  for (const Tensor& buffer : buffers) objects.push_back(object_of_bytes(buffer));
  return objects;
}

}  // namespace

Values all_gather_object(const Value& object, const Group& given) {
  const Group group = resolve_group(given);
  if (is_outsider(*group, RawCall::Kind::all_gather)) return {};
  const Tensor bytes = bytes_of_object(object);
  const std::vector<Tensor> buffers = byte_buffers(gather_sizes(bytes.numel(), group));
  all_gather(buffers, bytes, {.group = group});
  return objects_of(buffers);
}

Values gather_object(const Value& object, int dst, const Group& given) {
  const Group group = resolve_group(given);
  if (is_outsider(*group, RawCall::Kind::gather)) return {};
  const int root = checked_group_rank("gather_object", "dst", *group, dst);
  const Tensor bytes = bytes_of_object(object);
  const Tensor sizes = gather_sizes(bytes.numel(), group);
  std::vector<Tensor> buffers;
  if (group->rank() == root) buffers = byte_buffers(sizes);
  gather(bytes, buffers, dst, {.group = group});
  return objects_of(buffers);
}

void broadcast_object_list(Values& object_list, int src, const Group& given) {
  const Group group = resolve_group(given);
  if (is_outsider(*group, RawCall::Kind::broadcast)) return;
  const bool is_source =
      checked_group_rank("broadcast_object_list", "src", *group, src) == group->rank();
  Tensor bytes, size = zeros({1}, {.dtype = DType::i64});
  if (is_source) {
    bytes = bytes_of_object(Value::list(object_list));
    size.fill_(bytes.numel());
  }
  broadcast(size, src, {.group = group});
  if (!is_source) bytes = empty(size.item<std::int64_t>(), {.dtype = DType::u8});
  broadcast(bytes, src, {.group = group});
  if (is_source) return;
  const Value received = object_of_bytes(bytes);
  if (received.size() != object_list.size())
    fail<ValueError>("broadcast_object_list: got a list of {} objects, rank {} sent {}",
                     object_list.size(), src, received.size());
  object_list = received.as_list();
}

Value scatter_object_list(const Values& input_list, int src, const Group& given) {
  const Group group = resolve_group(given);
  if (is_outsider(*group, RawCall::Kind::scatter)) return {};
  const bool is_source =
      checked_group_rank("scatter_object_list", "src", *group, src) == group->rank();
  std::vector<Tensor> sent, sizes;
  if (is_source) {
    if (input_list.size() != static_cast<std::size_t>(group->size()))
      fail<ValueError>(
          "scatter_object_list: the list must have one object per rank: got {} "
          "objects, expected {}",
          input_list.size(), group->size());
    for (const Value& object : input_list) {
      sent.push_back(bytes_of_object(object));
      sizes.push_back(full({1}, sent.back().numel()));
    }
  }
  const Tensor size = empty({1}, {.dtype = DType::i64});
  scatter(size, sizes, src, {.group = group});
  const Tensor received = empty(size.item<std::int64_t>(), {.dtype = DType::u8});
  scatter(received, sent, src, {.group = group});
  return object_of_bytes(received);
}

}  // namespace taper::distributed
