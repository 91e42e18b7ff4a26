// Tensor::to: copies of tensors on another device.
#include "core/device_ops.h"
#include "ops/forms.h"
#include "ops/op.h"
#include "taper/autograd/autograd.h"
#include "taper/core/tensor.h"

namespace taper {
namespace {

class ToDeviceBackward final : public Node {
 public:
  explicit ToDeviceBackward(const Tensor& source) {
    const TensorImpl& t = impl(source);
    edge_ = edge_of(impl(source));
    meta_ = {t.shape, t.dtype, t.device()};
    home_ = t.device();
    edges_ = &edge_, edge_count_ = 1;
    outputs_ = &meta_, output_count_ = 1;
  }
  void set_device(Device d) { meta_.device = d; }
  std::string name() const override { return "ToCopyBackward0"; }
  void backward(std::span<Tensor> grads, std::span<Tensor> results) override {
    if (grads[0].defined()) results[0] = grads[0].to(home_);
  }

 private:
  Edge edge_;
  TensorMeta meta_;
  Device home_;
};

Tensor moved(const Tensor& source, Device device) {
  const Tensor plain = source.detach().contiguous();
  Tensor t = new_tensor(plain.shape(), plain.dtype(), device);
  if (device.is_meta()) return t;
  const TensorImpl& from = impl(plain);
  const std::size_t bytes = static_cast<std::size_t>(from.numel) * size_of(from.dtype);
  if (bytes == 0) return t;
  const std::byte* src = from.storage->row_major_buffer().data +
                         from.offset * static_cast<std::int64_t>(size_of(from.dtype));
  std::byte* dst = impl(t).storage->row_major_buffer().data;
  const Device home = source.device();
  if (home.is_cpu())
    device_ops(device).copy_from_host(device.index(), dst, src, bytes);
  else if (device.is_cpu())
    device_ops(home).copy_to_host(home.index(), dst, src, bytes);
  else if (home.kind() == device.kind())
    device_ops(home).copy_within(device.index(), dst, home.index(), src, bytes);
  else
    return moved(moved(source, Device::cpu()), device);
  return t;
}

}  // namespace

Tensor ops::CopyMethods::to(Device device) const {
  const Tensor& self = self_of(this);
  const Device home = self.device();
  if (home == device) return self;
  if (const TensorImpl& t = impl(self); t.lazy != LazyKind::no)
    return new_uninitialized(t.lazy, t.dtype, device);
  if (home.is_meta())
    fail<NotImplementedError>("to: Cannot copy out of meta tensor; no data! (shape {}, to {})",
                              self.shape(), device);
  if (!device.is_meta()) device_ops(device);
  Tensor t = moved(self, device);
  if (tls.grad && self.requires_grad()) {
    auto* node = new ToDeviceBackward(self);
    node->set_device(device);
    impl(t).node = Ref<Node>::adopt(node);
  }
  return t;
}

}  // namespace taper
