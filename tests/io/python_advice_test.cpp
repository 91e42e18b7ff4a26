// Advice in the errors of files that load() does not support: it depends on what Python would run.
#include <gtest/gtest.h>

#include <span>

#include "assemble.h"
#include "assemble_zip.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/io/load.h"
#include "taper/io/pickle_scan.h"

namespace taper {
namespace {

using namespace test;

std::string load_error(const std::string& bytes) {
  return error_text<IoError>([&] { (void)load(std::as_bytes(std::span(bytes))); });
}

/// Returns a tar file with one member.
std::string tar(const std::string& member, const std::string& content) {
  std::string header = member + std::string(512 - member.size(), '\0');
  std::string size;
  for (std::size_t i = 0, n = content.size(); i < 11; ++i, n /= 8)
    size.insert(size.begin(), static_cast<char>('0' + n % 8));
  header.replace(124, 11, size);
  header.replace(257, 5, "ustar");
  const std::size_t padding = (512 - content.size() % 512) % 512;
  return header + content + std::string(padding + 1024, '\0');
}

std::string torchscript(const std::string& data_pkl) {
  return zip_of({{"m/data.pkl", data_pkl}, {"m/code/x.py", ""}, {"m/constants.pkl", pickle(")")}});
}

const std::string kHarmless = pickle(dict({{"epoch", number(3)}})),
                  kOfProject = pickle(call("project.nets", "Net", {})),
                  kMalicious = pickle(call("os", "system", {text("true")}));

TEST(PythonAdvice, IsGivenForHarmlessPickles) {
  EXPECT_TRUE(contains(load_error(kHarmless), "In Python, load it and save it with torch.save"));
  EXPECT_TRUE(contains(load_error(tar("pickle", kHarmless)),
                       "tar file of PyTorch 0.1. In Python, load it and save it again"));
}

TEST(PythonAdvice, RequiresTrustInCodeOfOthers) {
  EXPECT_TRUE(contains(load_error(kOfProject),
                       "If you trust its author, load it and save it with torch.save in Python, "
                       "which would call project.nets.Net"));
  EXPECT_TRUE(contains(load_error(pickle(name("project.nets", "Net"))),
                       "in Python, which would import project.nets.Net"));
  EXPECT_TRUE(contains(load_error(tar("pickle", kOfProject)),
                       "If you trust its author, load it and save it again in Python, which would "
                       "call project.nets.Net"));
  // Archives of TorchScript contain code beside their pickles.
  EXPECT_TRUE(contains(load_error(torchscript(kHarmless)),
                       "If you trust its author, save torch.jit.load(file).state_dict() instead in "
                       "Python, which would run the code in the file"));
}

TEST(PythonAdvice, RequiresTrustInWhatCannotBeScanned) {
  const std::string text = "which may run code in the part that could not be scanned";
  EXPECT_TRUE(contains(load_error(kHarmless.substr(0, kHarmless.size() - 3)), text));
  // Elements follow the pickles of this member, and perhaps further pickles.
  EXPECT_TRUE(contains(load_error(tar("storages", kHarmless + std::string(64, '\1'))), text));
}

TEST(PythonAdvice, WarnsOfDangerousFiles) {
  const std::string hidden = pickle(name("os", "system") + "0}");
  for (const std::string& bytes :
       {kMalicious, kMalicious.substr(0, kMalicious.size() - 1), tar("pickle", kMalicious),
        tar("storages", kMalicious + std::string(64, '\1')), torchscript(kMalicious), hidden,
        tar("pickle", hidden)}) {
    const std::string error = load_error(bytes);
    EXPECT_TRUE(contains(error, "Do not load it in Python, which would ")) << error;
    EXPECT_TRUE(contains(error, "os.system: it may be malicious")) << error;
    for (const char* advice : {"save it", "state_dict()", "If you trust"})
      EXPECT_FALSE(contains(error, advice)) << error;
  }
}

TEST(PickleScan, ReadsTheMembersOfTarFiles) {
  const std::string file = tar("pickle", kMalicious) + std::string(512, '\0');
  const PickleScan found = scan_pickles(std::as_bytes(std::span(file)));
  ASSERT_EQ(found.globals.size(), 1u);
  EXPECT_EQ(found.globals[0].name, "os.system");
  EXPECT_EQ(found.globals[0].record, "pickle");
  EXPECT_TRUE(found.stopped.empty());
}

}  // namespace
}  // namespace taper
