// record/standard/tpcc/stock_level.cc: how many items of a district's last twenty orders run low; reads only.
//
// The join's rows are counted by the client, so that the rows that were read are known.
#include <set>
#include <string>
#include <utility>

#include "record/standard/rows.h"
#include "record/standard/tpcc/transactions.h"

namespace isolde::record::tpcc {
namespace {

class StockLevel : public Transaction {
 public:
  void run(Client& client, std::int64_t home, Rng& rng) const override {
    const Tables& t = tables();
    const std::int64_t district = rng.between(1, kDistricts);
    const std::int64_t low = rng.between(10, 20);
    if (!client.begin()) return;
    if (!client.run("select d_next_o_id, w from district where d_w_id = ? and d_id = ?", {home, district})) return;
    if (!saw_row(client, t.district, {home, district})) {
      client.commit();
      return;
    }
    const std::int64_t next = integer_at(client.reply(), 0, 0);
    if (!client.run("select s.s_quantity, s.w, s.s_i_id, l.w, l.ol_o_id, l.ol_number from order_line l, stock s "
                    "where l.ol_w_id = ? and l.ol_d_id = ? and l.ol_o_id < ? and l.ol_o_id >= ? "
                    "and s.s_w_id = ? and s.s_i_id = l.ol_i_id and s.s_quantity < ?",
                    {home, district, next, next - 20, home, low})) {
      return;
    }
    record_rows(client, home, district);
    client.commit();
  }

 private:
  static void record_rows(Client& client, std::int64_t home, std::int64_t district) {
    const Tables& t = tables();
    const db::Reply& reply = client.reply();
    std::set<std::pair<std::string, std::string>> seen;  // an item may be on many lines: one read of its stock
    for (std::size_t row = 0; row < reply.rows(); ++row) {
      client.saw(key_text(t.order_line, {home, district, integer_at(reply, row, 4), integer_at(reply, row, 5)}),
                 value_at(reply, t.order_line, row, 3));
      const auto [stock, is_new] =
          seen.emplace(key_text(t.stock, {home, integer_at(reply, row, 2)}), value_at(reply, t.stock, row));
      if (is_new) client.saw(stock->first, stock->second);
    }
  }
};

}  // namespace

std::unique_ptr<Transaction> make_stock_level(const Context&) { return std::make_unique<StockLevel>(); }

}  // namespace isolde::record::tpcc
