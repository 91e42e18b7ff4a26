// scan_pickles: lists the calls of a pickle without executing them.
#include "taper/io/pickle_scan.h"

#include <gtest/gtest.h>

#include <string>

#include "assemble.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/io/save.h"

namespace taper {
namespace {

using namespace std::string_literals;

PickleScan scan(const std::string& pickle) {
  return scan_pickles(std::as_bytes(std::span(pickle.data(), pickle.size())));
}

const PickledGlobal& only(const PickleScan& s) {
  EXPECT_EQ(s.globals.size(), 1u);
  return s.globals.at(0);
}

TEST(PickleScan, FindsCallsOfEveryOpcode) {
  const std::string reduce = "\x80\2cos\nsystem\nX\4\0\0\0true\x85R."s;
  const std::string inst = "\x80\2(X\4\0\0\0trueios\nsystem\n."s;
  const std::string obj = "\x80\2(cos\nsystem\nX\4\0\0\0trueo."s;
  const std::string newobj = "\x80\2cos\nsystem\n)\x81."s;
  const std::string newobj_ex = "\x80\4cos\nsystem\n)}\x92."s;
  const std::string stack = "\x80\4\x8c\2os\x8c\6system\x93)R."s;
  const std::string memoized = "\x80\4\x8c\2os\x94\x30\x8c\6system\x94\x30h\0h\1\x93)R."s;
  const std::string textual = "cos\nsystem\n(S'true'\ntR."s;
  for (const std::string& pickle :
       {reduce, inst, obj, newobj, newobj_ex, stack, memoized, textual}) {
    const PickleScan s = scan(pickle);
    EXPECT_EQ(s.pickles, 1u);
    EXPECT_TRUE(s.stopped.empty());
    EXPECT_EQ(s.globals.at(0).name, "os.system");
    EXPECT_EQ(only(s).calls, 1u);
    EXPECT_EQ(only(s).risk, PickleRisk::dangerous);
  }
}

TEST(PickleScan, DistinguishesMentionsFromCalls) {
  const PickleScan s = scan("\x80\2ctorch.nn.functional\nrelu\n."s);
  EXPECT_EQ(only(s).calls, 0u);
  EXPECT_EQ(only(s).mentions, 1u);
  EXPECT_EQ(only(s).at, 2u);
  EXPECT_EQ(only(s).risk, PickleRisk::torch_class);
  EXPECT_EQ(only(scan("\x80\2ctorch.nn.functional\nrelu\n)R."s)).risk, PickleRisk::code);
}

TEST(PickleScan, FollowsResultsOfCalls) {
  // The pickle of getattr(mine.module, "system")("true"), in which the result of a call is called.
  const PickleScan s =
      scan("\x80\2cbuiltins\ngetattr\ncmine\nmodule\nX\6\0\0\0system\x86RX\4\0\0\0true\x85R."s);
  ASSERT_EQ(s.globals.size(), 3u);
  EXPECT_EQ(s.globals[2].name, "(result of builtins.getattr)");
  EXPECT_EQ(s.globals[2].risk, PickleRisk::dangerous);
}

TEST(PickleScan, FindsModifiedClasses) {
  const PickledGlobal g = only(scan("\x80\2ctorch\nTensor\n}b."s));
  EXPECT_TRUE(g.modified);
  EXPECT_EQ(g.risk, PickleRisk::dangerous);
}

TEST(PickleScan, OverlappingRecordsTerminate) {
  // Each of many headers declares the same large pickle as its record.
  constexpr std::size_t kRecords = 200, kHeader = 35, kLarge = 4u << 20;
  std::string file;
  for (std::size_t i = 0; i < kRecords; ++i)
    file += "PK\3\4" + std::string(22, '\0') + test::le(5, 2) +
            test::le((kRecords - i - 1) * kHeader, 2) + "a.pkl";
  file += "\x80\2B" + test::le(kLarge, 4) + std::string(kLarge, 'x') + "0cos\nsystem\n.";
  const PickleScan s = scan(file);
  EXPECT_GE(s.pickles, 1u);
  EXPECT_LT(s.pickles, kRecords / 4);
  EXPECT_EQ(s.globals.at(0).name, "os.system");
  ASSERT_EQ(s.stopped.size(), 1u);
  EXPECT_EQ(s.stopped[0], "overlapping records: the rest was not scanned");
}

TEST(PickleScan, PreservesResultsBeforeDamage) {
  const PickleScan s = scan("\x80\2cos\nsystem\nX\4\0\0\0true\x85RX\xff\0\0\0"s);
  EXPECT_EQ(only(s).calls, 1u);
  ASSERT_EQ(s.stopped.size(), 1u);
  EXPECT_EQ(s.stopped[0], "byte 24: the pickle is truncated");
}

TEST(PickleScan, FindsPicklesOfTruncatedZipFiles) {
  const test::TempDir folder;
  const std::string path = folder / "a.pt";
  save(Value::dict({{"w", ones({2, 3})}}), path);
  const PickleScan whole = scan_pickles(path);
  std::string bytes = test::read_bytes(path);
  bytes.resize(bytes.size() - 30);
  const PickleScan cut = scan(bytes);
  for (const PickleScan& s : {whole, cut}) {
    ASSERT_GE(s.globals.size(), 2u);
    EXPECT_EQ(s.pickles, 1u);
    EXPECT_TRUE(s.globals[0].record.ends_with("/data.pkl"));
    for (const PickledGlobal& g : s.globals) EXPECT_EQ(g.risk, PickleRisk::allowed) << g.name;
  }
}

TEST(PickleScan, ReadsAllPicklesOfLegacyFormat) {
  const test::TempDir folder;
  const std::string path = folder / "a.pth";
  save(Value::dict({{"w", ones({2, 3})}}), path, {.format = FileFormat::legacy});
  const PickleScan s = scan_pickles(path);
  EXPECT_EQ(s.pickles, 5u);
  EXPECT_TRUE(s.stopped.empty());
  for (const PickledGlobal& g : s.globals) EXPECT_EQ(g.risk, PickleRisk::allowed) << g.name;
}

TEST(PickleScan, FindsNothingWithoutPickle) {
  const test::TempDir folder;
  const std::string path = folder / "a.safetensors";
  save(Value::dict({{"w", ones({2, 3})}}), path, {.format = FileFormat::safetensors});
  EXPECT_EQ(scan_pickles(path).pickles, 0u);
  EXPECT_EQ(scan("").pickles, 0u);
  EXPECT_THROW(scan_pickles(folder / "none.pt"), IoError);
}

TEST(PickleScan, IsLinearForHostileInput) {
  EXPECT_FALSE(scan("\x80\2"s + std::string(5'000'000, 'N')).stopped.empty());
  EXPECT_FALSE(scan("\x80\2"s + std::string(5'000'000, '(')).stopped.empty());
  std::string names = "\x80\2"s;
  for (int i = 0; i < 60'000; ++i) names += "cm\nf" + std::to_string(i) + "\n0";
  EXPECT_FALSE(scan(names).stopped.empty());
}

// `load` does not execute calls of these functions but returns them as opaque objects. Python
// imports their modules.
TEST(PickleRisk, ClassifiesOpaqueCallsByEffectInPython) {
  for (const char* name :
       {"functools.partial", "types.SimpleNamespace", "torch._dynamo.eval_frame.OptimizedModule"})
    EXPECT_EQ(classify_global(name, true), PickleRisk::dangerous) << name;
  for (const char* name :
       {"builtins.getattr", "re._compile", "array.array", "numpy.random._pickle.__generator_ctor",
        "torch.fx.graph_module.reduce_graph_module"})
    EXPECT_EQ(classify_global(name, true), PickleRisk::code) << name;
}

TEST(PickleRisk, ClassifiesByName) {
  const auto risk = [](const char* name) { return classify_global(name, true); };
  for (const char* name :
       {"torch.FloatStorage", "torch.float8_e4m3fn", "torch.Size", "collections.OrderedDict",
        "torch._utils._rebuild_tensor_v2", "torch.cuda.HalfTensor", "__builtin__.set"})
    EXPECT_EQ(risk(name), PickleRisk::allowed) << name;
  for (const char* name :
       {"numpy.core.multiarray._reconstruct", "datetime.date", "pathlib._local.PosixPath",
        "argparse.Namespace", "builtins.int", "torch.jit._pickle.build_intlist"})
    EXPECT_EQ(risk(name), PickleRisk::data) << name;
  for (const char* name : {"torch.nn.modules.conv.Conv2d", "torch.optim.adam.Adam"})
    EXPECT_EQ(risk(name), PickleRisk::torch_class) << name;
  for (const char* name :
       {"my_project.Net", "torch.MyTensor", "torch.floaty8", "torch._utils.something",
        "torch.storage.os.system", "torch.nn.modules.module.os.Path.x.Y", "osmnx.graph",
        "__builtin__.getattr"})
    EXPECT_EQ(risk(name), PickleRisk::code) << name;
  for (const char* name :
       {"os.system", "posix.system", "builtins.eval", "__builtin__.setattr", "torch.hub.load",
        "torch.load", "subprocess.Popen", "os.path.join", "pickle.loads",
        "torch.jit._pickle.build_intlist.__globals__", "torch.jit.load"})
    EXPECT_EQ(risk(name), PickleRisk::dangerous) << name;
}

}  // namespace
}  // namespace taper
