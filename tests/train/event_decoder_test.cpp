// Decoder of events: damaged messages.
#include "train/events/event_decoder.h"

#include <gtest/gtest.h>

#include "support/error_text.h"
#include "taper/core/factory.h"
#include "train/events/event_fields.h"
#include "train/events/event_message.h"
#include "train/events/histogram.h"
#include "train/events/media.h"

namespace {

using namespace taper;
using namespace taper::train;
using namespace taper::train::events;

std::vector<std::string> sample_events() {
  const double values[] = {1, 2, 3};
  std::vector<std::string> all = {version_event(1.5), session_start_event(1.5, 3)};
  for (const MessageWriter& value :
       {scalar_value("a", 0.5, {}), scalar_value("b", 0.5, {.new_style = true}),
        histogram_value("h", make_histogram(values, 3, {})),
        image_value("i", make_image(zeros({1, 2, 2}), "CHW")), text_value("t", "text"),
        audio_value("s", make_audio(zeros({4}), 8000)), tensor_value("t", tensor({{1, 2}, {3, 4}})),
        tensor_value("half", tensor({0.5, 1.5}).to(float16))})
    all.push_back(summary_event(value, 1.5, 3));
  return all;
}

/// Decodes a message, which may be malformed.
void decode(std::string_view message) {
  try {
    for (const SummaryValue& value : decode_event(message).values) {
      const Tensor* t = std::get_if<Tensor>(&value.data);
      EXPECT_TRUE(!t || t->numel() >= 0);
    }
  } catch (const Error& e) { EXPECT_NE(std::string_view(e.what()), ""); }
}

TEST(EventDecoder, AcceptsOrRejectsDamagedMessages) {
  for (const std::string& event : sample_events())
    for (std::size_t i = 0; i < event.size(); ++i) {
      decode(event.substr(0, i));
      for (const int change : {0x01, 0x02, 0x08, 0x40, 0x7f, 0x80, 0xff}) {
        std::string changed = event;
        changed[i] = static_cast<char>(changed[i] ^ change);
        decode(changed);
      }
    }
}

std::string tensor_event(const MessageWriter& tensor) {
  MessageWriter value;
  value.add_bytes(value_field::tag, "t").add_message(value_field::tensor, tensor);
  return summary_event(value, 0, 0);
}

MessageWriter float_tensor(const Shape& shape) {
  MessageWriter message;
  message.add_integer(tensor_field::dtype, static_cast<int>(TensorType::dt_float))
      .add_message(tensor_field::shape, shape_message(shape));
  return message;
}

TEST(EventDecoder, RepeatsOneElementWithoutStoringIt) {
  const Shape huge = {1 << 20, 1 << 20};
  const Event event =
      decode_event(tensor_event(float_tensor(huge).add_float(tensor_field::float_val, 2.5f)));
  const auto t = std::get<Tensor>(event.values.at(0).data);
  EXPECT_EQ(t.shape(), huge);
  EXPECT_EQ(t.select(0, 5).select(0, 7).item<float>(), 2.5f);
}

TEST(EventDecoder, RejectsTensorsWithWrongShapes) {
  const float two[] = {1, 2};
  for (const Shape& shape : {Shape{3}, Shape{std::int64_t{1} << 40, std::int64_t{1} << 40}})
    EXPECT_EQ(test::error_text([&] {
                return decode_event(
                    tensor_event(float_tensor(shape).add_packed(tensor_field::float_val, two)));
              }),
              "malformed tensor: 2 elements do not have the stored shape");
  EXPECT_EQ(test::error_text([&] {
              return decode_event(
                  tensor_event(float_tensor({1}).add_bytes(tensor_field::content, "abc")));
            }),
            "malformed tensor: truncated elements");
}

TEST(EventDecoder, ReadsRawElements) {
  const Event event = decode_event(tensor_event(float_tensor({2}).add_bytes(
      tensor_field::content, std::string("\x00\x00\x80\x3f\x00\x00\x00\x40", 8))));
  EXPECT_TRUE(equal(std::get<Tensor>(event.values.at(0).data), tensor({1.0, 2.0})));
}

}  // namespace
