// nn::Chain: Sequential with types that are known at compile time.
#include "taper/nn/chain.h"
#include "nets.h"
#include "support/contains.h"
#include "taper/nn/sequential.h"

namespace {

using taper::test::contains;

using namespace nets;

struct Split : nn::Module {
  TAPER_MODULE(Split)
  std::tuple<Tensor, int> forward(const Tensor& x, int n = 2) { return {x, n}; }
};
struct Times : nn::Module {
  TAPER_MODULE(Times)
  Tensor forward(const std::tuple<Tensor, int>& x) { return std::get<0>(x) * std::get<1>(x); }
};

TEST(Chain, FeedsInputThroughItsModules) {
  nn::Chain net{Scale(2), Identity(), Scale(3)};
  static_assert(std::is_same_v<decltype(net), nn::Chain<Scale, Identity, Scale>>);
  EXPECT_EQ(net(row(1, 2)).flatten()[1].item<float>(), 12);
  EXPECT_EQ(net.size(), 3u);
  EXPECT_EQ(net.at<2>().weight.data<float>()[0], 3);
  nn::Module& erased = net;
  EXPECT_EQ(erased(row(1, 2)).flatten()[1].item<float>(), 12);
  EXPECT_EQ(erased.call({row(1, 2)}).as_tensor().flatten()[1].item<float>(), 12);
}

TEST(Chain, HasStateDictOfSequential) {
  nn::Chain chain{Scale(2), Identity(), Scale(3)};
  nn::Sequential other{Scale(5), Identity(), Scale(7)};
  EXPECT_EQ(keys(chain.state_dict()), keys(other.state_dict()));
  chain.load_state_dict(other.state_dict());
  EXPECT_EQ(chain(row(1, 1)).flatten()[0].item<float>(), 35);
  EXPECT_EQ(chain.str(),
            "Chain(\n  (0): Scale(size=2)\n  (1): Identity()\n  (2): Scale(size=2)\n)");
}

TEST(Chain, PassesAnyType) {
  nn::Chain<Split, Times> net;
  EXPECT_EQ(net(row(1, 2)).flatten()[1].item<float>(), 4);
  EXPECT_EQ(net.call({row(1, 2)}).as_tensor().flatten()[1].item<float>(), 4);
}

struct WithChain : nn::Module {
  nn::Chain<Scale, Scale> body{Scale(2), Scale(3)};
  TAPER_MODULE(WithChain, body)
  Tensor forward(const Tensor& x) { return body(x); }
};

TEST(Chain, SupportsHooksAndClone) {
  WithChain net;
  int hooks = 0;
  net.body.register_forward_hook(
      [&](nn::Chain<Scale, Scale>&, const Tensor&, Tensor& y) { ++hooks, y = y + 1; });
  auto copy = net.clone();
  net.body.at<0>().weight.data().fill_(0);
  EXPECT_EQ(copy(row(1, 2)).flatten()[0].item<float>(), 7);
  EXPECT_EQ(hooks, 1);
  EXPECT_EQ(names(net.named_parameters()), "body.0.weight body.1.weight");
  net.to(float64).eval();
  EXPECT_FALSE(net.body.at<1>().training);
  const std::string text = error_text<Error>([&] { net(ones({3}).to(float64)); });
  EXPECT_TRUE(contains(text, "\n  in body.0: Scale(size=2), called with float64 [3]"));
}

}  // namespace
