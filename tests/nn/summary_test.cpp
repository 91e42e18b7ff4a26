// nn::summary, compared with the output of torchsummary 1.5.1.
#include "taper/nn/summary.h"

#include <sstream>

#include "nets.h"
#include "support/contains.h"
#include "taper/core/generator.h"
#include "taper/nn/nn.h"
#include "taper/ops/random.h"

namespace {

using taper::test::contains;

using namespace nets;

struct Digits : nn::Module {
  nn::Conv2d conv{1, 10, 5};
  nn::BatchNorm2d bn{10};
  nn::ReLU relu;
  nn::Linear fc{5760, 10};
  TAPER_MODULE(Digits, conv, bn, relu, fc)
  Tensor forward(const Tensor& x) { return fc(relu(bn(conv(x))).flatten(1)); }
};

struct Stage : nn::Module {
  nn::Conv2d conv{4, 4, 3, {.padding = 1, .bias = false}};
  std::shared_ptr<nn::ReLU> relu;
  explicit Stage(std::shared_ptr<nn::ReLU> shared) : relu(std::move(shared)) {}
  TAPER_MODULE(Stage, conv, relu)
  Tensor forward(const Tensor& x) { return (*relu)(conv(x) + x); }
};

// Network with a module that has two parents, a module with two results, a frozen one, and a
// forward with two arguments.
struct Deep : nn::Module {
  std::shared_ptr<nn::ReLU> relu = std::make_shared<nn::ReLU>();
  nn::Sequential stem{nn::Conv2d(3, 4, 1), nn::ReLU()};
  Stage a{relu}, b{relu};
  nn::MaxPool2d pool{2, {.return_indices = true}};
  nn::Linear fc{64, 300000};
  Deep() { fc.weight.set_requires_grad(false); }
  TAPER_MODULE(Deep, stem, a, b, pool, fc)
  Tensor forward(const Tensor& x, const Tensor& y) {
    const Value pooled = pool.call({b(a(stem(x)))});
    return fc(pooled[0].as_tensor().flatten(1)) + y.mean();
  }
};

const char* const kDigits =
    "----------------------------------------------------------------\n"
    "        Layer (type)               Output Shape         Param #\n"
    "================================================================\n"
    "            Conv2d-1           [-1, 10, 24, 24]             260\n"
    "       BatchNorm2d-2           [-1, 10, 24, 24]              20\n"
    "              ReLU-3           [-1, 10, 24, 24]               0\n"
    "            Linear-4                   [-1, 10]          57,610\n"
    "================================================================\n"
    "Total params: 57,890\n"
    "Trainable params: 57,890\n"
    "Non-trainable params: 0\n"
    "----------------------------------------------------------------\n"
    "Input size (MB): 0.00\n"
    "Forward/backward pass size (MB): 0.13\n"
    "Params size (MB): 0.22\n"
    "Estimated Total Size (MB): 0.36\n"
    "----------------------------------------------------------------";

TEST(Summary, PrintsTable) {
  Digits net;
  std::ostringstream out;
  out << nn::summary(net, {1, 28, 28});
  EXPECT_EQ(out.str(), kDigits);
}

TEST(Summary, RunsOnMetaWithoutComputing) {
  Digits net;
  EXPECT_EQ(nn::summary(net, {1, 28, 28}, {.device = "meta"}).str(), kDigits);
  EXPECT_TRUE(net.fc.weight.device().is_cpu());
}

TEST(Summary, ShowsSharedMultipleAndFrozenModules) {
  Deep net;
  const nn::Summary s =
      nn::summary(net, std::vector<Shape>{{3, 8, 8}, {3, 1, 2}}, {.batch_size = 4});
  EXPECT_EQ(s.str(), R"(----------------------------------------------------------------
        Layer (type)               Output Shape         Param #
================================================================
            Conv2d-1               [4, 4, 8, 8]              16
              ReLU-2               [4, 4, 8, 8]               0
            Conv2d-3               [4, 4, 8, 8]             144
              ReLU-4               [4, 4, 8, 8]               0
              ReLU-5               [4, 4, 8, 8]               0
             Stage-6               [4, 4, 8, 8]               0
            Conv2d-7               [4, 4, 8, 8]             144
              ReLU-8               [4, 4, 8, 8]               0
              ReLU-9               [4, 4, 8, 8]               0
            Stage-10               [4, 4, 8, 8]               0
        MaxPool2d-11  [[-1, 4, 4, 4], [-1, 4, 4, 4]]               0
           Linear-12                [4, 300000]      19,500,000
================================================================
Total params: 19,500,304
Trainable params: 304
Non-trainable params: 19,500,000
----------------------------------------------------------------
Input size (MB): 0.02
Forward/backward pass size (MB): 9.26
Params size (MB): 74.39
Estimated Total Size (MB): 83.67
----------------------------------------------------------------)");
  EXPECT_EQ(s.rows[2].path, "a.conv");
  EXPECT_EQ(s.rows[2].input, Shape({4, 4, 8, 8}));
  EXPECT_EQ(s.rows[10].outputs.size(), 2u);
  EXPECT_TRUE(s.rows[10].several);
}

TEST(Summary, CountsMultiplyAdds) {
  Digits net;
  const nn::Summary s = nn::summary(net, {1, 28, 28});
  EXPECT_EQ(s.rows[0].multiply_adds, 10 * 24 * 24 * 25);
  EXPECT_EQ(s.rows[1].multiply_adds, 0);
  EXPECT_EQ(s.rows[3].multiply_adds, 5760 * 10);
  EXPECT_EQ(s.multiply_adds, 10 * 24 * 24 * 25 + 57600);
  nn::Sequential grouped{nn::Conv1d(4, 8, 3, {.stride = 2, .groups = 2})};
  EXPECT_EQ(nn::summary(grouped, {4, 9}).multiply_adds, 8 * 4 * 2 * 3);
  EXPECT_EQ(s.total_bytes(), s.input_bytes + s.output_bytes + s.parameter_bytes);
}

TEST(Summary, LeavesModuleUnchanged) {
  Digits net;
  manual_seed(5);
  const Tensor expected = rand({1});
  manual_seed(5);
  nn::summary(net, {1, 28, 28});
  EXPECT_TRUE(equal(rand({1}), expected));
  EXPECT_TRUE(equal(*net.bn.running_mean, zeros({10})));
  EXPECT_EQ(net.bn.num_batches_tracked->item<std::int64_t>(), 0);
  EXPECT_EQ(net.conv.hooks(nn::HookKind::forward).hooks.size(), 0u);
  manual_seed(5);
  EXPECT_THROW(nn::summary(net, {1, 5, 5}), Error);  // the linear layer does not fit
  EXPECT_TRUE(equal(rand({1}), expected));
  EXPECT_EQ(net.conv.hooks(nn::HookKind::forward).hooks.size(), 0u);
  EXPECT_TRUE(equal(*net.bn.running_var, ones({10})));
}

TEST(Summary, IsEmptyForBareLayer) {
  nn::Linear layer(2, 3);
  const nn::Summary s = nn::summary(layer, {2});
  EXPECT_TRUE(s.rows.empty());
  EXPECT_TRUE(contains(s.str(), "Total params: 0\n"));
}

}  // namespace
