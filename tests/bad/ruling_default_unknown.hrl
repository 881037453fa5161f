variant ruling_default_unknown extends toy {
  add ruling order : {up, down} = upp "which way?"
}
