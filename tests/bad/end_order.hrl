# spec: end_order.hrl+doubled.hrl
variant end_order extends toy {
  add end early won when left == 2 before empty
}
