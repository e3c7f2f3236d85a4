// work VARIANT PROFILE: work.c in Go, under runtime/pprof.
package main

import (
	"fmt"
	"os"
	"runtime/pprof"
)

const rounds, mixes, walks = 30, 140000, 37000

var table [65536]uint32
var hashFactor, indexFactor = 1.0, 1.0
var audits, balances bool

//go:noinline
func read_block(x uint32) uint32 {
	for i := 0; i < int(mixes*10); i++ {
		x = x*1664525 + (x >> 9) + 1013904223
	}
	return x
}

//go:noinline
func decode(x uint32) uint32 {
	for i := 0; i < int(walks*6); i++ {
		x = table[(x+uint32(i))&65535]
	}
	return x
}

//go:noinline
func check_sum(x uint32) uint32 {
	for i := 0; i < int(mixes*4); i++ {
		x = x*1664525 + (x >> 9) + 1013904223
	}
	return x
}

//go:noinline
func load(x uint32) uint32 {
	return check_sum(decode(read_block(x)))
}

//go:noinline
func skip_blank(x uint32) uint32 {
	for i := 0; i < int(mixes*0.075); i++ {
		x = x*1664525 + (x >> 9) + 1013904223
	}
	return x
}

//go:noinline
func parse(x uint32) uint32 {
	for word := 0; word < 40; word++ {
		for i := 0; i < int(walks*0.425); i++ {
			x = table[(x+uint32(i))&65535]
		}
		x = skip_blank(x)
	}
	return x
}

//go:noinline
func hash_keys(x uint32) uint32 {
	for i := 0; i < int(mixes*12*hashFactor); i++ {
		x = x*1664525 + (x >> 9) + 1013904223
	}
	return x
}

//go:noinline
func sort_keys(x uint32) uint32 {
	for i := 0; i < int(walks*8); i++ {
		x = table[(x+uint32(i))&65535]
	}
	return x
}

//go:noinline
func fold_case(x uint32) uint32 {
	for i := 0; i < int(mixes*0.15); i++ {
		x = x*1664525 + (x >> 9) + 1013904223
	}
	return x
}

//go:noinline
func match_keys(x uint32) uint32 {
	for key := 0; key < 20; key++ {
		for i := 0; i < int(mixes*0.35); i++ {
			x = x*1664525 + (x >> 9) + 1013904223
		}
		x = fold_case(x)
	}
	return x
}

//go:noinline
func transform(x uint32) uint32 {
	return match_keys(sort_keys(hash_keys(parse(x))))
}

//go:noinline
func insert_key(x uint32) uint32 {
	for i := 0; i < int(walks*5.5); i++ {
		x = table[(x+uint32(i))&65535]
	}
	return x
}

//go:noinline
func probe(x uint32) uint32 {
	for i := 0; i < int(mixes*5); i++ {
		x = x*1664525 + (x >> 9) + 1013904223
	}
	return x
}

//go:noinline
func balance(x uint32) uint32 {
	for i := 0; i < int(mixes*3); i++ {
		x = x*1664525 + (x >> 9) + 1013904223
	}
	return x
}

//go:noinline
func build_index(x uint32) uint32 {
	for i := 0; i < int(walks*8*indexFactor); i++ {
		x = table[(x+uint32(i))&65535]
	}
	x = probe(insert_key(x))
	if balances {
		return balance(x)
	}
	return x
}

//go:noinline
func store(x uint32) uint32 {
	for i := 0; i < int(mixes*2); i++ {
		x = x*1664525 + (x >> 9) + 1013904223
	}
	return build_index(x)
}

//go:noinline
func escape(x uint32) uint32 {
	for i := 0; i < int(mixes*0.3); i++ {
		x = x*1664525 + (x >> 9) + 1013904223
	}
	return x
}

//go:noinline
func format_row(x uint32) uint32 {
	for field := 0; field < 10; field++ {
		for i := 0; i < int(mixes*0.4); i++ {
			x = x*1664525 + (x >> 9) + 1013904223
		}
		x = escape(x)
	}
	return x
}

//go:noinline
func flush(x uint32) uint32 {
	for i := 0; i < int(walks*0.5); i++ {
		x = table[(x+uint32(i))&65535]
	}
	return x
}

//go:noinline
func log_line(x uint32) uint32 {
	for i := 0; i < int(mixes*0.2); i++ {
		x = x*1664525 + (x >> 9) + 1013904223
	}
	return x
}

//go:noinline
func tick(x uint32) uint32 {
	for i := 0; i < int(mixes*0.1); i++ {
		x = x*1664525 + (x >> 9) + 1013904223
	}
	return x
}

//go:noinline
func audit(x uint32) uint32 {
	for i := 0; i < int(mixes*3.2); i++ {
		x = x*1664525 + (x >> 9) + 1013904223
	}
	return x
}

//go:noinline
func report(x uint32) uint32 {
	x = tick(log_line(flush(format_row(x))))
	if audits {
		return audit(x)
	}
	return x
}

func main() {
	variant := os.Args[1]
	out, err := os.Create(os.Args[2])
	if err != nil {
		panic(err)
	}
	switch variant {
	case "more20":
		hashFactor = 1.2
	case "more100":
		hashFactor = 2
	case "itself":
		indexFactor = 1.5
	}
	audits, balances = variant == "added", variant != "removed"
	for i := range table {
		table[i] = uint32(i*40503+12345) & 65535
	}
	if err := pprof.StartCPUProfile(out); err != nil {
		panic(err)
	}
	x := uint32(1)
	for round := 0; round < rounds; round++ {
		x = report(store(transform(load(x))))
	}
	pprof.StopCPUProfile()
	if err := out.Close(); err != nil {
		panic(err)
	}
	fmt.Println(x)
}
