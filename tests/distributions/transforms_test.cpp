// Transforms, constraints and their registries.
#include <gtest/gtest.h>

#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/distributions/distributions.h"
#include "taper/ops/decomposition.h"

namespace {

using namespace taper;
using namespace taper::distributions;
using namespace taper::distributions::utils;

const DType f64 = DType::f64;

struct Example {
  AnyTransform transform;
  Tensor x;
};

std::vector<Example> bijections() {
  manual_seed(5);
  const Tensor x = randn({2, 3}, {.dtype = f64}), positive = x.exp();
  return {{ExpTransform(), x},
          {SigmoidTransform(), x},
          {SoftplusTransform(), x},
          {TanhTransform(), x},
          {AffineTransform(0.5, -2.0), x},
          {AffineTransform(x, positive), x},
          {PowerTransform(full({}, -1.5, {.dtype = f64})), positive},
          {CumulativeDistributionTransform(Normal(full({}, 0.0, {.dtype = f64}), 1)), x},
          {ExpTransform().inv(), positive},
          {ComposeTransform({ExpTransform(), AffineTransform(1, 2)}), x},
          {CatTransform({ExpTransform(), TanhTransform()}, -1, {1, 2}), x},
          {StackTransform({ExpTransform(), TanhTransform(), SigmoidTransform()}, -1), x}};
}

TEST(Transform, InverseReturnsTheInput) {
  for (const auto& [t, x] : bijections()) {
    const Tensor y = t(x);
    EXPECT_TRUE(allclose(t->inverse(y), x, 1e-9, 1e-9)) << t->str();
    EXPECT_TRUE(allclose(t->inv()(y), x, 1e-9, 1e-9)) << t->str();
    EXPECT_TRUE(t->bijective()) << t->str();
    EXPECT_EQ(t->forward_shape(x.shape()), y.shape()) << t->str();
  }
}

TEST(Transform, JacobianMatchesTheGradient) {
  for (const auto& [t, x] : bijections()) {
    const Tensor leaf = x.detach().requires_grad_();
    const Tensor y = t(leaf), slope = autograd::grad(y.sum(), leaf);
    EXPECT_TRUE(allclose(t->log_abs_det_jacobian(x, y.detach()), slope.abs().log(), 1e-7, 1e-7))
        << t->str();
  }
}

TEST(Transform, JacobianOfEventsMatchesTheDeterminant) {
  manual_seed(6);
  const Tensor x = randn({3}, {.dtype = f64}).requires_grad_();
  for (const AnyTransform& t :
       {AnyTransform(StickBreakingTransform()), AnyTransform(CorrCholeskyTransform())}) {
    const Tensor y = t(x);
    // The free coordinates: the simplex without its last element, the elements below the diagonal.
    const Tensor free = y.dim() == 1 ? y.narrow(0, 0, 3) : tril_matrix_to_vec(y, -1);
    std::vector<Tensor> rows;
    for (std::int64_t i = 0; i < 3; ++i)
      rows.push_back(autograd::grad(free[i], x, {.retain_graph = true}));
    const double expected = linalg::slogdet(stack(rows)).second.item<double>();
    EXPECT_NEAR(t->log_abs_det_jacobian(x, y).item<double>(), expected, 1e-9) << t->str();
    EXPECT_TRUE(allclose(t->inverse(y), x, 1e-9, 1e-9)) << t->str();
    EXPECT_TRUE(t->codomain().check(y).all().item<bool>());
    EXPECT_EQ(t->forward_shape({7, 3}), (y.dim() == 1 ? Shape{7, 4} : Shape{7, 3, 3}));
    EXPECT_EQ(t->inverse_shape(t->forward_shape({7, 3})), (Shape{7, 3}));
  }
}

TEST(Transform, CacheReturnsTheSameTensor) {
  const AnyTransform t = ExpTransform().with_cache();
  const Tensor x = zeros({2}), y = t(x);
  EXPECT_TRUE(t(x).is_same(y));
  EXPECT_TRUE(t->inverse(y).is_same(x));
  EXPECT_FALSE(ExpTransform()(x).is_same(y));
  EXPECT_THROW((void)ExpTransform().with_cache(2), ValueError);
}

TEST(Transform, PrintsAsPython) {
  EXPECT_EQ(ExpTransform().inv()->str(), "_InverseTransform(ExpTransform())");
  EXPECT_EQ(identity_transform.str(), "ComposeTransform(\n    \n)");
  EXPECT_EQ(IndependentTransform(ExpTransform(), 1).str(),
            "IndependentTransform(ExpTransform(), 1)");
}

TEST(Transform, ComparesByArguments) {
  EXPECT_TRUE(ExpTransform().equals(ExpTransform()));
  EXPECT_FALSE(ExpTransform().equals(TanhTransform()));
  EXPECT_TRUE(AffineTransform(0, 2.0).equals(AffineTransform(zeros({}), 2.0)));
  EXPECT_FALSE(AffineTransform(0, 2).equals(AffineTransform(0, 3)));
}

TEST(Transform, RejectsInvalidShapes) {
  EXPECT_THROW(ReshapeTransform({2}, {3}), ValueError);
  EXPECT_THROW(CorrCholeskyTransform().forward_shape({4}), ValueError);
  EXPECT_THROW(StickBreakingTransform().forward_shape({}), ValueError);
  EXPECT_THROW(StackTransform({ExpTransform()})(zeros({2})), ValueError);
  EXPECT_THROW(vec_to_tril_matrix(zeros({4})), ValueError);
  EXPECT_THROW(tril_matrix_to_vec(zeros({2, 2}), 2), ValueError);
}

TEST(Constraint, PrintsAsPython) {
  EXPECT_EQ(constraints::real_vector.str(), "IndependentConstraint(Real(), 1)");
  EXPECT_EQ(constraints::positive_integer.str(), "IntegerGreaterThan(lower_bound=1)");
  EXPECT_EQ(constraints::less_than(tensor({1.0, 2.0})).str(),
            "LessThan(upper_bound=tensor([1., 2.]))");
  EXPECT_EQ(constraints::cat({constraints::real}).str(), "Cat()");
}

TEST(Constraint, ChecksElements) {
  const auto accepts = [](const Constraint& c, const Tensor& x) {
    return c.check(x).all().item<bool>();
  };
  EXPECT_TRUE(accepts(constraints::boolean, tensor({0.0, 1.0})));
  EXPECT_FALSE(accepts(constraints::boolean, tensor({0.5})));
  EXPECT_TRUE(accepts(constraints::half_open_interval(0, 1), tensor({0.0})));
  EXPECT_FALSE(accepts(constraints::half_open_interval(0, 1), tensor({1.0})));
  EXPECT_FALSE(accepts(constraints::nonnegative_integer, tensor({0.5})));
  EXPECT_TRUE(accepts(constraints::one_hot, tensor({0.0, 1.0})));
  EXPECT_TRUE(accepts(constraints::multinomial(3), tensor({1.0, 2.0})));
  EXPECT_TRUE(accepts(constraints::positive_definite, eye(2)));
  EXPECT_FALSE(accepts(constraints::positive_definite, -eye(2)));
  EXPECT_FALSE(accepts(constraints::symmetric, tensor({{1.0, 2.0}, {0.0, 1.0}})));
  EXPECT_TRUE(accepts(constraints::stack({constraints::real, constraints::positive}, 0),
                      tensor({-1.0, 1.0})));
  EXPECT_FALSE(accepts(constraints::cat({constraints::real, constraints::positive}, 0, {1, 2}),
                       tensor({-1.0, 1.0, -1.0})));
  EXPECT_TRUE(constraints::is_dependent(constraints::dependent));
  EXPECT_THROW(constraints::dependent.check(zeros({})), ValueError);
  EXPECT_THROW(constraints::simplex.check(zeros({})), ValueError);
}

TEST(ConstraintRegistry, MapsToTheRegion) {
  manual_seed(7);
  const Tensor x = randn({3, 3});
  for (const Constraint& c :
       {constraints::positive, constraints::unit_interval,
        Constraint(constraints::interval(-2, 3.0)), Constraint(constraints::less_than(1)),
        constraints::simplex, constraints::lower_cholesky, constraints::positive_definite,
        constraints::real_vector, constraints::corr_cholesky})
    EXPECT_TRUE(c.check(transform_to(c)(x)).all().item<bool>()) << c.str();
  EXPECT_EQ(biject_to(constraints::simplex)->str(), "StickBreakingTransform()");
  EXPECT_THROW(biject_to(constraints::lower_cholesky), NotImplementedError);
}

TEST(ConstraintRegistry, AcceptsOtherConstraints) {
  const Constraint even(
      {.name = "Even", .check = [](const Tensor& t) { return t / 2 == (t / 2).floor(); }});
  EXPECT_THROW(transform_to(even), NotImplementedError);
  transform_to().register_("Even",
                           [](const Constraint&) -> AnyTransform { return ExpTransform(); });
  EXPECT_EQ(transform_to(even)->str(), "ExpTransform()");
}

}  // namespace
