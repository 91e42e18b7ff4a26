// Writer of the format of torch.save before PyTorch 1.6: a sequence of pickles, followed by the
// storages.
#include <algorithm>

#include "io/pickle/writer.h"
#include "io/write/serialized_file.h"

namespace taper::io {

SerializedFile legacy_file(const Value& value) {
  constexpr int kProtocol = 1001;
  SavedStorages storages;
  const auto pickle = [&](const Value& v) {
    return PickleWriter(storages, StorageIds::legacy).write(v);
  };
  std::string head = pickle(Value::big_integer("119547037146038801333356"));  // the magic number
  head += pickle(kProtocol);
  head +=
      pickle(Value::dict({{"protocol_version", kProtocol},
                          {"little_endian", true},
                          {"type_sizes", Value::dict({{"short", 2}, {"int", 4}, {"long", 4}})}}));
  head += pickle(value);
  std::vector<const SavedStorage*> sorted;
  for (const SavedStorage& s : storages.all()) sorted.push_back(&s);
  std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->key() < b->key(); });
  Values keys;
  for (const SavedStorage* s : sorted) keys.push_back(s->key());
  head += pickle(Value::list(std::move(keys)));

  SerializedFile d;
  d.parts.push_back({.text = std::move(head)});
  for (const SavedStorage* s : sorted) {
    std::string count;
    for (int i = 0; i < 8; ++i)
      count += static_cast<char>(static_cast<std::uint64_t>(s->count) >> (8 * i) & 0xff);
    d.parts.push_back({.text = std::move(count)});
    d.parts.push_back({.storage = s->storage, .bytes = s->bytes()});
  }
  return d;
}

}  // namespace taper::io
