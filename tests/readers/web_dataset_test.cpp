// WebDataset: grouping, decoding, workers, shuffling, and damaged archives.
#include "taper/data/web_dataset.h"

#include <gtest/gtest.h>
#include <algorithm>

#include "readers/tar.h"
#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/gzip_file.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/data/data_loader.h"

namespace taper {
namespace {

using data::WebDataset, data::WebDatasetOptions, data::expand_braces;
using test::error_text, test::tar_archive, test::tar_entry;
using Strings = std::vector<std::string>;

class Shards : public testing::Test {
 protected:
  std::string add(const std::string& bytes) {
    paths_.push_back(dir_ / ("shard-" + std::to_string(paths_.size()) + ".tar"));
    test::write_bytes(paths_.back(), bytes);
    return paths_.back();
  }
  Values read(WebDatasetOptions options = {}) const {
    Values all;
    const auto next = WebDataset(paths_, std::move(options)).iterate();
    while (auto example = next()) all.push_back(*std::move(example));
    return all;
  }
  Strings keys(WebDatasetOptions options = {}) const {
    Strings all;
    for (const Value& example : read(std::move(options)))
      all.push_back(example["__key__"].as_string());
    return all;
  }
  /// Returns the error without the path.
  std::string read_error(const std::string& bytes, WebDatasetOptions options = {}) {
    paths_.clear();
    const std::string path = add(bytes), text = error_text<IoError>([&] { read(options); });
    EXPECT_EQ(text.substr(0, 14 + path.size()), "WebDataset: " + path + ": ") << text;
    return text.substr(std::min(text.size(), 14 + path.size()));
  }

  test::TempDir dir_;
  Strings paths_;
};

TEST_F(Shards, GroupsConsecutiveFiles) {
  add(tar_archive({{"a.txt", "1"},
                   {"a.seg.PNG", "2"},
                   {"b/c.txt", "3"},
                   {"README", "4"},
                   {"b/.hidden", "5"},
                   {"__meta__/x.txt", "6"},
                   {"a.txt", "7"}}));
  add(tar_archive({{"a.cls", "8"}}));
  EXPECT_EQ(keys(), (Strings{"a", "b/c", "b/", "a", "a"}));
  const Values all = read();
  EXPECT_EQ(all[0], Value::dict({{"__key__", "a"},
                                 {"__url__", paths_[0]},
                                 {"txt", Value::bytes("1")},
                                 {"seg.png", Value::bytes("2")}}));
  EXPECT_EQ(all[2]["hidden"].as_bytes(), "5");
}

TEST_F(Shards, ReadsLongNames) {
  const std::string name = std::string(150, 'n') + ".txt";
  const std::string record = " path=" + std::string(150, 'n') + ".cls\n";
  const std::string pax = std::to_string(record.size() + 3) + record;
  add(tar_entry("././@LongLink", name + '\0', 'L') + tar_entry("short.txt", "1") +
      tar_entry("PaxHeaders/x", pax, 'x') + tar_entry("x.cls", "2") +
      tar_entry("link.txt", "", '2') + tar_entry("folder/", "", '5') + std::string(1024, '\0'));
  const Values all = read();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0]["cls"].as_bytes(), "2");
  EXPECT_EQ(all[0]["__key__"].as_string(), std::string(150, 'n'));
}

TEST_F(Shards, DecodesFields) {
  add(tar_archive(
      {{"a.txt", "gr\xc3\xbc"},
       {"a.cls", " -1_0\n"},
       {"a.json", R"({"x": [1, 2.5, NaN, "\u00fc\ud83d\ude42"], "n": 123456789012345678901})"},
       {"a.bin", "\xff"},
       {"a.id", "99999999999999999999"}}));
  const Value a = read({.decode = true})[0];
  EXPECT_EQ(a["txt"].as_string(), "gr\xc3\xbc");
  EXPECT_EQ(a["cls"].as_int(), -10);
  EXPECT_EQ(a["json"]["x"].repr(), "[1, 2.5, nan, '\xc3\xbc\xf0\x9f\x99\x82']");
  EXPECT_EQ(a["json"]["n"], Value::big_integer("123456789012345678901"));
  EXPECT_EQ(a["bin"].as_bytes(), "\xff");
  EXPECT_EQ(a["id"], Value::big_integer("99999999999999999999"));
  const data::FieldDecoder upper = [](const std::string& field, const std::string& bytes) {
    return field == "bin" ? std::optional<Value>(static_cast<std::int64_t>(bytes.size()))
                          : std::nullopt;
  };
  EXPECT_EQ(read({.decoders = {upper}})[0]["bin"].as_int(), 1);
}

