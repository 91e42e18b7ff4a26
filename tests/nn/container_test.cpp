#include "nets.h"
#include "support/contains.h"
#include "taper/nn/module_list.h"
#include "taper/nn/sequential.h"

namespace {

using taper::test::contains;

using namespace nets;

// R7.1-01, R7.1-02, R7.1-15
TEST(Sequential, FeedsInputThroughItsChildren) {
  nn::Sequential net{Scale(2), Identity(), Scale(3)};
  EXPECT_EQ(net(row(1, 2)).flatten()[1].item<float>(), 12);
  EXPECT_EQ(net.size(), 3u);
  EXPECT_EQ(names(net.named_parameters()), "0.weight 2.weight");
  EXPECT_TRUE(nn::Sequential()(row(1, 2)).defined());
  nn::Module& erased = net;
  EXPECT_EQ(erased(row(1, 2)).flatten()[1].item<float>(), 12);
  EXPECT_EQ(erased.call({row(1, 2)}).as_tensor().flatten()[1].item<float>(), 12);
  int children = 0;
  for (nn::Module& m : net) children += m.training;
  EXPECT_EQ(children, 3);
}

TEST(Sequential, HasNamedChildren) {
  nn::Sequential net({{"first", Scale(2)}, {"second", Identity()}});
  EXPECT_EQ(net.str(), "Sequential(\n  (first): Scale(size=2)\n  (second): Identity()\n)");
  EXPECT_EQ(keys(net.state_dict()), "first.weight first.mean");
  EXPECT_EQ(error_text<KeyError>([] {
              nn::Sequential({{"a.b", Identity()}});
            }),
            "module name can't contain \".\", got: a.b");
}

// R7.1-03
TEST(Sequential, IsIndexed) {
  nn::Sequential net{Scale(2), Identity()};
  EXPECT_TRUE(net[0].as<Scale>());
  EXPECT_TRUE(net[-1].as<Identity>());
  EXPECT_EQ(error_text<IndexError>([&] { (void)net[2]; }), "index 2 is out of range");
  EXPECT_EQ(error_text<IndexError>([&] { (void)net[-3]; }), "index -3 is out of range");
}

// R7.1-08
TEST(Sequential, AppendsModules) {
  nn::Sequential net;
  nn::Sequential inner(Scale(5));
  net.append(Scale(2)).append(std::move(inner));
  EXPECT_EQ(names(net.named_parameters()), "0.weight 1.0.weight");
  EXPECT_EQ(net(row(1, 2)).flatten()[0].item<float>(), 10);
}

TEST(Sequential, SharesModulesAndClonesThemOnce) {
  auto shared = std::make_shared<Scale>(2);
  nn::Sequential net(shared, shared);
  EXPECT_EQ(net.parameters().size(), 1u);
  EXPECT_EQ(net(row(1, 2)).flatten()[0].item<float>(), 4);
  nn::Sequential copy = net.clone();
  EXPECT_EQ(copy.shared(0), copy.shared(1));
  EXPECT_NE(copy.shared(0), shared);
  shared->weight.data().fill_(100);
  EXPECT_EQ(copy(row(1, 2)).flatten()[0].item<float>(), 4);
}

struct Duplicate : nn::Module {
  TAPER_MODULE(Duplicate)
  std::tuple<Tensor, Tensor> forward(const Tensor& x) { return {x, x}; }
};
struct Sum : nn::Module {
  TAPER_MODULE(Sum)
  Tensor forward(const std::tuple<Tensor, Tensor>& xs) { return std::get<0>(xs) + std::get<1>(xs); }
};

TEST(Sequential, PassesTuplesAsOneArgument) {
  nn::Sequential net{Duplicate(), Sum()};
  EXPECT_EQ(net.call({row(1, 2)}).as_tensor().flatten()[1].item<float>(), 4);
}

TEST(Sequential, ErrorsContainPathOfFailedChild) {
  nn::Sequential net{Scale(2), nn::Sequential{Identity(), Scale(3, 3)}};
  const std::string text = error_text<Error>([&] { net(row(1, 2)); });
  EXPECT_TRUE(contains(text, "\n  in 1.1: Scale(size=3), called with float32 [2]"));
}

struct InStruct : nn::Module {
  nn::Sequential body{Scale(2), Identity()};
  nn::ModuleList heads{Scale(3), Scale(4)};
  TAPER_MODULE(InStruct, body, heads)
  Tensor forward(const Tensor& x) { return heads[1](body(x)); }
};

// R7.2-01, R7.2-02, R7.2-05
TEST(ModuleList, RegistersItsModules) {
  InStruct net;
  EXPECT_EQ(names(net.named_parameters()), "body.0.weight heads.0.weight heads.1.weight");
  EXPECT_EQ(net(row(1, 2)).flatten()[0].item<float>(), 8);
  net.heads.append(std::make_shared<Scale>(7));
  EXPECT_EQ(net.heads.size(), 3u);
  EXPECT_THROW((void)net.heads[3], IndexError);
}

// R7.2-09
TEST(ModuleList, RejectsCall) {
  nn::ModuleList list;
  nn::Module& m = list;
  EXPECT_EQ(error_message<NotImplementedError>([&] { m(row(1, 2)); }),
            "Module [ModuleList] is missing the required \"forward\" function");
}

// R7.6-01, R7.6-02
TEST(ModuleList, FoldsEqualRowsInPrint) {
  nn::ModuleList list{Scale(), Scale(), Scale(), Identity()};
  list.append(nn::Sequential{Identity(), Scale()});
  list.append(nn::Sequential{Identity(), Scale()});
  EXPECT_EQ(list.str(),
            "ModuleList(\n"
            "  (0-2): 3 x Scale(size=2)\n"
            "  (3): Identity()\n"
            "  (4-5): 2 x Sequential(\n"
            "    (0): Identity()\n"
            "    (1): Scale(size=2)\n"
            "  )\n"
            ")");
  EXPECT_EQ(nn::ModuleList().str(), "ModuleList()");
}

}  // namespace
