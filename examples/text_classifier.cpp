// A transformer that classifies sequences of different lengths: padded batches, a key padding mask,
// a warm-up of the learning rate. Class c is the sequence whose first topic token is c + 1.
#include <taper/taper.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

using namespace taper;

constexpr std::int64_t kTokens = 20, kClasses = 4, kPadding = 0;

// One example: a sequence of tokens, and its class.
struct Sentence {
  Tensor tokens;
  std::int64_t label;
};

// Topic tokens are 1 to 4; two of them occur in each sentence, between other tokens.
struct Sentences {
  std::vector<Sentence> items;

  Sentences(int count, std::uint32_t state) {
    const auto draw = [&](std::int64_t n) {
      state = state * 1664525u + 1013904223u;
      return static_cast<std::int64_t>(state >> 16) % n;
    };
    for (int k = 0; k < count; ++k) {
      std::vector<std::int64_t> tokens;
      const std::int64_t length = 3 + draw(8), label = draw(kClasses);
      for (std::int64_t i = 0; i < length; ++i) tokens.push_back(5 + draw(kTokens - 5));
      const std::int64_t first = draw(length - 1);
      tokens[static_cast<std::size_t>(first)] = 1 + label;
      const std::int64_t second = first + 1 + draw(length - 1 - first);
      tokens[static_cast<std::size_t>(second)] = 1 + draw(kClasses);
      items.push_back({tensor(tokens), label});
    }
  }
  std::int64_t size() const { return static_cast<std::int64_t>(items.size()); }
  Sentence get(std::int64_t i) const { return items.at(static_cast<std::size_t>(i)); }
};

std::pair<Tensor, Tensor> pad_batch(std::vector<Sentence>&& sentences) {
  std::vector<Tensor> tokens;
  std::vector<std::int64_t> labels;
  for (const Sentence& s : sentences) tokens.push_back(s.tokens), labels.push_back(s.label);
  return {nn::utils::rnn::pad_sequence(tokens, {.batch_first = true}), tensor(labels)};
}

// Adds sines and cosines of the position to the embeddings (N, S, E).
struct PositionalEncoding : nn::Module {
  nn::Buffer table;
  TAPER_MODULE(PositionalEncoding, table)

  PositionalEncoding(std::int64_t features, std::int64_t max_length) {
    const Tensor position = arange(max_length).unsqueeze(1);
    const Tensor rate = exp(arange(0, features, 2) * (-std::log(1e4) / double(features)));
    table = zeros({max_length, features});
    table[{Slice{}, Slice{0, {}, 2}}] = sin(position * rate);
    table[{Slice{}, Slice{1, {}, 2}}] = cos(position * rate);
  }
  Tensor forward(const Tensor& x) const { return x + table[Slice{0, x.size(1)}]; }
};

struct TextClassifier : nn::Module {
  nn::Embedding embedding{kTokens, 32, {.padding_idx = kPadding}};
  PositionalEncoding position{32, 64};
  nn::TransformerEncoder encoder{
      nn::TransformerEncoderLayer(32, 4,
                                  {.dim_feedforward = 64, .dropout = 0, .batch_first = true}),
      2};
  nn::Linear head{32, kClasses};
  TAPER_MODULE(TextClassifier, embedding, position, encoder, head)

  Tensor forward(const Tensor& tokens) const {
    const Tensor padding = tokens == kPadding;
    const Tensor x = encoder(position(embedding(tokens)), {.src_key_padding_mask = padding});
    const Tensor weight = (~padding).unsqueeze(-1).to(float32);
    return head((x * weight).sum({1}) / weight.sum({1}));
  }
};

int main() {
  data::DataLoader train(Sentences(512, 1), {.batch_size = 32, .shuffle = true}, pad_batch);
  data::DataLoader test(Sentences(128, 2), {.batch_size = 128}, pad_batch);

  manual_seed(3);
  TextClassifier net;
  std::cout << net << '\n';
  std::int64_t count = 0;
  for (const Tensor& p : net.parameters()) count += p.numel();
  std::printf("%lld parameters\n", static_cast<long long>(count));

  optim::AdamW opt(net.parameters(), {.lr = 3e-3});
  optim::lr_scheduler::LambdaLR schedule(
      opt, [](std::int64_t step) { return std::min(1.0, double(step + 1) / 20); });
  for (int epoch = 0; epoch < 6; ++epoch) {
    double sum = 0;
    for (auto& [tokens, labels] : train) {
      opt.zero_grad();
      const Tensor loss = F::cross_entropy(net(tokens), labels);
      loss.backward();
      nn::utils::clip_grad_norm_(net.parameters(), 1.0);
      opt.step();
      schedule.step();
      sum += loss.item<double>();
    }
    std::printf("epoch %d: loss %.2f\n", epoch + 1, sum / double(train.size()));
  }

  net.eval();
  const NoGrad no_grad;
  for (auto& [tokens, labels] : test) {
    const double correct = (net(tokens).argmax(1) == labels).sum().item<double>();
    std::printf("accuracy above 0.9: %s\n", correct / double(labels.size(0)) > 0.9 ? "yes" : "no");
  }
}
