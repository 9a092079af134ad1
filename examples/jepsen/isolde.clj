;; isolde.clj: Isolde as the checker of a Jepsen test (docs/jepsen.md). Needs nothing but Clojure and `isolde` in PATH.
(ns isolde
  (:require [clojure.java.io :as io]
            [clojure.java.shell :refer [sh]]))

(defn write-history
  "One operation map per line, as Jepsen writes history.edn."
  [file history]
  (with-open [out (io/writer file)]
    (binding [*out* out *print-length* nil *print-level* nil *print-namespace-maps* false]
      (doseq [op history] (prn (into {} op))))))

(defn check
  "Checks a history at a level, such as \"serializable\". The map is one that a Jepsen checker returns: :valid? is true,
  false or :unknown, and :report is what `isolde check` says."
  [history level]
  (let [file (java.io.File/createTempFile "history" ".edn")]
    (try
      (write-history file history)
      (let [{:keys [exit out err]} (sh "isolde" "check" (str file) "--level" level "--no-config")]
        (case (int exit)
          0 {:valid? true, :report out}
          1 {:valid? false, :report out}
          3 {:valid? :unknown, :report out}
          (throw (ex-info (str "isolde could not read the history: " err) {:exit exit}))))
      (finally (.delete file)))))

;; In a Jepsen test:
;;
;;   (defn isolde-checker [level]
;;     (reify jepsen.checker/Checker
;;       (check [_ test history opts] (isolde/check history level))))

(defn -main [& _]
  (let [op     (fn [index process type value] {:index index, :process process, :type type, :f :txn, :value value})
        stale  [(op 0 0 :invoke [[:append 1 1]])
                (op 1 0 :ok     [[:append 1 1]])
                (op 2 1 :invoke [[:r 1 nil]])
                (op 3 1 :ok     [[:r 1 []]])]
        fresh  (conj (pop stale) (op 3 1 :ok [[:r 1 [1]]]))
        result (check stale "strict-serializable")]
    (println (:valid? (check fresh "strict-serializable")) (:valid? result) (:valid? (check stale "serializable")))
    (println (first (.split ^String (:report result) "\n")))))

(-main)
(shutdown-agents)
