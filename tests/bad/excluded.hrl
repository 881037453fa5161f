# spec: excluded.hrl+pace_fast.hrl
variant excluded extends toy {
  excludes pace_fast because "nobody can hurry slowly"
}
