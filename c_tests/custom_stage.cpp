// A stage of the caller's own, from C functions and from C++ objects: what it may do, what is refused, and who
// owns it.
#include "support/check.h"
#include "support/handles.hpp"
#include "support/rows.hpp"

#include <s2sampler.h>
#include <s2sampler.hpp>

#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace {

const std::vector<float> kRow = {1.0F, 3.0F, 2.0F, -kInf};

std::int32_t draw(S2Chain *chain) {
    return s2_chain_sample(chain, kRow.data(), static_cast<std::int32_t>(kRow.size()));
}

// What the functions below count.
struct Counts {
    int applied = 0;
    int accepted = 0;
    int resets = 0;
    int clones = 0;
    int frees = 0;
    std::int32_t clone_status = 0;
    std::int32_t inside = 0;
    S2Chain *chain = nullptr;
};

std::int32_t ban_the_best(void *user, S2TokenDataArray *array) {
    static_cast<Counts *>(user)->applied += 1;
    CHECK(array->size == 4 && array->selected == -1 && !array->sorted && array->data[1].logit == 3.0F);
    array->data[1].logit = NAN;
    return 0;
}

S2CustomStage with(std::int32_t (*apply)(void *, S2TokenDataArray *), void *user) {
    S2CustomStage stage;
    s2_custom_stage_init(&stage);
    CHECK(stage.struct_size == sizeof stage && stage.name == nullptr && stage.free == nullptr);
    stage.name = "mine";
    stage.apply = apply;
    stage.user = user;
    return stage;
}

S2CustomStage full(Counts &counts) {
    S2CustomStage stage = with(ban_the_best, &counts);
    stage.accept = [](void *user, std::int32_t token) {
        CHECK(token == 2);
        static_cast<Counts *>(user)->accepted += 1;
    };
    stage.reset = [](void *user) { static_cast<Counts *>(user)->resets += 1; };
    stage.clone = [](void *user, void **copy) {
        auto *const its = static_cast<Counts *>(user);
        its->clones += 1;
        *copy = user;
        return its->clone_status;
    };
    stage.free = [](void *user) { static_cast<Counts *>(user)->frees += 1; };
    return stage;
}

void all_functions_are_called() {
    Counts counts;
    {
        const ChainHandle chain = own(s2_chain_new());
        const S2CustomStage stage = full(counts);
        CHECK(s2_chain_add_custom(chain.get(), &stage) == 0 && s2_chain_add_greedy(chain.get()) == 1);
        CHECK(std::strcmp(s2_chain_stage_name(chain.get(), 0), "custom") == 0);
        char text[32];
        CHECK(s2_chain_describe(chain.get(), 0, text, sizeof text) == 9 && std::strcmp(text, "name mine") == 0);
        CHECK(draw(chain.get()) == 2 && counts.applied == 1 && counts.accepted == 1);
        CHECK(s2_chain_accept(chain.get(), 2) == 0 && counts.accepted == 2);
        CHECK(s2_chain_reset(chain.get()) == 0 && counts.resets == 1);
        {
            const ChainHandle copy = own(s2_chain_clone(chain.get()));
            CHECK(copy && counts.clones == 1 && draw(copy.get()) == 2);
        }
        CHECK(counts.frees == 1);
        S2Report *report = nullptr;
        CHECK(s2_chain_report(chain.get(), kRow.data(), 4, &report) == 0 && counts.clones == 2 && counts.frees == 2);
        s2_report_free(report);
        // A copy that fails is the call's error, and there is nothing to free.
        for (const std::int32_t status : {S2_ERROR_OUT_OF_MEMORY, S2_ERROR_NO_ENTROPY}) {
            counts.clone_status = status;
            CHECK(s2_chain_clone(chain.get()) == nullptr && s2_new_status() == status);
            CHECK(s2_chain_report(chain.get(), kRow.data(), 4, &report) == status);
        }
        CHECK(counts.frees == 2 && draw(chain.get()) == 2);
        CHECK(s2_chain_remove(chain.get(), 0) == 0 && counts.frees == 3);
    }
    CHECK(counts.frees == 3);
}

