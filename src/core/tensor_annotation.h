// Annotation: an object that a higher layer attaches to a tensor.
#pragma once
#include <memory>

namespace taper {
class Tensor;
struct AutogradMeta;

/// Returns the object that is attached to the tensor, which must be defined; null if there is none.
std::shared_ptr<const void> annotation(const Tensor& tensor);
/// Attaches an object to all handles to the tensor, which must be defined. Views and copies of the
/// tensor do not have it, except for the parameters of a cloned module.
void set_annotation(const Tensor& tensor, std::shared_ptr<const void> object);
/// Removes the annotation of the tensor to which `meta` belongs. Called by its destructor.
void remove_annotation(const AutogradMeta* meta) noexcept;

}  // namespace taper
