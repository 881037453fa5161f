variant extends_edition extends green {

}
