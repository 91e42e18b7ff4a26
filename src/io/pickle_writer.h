// Values as a pickle of protocol 2, storages by persistent ids, as torch.save writes them.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "taper/core/value.h"

namespace taper {
class Storage;
}

namespace taper::io {

class PickleWriter {
 public:
  /// The whole pickle of `value`. Nesting is followed without recursion.
  std::string write(const Value& value);
  /// The tensors whose storages the pickle names, in the order of their keys 0, 1, ...
  const std::vector<Tensor>& storages() const { return storages_; }

 private:
  struct Step;  // what is left to write
  void put(const Value& v, std::vector<Step>& todo);
  void put_int(std::int64_t v);
  void put_float(double v);
  void put_text(std::string_view s);
  void put_global(std::string_view module, std::string_view name);
  void put_tensor(const Value& v);
  void put_size(const Shape& s);
  bool recall(const void* identity);
  void remember(const void* identity);
  void op(char c) { out_ += c; }

  std::string out_;
  std::map<const void*, std::uint32_t> memo_;
  std::map<const Storage*, std::size_t> keys_;
  std::vector<Tensor> storages_;
  std::vector<Value> kept_;  // identities stay taken while the memo names them
};

}  // namespace taper::io
