# spec: end_order_last.hrl+last_end.hrl
variant end_order_last extends toy {
  add end early won when left == 2
}
