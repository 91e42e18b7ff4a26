// The code of docs/whole-modules.md.

#include "nets.h"
#include "support/temp_dir.h"
#include "taper/io/load.h"
#include "taper/io/pickled_module.h"
#include "taper/io/save.h"
#include "taper/nn/nn.h"
#include "taper/nn/python_interop.h"

namespace {

using namespace taper;

/// my_project/nets.py has a class with the same attributes: width, conv and head.
struct DigitNet : nn::Module {
  std::int64_t width;
  nn::Conv2d conv;
  nn::Linear head;
  explicit DigitNet(std::int64_t w = 4) : width(w), conv(1, w, 3), head(w * 36, 10) {}
  TAPER_MODULE(DigitNet, conv, head)
  Tensor forward(const Tensor& x) { return head(conv(x).relu().flatten(1)); }
};
TAPER_REGISTER(DigitNet, width)
TAPER_PYTHON_CLASS(DigitNet, "my_project.nets.DigitNet")

TEST(WholeModulesDoc, WritesAndReadsModules) {
  const test::TempDir dir;
  const std::string path = dir / "x.pt";
  {
    DigitNet net(8);
    save(nn::to_pickle(net), path);  // torch.load(path, weights_only=False) returns a DigitNet
  }
  const Value file = load(path);  // also written by torch.save(net, path)
  std::shared_ptr<nn::Module> net = nn::from_pickle(file);
  EXPECT_EQ((*net)(zeros({1, 1, 8, 8})).shape(), Shape({1, 10}));

  DigitNet mine(8);
  mine.load_state_dict(state_dict_of(file));  // the tensors alone, of a known or unknown class
  EXPECT_TRUE(equal(mine.head.weight, net->get_parameter("head.weight")));

  const auto m = pickled_module(file);  // as data
  EXPECT_EQ(m->class_name, "my_project.nets.DigitNet");
  EXPECT_EQ(m->attributes.repr(), "{'width': 8}");
  EXPECT_EQ(pickled_module(m->modules["conv"])->attributes["stride"].repr(), "(1, 1)");

  save(Value::dict({{"epoch", 3}, {"model", nn::value_of(net)}}), path);  // inside of a checkpoint
  const Value checkpoint = state_dict_of(load(path));
  mine.load_state_dict(checkpoint["model"]);
  EXPECT_EQ(checkpoint["epoch"].as_int(), 3);
}

}  // namespace
