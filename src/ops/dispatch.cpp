// Dispatcher: checks, shape inference, allocation, the kernel call and the autograd record.
#include <deque>
#include <memory>
#include <vector>

#include "autograd/history.h"
#include "core/current_op.h"
#include "core/never_destroyed.h"
#include "core/number_range.h"
#include "core/observer.h"
#include "ops/copy/fill.h"
#include "ops/input_decl.h"
#include "ops/launch.h"
#include "ops/op_node.h"
#include "ops/promote.h"
#include "taper/core/warning.h"

namespace taper {
namespace {

const Shape& shape_of_scalars() {
  static const NeverDestroyed<Shape> shape;
  return *shape;
}

/// State of one dispatched call. Allocated on the stack.
struct DispatchState {
  const OpDescriptor& descriptor;
  const OpInfo& op;
  const void* attributes;
  std::span<const OpInput> ins;
  const Tensor* self;
  Device device{};
  DType common = DType::f32;
  const Shape* broadcast = nullptr;  ///< common shape of the operands, if the op broadcasts
  Shape computed_broadcast{};
  bool any_grad = false, any_lazy = false;
  bool writes_overlap = false;  ///< elements of `self` share memory, and the op accepts it

  DispatchState(const OpDescriptor& t, const void* a, std::span<const OpInput> i, const Tensor* s)
      : descriptor(t), op(t.info), attributes(a), ins(i), self(s) {}

