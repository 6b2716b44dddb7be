"""Reading transcripts of other systems: which format a file holds, and its turns."""
