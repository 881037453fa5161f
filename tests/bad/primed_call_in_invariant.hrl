variant later extends base {
  clause @later "later"
  add invariant wrong : reachable_max()' <= 3  @later
  add step builtin : index(turn)' == 0  @later
}
