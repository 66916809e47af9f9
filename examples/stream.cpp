// One utterance of a speech engine: a main token and a codebook token for each frame, until the end token.
#include <s2sampler.hpp>

#include <iostream>
#include <vector>

int main() {
    // Ids 2 to 5 are semantic tokens, 1 ends the utterance, 0 is never drawn.
    s2sampler::Stream stream = s2sampler::Stream::with_seed(42, {2, 5, 1});
    if (!stream) {
        std::cerr << "out of memory, or an invalid configuration\n";
        return 1;
    }
    std::vector<float> logits = {9.0f, 1.0f, 3.0f, 2.5f, 2.0f, 2.0f};
    const std::vector<float> codebook = {1.0f, 3.0f, 2.5f, 2.0f};
    const s2sampler::Params params{0.8f, 0.95f, 30};

    for (int frame = 0;; ++frame) {
        const auto token = stream.slow(logits, params, frame >= 4); // no end before frame 4
        if (!token || stream.ended()) {
            std::cout << (token ? "end\n" : token.message());
            return token ? 0 : 1;
        }
        std::cout << stream.code(token, 4).token() << ',' << stream.fast(codebook, params).token() << ' ';
        logits[1] += 0.5f;
    }
}

/* Prints (code of the main token, then a codebook token, for each frame):
1,1 1,1 0,1 0,2 end
*/
