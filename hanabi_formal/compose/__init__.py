"""From names of files to one merged game: units, what they extend, and the changes that variants make."""