TEST_F(Shards, RejectsInvalidFields) {
  const auto field_error = [&](const char* name, const std::string& bytes) {
    return read_error(tar_archive({{std::string("a.") + name, bytes}}), {.decode = true});
  };
  EXPECT_EQ(field_error("cls", "x"), "example 'a', field 'cls': 'x' is not an integer");
  EXPECT_EQ(field_error("json", "{"),
            "example 'a', field 'json': JSON: the text ends at byte 1, expected a key in quotes");
  EXPECT_EQ(field_error("json", "[1 2]"),
            "example 'a', field 'json': JSON: got '2' at byte 3, expected ',' or ']'");
  EXPECT_EQ(field_error("json", std::string(2000, '[')),
            "example 'a', field 'json': JSON: nested deeper than 1000 levels at byte 1000");
  EXPECT_EQ(field_error("txt", "\xff"), "example 'a', field 'txt': invalid UTF-8: '\\xff'");
  EXPECT_EQ(field_error("txt.gz", "x"),
            "example 'a', field 'txt.gz': gzip: truncated data: got 1 bytes");
  EXPECT_EQ(read_error(tar_archive({{"a.txt", "1"}, {"a.txt", "2"}})),
            "example 'a' has field 'txt' twice");
}

TEST_F(Shards, ContinuesAfterInvalidField) {
  add(tar_archive({{"a.cls", "x"}, {"a.txt", "a"}, {"b.cls", "1"}}));
  const auto next = WebDataset(paths_, {.decode = true}).iterate();
  EXPECT_THROW(next(), IoError);
  EXPECT_EQ(next()->operator[]("__key__").as_string(), "b");
  EXPECT_FALSE(next().has_value());
}

TEST_F(Shards, RejectsDamagedArchives) {
  const std::string whole = tar_archive({{"a.txt", std::string(600, 'x')}, {"b.txt", "y"}});
  for (std::size_t size = 0; size < 3072; size += 64) {
    const std::string text = read_error(whole.substr(0, size));
    EXPECT_NE(text.find(size == 0    ? "empty"
                        : size < 512 ? "not a tar archive"
                                     : "truncated"),
              text.npos)
        << size << ": " << text;
  }
  std::string changed = whole;
  changed[1] = 'Z';
  EXPECT_EQ(read_error(changed), "not a tar archive: invalid checksum of the header at byte 0");
  changed = whole;
  changed[1536 + 1] = 'Z';
  EXPECT_EQ(read_error(changed), "damaged archive: invalid checksum of the header at byte 1536");
  EXPECT_EQ(read_error("BZh91AY&SY" + std::string(600, 'x')),
            "compression with bzip2 is not supported, expected tar or tar.gz");
  EXPECT_EQ(read_error(tar_entry("x", "9 path=a\n", 'x') + std::string(1024, '\0')),
            "damaged archive: a name without an entry at byte 1536");
}

TEST_F(Shards, ReadsCompressedArchives) {
  const std::string path = add(""), bytes = tar_archive({{"a.txt", "1"}});
  test::write_gzip(path, bytes);
  EXPECT_EQ(keys(), Strings{"a"});
  EXPECT_EQ(read_error(test::read_bytes(path).substr(0, 60)),
            "truncated file: incomplete compressed data");
}

TEST_F(Shards, DividesArchivesAmongWorkersAndRanks) {
  for (const char* key : {"a", "b", "c", "d"})
    add(tar_archive({{std::string(key) + "0.cls", "1"}, {std::string(key) + "1.cls", "2"}}));
  EXPECT_EQ(keys({.num_replicas = 2, .rank = 1}), (Strings{"b0", "b1", "d0", "d1"}));
  data::DataLoader loader(WebDataset(paths_, {.decode = true}),
                          {.batch_size = 2, .num_workers = 2});
  Strings seen;
  for (const Value& batch : loader) {
    EXPECT_TRUE(equal(batch["cls"].as_tensor(), tensor({1, 2})));
    seen.push_back(batch["__key__"].as_list()[0].as_string());
  }
  EXPECT_EQ(seen, (Strings{"a0", "b0", "c0", "d0"}));
  EXPECT_NE(error_text<IoError>([&] { keys({.num_replicas = 5, .rank = 4}); }), "");
}

TEST_F(Shards, Shuffles) {
  for (const char* key : {"a", "b", "c", "d", "e", "f"})
    add(tar_archive({{std::string(key) + "0.cls", "1"}, {std::string(key) + "1.cls", "2"}}));
  const Strings plain = keys();
  const auto drawn = [&](WebDatasetOptions options) {
    manual_seed(3);
    return keys(std::move(options));
  };
  for (const WebDatasetOptions& options :
       {WebDatasetOptions{.shardshuffle = true}, WebDatasetOptions{.shuffle = 5}}) {
    Strings order = drawn(options);
    EXPECT_EQ(order, drawn(options));
    EXPECT_NE(order, plain);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, plain);
  }
}

TEST(ExpandBraces, ExpandsRangesAndLists) {
  EXPECT_EQ(expand_braces("x-{08..10}.tar"), (Strings{"x-08.tar", "x-09.tar", "x-10.tar"}));
  EXPECT_EQ(expand_braces("{a,b{1..2}}{,y}"), (Strings{"a", "ay", "b1", "b1y", "b2", "b2y"}));
  EXPECT_EQ(expand_braces("a.tar::{b}.tar"), (Strings{"a.tar", "{b}.tar"}));
  EXPECT_THROW(expand_braces("{1..2"), ValueError);
  EXPECT_THROW(expand_braces("{0..9999999}"), ValueError);
}

}  // namespace
}  // namespace taper
