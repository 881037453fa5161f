variant set_type_unknown extends toy {
  set plyers : 2..6
}
