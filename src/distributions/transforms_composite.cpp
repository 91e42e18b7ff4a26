// Transforms that are composed of others.
#include <algorithm>

#include "core/add_to.h"
#include "distributions/shapes.h"
#include "taper/distributions/transforms.h"

namespace taper::distributions::transforms {
namespace {

bool all_bijective(const std::vector<AnyTransform>& parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [](const AnyTransform& t) { return t->bijective(); });
}
bool all_equal(const std::vector<AnyTransform>& a, const std::vector<AnyTransform>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const AnyTransform& s, const AnyTransform& t) { return s->equals(*t); });
}
void cache_parts(std::vector<AnyTransform>& parts, std::int64_t size) {
  for (AnyTransform& t : parts) t = t->with_cache(size);
}
std::vector<Constraint> domains(const std::vector<AnyTransform>& parts) {
  std::vector<Constraint> all;
  for (const AnyTransform& t : parts) all.push_back(t->domain());
  return all;
}
std::vector<Constraint> codomains(const std::vector<AnyTransform>& parts) {
  std::vector<Constraint> all;
  for (const AnyTransform& t : parts) all.push_back(t->codomain());
  return all;
}
/// Returns `base` with the dimensions of an event extended to `event_dim`.
Constraint with_event_dim(const Constraint& base, std::int64_t event_dim) {
  const std::int64_t more = event_dim - base.event_dim();
  return more > 0 ? constraints::independent(base, more) : base;
}
TensorOrNumber product(const TensorOrNumber& a, const TensorOrNumber& b) {
  if (!a.is_tensor() && !b.is_tensor()) return a.number().to_int() * b.number().to_int();
  const DType dtype = (a.is_tensor() ? a : b).tensor().dtype();
  return a.to_tensor(dtype) * b.to_tensor(dtype);
}
void check_count(const char* name, std::size_t expected, std::size_t got) {
  if (expected != got)
    fail<ValueError>("{}: expected {} entries along the dimension, got {}", name, expected, got);
}

}  // namespace

AnyTransform ComposeTransform::inv() const {
  std::vector<AnyTransform> inverses;
  for (const AnyTransform& t : parts_) inverses.insert(inverses.begin(), t->inv());
  return ComposeTransform(std::move(inverses));
}
Tensor ComposeTransform::compute(const Tensor& x) const {
  Tensor y = x;
  for (const AnyTransform& t : parts_) y = t(y);
  return y;
}
Tensor ComposeTransform::compute_inverse(const Tensor& y) const {
  Tensor x = y;
  for (auto t = parts_.rbegin(); t != parts_.rend(); ++t) x = (*t)->inverse(x);
  return x;
}
void ComposeTransform::set_cache(std::int64_t size) { cache_parts(parts_, size); }
Tensor ComposeTransform::log_abs_det_jacobian(const Tensor& x, const Tensor& y) const {
  if (parts_.empty()) return zeros_like(x);
  Tensor at = x, sum;
  std::int64_t event_dim = domain().event_dim();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Transform& t = *parts_[i];
    const Tensor next = i + 1 < parts_.size() ? t(at) : y;
    const std::int64_t in = t.domain().event_dim();
    add_to(sum, sum_rightmost(t.log_abs_det_jacobian(at, next), event_dim - in));
    event_dim += t.codomain().event_dim() - in;
    at = next;
  }
  return sum;
}
Constraint ComposeTransform::domain() const {
  if (parts_.empty()) return constraints::real;
  std::int64_t event_dim = parts_.back()->codomain().event_dim();
  for (auto t = parts_.rbegin(); t != parts_.rend(); ++t) {
    const std::int64_t in = (*t)->domain().event_dim();
    event_dim = std::max(event_dim + in - (*t)->codomain().event_dim(), in);
  }
  return with_event_dim(parts_.front()->domain(), event_dim);
}
Constraint ComposeTransform::codomain() const {
  if (parts_.empty()) return constraints::real;
  std::int64_t event_dim = parts_.front()->domain().event_dim();
  for (const AnyTransform& t : parts_) {
    const std::int64_t out = t->codomain().event_dim();
    event_dim = std::max(event_dim + out - t->domain().event_dim(), out);
  }
  return with_event_dim(parts_.back()->codomain(), event_dim);
}
bool ComposeTransform::bijective() const { return all_bijective(parts_); }
TensorOrNumber ComposeTransform::sign() const {
  TensorOrNumber sign = 1;
  for (const AnyTransform& t : parts_) sign = product(sign, t->sign());
  return sign;
}
Shape ComposeTransform::forward_shape(const Shape& shape) const {
  Shape s = shape;
  for (const AnyTransform& t : parts_) s = t->forward_shape(s);
  return s;
}
Shape ComposeTransform::inverse_shape(const Shape& shape) const {
  Shape s = shape;
  for (auto t = parts_.rbegin(); t != parts_.rend(); ++t) s = (*t)->inverse_shape(s);
  return s;
}
std::string ComposeTransform::str() const {
  std::string list;
  for (const AnyTransform& t : parts_) list += (list.empty() ? "" : ",\n    ") + t->str();
  return "ComposeTransform(\n    " + list + "\n)";
}
bool ComposeTransform::equals(const Transform& other) const {
  const auto* o = dynamic_cast<const ComposeTransform*>(&other);
  return o && all_equal(parts_, o->parts_);
}

