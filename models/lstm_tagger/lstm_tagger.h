// LSTMTagger: tags the words of a sentence, as in PyTorch's tutorial "Sequence Models and Long
// Short-Term Memory Networks".
#pragma once
#include "taper/nn/nn.h"

namespace lstm_tagger {

/// Maps the ids of the words of a sentence `(L)` to log-probabilities `(L, tagset_size)`.
struct LSTMTagger : taper::nn::Module {
  taper::nn::Embedding word_embeddings;
  taper::nn::LSTM lstm;
  taper::nn::Linear hidden2tag;
  TAPER_MODULE(LSTMTagger, word_embeddings, lstm, hidden2tag)

  LSTMTagger(taper::IntArg embedding_dim, taper::IntArg hidden_dim, taper::IntArg vocab_size,
             taper::IntArg tagset_size)
      : word_embeddings(vocab_size, embedding_dim),
        lstm(embedding_dim, hidden_dim),
        hidden2tag(hidden_dim, tagset_size) {}

  taper::Tensor forward(const taper::Tensor& sentence) const {
    const taper::Tensor words = word_embeddings(sentence).view({sentence.size(0), 1, -1});
    const taper::Tensor states = lstm(words).first;
    return taper::F::log_softmax(hidden2tag(states.view({sentence.size(0), -1})), 1);
  }
};

}  // namespace lstm_tagger
