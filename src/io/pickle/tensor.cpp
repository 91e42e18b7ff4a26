// Pickling of tensors as calls that rebuild them.
#include "core/check.h"
#include "core/dtype_table.h"
#include "core/tensor_impl.h"
#include "io/pickle/globals/foreign_dtypes.h"
#include "io/pickle/writer.h"
#include "taper/io/foreign_tensor.h"

namespace taper::io {

void PickleWriter::write_empty_hooks() {
  out_.global("collections", "OrderedDict");
  out_.end_tuple(0);
  out_.op('R');
}

/// Writes the persistent id of the storage of `t`.
void PickleWriter::write_storage(const TensorImpl& t, const StorageClass& cls) {
  const SavedStorage& s = storages_.add(t, cls);
  const std::size_t parts = ids_ == StorageIds::legacy ? 6 : 5;
  out_.begin_tuple(parts);
  out_.text("storage");
  out_.global(cls.module, cls.name);
  out_.text_without_memo(s.key());
  if (s.device.is_cpu())
    out_.text("cpu");
  else
    out_.text(s.device.str());
  out_.integer(s.count);
  if (ids_ == StorageIds::legacy) out_.op('N');
  out_.end_tuple(parts);
  out_.op('Q');
}

/// Returns the storage class for tensors that record their dtype themselves. torch.load accepts
/// UntypedStorage in zip files only.
StorageClass PickleWriter::raw_bytes() const {
  return ids_ == StorageIds::zip ? untyped_storage() : storage_class_of(DType::u8);
}

/// Writes the storage that is the first argument of an opaque call of `function`.
void PickleWriter::write_call_storage(const Tensor& t, const Value& function) {
  const bool raw = function.as_global().second == "_rebuild_tensor_v3" && t.dtype() == DType::u8;
  write_storage(impl(t), raw ? raw_bytes() : storage_class_of(t.dtype()));
}

/// Writes a storage of an unsupported class, which the reader represents as a call of the class
/// with the bytes. Returns false for any other object.
bool PickleWriter::write_storage_object(const Opaque& o) {
  const auto [module, name] = o.callable.as_global();
  const ForeignDType* const dtype = module == "torch" ? foreign_dtype_of_storage(name) : nullptr;
  if (!dtype || o.arguments.size() != 1 || !o.arguments.as_tuple()[0].is_tensor()) return false;
  write_storage(impl(o.arguments.as_tuple()[0].as_tensor()),
                {"torch", dtype->storage, static_cast<std::size_t>(dtype->bits / 8), dtype->name});
  return true;
}

void PickleWriter::write_rebuild_function(const Tensor& t) {
  const bool untyped = names_of(t.dtype()).storage.empty();
  out_.global("torch._utils", t.device().is_meta() ? "_rebuild_meta_tensor_no_storage"
                              : untyped            ? "_rebuild_tensor_v3"
                                                   : "_rebuild_tensor_v2");
}

void PickleWriter::write_rebuild_arguments(const Tensor& t, bool requires_grad) {
  const TensorImpl& body = impl(t);
  if (t.device().is_meta()) {
    out_.begin_tuple(4);
    out_.global("torch", name_of(body.dtype));
    write_shape(body.shape), write_shape(body.strides);
    out_.boolean(requires_grad);
    return out_.end_tuple(4);
  }
  const bool untyped = names_of(body.dtype).storage.empty();
  const std::size_t parts = untyped ? 7 : 6;
  out_.begin_tuple(parts);
  write_storage(body, untyped ? raw_bytes() : storage_class_of(body.dtype));
  out_.integer(body.offset);
  write_shape(body.shape), write_shape(body.strides);
  out_.boolean(requires_grad);
  write_empty_hooks();
  if (untyped) out_.global("torch", name_of(body.dtype));
  out_.end_tuple(parts);
}

void PickleWriter::write_tensor(const Value& v) {
  const Tensor& t = v.as_tensor();
  const TensorImpl& body = impl(t);
  if (out_.try_write_reference(&body)) return;
  const bool requires_grad = t.requires_grad();
  if (body.lazy != LazyKind::no) {
    out_.global("torch.nn.parameter", kind_name(body.lazy));
    out_.boolean(requires_grad);
    out_.end_tuple(1);
    out_.op('R');
    return out_.memoize(&body);
  }
  if (v.is_parameter()) out_.global("torch._utils", "_rebuild_parameter");
  write_rebuild_function(t);
  write_rebuild_arguments(t, requires_grad && !v.is_parameter());
  out_.op('R');
  if (v.is_parameter()) {
    out_.boolean(requires_grad);
    write_empty_hooks();
    out_.end_tuple(3);
    out_.op('R');
  }
  out_.memoize(&body);
}

/// Writes a tensor of an unsupported dtype that has a storage class in PyTorch. Returns false for
/// any other value. Throws TypeError for a sub-byte dtype, which PyTorch does not have either.
bool PickleWriter::write_foreign_tensor(const Value& v) {
  const auto t = foreign_tensor(v);
  const ForeignDType* const dtype = t ? foreign_dtype(t->dtype) : nullptr;
  if (dtype && dtype->bits < 8)
    fail<TypeError>("dtype {} is not supported by torch. Save the tensor to a safetensors file",
                    t->dtype);
  if (!dtype || dtype->storage.empty()) return false;
  out_.global("torch._utils", "_rebuild_tensor_v2");
  out_.begin_tuple(6);
  write_storage(impl(t->bytes),
                {"torch", dtype->storage, static_cast<std::size_t>(dtype->bits / 8), dtype->name});
  out_.integer(t->offset);
  write_shape(t->shape), write_shape(t->strides);
  out_.boolean(t->requires_grad);
  write_empty_hooks();
  out_.end_tuple(6);
  out_.op('R');
  out_.memoize(&v.as_opaque());
  return true;
}

/// Writes a tensor subclass, which is represented as a call of the class with the base tensor:
/// begins the call that rebuilds it, up to its state. Returns false for any other object.
bool PickleWriter::begin_tensor_subclass(const Opaque& o) {
  if (o.is_new || !o.arguments.is_tuple() || o.arguments.size() != 1) return false;
  const Value& inner = o.arguments.as_tuple()[0];
  if (!inner.is_tensor() || impl(inner.as_tensor()).lazy != LazyKind::no) return false;
  out_.global("torch._tensor", "_rebuild_from_type_v2");
  out_.begin_tuple(4);
  write_rebuild_function(inner.as_tensor());
  out_.global(o.callable.as_global().first, o.callable.as_global().second);
  write_rebuild_arguments(inner.as_tensor(), inner.as_tensor().requires_grad());
  return true;
}

void PickleWriter::step_tensor_subclass(Frame& f) {
  const Opaque& o = f.value->as_opaque();
  if (f.next++ == 0) {
    // An absent state is written as an empty dict: torch.load(weights_only=True) rejects None.
    if (!o.state.is_none()) return visit(o.state);
    return out_.op('}');
  }
  out_.end_tuple(4);
  out_.op('R');
  out_.memoize(&o);
  open_containers_.erase(&o);
  frames_.pop_back();
}

}  // namespace taper::io
