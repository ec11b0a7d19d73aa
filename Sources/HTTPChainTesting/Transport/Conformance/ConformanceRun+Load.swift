import Foundation
import HTTPChainCore
import HTTPTypes

/// Checks of concurrency and backpressure.
extension ConformanceRun {
    func slowReaderIsBounded() async throws -> TransportConformance.Outcome {
        // Measures the memory of the whole process. Other work in the process may make it grow once, but not in all
        // three attempts.
        for _ in 0..<2 {
            do { return try await slowReaderIsBoundedOnce() } catch is ConformanceFailure {}
        }
        return try await slowReaderIsBoundedOnce()
    }

    private func slowReaderIsBoundedOnce() async throws -> TransportConformance.Outcome {
        let total: Int64 = 256 << 20
        let written = Locked<Int64>(0)
        let script: LoopbackServer.Script = { exchange in
            try await exchange.writeHead(200, [("Content-Length", "\(total)")])
            for try await chunk in Pattern.body(total, declared: true, once: true) {
                try await exchange.write(chunk)
                written.withLock { $0 += Int64(chunk.count) }
            }
        }
        return try await withServer(bufferSize: 65_536, script) { transport, server in
            let before = Self.residentBytes
            let response = try await transport.send(.get(server.url("/")))
            try await untilQuiet({ written.withLock { $0 } }, isOver: { written.withLock { $0 } == total })
            let count = written.withLock { $0 }
            if transport.capabilities.contains(.backpressure) {
                try expect(
                    count < 48 << 20,
                    "backpressure: less than 48 MiB taken from the server while nobody reads",
                    seen: "\(count >> 20) of \(total >> 20) MiB taken"
                )
            } else if let before, let after = Self.residentBytes {
                try expect(
                    after - before < 128 << 20,
                    "less than 128 MiB more in memory while nobody reads a body of 256 MiB",
                    seen: "\((after - before) >> 20) MiB more"
                )
            } else {
                return .skipped("the memory in use cannot be measured on this system")
            }
            var seen: Int64 = 0
            for try await chunk in response.body {
                try expect(
                    chunk.prefix(60_000) == Pattern.bytes(at: seen, count: min(chunk.count, 60_000)),
                    "the bytes that were sent",
                    seen: "wrong bytes at or after offset \(seen)"
                )
                seen += Int64(chunk.count)
                if seen > 1 << 20 { break }
            }
            try expect(seen > 1 << 20, "the body to go on when it is read", seen: "\(seen) bytes")
            return .passed
        }
    }

    func manyAtOnce() async throws {
        let peer: TransportConformance.Handler = { request in
            let body = try await request.body.text()
            return Response(.ok, body: HTTPBody("\(request.head.path ?? "") \(body)"))
        }
        try await withPeer(peer) { transport, base in
            var growth: [Int] = []
            var open = try await Self.round(transport, base, self)
            // Other tests in the process open files, too. Only growth in every round is a leak.
            for _ in 1...3 {
                let now = try await Self.round(transport, base, self)
                guard let before = open, let after = now, after - before > 100 else { return }
                growth.append(after - before)
                open = now
            }
            throw failure(expected: "no growth in open files", seen: "growth by \(growth) in three rounds")
        }
    }

    /// Sends 1,000 requests at once, and counts the open files afterwards.
    private static func round(_ transport: any Transport, _ base: String, _ run: ConformanceRun) async throws -> Int? {
        let wrong = await withTaskGroup(of: String?.self) { group in
            for index in 0..<1000 {
                group.addTask {
                    let path = "/many/\(index)"
                    do {
                        let request: Request =
                            index.isMultiple(of: 2) ? .get(base + path) : .post(base + path, body: HTTPBody("\(index)"))
                        let text = try await transport.send(request).body.text()
                        let expected = index.isMultiple(of: 2) ? "\(path) " : "\(path) \(index)"
                        return text == expected ? nil : "\"\(text)\" instead of \"\(expected)\""
                    } catch {
                        return "\(error)"
                    }
                }
            }
            return await group.reduce(into: [String]()) { $0 += $1.map { [$0] } ?? [] }
        }
        try run.expect(
            wrong.isEmpty,
            "1,000 right answers",
            seen: "\(1000 - wrong.count); the first of the others: \(wrong.first ?? "")"
        )
        return openFiles
    }

    private static var openFiles: Int? {
        #if os(Linux)
        let directory = "/proc/self/fd"
        #else
        let directory = "/dev/fd"
        #endif
        return try? FileManager.default.contentsOfDirectory(atPath: directory).count
    }

    private static var residentBytes: Int64? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let fields = text.pieces(at: " ")
        guard fields.count > 1, let pages = Int64(fields[1]) else { return nil }
        return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
