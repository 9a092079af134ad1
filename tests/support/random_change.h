// tests/support/random_change.h: one small change to a history, such as a bug or a lost record might make.
#pragma once

#include "base/rng.h"
#include "tests/support/draft.h"

namespace isolde {

// `keep_timestamps`: no timestamp is dropped and no two become equal (two may be exchanged).
void change_a_little(Draft& draft, Rng& rng, bool keep_timestamps);

}  // namespace isolde
