// taper train and taper predict with tables.
#include <gtest/gtest.h>

#include "command.h"
#include "taper_paths.h"

namespace taper::cli::test {
namespace {

TEST(TrainTable, LearnsTheClassesOfATable) {
  const TempDir folder;
  const Outcome o = run({"train", "Sequential(Linear(13, 16), ReLU(), Linear(16, 3))", "--data",
                         TAPER_DATA "/tabular/wine.csv", "--epochs", "20", "--batch", "16", "--out",
                         folder / "out", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.json()["classes"], (std::vector<std::string>{"class_0", "class_1", "class_2"}));
  EXPECT_EQ(o.json()["train_images"].get<int>() + o.json()["test_images"].get<int>(), 178);
  EXPECT_GE(o.json()["history"][19]["test_accuracy"].get<double>(), 0.9);
  EXPECT_EQ(run({"report", folder / "out"}).status, 0);
}

TEST(TrainTable, PredictsTheClassesOfATable) {
  const TempDir folder;
  const std::string net = "Linear(13, 3)", table = TAPER_DATA "/tabular/wine.csv";
  ASSERT_EQ(run({"train", net, "--data", table, "--epochs", "10", "--out", folder / "out"}).status,
            0);
  const Outcome o = run({"predict", net, "--weights", folder / "out/checkpoint.pt", "--data", table,
                         "--top", "1", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  const auto predictions = o.json()["predictions"];
  ASSERT_EQ(predictions.size(), 178u);
  EXPECT_EQ(predictions[0]["row"], 1);
  EXPECT_EQ(predictions[0]["class"], "class_0");
  EXPECT_EQ(predictions[177]["class"], "class_2");
}

TEST(TrainTable, LearnsIntegersAsClasses) {
  const TempDir folder;
  std::string table = "a,class\n";
  for (int i = 0; i < 60; ++i) table += std::to_string(i) + (i < 30 ? ",7\n" : ",-2\n");
  write_bytes(folder / "table.csv", table);
  const Outcome o = run({"train", "Linear(1, 2)", "--data", folder / "table.csv", "--epochs", "20",
                         "--batch", "8", "--out", folder / "out", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.json()["classes"], (std::vector<std::string>{"-2", "7"}));
  EXPECT_GE(o.json()["history"][19]["test_accuracy"].get<double>(), 0.9);
}

TEST(TrainTable, PredictsTheNumbersOfATable) {
  const TempDir folder;
  // y = 3 a - 2 b + 100.5, which a linear network learns.
  std::string table = "a,b,y\n";
  for (int i = 0; i < 100; ++i) {
    const int a = i * 7 % 10, b = i * 13 % 11;
    table += std::to_string(a) + ',' + std::to_string(b) + ',' +
             std::to_string(3 * a - 2 * b + 100) + ".5\n";
  }
  write_bytes(folder / "table.csv", table);
  const std::string net = "Linear(2, 1)";
  const std::vector<std::string> line{
      "train", net,       "--data", folder / "table.csv", "--out", folder / "out", "--epochs",
      "30",    "--batch", "8"};
  const Outcome text = run(line);
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "80 training rows (rows of a table), 20 test rows"));
  EXPECT_TRUE(contains(text.out, "epoch  train loss   train R2  test loss   test R2    time"));
  EXPECT_TRUE(read_bytes(folder / "out/log.csv")
                  .starts_with("epoch,train_loss,train_r2,test_loss,test_r2,seconds\n1,"));

  write_bytes(folder / "new.csv", "b,a\n0,0\n10,1\n");
  std::vector<std::string> predict{
      "predict", net, "--weights", folder / "out/checkpoint.pt", "--data", folder / "new.csv"};
  EXPECT_TRUE(contains(run(predict).out, "Row"));
  predict.emplace_back("--json");
  const Outcome o = run(predict);
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_NEAR(o.json()["predictions"][0]["y"].get<double>(), 100.5, 0.5);
  EXPECT_NEAR(o.json()["predictions"][1]["y"].get<double>(), 83.5, 0.5);

  ASSERT_EQ(run({"report", folder / "out"}).status, 0);
  const std::string page = read_bytes(folder / "out/report.html");
  for (const char* part : {"R2", "Numbers of the test data", "mean absolute error"})
    EXPECT_TRUE(contains(page, part)) << part;
}

TEST(TrainTable, PredictsIntegersOnRequest) {
  const TempDir folder;
  const Outcome o = run({"train", "Sequential(Linear(10, 16), Tanh(), Linear(16, 1))", "--data",
                         TAPER_DATA "/tabular/diabetes.csv", "--predict", "numbers", "--epochs",
                         "15", "--batch", "16", "--lr", "0.01", "--out", folder / "out", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_GE(o.json()["history"][14]["test_r2"].get<double>(), 0.35);
}

TEST(PredictTable, RejectsTablesThatDoNotMatch) {
  const TempDir folder;
  write_bytes(folder / "table.csv", "a,b,y\n1,2,0.5\n2,1,1.5\n3,5,0.25\n4,4,2.5\n5,0,3.5\n");
  const std::string net = "Linear(2, 1)";
  const Outcome trained =
      run({"train", net, "--data", folder / "table.csv", "--epochs", "1", "--out", folder / "out"});
  ASSERT_EQ(trained.status, 0) << trained.err;
  const auto error_of = [&](const char* weights, const std::string& table) {
    write_bytes(folder / "new.csv", table);
    const Outcome o =
        run({"predict", net, "--weights", folder / weights, "--data", folder / "new.csv"});
    EXPECT_EQ(o.status, 1) << table;
    return o.err;
  };
  EXPECT_TRUE(contains(error_of("out/linear.pt", "a,b\n1,2\n"),
                       "expected the checkpoint of a run that was trained with a table"));
  EXPECT_TRUE(contains(error_of("out/checkpoint.pt", "a,c\n1,2\n"), "new.csv: "));
  EXPECT_TRUE(contains(error_of("out/checkpoint.pt", "a,b\n1,2\n1,\n"),
                       "column 'b', row 2: missing or infinite value"));
  EXPECT_TRUE(contains(error_of("out/checkpoint.pt", "a,b\n1,2\n1,2x\n"),
                       "column 'b', row 2: expected a number, got '2x'"));
  const Outcome both = run({"predict", net, "--weights", folder / "out/checkpoint.pt"});
  EXPECT_EQ(both.status, 2);
  EXPECT_TRUE(contains(both.err, "either --image or --data is required"));
}

TEST(TrainTable, RejectsUnsuitableTables) {
  const TempDir folder;
  const auto error_of = [&](const std::string& table, const std::string& target,
                            const char* kind = "classes") {
    write_bytes(folder / "table.csv", table);
    std::vector<std::string> line{"train", "Linear(1, 2)", "--data",    folder / "table.csv",
                                  "--out", folder / "out", "--predict", kind};
    if (!target.empty()) line.insert(line.end(), {"--target", target});
    const Outcome o = run(line);
    EXPECT_EQ(o.status, 1) << table;
    return o.err;
  };
  const std::string rows = "1,x\n2,y\n3,x\n4,y\n";
  EXPECT_TRUE(contains(error_of("a,b\n" + rows, "c"), "column 'c' does not exist"));
  EXPECT_TRUE(contains(error_of("a\n1\n2\n", ""), "column 'a' does not exist, or is the only one"));
  EXPECT_TRUE(contains(error_of("a,b\n1,0.5\n2,1.5\n", ""), "column 'b': expected classes"));
  EXPECT_TRUE(contains(error_of("a,b\n1,x\n2,\n", ""), "column 'b', row 2: missing value"));
  EXPECT_TRUE(contains(error_of("a,b\n" + rows, ""), "too few rows"));
  const std::string many = rows + rows + rows + rows + rows;
  EXPECT_TRUE(
      contains(error_of("a,b\n,x\n" + many, ""), "column 'a', row 1: missing or infinite value"));
  EXPECT_TRUE(contains(error_of("a,b\n" + many + "1e999,x\n", ""),
                       "column 'a', row 21: missing or infinite value"));
  EXPECT_TRUE(contains(error_of("a,b\n" + rows + "5;,y\n" + rows, ""),
                       "column 'a', row 5: expected a number, got '5;'"));
  EXPECT_TRUE(contains(error_of("a,b\n1,x,3\n", ""), "table.csv: line 2: "));
  EXPECT_TRUE(contains(error_of("a,b\n" + many + "1", ""), "table.csv: line 22: truncated row"));
  EXPECT_TRUE(contains(error_of("a,b\n" + many + "1,\"x", ""), "table.csv: line 22: missing"));
  EXPECT_TRUE(contains(error_of("a,b\n" + rows, "", "numbers"),
                       "column 'b': expected numbers, got strings"));
  EXPECT_TRUE(contains(error_of("a,b\n1,7\n2,7\n3,7\n4,7\n5,7\n", "", "numbers"),
                       "column 'b': all values are the same"));
  EXPECT_TRUE(contains(error_of("a,b\n1,1\n2,2\n3,3\n4,4\n5,5\n", "", "numbers"),
                       "Linear has 2 outputs: expected 1, for the number to predict"));
}

}  // namespace
}  // namespace taper::cli::test