void optional_functions() {
    Counts counts;
    const ChainHandle chain = own(s2_chain_new());
    S2CustomStage stage = with(ban_the_best, &counts);
    CHECK(s2_chain_add_custom(chain.get(), &stage) == 0 && s2_chain_add_greedy(chain.get()) == 1);
    CHECK(draw(chain.get()) == 2 && s2_chain_reset(chain.get()) == 0);
    const ChainHandle copy = own(s2_chain_clone(chain.get()));
    CHECK(copy && draw(copy.get()) == 2 && counts.applied == 2);
    // Who frees and cannot copy would free twice.
    stage.free = [](void *user) { static_cast<Counts *>(user)->frees += 1; };
    CHECK(s2_chain_add_custom(chain.get(), &stage) == 2);
    CHECK(s2_chain_clone(chain.get()) == nullptr && s2_new_status() == S2_ERROR_BAD_ARGUMENT);
}

void bad_arguments() {
    Counts counts;
    const ChainHandle chain = own(s2_chain_new());
    const S2CustomStage good = full(counts);
    const auto refused = [&](const S2CustomStage &stage, std::int32_t status) {
        CHECK(s2_chain_add_custom(chain.get(), &stage) == status && s2_chain_count(chain.get()) == 0);
    };
    CHECK(s2_chain_add_custom(nullptr, &good) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_custom(chain.get(), nullptr) == S2_ERROR_NULL_POINTER);
    s2_custom_stage_init(nullptr);
    S2CustomStage bad = good;
    bad.apply = nullptr;
    refused(bad, S2_ERROR_NULL_POINTER);
    bad = good;
    bad.name = nullptr;
    refused(bad, S2_ERROR_NULL_POINTER);
    const std::string names[] = {"", "a\n", "\x7f", "\xc3\xa9", std::string(64, 'a')};
    for (const std::string &name : names) {
        bad.name = name.c_str();
        refused(bad, S2_ERROR_BAD_ARGUMENT);
    }
    bad = good;
    for (const std::uint32_t size : {0U, 4U, static_cast<std::uint32_t>(sizeof bad) - 1, 5000U}) {
        bad.struct_size = size;
        refused(bad, S2_ERROR_BAD_ARGUMENT);
    }
    // What was refused is the caller's.
    CHECK(counts.frees == 0);
    const std::string longest(63, '~');
    bad = good;
    bad.name = longest.c_str();
    CHECK(s2_chain_add_custom(chain.get(), &bad) == 0);
    CHECK(s2_chain_describe(chain.get(), 0, nullptr, 0) == 68);
}

using Apply = std::int32_t (*)(void *, S2TokenDataArray *);

