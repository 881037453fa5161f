variant extends_twice extends toy, toy {

}