  void compute_common_properties();
  void check_defined() const;
  void check_initialized() const;
  [[noreturn]] void reject_dtype() const;
  void compute_common_device();
  void compute_broadcast_shape();
  bool propagates_channels_last(const Shape& shape) const;
  bool any_overlap() const;
};

/// Returns true if writing `self` would overwrite elements of `other` before they are read.
/// Identical views are safe in elementwise ops because each element is read just before it is
/// written.
bool overlaps_self(const OpInfo& op, const TensorImpl& self, const TensorImpl& other) {
  return other.storage == self.storage &&
         !(op.broadcast && other.offset == self.offset && other.shape == self.shape &&
           other.strides == self.strides);
}

bool DispatchState::any_overlap() const {
  for (std::size_t i = 1; i < ins.size(); ++i)
    if (const TensorImpl* t = ins[i].impl(); t && overlaps_self(op, *self->impl(), *t)) return true;
  return false;
}

void DispatchState::check_defined() const {
  std::size_t i = 0;
  for_each_input_decl(op.inputs, [&](const InputDecl& decl) {
    // A list is the last declared input and consumes all remaining operands.
    const std::size_t end = decl.kind == InputDecl::Kind::list ? ins.size() : i + 1;
    for (; i < end && i < ins.size(); ++i)
      if (!ins[i].given() && decl.kind != InputDecl::Kind::optional)
        fail<ValueError>("{}: argument '{}' is an undefined tensor", op.function(), decl.name);
  });
}

/// Throws ValueError if an input is uninitialized. Only copy_ accepts such inputs, as in PyTorch.
void DispatchState::check_initialized() const {
  if (op.name == std::string_view("copy")) return;
  for (const OpInput& i : ins)
    if (const TensorImpl* t = i.impl(); t && t->lazy != LazyKind::no)
      throw_uninitialized(*t, op.function());
}

/// Determines the common device, dtype and shape of the inputs. One pass suffices if the inputs
/// agree, which is the usual case.
void DispatchState::compute_common_properties() {
  const TensorImpl* first = nullptr;
  bool one_device = true, one_dtype = true, one_shape = true, all_given = true;
  for (const OpInput& i : ins) {
    TensorImpl* t = i.impl();
    if (!t) {
      one_dtype &= !i.scalar, all_given &= i.scalar != nullptr;
      continue;
    }
    if (tls.grad && is_stale_view(*t)) [[unlikely]]
      // Backward requires that this node is created before the node of the op.
      regenerate_grad_fn(*t);
    any_grad |= t->has_grad();
    any_lazy |= t->lazy != LazyKind::no;
    if (!first) {
      first = t;
      continue;
    }
    one_device &= t->device() == first->device();
    one_dtype &= t->dtype == first->dtype;
    one_shape &= t->shape == first->shape;
  }
  if (!all_given) check_defined();
  if (any_lazy) [[unlikely]]
    check_initialized();
  if (first) device = first->device();
  if (!one_device) compute_common_device();
  if (op.promote == TypePromotion::none || one_dtype)
    common = first ? first->dtype : default_dtype();
  else
    common = result_type(ins.subspan(op.conditions));
  if (!op.dtypes.contains(common)) [[unlikely]]
    reject_dtype();
  if (op.promote == TypePromotion::int_to_float && !is_floating_point(common))
    common = default_dtype();
  if (!op.broadcast) return;
  if (first && one_shape)
    broadcast = &first->shape;
  else
    compute_broadcast_shape();
}

void DispatchState::reject_dtype() const {
  const ShapeInference infer{op, ins, common};
  if (op.dtype_error) op.dtype_error(infer);
  infer.reject_dtype(common);
}

void DispatchState::compute_common_device() {
  // A 0-dim CPU tensor may be combined with tensors on any device, as in PyTorch. It determines the
  // device only if all operands are 0-dim CPU tensors.
  const TensorImpl* device_source = nullptr;
  for (const OpInput& i : ins) {
    const TensorImpl* t = i.impl();
    if (!t) continue;
    if (!device_source) {
      device_source = t;
    } else if (!(t->device() == device_source->device())) {
      const auto is_cpu_scalar = [](const TensorImpl& x) {
        return x.device().is_cpu() && x.shape.empty();
      };
      if (is_cpu_scalar(*device_source) && !self)
        device_source = t;
      else if (!is_cpu_scalar(*t))
        fail<DeviceError>(
            "{}: Expected all tensors to be on the same device, but found at least two devices, {} "
            "and {}!",
            op.function(), device_source->device(), t->device());
    }
  }
  device = device_source->device();
}

void DispatchState::compute_broadcast_shape() {
  const Shape* first = nullptr;
  for (const OpInput& i : ins)
    if (const TensorImpl* t = i.impl()) {
      if (first)
        broadcast_into(computed_broadcast, t->shape, op.function());
      else
        computed_broadcast = t->shape, first = &t->shape;
    }
  broadcast = &computed_broadcast;
}

bool DispatchState::propagates_channels_last(const Shape& shape) const {
  if (shape.size() < 3) return false;
  for (const OpInput& i : ins)
    if (const TensorImpl* t = i.impl();
        t && t->storage->buffer().channels_last && t->shape == shape && is_channels_last(*t))
      return true;
  return false;
}

/// Views of the operands of a kernel, and the shapes and strides of those that are reordered or
/// expanded. The memory for a few operands is on the stack and initially uninitialized, because
/// initializing it takes a measurable part of the time of small ops.
template <std::size_t InlineCapacity> class Operands {
 public:
  explicit Operands(std::size_t count) { std::uninitialized_default_construct_n(views(), count); }
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;
  ~Operands() { std::destroy_n(shapes(), used_); }
  View* views() { return reinterpret_cast<View*>(views_); }
  Shape& make_shape() { return *new (shapes() + used_++) Shape; }

 private:
  Shape* shapes() { return reinterpret_cast<Shape*>(shapes_); }
  std::size_t used_ = 0;
  alignas(View) std::byte views_[sizeof(View) * InlineCapacity];
  alignas(Shape)
      std::byte shapes_[sizeof(Shape) * 2 * InlineCapacity];  // reordered and expanded operands
};
/// Views of any number of operands.
template <> class Operands<0> {
 public:
  explicit Operands(std::size_t count) : views_(count) {}
  View* views() { return views_.data(); }
  Shape& make_shape() { return shapes_.emplace_back(); }

 private:
  std::vector<View> views_;
  std::deque<Shape> shapes_;
};

/// Replaces the strides of a view without elements by zeros if they are so large that offsets in
/// bytes, which kernels compute before they find that there are no elements, could overflow.
template <class O> void limit_strides(View& v, O& operands) {
  constexpr std::int64_t kMax = std::int64_t{1} << 56;
  for (const std::int64_t stride : *v.strides)
    if (stride > kMax || stride < -kMax) {
      Shape& zeros = operands.make_shape();
      zeros = std::vector<std::int64_t>(v.strides->size());
      v.strides = &zeros;
      return;
    }
}

/// Fills `v` with the elements of `t`.
template <class O> void resolve_operand(View& v, const TensorImpl& t, O& operands) {
  resolve_with(t, LayoutRequest::any, v, [&]() -> Shape& { return operands.make_shape(); });
  if (v.numel == 0) [[unlikely]]
    limit_strides(v, operands);
}

template <class O>
void resolve_input(View& v, const OpInput& in, const Shape* to, Device device, O& operands) {
  if (const TensorImpl* t = in.impl()) {
    resolve_operand(v, *t, operands);
    if (!(t->device() == device)) v.storage = nullptr;  // a 0-dim CPU tensor, passed as a number
  } else if (in.scalar) {
    v.data = const_cast<std::byte*>(static_cast<const std::byte*>(in.scalar->data()));
    v.shape = v.strides = &shape_of_scalars();
    v.numel = 1, v.dtype = in.scalar->dtype();
  } else {
    return;
  }
  if (to && v.shape != to && !(*v.shape == *to)) v = expand_view(v, *to, operands.make_shape());
}

/// Specifications of the outputs of one call, at most kMaxOutputs.
class OutputSpecs {
 public:
  explicit OutputSpecs(int count) : count_(static_cast<std::size_t>(count)) {
    std::uninitialized_default_construct_n(data(), count_);
  }
  ~OutputSpecs() { std::destroy_n(data(), count_); }
  OutputSpecs(const OutputSpecs&) = delete;
  OutputSpecs& operator=(const OutputSpecs&) = delete;
  OutputSpec* data() { return reinterpret_cast<OutputSpec*>(buffer_); }
  OutputSpec& operator[](std::size_t i) { return data()[i]; }

