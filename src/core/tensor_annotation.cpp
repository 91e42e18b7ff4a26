#include "core/tensor_annotation.h"

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "core/never_destroyed.h"
#include "core/tensor_impl.h"

namespace taper {
namespace {

/// Annotations, which very few tensors have, by the rare data of their tensors.
struct Annotations {
  std::mutex mutex;
  std::unordered_map<const AutogradMeta*, std::shared_ptr<const void>> by_meta;
  std::atomic<std::size_t> count{0};  // avoids the lock while there are none
};
Annotations& annotations() {
  static NeverDestroyed<Annotations> all;
  return *all;
}

}  // namespace

std::shared_ptr<const void> annotation(const Tensor& tensor) {
  const AutogradMeta* const meta = impl(tensor).extra.get();
  Annotations& all = annotations();
  if (!meta || all.count == 0) return nullptr;
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_meta.find(meta);
  return found == all.by_meta.end() ? nullptr : found->second;
}

void set_annotation(const Tensor& tensor, std::shared_ptr<const void> object) {
  const AutogradMeta* const meta = &impl(tensor).autograd_meta();
  Annotations& all = annotations();
  const std::lock_guard lock(all.mutex);
  std::swap(all.by_meta[meta], object);  // the previous object is destroyed after the lock
  all.count = all.by_meta.size();
}

void remove_annotation(const AutogradMeta* meta) noexcept {
  Annotations& all = annotations();
  if (all.count == 0) return;
  std::shared_ptr<const void> object;  // destroyed after the lock
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_meta.find(meta);
  if (found == all.by_meta.end()) return;
  object = std::move(found->second);
  all.by_meta.erase(found);
  all.count = all.by_meta.size();
}

}  // namespace taper
