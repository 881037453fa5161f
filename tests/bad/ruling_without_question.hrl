variant ruling_without_question extends toy {
  add ruling order : {up, down} = up
}
