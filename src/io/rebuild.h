// The closed table of what a checkpoint's pickle may call.
#pragma once
#include <string>
#include <unordered_set>

#include "taper/core/value.h"

namespace taper::io {

/// Makes values of the calls in a pickle. Three things can come of one:
/// - what torch.load(weights_only=True) would build: a container, a size, a tensor over a storage;
/// - data, for functions that are known to only hold data (NumPy arrays, dates, sparse tensors) and
///   for any class: an opaque value that keeps the name and the arguments;
/// - an error that names the function, for every other one.
/// All errors are ValueError without a place: the reader adds it.
class Rebuilder {
 public:
  /// `flat` is the whole of a storage: what the tensors of the file may be views of.
  void add_storage(const Tensor& flat) { storages_.insert(flat.impl()); }
  bool is_storage(const Tensor& t) const { return storages_.contains(t.impl()); }
  /// callable(*arguments), as REDUCE.
  Value call(const Value& callable, const Value& arguments) const;
  /// cls.__new__(cls, *arguments), as NEWOBJ.
  Value make(const Value& cls, const Value& arguments) const;

 private:
  std::unordered_set<const void*> storages_;
};

/// A global by name: a dtype, or a name kept as data. Refuses modules that nothing of a checkpoint
/// comes from.
Value global(std::string_view module, std::string_view name);

}  // namespace taper::io
