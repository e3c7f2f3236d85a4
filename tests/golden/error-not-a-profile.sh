printf "hello, world\n" | proftop
