"""correctness_v1: an answer judged against its reference, independent of any framework.

    from evalfixes.correctness import Correctness

    metric = Correctness(judge=lambda prompt: my_model(prompt))
    result = metric.evaluate("It opened in 1998.", "Opened in 1989", "When did it open?")
    result.score      # 0.0
    result.reason     # the answer says "1998", the reference says "1989"

Contradiction lowers the score, incompleteness does not; where nothing can be judged there is no
score and the status says why. The formula is in `evalfixes.correctness.scoring`, the prompt in
`evalfixes.correctness.prompt`, adapters for the evaluation libraries are in `evalfixes.evaluators`.
"""

from evalfixes.correctness.hint import Hint
from evalfixes.correctness.metric import Correctness, Judge
from evalfixes.correctness.reference import Reference
from evalfixes.correctness.reply import Claim, Verdict
from evalfixes.correctness.result import Result, Sample, Status

__all__ = ["Claim", "Correctness", "Hint", "Judge", "Reference", "Result", "Sample", "Status", "Verdict"]
