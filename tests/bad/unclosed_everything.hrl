game unclosed_everything {
  action wait() {
    case left > (3
