#include "core/check.h"
#include "nn/utils/parametrize/parametrize.h"
#include "taper/autograd/grad_mode.h"
#include "taper/nn/conversion.h"

namespace taper::nn::utils::parametrize {

TAPER_LAYER_MEMBERS(ParametrizationList)

namespace {

constexpr std::string_view kOriginal = "original";

std::string original_name(std::size_t i) { return std::string(kOriginal) + std::to_string(i); }

void register_tensor(Module& m, std::string_view name, const Tensor& t, bool is_parameter) {
  if (is_parameter)
    m.register_parameter(name, Parameter::of(t));
  else
    m.register_buffer(name, t);
}

bool is_sequence(const Value& v) { return v.is_list() || v.is_tuple(); }

/// Throws unless the result of right_inverse at registration is a tensor or a sequence of tensors.
void check_inverse(const Value& v, const Tensor& original) {
  if (v.is_tensor()) {
    const Tensor& made = v.as_tensor();
    if (made.dtype() != original.dtype())
      fail<ValueError>(
          "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
          "original.dtype: torch.{}\nright_inverse(original).dtype: torch.{}",
          original.dtype(), made.dtype());
    if (made.device() != original.device())
      fail<ValueError>(
          "When `right_inverse` outputs one tensor, it may not change the device.\n"
          "original.device: {}\nright_inverse(original).device: {}",
          original.device().str(), made.device().str());
    return;
  }
  if (!is_sequence(v))
    fail<ValueError>(
        "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got {}",
        v.type_name());
  std::size_t i = 0;
  for (const Value& item : v.as_sequence()) {
    if (!item.is_tensor())
      fail<ValueError>(
          "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
          "element {} of the sequence with type {}.",
          i, item.type_name());
    ++i;
  }
}

}  // namespace

void set_contents(const Tensor& to, const Tensor& from) {
  if (to.impl() == from.impl()) return;
  const NoGrad guard;
  to.set_data(from);
}

void check_value(const Value& v, const Shape& shape, DType dtype) {
  if (!v.is_tensor())
    fail<ValueError>("A parametrization must return a tensor. Got {}.", v.type_name());
  if (v.as_tensor().dtype() != dtype)
    fail<ValueError>(
        "Registering a parametrization may not change the dtype of the tensor, unless `unsafe` "
        "flag is enabled.\nunparametrized dtype: torch.{}\nparametrized dtype: torch.{}",
        dtype, v.as_tensor().dtype());
  if (v.as_tensor().shape() != shape)
    fail<ValueError>(
        "Registering a parametrization may not change the shape of the tensor, unless `unsafe` "
        "flag is enabled.\nunparametrized shape: {}\nparametrized shape: {}",
        Value(shape).repr(), Value(v.as_tensor().shape()).repr());
}

Value evaluate_list(const ParametrizationList& list) {
  Values args;
  for (const Tensor& t : list.originals()) args.emplace_back(t);
  Value x = list[0].call(std::move(args));
  for (std::size_t i = 1; i < list.size(); ++i)
    x = list[static_cast<std::int64_t>(i)].call(Values{std::move(x)});
  return x;
}

ParametrizationList::ParametrizationList(Parametrization first, const Tensor& original,
                                         bool is_parameter) {
  add(std::move(first));
  const Value inverse_value = inverse(original, true);
  check_inverse(inverse_value, original);
  is_tensor = inverse_value.is_tensor();
  if (is_tensor) {
    set_contents(original, inverse_value.as_tensor());
    register_tensor(*this, kOriginal, original, is_parameter);
    return;
  }
  const Values& items = inverse_value.as_sequence();
  ntensors = static_cast<std::int64_t>(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Tensor& t = items[i].as_tensor();
    register_tensor(*this, original_name(i),
                    is_parameter ? Tensor(Parameter(t, original.requires_grad())) : t,
                    is_parameter);
  }
}

void ParametrizationList::add(Parametrization next) {
  if (!next.module) fail<ValueError>("ParametrizationList requires one or more modules.");
  right_inverses_.push_back(next.right_inverse);
  append(std::move(next.module));
}

Parametrization ParametrizationList::parametrization(std::size_t i) const {
  return {shared(static_cast<std::int64_t>(i)),
          i < right_inverses_.size() ? right_inverses_[i] : nullptr};
}

Value ParametrizationList::inverse(const Tensor& value, bool at_registration) {
  const NoGrad guard;
  Value v = value;
  for (std::size_t i = size(); i-- > 0;) {
    const Parametrization p = parametrization(i);
    if (p.right_inverse) {
      try {
        v = p.right_inverse(*p.module, v);
      } catch (const NotImplementedError&) {
        if (!at_registration) throw;
      }
    } else if (!at_registration) {
      fail<RuntimeError>("parametrization {} does not implement right_inverse.",
                         p.module->type_name());
    }
  }
  return v;
}

std::vector<Tensor> ParametrizationList::originals() const {
  if (is_tensor) return {attr<Tensor>(kOriginal)};
  std::vector<Tensor> all;
  for (std::size_t i = 0; i < static_cast<std::size_t>(ntensors); ++i)
    all.push_back(attr<Tensor>(original_name(i)));
  return all;
}

Tensor ParametrizationList::forward() const {
  const Value v = evaluate_list(*this);
  if (!v.is_tensor())
    fail<ValueError>("A parametrization must return a tensor. Got {}.", v.type_name());
  return v.as_tensor();
}

void ParametrizationList::right_inverse(const Tensor& value) {
  const Value v = inverse(value, false);
  const std::vector<Tensor> to = originals();
  if (is_tensor) {
    if (!v.is_tensor())
      fail<ValueError>("`right_inverse` should return a tensor. Got {}", v.type_name());
    if (v.as_tensor().dtype() != to[0].dtype())
      fail<ValueError>(
          "The tensor returned by `right_inverse` has dtype torch.{} while `original` has dtype "
          "torch.{}",
          v.as_tensor().dtype(), to[0].dtype());
    return set_contents(to[0], v.as_tensor());
  }
  if (!is_sequence(v))
    fail<ValueError>("'right_inverse' must return a sequence of tensors. Got {}.", v.type_name());
  const Values& items = v.as_sequence();
  if (items.size() != to.size())
    fail<ValueError>(
        "'right_inverse' must return a sequence of tensors of length {}. Got a sequence of length "
        "{}.",
        to.size(), items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].is_tensor())
      fail<ValueError>(
          "'right_inverse' must return a sequence of tensors. Got element {} of type {}.", i,
          items[i].type_name());
    if (items[i].as_tensor().dtype() != to[i].dtype())
      fail<ValueError>(
          "Tensor {} returned by `right_inverse` has dtype torch.{} while `original{}` has dtype "
          "torch.{}",
          i, items[i].as_tensor().dtype(), i, to[i].dtype());
  }
  for (std::size_t i = 0; i < items.size(); ++i) set_contents(to[i], items[i].as_tensor());
}

}  // namespace taper::nn::utils::parametrize
