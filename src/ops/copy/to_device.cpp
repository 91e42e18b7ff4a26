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
    source_device_ = t.device();
    edges_ = &edge_, edge_count_ = 1;
    outputs_ = &meta_, output_count_ = 1;
  }
  void set_device(Device d) { meta_.device = d; }
  std::string name() const override { return "ToCopyBackward0"; }
  void backward(std::span<Tensor> grads, std::span<Tensor> results) override {
    if (grads[0].defined()) results[0] = grads[0].to(source_device_);
  }

 private:
  Edge edge_;
  TensorMeta meta_;
  Device source_device_;
};

Tensor copy_to_device(const Tensor& source, Device device) {
  const Tensor contiguous_source = source.detach().contiguous();
  Tensor t = new_tensor(contiguous_source.shape(), contiguous_source.dtype(), device);
  if (device.is_meta()) return t;
  const TensorImpl& from = impl(contiguous_source);
  const std::size_t bytes = static_cast<std::size_t>(from.numel) * size_of(from.dtype);
  if (bytes == 0) return t;
  const std::byte* src = from.storage->row_major_buffer().data + from.byte_offset();
  std::byte* dst = impl(t).storage->row_major_buffer().data;
  const Device source_device = source.device();
  if (source_device.is_cpu())
    device_ops(device).copy_from_host(device.index(), dst, src, bytes);
  else if (device.is_cpu())
    device_ops(source_device).copy_to_host(source_device.index(), dst, src, bytes);
  else if (source_device.kind() == device.kind())
    device_ops(source_device).copy_within(device.index(), dst, source_device.index(), src, bytes);
  else
    return copy_to_device(copy_to_device(source, Device::cpu()), device);
  return t;
}

}  // namespace

Tensor ops::CopyMethods::to(Device device) const {
  const Tensor& self = self_of(this);
  const Device source_device = self.device();
  if (source_device == device) return self;
  if (const TensorImpl& t = impl(self); t.lazy != LazyKind::no)
    return new_uninitialized(t.lazy, t.dtype, device);
  if (source_device.is_meta())
    fail<NotImplementedError>("to: Cannot copy out of meta tensor; no data! (shape {}, to {})",
                              self.shape(), device);
  if (!device.is_meta()) device_ops(device);
  Tensor t = copy_to_device(self, device);
  if (tls.grad && self.requires_grad()) {
    auto* node = new ToDeviceBackward(self);
    node->set_device(device);
    impl(t).node = Ref<Node>::adopt(node);
  }
  return t;
}

}  // namespace taper
