# The harder avalanche: the sixth colour is never named, and every colour hint touches it.
variant rainbow extends avalanche {
  strengthen action hint when about != colour(multi) label named  @rainbow.unnamed
  override def touches(c, about) = match about {
    colour(s) : suit[c] == s or suit[c] == multi
    value(r) : rank[c] == r
  }                                                               @rainbow.touches @hint.kind
}
