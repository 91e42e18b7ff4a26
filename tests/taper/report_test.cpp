// The subcommand `taper report`.
#include <gtest/gtest.h>

#include <filesystem>

#include "command.h"
#include "taper_paths.h"
#include "train_folders.h"

namespace taper::cli::test {
namespace {

TEST(Report, DescribesAndComparesRuns) {
  const TempDir folder;
  draw_folders(folder, "data", 20);
  ASSERT_EQ(run(train_command(folder, {"--epochs", "2"})).status, 0);
  ASSERT_EQ(run({"train", kNet, "--data", folder / "data", "--input", "1x4x4", "--out",
                 folder / "out", "--epochs", "3", "--resume"})
                .status,
            0);
  const Outcome one = run({"report", folder / "out"});
  ASSERT_EQ(one.status, 0) << one.err;
  const std::string page = read_bytes(folder / "out/report.html");
  for (const char* part :
       {"3 epochs", "Loss of each step", "Learning rate", ">row2</th>", "1.weight",
        "Gradients of the last step", "<td>optimizer</td><td>SGD", "<td>processor</td>"})
    EXPECT_TRUE(contains(page, part)) << part;
  EXPECT_FALSE(contains(page, "http"));

  const Outcome two =
      run({"report", folder / "out", folder / "out", "--out", folder / "two.html", "--json"});
  ASSERT_EQ(two.status, 0) << two.err;
  EXPECT_TRUE(contains(read_bytes(folder / "two.html"), "Comparison of 2 runs"));

  const Outcome other = run({"report", folder / "data"});
  EXPECT_EQ(other.status, 2);
  EXPECT_TRUE(contains(other.err, "is not the directory of a run of taper train: it has no"));
}

TEST(Report, ComparesDifferentRuns) {
  const TempDir folder;
  draw_folders(folder, "data", 10);
  ASSERT_EQ(run(train_command(folder, {"--epochs", "1", "--lr", "0.125"})).status, 0);
  std::filesystem::rename(folder / "out", folder / "first");
  ASSERT_EQ(run(train_command(folder, {"--epochs", "2", "--lr", "0.25"})).status, 0);
  const Outcome o =
      run({"report", folder / "first", folder / "out", "--out", folder / "page.html"});
  ASSERT_EQ(o.status, 0) << o.err;
  const std::string page = read_bytes(folder / "page.html");
  for (const std::string& part :
       {std::string("Comparison of 2 runs"), folder / "first", folder / "out",
        std::string("<td>lr</td><td>0.125</td><td>0.25</td>"),
        std::string("<td>epochs</td><td>1</td><td>2</td>"), std::string("Test accuracy")})
    EXPECT_TRUE(contains(page, part)) << part;
}

TEST(Report, ShowsTheWorstMistakes) {
  const TempDir folder;
  draw_folders(folder, "data", 10);
  ASSERT_EQ(run(train_command(folder, {"--epochs", "1", "--lr", "0"})).status, 0);
  ASSERT_EQ(run({"report", folder / "out"}).status, 0);
  const std::string page = read_bytes(folder / "out/report.html");
  const std::size_t section = page.find("Worst mistakes: class as prediction, probability");
  ASSERT_NE(section, std::string::npos);
  EXPECT_NE(page.find("data:image/png", section), std::string::npos);
}

TEST(Report, DescribesARunThatWasKilledInItsFirstEpoch) {
  const TempDir folder;
  const std::string out = folder / "out", steps = out + "/steps.csv";
  const Outcome killed =
      run_shell("$TAPER train lenet --data " TAPER_DATA "/digits --batch 1 --lr 0.001 --out " +
                out + " & while kill -0 $! && [ $(wc -l < " + steps +
                " || echo 0) -lt 4 ]; do sleep 0.05; done; " + "kill -KILL $!; wait $!");
  ASSERT_EQ(killed.status, 137) << killed.out << killed.err;
  ASSERT_FALSE(std::filesystem::exists(out + "/checkpoint.pt"));
  const std::string log = read_bytes(steps);
  write_bytes(steps, log.substr(0, log.rfind(',')));  // the last row is incomplete
  const Outcome o = run({"report", out});
  ASSERT_EQ(o.status, 0) << o.err;
  const std::string page = read_bytes(out + "/report.html");
  for (const char* part : {"0 epochs", "Loss of each step", "Learning rate",
                           "<td>model</td><td>lenet</td>", "<td>lr</td><td>0.001</td>"})
    EXPECT_TRUE(contains(page, part)) << part;
  for (const char* part : {"Accuracy", "Confusion", "Weights"})
    EXPECT_FALSE(contains(page, part)) << part;
  EXPECT_EQ(run({"report", out, out, "--out", folder / "two.html"}).status, 0);
  write_bytes(steps, "");
  EXPECT_TRUE(contains(run({"report", out}).err, "it has no steps.csv"));
}

// As that of a run that is not finished.
TEST(Report, OmitsTheResultOfAFolderWithoutEvaluation) {
  const TempDir folder;
  draw_folders(folder, "data", 10);
  ASSERT_EQ(run(train_command(folder, {"--epochs", "2"})).status, 0);
  std::filesystem::remove(folder / "out/evaluation.pt");
  const Outcome o = run({"report", folder / "out"});
  ASSERT_EQ(o.status, 0) << o.err;
  const std::string page = read_bytes(folder / "out/report.html");
  for (const char* part : {"2 epochs", "Accuracy", "Loss of each step", "1.weight", "Options"})
    EXPECT_TRUE(contains(page, part)) << part;
  for (const char* part : {"Confusion", "Gradients of the last step", "Machine"})
    EXPECT_FALSE(contains(page, part)) << part;
  EXPECT_EQ(run({"report", folder / "out", folder / "out", "--out", folder / "two.html"}).status,
            0);
}

}  // namespace
}  // namespace taper::cli::test
