variant extends_misnamed extends misnamed {

}
