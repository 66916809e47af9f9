// s2.cpp: the loop of today, and the sampler of its first two generations.
#include "recipes.hpp"

#include "../examples/toy_model.hpp"

// A stream that goes on where the second draw of a frame gives the end token, as the engine's loop does.
void s2_loop(const Record &line) {
    const std::int32_t end = line.number("im_end");
    const std::int32_t codebook_size = line.number("codebook_size");
    toy::Model model({line.number("vocab"), line.number("sem_begin"), end, codebook_size,
                      line.word("model_seed"), line.value("scale"), line.value("hot"),
                      line.number("stop_after")});
    const SamplerParams params{line.value("temperature"), line.value("top_p"), line.number("top_k")};
    S2StreamConfig config;
    s2_stream_config_init(&config);
    config.semantic_first = line.number("sem_begin");
    config.semantic_last = line.number("sem_end");
    config.end_id = end;
    config.ras_end = S2_RAS_END_CONTINUES;
    const StreamHandle stream = own(s2_stream_new(line.seed("rng_seed"), &config));

    const auto codebooks = static_cast<std::size_t>(line.number("codebooks"));
    const std::vector<std::string> want = split(line.text("frames"), ' ');
    std::size_t frames = 0;
    std::int32_t end_redraws = 0;
    std::vector<float> row;
    for (std::int32_t frame = 0; frame < line.number("max_new_tokens"); ++frame) {
        model.slow_logits(row);
        const bool end_allowed = frame >= line.number("min_tokens_before_end");
        const std::int32_t token = ok(s2_stream_slow(stream.get(), row.data(), length(row), &params, end_allowed));
        if (s2_stream_ended(stream.get()) != 0) break;
        end_redraws += token == end && s2_stream_redrawn(stream.get()) == 1;
        std::vector<std::int32_t> codes = {ok(s2_stream_code(stream.get(), token, codebook_size))};
        while (codes.size() < codebooks) {
            model.fast_logits(codes, row);
            codes.push_back(ok(s2_stream_fast(stream.get(), row.data(), length(row), &params)));
        }
        model.accept(token, codes);
        if (frames == want.size()) throw Mismatch("more frames than " + std::to_string(frames));
        std::vector<std::int32_t> expected;
        for (const std::string &code : split(want[frames], ',')) {
            expected.push_back(static_cast<std::int32_t>(integer(code)));
        }
        same("code of frame " + std::to_string(frames), codes, expected);
        ++frames;
    }
    same("frames", frames, want.size());
    same("end tokens of second draws", end_redraws, line.number("end_redraws"));
}

// The second generation keeps an id among the candidates.
void s2_first_generation(const Record &line) {
    const SamplerParams params{line.value("temperature"), line.value("top_p"), line.number("top_k")};
    const ChainHandle chain = new_chain();
    ok(s2_chain_add_s2_first(chain.get(), &params, line.has("keep_id") ? line.number("keep_id") : -1));
    ok(s2_chain_add_dist(chain.get(), line.seed("rng_seed")));
    draw_all(chain, line, 0);
}
