/* Checks a history from C: check_c LEVEL FILE. Its exit status is that of `isolde check`. */
#include <isolde/c.h>
#include <stdio.h>

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s LEVEL FILE\n", argv[0]);
    return 2;
  }
  char* error = NULL;
  int status = 2;
  isolde_history* history = isolde_load(argv[2], NULL, &error);
  isolde_verdict* verdict = history ? isolde_check(history, argv[1], NULL, &error) : NULL;
  if (verdict) {
    for (size_t i = 0; i < isolde_verdict_anomalies_kept(verdict); ++i) {
      printf("%s\n", isolde_verdict_anomaly_text(verdict, i));
    }
    status = (int)isolde_verdict_outcome(verdict);
    if (status == ISOLDE_UNDECIDED) printf("undecided: %s\n", isolde_verdict_reason(verdict));
  } else {
    fprintf(stderr, "%s\n", error ? error : "out of memory");
  }
  isolde_verdict_free(verdict);
  isolde_history_free(history);
  isolde_free(error);
  return status;
}
