#include "taper/nn/module_list.h"
#include "nets.h"
#include "taper/nn/sequential.h"

namespace {

using namespace nets;

nn::ModuleList three() { return nn::ModuleList{Scale(1, 1), Scale(1, 2), Scale(1, 3)}; }
/// Returns the names of the modules and the sizes of those of class Scale, such as "0=1 1=2".
std::string scales_of(nn::ModuleList& l) {
  std::string out;
  const Value own = l.own_modules();
  for (const auto& [name, m] : own.as_dict()) {
    const auto scale = nn::module_of(m) ? nn::module_of(m)->as<Scale>() : nullptr;
    out += (out.empty() ? "" : " ") + name.as_string() + "=" +
           (scale ? std::to_string(scale->size) : "None");
  }
  return out;
}
std::string scales_of(nn::ModuleList&& l) { return scales_of(l); }

// R7.2-01
TEST(ModuleList, AcceptsRangesAndNone) {
  std::vector<Scale> layers(2);
  EXPECT_EQ(scales_of(nn::ModuleList(std::move(layers))), "0=2 1=2");
  const std::vector<std::shared_ptr<nn::Module>> shared{std::make_shared<Scale>(), nullptr};
  nn::ModuleList list(shared);
  EXPECT_EQ(scales_of(list), "0=2 1=None");
  EXPECT_EQ(list.shared(0), shared[0]);
  EXPECT_EQ(list.str(), "ModuleList(\n  (0): Scale(size=2)\n  (1): None\n)");
  EXPECT_THROW(list[1], TypeError);
}

// R7.2-02
TEST(ModuleList, SlicesAreRenumberedAndShared) {
  nn::ModuleList l = three();
  nn::ModuleList part = l[Slice{1, {}}];
  EXPECT_EQ(scales_of(part), "0=2 1=3");
  EXPECT_EQ(part.shared(0), l.shared(1));
  EXPECT_EQ(scales_of(l[Slice{{}, {}, -1}]), "0=3 1=2 2=1");
  EXPECT_EQ(error_text<IndexError>([&] { l[-9]; }), "index -9 is out of range");
}

// R7.2-03. A value other than a module does not compile.
TEST(ModuleList, ReplacesItems) {
  nn::ModuleList l = three();
  l.set(-2, Scale(1, 9));
  EXPECT_EQ(scales_of(l), "0=1 1=9 2=3");
  EXPECT_EQ(error_text<IndexError>([&] { l.set(9, Scale()); }), "index 9 is out of range");
}

// R7.2-04
TEST(ModuleList, DeletionRenumbers) {
  nn::ModuleList l = three();
  l.erase(0);
  EXPECT_EQ(scales_of(l), "0=2 1=3");
  l = three();
  l.erase(Slice{{}, {}, 2});
  EXPECT_EQ(scales_of(l), "0=2");
}

// R7.2-05. An argument other than a range does not compile.
TEST(ModuleList, AppendAndExtendReturnList) {
  nn::ModuleList l;
  EXPECT_EQ(&l.append(Scale(1, 4)), &l);
  EXPECT_EQ(&l.extend(three()), &l);
  EXPECT_EQ(scales_of(l), "0=4 1=1 2=2 3=3");
}

// R7.2-06. Where Python modifies the list before it fails, nothing is changed here.
TEST(ModuleList, InsertShiftsWithoutChecks) {
  nn::ModuleList l = three();
  l.insert(1, Scale(1, 9));
  EXPECT_EQ(scales_of(l), "0=1 1=9 2=2 3=3");
  l.insert(7, nullptr);  // leaves a gap in the names
  EXPECT_EQ(scales_of(l), "0=1 1=9 2=2 3=3 7=None");
  nn::ModuleList other = three();
  EXPECT_EQ(error_text<KeyError>([&] { other.insert(-1, Scale()); }), "'-1'");
  EXPECT_EQ(scales_of(other), "0=1 1=2 2=3");
}

// R7.2-07
TEST(ModuleList, PopReturnsRemovedModules) {
  nn::ModuleList l = three();
  const auto last = l.shared(2);
  EXPECT_EQ(l.pop(-1), last);
  EXPECT_EQ(scales_of(l.pop(Slice{0, 1})), "0=1");
  EXPECT_EQ(scales_of(l), "0=2");
}

// R7.2-08
TEST(ModuleList, SumsShareModules) {
  nn::ModuleList l = three();
  nn::ModuleList sum = l + nn::Sequential(Scale(1, 7));
  EXPECT_EQ(scales_of(sum), "0=1 1=2 2=3 3=7");
  EXPECT_EQ(sum.shared(0), l.shared(0));
  EXPECT_EQ(&(l += std::vector<Scale>(1)), &l);
  EXPECT_EQ(scales_of(l), "0=1 1=2 2=3 3=2");
  l += l;
  EXPECT_EQ(l.size(), 8u);
}

// R7.2-10
template <class L>
concept ListHasMore = requires(L l) {
  l.remove(l[0]);
}
|| requires(L l) { l.index(l[0]); }
|| requires(L l) { l.reverse(); }
|| requires(L l) { l.clear(); }
|| requires(L l) { l.copy(); }
|| requires(L l) { l.count(l[0]); };
TEST(ModuleList, LacksListMethodsThatPythonLacks) { static_assert(!ListHasMore<nn::ModuleList>); }

}  // namespace
