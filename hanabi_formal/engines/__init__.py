"""One game played by every engine there is: the executor, the interpreter, and the one written by hand."""
