// GlobalResolver: the closed table of calls that the pickle of a checkpoint may contain.
#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/tensor_impl.h"
#include "io/pickle/globals/foreign_dtypes.h"
#include "taper/core/value.h"

namespace taper::io {

/// Converts the calls in a pickle to values. The result of a call is one of:
/// - the value that torch.load(weights_only=True) builds, such as a container, a size or a tensor;
/// - an opaque value that stores the name and the arguments, for classes and for functions known
///   to only create data (NumPy arrays, dates, sparse tensors);
/// - a ValueError that names the function, for any other function. The reader adds the position.
class GlobalResolver {
 public:
  /// If `strict` is true, names that torch.load(weights_only=True) rejects and calls that would
  /// produce opaque values other than a bytearray are rejected.
  explicit GlobalResolver(bool strict) : strict_(strict) {}
  /// Registers `flat` as the value of a storage. Tensors of the file can only be views of
  /// registered storages. `flat` must outlive its registration. `foreign` is the dtype of the
  /// elements if the library does not support it, otherwise null.
  void add_storage(const Tensor& flat, const ForeignDType* foreign = nullptr) {
    // The tensors of a storage are usually built before the next storage is read, so that comparing
    // one pointer suffices.
    if (last_storage_ && last_storage_ != &impl(flat)) storages_.insert(last_storage_);
    last_storage_ = &impl(flat);
    if (foreign && !this->foreign(flat)) foreign_[impl(flat).storage] = foreign;
  }
  /// Unregisters the value of a storage. Must be called before the value is released.
  void remove_storage(const Tensor& flat) {
    if (last_storage_ == &impl(flat))
      last_storage_ = nullptr;
    else
      storages_.erase(&impl(flat));
  }
  bool is_storage(const Tensor& t) const {
    const TensorImpl* const body = &impl(t);
    return body == last_storage_ || (!storages_.empty() && storages_.contains(body));
  }
  /// Returns the unsupported dtype of a storage; null if its dtype is supported.
  const ForeignDType* foreign(const Tensor& storage) const {
    if (foreign_.empty()) return nullptr;
    const auto found = foreign_.find(impl(storage).storage);
    return found == foreign_.end() ? nullptr : found->second;
  }
  /// Returns a global: a dtype or an opaque name. Throws ValueError if checkpoints do not use the
  /// module.
  Value global(std::string_view module, std::string_view name) const;
  /// Returns the result of callable(*arguments), for REDUCE.
  Value call(const Value& callable, const Value& arguments) const;
  /// Returns the result of cls.__new__(cls, *arguments), for NEWOBJ.
  Value make(const Value& cls, const Value& arguments) const;

 private:
  struct Callee;
  /// Returns the table entry of a global, cached by the address of its module name.
  std::shared_ptr<const Callee> callee(const Value& global) const;
  Value checked(Value made, const std::string& name) const;

  struct StorageHash {
    std::size_t operator()(const Ref<Storage>& s) const noexcept {
      return reinterpret_cast<std::uintptr_t>(s.get()) / alignof(Storage);
    }
  };
  std::unordered_map<Ref<Storage>, const ForeignDType*, StorageHash> foreign_;
  std::unordered_set<const TensorImpl*> storages_;
  const TensorImpl* last_storage_ = nullptr;  // not in `storages_`
  bool strict_;
  mutable std::vector<std::shared_ptr<const Callee>> callees_;
};

}  // namespace taper::io
