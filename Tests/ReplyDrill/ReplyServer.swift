import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// A server on the loopback interface that sends the reply whose number is in the path.
struct ReplyServer: Sendable {
    let port: Int

    /// Starts to serve, for as long as the process lives.
    init?(_ reply: @escaping @Sendable (Int) -> Reply) {
        let listener = socket(AF_INET, Self.stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 128) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isBound else { return nil }
        port = Int(UInt16(bigEndian: address.sin_port))
        for _ in 0..<32 {
            Thread.detachNewThread {
                while true {
                    let connection = accept(listener, nil, nil)
                    guard connection >= 0 else { continue }
                    Self.serve(connection, reply)
                    close(connection)
                }
            }
        }
    }

    private static func serve(_ connection: Int32, _ reply: (Int) -> Reply) {
        // The first request is waited for as long as a busy machine needs, another one hardly.
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        var unread = Data()
        while true {
            setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
            guard let number = readRequest(connection, &unread) else { return }
            let reply = number.map(reply)
            let elsewhere = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            guard send(reply?.bytes ?? Data(elsewhere.utf8), connection), reply?.staysOpen ?? true else { return }
            patience = timeval(tv_sec: 0, tv_usec: 20_000)
        }
    }

    /// The number in the path of a request, which is nil for a path without one; nil if there is no request.
    private static func readRequest(_ connection: Int32, _ unread: inout Data) -> Int?? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            if let end = Reply.endOfHead(unread) {
                let path = unread[..<end].split(separator: 0x20, maxSplits: 2).dropFirst().first ?? Data()
                let length = Self.contentLength(of: unread[..<end])
                guard unread.count >= end - unread.startIndex + length else {
                    guard receive(connection, &buffer, &unread) else { return nil }
                    continue
                }
                unread = Data(unread[end...].dropFirst(length))
                let parts = String(decoding: path, as: UTF8.self).split(separator: "/")
                return parts.first == "r" && parts.count > 1 ? .some(Int(parts[1])) : .some(nil)
            }
            guard receive(connection, &buffer, &unread) else { return nil }
        }
    }

    private static func receive(_ connection: Int32, _ buffer: inout [UInt8], _ unread: inout Data) -> Bool {
        let count = recv(connection, &buffer, buffer.count, 0)
        guard count > 0, unread.count < 1 << 20 else { return false }
        unread += buffer[..<count]
        return true
    }

    /// The length of a request's content; 0 if it has none.
    private static func contentLength(of head: Data) -> Int {
        let lines = String(decoding: head, as: UTF8.self).lowercased().split(whereSeparator: \.isNewline)
        let value = lines.first { $0.hasPrefix("content-length:") }?.dropFirst(15)
        return value.flatMap { Int($0.drop { $0 == " " }) } ?? 0
    }

    private static func send(_ bytes: Data, _ connection: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { buffer in
                #if canImport(Glibc)
                Glibc.send(connection, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
                #else
                Darwin.send(connection, buffer.baseAddress, buffer.count, 0)
                #endif
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static var stream: Int32 {
        #if canImport(Glibc)
        Int32(SOCK_STREAM.rawValue)
        #else
        SOCK_STREAM
        #endif
    }
}
