/* isolde/c.h: the library for C, and for every language that can call C.
 *
 *   char* error = NULL;
 *   isolde_history* history = isolde_load("history.jsonl", NULL, &error);
 *   isolde_verdict* verdict = history ? isolde_check(history, "snapshot-isolation", NULL, &error) : NULL;
 *   if (verdict) puts(isolde_verdict_json(verdict));
 *   else fprintf(stderr, "%s\n", error);
 *   isolde_verdict_free(verdict);
 *   isolde_history_free(history);
 *   isolde_free(error);
 *
 * Errors:    a function that fails returns NULL and puts a message into *error (unless `error` is NULL), which the
 *            caller frees with isolde_free(). A function that succeeds leaves *error alone.
 * Texts:     UTF-8. Those that an object returns live as long as the object.
 * Ownership: each object that is returned is freed by its ..._free() function; NULL may be freed. A verdict outlives
 * its history. Threads:   different objects may be used by different threads, and one history by several at the same
 * time. */
#ifndef ISOLDE_C_H
#define ISOLDE_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ISOLDE_API __attribute__((visibility("default")))
#else
#define ISOLDE_API
#endif

typedef struct isolde_history isolde_history;
typedef struct isolde_verdict isolde_verdict;

/* The library's version, "1.2.3". */
ISOLDE_API const char* isolde_version(void);
/* The names that the functions below understand, ended by NULL. */
ISOLDE_API const char* const* isolde_level_names(void);
ISOLDE_API const char* const* isolde_method_names(void);
ISOLDE_API const char* const* isolde_format_names(void);

/* Reads a file or folder. `format`: NULL to recognise it by its content. */
ISOLDE_API isolde_history* isolde_load(const char* path, const char* format, char** error);
/* The same for the content of a file that is in memory, such as JSON Lines in the native format (docs/formats.md). */
ISOLDE_API isolde_history* isolde_parse(const char* text, size_t length, const char* format, char** error);
ISOLDE_API uint64_t isolde_history_transactions(const isolde_history* history);
ISOLDE_API uint64_t isolde_history_operations(const isolde_history* history);
/* What a person should know about how it was read, ended by NULL. */
ISOLDE_API const char* const* isolde_history_notes(const isolde_history* history);
ISOLDE_API void isolde_history_free(isolde_history* history);

/* How to check. Fill it with isolde_options_init() first, so that a program keeps working with a later version of the
 * library, which may have more fields. */
typedef struct isolde_options {
  size_t size;        /* sizeof(isolde_options) */
  const char* method; /* NULL: the cheapest method that the evidence supports */
  const char* use;    /* evidence to use and to ignore, as in `isolde check --use` and `--ignore`; NULL: none */
  const char* ignore;
  double timeout_seconds; /* 0: no time limit; counted work is limited instead */
  size_t max_anomalies;   /* how many are kept with their details; all are counted */
  unsigned threads;
  int order_by_commit_ts; /* take commit timestamps as the serialization order */
  int prove;              /* re-check the verdict from the history alone; undecided if that fails */
  int strongest;          /* also find the strongest level that holds */
  /* Called now and then, by the thread that does the work; may be NULL. `total` is 0 if it is not known. */
  void (*progress)(void* data, const char* stage, uint64_t done, uint64_t total);
  void* progress_data;
  const struct isolde_cancel* cancel; /* NULL: none; see isolde_cancel_new() */
} isolde_options;
ISOLDE_API void isolde_options_init(isolde_options* options);
/* sizeof(isolde_options) in the library: for bindings, which declare the struct a second time. */
ISOLDE_API size_t isolde_options_size(void);

/* Ends a check from any thread: once it is set, the check that has it in its options ends soon, undecided. It lives
 * until isolde_check() has returned. NULL: no memory. */
typedef struct isolde_cancel isolde_cancel;
ISOLDE_API isolde_cancel* isolde_cancel_new(void);
ISOLDE_API void isolde_cancel_set(isolde_cancel* cancel);
ISOLDE_API void isolde_cancel_free(isolde_cancel* cancel);

typedef enum isolde_outcome { ISOLDE_SATISFIED = 0, ISOLDE_VIOLATED = 1, ISOLDE_UNDECIDED = 3 } isolde_outcome;

/* `level`: a name as in `isolde explain --list`. `options`: NULL for the usual ones. Fails if nothing could be checked:
 * an unknown level or method, or evidence that contradicts the level. */
ISOLDE_API isolde_verdict* isolde_check(const isolde_history* history, const char* level, const isolde_options* options,
                                        char** error);
ISOLDE_API isolde_outcome isolde_verdict_outcome(const isolde_verdict* verdict);
/* Undecided: which limit ran out, or which evidence is missing; otherwise empty. */
ISOLDE_API const char* isolde_verdict_reason(const isolde_verdict* verdict);
ISOLDE_API const char* isolde_verdict_level(const isolde_verdict* verdict);
ISOLDE_API const char* isolde_verdict_method(const isolde_verdict* verdict);
/* All anomalies found, and how many of them are kept with details. */
ISOLDE_API uint64_t isolde_verdict_anomalies(const isolde_verdict* verdict);
ISOLDE_API size_t isolde_verdict_anomalies_kept(const isolde_verdict* verdict);
/* The name of an anomaly ("lost-update") and what happened, in words; NULL if there is no such number. */
ISOLDE_API const char* isolde_verdict_anomaly_name(const isolde_verdict* verdict, size_t number);
ISOLDE_API const char* isolde_verdict_anomaly_text(const isolde_verdict* verdict, size_t number);
/* Everything, as `isolde check --json` prints it: one object on one line. */
ISOLDE_API const char* isolde_verdict_json(const isolde_verdict* verdict);
ISOLDE_API void isolde_verdict_free(isolde_verdict* verdict);

/* Frees a message. */
ISOLDE_API void isolde_free(char* message);

#ifdef __cplusplus
}
#endif

#endif /* ISOLDE_C_H */
