// Members that TAPER_MODULE does not list: found in the object, behind smart pointers and in
// vectors.
#include <array>
#include <memory>
#include <vector>

#include "nets.h"
#include "taper/nn/linear.h"

namespace {

using namespace nets;

// Defines a module with the given members, which it does not list.
#define TAPER_TEST_UNLISTED(Class, ...)           \
  struct Class : nn::Module {                     \
    __VA_ARGS__                                   \
    TAPER_MODULE(Class)                           \
    Tensor forward(const Tensor& x) { return x; } \
  };

std::shared_ptr<nn::Linear> shared_layer() { return std::make_shared<nn::Linear>(2, 3); }

TAPER_TEST_UNLISTED(OfShared, std::shared_ptr<nn::Linear> fc = shared_layer();)
TAPER_TEST_UNLISTED(OfSharedBase, std::shared_ptr<nn::Module> fc = shared_layer();)
TAPER_TEST_UNLISTED(OfSharedNew, std::shared_ptr<nn::Linear> fc =
                                     std::shared_ptr<nn::Linear>(new nn::Linear(2, 3));)
TAPER_TEST_UNLISTED(OfUnique, std::unique_ptr<nn::Linear> fc = std::make_unique<nn::Linear>(2, 3);)
TAPER_TEST_UNLISTED(OfUniqueMoved,
                    std::unique_ptr<nn::Module> fc = std::make_unique<nn::Linear>(nn::Linear(2,
                                                                                             3));)
TAPER_TEST_UNLISTED(OfOptionalPointer,
                    std::optional<std::shared_ptr<nn::Linear>> fc = shared_layer();)
TAPER_TEST_UNLISTED(OfPair, int before = 3; std::pair<int, std::unique_ptr<nn::Linear>> fc{
    1, std::make_unique<nn::Linear>(2, 3)};)
using Pointers = std::array<std::shared_ptr<nn::Linear>, 2>;
TAPER_TEST_UNLISTED(OfArray, Pointers fcs{shared_layer()};)
TAPER_TEST_UNLISTED(OfVectorOfShared, std::vector<std::shared_ptr<nn::Linear>> fcs{shared_layer()};)
TAPER_TEST_UNLISTED(OfSharedParameter, std::shared_ptr<nn::Parameter> p =
                                           std::make_shared<nn::Parameter>(zeros({2, 3}));)
TAPER_TEST_UNLISTED(OfUniqueParameter, std::unique_ptr<nn::Parameter> p =
                                           std::make_unique<nn::Parameter>(zeros({2, 3}));)
TAPER_TEST_UNLISTED(OfVectorOfParameters,
                    std::vector<nn::Parameter> ps{nn::Parameter(zeros({2, 3}))};)
using NamedLayers = std::vector<std::pair<std::string, std::shared_ptr<nn::Linear>>>;
TAPER_TEST_UNLISTED(OfNamedLayers, NamedLayers fcs{{"first", shared_layer()}};)

template <class M> std::string error_of_call() {
  M m;
  const std::string text = error_text<RuntimeError>([&] { m(row(1, 2)); });
  EXPECT_EQ(error_text<RuntimeError>([&] { m.parameters(); }), text);
  return text;
}
constexpr const char* kLayer = "the module Linear(in_features=2, out_features=3, bias=True)";
constexpr const char* kParameter = "a parameter of shape [2, 3]";

template <class M> void expect_error(const char* name, const char* relation, const char* what) {
  const std::string text = error_of_call<M>();
  const std::string begin = std::string(name) + ": the member at offset ";
  EXPECT_EQ(text.substr(0, begin.size()), begin);
  const std::string end = std::string(" ") + relation + " " + what + ", which TAPER_MODULE(" +
                          name + ", ...) does not list.";
  EXPECT_NE(text.find(end), std::string::npos) << text;
}

TEST(UnlistedMembers, OfSmartPointersAreReported) {
  expect_error<OfShared>("OfShared", "owns", kLayer);
  expect_error<OfSharedBase>("OfSharedBase", "owns", kLayer);
  expect_error<OfSharedNew>("OfSharedNew", "owns", kLayer);
  expect_error<OfUnique>("OfUnique", "owns", kLayer);
  expect_error<OfUniqueMoved>("OfUniqueMoved", "owns", kLayer);
  expect_error<OfOptionalPointer>("OfOptionalPointer", "owns", kLayer);
  expect_error<OfPair>("OfPair", "owns", kLayer);
  expect_error<OfArray>("OfArray", "owns", kLayer);
  expect_error<OfSharedParameter>("OfSharedParameter", "owns", kParameter);
  expect_error<OfUniqueParameter>("OfUniqueParameter", "owns", kParameter);
}

TEST(UnlistedMembers, OfVectorsAreReported) {
  expect_error<OfVectorOfShared>("OfVectorOfShared", "owns", kLayer);
  expect_error<OfNamedLayers>("OfNamedLayers", "owns", kLayer);
  expect_error<OfVectorOfParameters>("OfVectorOfParameters", "contains", kParameter);
}

// Observes modules that belong to the tree, to a parent, or to nobody on the heap.
struct Observer : nn::Module {
  nn::Linear own{2, 2};
  nn::Linear* inner = &own;
  nn::Module* parent = nullptr;
  const nn::Linear* outside = nullptr;
  std::vector<nn::Module*> seen;
  std::vector<Tensor> tensors{ones({2})};
  TAPER_MODULE(Observer, own)
  Tensor forward(const Tensor& x) const { return own(x); }
};
struct ObservedParent : nn::Module {
  std::shared_ptr<Observer> child = std::make_shared<Observer>();
  TAPER_MODULE(ObservedParent, child)
  Tensor forward(const Tensor& x) const { return (*child)(x); }
};

TEST(UnlistedMembers, PointersThatDoNotOwnAreAccepted) {
  const auto parent = std::make_shared<ObservedParent>();
  const nn::Linear outside(2, 2);
  parent->child->parent = parent.get();
  parent->child->outside = &outside;
  parent->child->seen = {parent.get(), &parent->child->own, parent->child.get()};
  EXPECT_EQ((*parent)(ones({1, 2})).shape(), (Shape{1, 2}));
  EXPECT_EQ(parent->child->parameters().size(), 2u);
}

// Two classes of one size: where one has a parameter, the other has bytes that are never written.
// Their constructors prevent that make_unique initializes these bytes with zeros.
struct WithParameter : nn::Module {
  nn::Parameter p = nn::Parameter::none();
  WithParameter() {}
  TAPER_MODULE(WithParameter, p)
  Tensor forward(const Tensor& x) { return x; }
};
struct WithGap : nn::Module {
  std::array<char, sizeof(nn::Parameter)> gap;
  WithGap() {}
  TAPER_MODULE(WithGap)
  Tensor forward(const Tensor& x) { return x; }
};
static_assert(sizeof(WithParameter) == sizeof(WithGap));

// The scan copies the bytes of a module to another block. A module that is created there, and a
// later one in the first block, must not find the tags of the copy.
TEST(UnlistedMembers, TagsDoNotRemainInFreedMemory) {
  for (int i = 0; i < 4; ++i) {
    auto first = std::make_unique<WithParameter>();
    EXPECT_TRUE(first->parameters().empty());
    first.reset();
    void* block = ::operator new(sizeof(WithGap));  // that of `first`
    auto second = std::make_unique<WithGap>();      // where the copy was
    ::operator delete(block);
    EXPECT_TRUE(second->parameters().empty());
    second.reset();
    block = ::operator new(sizeof(WithGap));
    const auto third = std::make_unique<WithGap>();  // in the block of `first`
    ::operator delete(block);
    EXPECT_TRUE(third->parameters().empty());
  }
}

}  // namespace
