// Conversion of dtype and device, in place.
#include "nn/module/extra.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/error.h"

namespace taper::nn {
namespace {

DType checked(DType type) {
  if (!is_floating_point(type))
    throw TypeError(
        "nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=torch." +
        std::string(name_of(type)));
  return type;
}

/// Can a tensor take over the data of another and stay the same object?
bool compatible(const Tensor& old, const Tensor& fresh) {
  return old.device().is_meta() == fresh.device().is_meta();
}

/// `grad` with the data of `fresh`: the same object where that can be.
Tensor converted_grad(const Tensor& grad, const Tensor& fresh) {
  if (!compatible(grad, fresh) || !grad.is_leaf() || grad.is_view()) return fresh.detach();
  grad.set_data(fresh);
  return grad;
}

struct Converter final : Walker {
  const Function<Tensor(const Tensor&)>& fn;
  explicit Converter(const Function<Tensor(const Tensor&)>& f) : fn(f) {}

  void parameter(const ParameterSlot& s) override {
    if (!s.value) return;
    Parameter& p = *s.value;
    const NoGrad guard;
    const Tensor fresh = fn(p);
    Tensor grad = p.grad();
    if (grad) grad = converted_grad(grad, fn(grad));
    if (compatible(p, fresh)) {
      p.set_grad({});
      p.set_data(fresh);
    } else {
      s.put(Parameter(fresh, p.requires_grad()));
    }
    if (grad) s.value->set_grad(grad);
  }
  void buffer(const BufferSlot& s) override {
    if (s.value) *s.value = fn(*s.value);
  }
};

}  // namespace

Conversion::Conversion(DType type) : dtype(checked(type)) {}
Conversion::Conversion(Device where, DType type) : dtype(checked(type)), device(where) {}
Conversion::Conversion(const Tensor& like) : dtype(checked(like.dtype())), device(like.device()) {}

void Module::convert_tensors(const Function<Tensor(const Tensor&)>& fn, bool recurse) {
  if (recurse) {
    const Descent guard(*this, "to");
    for (const NamedModule& c : children_of(*this, true)) c.module->convert_tensors(fn);
  }
  Converter converter(fn);
  walk(converter);
}

void Module::convert(const Conversion& to) {
  if (to.device && !to.device->is_meta()) {
    auto check = [](const Tensor& t) {
      if (t.device().is_meta())
        throw NotImplementedError(
            "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() "
            "instead "
            "of torch.nn.Module.to() when moving module from meta to a different device.");
    };
    each_parameter(check);
    each_buffer(check);
  }
  convert_tensors([&](const Tensor& t) {
    const DType type = to.dtype && t.is_floating_point() ? *to.dtype : t.dtype();
    return to.device ? t.to(*to.device, type) : t.to(type);
  });
}

}  // namespace taper::nn