void what_it_leaves_is_checked() {
    const struct {
        Apply apply;
        std::int32_t want;
    } cases[] = {
        {[](void *, S2TokenDataArray *) { return 0; }, 1},
        {[](void *, S2TokenDataArray *array) { array->size = 0; return 0; }, S2_ERROR_NO_CANDIDATE},
        {[](void *, S2TokenDataArray *array) { array->size = 5; return 0; }, S2_ERROR_BAD_ARGUMENT},
        {[](void *, S2TokenDataArray *array) { array->size = SIZE_MAX; return 0; }, S2_ERROR_BAD_ARGUMENT},
        {[](void *, S2TokenDataArray *array) { array->size = 1; return 0; }, 0},
        {[](void *, S2TokenDataArray *array) { array->selected = 2; return 0; }, 2},
        {[](void *, S2TokenDataArray *array) { array->selected = 3; return 0; }, S2_ERROR_NO_CANDIDATE},
        {[](void *, S2TokenDataArray *array) { array->selected = 4; return 0; }, S2_ERROR_BAD_ARGUMENT},
        {[](void *, S2TokenDataArray *array) { array->selected = -2; return 0; }, S2_ERROR_BAD_ARGUMENT},
        {[](void *, S2TokenDataArray *array) { array->selected = INT64_MAX; return 0; }, S2_ERROR_BAD_ARGUMENT},
        {[](void *, S2TokenDataArray *array) { array->data += 1; return 0; }, S2_ERROR_BAD_ARGUMENT},
        {[](void *, S2TokenDataArray *array) { array->data = nullptr; return 0; }, S2_ERROR_BAD_ARGUMENT},
        {[](void *, S2TokenDataArray *array) { array->data[0].id = 4; return 0; }, S2_ERROR_BAD_ARGUMENT},
        {[](void *, S2TokenDataArray *array) { array->sorted = true; return 0; }, 1},
        {[](void *, S2TokenDataArray *) { return S2_ERROR_NO_ENTROPY; }, S2_ERROR_NO_ENTROPY},
        {[](void *, S2TokenDataArray *) { return S2_ERROR_BUSY; }, S2_ERROR_BUSY},
        {[](void *, S2TokenDataArray *) { return 1; }, S2_ERROR_INTERNAL},
        {[](void *, S2TokenDataArray *) { return -100; }, S2_ERROR_INTERNAL},
    };
    int number = 0;
    for (const auto &one : cases) {
        const ChainHandle chain = own(s2_chain_new());
        const S2CustomStage stage = with(one.apply, nullptr);
        CHECK(s2_chain_add_custom(chain.get(), &stage) == 0);
        CHECK(s2_chain_add_top_k(chain.get(), 1) == 1 && s2_chain_add_greedy(chain.get()) == 2);
        const std::int32_t token = draw(chain.get());
        CHECK_CASE(token == one.want, "number %d: %d", number, token);
        // No status spoils the chain.
        CHECK(s2_chain_remove(chain.get(), 0) == 0 && draw(chain.get()) == 1);
        ++number;
    }
}

void the_same_chain_is_busy() {
    Counts counts;
    const ChainHandle chain = own(s2_chain_new());
    counts.chain = chain.get();
    S2CustomStage stage = with(
        [](void *user, S2TokenDataArray *array) {
            S2Chain *const same = static_cast<Counts *>(user)->chain;
            CHECK(draw(same) == S2_ERROR_BUSY && s2_chain_count(same) == S2_ERROR_BUSY);
            CHECK(s2_chain_apply(same, array) == S2_ERROR_BUSY && s2_chain_remove(same, 0) == S2_ERROR_BUSY);
            CHECK(s2_chain_clone(same) == nullptr && s2_new_status() == S2_ERROR_BUSY);
            // Other handles, and the thread's generator, are free.
            const ChainHandle other = own(s2_chain_new());
            CHECK(s2_chain_add_dist(other.get(), 1) == 0 && draw(other.get()) >= 0);
            CHECK(s2_sample_token(kRow.data(), 4, nullptr) >= 0);
            return 0;
        },
        &counts);
    stage.accept = [](void *user, std::int32_t) {
        CHECK(s2_chain_accept(static_cast<Counts *>(user)->chain, 1) == S2_ERROR_BUSY);
    };
    CHECK(s2_chain_add_custom(chain.get(), &stage) == 0 && s2_chain_add_greedy(chain.get()) == 1);
    CHECK(draw(chain.get()) == 1);
}

void in_the_default_floating_point_environment() {
#if defined(__x86_64__)
    const ChainHandle chain = own(s2_chain_new());
    const ChainHandle plain = own(s2_chain_new());
    const std::vector<float> row = bell(1000, 0x1p-20F, 3);
    const S2CustomStage stage = with(
        [](void *, S2TokenDataArray *) {
            CHECK((_mm_getcsr() & ~0x3fU) == 0x1f80U);
            // A stage that leaves its own mode changes no later stage.
            _mm_setcsr(0x9fc0U | 0x6000U);
            return 0;
        },
        nullptr);
    CHECK(s2_chain_add_custom(chain.get(), &stage) == 0);
    for (S2Chain *one : {chain.get(), plain.get()}) {
        CHECK(s2_chain_add_temperature(one, 0.7F) >= 0 && s2_chain_add_top_p(one, 0.9F, 1) >= 0);
        CHECK(s2_chain_add_dist(one, 5) >= 0);
    }
    const unsigned host = _mm_getcsr();
    for (const unsigned mode : {0x1f80U, 0x3f80U, 0x9fc0U}) {
        for (int i = 0; i < 50; ++i) {
            _mm_setcsr(mode);
            const std::int32_t token = s2_chain_sample(chain.get(), row.data(), 1000);
            const unsigned after = _mm_getcsr();
            _mm_setcsr(host);
            CHECK(after == mode && token == s2_chain_sample(plain.get(), row.data(), 1000));
        }
    }
#endif
}

