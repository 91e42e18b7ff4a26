// Messages of protocol buffers: written, read, and damaged.
#include <gtest/gtest.h>

#include <limits>

#include "support/error_text.h"
#include "train/events/message_reader.h"
#include "train/events/message_writer.h"

namespace {

using namespace taper::train::events;
using taper::test::error_text;

TEST(Message, WritesDocumentedBytes) {
  // Examples of https://protobuf.dev/programming-guides/encoding.
  EXPECT_EQ(MessageWriter().add_integer(1, 150).bytes(), "\x08\x96\x01");
  EXPECT_EQ(MessageWriter().add_bytes(2, "testing").bytes(), "\x12\x07testing");
  const std::int64_t packed[] = {3, 270, 86942};
  EXPECT_EQ(MessageWriter().add_packed(6, packed).bytes(),
            std::string("\x32\x06\x03\x8e\x02\x9e\xa7\x05"));
}

TEST(Message, ReadsWhatItWrites) {
  constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  const double doubles[] = {0.5, -1};
  const float floats[] = {2.5f};
  MessageWriter writer, inner;
  inner.add_bytes(1, "inner");
  writer.add_integer(1, kLowest)
      .add_float(2, 1.5f)
      .add_double(3, -0.25)
      .add_message(1000, inner)
      .add_packed(5, doubles)
      .add_packed(6, floats);
  MessageReader reader(writer.bytes());
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.integer(), kLowest);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.float_value(), 1.5f);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.double_value(), -0.25);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.field(), 1000u);
  MessageReader part(reader.bytes());
  ASSERT_TRUE(part.next());
  EXPECT_EQ(part.text(), "inner");
  std::vector<double> some_doubles;
  std::vector<float> some_floats;
  ASSERT_TRUE(reader.next());
  reader.append_to(some_doubles);
  ASSERT_TRUE(reader.next());
  reader.append_to(some_floats);
  EXPECT_EQ(some_doubles, std::vector<double>(std::begin(doubles), std::end(doubles)));
  EXPECT_EQ(some_floats, std::vector<float>({2.5f}));
  EXPECT_FALSE(reader.next());
}

TEST(Message, ReadsRepeatedFieldsThatAreNotPacked) {
  MessageWriter writer;
  writer.add_integer(1, 7);
  MessageReader reader(writer.bytes());
  std::vector<std::int64_t> values;
  ASSERT_TRUE(reader.next());
  reader.append_to(values);
  EXPECT_EQ(values, std::vector<std::int64_t>({7}));
}

TEST(Message, RejectsMalformedMessages) {
  const auto read = [](std::string_view bytes) {
    return error_text([&] {
      MessageReader reader(bytes);
      std::size_t count = 0;
      while (reader.next()) count += reader.bytes().size();
      return count;
    });
  };
  EXPECT_EQ(read("\x0a\x03"
                 "ab"),
            "malformed protocol buffer: truncated field");
  EXPECT_EQ(read("\x0a"), "malformed protocol buffer: truncated field");
  EXPECT_EQ(read(std::string(11, '\xff')), "malformed protocol buffer: invalid integer");
  EXPECT_EQ(read("\x08\x01"), "malformed protocol buffer: unexpected type of a field");
  EXPECT_EQ(read("\x0b"), "malformed protocol buffer: unknown type of a field");
  EXPECT_EQ(read("\x02\x01"), "malformed protocol buffer: invalid number of a field");
}

}  // namespace
