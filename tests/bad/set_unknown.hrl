variant set_unknown extends toy {
  set pase = fast
}
