"""What others have written: read within bounds, and printed so that it steers no terminal. Imports nothing of ours."""
