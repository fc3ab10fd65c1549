// SPDX-License-Identifier: BSD-2-Clause
// Servers in Go with a planted handler, and a client of net/rpc:
//   served http|rpc PORT WAY
//   served call PORT own|shared CALLERS COUNT NOTES
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/rpc"
	"os"
	"strconv"
	"sync"
	"time"
)

const warmup = 30

var way string
var lock sync.Mutex
var wanted = make(chan bool)

// hold keeps the lock for 2 ms whenever it is wanted.
func hold() {
	for range wanted {
		lock.Lock()
		wanted <- true
		time.Sleep(2 * time.Millisecond)
		lock.Unlock()
	}
}

func handle() {
	switch way {
	case "spin":
		for begin := time.Now(); time.Since(begin) < 500*time.Microsecond; {
		}
	case "sleep":
		time.Sleep(3 * time.Millisecond)
	case "lock":
		wanted <- true
		<-wanted
		lock.Lock()
		lock.Unlock()
	}
}

// Planted is the service of net/rpc.
type Planted int

// Ask echoes.
func (*Planted) Ask(request *string, answer *string) error {
	handle()
	*answer = *request
	return nil
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(kind, address string) {
	go hold()
	listener, err := net.Listen("tcp", address)
	check(err)
	if kind == "rpc" {
		check(rpc.Register(new(Planted)))
		rpc.Accept(listener)
		return
	}
	check(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		handle()
		fmt.Fprintln(w, "here")
	})))
}

func ask(client *rpc.Client) int64 {
	request, answer := "request", ""
	begin := time.Now()
	check(client.Call("Planted.Ask", &request, &answer))
	return time.Since(begin).Nanoseconds()
}

func waitForGo(notes string) {
	check(os.WriteFile(notes+".ready", nil, 0644))
	for {
		if _, err := os.Stat(notes + ".go"); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func call(address string, shared bool, callers, count int, notes string) {
	clients := make([]*rpc.Client, callers)
	for i := range clients {
		if shared && i > 0 {
			clients[i] = clients[0]
		} else {
			client, err := rpc.Dial("tcp", address)
			check(err)
			clients[i] = client
		}
		for j := 0; j < warmup; j++ {
			ask(clients[i])
		}
	}
	waitForGo(notes)
	took := make([]int64, callers*count)
	var group sync.WaitGroup
	for i := range clients {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			for j := 0; j < count; j++ {
				took[i*count+j] = ask(clients[i])
			}
		}(i)
	}
	group.Wait()
	text, err := json.Marshal(map[string][]int64{"took": took})
	check(err)
	check(os.WriteFile(notes+".tmp", text, 0644))
	check(os.Rename(notes+".tmp", notes))
}

func main() {
	address := "127.0.0.1:" + os.Args[2]
	if os.Args[1] == "call" {
		callers, err := strconv.Atoi(os.Args[4])
		check(err)
		count, err := strconv.Atoi(os.Args[5])
		check(err)
		call(address, os.Args[3] == "shared", callers, count, os.Args[6])
		return
	}
	way = os.Args[3]
	serve(os.Args[1], address)
}
