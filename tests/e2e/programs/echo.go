// SPDX-License-Identifier: BSD-2-Clause

// An echo server and its client in Go, whose threads take over from each other as they like:
//
//	echo serve NETWORK ADDRESS
//	echo call NETWORK ADDRESS CONNECTIONS CALLS
//
// A request and its answer are 64 bytes.
package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
)

const unit = 64

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(connection net.Conn) {
	data := make([]byte, unit)
	for {
		if _, err := io.ReadFull(connection, data); err != nil {
			connection.Close()
			return
		}
		_, err := connection.Write(data)
		check(err)
	}
}

func call(network, address string, calls int) {
	data := make([]byte, unit)
	connection, err := net.Dial(network, address)
	check(err)
	for i := 0; i < calls; i++ {
		_, err = connection.Write(data)
		check(err)
		_, err = io.ReadFull(connection, data)
		check(err)
	}
	connection.Close()
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	check(err)
	return value
}

func main() {
	network, address := os.Args[2], os.Args[3]
	if os.Args[1] == "serve" {
		listener, err := net.Listen(network, address)
		check(err)
		for {
			connection, err := listener.Accept()
			check(err)
			go serve(connection)
		}
	}
	var callers sync.WaitGroup
	for i := 0; i < number(os.Args[4]); i++ {
		callers.Add(1)
		go func() {
			call(network, address, number(os.Args[5]))
			callers.Done()
		}()
	}
	callers.Wait()
}
