// tests/support/effort.h: how much a random test tries, and where its chance begins.
//
// `./dev test` tries each test's usual share, the same cases every time. `./dev soak` tries others, and says how many:
//
//   ISOLDE_EFFORT=F   so many times the usual cases (a decimal number, 1 if not set)
//   ISOLDE_SEED=N     other cases (0, those of `./dev test`, if not set)
//
// Both together repeat a run exactly: a failing test prints them with its name, as a command. What a test asserts of a
// share ("a tenth of the histories is violated") must hold for every seed and every effort: see reaches().
#pragma once

#include <cstdint>
#include <ranges>
#include <string_view>

namespace isolde::effort {

// How many random cases to try, at least one. They are added to the test's property "tried" in GoogleTest's report, and
// if `kind` is given to "tried_KIND", which `./dev soak` adds up by itself.
[[nodiscard]] std::uint64_t tries(std::uint64_t usual, std::string_view kind = {});

// Where a test's seeds begin: `usual`, or as far from it as ISOLDE_SEED says (the same distance in every test, so that
// different seeds stay different). Less than 2^48 more than `usual`.
[[nodiscard]] std::uint64_t seed(std::uint64_t usual);

// For cases with a seed each: as many as tries(usual) says, from seed(first) on.
using Seeds = std::ranges::iota_view<std::uint64_t, std::uint64_t>;
[[nodiscard]] Seeds seeds(std::uint64_t first, std::uint64_t usual, std::string_view kind = {});

// Of cases that are a fixed list (files, say): whether to try the i-th. All at an effort of 1 and more; below that an
// even share of them, another one with another ISOLDE_SEED.
[[nodiscard]] bool takes(std::uint64_t i);
// How many of `all` of them are tried at least.
[[nodiscard]] std::uint64_t least_taken(std::uint64_t all);

// How large to make one case: `usual` at an effort of 1 and more, below that so much less, at least 1.
[[nodiscard]] std::uint64_t size(std::uint64_t usual);

// Whether `count` of `cases` can be what chance made of a share of at least `share`: it may be less by five standard
// deviations, which one in a million seeds reaches. Of few cases that says nothing.
[[nodiscard]] bool reaches(double share, std::uint64_t count, std::uint64_t cases);

}  // namespace isolde::effort
