// audit/classes/tell_apart.h: words that tell classes apart which do the same by their names.
//
// In, out: classes of one name -> for each "by c_last, not writing c_data"; empty: no few words do.
// Always:  at most three parts; the same classes give the same words. Words of two classes may still be the same.
// Cost:    classes^2 times their columns; of more than kMostAlike classes nothing is said.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "audit/classes/classes.h"

namespace isolde::audit {

inline constexpr std::size_t kMostAlike = 64;

[[nodiscard]] std::vector<std::string> tell_apart(const Schema& schema, std::span<const TransactionClass* const> alike);

}  // namespace isolde::audit
