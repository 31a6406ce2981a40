operator doctor -table "$TABLE"