Constraint IndependentTransform::domain() const {
  return constraints::independent(base_->domain(), ndims_);
}
Constraint IndependentTransform::codomain() const {
  return constraints::independent(base_->codomain(), ndims_);
}
Tensor IndependentTransform::compute(const Tensor& x) const {
  if (x.dim() < domain().event_dim())
    fail<ValueError>("{}: too few dimensions on input: got shape {}", str(), x.shape());
  return base_(x);
}
Tensor IndependentTransform::log_abs_det_jacobian(const Tensor& x, const Tensor& y) const {
  return sum_rightmost(base_->log_abs_det_jacobian(x, y), ndims_);
}
void IndependentTransform::set_cache(std::int64_t size) { base_ = base_->with_cache(size); }
std::string IndependentTransform::str() const {
  return "IndependentTransform(" + base_->str() + ", " + std::to_string(ndims_) + ")";
}
bool IndependentTransform::equals(const Transform& other) const {
  const auto* o = dynamic_cast<const IndependentTransform*>(&other);
  return o && ndims_ == o->ndims_ && base_->equals(*o->base_);
}

CatTransform::CatTransform(std::vector<AnyTransform> tseq, IntArg dim, const Shape& lengths)
    : TransformOf("CatTransform"),
      parts_(std::move(tseq)),
      dim_(dim),
      lengths_(lengths.empty() ? Shape::filled(parts_.size(), 1) : lengths) {
  if (parts_.empty()) fail<ValueError>("CatTransform: expected at least one transform");
  check_count("CatTransform", parts_.size(), lengths_.size());
}
std::vector<Tensor> CatTransform::slices(const Tensor& x) const { return x.split(lengths_, dim_); }
Tensor CatTransform::compute(const Tensor& x) const {
  std::vector<Tensor> s = slices(x);
  for (std::size_t i = 0; i < s.size(); ++i) s[i] = parts_[i](s[i]);
  return cat(s, dim_);
}
Tensor CatTransform::compute_inverse(const Tensor& y) const {
  std::vector<Tensor> s = slices(y);
  for (std::size_t i = 0; i < s.size(); ++i) s[i] = parts_[i]->inverse(s[i]);
  return cat(s, dim_);
}
Tensor CatTransform::log_abs_det_jacobian(const Tensor& x, const Tensor& y) const {
  std::int64_t event_dim = 0;
  for (const AnyTransform& t : parts_) event_dim = std::max(event_dim, t->event_dim());
  const std::vector<Tensor> xs = slices(x), ys = slices(y);
  std::vector<Tensor> terms;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    terms.push_back(sum_rightmost(parts_[i]->log_abs_det_jacobian(xs[i], ys[i]),
                                  event_dim - parts_[i]->event_dim()));
  const std::int64_t at = (dim_ >= 0 ? dim_ - x.dim() : dim_) + event_dim;
  if (at < 0) return cat(terms, at);
  Tensor sum = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) sum = sum + terms[i];
  return sum;
}
Constraint CatTransform::domain() const {
  return constraints::cat(domains(parts_), dim_, lengths_);
}
Constraint CatTransform::codomain() const {
  return constraints::cat(codomains(parts_), dim_, lengths_);
}
bool CatTransform::bijective() const { return all_bijective(parts_); }
void CatTransform::set_cache(std::int64_t size) { cache_parts(parts_, size); }
bool CatTransform::equals(const Transform& other) const {
  const auto* o = dynamic_cast<const CatTransform*>(&other);
  return o && dim_ == o->dim_ && lengths_ == o->lengths_ && all_equal(parts_, o->parts_);
}

std::vector<Tensor> StackTransform::slices(const Tensor& x) const {
  std::vector<Tensor> s = x.unbind(dim_);
  check_count("StackTransform", parts_.size(), s.size());
  return s;
}
Tensor StackTransform::compute(const Tensor& x) const {
  std::vector<Tensor> s = slices(x);
  for (std::size_t i = 0; i < s.size(); ++i) s[i] = parts_[i](s[i]);
  return stack(s, dim_);
}
Tensor StackTransform::compute_inverse(const Tensor& y) const {
  std::vector<Tensor> s = slices(y);
  for (std::size_t i = 0; i < s.size(); ++i) s[i] = parts_[i]->inverse(s[i]);
  return stack(s, dim_);
}
Tensor StackTransform::log_abs_det_jacobian(const Tensor& x, const Tensor& y) const {
  std::vector<Tensor> xs = slices(x);
  const std::vector<Tensor> ys = slices(y);
  for (std::size_t i = 0; i < xs.size(); ++i) xs[i] = parts_[i]->log_abs_det_jacobian(xs[i], ys[i]);
  return stack(xs, dim_);
}
Constraint StackTransform::domain() const { return constraints::stack(domains(parts_), dim_); }
Constraint StackTransform::codomain() const { return constraints::stack(codomains(parts_), dim_); }
bool StackTransform::bijective() const { return all_bijective(parts_); }
void StackTransform::set_cache(std::int64_t size) { cache_parts(parts_, size); }
bool StackTransform::equals(const Transform& other) const {
  const auto* o = dynamic_cast<const StackTransform*>(&other);
  return o && dim_ == o->dim_ && all_equal(parts_, o->parts_);
}

}  // namespace taper::distributions::transforms
