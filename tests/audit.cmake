# The tests of src/audit: what an application's statements do, and what that risks. One block a folder.

# Classes written by hand, for the tests of graph, cycles, fixes, story and confirm.
add_library(isolde_audit_support STATIC support/small_classes.cc support/small_trace.cc)
target_include_directories(isolde_audit_support PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(isolde_audit_support PUBLIC isolde_audit GTest::gtest fmt::fmt PRIVATE isolde_options)

# trace

isolde_test(audit_trace_test
  SOURCES
    src/audit/trace/forms_test.cc
    src/audit/trace/log_test.cc
    src/audit/trace/mysql_log_test.cc
    src/audit/trace/postgres_log_test.cc
    src/audit/trace/recording_test.cc
    src/audit/trace/shared_traces_test.cc
    src/audit/trace/sql_text_test.cc
  USES audit)

# sql: shapes and dialects

isolde_test(audit_sql_test
  SOURCES
    src/audit/sql/rewrite_dialects_test.cc
    src/audit/sql/rewrite_queries_test.cc
    src/audit/sql/rewrite_writes_test.cc
    src/audit/sql/shape_test.cc
    src/audit/sql/to_postgres_trace_test.cc
    tests/support/rewritings.cc
  USES audit
  LINKS pg_query::pg_query)

# sql: what a statement does

isolde_test(audit_statement_test
  SOURCES
    src/audit/sql/reads_test.cc
    src/audit/sql/rows_test.cc
    src/audit/sql/statement_test.cc
    src/audit/sql/statement_trace_test.cc
    src/audit/sql/writes_test.cc
    tests/support/statement_text.cc
  USES audit)

# schema, hints

isolde_test(audit_schema_test
  SOURCES
    src/audit/hints/hints_test.cc
    src/audit/schema/schema_test.cc
  USES audit db)
isolde_test(audit_schema_live_test LABEL live SOURCES tests/live/audit_schema_test.cc USES audit db)

# classes

isolde_test(audit_classes_test
  SOURCES
    src/audit/classes/classes_test.cc
    src/audit/classes/loops_test.cc
    src/audit/classes/random_classes_test.cc
    src/audit/classes/shared_classes_test.cc
    tests/support/small_classes_test.cc
  USES audit audit_support)

# graph, search, fixes

isolde_test(audit_graph_test
  SOURCES
    src/audit/cycles/ways_test.cc
    src/audit/graph/graph_test.cc
  USES audit audit_support)
isolde_test(audit_search_test
  LABEL threads
  SOURCES src/audit/cycles/search_test.cc
  USES audit audit_support)
isolde_test(audit_fixes_test
  LABEL threads
  SOURCES
    src/audit/fixes/fixes_test.cc
    src/audit/fixes/set_cover_test.cc
    src/audit/fixes/sql_edits_test.cc
  USES audit audit_support)

# cycles: moments, correlation; story

isolde_test(audit_cycles_test
  SOURCES
    src/audit/cycles/correlation_test.cc
    src/audit/cycles/moments_test.cc
    src/audit/cycles/same_rows_test.cc
    tests/audit/correlation_oracle_test.cc
    tests/audit/moments_oracle_test.cc
    tests/audit/toy_levels.cc
  USES audit audit_support)
isolde_test(audit_moments_slow_test
  LABEL slow
  SOURCES
    tests/audit/correlation_oracle_test.cc
    tests/audit/moments_oracle_test.cc
    tests/audit/toy_levels.cc
  USES audit audit_support)
target_compile_definitions(audit_moments_slow_test PRIVATE ISOLDE_MANY_SEEDS)
isolde_test(audit_story_test
  SOURCES
    src/audit/story/naming_test.cc
    src/audit/story/story_test.cc
  USES audit audit_support)

# confirm

isolde_test(audit_confirm_test
  SOURCES
    src/audit/confirm/clues_test.cc
    src/audit/confirm/rows_test.cc
    src/audit/confirm/values_test.cc
    src/audit/confirm/wording_test.cc
    tests/support/small_story.cc
  USES audit)
isolde_test(audit_confirm_live_test
  LABEL live
  SOURCES tests/live/audit_confirm_test.cc tests/support/small_story.cc
  USES audit)
isolde_test(audit_confirm_traces_live_test LABEL live SOURCES tests/live/audit_confirm_traces_test.cc USES audit)

# the whole way

isolde_test(audit_test
  SOURCES
    src/audit/render_test.cc
    tests/audit/corpus_test.cc
    tests/audit/tpcc_test.cc
  USES audit)
isolde_test(audit_cli_test
  SOURCES tests/cli/audit_test.cc tests/cli/run_program.cc
  LINKS util simdjson::simdjson)
add_dependencies(audit_cli_test isolde)
