variant listed_value_and_parameter extends toy {
  add param unseen : 0..3
}
