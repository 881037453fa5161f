variant bound_by_reveals extends toy {
  add reveals shown_all : lay(mover) : hue[mover]
}
