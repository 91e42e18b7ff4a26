// The closed table of what a checkpoint's pickle may call.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "io/hash_index.h"
#include "io/rebuild/foreign_dtypes.h"
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
    by_address_.add(hash_of(flat), static_cast<std::uint32_t>(storages_.size()));
    storages_.push_back({flat, foreign});
  }
  bool is_storage(const Tensor& t) const { return find(t) != HashIndex::kNone; }
  const ForeignDType* foreign(const Tensor& storage) const {
    return storages_[find(storage)].foreign;
  }
  /// A global by name: a dtype, or a name kept as data. Refuses modules that nothing of a
  /// checkpoint comes from.
  Value global(std::string_view module, std::string_view name) const;
  /// callable(*arguments), as REDUCE.
  Value call(const Value& callable, const Value& arguments) const;
  /// cls.__new__(cls, *arguments), as NEWOBJ.
  Value make(const Value& cls, const Value& arguments) const;

 private:
  struct Callee;
  /// What is known of a global. A pickle calls few, and calls them by the same object.
  std::shared_ptr<const Callee> callee(const Value& global) const;
  Value checked(Value made, const std::string& name) const;

  struct Storage {
    Tensor flat;
    const ForeignDType* foreign;
  };
  static std::size_t hash_of(const Tensor& t) {
    return reinterpret_cast<std::uintptr_t>(t.impl()) / 64;
  }
  std::uint32_t find(const Tensor& t) const {
    return by_address_.find(hash_of(t),
                            [&](std::uint32_t i) { return storages_[i].flat.impl() == t.impl(); });
  }
  std::vector<Storage> storages_;
  HashIndex by_address_;
  bool strict_;
  mutable std::vector<std::shared_ptr<const Callee>> callees_;
};

}  // namespace taper::io
