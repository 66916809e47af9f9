// Runs the calls of llama.cpp's sampler test one by one, so that a failed assertion ends one call only.
// scripts/llama.sh includes it at the front of the test.
#pragma once

#include <functional>

void s2_shim_call(const char *text, const std::function<void()> &call);
int s2_shim_result();

#define S2_SHIM_CALL(...) s2_shim_call(#__VA_ARGS__, [&] { __VA_ARGS__; })
