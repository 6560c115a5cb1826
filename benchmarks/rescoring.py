"""ROUGE on stored answers, against upstream's evaluator in a loop: `python benchmarks/rescoring.py [N]`.

Needs google-adk[eval] and rouge-score beside evalfixes. Answers are made of the words of this project's
own documentation, as long as those of an assistant; scores must be equal to the bit.
"""

import itertools
import random
import re
import resource
import sys
import time
import warnings
from pathlib import Path

from evalfixes.rescoring.formats.adk_answers import answer_text
from evalfixes.rescoring.rouge import rouge_1


def answers(number):
    draw = random.Random(7)
    pages = Path(__file__).resolve().parents[1].glob("**/*.md")
    words = sorted(set(re.findall(r"[\w']+", " ".join(page.read_text(encoding="utf-8") for page in pages))))
    words += [f"{word}s" for word in words]
    for _ in range(number):
        made = [draw.choice(words) for _ in range(draw.randint(4, 60))]
        yield " ".join(made), " ".join(word if draw.random() < 0.6 else draw.choice(words) for word in made)


def content(text):
    return {"role": "model", "parts": [{"text": text, "thought": None}]}


def ours(pairs):
    for answer, due in pairs:
        yield rouge_1(answer_text(content(answer)), answer_text(content(due)))


def upstream(pairs):
    from google.adk.evaluation.eval_case import Invocation
    from google.adk.evaluation.eval_metrics import EvalMetric
    from google.adk.evaluation.final_response_match_v1 import RougeEvaluator
    from google.genai import types

    evaluator = RougeEvaluator(EvalMetric(metric_name="response_match_score", threshold=0.8))

    def turn(text):
        made = types.Content(role="model", parts=[types.Part(text=text)])
        return Invocation(user_content=made, final_response=made)

    made = [(turn(answer), turn(due)) for answer, due in pairs]
    start = time.process_time()
    scores = [evaluator.evaluate_invocations([a], [d]).overall_score for a, d in made]
    return scores, time.process_time() - start


def main(number):
    warnings.simplefilter("ignore")
    rouge_1("the first call", "imports the stemmer")
    size = 1_000
    while size <= max(number, 1_000):
        pairs = answers(size)
        start = time.process_time()
        scores = sum(1 for _ in ours(pairs))
        spent = time.process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"{scores:>9,} invocations: {1e6 * spent / size:6.1f} us each with their making, peak {peak} MB")
        size *= 10
    pairs = list(itertools.islice(answers(number), min(number, 100_000)))
    start = time.process_time()
    mine = list(ours(pairs))
    spent = time.process_time() - start
    theirs, needed = upstream(pairs)
    print(f"upstream {needed:.1f} s, ours {spent:.1f} s: {needed / spent:.1f} times; equal: {mine == theirs}")
    return 0 if mine == theirs else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
