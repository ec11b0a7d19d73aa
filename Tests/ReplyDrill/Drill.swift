import DrillSupport
import Foundation
import HTTPChain
import HTTPChainInMemory

#if AsyncHTTPClient
import HTTPChainAsyncHTTPClient
#endif

// Reads replies of a grammar over one of the transports:
// ReplyDrill urlsession|asynchttpclient|memory <seed> <first>-<last>|<number>,… <at once> <seconds> [trap|hang]
// ReplyDrill stages
//
// The second form prints the types of all stages in its chains.
//
// It prints "!1" before a reply whose length may end the process in Foundation, "+1" when it begins with a reply, "-1" when the call has ended, "~1" for a reply that is left out, because
// Foundation is known to end the process at it (one in 100 of them is not left out), and "done" at the end. A call that
// takes longer than so many seconds ends the process with status 7, after a line "hang 1".

@main
enum Drill {
    private struct State: Sendable {
        var pending: ArraySlice<Int>
        var begun: [Int: Date] = [:]
    }

    static func main() async {
        Parent.endWithIt()
        let arguments = CommandLine.arguments
        if arguments.dropFirst() == ["stages"] {
            for name in (try? ReplyChain.stageNames().sorted()) ?? [] { say(name) }
            return
        }
        guard arguments.count >= 6, let seed = UInt64(arguments[2]), let numbers = numbers(in: arguments[3]),
            let width = Int(arguments[4]), let limit = Double(arguments[5])
        else { usage() }
        let fault = arguments.count > 6 ? ReplyChain.Fault(rawValue: arguments[6]) : nil
        let made = Locked<[Int: Reply]>([:])
        // A reply is sent again to each attempt; what was read is forgotten.
        let reply: @Sendable (Int) -> Reply = { number in
            if let known = made.withLock({ $0[number] }) { return known }
            let reply = Reply(seed: seed, number: number)
            made.withLock { $0[number] = reply }
            return reply
        }
        guard let transport = transport(arguments[1], reply), let server = ReplyServer(reply) else { usage() }
        let chain = ReplyChain(transport: transport, origin: "http://127.0.0.1:\(server.port)", fault: fault)
        let leavesOut = arguments[1] == "urlsession"
        let state = Locked(State(pending: numbers[...]))
        watch(state, limit)
        await withDiscardingTaskGroup { group in
            for _ in 0..<width {
                group.addTask {
                    while let number = state.withLock({ $0.pending.popFirst() }) {
                        if leavesOut, number % 100 != 0, reply(number).mayEndFoundation {
                            say("~\(number)")
                            continue
                        }
                        if leavesOut, reply(number).mayTrapFoundation { say("!\(number)") }
                        say("+\(number)")
                        state.withLock { $0.begun[number] = Date() }
                        await read(number, by: chain, cancels: arguments[1] != "memory")
                        state.withLock { $0.begun[number] = nil }
                        made.withLock { $0[number] = nil }
                        say("-\(number)")
                    }
                }
            }
        }
        say("done")
    }

    /// Reads a reply; one call in five over a network is cancelled at some moment of its first milliseconds.
    private static func read(_ number: Int, by chain: ReplyChain, cancels: Bool) async {
        guard cancels, number % 5 == 4 else { return await chain.read(number) }
        let reading = Task { await chain.read(number) }
        try? await Task.sleep(for: .microseconds(Int.random(in: 0..<8000)))
        reading.cancel()
        await reading.value
    }

    private static func usage() -> Never {
        print("usage: ReplyDrill urlsession|asynchttpclient|memory <seed> <numbers> <at once> <seconds> [trap|hang]")
        exit(2)
    }

    private static func numbers(in text: String) -> [Int]? {
        let ends = text.split(separator: "-").map { Int($0) }
        if ends.count == 2, let first = ends[0], let last = ends[1], first <= last { return Array(first...last) }
        let parts = text.split(separator: ",")
        let numbers = parts.compactMap { Int($0) }
        return numbers.count == parts.count ? numbers : nil
    }

    private static func transport(
        _ name: String,
        _ reply: @escaping @Sendable (Int) -> Reply
    ) -> (any Transport)? {
        switch name {
        case "urlsession": return URLSessionTransport()
        #if AsyncHTTPClient
        case "asynchttpclient": return AsyncHTTPClientTransport()
        #endif
        case "memory": return ReplyChain.inMemory(reply)
        default: return nil
        }
    }

    /// One write each, which a process that ends loses nothing of.
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    private static func watch(_ state: Locked<State>, _ limit: Double) {
        Thread.detachNewThread {
            while true {
                usleep(200_000)
                let late = state.withLock { $0.begun.first { -$0.value.timeIntervalSinceNow > limit }?.key }
                guard let late else { continue }
                say("hang \(late)")
                _exit(7)
            }
        }
    }
}
