// The closed table of what a checkpoint's pickle may call.
#pragma once
#include <string>
#include <unordered_map>

#include "io/foreign_dtypes.h"
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
  /// `strict`: what would become opaque is refused.
  explicit Rebuilder(bool strict) : strict_(strict) {}
  /// `flat` is the whole of a storage: what the tensors of the file may be views of. `foreign`:
  /// what its bytes are, if they are no elements of ours.
  void add_storage(const Tensor& flat, const ForeignDType* foreign = nullptr) {
    storages_.emplace(flat.impl(), foreign);
  }
  bool is_storage(const Tensor& t) const { return storages_.contains(t.impl()); }
  const ForeignDType* foreign(const Tensor& storage) const { return storages_.at(storage.impl()); }
  /// callable(*arguments), as REDUCE.
  Value call(const Value& callable, const Value& arguments) const;
  /// cls.__new__(cls, *arguments), as NEWOBJ.
  Value make(const Value& cls, const Value& arguments) const;

 private:
  Value checked(Value made, const std::string& name) const;

  std::unordered_map<const void*, const ForeignDType*> storages_;
  bool strict_;
};

/// A global by name: a dtype, or a name kept as data. Refuses modules that nothing of a checkpoint
/// comes from.
Value global(std::string_view module, std::string_view name);

}  // namespace taper::io
