edition with_not_offered extends toy offers pace_fast {
  with pace_slow { set stack = low }
}
