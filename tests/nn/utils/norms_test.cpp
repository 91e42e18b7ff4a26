// Weight norm, spectral norm and orthogonal matrices, as parametrizations and in the older form.
#include "../nets.h"
#include "support/contains.h"
#include "taper/autograd/autograd.h"
#include "taper/core/generator.h"
#include "taper/nn/conv.h"
#include "taper/nn/linear.h"
#include "taper/nn/utils/parametrizations.h"
#include "taper/nn/utils/weight_norm.h"

namespace {

using taper::test::contains;

using namespace nets;
namespace utils = nn::utils;
namespace P = nn::utils::parametrize;
namespace R = nn::utils::parametrizations;

nn::Linear seeded_linear(std::int64_t in = 2, std::int64_t out = 3) {
  manual_seed(3);
  return nn::Linear(in, out, {.dtype = float64});
}
Tensor input(std::int64_t n = 2) {
  manual_seed(4);
  return randn({4, n}, {.dtype = float64});
}
double largest_singular_value(const Tensor& w) {
  Tensor v = ones({w.size(1)}, {.dtype = float64});
  for (int i = 0; i < 500; ++i) v = w.t().mv(w.mv(v)), v = v / v.norm();
  return w.mv(v).norm().item<double>();
}
std::string metadata_of(nn::Module& m) {
  const Value state = m.state_dict();
  return state.as_dict().attribute("_metadata")->repr();
}

// R9.3-11, R9.4-08
TEST(WeightNorm, WorksAsParametrization) {
  nn::Linear m = seeded_linear();
  const Tensor before = m.weight.detach().clone();
  EXPECT_EQ(&R::weight_norm(m), &m);
  EXPECT_EQ(keys(m.state_dict()),
            "bias parametrizations.weight.original0 parametrizations.weight.original1");
  const auto originals = P::parametrizations_of(m, "weight").originals();
  EXPECT_EQ(originals[0].shape(), Shape({3, 1}));
  EXPECT_EQ(originals[1].shape(), Shape({3, 2}));
  EXPECT_TRUE(allclose(m.weight, before));
  {
    const NoGrad guard;
    originals[0].mul_(2);
    originals[1].mul_(7);
  }
  EXPECT_TRUE(allclose(P::value(m, "weight"), before * 2));
  EXPECT_EQ(P::parametrizations_of(m, "weight")[0].str(), "_WeightNorm()");
}

// R9.3-11
TEST(WeightNorm, LoadsStateDictOfOlderForm) {
  nn::Linear old = seeded_linear(), now = seeded_linear(2, 3);
  utils::weight_norm(old);
  R::weight_norm(now);
  {
    const NoGrad guard;
    old.get_parameter("weight_g").mul_(3);
  }
  now.load_state_dict(old.state_dict());
  EXPECT_TRUE(allclose(now(input()), old(input())));
}

// R9.3-14, R9.4-05
TEST(WeightNorm, WorksInOlderForm) {
  nn::Linear m = seeded_linear();
  const Tensor before = m.weight.detach().clone();
  EXPECT_EQ(&utils::weight_norm(m), &m);
  EXPECT_EQ(m.type_name(), "Linear");
  EXPECT_EQ(keys(m.state_dict()), "bias weight_g weight_v");
  EXPECT_EQ(m.get_parameter("weight_g").shape(), Shape({3, 1}));
  EXPECT_EQ(m.get_parameter("weight_v").shape(), Shape({3, 2}));
  EXPECT_FALSE(m.get_attr("weight").is_parameter());
  EXPECT_TRUE(allclose(m.weight, before));
  {
    const NoGrad guard;
    m.get_parameter("weight_g").mul_(2);
  }
  EXPECT_TRUE(allclose(m.attr<Tensor>("weight"), before));  // not recomputed until the next call
  EXPECT_TRUE(allclose(m(input()), input().matmul((before * 2).t()) + *m.bias));
  m(input()).sum().backward();
  EXPECT_TRUE(m.get_parameter("weight_v").grad().defined());
  EXPECT_EQ(error_message<RuntimeError>([&] { utils::weight_norm(m); }),
            "Cannot register two weight_norm hooks on the same parameter weight");
  EXPECT_EQ(&utils::remove_weight_norm(m), &m);
  EXPECT_EQ(keys(m.state_dict()), "bias weight");
  EXPECT_TRUE(allclose(m.weight, before * 2));
  EXPECT_TRUE(m.weight.is_leaf() && m.weight.requires_grad());
  EXPECT_EQ(
      error_message<ValueError>([&] { utils::remove_weight_norm(m); }),
      "weight_norm of 'weight' not found in Linear(in_features=2, out_features=3, bias=True)");
}

// R9.3-14
TEST(WeightNorm, SupportsOtherDimensionOrWholeTensor) {
  nn::Linear columns = seeded_linear(), all = seeded_linear();
  utils::weight_norm(columns, "weight", 1);
  utils::weight_norm(all, "weight", std::nullopt);
  EXPECT_EQ(columns.get_parameter("weight_g").shape(), Shape({1, 2}));
  EXPECT_EQ(all.get_parameter("weight_g").shape(), Shape{});
  EXPECT_TRUE(
      allclose(columns.get_parameter("weight_g"), seeded_linear().weight.norm(2, {0}, true)));
}

// R9.3-12, R9.4-08
TEST(SpectralNorm, WorksAsParametrization) {
  nn::Linear m = seeded_linear();
  const Tensor before = m.weight.detach().clone();
  EXPECT_EQ(&R::spectral_norm(m), &m);
  EXPECT_EQ(keys(m.state_dict()),
            "bias parametrizations.weight.original parametrizations.weight.0._u "
            "parametrizations.weight.0._v");
  nn::Module& norm = P::parametrizations_of(m, "weight")[0];
  EXPECT_EQ(norm.str(), "_SpectralNorm()");
  EXPECT_EQ(norm.get_buffer("_u").shape(), Shape({3}));
  EXPECT_EQ(norm.get_buffer("_v").shape(), Shape({2}));
  EXPECT_TRUE(allclose(m.weight, before / largest_singular_value(before), 1e-6));
  const Tensor u = norm.get_buffer("_u").clone();
  m.eval();
  m(input());
  EXPECT_TRUE(allclose(norm.get_buffer("_u"), u, 0, 0));
  {
    const NoGrad guard;
    m.get_parameter("parametrizations.weight.original")
        .copy_(before.flatten().view({3, 2}) * -1 + 1);
  }
  m.train();
  m(input());
  EXPECT_FALSE(allclose(norm.get_buffer("_u"), u, 0, 0));
}

// R9.3-12
TEST(SpectralNorm, DividesVectorsByTheirLength) {
  Scale m(2, 4);
  R::spectral_norm(m);
  EXPECT_EQ(keys(m.state_dict()), "mean parametrizations.weight.original");
  EXPECT_TRUE(allclose(m.weight, full({4}, 0.5)));
}

// R9.3-12
TEST(SpectralNorm, RejectsInvalidArguments) {
  nn::Linear m = seeded_linear();
  EXPECT_EQ(
      error_message<ValueError>([&] { R::spectral_norm(m, "weight", {.n_power_iterations = 0}); }),
      "Expected n_power_iterations to be positive, but got n_power_iterations=0");
  EXPECT_EQ(error_message<IndexError>([&] { R::spectral_norm(m, "weight", {.dim = 2}); }),
            "Dimension out of range (expected to be in range of [-2, 1] but got 2)");
  EXPECT_EQ(error_message<ValueError>([&] { R::spectral_norm(m, "none"); }),
            "Module 'Linear(in_features=2, out_features=3, bias=True)' has no parameter or buffer "
            "with name 'none'");
  EXPECT_EQ(names(m.named_parameters()), "weight bias");
}

// R9.3-15, R9.4-05
TEST(SpectralNorm, WorksInOlderForm) {
  nn::Linear m = seeded_linear();
  const Tensor before = m.weight.detach().clone();
  const auto* const object = m.weight.impl();
  EXPECT_EQ(&utils::spectral_norm(m, "weight", {.n_power_iterations = 50}), &m);
  EXPECT_EQ(keys(m.state_dict()), "bias weight_orig weight_u weight_v");
  EXPECT_EQ(names(m.named_buffers()), "weight_u weight_v");
  EXPECT_EQ(m.get_parameter("weight_orig").impl(), object);
  EXPECT_TRUE(allclose(m.weight, before));  // not divided before the first call
  const Tensor expected = before / largest_singular_value(before);
  EXPECT_TRUE(allclose(m(input()), input().matmul(expected.t()) + *m.bias));
  m(input()).sum().backward();
  EXPECT_TRUE(m.get_parameter("weight_orig").grad().defined());
  const Tensor u = m.get_buffer("weight_u").clone();
  m.eval();
  m(input());
  EXPECT_TRUE(allclose(m.get_buffer("weight_u"), u, 0, 0));
  EXPECT_EQ(error_message<RuntimeError>([&] { utils::spectral_norm(m); }),
            "Cannot register two spectral_norm hooks on the same parameter weight");
  EXPECT_EQ(&utils::remove_spectral_norm(m), &m);
  EXPECT_EQ(keys(m.state_dict()), "bias weight");
  EXPECT_TRUE(allclose(m.weight, expected));
  EXPECT_EQ(metadata_of(m), "OrderedDict([('', {'version': 1})])");
  EXPECT_EQ(error_message<ValueError>([&] { utils::remove_spectral_norm(m); }),
            "spectral_norm of 'weight' not found in Linear(in_features=2, out_features=3, "
            "bias=True)");
}

// R9.3-15
TEST(SpectralNorm, BackwardWorksAfterTwoForwardPasses) {
  nn::Linear m = seeded_linear();
  utils::spectral_norm(m);
  (m(input()).sum() - m(input() * 2).sum()).backward();
  EXPECT_TRUE(m.get_parameter("weight_orig").grad().defined());
}

// R5.4-04, R9.3-15
TEST(SpectralNorm, OlderFormStoresItsVersion) {
  nn::Linear m = seeded_linear();
  utils::spectral_norm(m);
  EXPECT_EQ(metadata_of(m),
            "OrderedDict([('', {'version': 1, 'spectral_norm': {'weight.version': 1}})])");
  nn::Linear copy = m.clone();
  utils::remove_spectral_norm(copy);  // removes the hooks of the copy, not those of the original
  EXPECT_EQ(metadata_of(copy), "OrderedDict([('', {'version': 1})])");
  EXPECT_TRUE(contains(metadata_of(m), "weight.version"));
}

// R5.4-04
TEST(SpectralNorm, LoadsUnversionedStateDicts) {
  for (const auto& [in, out] : {std::pair{2, 3}, {5, 3}, {4, 4}}) {
    nn::Linear m = seeded_linear(in, out), fresh = seeded_linear(in, out);
    utils::spectral_norm(m), utils::spectral_norm(fresh);
    m(input(in));
    // In an unversioned state dict, the weight is a buffer and v is absent. As after any forward in
    // training mode, u = normalize(W v).
    const Value old = m.state_dict();
    old["weight"] = m.weight.detach();
    old.as_dict().erase("weight_v");
    old.as_dict().attribute("_metadata")->operator[]("").as_dict().erase("spectral_norm");
    fresh.load_state_dict(old);
    const Tensor w = m.get_parameter("weight_orig"), v = fresh.get_buffer("weight_v"),
                 u = m.get_buffer("weight_u"), wv = w.mv(v);
    EXPECT_TRUE(allclose(fresh.eval()(input(in)), m.eval()(input(in)), 1e-8)) << in << " " << out;
    // u is in the range of W unless there are more rows than columns.
    if (in < out) continue;
    EXPECT_TRUE(allclose(wv / wv.norm(), u, 1e-6)) << in << " " << out;
  }
}

// R5.4-04
TEST(SpectralNorm, TreatsMissingMetadataAsCurrentVersion) {
  nn::Linear m = seeded_linear(), other = seeded_linear();
  utils::spectral_norm(m), utils::spectral_norm(other);
  const Value state = m.state_dict(), plain = Value::dict();
  for (const auto& [key, v] : state.as_dict()) plain.as_dict().set(key, v);
  other.load_state_dict(plain);
  EXPECT_TRUE(allclose(other.get_buffer("weight_v"), m.get_buffer("weight_v"), 0, 0));
  plain.as_dict().erase("weight_u");
  plain["weight"] = m.weight.detach();
  const std::string text = error_text<RuntimeError>([&] { other.load_state_dict(plain); });
  EXPECT_TRUE(contains(text, "\"weight_u\""));
}

Tensor identity_error(const Tensor& q) {
  return (q.mT().matmul(q) - eye(q.size(-1), -1, {.dtype = float64})).abs().max();
}

// R9.3-13, R9.4-08
TEST(Orthogonal, WorksAsParametrization) {
  nn::Linear m(2, 2, {.dtype = float64});
  EXPECT_EQ(&R::orthogonal(m), &m);
  EXPECT_EQ(keys(m.state_dict()),
            "bias parametrizations.weight.original parametrizations.weight.0.base");
  EXPECT_EQ(P::parametrizations_of(m, "weight")[0].str(), "_Orthogonal()");
  nn::Linear plain(2, 2, {.dtype = float64});
  R::orthogonal(plain, "weight", {.use_trivialization = false});
  EXPECT_EQ(keys(plain.state_dict()), "bias parametrizations.weight.original");
  EXPECT_LT(identity_error(plain.weight).item<double>(), 1e-12);
}

// R9.3-13
TEST(Orthogonal, EveryMapReturnsTrainableOrthonormalColumns) {
  for (const char* map : {"matrix_exp", "cayley", "householder"})
    for (const auto& [out, in] : {std::pair{4, 4}, {5, 3}, {3, 5}})
      for (const bool trivialized : {true, false}) {
        SCOPED_TRACE(std::string(map) + " " + std::to_string(out) + "x" + std::to_string(in));
        manual_seed(1);
        nn::Linear m(in, out, {.dtype = float64});
        R::orthogonal(m, "weight", {.orthogonal_map = map, .use_trivialization = trivialized});
        const auto check = [&] {
          const Tensor q = P::value(m, "weight");
          EXPECT_LT(identity_error(q.size(0) < q.size(1) ? q.t() : q).item<double>(), 1e-12);
        };
        check();
        m(input(in)).pow(3).sum().backward();
        const Tensor original = m.get_parameter("parametrizations.weight.original");
        EXPECT_GT(original.grad().abs().max().item<double>(), 1e-6);
        const NoGrad guard;
        original.add_(original.grad() * -0.1);
        check();
      }
}

// R9.3-13
TEST(Orthogonal, PreservesOrthogonalMatrixAndAcceptsAssignment) {
  const Tensor turn = tensor({{0.6, -0.8}, {0.8, 0.6}}, {.dtype = float64});
  nn::Linear m(2, 2, {.dtype = float64});
  {
    const NoGrad guard;
    m.weight.copy_(turn);
  }
  R::orthogonal(m);
  EXPECT_TRUE(allclose(m.weight, turn));
  P::assign(m, "weight", turn.t());
  EXPECT_TRUE(allclose(P::value(m, "weight"), turn.t()));
  EXPECT_THROW(P::assign(m, "weight", ones({3, 2}, {.dtype = float64})), ValueError);
  nn::Linear fixed(2, 2, {.dtype = float64});
  R::orthogonal(fixed, "weight", {.orthogonal_map = "cayley", .use_trivialization = false});
  EXPECT_THROW(P::assign(fixed, "weight", turn), NotImplementedError);
}

// R9.3-13
TEST(Orthogonal, RejectsInvalidArguments) {
  nn::Linear m(2, 2);
  EXPECT_EQ(
      error_message<ValueError>([&] { R::orthogonal(m, "weight", {.orthogonal_map = "magic"}); }),
      "orthogonal_map has to be one of \"matrix_exp\", \"cayley\", \"householder\". Got: magic");
  EXPECT_EQ(error_message<ValueError>([&] { R::orthogonal(m, "bias"); }),
            "Expected a matrix or batch of matrices. Got a tensor of 1 dimensions.");
  EXPECT_THROW(R::orthogonal(m, "none"), ValueError);
}

}  // namespace
