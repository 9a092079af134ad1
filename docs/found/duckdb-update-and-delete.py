#!/usr/bin/env python3
# DuckDB: of two transactions, one updates a row and the other deletes it; neither sees the other, and both commit. So do
# two that update one row, if one of them sets an indexed column besides: DuckDB runs that as DELETE and INSERT.
# usage: python3 duckdb-update-and-delete.py /path/to/libduckdb.so    (Python's own library and nothing else)
import ctypes
import os
import sys
import tempfile


class Result(ctypes.Structure):  # duckdb_result
    _fields_ = [(name, ctypes.c_uint64) for name in ("columns", "rows", "changed")] + [
        (name, ctypes.c_void_p) for name in ("data", "error", "internal")
    ]


duckdb = ctypes.CDLL(sys.argv[1])
duckdb.duckdb_library_version.restype = ctypes.c_char_p
duckdb.duckdb_result_error.restype = ctypes.c_char_p
duckdb.duckdb_value_int64.restype = ctypes.c_int64
duckdb.duckdb_row_count.restype = ctypes.c_uint64
duckdb.duckdb_column_count.restype = ctypes.c_uint64


def say(name, connection, sql):
    result = Result()
    failed = duckdb.duckdb_query(connection, sql.encode(), ctypes.byref(result))
    print(f"{name}: {sql};")
    if failed:
        print("      " + duckdb.duckdb_result_error(ctypes.byref(result)).decode())
    elif sql.startswith("select"):
        for row in range(duckdb.duckdb_row_count(ctypes.byref(result))):
            cells = [
                duckdb.duckdb_value_int64(ctypes.byref(result), ctypes.c_uint64(column), ctypes.c_uint64(row))
                for column in range(duckdb.duckdb_column_count(ctypes.byref(result)))
            ]
            print("      " + "|".join(str(cell) for cell in cells))
    duckdb.duckdb_destroy_result(ctypes.byref(result))


def case(title, first, second, index=False):
    print(f"-- {title}")
    with tempfile.TemporaryDirectory() as folder:
        database = ctypes.c_void_p()
        duckdb.duckdb_open(os.path.join(folder, "test.db").encode(), ctypes.byref(database))
        t1, t2 = ctypes.c_void_p(), ctypes.c_void_p()
        duckdb.duckdb_connect(database, ctypes.byref(t1))
        duckdb.duckdb_connect(database, ctypes.byref(t2))
        say("T1", t1, "create table account (id bigint primary key, balance bigint, owner bigint)")
        if index:
            say("T1", t1, "create index owners on account (owner)")
        say("T1", t1, "insert into account values (1, 0, 7), (2, 20, 7)")
        say("T1", t1, "begin transaction")
        say("T1", t1, "select * from account")
        say("T2", t2, "begin transaction")
        say("T2", t2, first)
        say("T2", t2, "commit")
        say("T1", t1, second)
        say("T1", t1, "select * from account")
        say("T1", t1, "commit")
        say("T1", t1, "select * from account")
        for connection in (t1, t2):
            duckdb.duckdb_disconnect(ctypes.byref(connection))
        duckdb.duckdb_close(ctypes.byref(database))


print("DuckDB", duckdb.duckdb_library_version().decode())
UPDATE = "update account set balance = 100 where id = 1"
DELETE = "delete from account where balance = 0"
case("update, then delete: both commit, and the update is lost", UPDATE, DELETE)
case("delete, then update: both commit, and T1 saw the row that it updated", "delete from account where id = 1", UPDATE)
case(
    "update, then update that also sets an indexed column: both commit, and the first is lost",
    "update account set balance = balance + 100 where id = 1",
    "update account set balance = balance + 50, owner = 8 where id = 1",
    index=True,
)
case("update, then update: refused", UPDATE, "update account set balance = 50 where id = 1")
case("delete, then delete: refused", "delete from account where id = 1", DELETE)
