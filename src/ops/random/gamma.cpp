#include "ops/random/gamma.h"

#include "ops/forms.h"
#include "ops/kernel/element.h"
#include "taper/ops/gamma.h"

namespace taper {

template <> void reference_kernel(const StandardGamma& o, const KernelArgs& k) {
  const View& out = k.out[0];
  if (out.numel == 0) return;
  FillBuffer to(out, o.logical_strides);
  const auto shapes = to.gather(k.in[0]);
  for (std::size_t at = 0; at < shapes.size(); at += size_of(out.dtype))
    if (const double shape = kernel::load<double>(&shapes[at], out.dtype); !(shape > 0))
      fail<ValueError>("_standard_gamma: expected positive shapes, got {}", python_repr(shape));
  {
    const random::GeneratorLock from(o.generator);
    fill_standard_gamma(from.engine, to.target(), shapes.data());
  }
  to.finish();
}

TAPER_DEFINE_OP(_standard_gamma, StandardGamma);

Tensor standard_gamma(const Tensor& input, const Generator& generator) {
  const bool contiguous = input.is_contiguous();
  return run(StandardGamma{generator, contiguous ? Shape() : input.strides()}, input);
}

}  // namespace taper