 private:
  std::size_t count_;
  alignas(OutputSpec) std::byte buffer_[sizeof(OutputSpec) * kMaxOutputs];
};

TensorImpl* new_view(const DispatchState& state, const OutputSpec& m) {
  try {
    return new TensorImpl(state.ins[0].impl()->storage, m.shape, m.strides, m.offset, m.dtype);
  } catch (const ShapeError&) {
    fail<ShapeError>("{}: the number of elements of {} exceeds 2^63 - 1", state.op.function(),
                     m.shape);
  }
}

Tensor make_view(const DispatchState& state, const OutputSpec& m) {
  TensorImpl& source = *state.ins[0].impl();
  TensorImpl* const t = new_view(state, m);
  t->own_version = source.own_version;
  if (tls.inference) {
    t->inference = source.inference;
    t->creation_meta = CreationMeta::inference;
  } else {
    t->inference = source.inference;
    if (!tls.grad)
      t->creation_meta = CreationMeta::no_grad;
    else if (source.base && source.creation_meta != CreationMeta::normal)
      t->creation_meta = source.creation_meta;
  }
  t->base = source.base ? source.base : Ref<TensorImpl>::share(&source);
  t->attr_version = t->base->rebase_count;
  return Tensor(Ref<TensorImpl>::adopt(t));
}

/// Calls the kernel with physical views of the inputs and outputs.
template <std::size_t InlineCapacity> void launch_with_views(const DispatchState& state,
                                                             std::span<const OpInput> ins,
                                                             Tensor* outs, std::size_t outputs) {
  Operands<InlineCapacity> operands(ins.size() + outputs);
  View* const views = operands.views();
  for (std::size_t i = 0; i < ins.size(); ++i)
    resolve_input(views[i], ins[i], state.broadcast, state.device, operands);
  View* const out_views = views + ins.size();
  for (std::size_t i = 0; i < outputs; ++i)
    if (outs[i].defined()) resolve_operand(out_views[i], impl(outs[i]), operands);
  const KernelArgs args{{views, ins.size()}, {out_views, outputs}, state.common};
  if (state.writes_overlap) [[unlikely]]
    launch_in_order(state.device, state.descriptor, state.attributes, args);
  else
    launch(state.device, state.descriptor, state.attributes, args);
}

void launch_kernel(const DispatchState& state, std::span<const OpInput> ins, Tensor* outs) {
  if (state.device.is_meta()) return;
  constexpr std::size_t kInlineOperands = 10;
  const auto outputs = static_cast<std::size_t>(state.descriptor.output_count);
  if (ins.size() + outputs <= kInlineOperands)
    launch_with_views<kInlineOperands>(state, ins, outs, outputs);
  else
    launch_with_views<0>(state, ins, outs, outputs);
}

void launch_in_place(const DispatchState& state, Tensor* outs) {
  const TensorImpl& self = impl(outs[0]);
  std::vector<OpInput> ins(state.ins.begin(), state.ins.end());
  std::vector<Tensor> copies;
  copies.reserve(ins.size());
  for (std::size_t i = 1; i < ins.size(); ++i)
    if (const TensorImpl* t = ins[i].impl(); t && overlaps_self(state.op, self, *t)) {
      NoGrad guard;
      copies.push_back(ins[i].tensor->clone());
      ins[i] = OpInput(copies.back());
    }
  launch_kernel(state, ins, outs);
}

void record_node(const DispatchState& state, std::span<const OpInput> ins, Tensor* outs,
                 const Tensor& self_copy) {
  const OpInfo& op = state.op;
  Ref<OpNode> node = OpNode::make(state.descriptor, state.attributes, ins.size());
  for (std::size_t i = 0; i < ins.size(); ++i) {
    TensorImpl* t = ins[i].impl();
    if (!t) continue;
    if (is_floating_point(t->dtype)) node->edge(i) = edge_of(*t);
    TensorMeta& m = node->input_meta(i);
    m.shape = t->shape, m.dtype = t->dtype, m.device = t->device();
  }
  const auto output_count = static_cast<std::size_t>(state.descriptor.output_count);
  for (std::size_t i = 0; i < output_count; ++i) {
    if (!outs[i].defined()) continue;
    const TensorImpl& t = impl(outs[i]);
    TensorMeta& m = node->output_meta(i);
    m.shape = t.shape, m.dtype = t.dtype, m.device = t.device();
  }
  for (std::size_t i = 0; i < ins.size() && i < 16; ++i)
    if (op.saved & in(static_cast<int>(i))) {
      if (i == 0 && self_copy.defined())
        node->saved_in(i) = SavedVariable(self_copy, false);
      else if (ins[i].scalar)
        node->saved_in(i) =
            SavedVariable(operand_number(*ins[i].scalar, state.common, state.device), false);
      else if (ins[i].given())
        node->saved_in(i) = SavedVariable(*ins[i].tensor, false);
    }
  for (std::size_t i = 0; i < output_count; ++i)
    if (outs[i].defined() && (op.saved & out(static_cast<int>(i))))
      node->saved_out(i) = SavedVariable(outs[i], true);
  Ref<Node> base = Ref<Node>::adopt(node.release());
  if (state.self) {
    rebase_history(*state.self, std::move(base));
    return;
  }
  // The node is moved into the last output instead of copied, because reference counting takes a
  // measurable part of the time of small ops.
  TensorImpl* last = nullptr;
  for (std::size_t i = 0; i < output_count; ++i) {
    if (!outs[i].defined() || !is_floating_point(impl(outs[i]).dtype)) continue;
    if (last) last->node = base;
    last = &impl(outs[i]);
    last->output_nr = static_cast<std::uint32_t>(i);
  }
  if (last) last->node = std::move(base);
}

void check_inplace_output(const DispatchState& state, const OutputSpec& m) {
  const TensorImpl& t = impl(*state.self);
  if (!(m.shape == t.shape))
    fail<ShapeError>("{}_: output with shape {} doesn't match the broadcast shape {}",
                     state.op.function(), t.shape, m.shape);
  if (state.op.promote != TypePromotion::none && !can_cast(m.dtype, t.dtype))
    fail<DTypeError>("{}_: result type {} can't be cast to the desired output type {}",
                     state.op.function(), legacy_name(m.dtype), legacy_name(t.dtype));
}

/// Throws RuntimeError unless the op may write to the elements of `self`.
void check_inplace_self(DispatchState& state, bool recorded) {
  if (!state.op.accepts_overlap) return check_inplace(*state.self, state.op.function(), recorded);
  check_inplace_history(*state.self, state.op.function(), recorded);
  state.writes_overlap = overlaps_itself(impl(*state.self));
  if (state.writes_overlap && !state.op.overlap_warning.empty())
    warn(std::string(state.op.overlap_warning));
}

/// As `dispatch`, with inputs cast according to the policy of the op.
void dispatch_with_autocast(const OpDescriptor& descriptor, const void* attributes,
                            std::span<const OpInput> ins, Tensor* outs) {
  std::vector<Tensor> tensors(ins.size());
  for (std::size_t i = 0; i < ins.size(); ++i)
    if (ins[i].tensor) tensors[i] = *ins[i].tensor;
  const std::vector<Tensor> cast = autocast_inputs(descriptor.info.autocast, std::move(tensors));
  std::vector<OpInput> inputs(ins.begin(), ins.end());
  for (std::size_t i = 0; i < ins.size(); ++i)
    if (ins[i].tensor) inputs[i] = OpInput(cast[i]);
  const AutocastPause pause;
  dispatch(descriptor, attributes, inputs, outs);
}

/// Returns `tls`. In a shared library, the address of a thread-local variable is the result of a
/// call, which compilers repeat for each use of the variable, but not for uses of this pointer.
const ThreadLocalState& thread_modes() {
  const ThreadLocalState* modes = &tls;
  asm("" : "+r"(modes));
  return *modes;
}

}  // namespace

const Shape& ShapeInference::scalar_shape() { return shape_of_scalars(); }

void ShapeInference::check_range(const Scalar& number, DType dtype) const {
  check_in_range(number, dtype, op.function());
}

void ShapeInference::check_same_shape(int a, int b) const {
  if (!(shape(a) == shape(b)))
    fail("expected inputs {} and {} of one shape, got {} and {}", a, b, shape(a), shape(b));
}

void ShapeInference::reject_dtype(DType dtype) const {
  fail<NotImplementedError>("not implemented for '{}'", legacy_name(dtype));
}

void dispatch(const OpDescriptor& descriptor, const void* attributes, std::span<const OpInput> ins,
              Tensor* outs, const Tensor* self) {
  const ThreadLocalState& modes = thread_modes();
  if (modes.autocast && descriptor.info.autocast != AutocastPolicy::passthrough && !self)
      [[unlikely]]
    return dispatch_with_autocast(descriptor, attributes, ins, outs);
  DispatchState state(descriptor, attributes, ins, self);
  state.compute_common_properties();
  OutputSpecs output_specs(descriptor.output_count);
  ShapeInference infer{state.op, ins, state.common, state.broadcast, output_specs.data()};
  descriptor.infer(attributes, infer);

  current_op::Scope op_scope(state.op.name.data());
  if (modes.observer) [[unlikely]]
    modes.observer->before(descriptor, ins);
  const bool recorded =
      modes.grad && state.any_grad && descriptor.backward &&
      (self ? is_floating_point(impl(*self).dtype) : is_floating_point(output_specs[0].dtype));
  Tensor self_copy;
  if (state.op.view) {
    outs[0] = make_view(state, output_specs[0]);
  } else if (self) {
    check_inplace_output(state, output_specs[0]);
    check_inplace_self(state, recorded);
    if (recorded && (state.op.saved & in(0))) {
      EnableGrad guard;
      self_copy = self->detach().clone();
    }
    outs[0] = *self;
    if (state.any_overlap()) [[unlikely]]
      launch_in_place(state, outs);
    else
      launch_kernel(state, ins, outs);
    impl(*self).version().fetch_add(1, std::memory_order_relaxed);
    impl(*self).storage->count_write();
  } else {
    for (int i = 0; i < descriptor.output_count; ++i) {
      const OutputSpec& m = output_specs[static_cast<std::size_t>(i)];
      if (m.absent) continue;
      if (!m.strides.empty()) [[unlikely]] {
        outs[i] = new_strided(m.shape, m.strides, m.dtype, state.device);
        continue;
      }
      const bool channels_last =
          m.channels_last || (state.op.layout != OutputLayout::row_major && m.shape.size() >= 3 &&
                              (state.op.layout == OutputLayout::channels_last ||
                               state.propagates_channels_last(m.shape)));
      outs[i] =
          new_tensor(m.shape, m.dtype, state.device,
                     channels_last ? PhysicalLayout::channels_last : PhysicalLayout::row_major);
    }
    launch_kernel(state, ins, outs);
  }
  if (recorded) record_node(state, ins, outs, self_copy);
  if (modes.observer) [[unlikely]]
    modes.observer->after(descriptor, attributes, ins,
                          {outs, static_cast<std::size_t>(descriptor.output_count)});
}

}  // namespace taper