// A stage with members.
struct Stepper {
    std::shared_ptr<int> alive;
    std::int32_t steps = 0;
    std::int32_t throws_at = 100;

    void operator()(S2TokenDataArray &array) const {
        for (std::size_t i = 0; i < array.size; ++i) {
            array.data[i].logit = array.data[i].id == steps ? 1.0F : 0.0F;
        }
    }
    void accept(std::int32_t) {
        if (++steps == throws_at) {
            throw std::runtime_error("enough");
        }
    }
    void reset() { steps = 0; }
};

void from_objects() {
    s2sampler::Chain chain;
    int calls = 0;
    chain.custom("ban", [&calls](S2TokenDataArray &array) {
        ++calls;
        array.data[1].logit = -kInf;
    });
    chain.greedy();
    CHECK(chain.status() == 0 && chain.sample(kRow).token() == 2 && calls == 1 && chain.describe(0) == "name ban");
    // Copies have their own object; here both count in the same place.
    CHECK(chain.clone().sample(kRow).token() == 2 && calls == 2);

    s2sampler::Chain selecting;
    selecting.custom("last", [](S2TokenDataArray &array) {
        array.selected = 2;
        return 0;
    }, true);
    CHECK(selecting.sample(kRow).token() == 2);

    s2sampler::Chain throwing;
    bool angry = true;
    throwing.custom("throws", [&angry](S2TokenDataArray &) {
        if (angry) {
            throw std::runtime_error("no");
        }
    });
    throwing.greedy();
    CHECK(throwing.sample(kRow).status() == S2_ERROR_INTERNAL);
    angry = false;
    CHECK(throwing.sample(kRow).token() == 1);

    const auto alive = std::make_shared<int>(0);
    {
        s2sampler::Chain steps;
        steps.custom("steps", Stepper{alive, 0, 3}).greedy();
        CHECK(alive.use_count() == 2 && steps.sample(kRow).token() == 0 && steps.sample(kRow).token() == 1);
        s2sampler::Chain copy = steps.clone();
        CHECK(alive.use_count() == 3 && copy.sample(kRow).token() == 2);
        // What accept threw comes with the next draw, until the reset.
        CHECK(copy.sample(kRow).status() == S2_ERROR_INTERNAL && copy.reset() == 0 && copy.sample(kRow).token() == 0);
        CHECK(steps.sample(kRow).token() == 2);
    }
    CHECK(alive.use_count() == 1);

    // An object that cannot be copied.
    s2sampler::Chain single;
    single.custom("single", [only = std::make_unique<int>(2)](S2TokenDataArray &array) {
        array.size = static_cast<std::size_t>(*only);
    });
    single.greedy();
    CHECK(single.sample(kRow).token() == 1 && !single.clone() && s2_new_status() == S2_ERROR_BAD_ARGUMENT);

    s2sampler::Chain nameless;
    nameless.custom("", Stepper{alive, 0, 3});
    CHECK(nameless.status() == S2_ERROR_BAD_ARGUMENT && alive.use_count() == 1);
}

}  // namespace

int main() {
    all_functions_are_called();
    optional_functions();
    bad_arguments();
    what_it_leaves_is_checked();
    the_same_chain_is_busy();
    in_the_default_floating_point_environment();
    from_objects();
    return 0;
}
