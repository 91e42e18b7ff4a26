// The closed table of what a checkpoint's pickle may call.
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

/// Makes values of the calls in a pickle. Three things can come of one:
/// - what torch.load(weights_only=True) would build: a container, a size, a tensor over a storage;
/// - data, for functions that are known to only hold data (NumPy arrays, dates, sparse tensors) and
///   for any class: an opaque value that keeps the name and the arguments;
/// - an error that names the function, for every other one.
/// All errors are ValueError without a place: the reader adds it.
class GlobalResolver {
 public:
  /// `strict`: what would become opaque is refused.
  explicit GlobalResolver(bool strict) : strict_(strict) {}
  /// Registers `flat` as the value of a storage: the only tensors that those of the file may be
  /// views of. The caller keeps it alive until it is removed. `foreign`: the dtype of the bytes if
  /// they are not elements of a DType.
  void add_storage(const Tensor& flat, const ForeignDType* foreign = nullptr) {
    // As a rule the tensors of a storage are built before the next storage is read: one pointer.
    if (last_storage_ && last_storage_ != &impl(flat)) storages_.insert(last_storage_);
    last_storage_ = &impl(flat);
    if (foreign && !this->foreign(flat)) foreign_[impl(flat).storage] = foreign;
  }
  /// To be called before the caller releases a storage's value.
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
  /// Null for elements of ours.
  const ForeignDType* foreign(const Tensor& storage) const {
    if (foreign_.empty()) return nullptr;
    const auto found = foreign_.find(impl(storage).storage);
    return found == foreign_.end() ? nullptr : found->second;
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

  struct ByAddress {
    std::size_t operator()(const Ref<Storage>& s) const noexcept {
      return reinterpret_cast<std::uintptr_t>(s.get()) / alignof(Storage);
    }
  };
  std::unordered_map<Ref<Storage>, const ForeignDType*, ByAddress> foreign_;
  std::unordered_set<const TensorImpl*> storages_;
  const TensorImpl* last_storage_ = nullptr;  // not in the set
  bool strict_;
  mutable std::vector<std::shared_ptr<const Callee>> callees_;
};

}  // namespace taper::io
