edition offers_unknown extends toy offers pace_fats { }
