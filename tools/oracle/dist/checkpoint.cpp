// Family checkpoint: folders of torch.distributed.checkpoint.
#include <algorithm>

#include "cases/outcome.h"
#include "dist/families.h"
#include "dist/rank_case.h"
#include "kit/temporary_folder.h"
#include "kit/values.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/dist/checkpoint.h"
#include "taper/io/load.h"
#include "training/families.h"

namespace taper::oracle {
namespace {

using distributed::checkpoint::EntryMetadata;
using distributed::checkpoint::Metadata;

Value list_of_shape(const Shape& shape) { return Value::list(Values(shape.begin(), shape.end())); }

Value describe(const EntryMetadata& entry) {
  // The cases list the pieces of a tensor by their offsets.
  std::vector<std::size_t> order(entry.storage.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (entry.tensor)
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const Shape &x = entry.tensor->chunks[a].offsets, &y = entry.tensor->chunks[b].offsets;
      return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
    });
  Value pieces = Value::list();
  for (const std::size_t i : order)
    pieces.append(Value::dict({{"file", entry.storage[i].relative_path},
                               {"offset", entry.storage[i].offset},
                               {"length", entry.storage[i].length}}));
  Value described = Value::dict({{"path", Value::list(entry.path)}, {"pieces", pieces}});
  if (!entry.tensor) return described;
  Value chunks = Value::list();
  for (const auto& chunk : entry.tensor->chunks)
    chunks.append(Value::dict(
        {{"offsets", list_of_shape(chunk.offsets)}, {"sizes", list_of_shape(chunk.sizes)}}));
  described["dtype"] = entry.tensor->dtype_name;
  described["shape"] = list_of_shape(entry.tensor->size);
  described["chunks"] = chunks;
  return described;
}

/// Returns the value at a path of keys and list indices.
Value at_path(Value value, const Values& path) {
  for (const Value& part : path) value = Value(value[part]);
  return value;
}

void run_dcp(Case& c) {
  c.ignore({"world", "note"});
  const TemporaryFolder folder;
  for (const auto& [name, reference] : c.at("files").items())
    folder.write(name, read_tensor(c, reference));
  const Metadata metadata = distributed::checkpoint::read_metadata(folder.path());
  Value entries = Value::dict(), values = Value::dict();
  for (const EntryMetadata& entry : metadata.entries) {
    entries[entry.name] = describe(entry);
    values[entry.name] =
        entry.tensor ? Value(empty(entry.tensor->size, {.dtype = *entry.tensor->dtype})) : Value();
  }
  distributed::checkpoint::load(values, folder.path());
  expect_result(c, "result", Value::dict({{"entries", entries}, {"values", values}}),
                c.at("expected"));

  // The same values are at the paths of the nested state dict.
  const Value nested = load(folder.path());
  for (const EntryMetadata& entry : metadata.entries) {
    const Value value = at_path(nested, entry.path), expected = values[entry.name];
    const bool is_equal = value.is_tensor() && expected.is_tensor()
                              ? equal(value.as_tensor(), expected.as_tensor())
                              : value == expected;
    if (!is_equal) c.fail("load: '" + entry.name + "' differs");
  }
}

}  // namespace

void run_checkpoint(Case& c) {
  if (c.find("tolerance")) read_tolerance(c);
  const std::string kind = c.text("kind");
  if (kind != "dcp") throw MalformedCase("unknown kind '" + kind + "'");
  run_dcp(c);
}

}  // namespace taper::oracle
