// audit/classes/names.h: names classes after what they do.
//
// In, out: classes without names -> "UPDATE stock, INSERT order_line and 2 more", "read customer, orders by o_id";
//          before it what the application calls it, where comments of the statements say so: "cart#checkout: UPDATE …".
// Always:  no two are the same: those that are get what differs, "… (by c_last, not writing c_data)"; if no few words
// do,
//          the second gets " (2)". The same trace gives the same names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "audit/classes/classes.h"
#include "audit/sql/shape.h"

namespace isolde::audit {

void name_classes(const ShapeTable& shapes, const Schema& schema, std::span<const Statement> statements,
                  std::vector<TransactionClass>& classes);

// What a comment of the statement says of who sent it: sqlcommenter's /*action='pay',controller='cart'*/ or
// marginalia's /*application:Shop,controller:cart,action:pay*/ -> "cart#pay"; empty: nothing.
[[nodiscard]] std::string tag_of(std::string_view sql);

}  // namespace isolde::audit
